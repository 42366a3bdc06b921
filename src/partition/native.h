/* native.h - the parts of meshplan's own partitioner, as they hand work on
 *
 * table (all maps as one) -> a first cut (native_tile.h: tiles of a grid; else grow: along a
 * front, exact sizes) -> blocks (elements
 * and points renumbered by it, what every block touches) -> rounds of matchings
 * of neighbouring blocks (match), each pair split anew (split) and refined
 * (pair). The cost is the weight of the distinct (block, point) pairs. */
#ifndef MPLAN_NATIVE_H
#define MPLAN_NATIVE_H

#include "partition/meter.h"
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

static inline int32_t native_set_of(const native_table *table, int32_t point)
{
    int32_t s = 0;
    while (point >= table->set_begin[s + 1])
        s++;
    return s;
}

/* native_table.c. meter: opened on the limits; its sets are the table's. */
mplan_status mplan_native_table_create(const mplan_meter *meter, int64_t n, native_table *table,
                                       mplan_error *err);
void mplan_native_table_free(native_table *table);
/* Renumbers in place: element i becomes what `sequence[i]` was, points of a set
 * go by first touch. */
mplan_status mplan_native_table_renumber(native_table *table, const int32_t *sequence,
                                         mplan_error *err);

/* native_grow.c: sequence[i]: the element at place i; block k holds places
 * offsets[k] ... offsets[k + 1] - 1, *offsets (n_blocks + 1) is the caller's to free.
 * n_blocks on entry: how many blocks to aim at; more where the limits need it. */
mplan_status mplan_native_grow(const native_table *table, mplan_meter *meter, int64_t *n_blocks,
                               int32_t *sequence, int64_t **offsets, const mplan_context *context,
                               mplan_error *err);

/* --- what a block holds ------------------------------------------------------ */

/* One block: its elements, the distinct points they touch, rows in local points
 * and back. */
typedef struct native_block {
    int32_t n, n_points, n_entries, arity;
    int32_t *elements; /* n */
    int32_t *points;   /* n_points */
    uint16_t *first;   /* n + 1: first entry of each row; NULL with an arity */
    uint16_t *row;     /* n_entries: local points */
    uint16_t *begin;   /* n_points + 1: first entry of each point in touch */
    uint16_t *touch;   /* n_entries: places in elements */
} native_block;

typedef struct native_blocks {
    const native_table *table;
    const mplan_meter *meter;
    int64_t n_blocks;
    int32_t block_size;    /* S */
    int32_t entry_limit;   /* entries that a refined block may have */
    bool has_first;
    int32_t *sizes;        /* 3 per block: elements, points, entries; points -1: a block too
                              wide to be refined */
    int32_t *elements;     /* block_size per block */
    char *store;           /* store_bytes per block */
    size_t store_bytes;
} native_blocks;

/* Takes the cut of a renumbered table. */
mplan_status mplan_native_blocks_create(const native_table *table, const mplan_meter *meter,
                                        int64_t n_blocks, const int64_t *offsets,
                                        native_blocks *blocks, const mplan_context *context,
                                        mplan_error *err);
void mplan_native_blocks_free(native_blocks *blocks);
/* A view of block b. */
native_block mplan_native_block(const native_blocks *blocks, int64_t b);
/* First entry of a row; of row n: where the last ends. */
static inline int32_t mplan_native_first(const native_block *block, int32_t row)
{
    return block->first ? block->first[row] : row * block->arity;
}
/* Takes over the sizes of a block whose arrays were written anew. */
void mplan_native_block_sized(native_blocks *blocks, int64_t b, const native_block *block);

/* --- a pair of blocks --------------------------------------------------------- */

typedef struct native_pair native_pair; /* scratch of one thread */

native_pair *mplan_native_pair_create(const native_blocks *blocks, int32_t dimension,
                                      const float *coordinates, mplan_error *err);
void mplan_native_pair_free(native_pair *pair);

typedef struct native_try {
    int32_t sweeps;  /* of smoothing before the split, 0: none */
    bool line;       /* try the line between the centroids */
} native_try;

/* Improves the split of blocks a and b; returns the weight saved, or -1 when nothing
 * moved. */
int64_t mplan_native_pair_refine(native_pair *pair, native_blocks *blocks, int64_t a, int64_t b,
                                 const native_try *how);

/* --- which pairs ---------------------------------------------------------------- */

/* Pairs of blocks that share points, grouped so that a group holds a block once. */
typedef struct native_matching {
    int32_t n_groups;
    int64_t *group_begin; /* n_groups + 1 */
    int32_t *pairs;       /* two blocks each */
} native_matching;

/* native_match.c. least: points that a pair has to share. */
mplan_status mplan_native_match(const native_blocks *blocks, int32_t least, int64_t rotation,
                                native_matching *matching, const mplan_context *context,
                                mplan_error *err);
void mplan_native_matching_free(native_matching *matching);

#endif
