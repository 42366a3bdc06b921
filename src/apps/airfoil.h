/* SPDX-License-Identifier: Apache-2.0 */
/* airfoil.h - the parameters of airfoil's kernels, and the kernels' names */
#ifndef MPLAN_EXEC_AIRFOIL_H
#define MPLAN_EXEC_AIRFOIL_H

#include "exec/meshplan_kernel.h"

/* gam: ratio of the specific heats; gm1: that minus 1; cfl: Courant number of a step; eps: factor of the
 * dissipation between two cells. qinf: density, momentum in x and y, energy. */
typedef struct mplan_airfoil_parameters {
    double gam, gm1, cfl, eps;
    double side;    /* 1: faces run as OP2's edges do, -1: as derived faces do */
    double qinf[4]; /* far field */
} mplan_airfoil_parameters;

MPLAN_KERNEL_DECLARE(mplan_save_soln)
MPLAN_KERNEL_DECLARE(mplan_adt_calc)
MPLAN_KERNEL_DECLARE(mplan_res_calc)
MPLAN_KERNEL_DECLARE(mplan_bres_calc)
MPLAN_KERNEL_DECLARE(mplan_update)
MPLAN_KERNEL_DECLARE(mplan_save_adt)
MPLAN_KERNEL_DECLARE(mplan_update_adt)

#endif
