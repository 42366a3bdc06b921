/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_layers.c - loops with layers in the parts of a mesh, run by any number of ranks
 *
 * Columns are never cut: halos are of columns, all levels of each. Halos that are out of date hold NaN. In whole numbers
 * results must be those of the kernels called in the order of the mesh, for every strategy and order of levels; with
 * fractions, equal bits for all ranks, and in the order of the mesh those of a plan without parts. What a bundle says of
 * columns is refused where it is changed. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec/meshplan_layers.h"
#include "exec/meshplan_ranks.h"
#include "plan/plan.h"
#include "support_memory.h"
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

static int32_t dat_of(const char *name)
{
    static const char *const names[N_DATS] = {"m", "x", "lhs", "q", "u", "res", NULL};
    for (int32_t d = 0; names[d]; d++)
        if (strcmp(names[d], name) == 0)
            return d;
    fail();
    return -1;
}

static void set_arg(fixture *f, int i, int32_t levels, int n_slots, bool both, mplan_columns columns)
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
static void make_layers(fixture *f, uint64_t *seed)
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
static void make(fixture *f, int32_t nx, int32_t ny, bool ranged, bool fractions,
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

static void drop(fixture *f)
{
    for (int d = 0; d < N_DATS; d++)
        free(f->dats[d].start);
    free(f->ranges[0]);
    free(f->mask);
    mplan_mesh_free(f->mesh);
}

/* --- results --------------------------------------------------------------------------------- */

typedef struct result {
    double *rows[N_DATS];
} result;

static void drop_result(result *r)
{
    for (int d = 0; d < N_DATS; d++)
        free(r->rows[d]);
}

static void assert_equal(const fixture *f, const result *a, const result *b)
{
    for (int d = 0; f->dats[d].name; d++)
        assert_memory_equal(a->rows[d], b->rows[d],
                            (size_t)(f->dats[d].rows * f->dats[d].dim) * sizeof(double));
}

/* The kernels in the order of the mesh, without a plan. */
static void run_plain(const fixture *f, result *r)
{
    for (int d = 0; f->dats[d].name; d++) {
        const size_t bytes = (size_t)(f->dats[d].rows * f->dats[d].dim) * sizeof(double);
        r->rows[d] = malloc(bytes + 1);
        memcpy(r->rows[d], f->dats[d].start, bytes);
    }
    r->rows[N_DATS - 1] = NULL;
    for (int i = 0; i < ROUNDS * N_LOOPS; i++) {
        const int l = i % N_LOOPS;
        mplan_layer_data data[3];
        mplan_layers_call call = {.arg = data, .layers = HIGH, .first_increment = -1};
        for (int a = 0; a < 3; a++) {
            const mplan_arg *arg = &loops[l].args[a];
            const mplan_arg_layers *layers = &f->args[3 * l + a].layers;
            const int32_t d = dat_of(arg->dat);
            data[a] = (mplan_layer_data){.data = r->rows[d],
                                         .column = layers->levels * arg->dim,
                                         .level = arg->dim,
                                         .component = 1,
                                         .arity = 1,
                                         .stride = 1,
                                         .levels = layers->levels};
            if (!arg->map)
                continue;
            const mplan_map map = mplan_mesh_map(f->mesh, mplan_mesh_find_map(f->mesh, arg->map));
            data[a].rows = map.values;
            data[a].arity = map.arity;
            for (int s = 0; s < layers->n_slots * map.arity; s++) {
                data[a].of[s] = s % map.arity;
                data[a].offset[s] = s / map.arity;
            }
        }
        const int32_t *ranges = f->sets[l == 1].ranges;
        const int64_t n = mplan_mesh_set(f->mesh, l == 1 ? f->faces : f->cells).size;
        for (int64_t e = 0; e < n; e++) {
            const int32_t bottom = ranges ? ranges[2 * e] : 0,
                          top = ranges ? ranges[2 * e + 1] : HIGH;
            if (!f->sets[l == 1].mask)
                kernels[l]->run(&call, e, bottom, top, NULL);
            for (int32_t k = bottom; f->sets[l == 1].mask && k < top; k++)
                if (f->mask[e] >> k & 1)
                    kernels[l]->run(&call, e, k, k + 1, NULL);
        }
    }
}

/* The same by an executor, of parts or not. */
static void run_on(const fixture *f, mplan_exec *exec, result *r)
{
    mplan_exec_loop *bound[N_LOOPS];
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    for (int d = 0; f->dats[d].name; d++)
        assert_done(mplan_exec_upload(exec, f->dats[d].name, f->dats[d].start, f->dats[d].rows,
                                      f->dats[d].dim, MPLAN_TYPE_F64, &err),
                    &err);
    for (int l = 0; l < N_LOOPS; l++)
        assert_done(mplan_exec_bind_layers(exec, loops[l].name, -1, kernels[l], &bound[l], &err),
                    &err);
    for (int i = 0; i < ROUNDS * N_LOOPS; i++)
        assert_done(mplan_exec_launch(exec, bound[i % N_LOOPS], NULL, NULL, &err), &err);
    memset(r, 0, sizeof *r);
    for (int d = 0; f->dats[d].name; d++) {
        r->rows[d] = malloc((size_t)(f->dats[d].rows * f->dats[d].dim + 1) * sizeof(double));
        assert_done(mplan_exec_download(exec, f->dats[d].name, r->rows[d], f->dats[d].rows,
                                        f->dats[d].dim, MPLAN_TYPE_F64, &err),
                    &err);
    }
}

static void write_bundle(const fixture *f, int32_t n_parts)
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

static void run_bundle(const fixture *f, int32_t ranks, mplan_executor executor, bool overlap,
                       result *r)
{
    mplan_bundle *bundle;
    mplan_exec *exec;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    options.executor = executor;
    options.threads = 2;
    how.ranks = ranks;
    how.poison = true;
    how.overlap = overlap;
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &how, &exec, &err), &err);
    run_on(f, exec, r);
    mplan_exec_close(exec);
    mplan_bundle_free(bundle);
}

