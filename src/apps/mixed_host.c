/* SPDX-License-Identifier: Apache-2.0 */
/* mixed_host.c - diffusion on cells of mixed shapes: the application, its start, what must stay
 *
 * By hand: a triangle 0 1 2 of content 6 and size 3, and a quad 1 3 4 2 of content 8 and size 12. The triangle gives 2 and 1
 * to each of its nodes, the quad 2 and 3: nodes 1 and 2 get 4 and 4. */
#include "apps/mixed_kernels.h"

#include <math.h>
#include <stdlib.h>

#include "apps/harness_step.h"
#include "base/error.h"
#include "base/memory.h"

MPLAN_KERNEL_DECLARE(mplan_mixed_clear)
MPLAN_KERNEL_DECLARE(mplan_mixed_spread)
MPLAN_KERNEL_DECLARE(mplan_mixed_settle)
MPLAN_KERNEL_DECLARE(mplan_mixed_collect)

enum { CLEAR, SPREAD, SETTLE, COLLECT };
static const mplan_app_loop loops[] = {
    {"clear", "nodes", &mplan_mixed_clear_host, MPLAN_APP_DEVICE(mplan_mixed_clear), 0, 1, false},
    {"spread", "cells", &mplan_mixed_spread_host, MPLAN_APP_DEVICE(mplan_mixed_spread), 8, 1, true},
    {"settle", "nodes", &mplan_mixed_settle_host, MPLAN_APP_DEVICE(mplan_mixed_settle), 1, 1, false},
    {"collect", "cells", &mplan_mixed_collect_host, MPLAN_APP_DEVICE(mplan_mixed_collect), 12, 1,
     false},
};
static const double rounding = 1e-12;

/* The mesh is one that the application accepts, so that rows of cells_nodes are ragged. */
static mplan_status prepare(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    (void)context;
    const mplan_map nodes = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    for (int64_t c = 0; c < nodes.n_rows; c++)
        if (nodes.offsets[c + 1] - nodes.offsets[c] > MPLAN_MIXED_MOST)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "mixed: cell %lld has %lld nodes, at most %d can be", (long long)c,
                              (long long)(nodes.offsets[c + 1] - nodes.offsets[c]), MPLAN_MIXED_MOST);
    return MPLAN_OK;
}

/* --- geometry and start --------------------------------------------------------------------- */

/* The middle of a cell's nodes. */
static void middle_of(const int32_t *row, int32_t n, const double *x, int32_t dimension,
                      double *middle)
{
    for (int32_t d = 0; d < dimension; d++) {
        middle[d] = 0;
        for (int32_t s = 0; s < n; s++)
            middle[d] += x[(int64_t)row[s] * dimension + d] / n;
    }
}

/* A size for cells of any shape: the mean distance of the nodes from their middle, to the power of the dimension. */
static mplan_status geometry(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_map nodes = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, "cells_nodes"));
    double *size = mplan_app_rows(run, "size");
    int32_t dimension, n;
    const double *x = mplan_mesh_coordinates(run->mesh, nodes.to, &dimension);
    if (!x)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "mixed: the mesh has no coordinates");
    for (int64_t c = 0; c < nodes.n_rows; c++) {
        const int32_t *row = mplan_map_row(&nodes, c, &n);
        double middle[3] = {0}, mean = 0;
        middle_of(row, n, x, dimension, middle);
        for (int32_t s = 0; s < n; s++) {
            double square = 0;
            for (int32_t d = 0; d < dimension; d++) {
                const double away = x[(int64_t)row[s] * dimension + d] - middle[d];
                square += away * away;
            }
            mean += sqrt(square) / n;
        }
        size[c] = mean * mean * (dimension == 3 ? mean : 1);
        if (!(size[c] > 0))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "mixed: all nodes of cell %lld are at one place", (long long)c);
    }
    return MPLAN_OK;
}

/* Kind 0: levels from 1 to 3, high where the first coordinate is. Kind 1: the level 2.5 everywhere. */
static void start(mplan_app_stepper *run)
{
    const mplan_map nodes = mplan_mesh_map(run->mesh, mplan_mesh_find_map(run->mesh, "cells_nodes"));
    const double *size = mplan_app_rows(run, "size");
    double *content = mplan_app_rows(run, "content");
    int32_t dimension, n;
    const double *x = mplan_mesh_coordinates(run->mesh, nodes.to, &dimension);
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < nodes.n_points; i++) {
        low = fmin(low, x[i * dimension]);
        high = fmax(high, x[i * dimension]);
    }
    for (int64_t c = 0; c < nodes.n_rows; c++) {
        const int32_t *row = mplan_map_row(&nodes, c, &n);
        double middle[3] = {0};
        middle_of(row, n, x, dimension, middle);
        content[c] = size[c] * (run->kind ? 2.5 : 1 + 2 * (middle[0] - low) / (high - low));
    }
    *mplan_app_rows(run, "change") = 0;
}

