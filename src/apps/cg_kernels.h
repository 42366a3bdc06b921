/* SPDX-License-Identifier: Apache-2.0 */
/* cg_kernels.h - a symmetric matrix times a vector, by faces
 *
 * Row c of the matrix: `diagonal` of the cell plus the weights of its faces on the diagonal, minus the weight of a
 * face in the column of the cell behind it. */
#ifndef MPLAN_CG_KERNELS_H
#define MPLAN_CG_KERNELS_H

#include "apps/cg.h"

#define MPLAN_CG_DIAGONAL_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(diagonal, 1, f64, READ)                       \
    DIRECT(p, 1, f64, READ)                              \
    DIRECT(ap, 1, f64, WRITE)
MPLAN_VIEWS(mplan_cg_diagonal, MPLAN_CG_DIAGONAL_ARGS)
MPLAN_FN void mplan_cg_diagonal(mplan_cg_diagonal_views *v, const mplan_no_parameters *none)
{
    (void)none;
    v->ap[0] = v->diagonal[0] * v->p[0];
}
MPLAN_KERNEL(mplan_cg_diagonal, MPLAN_CG_DIAGONAL_ARGS, mplan_no_parameters)

#define MPLAN_CG_COUPLE_ARGS(MAPPED, DIRECT, OPPOSITE) \
    MAPPED(p, faces_cells, 2, 1, f64, READ)            \
    DIRECT(weight, 1, f64, READ)                       \
    OPPOSITE(ap, faces_cells, 1, f64)
MPLAN_VIEWS(mplan_cg_couple, MPLAN_CG_COUPLE_ARGS)
MPLAN_FN void mplan_cg_couple(mplan_cg_couple_views *v, const mplan_no_parameters *none)
{
    (void)none;
    v->ap[0] = v->weight[0] * (v->p[0][0] - v->p[1][0]);
}
MPLAN_KERNEL(mplan_cg_couple, MPLAN_CG_COUPLE_ARGS, mplan_no_parameters)

#endif
