/* SPDX-License-Identifier: Apache-2.0 */
/* native_grow.h - greedy graph growing over one table, and its scratch */
#ifndef MPLAN_NATIVE_GROW_H
#define MPLAN_NATIVE_GROW_H

#include "base/memory.h"
#include "partition/native/native_table.h"

/* Scratch of one thread, for tables of up to so many elements, points, entries and sets. */
typedef struct native_extent {
    int64_t elements, points, entries, sets;
} native_extent;

typedef struct native_growth native_growth;

native_growth *mplan_native_growth_create(const native_extent *most, mplan_error *err);
void mplan_native_growth_free(native_growth *growth);

/* What is to be grown, and what was. */
typedef struct native_grow_task {
    const native_table *table;
    const mplan_footprint *footprint;
    int64_t n_blocks;  /* to aim at */
    int64_t first;     /* the element where growth begins */
    bool again;        /* the table is that of the run before */
    int32_t *sequence; /* out: the element at each place */
    mplan_vector ends; /* of int64_t, appended to: the place behind each block */
    int64_t weight;    /* out: of the points that blocks touch, once for each block */
    int64_t breaker;   /* out: an element that breaks a limit by itself, or -1 */
    int32_t *stopped;  /* of tasks side by side: set when one is interrupted, and all stop */
} native_grow_task;

/* The blocks of a whole table. After a breaker the rest of the sequence is not set. */
mplan_status mplan_native_growth_run(native_growth *growth, native_grow_task *task, mplan_team *team,
                                     const mplan_context *context, mplan_error *err);

#endif
