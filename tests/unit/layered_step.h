/* SPDX-License-Identifier: Apache-2.0 */
/* layered_step.h - a step of loops with layers and without, on quads: kernels, mesh, plan and data
 *
 * Everything that a visit treats in its own way: functions of layers and of whole columns, a matrix by component and by owner, sums by
 * rows on cells and nodes, levels that no layer writes, a dat that is only written, flat dats and loops. In the common subset of C
 * and CUDA C++, for tests and for tools/gpu/visit_layers.cu. With a path the plan is a bundle of parts. */
#ifndef MPLAN_LAYERED_STEP_H
#define MPLAN_LAYERED_STEP_H

#include <stdlib.h>
#include <string.h>

#include "exec/meshplan_kernel.h"
#include "exec/meshplan_layers.h"
#include "exec/meshplan_ranks.h"

enum { HIGH = 5 };

/* Sums of a column on its interfaces, beside the nodes' columns; the top one only where the column ends. */
#define PILE_ARGS(ARG)                      \
    ARG(WHOLE, q, q, 2, f64, READ)          \
    ARG(WHOLE, s, s, 1, f64, RW)            \
    ARG(NEAR, x, x, cells_nodes, 4, 1, f64) \
    ARG(OWN, h, h, 1, f64)
MPLAN_COLUMN_VIEWS(pile, PILE_ARGS)
MPLAN_FN void pile(pile_views *v, const mplan_no_parameters *p)
{
    double sum = v->h[0];
    (void)p;
    for (int j = v->bottom; j < v->top; j++) {
        sum = 0.5 * sum + 0.25 * MPLAN_LEVEL(v->q, j, 0) + 0.125 * MPLAN_LEVEL(v->x[j % 4], j + 1, 0);
        MPLAN_LEVEL(v->s, j + 1, 0) = 0.5 * MPLAN_LEVEL(v->s, j + 1, 0) + sum;
    }
}
MPLAN_COLUMN_KERNEL(pile, PILE_ARGS, mplan_no_parameters)

/* Between neighbouring columns. */
#define FLOW_ARGS(ARG)                              \
    ARG(LEVELS, q, q, faces_cells, 2, 2, f64, READ) \
    ARG(LEVELS, s, s, faces_cells, 4, 1, f64, READ) \
    ARG(LEVELS, r, r, faces_cells, 2, 2, f64, INC)  \
    ARG(FLAT, xy, xy, faces_nodes, 2, 2, f64)
MPLAN_LAYER_VIEWS(flow, FLOW_ARGS)
MPLAN_FN void flow(flow_views *v, const mplan_no_parameters *p)
{
    const double wide = v->xy[1][0] - v->xy[0][0] + v->xy[1][1];
    (void)p;
    for (int c = 0; c < 2; c++) {
        const double f = (v->q[1][c] - v->q[0][c]) * (0.5 + 0.01 * wide) +
                         0.125 * (v->s[c][0] - v->s[2 + c][0]);
        v->r[0][c] = f;
        v->r[1][c] = -f;
    }
}
MPLAN_LAYER_KERNEL(flow, FLOW_ARGS, mplan_no_parameters)

/* Dofs on vertices: four below, four above. */
#define DOFS_ARGS(ARG)                              \
    ARG(MATRIX, m, m, 8, 8, f64)                    \
    ARG(LEVELS, x, x, cells_nodes, 8, 1, f64, READ) \
    ARG(LEVELS, y, y, cells_nodes, 8, 1, f64, INC)
MPLAN_LAYER_VIEWS(dofs, DOFS_ARGS)
MPLAN_FN void dofs(dofs_views *v, const mplan_no_parameters *p)
{
    (void)p;
    MPLAN_UNROLL
    for (int row = 0; row < 8; row++)
        MPLAN_UNROLL
    for (int col = 0; col < 8; col++)
        v->y[row][0] += 0.03 * v->m[col * 8 + row] * v->x[col][0];
}
MPLAN_LAYER_KERNEL(dofs, DOFS_ARGS, mplan_no_parameters)

#define TAKE_ARGS(ARG)                  \
    ARG(COLUMN, r, r, 1, 2, f64, READ)  \
    ARG(COLUMN, q, q, 1, 2, f64, RW)    \
    ARG(COLUMN, t, t, 1, 1, f64, WRITE) \
    ARG(LEVELS, y, y, cells_nodes, 4, 1, f64, READ)
