/* SPDX-License-Identifier: Apache-2.0 */
/* adjacency.h - graphs made from mapping tables, in compressed sparse rows */
#ifndef MPLAN_ADJACENCY_H
#define MPLAN_ADJACENCY_H

#include "base/threads.h"
#include "meshplan.h"

/* Undirected graph without loops or double edges: the neighbours of v are
 * neighbours[offsets[v]] ... neighbours[offsets[v + 1] - 1], ascending. */
typedef struct mplan_csr {
    int64_t n;
    int64_t *offsets;    /* n + 1 */
    int32_t *neighbours; /* offsets[n] */
} mplan_csr;

void mplan_csr_free(mplan_csr *graph); /* releases the arrays and zeroes it */

/* For each point the elements that touch it, ascending, an element as often as
 * its row repeats the point; -1 entries are skipped. slots (may be NULL):
 * for each entry its position in the map's values. Both arrays have
 * offsets[n_points] entries. */
typedef struct mplan_transpose {
    int64_t *offsets; /* n_points + 1 */
    int32_t *elements;
    int64_t *slots;
} mplan_transpose;
mplan_status mplan_map_transpose(const mplan_map *map, bool with_slots, mplan_transpose *out,
                                 mplan_error *err);
/* The same by threads, without slots. */
mplan_status mplan_map_transpose_by(const mplan_map *map, mplan_team *team, mplan_transpose *out,
                                    mplan_error *err);
void mplan_transpose_free(mplan_transpose *transpose);

/* Elements joined when they share a point of any of the maps (all from one
 * set). A point that more than hub_limit elements touch joins each of them to
 * the previous and next of its list only (0: no limit). Time is linear in the
 * sum of squared valences. */
mplan_status mplan_graph_of_elements(const mplan_map *maps, int32_t n_maps, int64_t hub_limit,
                                     mplan_csr *graph, mplan_error *err);
/* Elements joined when they share `common` points of a map, or all but one of the points of either: METIS's dual graph. */
mplan_status mplan_graph_of_common(const mplan_map *map, int32_t common, mplan_csr *graph,
                                   mplan_error *err);
/* Points joined when an element touches both, through any of the maps (all to
 * one set). An element of more than hub_limit points joins neighbours of its
 * row only (0: no limit). */
mplan_status mplan_graph_of_points(const mplan_map *maps, int32_t n_maps, int64_t hub_limit,
                                   mplan_csr *graph, const mplan_context *context, mplan_error *err);
/* Maps of a set to itself (cells_cells) as a graph: members joined when the row of one names the other, through any of the
 * maps. -1, loops and repeats are dropped. Linear time; scratch 12 bytes an entry. MPLAN_ERR_ARGUMENT: a map is of two sets. */
mplan_status mplan_graph_of_map(const mplan_map *maps, int32_t n_maps, mplan_csr *graph,
                                const mplan_context *context, mplan_error *err);

#endif
