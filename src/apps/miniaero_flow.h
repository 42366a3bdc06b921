/* SPDX-License-Identifier: Apache-2.0 */
/* miniaero_flow.h - the parameters of a whole step of miniAero, and its kernels' names */
#ifndef MPLAN_EXEC_MINIAERO_FLOW_H
#define MPLAN_EXEC_MINIAERO_FLOW_H

#include "apps/miniaero_flux.h"

/* gas is what compute_face_flux gets, the other loops get all of it. unused keeps the size a multiple of 8, so that
 * no padding has bytes that nobody set. */
typedef struct mplan_miniaero_flow {
    mplan_miniaero_parameters gas;
    double courant;
    double part;    /* of the step, that a stage goes from its begin */
    double free[5]; /* state of the far field */
    int32_t walls;  /* nonzero: the boundary is walls, else far field */
    int32_t unused;
} mplan_miniaero_flow;

MPLAN_KERNEL_DECLARE(mplan_miniaero)
MPLAN_KERNEL_DECLARE(mplan_miniaero_begin)
MPLAN_KERNEL_DECLARE(mplan_miniaero_clear)
MPLAN_KERNEL_DECLARE(mplan_miniaero_gradient)
MPLAN_KERNEL_DECLARE(mplan_miniaero_rim_gradient)
MPLAN_KERNEL_DECLARE(mplan_miniaero_scale)
MPLAN_KERNEL_DECLARE(mplan_miniaero_limit)
MPLAN_KERNEL_DECLARE(mplan_miniaero_rim)
MPLAN_KERNEL_DECLARE(mplan_miniaero_advance)

#endif
