/* SPDX-License-Identifier: Apache-2.0 */
/* parts_layers_cases.h - loops with layers in the parts of a mesh, and their bundle */
#ifndef MPLAN_PARTS_LAYERS_CASES_H
#define MPLAN_PARTS_LAYERS_CASES_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/meshplan_layers.h"
#include "exec/meshplan_ranks.h"
#include "plan/plan.h"
#include "support_test.h"

enum { HIGH = 6, N_LOOPS = 3, N_DATS = 7, ROUNDS = 2 };

static char bundle_path[64];

/* --- the loops ------------------------------------------------------------------------------- */

/* From vertices to vertices, below and above each cell, by a matrix. */
#define PRODUCT_ARGS(ARG)                           \
    ARG(MATRIX, m, m, 8, 8, f64)                    \
    ARG(LEVELS, x, x, cells_nodes, 8, 1, f64, READ) \
    ARG(LEVELS, lhs, lhs, cells_nodes, 8, 1, f64, INC)
MPLAN_LAYER_VIEWS(product, PRODUCT_ARGS)
MPLAN_FN void product(product_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int row = 0; row < 8; row++)
        for (int col = 0; col < 8; col++)
            v->lhs[row][0] += v->m[col * 8 + row] * v->x[col][0];
}
MPLAN_LAYER_KERNEL(product, PRODUCT_ARGS, mplan_no_parameters)

/* Between neighbouring columns, in the layers that both have; the face itself counts the launches. */
#define FLUX_ARGS(ARG)                              \
    ARG(LEVELS, q, q, faces_cells, 2, 2, f64, READ) \
    ARG(COLUMN, u, u, 1, 1, f64, READ)              \
    ARG(LEVELS, res, res, faces_cells, 2, 2, f64, INC)
MPLAN_LAYER_VIEWS(flux, FLUX_ARGS)
MPLAN_FN void flux(flux_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int c = 0; c < 2; c++) {
        v->res[0][c] = v->u[0][0] * v->q[1][c];
        v->res[1][c] = v->u[0][0] * v->q[0][1 - c];
    }
}
MPLAN_LAYER_KERNEL(flux, FLUX_ARGS, mplan_no_parameters)

/* Whole columns: sums from below of what the others left, of this column and of the vertices around. */
#define DOWN_ARGS(ARG)                          \
    ARG(WHOLE, res, res, 2, f64, READ)          \
    ARG(NEAR, lhs, lhs, cells_nodes, 4, 1, f64) \
    ARG(WHOLE, q, q, 2, f64, RW)
MPLAN_COLUMN_VIEWS(down, DOWN_ARGS)
MPLAN_FN void down(down_views *v, const mplan_no_parameters *p)
{
    double sum = 0;
    (void)p;
    for (int j = v->bottom; j < v->top; j++) {
        sum += MPLAN_LEVEL(v->res, j, 0) - MPLAN_LEVEL(v->res, j, 1);
        for (int s = 0; s < 4; s++)
            sum += MPLAN_LEVEL(v->lhs[s], j, 0);
        MPLAN_LEVEL(v->q, j, 0) += sum;
        MPLAN_LEVEL(v->q, j, 1) -= sum;
    }
}
MPLAN_COLUMN_KERNEL(down, DOWN_ARGS, mplan_no_parameters)

static const mplan_layer_kernel *const kernels[N_LOOPS] = {&product_host, &flux_host, &down_host};

#define F64(dat_, map_, access_, dim_)                                                   \
    {                                                                                    \
        .dat = dat_, .map = map_, .access = access_, .dim = dim_, .type = MPLAN_TYPE_F64 \
    }
static const mplan_arg args_of_product[] = {F64("m", NULL, MPLAN_READ, 64),
                                            F64("x", "cells_nodes", MPLAN_READ, 1),
                                            F64("lhs", "cells_nodes", MPLAN_INC, 1)};
static const mplan_arg args_of_flux[] = {F64("q", "faces_cells", MPLAN_READ, 2),
                                         F64("u", NULL, MPLAN_READ, 1),
                                         F64("res", "faces_cells", MPLAN_INC, 2)};
