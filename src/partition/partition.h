/* SPDX-License-Identifier: Apache-2.0 */
/* partition.h - cuts a from-set into blocks, and makes any answer keep the limits */
#ifndef MPLAN_PARTITION_H
#define MPLAN_PARTITION_H

#include "mesh/adjacency.h"
#include "mesh/cut_child.h"
#include "meshplan.h"

/* A dat that a block stages: bytes of each of its points in a to-set. */
typedef struct mplan_staged_dat {
    int32_t set;
    int64_t point_bytes;
} mplan_staged_dat;

/* The limits of a block. Points of a set are counted over all maps to it. */
typedef struct mplan_block_limits {
    int32_t block_size;   /* elements, 1..1024 */
    int32_t max_points;   /* points of each set, 1..MPLAN_LOCAL_MOST */
    int64_t shared_bytes; /* sum over dats of points x bytes, each rounded up to 16 */
    int32_t n_maps, n_dats;
    const mplan_map *maps;        /* all maps of the loop, from one set */
    const mplan_staged_dat *dats; /* distinct dats accessed through them */
} mplan_block_limits;

/* METIS_PartGraphKway in a program of its own with a fixed seed: part[i] in
 * [0, n_parts). imbalance as METIS's ufactor, in thousandths; wishes may be NULL. n_parts 1 and
 * graphs without edges never reach METIS. MPLAN_ERR_UNSUPPORTED without METIS
 * or when its integers are too narrow; MPLAN_ERR_PARTITIONER. */
mplan_status mplan_partition_metis(const mplan_csr *graph, int64_t n_parts, int32_t ufactor,
                                   uint64_t seed, const mplan_cut_wishes *wishes, int32_t *part,
                                   const mplan_context *context, mplan_error *err);
/* SCOTCH_graphPart likewise, imbalance as a share (0.03); of wishes it takes one column of weights, and weights of
 * edges. */
mplan_status mplan_partition_scotch(const mplan_csr *graph, int64_t n_parts, double imbalance,
                                    uint64_t seed, const mplan_cut_wishes *wishes, int32_t *part,
                                    const mplan_context *context, mplan_error *err);

/* meshplan's own: n_parts parts of nearly equal size (largest / mean up to `imbalance`, and a vertex), few edges between
 * them. Of wishes, which may be NULL, it takes one column of weights, whose sizes are then balanced, and weights of edges.
 * Equal parts for equal graphs; serial. Memory 60 bytes a vertex and 16 a neighbour. MPLAN_ERR_ARGUMENT for weights that
 * add up to more than 2^62. */
mplan_status mplan_partition_bisect(const mplan_csr *graph, int32_t n_parts, double imbalance,
                                    const mplan_cut_wishes *wishes, int32_t *part,
                                    const mplan_context *context, mplan_error *err);

/* Coordinates that are computed when they are wanted, which spares the room for them until then. find: those of n rows,
 * options->dimension numbers each; several threads call it at a time. Row r is element element[r] (NULL: r), and
 * none where that is n_elements and more; every element is a row. */
typedef struct mplan_native_finder {
    void (*find)(const void *data, const int32_t *rows, int64_t n, double *out);
    const void *data;
    int64_t n_rows, n_elements;
    const int32_t *element;
} mplan_native_finder;

/* How meshplan's own partitioner works. */
typedef struct mplan_native_options {
    mplan_effort effort;
    double fill;       /* 0 < fill <= 1: blocks are aimed at this share of the block size */
    int32_t dimension; /* of coordinates: 2 or 3; 0 without */
    const double *coordinates; /* of the elements; a hint, may be NULL: blocks that they do not suit leave them aside */
    const mplan_native_finder *finder; /* or what finds them; NULL: `coordinates` */
    void (*release)(void *data); /* called where the maps of the limits will not be read any more; may be NULL */
    void *release_data;
} mplan_native_options;

