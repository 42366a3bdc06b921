/* native.h - the parts of meshplan's own partitioner, as they hand work on
 *
 * table (all maps as one) -> a first cut (native_tile.h: tiles of a grid; else grow: along a
 * greedy growing, exact sizes, side by side in regions of large tables) -> cut (elements and points
 * renumbered by it, which block each is in) -> Lloyd relaxation by coordinates (lloyd)
 * -> refinement passes over matchings of neighbouring blocks (match), each pair split anew now and then
 * (split) and refined along its border (pair, fm), read from lists of points that blocks keep
 * where rows are long (lists). The cost is the weight of the distinct (block, point) pairs. */
#ifndef MPLAN_NATIVE_H
#define MPLAN_NATIVE_H

#include "base/threads.h"
#include "partition/footprint.h"
#include "partition/partition.h"

/* All maps of a loop as one table: rows without -1 and without repeats. Points
 * of all sets are numbered set by set; points that nothing touches have no number. */
typedef struct native_table {
    int64_t n;
    int32_t arity;        /* 0: ragged */
    int64_t *offsets;     /* n + 1 when ragged, else NULL */
    int32_t *points;
    int32_t n_sets;
    int64_t n_points;
    int64_t *set_begin;   /* n_sets + 1: first point of each set */
    int32_t *set_weight;  /* what a point of the set costs, 1..15 */
    bool limits_bind;     /* whether points or bytes may keep S elements from being a block */
} native_table;

static inline const int32_t *native_row(const native_table *table, int64_t e, int32_t *length)
{
    int64_t begin = table->offsets ? table->offsets[e] : e * table->arity;
    *length = table->offsets ? (int32_t)(table->offsets[e + 1] - begin) : table->arity;
    return table->points + begin;
}

static inline int64_t native_entries(const native_table *table)
{
    return table->offsets ? table->offsets[table->n] : table->n * table->arity;
}

static inline int32_t native_set_of(const native_table *table, int32_t point)
{
    int32_t s = 0;
    while (point >= table->set_begin[s + 1])
        s++;
    return s;
}

/* native_table.c. footprint: opened on the limits; its sets are the table's. */
mplan_status mplan_native_table_create(const mplan_footprint *footprint, int64_t n, native_table *table,
                                       const mplan_context *context, mplan_error *err);
void mplan_native_table_free(native_table *table);
/* Renumbers in place: element i becomes what `sequence[i]` was, points of a set
 * go by first touch. */
mplan_status mplan_native_table_renumber(native_table *table, const int32_t *sequence,
                                         const mplan_context *context, mplan_error *err);
/* The elements of each point, ascending: begin has n_points + 2 places, elements one per entry. */
void mplan_native_table_transpose(const native_table *table, int64_t *begin, int32_t *elements,
                             mplan_team *team);

/* native_regions.c, native_grow.h: sequence[i]: the element at place i; block k holds places
 * offsets[k] ... offsets[k + 1] - 1, *offsets (n_blocks + 1) is the caller's to free.
 * n_blocks on entry: how many blocks to aim at; more where the limits need it. */
mplan_status mplan_native_grow(const native_table *table, mplan_footprint *footprint, int64_t *n_blocks,
                               int32_t *sequence, int64_t **offsets, const mplan_context *context,
                               mplan_error *err);

/* native_order.c: puts the blocks of a sequence in an order in which neighbours are
 * near, by coordinates where there are any, else by first elements. */
mplan_status mplan_native_order(const mplan_native_options *options, int64_t n, int32_t *sequence,
                                int64_t *offsets, int64_t n_blocks, const mplan_context *context,
                                mplan_error *err);
/* Coordinates in the order of the sequence, within [0, 1] and in single precision: they
 * only propose. NULL with status OK without any. */
mplan_status mplan_native_places(const mplan_native_options *options, const int32_t *sequence,
                                 int64_t n, float **places, const mplan_context *context,
                                 mplan_error *err);

/* --- the cut at hand ------------------------------------------------------------ */

/* Of an element: its block, by native_block_of while pairs are refined side by side,
 * and its place in the scratch of the pair that reads it, else -1. */
typedef struct native_where {
    int32_t block, slot;
} native_where;

typedef struct native_lists native_lists; /* native_lists.h */