MPLAN_LAYER_VIEWS(take, TAKE_ARGS)
MPLAN_FN void take(take_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->t[0][0] = v->q[0][0] + v->y[0][0] * v->y[2][0];
    v->q[0][0] = 0.75 * v->q[0][0] + 0.125 * v->r[0][0] + 0.01 * v->y[1][0];
    v->q[0][1] = 0.5 * v->q[0][1] + 0.125 * v->r[0][1] + 0.02 * v->y[3][0];
}
MPLAN_LAYER_KERNEL(take, TAKE_ARGS, mplan_no_parameters)

#define PULL_ARGS(ARG)                 \
    ARG(COLUMN, y, y, 1, 1, f64, READ) \
    ARG(COLUMN, x, x, 1, 1, f64, RW)
MPLAN_LAYER_VIEWS(pull, PULL_ARGS)
MPLAN_FN void pull(pull_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->x[0][0] = 0.5 * v->x[0][0] + 0.5 * v->y[0][0];
}
MPLAN_LAYER_KERNEL(pull, PULL_ARGS, mplan_no_parameters)

/* Without layers. */
#define TILT_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(h, faces_cells, 2, 1, f64, READ) \
    MAPPED(g, faces_cells, 2, 1, f64, INC)
MPLAN_VIEWS(tilt, TILT_ARGS)
MPLAN_FN void tilt(tilt_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->g[0][0] = v->h[1][0] - v->h[0][0];
    v->g[1][0] = v->h[0][0] - v->h[1][0];
}
MPLAN_KERNEL(tilt, TILT_ARGS, mplan_no_parameters)

#define RISE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(g, 1, f64, READ)                 \
    DIRECT(h, 1, f64, RW)
MPLAN_VIEWS(rise, RISE_ARGS)
MPLAN_FN void rise(rise_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->h[0] = v->h[0] + 0.125 * v->g[0];
}
MPLAN_KERNEL(rise, RISE_ARGS, mplan_no_parameters)

/* --- mesh and plan ------------------------------------------------------------------------------- */

/* wide x deep quads; ranges: bottom 0 to 2 of each cell, top 1 to HIGH; a mask of faces. */
typedef struct layered_step {
    int wide, deep;
    bool ranged, masked;
    mplan_columns columns;
    bool by_owner;
    int32_t layouts;  /* of the options */
    int32_t strategy; /* of all loops, and 1; 0: the planner's */
    int64_t device_memory;
    int32_t steps, segments;
    bool adopts;      /* xy becomes memory of the caller's when all loops are bound */
    const char *path; /* of a bundle; NULL: `plan` is of the whole mesh */
    int32_t parts, rings, ranks;
    mplan_sums_order order;
    const mplan_transport *transport; /* to other ranks; NULL: all are here */
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_error err;
} layered_step;

/* Of 7 layers at most. how: a bit each of ranges, masks, points fastest, a matrix by owner, soa. */
static inline layered_step layered_by(int wide, int how)
{
    return (layered_step){.wide = wide,
                          .deep = 7,
                          .ranged = how & 1,
                          .masked = how & 2,
                          .columns = how & 4 ? MPLAN_COLUMNS_POINTS : MPLAN_COLUMNS_LAYERS,
                          .by_owner = how & 8,
                          .layouts = how & 16 ? 1 + MPLAN_LAYOUT_SOA : 0};
}

static inline uint32_t layered_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* Slot s of an arg: point of the row, and offset; of NULL: of the element. */
static inline mplan_layered_arg layered_arg(const layered_step *step, int loop, int arg, int levels,
                                            int n, const int *of_and_offset)
{
    mplan_layered_arg made;
    memset(&made, 0, sizeof made);
    made.loop = loop;
    made.arg = arg;
    made.layers.levels = levels;
    made.layers.stride = 1;
    made.layers.columns = step->columns;
    made.layers.n_slots = n;
    for (int s = 0; s < n; s++) {
        made.layers.slots[s].of = (int32_t)(of_and_offset ? of_and_offset[2 * s] : MPLAN_EVERY_SLOT);
        made.layers.slots[s].offset = of_and_offset ? of_and_offset[2 * s + 1] : 0;
    }
    return made;
}

static inline int64_t layered_members(const layered_step *step, const char *set)
{
    return mplan_mesh_set(step->mesh, mplan_mesh_find_set(step->mesh, set)).size;
}

