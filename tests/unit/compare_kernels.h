/* SPDX-License-Identifier: Apache-2.0 */
/* compare_kernels.h - a kernel of minima, maxima and a sum through one map, for test_exec_compare.c and tools/gpu/compare.cu */
#ifndef MPLAN_COMPARE_KERNELS_H
#define MPLAN_COMPARE_KERNELS_H

#include "exec/meshplan_kernel.h"

#define BOUNDS_ARGS(ARG)                           \
    ARG(MAPPED, x, cells_nodes, 2, 1, f64, READ)   \
    ARG(DIRECT, q, 2, f64, READ)                   \
    ARG(MAPPED, low, cells_nodes, 2, 2, f64, MIN)  \
    ARG(MAPPED, high, cells_nodes, 2, 1, i32, MAX) \
    ARG(MAPPED, count, cells_nodes, 2, 1, i64, INC)
MPLAN_VIEWS_ANY(bounds, BOUNDS_ARGS)
MPLAN_FN void bounds(bounds_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int s = 0; s < 2; s++) {
        v->low[s][0] = v->q[s];
        v->low[s][1] = v->x[1 - s][0] * v->q[0];
        if (v->q[0] > 0.25) /* else what was there at entry, which changes nothing */
            v->high[s][0] = (int32_t)(100 * v->q[0]) - s;
        v->count[s][0] = 1;
    }
}
MPLAN_KERNEL_ANY(bounds, BOUNDS_ARGS, mplan_no_parameters)

#endif