/* The table, its transpose, and the block of every element. */
typedef struct native_cut {
    const native_table *table;
    const mplan_footprint *footprint;
    int64_t n_blocks;
    int32_t block_size;  /* S */
    int64_t *begin;      /* n_points + 1 */
    int32_t *elements;   /* of each point, ascending */
    native_where *where; /* n */
    int32_t *sizes;      /* elements of each block */
    int64_t *set_points; /* n_sets per block: points it touches; NULL unless limits bind */
    int64_t *set_hubs;   /* n_sets: points of very many elements */
    int32_t *members;    /* S places per block; NULL until they are asked for */
    native_lists *lists; /* of their points, where rows are long; then members are kept up */
} native_cut;

/* A point of more elements than that is read by no pair: its cost stays. */
enum { NATIVE_HUB = 512 };

static inline bool native_is_hub(const native_cut *cut, int64_t point)
{
    return cut->begin[point + 1] - cut->begin[point] > NATIVE_HUB;
}

static inline int32_t *native_members(const native_cut *cut, int64_t b)
{
    return cut->members + b * cut->block_size;
}

static inline int32_t native_block_of(const native_cut *cut, int64_t e)
{
    return mplan_peek(&cut->where[e].block);
}

/* native_cut.c. The cut of a renumbered table: block b is offsets[b] ... */
mplan_status mplan_native_cut_create(const native_table *table, const mplan_footprint *footprint,
                                     int64_t n_blocks, const int64_t *offsets, native_cut *cut,
                                     const mplan_context *context, mplan_error *err);
void mplan_native_cut_free(native_cut *cut);
/* Back to the blocks that it was created with. */
mplan_status mplan_native_cut_reset(native_cut *cut, const int64_t *offsets, mplan_error *err);
/* Lists the members of every block, by element. */
mplan_status mplan_native_cut_list(native_cut *cut, mplan_error *err);
/* Counts the points of all blocks anew where limits bind; whether all are kept. */
mplan_status mplan_native_cut_fits(native_cut *cut, bool *fits, mplan_error *err);

/* --- the smallest --------------------------------------------------------------- */

typedef struct native_ranked {
    float value;
    int32_t index;
} native_ranked;

/* native_select.c: the `count` smallest by value, then index, come first, in no order. */
void mplan_native_select(native_ranked *list, int32_t n, int32_t count);

/* --- which pairs ---------------------------------------------------------------- */

/* Two blocks and points that they share when they are listed. */
typedef struct native_block_pair {
    int32_t a, b;
    int64_t begin;
    int32_t count;
} native_block_pair;

/* Pairs of blocks that share points. Units of a group hold no block in common; the
 * pairs of a unit go one after the other. */
typedef struct native_matching {
    int32_t n_groups;
    int64_t *group_begin; /* n_groups + 1: first unit */
    int64_t *unit_begin;  /* first pair of each unit, and where the last ends */
    native_block_pair *block_pairs;
    int32_t *seeds;       /* points */
    int64_t touched;      /* distinct (block, point) pairs */
} native_matching;

/* native_match.c. least: points that a pair has to share. */
mplan_status mplan_native_match(const native_cut *cut, int32_t least, int64_t rotation,
                                native_matching *matching, const mplan_context *context,
                                mplan_error *err);
void mplan_native_matching_free(native_matching *matching);

/* native_lloyd.c. Sweeps over the pairs of a matching in which blocks exchange
 * elements by their coordinates (dimension 2 or 3 per element); points are not counted. */
mplan_status mplan_native_lloyd(native_cut *cut, const native_matching *matching, int32_t sweeps,
                                int32_t dimension, const float *coordinates,
                                const mplan_context *context, mplan_error *err);

/* --- a pair of blocks --------------------------------------------------------- */

typedef struct native_pair native_pair; /* scratch of one thread */

native_pair *mplan_native_pair_create(native_cut *cut, int32_t dimension,
                                      const float *coordinates, mplan_error *err);
void mplan_native_pair_free(native_pair *pair);

typedef struct native_try {
    int32_t sweeps;   /* of smoothing before the split, 0: none */
    bool line;        /* try the line between the centroids */
    int32_t patience; /* moves without a better state */
} native_try;

/* Improves the split of two blocks; returns the weight saved, or -1 when nothing
 * moved. A split anew wants the members listed. */
int64_t mplan_native_pair_refine(native_pair *pair, const native_block_pair *block_pair,
                                 const int32_t *seeds, const native_try *how);

#endif