/* Quads in any order, with their inner faces. */
static inline mplan_status layered_mesh(layered_step *step)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    wanted.shape = MPLAN_SHAPE_QUAD;
    wanted.size[0] = step->wide;
    wanted.size[1] = step->deep;
    wanted.shuffle = true;
    wanted.seed = 5;
    mplan_status status = mplan_mesh_generate(&wanted, NULL, &step->mesh, &step->err);
    if (!status)
        status = mplan_mesh_derive(step->mesh, "faces_cells", NULL, &step->err);
    return !status ? mplan_mesh_derive(step->mesh, "faces_nodes", NULL, &step->err) : status;
}

/* The plan, or the bundle. */
static inline mplan_status layered_make(layered_step *step, int32_t n_loops,
                                        const mplan_loop *loops, const mplan_plan_options *options)
{
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    if (!step->path)
        return mplan_plan_create(step->mesh, n_loops, loops, options, NULL, &step->plan, &step->err);
    how.n_parts = step->parts;
    mplan_status status = mplan_parts_create(step->mesh, n_loops, loops, options, &how, NULL,
                                             &parts, &step->err);
    if (!status)
        status = mplan_parts_write(parts, step->path, NULL, NULL, NULL, &step->err);
    mplan_parts_free(parts);
    return status;
}

/* The plan of the step, with device_memory or without. Entries: pile, flow (r cleared), dofs (y cleared), take, pull, tilt (g
 * cleared), rise. */
