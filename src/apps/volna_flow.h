/* SPDX-License-Identifier: Apache-2.0 */
/* volna_flow.h - the parameters of a whole step of volna, and its kernels' names */
#ifndef MPLAN_EXEC_VOLNA_FLOW_H
#define MPLAN_EXEC_VOLNA_FLOW_H

#include "exec/meshplan_kernel.h"

/* g: gravity, in the units of the mesh and the step. courant: part of the longest stable step that is taken. */
typedef struct mplan_volna_flow {
    float g, courant;
} mplan_volna_flow;

MPLAN_KERNEL_DECLARE(mplan_volna_fluxes)
MPLAN_KERNEL_DECLARE(mplan_volna_numerical)
MPLAN_KERNEL_DECLARE(mplan_volna_space)
MPLAN_KERNEL_DECLARE(mplan_volna_evolve1)
MPLAN_KERNEL_DECLARE(mplan_volna_evolve2)

#endif
