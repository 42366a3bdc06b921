/* SPDX-License-Identifier: Apache-2.0 */
/* native_table.h - all maps of a loop as one table of small weighted points */
#ifndef MPLAN_NATIVE_TABLE_H
#define MPLAN_NATIVE_TABLE_H

#include "base/threads.h"
#include "partition/footprint.h"

/* What a table leaves out that holds the corners of cells only (native_corners.h): nothing, points between two corners, or
 * also those on sides and inside. */
typedef enum native_middles {
    NATIVE_NO_MIDDLES,
    NATIVE_EDGE_MIDDLES,
    NATIVE_ALL_MIDDLES
} native_middles;

/* All maps of a loop as one table: rows without -1 and without repeats. Points
 * of all sets are numbered set by set; points that nothing touches have no number. */
typedef struct native_table {
    int64_t n;
    int32_t arity;    /* 0: ragged */
    int64_t *offsets; /* n + 1 when ragged, else NULL */
    int32_t *points;
    int32_t n_sets;
    int64_t n_points;
    int64_t *set_begin;  /* n_sets + 1: first point of each set */
    int32_t *set_weight; /* what a point of the set costs, 1..15 */
    native_middles middles;
    bool limits_bind; /* whether points or bytes may keep S elements from being a block */
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

/* footprint: opened on the limits; its sets are the table's. */
mplan_status mplan_native_table_create(const mplan_footprint *footprint, int64_t n,
                                       native_table *table, const mplan_context *context,
                                       mplan_error *err);
/* *copy is the caller's to free, also after a failure. */
mplan_status mplan_native_table_copy(const native_table *table, native_table *copy, mplan_error *err);
void mplan_native_table_free(native_table *table);
/* Renumbers in place: element i becomes what `sequence[i]` was, points of a set
 * go by first touch. */
mplan_status mplan_native_table_renumber(native_table *table, const int32_t *sequence,
                                         const mplan_context *context, mplan_error *err);
/* The elements of each point, ascending: begin has n_points + 2 places, elements one per entry. */
void mplan_native_table_transpose(const native_table *table, int64_t *begin, int32_t *elements,
                                  mplan_team *team);

#endif
