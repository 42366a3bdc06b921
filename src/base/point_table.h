/* SPDX-License-Identifier: Apache-2.0 */
/* point_table.h - gives the points of one block at a time small ids
 *
 * An open-addressing hash table with a stamp per place, so that a table serves
 * one block after the other without being cleared. Ids are given in the order
 * of first touch. One table per thread. */
#ifndef MPLAN_POINT_TABLE_H
#define MPLAN_POINT_TABLE_H

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

/* A hash table of 2^bits entries from points to the numbers 0, 1, ... in the
 * order in which a block meets them; stamps tell entries of this block from
 * older ones. */
typedef struct mplan_point_table {
    uint64_t *key;
    uint32_t *stamp;
    int32_t *id;
    uint32_t now;
    int32_t bits;
    int32_t n_points; /* of the block at hand */
} mplan_point_table;

/* Room for blocks of up to n_entries entries. */
static inline mplan_status mplan_point_table_create(mplan_point_table *table, int64_t n_entries,
                                                    mplan_error *err)
{
    table->bits = 4;
    while ((INT64_C(1) << table->bits) < 2 * n_entries)
        table->bits++;
    int64_t places = INT64_C(1) << table->bits;
    table->key = mplan_alloc(places, sizeof *table->key, err);
    table->stamp = mplan_alloc_zero(places, sizeof *table->stamp, err);
    table->id = mplan_alloc(places, sizeof *table->id, err);
    table->now = 0;
    table->n_points = 0;
    return table->key && table->stamp && table->id ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

static inline void mplan_point_table_free(mplan_point_table *table)
{
    free(table->key);
    free(table->stamp);
    free(table->id);
    *table = (mplan_point_table){0};
}

/* Forgets the last block. */
static inline void mplan_point_table_begin(mplan_point_table *table)
{
    table->now++;
    table->n_points = 0;
    if (table->now == 0) { /* stamps wrapped round: old ones could look new */
        for (int64_t i = 0; i < INT64_C(1) << table->bits; i++)
            table->stamp[i] = 0;
        table->now = 1;
    }
}

/* Id of a point, a new one (n_points before the call) on first touch. */
static inline int32_t mplan_point_table_id(mplan_point_table *table, uint64_t key)
{
    uint64_t mask = (UINT64_C(1) << table->bits) - 1;
    uint64_t place = (key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - table->bits);
    while (table->stamp[place] == table->now) {
        if (table->key[place] == key)
            return table->id[place];
        place = (place + 1) & mask;
    }
    assert(table->n_points < INT32_MAX);
    table->stamp[place] = table->now;
    table->key[place] = key;
    table->id[place] = table->n_points;
    return table->n_points++;
}

#endif