/* due NULL: what the first number of ranks gives. exact: sums do not depend on their order, so that the serial executor has
 * the same bits. */
static void compare_ranks(const fixture *f, int32_t n_parts, const result *due, bool exact)
{
    static const int32_t counts[] = {1, 2, 3, 16};
    static const mplan_executor executors[] = {MPLAN_EXECUTOR_HOST, MPLAN_EXECUTOR_OPENMP,
                                               MPLAN_EXECUTOR_HOST, MPLAN_EXECUTOR_HOST};
    result first = {{NULL}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts && counts[k] <= n_parts; k++) {
        result own;
        run_bundle(f, counts[k], exact && k == 2 ? MPLAN_EXECUTOR_SERIAL : executors[k], k % 2, &own);
        if (due || k > 0)
            assert_equal(f, &own, due ? due : &first);
        if (k == 0 && !due)
            first = own;
        else
            drop_result(&own);
    }
    drop_result(&first);
}

/* --- tests ------------------------------------------------------------------------------------- */

typedef struct way {
    mplan_strategy strategy; /* MPLAN_N_STRATEGIES: auto */
    mplan_columns columns;
    bool ranged;
} way;
static const way ways[] = {{MPLAN_N_STRATEGIES, MPLAN_COLUMNS_LAYERS, false},
                           {MPLAN_N_STRATEGIES, MPLAN_COLUMNS_OWNER, true},
                           {MPLAN_STRATEGY_TWO_STEP, MPLAN_COLUMNS_POINTS, true},
                           {MPLAN_STRATEGY_ATOMIC, MPLAN_COLUMNS_LAYERS, true},
                           {MPLAN_STRATEGY_GLOBAL_COLOUR, MPLAN_COLUMNS_POINTS, false}};

static void results_are_those_of_the_mesh(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (int32_t n_parts = 1; n_parts <= 16;
             n_parts = n_parts < 3 ? n_parts + 2 : 4 * n_parts + 4) {
            fixture f;
            result due;
            make(&f, 9, 7, ways[w].ranged, false, ways[w].columns);
            f.options.n_strategies = ways[w].strategy < MPLAN_N_STRATEGIES;
            f.options.strategies[0] = ways[w].strategy;
            write_bundle(&f, n_parts);
            run_plain(&f, &due);
            compare_ranks(&f, n_parts, &due, true);
            drop_result(&due);
            drop(&f);
        }
}

