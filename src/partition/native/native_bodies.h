/* SPDX-License-Identifier: Apache-2.0 */
/* native_bodies.h - what hangs together among elements that are in no block yet, and which of it fills a block best */
#ifndef MPLAN_NATIVE_BODIES_H
#define MPLAN_NATIVE_BODIES_H

#include "partition/native/native_table.h"

/* Elements by points, as mplan_native_table_transpose() makes them. Points of more than `hub` elements lead nowhere. */
typedef struct native_links {
    const native_table *table;
    const int64_t *begin;    /* n_points + 1 */
    const int32_t *elements; /* of each point */
    int32_t hub;
} native_links;

/* Bodies by size: those of more than block_size elements share the last list. */
typedef struct native_bodies {
    int32_t block_size;
    int32_t *head, *tail; /* block_size + 2: first and last body of each size, -1: none */
    int32_t *count;       /* block_size + 2: bodies of each size */
    int32_t *next;        /* per body */
    int32_t *first;       /* per body: its first element */
    int32_t top;          /* no list above it has a body; 0: none is left */
} native_bodies;

/* Finds the bodies of all elements that are not taken, which are n at most. taken: 1 per element of those that are in blocks; whole
 * bodies are taken, or none of their elements. *bodies is empty before, and the caller's to free, also after a failure. Time
 * O(rows of these elements and of their points). */
mplan_status mplan_native_bodies_find(const native_links *links, const uint8_t *taken,
                                      int32_t block_size, native_bodies *bodies, mplan_error *err);
/* Takes out the body with which a block goes on, and returns its first element; -1 when none is left. room: elements that the
 * block may still have; fresh: it has none yet. */
int32_t mplan_native_bodies_next(native_bodies *bodies, int64_t room, bool fresh);
void mplan_native_bodies_free(native_bodies *bodies);

#endif
