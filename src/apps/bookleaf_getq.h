/* SPDX-License-Identifier: Apache-2.0 */
/* bookleaf_getq.h - the parameters of a step of BookLeaf, and its kernels' names */
#ifndef MPLAN_EXEC_BOOKLEAF_GETQ_H
#define MPLAN_EXEC_BOOKLEAF_GETQ_H

#include "exec/meshplan_kernel.h"

/* gamma: ratio of the specific heats. courant: part of the time in which sound and motion pass a cell that a step
 * may take. All loops of a step get the same numbers but for part. */
typedef struct mplan_bookleaf_flow {
    double gamma;
    double linear, quadratic; /* factors of the artificial viscosity */
    double courant;
    double part; /* of the step: a half to predict, all to correct */
} mplan_bookleaf_flow;

MPLAN_KERNEL_DECLARE(mplan_bookleaf_getdt)
MPLAN_KERNEL_DECLARE(mplan_bookleaf_keep)
MPLAN_KERNEL_DECLARE(mplan_bookleaf_slopes)
MPLAN_KERNEL_DECLARE(mplan_bookleaf_getq)
MPLAN_KERNEL_DECLARE(mplan_bookleaf_getforce)
MPLAN_KERNEL_DECLARE(mplan_bookleaf_getacc)
MPLAN_KERNEL_DECLARE(mplan_bookleaf_getein)

#endif