static const mplan_arg args_of_down[] = {F64("res", NULL, MPLAN_READ, 2),
                                         F64("lhs", "cells_nodes", MPLAN_READ, 1),
                                         F64("q", NULL, MPLAN_RW, 2)};
static const mplan_loop loops[N_LOOPS] = {
    {.name = "product", .over = "cells", .calls = 1, .n_args = 3, .args = args_of_product},
    {.name = "flux", .over = "faces", .calls = 1, .n_args = 3, .args = args_of_flux},
    {.name = "down", .over = "cells", .calls = 1, .n_args = 3, .args = args_of_down}};

/* --- a case ---------------------------------------------------------------------------------- */

/* A dat as the caller has it: rows of levels, member by member in the order of the mesh. */
typedef struct dat {
    const char *name;
    int32_t set, levels, dim;
    int64_t rows;
    double *start;
} dat;

typedef struct fixture {
    mplan_mesh *mesh;
    bool ranged;
    int32_t *ranges[2]; /* of cells and of faces; NULL: all have all layers */
    uint32_t *mask;     /* of the faces, with ranges */
    int32_t cells, faces;
    mplan_layered_set sets[2];
    mplan_layered_loop layered[N_LOOPS];
    mplan_layered_arg args[9];
    mplan_layers layers;
    mplan_plan_options options;
    dat dats[N_DATS];
} fixture;

static mplan_error err;

static inline int32_t dat_of(const char *name)
{
    static const char *const names[N_DATS] = {"m", "x", "lhs", "q", "u", "res", NULL};
    for (int32_t d = 0; names[d]; d++)
        if (strcmp(names[d], name) == 0)
            return d;
    fail();
    return -1;
}

static inline void set_arg(fixture *f, int i, int32_t levels, int n_slots, bool both,
                           mplan_columns columns)
{
    mplan_layered_arg *arg = &f->args[i];
    *arg = (mplan_layered_arg){.loop = i / 3, .arg = i % 3};
    arg->layers = (mplan_arg_layers){
        .levels = levels, .stride = 1, .n_slots = n_slots, .columns = columns};
    for (int s = 0; s < n_slots; s++)
        arg->layers.slots[s] = (mplan_slot){
            both || loops[i / 3].args[i % 3].map ? MPLAN_EVERY_SLOT : 0, both ? s : 0};
}

/* Layers of both sets; the faces have those that their cells have in common. */
static inline void make_layers(fixture *f, uint64_t *seed)
{
    const int64_t n = mplan_mesh_set(f->mesh, f->cells).size;
    int32_t *own = malloc(((size_t)n + 1) * 2 * sizeof *own);
    const int32_t *faces;
    for (int64_t i = 0; i < n; i++) {
        own[2 * i] = (int32_t)support_random(seed, 3);
        own[2 * i + 1] = own[2 * i] + (int32_t)support_random(seed, HIGH - 1);
    }
    assert_done(mplan_mesh_set_layers(f->mesh, f->cells, HIGH, f->ranged ? own : NULL, &err), &err);
    assert_done(mplan_mesh_spread_layers(f->mesh, mplan_mesh_find_map(f->mesh, "faces_cells"),
                                         MPLAN_LAYERS_COMMON, &err),
                &err);
    mplan_mesh_layers(f->mesh, f->faces, &faces);
    f->sets[0] = (mplan_layered_set){"cells", HIGH, f->ranged ? own : NULL, NULL};
    const int64_t n_faces = mplan_mesh_set(f->mesh, f->faces).size;
    f->mask = malloc(((size_t)n_faces + 1) * sizeof *f->mask);
    for (int64_t i = 0; i < n_faces; i++)
        f->mask[i] = (uint32_t)support_random(seed, 1 << HIGH);
    f->sets[1] = (mplan_layered_set){"faces", HIGH, f->ranged ? faces : NULL,
                                     f->ranged ? f->mask : NULL};
    f->ranges[0] = own;
}

