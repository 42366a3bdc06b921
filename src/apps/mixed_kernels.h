/* SPDX-License-Identifier: Apache-2.0 */
/* mixed_kernels.h - a step of diffusion on cells of mixed shapes, by way of their nodes
 *
 * Cells have different numbers of nodes: triangles beside quads, tetrahedra beside pyramids, prisms and hexahedra. So rows of
 * cells_nodes are ragged, and no kernel could name a number of slots. Each cell gives its content and its size in equal shares to
 * its nodes, a node has the level of what it got, and a cell moves towards the mean level of its nodes. Whatever the sizes are,
 * the content of all cells stays, a level that is everywhere the same stays, and no cell leaves the levels that there were. */
#ifndef MPLAN_MIXED_KERNELS_H
#define MPLAN_MIXED_KERNELS_H

#include "exec/meshplan_kernel.h"

/* Nodes of a cell at most: those of a hexahedron. */
#define MPLAN_MIXED_MOST 8

typedef struct mplan_mixed_parameters {
    double rate; /* part of the way to the mean level that a step goes, 0 to 1 */
} mplan_mixed_parameters;

#define MPLAN_MIXED_CLEAR_ARGS(ARG) ARG(DIRECT, sum, 2, f64, WRITE)
MPLAN_VIEWS_ANY(mplan_mixed_clear, MPLAN_MIXED_CLEAR_ARGS)
MPLAN_FN void mplan_mixed_clear(mplan_mixed_clear_views *v, const mplan_mixed_parameters *p)
{
    (void)p;
    v->sum[0] = v->sum[1] = 0;
}
MPLAN_KERNEL_ANY(mplan_mixed_clear, MPLAN_MIXED_CLEAR_ARGS, mplan_mixed_parameters)

/* sum: content and size that come to a node. */
#define MPLAN_MIXED_SPREAD_ARGS(ARG)                             \
    ARG(RAGGED, sum, cells_nodes, MPLAN_MIXED_MOST, 2, f64, INC) \
    ARG(DIRECT, content, 1, f64, READ)                           \
    ARG(DIRECT, size, 1, f64, READ)
MPLAN_VIEWS_ANY(mplan_mixed_spread, MPLAN_MIXED_SPREAD_ARGS)
MPLAN_FN void mplan_mixed_spread(mplan_mixed_spread_views *v, const mplan_mixed_parameters *p)
{
    (void)p;
    for (int s = 0; s < v->sum_n; s++) {
        v->sum[s][0] = v->content[0] / v->sum_n;
        v->sum[s][1] = v->size[0] / v->sum_n;
    }
}
MPLAN_KERNEL_ANY(mplan_mixed_spread, MPLAN_MIXED_SPREAD_ARGS, mplan_mixed_parameters)

/* A node without cells has the level 0, which nobody reads. */
#define MPLAN_MIXED_SETTLE_ARGS(ARG) \
    ARG(DIRECT, sum, 2, f64, READ)   \
    ARG(DIRECT, level, 1, f64, WRITE)
MPLAN_VIEWS_ANY(mplan_mixed_settle, MPLAN_MIXED_SETTLE_ARGS)
MPLAN_FN void mplan_mixed_settle(mplan_mixed_settle_views *v, const mplan_mixed_parameters *p)
{
    (void)p;
    v->level[0] = v->sum[1] > 0 ? v->sum[0] / v->sum[1] : 0;
}
MPLAN_KERNEL_ANY(mplan_mixed_settle, MPLAN_MIXED_SETTLE_ARGS, mplan_mixed_parameters)

/* change: the largest change of a cell's level in this step. */
#define MPLAN_MIXED_COLLECT_ARGS(ARG)                               \
    ARG(RAGGED, level, cells_nodes, MPLAN_MIXED_MOST, 1, f64, READ) \
    ARG(DIRECT, size, 1, f64, READ)                                 \
    ARG(DIRECT, content, 1, f64, RW)                                \
    ARG(GLOBAL, change, 1, f64, MAX)
MPLAN_VIEWS_ANY(mplan_mixed_collect, MPLAN_MIXED_COLLECT_ARGS)
MPLAN_FN void mplan_mixed_collect(mplan_mixed_collect_views *v, const mplan_mixed_parameters *p)
{
    double sum = 0;
    for (int s = 0; s < v->level_n; s++)
        sum += v->level[s][0];
    const double mean = v->level_n > 0 ? sum / v->level_n : v->content[0] / v->size[0];
    const double moved = p->rate * (v->size[0] * mean - v->content[0]);
    v->content[0] += moved;
    v->change[0] = (moved < 0 ? -moved : moved) / v->size[0];
}
MPLAN_KERNEL_ANY(mplan_mixed_collect, MPLAN_MIXED_COLLECT_ARGS, mplan_mixed_parameters)

#endif
