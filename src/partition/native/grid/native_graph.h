/* SPDX-License-Identifier: Apache-2.0 */
/* native_graph.h - the graph whose vertices may lie in a grid
 *
 * Of elements with two points, the points, joined by elements; of elements with four
 * or eight, the elements, joined where they share a side. */
#ifndef MPLAN_NATIVE_GRAPH_H
#define MPLAN_NATIVE_GRAPH_H

#include "partition/native/grid/native_grid.h"
#include "partition/native/grid/native_lattice.h"

/* The set of points that places are looked for by, and what elements are to it. */
typedef struct native_view {
    const native_table *table;
    int32_t set;
    int32_t size;  /* points of the set an element has: 2 (or, of some, 1), 4 or 8 */
    int64_t first; /* point of the set; n_points of them */
    int64_t n_points;
    tile_kind kind;
} native_view;

/* The points of element e in the view's set, and how many; a point's number in the set is
 * point - view->first. room: for view->size + 1, of which so many at most are given. */
static inline const int32_t *mplan_native_view_row(const native_view *view, int64_t e,
                                                   int32_t *room, int32_t *n)
{
    int32_t length;
    const int32_t *row = native_row(view->table, e, &length);
    if (view->table->n_sets == 1) {
        *n = length;
        return row;
    }
    *n = 0;
    for (int32_t k = 0; k < length && *n <= view->size; k++)
        if (row[k] >= view->first && row[k] < view->first + view->n_points)
            room[(*n)++] = row[k];
    return room;
}

/* Finds the view and its graph; *found is false when no set can be that of a grid. */
mplan_status mplan_native_graph_create(const native_table *table, native_view *view,
                                       native_lattice *lattice, bool *found, mplan_team *team,
                                       mplan_error *err);

#endif
