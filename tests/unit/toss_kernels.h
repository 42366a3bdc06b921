/* SPDX-License-Identifier: Apache-2.0 */
/* toss_kernels.h - a kernel that writes points once beside sums, for test_written_once.c and tools/gpu/groups.cu */
#ifndef MPLAN_TOSS_KERNELS_H
#define MPLAN_TOSS_KERNELS_H

#include "exec/meshplan_kernel.h"

/* A cell writes its corners, which no other cell has, and adds to points that it shares: all strategies. */
#define TOSS_ARGS(MAPPED, DIRECT, OPPOSITE)        \
    DIRECT(own, 1, f64, READ)                      \
    MAPPED(force, cells_corners, 4, 2, f64, WRITE) \
    MAPPED(sum, cells_points, 2, 1, f64, INC)
MPLAN_VIEWS(toss, TOSS_ARGS)
MPLAN_FN void toss(toss_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int k = 0; k < 4; k++) {
        v->force[k][0] = v->own[0] + k;
        v->force[k][1] = v->own[0] * k;
    }
    v->sum[0][0] = v->own[0];
    v->sum[1][0] = -2 * v->own[0];
}
MPLAN_KERNEL(toss, TOSS_ARGS, mplan_no_parameters)

#endif
