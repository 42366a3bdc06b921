/* SPDX-License-Identifier: Apache-2.0 */
/* slopes_kernels.h - a kernel that has one dat several times, for test_exec_views.c and tools/gpu/slopes.cu */
#ifndef MPLAN_SLOPES_KERNELS_H
#define MPLAN_SLOPES_KERNELS_H

#include "exec/meshplan_kernel.h"

#define SLOPES_ARGS(MAPPED, DIRECT, OPPOSITE, MAPPED_AS, DIRECT_AS) \
    DIRECT_AS(own, q, 2, f64, READ)                                 \
    MAPPED_AS(near, q, cells_cells, 3, 2, f64, READ)                \
    MAPPED_AS(far, q, cells_others, 1, 2, f64, READ)                \
    MAPPED_AS(first, sum, cells_nodes, 2, 1, f64, INC)              \
    MAPPED_AS(second, sum, cells_nodes, 2, 1, f64, INC)             \
    DIRECT(slope, 1, f64, WRITE)
MPLAN_VIEWS_AS(slopes, SLOPES_ARGS)
MPLAN_FN void slopes(slopes_views *v, const mplan_no_parameters *p)
{
    double total = v->far[0][1];
    (void)p;
    for (int s = 0; s < 3; s++)
        total += v->near[s][0] - v->own[0];
    v->slope[0] = total;
    v->first[0][0] = total;
    v->first[1][0] = v->own[1];
    v->second[1][0] = -2 * total;
}
MPLAN_KERNEL_AS(slopes, SLOPES_ARGS, mplan_no_parameters)

#endif
