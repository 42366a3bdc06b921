/* SPDX-License-Identifier: Apache-2.0 */
/* conflict.h - items that must not run side by side, and colours for them
 *
 * An item is an element, or a block of elements. Two items conflict when they
 * touch a common point. */
#ifndef MPLAN_CONFLICT_H
#define MPLAN_CONFLICT_H

#include "base/threads.h"
#include "mesh/adjacency.h"
#include "meshplan.h"

enum { MPLAN_MOST_COLOURS = 64 }; /* of what keeps the colours around an item in one word */

/* Blocks of elements; with offsets NULL every element is an item of its own. */
typedef struct mplan_items {
    const mplan_map *maps;
    int32_t n_maps;
    int64_t n;
    const int64_t *offsets;
    const int32_t *sequence;
    const bool *skip; /* of elements that are items; they conflict with none. May be NULL */
} mplan_items;

/* For every point the items that touch it, ascending, each once; points of all
 * sets are numbered through: map m leads to the points from base[m] on. */
typedef struct mplan_touches {
    int64_t n_points;
    int64_t *base;    /* n_maps */
    int64_t *offsets; /* n_points + 1 */
    int32_t *items;
    int64_t most;  /* items of a point: so many colours are needed */
    int64_t reach; /* no item has more entries in the lists of its points */
} mplan_touches;

mplan_status mplan_touches_create(const mplan_items *items, mplan_touches *out,
                                  const mplan_context *context, mplan_error *err);
void mplan_touches_free(mplan_touches *touches);

/* Item against item. Time and memory are those of the sum of squared lists. */
mplan_status mplan_conflict_graph(const mplan_items *items, const mplan_touches *touches,
                                  mplan_csr *graph, const mplan_context *context, mplan_error *err);

/* Where a colouring finds the conflicts of an item: in a graph, or (graph NULL)
 * through the points of elements, in place of a graph too large to be made. */
typedef struct mplan_conflicts {
    const mplan_items *items;
    const mplan_touches *touches;
    const mplan_csr *graph;
    int32_t *scratch; /* touches->reach, of the caller; not used with a graph */
} mplan_conflicts;

/* The items in conflict with item i; without a graph with repeats, and i itself. */
const int32_t *mplan_conflicts_of(const mplan_conflicts *conflicts, int64_t i, int64_t *n);

/* Whether no two items of a point have one colour; colours are below MPLAN_MOST_COLOURS. */
bool mplan_is_colouring(const mplan_touches *touches, const int32_t *colour);

/* Whether rows are corners of cells: all there, no point twice. Of one arity. */
bool mplan_rows_are_corners(const mplan_map *map);

/* least_used.c: each item in index order gets the least-used colour that is free for
 * it, a new one only when none is. Beyond 64 colours: the least used of the
 * first 64 that has a free one or room for a new one, else of the next 64. Any
 * number of colours; time O(entries * (1 + *n_colours / 64)), scratch 8 bytes a
 * point. Skipped items get -1. */
mplan_status mplan_colour_least_used(const mplan_items *items, int32_t *colour, int32_t *n_colours,
                                     mplan_error *err);

/* grid.c: elements of one map of 4 or 8 corners that lie as the quads or hexes of a
 * grid: as many colours as corners. *n_colours is 0, and colour undefined, for
 * all others. Linear time, 8 bytes an element. */
mplan_status mplan_colour_grid(const mplan_items *items, const mplan_touches *touches,
                               int32_t *colour, int32_t *n_colours, mplan_error *err);

/* simplex.c: elements of one map of 3 or 4 corners that lie as the triangles or tets of
 * a lattice, 6 or 24 at a point: as many colours. *n_colours is 0, and colour
 * undefined, for all others. Linear time, 8 bytes an element. */
mplan_status mplan_colour_simplices(const mplan_items *items, const mplan_touches *touches,
                                    int32_t *colour, int32_t *n_colours, mplan_error *err);

/* lattice.c: either of the two, whichever fits; none fits blocks. */
mplan_status mplan_colour_lattice(const mplan_items *items, const mplan_touches *touches,
                                  int32_t *colour, int32_t *n_colours, mplan_error *err);

/* dsatur.c: colours every item (skipped ones get -1); *n_colours is 0 when
 * MPLAN_MOST_COLOURS do not suffice, and colour undefined. */
mplan_status mplan_colour_dsatur(const mplan_conflicts *conflicts, int32_t *colour,
                                 int32_t *n_colours, mplan_error *err);

/* The same in arrays of the caller: links 2 n, seen n. Returns the number. */
int32_t mplan_colour_dsatur_in(const mplan_conflicts *conflicts, int32_t *links, uint64_t *seen,
                               int32_t *colour);

/* iterated.c: never more colours than before. The search ends at `bound` colours, or
 * after so many passes, each linear in the conflicts. */
mplan_status mplan_colour_iterate(const mplan_conflicts *conflicts, int32_t bound, int32_t passes,
                                  int32_t *colour, int32_t *n_colours, mplan_team *team,
                                  mplan_error *err);

/* eject.c: one colour fewer at a time, while that succeeds and there are more than
 * `bound`. A step is linear in the conflicts of an item; a search ends when in
 * `patience` steps no item settles, and after 16 times as many. Where there are many items with a graph, samples of them are tried
 * first, and what these cannot do with is not attempted. Scratch 12 bytes an item. */
mplan_status mplan_colour_eject(const mplan_conflicts *conflicts, int32_t bound, int64_t patience,
                                int32_t *colour, int32_t *n_colours, mplan_team *team,
                                mplan_error *err);

/* balance.c: moves items from large classes to smaller ones; the number of
 * colours stays, and every colour stays used. */
mplan_status mplan_colour_balance(const mplan_conflicts *conflicts, int32_t *colour,
                                  int32_t n_colours, mplan_error *err);

#endif