/* --- a step, and what must hold ------------------------------------------------------------------ */

static mplan_status step(mplan_app_stepper *run, mplan_error *err)
{
    const mplan_mixed_parameters parameters = {0.75};
    const double none = 0;
    mplan_status status = mplan_app_put(run, "change", &none, err);
    for (int32_t l = CLEAR; l <= COLLECT && !status; l++)
        status = mplan_app_play(run, l, &parameters, err);
    return status;
}

/* Least and greatest level of the cells. */
static void range_of(const double *content, const double *size, int64_t n, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int64_t c = 0; c < n; c++) {
        range[0] = fmin(range[0], content[c] / size[c]);
        range[1] = fmax(range[1], content[c] / size[c]);
    }
}

/* Five steps: the content of all cells changes by rounding only, and no cell leaves the range of the levels. */
static mplan_status prove_conservation(mplan_app_stepper *run, mplan_error *err)
{
    const double *size = mplan_app_rows(run, "size"), *first = mplan_app_rows(run, "content");
    const int64_t n = mplan_app_members(run, "content");
    void *rows = NULL;
    double before[2], after[2];
    mplan_status status = mplan_app_steps_from(run, 0, 5, err);
    if (!status)
        status = mplan_app_fetch(run, "content", &rows, err);
    if (status)
        return status;
    const double was = mplan_app_whole(first, n), is = mplan_app_whole(rows, n);
    range_of(first, size, n, before);
    range_of(rows, size, n, after);
    free(rows);
    if (!(fabs(is - was) <= rounding * was))
        return mplan_fail(err, MPLAN_ERR_DISPROVED,
                          "mixed: the content changes from %.17g to %.17g", was, is);
    if (!(after[0] >= before[0] - rounding && after[1] <= before[1] + rounding))
        return mplan_fail(err, MPLAN_ERR_DISPROVED,
                          "mixed: levels leave the range from %.17g to %.17g", before[0], before[1]);
    return MPLAN_OK;
}

/* A level that is everywhere the same stays, and so says the largest change. */
static mplan_status prove_rest(mplan_app_stepper *run, mplan_error *err)
{
    const double *size = mplan_app_rows(run, "size");
    void *rows = NULL, *change = NULL;
    double range[2] = {0, 0};
    mplan_status status = mplan_app_steps_from(run, 1, 3, err);
    if (!status)
        status = mplan_app_fetch(run, "content", &rows, err);
    if (!status)
        status = mplan_app_fetch(run, "change", &change, err);
    if (!status)
        range_of(rows, size, mplan_app_members(run, "content"), range);
    const double moved = change ? *(double *)change : 0;
    if (!status && mplan_app_members(run, "content") > 0 &&
        !(range[1] - 2.5 <= 5 * rounding && 2.5 - range[0] <= 5 * rounding && moved <= 5 * rounding))
        status = mplan_fail(err, MPLAN_ERR_DISPROVED,
                            "mixed: a level that is the same everywhere changes to %.17g", range[1]);
    free(rows);
    free(change);
    return status;
}

static mplan_status prove(mplan_app_stepper *run, mplan_error *err)
{
    mplan_status status = prove_conservation(run, err);
    return status ? status : prove_rest(run, err);
}

static const mplan_app_steps steps = {geometry, start, step, prove};

static const double case_content[] = {6, 8}, case_size[] = {3, 12};
static const double case_sums[] = {2, 1, 4, 4, 4, 4, 2, 3, 2, 3};
static const int32_t case_nodes[] = {0, 1, 2, 1, 3, 4, 2};
static const int64_t case_rows[] = {0, 3, 7};
static const mplan_mixed_parameters case_parameters = {0};
static const mplan_app_hand_arg case_args[] = {
    {5, NULL, case_sums, case_nodes},
    {2, case_content, NULL, NULL},
    {2, case_size, NULL, NULL},
};
static const mplan_app_hand hand = {SPREAD, &case_parameters, 2, case_args};

const mplan_app mplan_app_mixed = {
    .name = "mixed",
    .description =
        "a step of diffusion on cells of mixed shapes (triangles and quads; tets, pyramids, prisms and hexes), f64, "
        "which add to and read a different number of nodes, and the largest change of all cells",
    .cells = MPLAN_APP_MIXED,
    .n_loops = (int32_t)(sizeof loops / sizeof *loops),
    .loops = loops,
    .hand = &hand,
    .hand_rows = case_rows,
    .tolerance = 1e-12,
    .prepare = prepare,
    .steps = &steps,
    .run = mplan_app_run_steps,
};
