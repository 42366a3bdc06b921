/* SPDX-License-Identifier: Apache-2.0 */
/* euler2d.h - the parameters of euler2d's kernels, and the kernels' names */
#ifndef MPLAN_EXEC_EULER2D_H
#define MPLAN_EXEC_EULER2D_H

#include <math.h>
#include <stdbool.h>

#include "exec/meshplan_kernel.h"

/* Equal for all loops of a stage. free: density, momentum in x and y, energy, as rows of the state have them. */
typedef struct mplan_euler2d_parameters {
    double gm1;        /* ratio of the specific heats, minus 1 */
    double courant;    /* part of the time in which waves travel half the way to the nearest cell */
    double keep, take; /* of a stage: parts of the state before the step and of the new one */
    double free[4];    /* state of the free stream */
} mplan_euler2d_parameters;

MPLAN_KERNEL_DECLARE(mplan_euler2d_gradient3)
MPLAN_KERNEL_DECLARE(mplan_euler2d_gradient4)
MPLAN_KERNEL_DECLARE(mplan_euler2d_flux)
MPLAN_KERNEL_DECLARE(mplan_euler2d_wall)
MPLAN_KERNEL_DECLARE(mplan_euler2d_far)
MPLAN_KERNEL_DECLARE(mplan_euler2d_begin)
MPLAN_KERNEL_DECLARE(mplan_euler2d_update)

#endif