/* More parts than columns. */
static void empty_parts_do_nothing(void **state)
{
    (void)state;
    fixture f;
    result due;
    make(&f, 2, 1, true, false, MPLAN_COLUMNS_LAYERS);
    write_bundle(&f, 16);
    run_plain(&f, &due);
    compare_ranks(&f, 16, &due, true);
    drop_result(&due);
    drop(&f);
}

static void bits_are_those_of_plans_without_parts(void **state)
{
    (void)state;
    for (int turn = 0; turn < 3; turn++) {
        fixture f;
        result whole;
        mplan_plan *plan;
        mplan_exec *exec;
        mplan_exec_options run = MPLAN_EXEC_OPTIONS_INIT;
        make(&f, 11, 8, turn > 0, true, turn == 2 ? MPLAN_COLUMNS_OWNER : MPLAN_COLUMNS_LAYERS);
        f.options.sums_order = MPLAN_SUMS_ORDER_MESH;
        f.options.n_strategies = turn == 1;
        f.options.strategies[0] = MPLAN_STRATEGY_TWO_STEP;
        run.executor = MPLAN_EXECUTOR_HOST;
        assert_done(mplan_plan_create(f.mesh, N_LOOPS, loops, &f.options, NULL, &plan, &err), &err);
        assert_done(mplan_exec_open(plan, &run, &exec, &err), &err);
        run_on(&f, exec, &whole);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
        for (int32_t n_parts = 1; n_parts < 20; n_parts += 6) {
            write_bundle(&f, n_parts);
            compare_ranks(&f, n_parts, &whole, false);
        }
        drop_result(&whole);
        /* and without that order equal bits for all ranks */
        f.options.sums_order = MPLAN_SUMS_ORDER_AUTO;
        write_bundle(&f, 16);
        compare_ranks(&f, 16, NULL, false);
        drop(&f);
    }
}

/* An ocean that is HIGH deep in one half and flat in the other: parts have equally many levels, not columns. */
static void parts_weigh_layers(void **state)
{
    (void)state;
    for (int by_metis = 0; by_metis < 2; by_metis++) {
        fixture f;
        mplan_parts *parts;
        mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
        make(&f, 30, 30, true, false, MPLAN_COLUMNS_LAYERS);
        const mplan_map nodes = mplan_mesh_map(f.mesh, mplan_mesh_find_map(f.mesh, "cells_nodes"));
        int32_t dimension;
        const double *xyz = mplan_mesh_coordinates(f.mesh, nodes.to, &dimension);
        for (int64_t e = 0; e < nodes.n_rows; e++) {
            f.ranges[0][2 * e] = 0;
            f.ranges[0][2 * e + 1] = xyz[(int64_t)nodes.values[4 * e] * dimension] < 0.5 ? HIGH : 1;
        }
        int64_t levels[4] = {0}, all = 0, most = 0;
        mplan_layers layers = {1,      1,         3,
                               f.sets, f.layered, f.args}; /* of the product, which sums to nodes */
        f.options.layers = &layers;
        how.n_parts = 4;
        how.partitioner = by_metis ? MPLAN_PARTITIONER_METIS : MPLAN_PARTITIONER_NATIVE;
        mplan_status status = mplan_parts_create(f.mesh, 1, loops, &f.options, &how, NULL, &parts,
                                                 &err);
        if (status != MPLAN_ERR_UNSUPPORTED || !by_metis) { /* this build may be without */
            assert_done(status, &err);
            int32_t s = 0;
            while (!mplan_parts_get_set(parts, s).cut)
                s++;
            const mplan_parts_set set = mplan_parts_get_set(parts, s);
            for (int64_t m = 0; m < set.total; m++) {
                int32_t high = 1;
                for (int64_t i = 0; i < 4 * nodes.n_rows; i++)
                    if (nodes.values[i] == m && f.ranges[0][2 * (i / 4) + 1] > high)
                        high = f.ranges[0][2 * (i / 4) + 1];
                levels[set.owner[m]] += high;
                all += high;
            }
            for (int q = 0; q < 4; q++)
                most = levels[q] > most ? levels[q] : most;
            assert_true((double)most < 1.06 * (double)all / 4);
            mplan_parts_free(parts);
        }
        drop(&f);
    }
}

