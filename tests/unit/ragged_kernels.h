/* SPDX-License-Identifier: Apache-2.0 */
/* ragged_kernels.h - kernels of rows of different lengths, for test_exec_ragged.c and tools/gpu/ragged.cu */
#ifndef MPLAN_RAGGED_KERNELS_H
#define MPLAN_RAGGED_KERNELS_H

#include "exec/meshplan_kernel.h"

#define SPREAD_ARGS(ARG)                          \
    ARG(RAGGED, x, cells_nodes, 6, 2, f64, READ)  \
    ARG(RAGGED, sum, cells_nodes, 6, 2, f64, INC) \
    ARG(RAGGED, low, cells_nodes, 6, 1, i32, MIN) \
    ARG(DIRECT, center, 2, f64, WRITE)            \
    ARG(GLOBAL, entries, 1, i64, INC)
MPLAN_VIEWS_ANY(spread, SPREAD_ARGS)
MPLAN_FN void spread(spread_views *v, const mplan_no_parameters *p)
{
    (void)p;
    v->center[0] = v->center[1] = 0;
    for (int s = 0; s < v->x_n; s++) {
        v->center[0] += v->x[s][0];
        v->center[1] += v->x[s][1] * (s + 1);
    }
    for (int s = 0; s < v->sum_n; s++) {
        v->sum[s][0] = v->center[0];
        v->sum[s][1] = v->sum_n - s;
        v->low[s][0] = (int32_t)v->center[1];
    }
    v->entries[0] = v->x_n;
}
MPLAN_KERNEL_ANY(spread, SPREAD_ARGS, mplan_no_parameters)

#define BESIDE_ARGS(ARG)                         \
    ARG(MAPPED, out, cells_pair, 2, 1, f64, INC) \
    ARG(RAGGED, x, cells_nodes, 6, 2, f64, READ) \
    ARG(MAPPED_AS, end, x, cells_pair, 2, 2, f64, READ)
MPLAN_VIEWS_ANY(beside, BESIDE_ARGS)
MPLAN_FN void beside(beside_views *v, const mplan_no_parameters *p)
{
    double all = 0;
    (void)p;
    for (int s = 0; s < v->x_n; s++)
        all += v->x[s][0];
    v->out[0][0] = all + v->end[0][1];
    v->out[1][0] = v->x_n - v->end[1][0];
}
MPLAN_KERNEL_ANY(beside, BESIDE_ARGS, mplan_no_parameters)

/* Every element updates its points and writes one that is its own. */
#define UPDATE_ARGS(ARG)                           \
    ARG(RAGGED, count, cells_nodes, 6, 1, i32, RW) \
    ARG(MAPPED, own, cells_own, 1, 2, i32, WRITE)  \
    ARG(MAPPED, twice, cells_pair, 2, 1, i64, RW)
MPLAN_VIEWS_ANY(update, UPDATE_ARGS)
MPLAN_FN void update(update_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < v->count_n; s++)
        v->count[s][0] += s + 1;
    v->own[0][0] = v->count_n;
    v->own[0][1] = -v->count_n;
    v->twice[0][0] += 1;
    v->twice[1][0] += 2;
}
MPLAN_KERNEL_ANY(update, UPDATE_ARGS, mplan_no_parameters)

#endif