/* fractions: numbers of which sums depend on their order; else whole ones, small enough to stay exact. */
static inline void make(fixture *f, int32_t nx, int32_t ny, bool ranged, bool fractions,
                        mplan_columns columns)
{
    uint64_t seed = (uint64_t)nx * 100 + (uint64_t)ny;
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    const mplan_columns flat = columns == MPLAN_COLUMNS_OWNER ? MPLAN_COLUMNS_LAYERS : columns;
    *f = (fixture){.ranged = ranged};
    wanted.shape = MPLAN_SHAPE_QUAD;
    wanted.size[0] = nx;
    wanted.size[1] = ny;
    wanted.shuffle = true;
    wanted.seed = seed;
    assert_done(mplan_mesh_generate(&wanted, NULL, &f->mesh, &err), &err);
    assert_done(mplan_mesh_derive(f->mesh, "faces_cells", NULL, &err), &err);
    f->cells = mplan_mesh_find_set(f->mesh, "cells");
    f->faces = mplan_mesh_find_set(f->mesh, "faces");
    make_layers(f, &seed);
    for (int l = 0; l < N_LOOPS; l++)
        f->layered[l] = (mplan_layered_loop){l, l == 2 ? MPLAN_LAYERING_COLUMNS
                                                       : MPLAN_LAYERING_LAYERS};
    set_arg(f, 0, HIGH, 1, false, columns);
    f->args[0].layers.rows = 8;
    set_arg(f, 1, HIGH + 1, 2, true, flat);
    set_arg(f, 2, HIGH + 1, 2, true, flat);
    set_arg(f, 3, HIGH, 1, false, flat);
    set_arg(f, 4, HIGH, 1, false, flat);
    set_arg(f, 5, HIGH, 1, false, flat);
    set_arg(f, 6, HIGH, 1, false, flat);
    set_arg(f, 7, HIGH + 1, 1, false, flat);
    set_arg(f, 8, HIGH, 1, false, flat);
    f->layers = (mplan_layers){2, N_LOOPS, 9, f->sets, f->layered, f->args};
    f->options = (mplan_plan_options)MPLAN_PLAN_OPTIONS_INIT;
    f->options.layers = &f->layers;
    for (int i = 0; i < 9; i++) {
        const mplan_arg *arg = &loops[i / 3].args[i % 3];
        dat *d = &f->dats[dat_of(arg->dat)];
        if (d->name)
            continue;
        const int32_t set = arg->map
                                ? mplan_mesh_map(f->mesh, mplan_mesh_find_map(f->mesh, arg->map)).to
                                : mplan_mesh_find_set(f->mesh, loops[i / 3].over);
        *d = (dat){arg->dat,
                   set,
                   f->args[i].layers.levels,
                   arg->dim,
                   mplan_mesh_set(f->mesh, set).size * f->args[i].layers.levels,
                   NULL};
        d->start = malloc(((size_t)(d->rows * d->dim) + 1) * sizeof *d->start);
        for (int64_t k = 0; k < d->rows * d->dim; k++)
            d->start[k] = (double)((int)support_random(&seed, 7) - 3) * (fractions ? 0.1 : 1);
    }
}

static inline void drop(fixture *f)
{
    for (int d = 0; d < N_DATS; d++)
        free(f->dats[d].start);
    free(f->ranges[0]);
    free(f->mask);
    mplan_mesh_free(f->mesh);
}

static inline void write_bundle(const fixture *f, int32_t n_parts)
{
    mplan_parts *parts;
    mplan_bundle *bundle;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    how.n_parts = n_parts;
    assert_done(mplan_parts_create(f->mesh, N_LOOPS, loops, &f->options, &how, NULL, &parts, &err),
                &err);
    assert_done(mplan_parts_write(parts, bundle_path, NULL, NULL, NULL, &err), &err);
    mplan_parts_free(parts);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    const mplan_parts_source source = mplan_bundle_source(bundle);
    assert_done(mplan_parts_verify(&source, f->mesh, -1, NULL, &err), &err);
    mplan_bundle_free(bundle);
}

static inline int make_path(void **state)
{
    (void)state;
    snprintf(bundle_path, sizeof bundle_path, "test_parts_layers.%ld.mplans", (long)getpid());
    return 0;
}

static inline int remove_path(void **state)
{
    (void)state;
    unlink(bundle_path);
    return 0;
}

#endif