/* --- what is refused ----------------------------------------------------------------------------- */

/* Reads parts of a bundle and changes one of them. */
typedef struct changed_source {
    mplan_parts_source from;
    int32_t part;
    void (*change)(mplan_plan *plan);
} changed_source;

static mplan_status read_changed(void *user, int32_t part, const mplan_context *context,
                                 mplan_plan **plan, mplan_error *error)
{
    const changed_source *source = user;
    mplan_status status = source->from.read(source->from.user, part, context, plan, error);
    if (!status && part == source->part)
        source->change(*plan);
    return status;
}

/* Ranges of the cells, in stored order. */
static int32_t *ranges_of(mplan_plan *plan, int64_t *owned, int64_t *size)
{
    const int32_t s = mplan_plan_find_set(plan, "cells");
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_LAYER_RANGES, s);
    *owned = plan->sets[s].part.owned;
    *size = plan->sets[s].size;
    return (int32_t *)(uintptr_t)mplan_plan_find_array(plan, &key)->data;
}

/* One layer more or less, where that is in the bounds and does not change the lowest column. */
static void change_range(int32_t *ranges, int64_t begin, int64_t end)
{
    for (int64_t m = begin; m < end; m++)
        if (ranges[2 * m + 1] > ranges[2 * m] && ranges[2 * m + 1] < HIGH) {
            ranges[2 * m + 1]++;
            return;
        }
    fail_msg("no column can be changed");
}
static void of_halo(mplan_plan *plan)
{
    int64_t owned, size;
    int32_t *ranges = ranges_of(plan, &owned, &size);
    change_range(ranges, owned, size);
}
static void of_inner(mplan_plan *plan)
{
    int64_t owned, size;
    int32_t *ranges = ranges_of(plan, &owned, &size);
    change_range(ranges, 0, plan->sets[mplan_plan_find_set(plan, "cells")].part.inner);
}
/* A layer of a face, which its column has, is left out. */
static void change_mask(mplan_plan *plan, bool halo)
{
    const int32_t s = mplan_plan_find_set(plan, "faces");
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_LAYER_MASK, s);
    int32_t *mask = (int32_t *)(uintptr_t)mplan_plan_find_array(plan, &key)->data;
    const mplan_part_set *part = &plan->sets[s].part;
    for (int64_t m = halo ? part->owned : 0; m < (halo ? plan->sets[s].size : part->inner); m++)
        if (mask[m]) {
            mask[m] &= mask[m] - 1;
            return;
        }
    fail_msg("no mask can be changed");
}
static void of_mask(mplan_plan *plan)
{
    change_mask(plan, true);
}
static void of_inner_mask(mplan_plan *plan)
{
    change_mask(plan, false);
}
static void of_most(mplan_plan *plan)
{
    plan->sets[mplan_plan_find_set(plan, "cells")].layers++;
}
static void of_least(mplan_plan *plan)
{
    plan->sets[mplan_plan_find_set(plan, "cells")].layers_least++;
}
static void of_digit(mplan_plan *plan)
{
    char *text = (char *)(uintptr_t)strstr(plan->request, " ranges ") + 8;
    *text = *text == '0' ? '1' : '0';
}
static void of_letter(mplan_plan *plan)
{
    char *text = (char *)(uintptr_t)strstr(plan->request, " ranges ") + 8;
    *text = 'G';
}

static void changed_columns_are_refused(void **state)
{
    (void)state;
    static const struct {
        void (*change)(mplan_plan *plan);
        const char *why;
    } changes[] = {{of_halo, "but a part before it has"},
                   {of_inner, "is not that of the request"},
                   {of_mask, "has another mask than in a part before it"},
                   {of_inner_mask, "is not that of the request"},
                   {of_most, "leads out of its map or levels"},
                   {of_least, "its lowest column has"},
                   {of_digit, "in the manifest"},
                   {of_letter, "of the request is"}};
    fixture f;
    mplan_bundle *bundle;
    make(&f, 12, 12, true, false, MPLAN_COLUMNS_LAYERS);
    write_bundle(&f, 3);
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        changed_source changed = {mplan_bundle_source(bundle), 2, changes[i].change};
        mplan_parts_source source = changed.from;
        source.user = &changed;
        source.read = read_changed;
        assert_refused(mplan_parts_verify(&source, f.mesh, -1, NULL, &err), MPLAN_ERR_DISPROVED,
                       &err, changes[i].why);
    }
    mplan_bundle_free(bundle);
    drop(&f);
}