/* Blocks that touch few distinct points in all, points weighted by the bytes of
 * their dats; every limit kept. block: n entries, each in [0, *n_blocks), no block
 * empty, numbered by first element; at most max(1, 1%) more blocks than n / S
 * with a fill of 0.99 or more, 3% where n < 200 S and the fill is 0.995 at most, unless points or bytes need more. Equal blocks for
 * any number of threads. *origin (may be NULL): how they came about. An element that by itself
 * breaks a limit: MPLAN_ERR_ARGUMENT, the element named. Memory at arity 2 (faces of triangles and of
 * tets): 40 bytes an element in the plane and 43 in space. */
mplan_status mplan_partition_native(int64_t n, const mplan_block_limits *limits,
                                    const mplan_native_options *options, int32_t *block,
                                    int64_t *n_blocks, mplan_block_origin *origin,
                                    const mplan_context *context, mplan_error *err);

/* The paper's figures (Sulyok et al. 2019, section 4): S' = floor(S / L), at least
 * 1; parts = ceil(n / S'); l' = (S + 0.1) / S', ufactor = round(1000 (l' - 1)), at least 1. */
void mplan_partition_figures(int64_t n, int32_t block_size, double imbalance, int64_t *n_parts,
                             int32_t *ufactor);

/* Runs of an order (order[i]: element at place i; NULL: index): each as long as
 * the limits allow. block[e] ascends along the order. An element that by itself
 * breaks a limit: MPLAN_ERR_ARGUMENT, the element named. */
mplan_status mplan_partition_runs(int64_t n, const int32_t *order, const mplan_block_limits *limits,
                                  int32_t *block, int64_t *n_blocks, mplan_error *err);

/* *element: the first that by itself breaks a limit on points or bytes; -1: none does. */
mplan_status mplan_partition_find_large(int64_t n, const mplan_block_limits *limits,
                                        int64_t *element, mplan_error *err);
/* Refuses such an element, by a number for messages: MPLAN_ERR_ARGUMENT. */
mplan_status mplan_partition_refuse_large(const mplan_block_limits *limits, int64_t element,
                                          int64_t number, mplan_error *err);
/* Makes all entries of such elements -1, so that they count nothing: values[m] are the entries of limits->maps[m]. */
mplan_status mplan_partition_clear_large(int64_t n, const mplan_block_limits *limits,
                                         int32_t **values, mplan_error *err);

/* Audits and repairs a partitioner's answer in place: part values outside
 * [0, n_parts) are MPLAN_ERR_PARTITIONER; empty parts vanish; elements above
 * the limits move to neighbouring parts (of `graph`, may be NULL) with room,
 * else into new ones. On return the blocks keep every limit, and are numbered by
 * their first element in `order`. *moved (may be NULL): elements that changed part.
 * `part` is undefined after a failure. An element that by itself breaks a limit:
 * MPLAN_ERR_ARGUMENT, the element named. */
mplan_status mplan_partition_repair(int64_t n, const int32_t *order, const mplan_csr *graph,
                                    const mplan_block_limits *limits, int64_t n_parts, int32_t *part,
                                    int64_t *n_blocks, int64_t *moved, mplan_error *err);

/* Makes every one of n_parts parts (each element's in [0, n_parts), n >= n_parts) hold
 * an element: an empty part gets half of the largest, a connected half where `graph`
 * allows. *moved: elements that changed part. */
mplan_status mplan_partition_refill(const mplan_csr *graph, int64_t n_parts, int32_t *part,
                                    int64_t *moved, mplan_error *err);
/* Makes every one of n_parts parts hold `least` of the n elements (n >= n_parts * least): a part that lacks some gets the
 * lightest of the largest part, one by one. weights: of each element, the first of `columns`; NULL: all weigh 1. *moved: as above. */
mplan_status mplan_partition_fill_up(int64_t n, int64_t n_parts, int64_t least,
                                     const int64_t *weights, int32_t columns, int32_t *part,
                                     int64_t *moved, mplan_error *err);

#endif