static inline mplan_status layered_plan(layered_step *step)
{
    static const int two[] = {0, 0, 1, 0}, four[] = {0, 0, 1, 0, 2, 0, 3, 0},
                     both[] = {0, 0, 1, 0, 0, 1, 1, 1},
                     eight[] = {0, 0, 1, 0, 2, 0, 3, 0, 0, 1, 1, 1, 2, 1, 3, 1};
    static const char *const ec = "faces_cells", *const en = "faces_nodes", *const cn = "cells_nodes";
    const mplan_type f64 = MPLAN_TYPE_F64;
    const mplan_none none = MPLAN_NONE_REFUSE;
    const mplan_arg pile_[] = {{"q", NULL, MPLAN_READ, 2, f64, none},
                               {"s", NULL, MPLAN_RW, 1, f64, none},
                               {"x", cn, MPLAN_READ, 1, f64, none},
                               {"h", NULL, MPLAN_READ, 1, f64, none}};
    const mplan_arg flow_[] = {{"q", ec, MPLAN_READ, 2, f64, none},
                               {"s", ec, MPLAN_READ, 1, f64, none},
                               {"r", ec, MPLAN_INC, 2, f64, none},
                               {"xy", en, MPLAN_READ, 2, f64, none}};
    const mplan_arg dofs_[] = {{"m", NULL, MPLAN_READ, 64, f64, none},
                               {"x", cn, MPLAN_READ, 1, f64, none},
                               {"y", cn, MPLAN_INC, 1, f64, none}};
    const mplan_arg take_[] = {{"r", NULL, MPLAN_READ, 2, f64, none},
                               {"q", NULL, MPLAN_RW, 2, f64, none},
                               {"t", NULL, MPLAN_WRITE, 1, f64, none},
                               {"y", cn, MPLAN_READ, 1, f64, none}};
    const mplan_arg pull_[] = {{"y", NULL, MPLAN_READ, 1, f64, none},
                               {"x", NULL, MPLAN_RW, 1, f64, none}};
    const mplan_arg tilt_[] = {{"h", ec, MPLAN_READ, 1, f64, none},
                               {"g", ec, MPLAN_INC, 1, f64, none}};
    const mplan_arg rise_[] = {{"g", NULL, MPLAN_READ, 1, f64, none},
                               {"h", NULL, MPLAN_RW, 1, f64, none}};
    const mplan_loop loops[] = {
        {"pile", "cells", false, 1, 0, 4, pile_}, {"flow", "faces", true, 1, 0, 4, flow_},
        {"dofs", "cells", false, 1, 0, 3, dofs_}, {"take", "cells", false, 1, 0, 4, take_},
        {"pull", "nodes", false, 1, 0, 2, pull_}, {"tilt", "faces", false, 1, 0, 2, tilt_},
        {"rise", "cells", false, 1, 0, 2, rise_}};
    static const int32_t order[] = {0, 1, 2, 3, 4, 5, 6}, clears[] = {-1, 2, 2, -1, -1, 1, -1};
    mplan_layered_arg args[15] = {
        layered_arg(step, 0, 0, HIGH, 1, NULL),      layered_arg(step, 0, 1, HIGH + 1, 1, NULL),
        layered_arg(step, 0, 2, HIGH + 1, 4, four),  layered_arg(step, 1, 0, HIGH, 2, two),
        layered_arg(step, 1, 1, HIGH + 1, 4, both),  layered_arg(step, 1, 2, HIGH, 2, two),
        layered_arg(step, 2, 0, HIGH, 1, NULL),      layered_arg(step, 2, 1, HIGH + 1, 8, eight),
        layered_arg(step, 2, 2, HIGH + 1, 8, eight), layered_arg(step, 3, 0, HIGH, 1, NULL),
        layered_arg(step, 3, 1, HIGH, 1, NULL),      layered_arg(step, 3, 2, HIGH, 1, NULL),
        layered_arg(step, 3, 3, HIGH + 1, 4, four),  layered_arg(step, 4, 0, HIGH + 1, 1, NULL),
        layered_arg(step, 4, 1, HIGH + 1, 1, NULL)};
    const mplan_layered_loop layered[] = {{0, MPLAN_LAYERING_COLUMNS},
                                          {1, MPLAN_LAYERING_LAYERS},
                                          {2, MPLAN_LAYERING_LAYERS},
                                          {3, MPLAN_LAYERING_LAYERS},
                                          {4, MPLAN_LAYERING_LAYERS}};
    const int64_t cells = (int64_t)step->wide * step->deep, faces = layered_members(step, "faces");
    uint32_t seed = 7;
    int32_t *ranges = (int32_t *)malloc((size_t)(2 * cells) * sizeof *ranges);
    uint32_t *mask = (uint32_t *)malloc((size_t)faces * sizeof *mask);
    for (int64_t i = 0; i < cells; i++) {
        ranges[2 * i] = (int32_t)(layered_random(&seed) % 3);
        ranges[2 * i + 1] = ranges[2 * i] + (int32_t)(layered_random(&seed) % (uint32_t)(HIGH - 1));
    }
    for (int64_t i = 0; i < faces; i++)
        mask[i] = layered_random(&seed) % 32;
    const mplan_layered_set sets[] = {{"cells", HIGH, step->ranged ? ranges : NULL, NULL},
                                      {"faces", HIGH, NULL, step->masked ? mask : NULL},
                                      {"nodes", HIGH + 1, NULL, NULL}};
    const mplan_layers layers = {3, 5, 15, sets, layered, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    args[6].layers.rows = 8;
    args[6].layers.columns = step->by_owner ? MPLAN_COLUMNS_OWNER : step->columns;
    options.layers = &layers;
    options.layouts = step->layouts;
    options.n_strategies = step->strategy > 0;
    options.strategies[0] = (mplan_strategy)(step->strategy > 0 ? step->strategy - 1 : 0);
    options.allow_nondeterministic = step->strategy > 0;
    options.n_step = 7;
    options.step = order;
    options.step_clears = clears;
    options.device_memory = step->device_memory;
    options.steps_per_visit = step->steps;
    options.segments = step->segments;
    options.rings = step->rings;
    options.sums_order = step->order;
    mplan_status status = layered_make(step, 7, loops, &options);
    free(ranges);
    free(mask);
    return status;
}

/* --- data and runs --------------------------------------------------------------------------------- */

/* All dats but those that the step writes before it reads them; t keeps what no layer writes. */
typedef struct layered_dat {
    const char *name, *set;
    int levels, dim; /* levels 0: flat */
} layered_dat;
static const layered_dat layered_dats[] = {{"q", "cells", HIGH, 2},     {"s", "cells", HIGH + 1, 1},
                                           {"t", "cells", HIGH, 1},     {"m", "cells", HIGH, 64},
                                           {"x", "nodes", HIGH + 1, 1}, {"y", "nodes", HIGH + 1, 1},
                                           {"r", "cells", HIGH, 2},     {"h", "cells", 0, 1},
                                           {"g", "cells", 0, 1},        {"xy", "nodes", 0, 2}};
enum { LAYERED_DATS = sizeof layered_dats / sizeof *layered_dats };

static inline int64_t layered_rows(const layered_step *step, const layered_dat *dat)
{
    return layered_members(step, dat->set) * (dat->levels > 0 ? dat->levels : 1);
}

/* A copy of xy takes its place; to be freed. The executor's own is gone then. */
static inline mplan_status layered_adopt(mplan_exec *exec, void **own, mplan_error *err)
{
    mplan_dat_view view;
    mplan_status status = mplan_exec_data(exec, "xy", MPLAN_READ, &view, err);
    if (status)
        return status;
    const size_t bytes = (size_t)(view.storage_rows * view.dim) * sizeof(double);
    *own = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memcpy(*own, view.data, bytes);
    return mplan_exec_adopt(exec, "xy", "nodes", view.dim, view.type, view.layout, *own,
                            (int64_t)bytes, err);
}

/* Halos that are out of date hold NaN. */
static inline mplan_status layered_open(layered_step *step, const mplan_exec_options *options,
                                        mplan_exec **exec)
{
    mplan_bundle *bundle = NULL;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    if (!step->path)
        return mplan_exec_open(step->plan, options, exec, &step->err);
    how.ranks = step->transport ? 0 : step->ranks;
    how.poison = true;
    mplan_status status = mplan_bundle_open(step->path, NULL, &bundle, &step->err);
    if (!status)
        status = mplan_exec_open_part(bundle, step->transport, options, &how, exec, &step->err);
    mplan_bundle_free(bundle);
    return status;
}

/* Steps from random numbers: all dats behind them, one behind the other, into *all (to be freed), *n numbers. Two calls, each of which ends
 * with visits of its own. */
static inline mplan_status layered_run(layered_step *step, const mplan_exec_options *options,
                                       const mplan_layer_kernel *const *layered,
                                       const mplan_kernel *const *flat, int64_t n_steps,
                                       double **all, int64_t *n, int64_t *bytes)
{
    static const char *const names[] = {"pile", "flow", "dofs", "take", "pull", "tilt", "rise"};
    static const char *const clears[] = {NULL, "r", "y", NULL, NULL, "g", NULL};
    mplan_exec *exec = NULL;
    mplan_exec_entry entries[7];
    mplan_error *err = &step->err;
    uint32_t seed = 3;
    int64_t at = 0;
    *n = 0;
    for (int d = 0; d < LAYERED_DATS; d++)
        *n += layered_rows(step, &layered_dats[d]) * layered_dats[d].dim;
    *all = (double *)malloc((size_t)*n * sizeof **all);
    for (int64_t i = 0; i < *n; i++)
        (*all)[i] = 0.5 + (double)layered_random(&seed) / (1 << 24);
    mplan_status status = layered_open(step, options, &exec);
    if (!status)
        status = mplan_exec_declare_all(exec, err);
    for (int d = 0; d < LAYERED_DATS && !status; d++) {
        const layered_dat *dat = &layered_dats[d];
        status = mplan_exec_upload(exec, dat->name, *all + at, layered_rows(step, dat), dat->dim,
                                   MPLAN_TYPE_F64, err);
        at += layered_rows(step, dat) * dat->dim;
    }
    memset(entries, 0, sizeof entries);
    for (int i = 0; i < 7 && !status; i++) {
        status = i < 5
                     ? mplan_exec_bind_layers(exec, names[i], -1, layered[i], &entries[i].bound, err)
                     : mplan_exec_bind(exec, names[i], -1, flat[i - 5], &entries[i].bound, err);
        entries[i].clear = clears[i];
    }
    void *own = NULL;
    if (!status && step->adopts)
        status = layered_adopt(exec, &own, err);
    if (!status)
        status = mplan_exec_steps(exec, entries, 7, n_steps / 2, err);
    if (!status)
        status = mplan_exec_steps(exec, entries, 7, n_steps - n_steps / 2, err);
    at = 0;
    for (int d = 0; d < LAYERED_DATS && !status; d++) {
        const layered_dat *dat = &layered_dats[d];
        status = mplan_exec_download(exec, dat->name, *all + at, layered_rows(step, dat), dat->dim,
                                     MPLAN_TYPE_F64, err);
        at += layered_rows(step, dat) * dat->dim;
    }
    *bytes = exec ? mplan_exec_bytes(exec) : 0;
    mplan_exec_close(exec);
    free(own);
    return status;
}

#endif