/* Rows of a matrix that is stored by owner lie in the halo, too, so those of one rank do not suffice. */
static void owner_matrices_need_all_rows(void **state)
{
    (void)state;
    fixture f;
    mplan_bundle *bundle;
    mplan_exec *exec;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    make(&f, 4, 4, false, false, MPLAN_COLUMNS_OWNER);
    write_bundle(&f, 2);
    options.executor = MPLAN_EXECUTOR_HOST;
    assert_done(mplan_bundle_open(bundle_path, NULL, &bundle, &err), &err);
    options.device_memory = 1 << 30;
    assert_refused(mplan_exec_open_part(bundle, NULL, &options, NULL, &exec, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "cannot be limited for a bundle");
    options.device_memory = 0;
    assert_done(mplan_exec_open_part(bundle, NULL, &options, NULL, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    const dat *m = &f.dats[dat_of("m")], *x = &f.dats[dat_of("x")];
    assert_refused(mplan_exec_upload_own(exec, "m", m->start, m->rows, 64, MPLAN_TYPE_F64, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "stored by owner");
    assert_done(mplan_exec_upload_own(exec, "x", x->start, x->rows, 1, MPLAN_TYPE_F64, &err), &err);
    assert_refused(mplan_exec_upload(exec, "x", x->start, x->rows / x->levels, 1, MPLAN_TYPE_F64,
                                     &err),
                   MPLAN_ERR_ARGUMENT, &err, "its levels for each member");
    mplan_exec_close(exec);
    mplan_bundle_free(bundle);
    drop(&f);
}

/* The k-th allocation fails: while the mesh is cut and its bundle written, or while the bundle is proved. */
static mplan_status cut_and_write(fixture *f)
{
    mplan_parts *parts;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    how.n_parts = 2;
    mplan_status status = mplan_parts_create(f->mesh, N_LOOPS, loops, &f->options, &how, &context,
                                             &parts, &err);
    if (status)
        return status;
    status = mplan_parts_write(parts, bundle_path, NULL, &context, NULL, &err);
    mplan_parts_free(parts);
    return status;
}

static mplan_status open_and_prove(fixture *f)
{
    mplan_bundle *bundle;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    mplan_status status = mplan_bundle_open(bundle_path, NULL, &bundle, &err);
    if (status)
        return status;
    const mplan_parts_source source = mplan_bundle_source(bundle);
    status = mplan_parts_verify(&source, f->mesh, -1, &context, &err);
    mplan_bundle_free(bundle);
    return status;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    static mplan_status (*const calls[])(fixture * f) = {cut_and_write, open_and_prove};
    fixture f;
    make(&f, 2, 2, true, false, MPLAN_COLUMNS_LAYERS);
    write_bundle(&f, 2); /* what is derived in the mesh is there */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int64_t k = 0;; k += support_every(13)) {
            const int64_t live = support_memory.live;
            support_memory.left = k;
            support_memory.fired = false;
            support_memory.armed = true;
            const mplan_status status = calls[i](&f);
            support_memory.armed = false;
            assert_int_equal(status, support_memory.fired ? MPLAN_ERR_MEMORY : MPLAN_OK);
            assert_int_equal(support_memory.live, live);
            if (!support_memory.fired)
                break;
        }
    drop(&f);
}

static int make_path(void **state)
{
    (void)state;
    snprintf(bundle_path, sizeof bundle_path, "test_parts_layers.%ld.mplans", (long)getpid());
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    unlink(bundle_path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_those_of_the_mesh),
        cmocka_unit_test(empty_parts_do_nothing),
        cmocka_unit_test(bits_are_those_of_plans_without_parts),
        cmocka_unit_test(parts_weigh_layers),
        cmocka_unit_test(changed_columns_are_refused),
        cmocka_unit_test(owner_matrices_need_all_rows),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
