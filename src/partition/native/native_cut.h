/* SPDX-License-Identifier: Apache-2.0 */
/* native_cut.h - the cut that is being refined: which block every element is in */
#ifndef MPLAN_NATIVE_CUT_H
#define MPLAN_NATIVE_CUT_H

#include "partition/native/native_table.h"

/* Of an element: its block, by native_block_of while pairs are refined side by side,
 * and its place in the scratch of the pair that reads it, else -1. */
typedef struct native_where {
    int32_t block, slot;
} native_where;

/* Of every block the points that it touches (native_lists.c). */
typedef struct native_lists {
    int32_t stride;        /* of a row */
    int32_t most_points;   /* of a block, below NATIVE_NONE */
    uint16_t *rows;        /* room x stride a block, as its members; NATIVE_NONE behind the last */
    int32_t *n_points;     /* of each block */
    int64_t *points_begin; /* n_blocks + 1: room for its points */
    int32_t *points;
    uint16_t *counts; /* as points: elements of the block that touch it */
} native_lists;

enum { NATIVE_NONE = UINT16_MAX };

/* The table, its transpose, and the block of every element. */
typedef struct native_cut {
    const native_table *table;
    const mplan_footprint *footprint;
    int64_t n_blocks;
    int32_t block_size;  /* S */
    int32_t hub;         /* a point of more elements is read by no pair (native_cut.c) */
    int32_t most;        /* elements that a block may have now: S, or more (native_sizes.h) */
    int32_t room;        /* places of a block among the members and in lists: `most` at least */
    int64_t *begin;      /* n_points + 1 */
    int32_t *elements;   /* of each point, ascending */
    native_where *where; /* n */
    int32_t *sizes;      /* elements of each block */
    int64_t *set_points; /* n_sets per block: points it touches; NULL unless limits bind */
    int64_t *set_hubs;   /* n_sets: points of very many elements */
    int32_t *members;    /* `room` places per block; NULL until they are asked for */
    native_lists *lists; /* of their points, where rows are long; then members are kept up */
} native_cut;

/* Bounds of native_cut.hub. */
enum { NATIVE_LEAST_HUB = 96, NATIVE_MOST_HUB = 512 };

static inline bool native_is_hub(const native_cut *cut, int64_t point)
{
    return cut->begin[point + 1] - cut->begin[point] > cut->hub;
}

static inline int32_t *native_members(const native_cut *cut, int64_t b)
{
    return cut->members + b * cut->room;
}

static inline uint16_t *native_rows(const native_cut *cut, int64_t b)
{
    return cut->lists->rows + b * cut->lists->most_points;
}

static inline int32_t native_block_of(const native_cut *cut, int64_t e)
{
    return mplan_peek(&cut->where[e].block);
}

/* The cut of a renumbered table: block b is offsets[b] ... */
mplan_status mplan_native_cut_create(const native_table *table, const mplan_footprint *footprint,
                                     int64_t n_blocks, const int64_t *offsets, native_cut *cut,
                                     const mplan_context *context, mplan_error *err);
void mplan_native_cut_free(native_cut *cut);
/* Of the lists only, which are there no more. */
void mplan_native_cut_free_lists(native_cut *cut);
/* Back to other blocks: block[e] of each element, of sizes up to S. */
mplan_status mplan_native_cut_reset(native_cut *cut, const int32_t *block, mplan_team *team,
                                    mplan_error *err);
/* Frees all that says more of elements than the members do, which must be listed: the transpose, and which block each is in. */
void mplan_native_cut_fold(native_cut *cut);
/* It is there again, for the members as they are now; slots are -1. */
mplan_status mplan_native_cut_unfold(native_cut *cut, mplan_team *team, mplan_error *err);
/* block: out, of each element, by the members. */
void mplan_native_cut_keep(const native_cut *cut, int32_t *block, mplan_team *team);
/* Lists the members of every block, by element. */
mplan_status mplan_native_cut_list(native_cut *cut, mplan_team *team, mplan_error *err);
/* The list is there no more. There may be no lists of points, which go with it. */
void mplan_native_cut_unlist(native_cut *cut);
/* The weight of all pairs of a block and a point that it touches; points of very many elements are left out. */
int64_t mplan_native_cut_weight(const native_cut *cut, mplan_team *team);
/* Counts the points of all blocks anew where limits bind; whether all are kept. */
mplan_status mplan_native_cut_fits(native_cut *cut, bool *fits, mplan_error *err);

#endif
