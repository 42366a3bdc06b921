/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - in which order points and elements are stored */
#ifndef MPLAN_ORDER_H
#define MPLAN_ORDER_H

#include "mesh/adjacency.h"
#include "meshplan.h"

/* All functions write a permutation: new_of_old[i] is the new place of i. */

/* Reverse Cuthill-McKee (Cuthill & McKee 1969; George & Liu's pseudo-peripheral
 * start, 1979): components in order of their lowest vertex, neighbours by
 * degree, then index. O(edges log degree); scratch 24 bytes a vertex and 4 a neighbour. */
mplan_status mplan_order_rcm(const mplan_csr *graph, int32_t *new_of_old,
                             const mplan_context *context, mplan_error *err);

/* Along a Hilbert curve through the bounding box (Skilling 2004), 2-D or 3-D,
 * 31 or 21 bits per direction (one scale for all directions); ties by index. */
mplan_status mplan_order_hilbert(int64_t n, int32_t dimension, const double *coordinates,
                                 int32_t *new_of_old, const mplan_context *context, mplan_error *err);
/* Places of the points on the curve through the box of two corners, 62 or 63 bits: points whose keys ascend are in the order of
 * mplan_order_hilbert, if the box is theirs. dimension: 2 or 3. Not a number counts as the lower corner. */
void mplan_hilbert_keys(int64_t n, int32_t dimension, const double *coordinates,
                        const double low[3], const double high[3], uint64_t *keys);

/* Gibbs-Poole-Stockmeyer (1976), with more level structures to choose from
 * (order/layering.c): small bandwidth and profile. Components as in rcm. Needs no
 * more than 40 walks over the graph, usually a dozen, and O(n log n) at worst for
 * sorting. Scratch 48 bytes a vertex and 4 a neighbour. */
mplan_status mplan_order_gps(const mplan_csr *graph, int32_t *new_of_old,
                             const mplan_context *context, mplan_error *err);

/* Sloan (1986, 1989): smaller profile and wavefront than gps, larger bandwidth.
 * Components as in rcm. O(edges log n); scratch 64 bytes a vertex and 4 a neighbour. */
mplan_status mplan_order_sloan(const mplan_csr *graph, int32_t *new_of_old,
                               const mplan_context *context, mplan_error *err);

/* By a hierarchy of clusters of neighbours (order/agglomerate.c): near in the graph is near in the order, at
 * every scale, as along a Hilbert curve but without coordinates. O(edges log n), about a microsecond a
 * vertex in random order; scratch about 40 bytes a vertex and 3 a neighbour, of 262,144 vertices and more 52 and 7. */
mplan_status mplan_order_agglomerate(const mplan_csr *graph, int32_t *new_of_old,
                                     const mplan_context *context, mplan_error *err);

/* SCOTCH's Gibbs-Poole-Stockmeyer, in a child process, its answer audited.
 * MPLAN_ERR_UNSUPPORTED without SCOTCH. */
mplan_status mplan_order_scotch_gps(const mplan_csr *graph, int32_t *new_of_old,
                                    const mplan_context *context, mplan_error *err);

/* Bandwidth and profile of the points of the maps (all to one set) under an
 * order (NULL: as they are): neighbours are points that one row touches. Linear
 * time, 4 bytes a point of scratch. */
mplan_status mplan_order_measure(const mplan_map *maps, int32_t n_maps, const int32_t *new_of_old,
                                 int64_t *bandwidth, int64_t *profile, const mplan_context *context,
                                 mplan_error *err);

/* The same of a graph. */
void mplan_order_measure_graph(const mplan_csr *graph, const int32_t *new_of_old,
                               int64_t *bandwidth, int64_t *profile);

/* By one of the methods that work on a graph: rcm, gps, sloan, scotch-gps. */
mplan_status mplan_order_graph(mplan_renumber method, const mplan_csr *graph, int32_t *new_of_old,
                               const mplan_context *context, mplan_error *err);

/* Elements lexicographic by their points: rows are compared as the ascending
 * list of renumbered points of `map` (-1 last, a list before its continuations),
 * ties by index. point_new_of_old NULL: the points' index. Linear time (radix), but
 * for rows that agree in their two lowest points, which are compared. Scratch 16
 * bytes an element. */
mplan_status mplan_order_elements(const mplan_map *map, const int32_t *point_new_of_old,
                                  int32_t *new_of_old, const mplan_context *context,
                                  mplan_error *err);

/* Elements by block, then by an earlier order (NULL: index). */
mplan_status mplan_order_by_block(int64_t n, const int32_t *block, int64_t n_blocks,
                                  const int32_t *earlier, int32_t *new_of_old,
                                  const mplan_context *context, mplan_error *err);

/* Points by the ascending list of blocks that touch them through any of the
 * maps (all to one set): lexicographic (a list before its continuations), or
 * first by the length of the list with `count_first` (the paper's order). Ties
 * by `earlier` (NULL: index). Points that no block touches come last. */
mplan_status mplan_order_points(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                bool count_first, const int32_t *earlier, int32_t *new_of_old,
                                const mplan_context *context, mplan_error *err);

/* The same lexicographic order, but so that lines of four points (32 bytes of one
 * double each) are touched by few blocks: points of one list fill lines of their
 * own, and what is left of every list is packed with what has most blocks in
 * common with it. `padded`: where that would touch more blocks a line keeps holes
 * instead. *storage: places in use, the number of points without `padded`.
 * About 50 bytes a list of scratch; near linear time. */
mplan_status mplan_order_cache_lines(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                     bool padded, const int32_t *earlier, int32_t *new_of_old,
                                     int64_t *storage, const mplan_context *context,
                                     mplan_error *err);

/* Renumbers blocks (block: one per row of the maps, in [0, n_blocks), none empty)
 * so that blocks whose numbers are near share points: points meet the next of their
 * blocks within 264 blocks, and within 1056, at least as often as before. Up to 264
 * blocks keep their numbers, and so do more where that is as good. Near linear
 * time; scratch 24 bytes a (shared point, block) pair and 100 a block. */
mplan_status mplan_order_blocks(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                int32_t *block, const mplan_context *context, mplan_error *err);

/* Points in the order in which the rows, taken in row order (row_new_of_old,
 * NULL: index), first touch them; untouched ones last, by index. */
mplan_status mplan_order_first_touch(const mplan_map *map, const int32_t *row_new_of_old,
                                     int32_t *new_of_old, mplan_error *err);

#endif
