/* SPDX-License-Identifier: Apache-2.0 */
/* fescatter_kernels.h - finite elements: what tetrahedra give to their nodes
 *
 * Linear tets hand the mean of four unknowns, made larger by a source of the first, to
 * their nodes, by weights of the nodes and the volume of the cell. Hardly any
 * arithmetic: the loop is bound by its increments. */
#ifndef MPLAN_FESCATTER_KERNELS_H
#define MPLAN_FESCATTER_KERNELS_H

#include "exec/meshplan_kernel.h"

#define MPLAN_FESCATTER_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(mean, 4, f64, READ)                         \
    DIRECT(weight, 4, f64, READ)                       \
    DIRECT(volume, 1, f64, READ)                       \
    DIRECT(source, 1, f64, READ)                       \
    MAPPED(load, cells_nodes, 4, 4, f64, INC)
MPLAN_VIEWS(mplan_fescatter, MPLAN_FESCATTER_ARGS)
/* Scatter of a tet to its four nodes, as finite elements do: the source goes to the first
 * component only. */
MPLAN_FN void mplan_fescatter(mplan_fescatter_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int k = 0; k < 4; k++) {
        double share = v->weight[k] * v->volume[0];
        v->load[k][0] = share * (v->mean[0] + v->source[0]);
        for (int c = 1; c < 4; c++)
            v->load[k][c] = share * v->mean[c];
    }
}
MPLAN_KERNEL(mplan_fescatter, MPLAN_FESCATTER_ARGS, mplan_no_parameters)

#endif
