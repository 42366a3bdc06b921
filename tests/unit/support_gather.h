/* SPDX-License-Identifier: Apache-2.0 */
/* support_gather.h - the tables of block-gather and owner-gather by the plainest code
 *
 * Written from sections 8 and 9 of formats/plan-format.md; nothing of it comes from
 * the library's tables. */
#ifndef MPLAN_SUPPORT_GATHER_H
#define MPLAN_SUPPORT_GATHER_H

#include "meshplan.h"
#include "tables/tables.h"

/* Local maps of a loop, all of an arity and to one set, in stored indices, increment
 * maps first; and a cut of the elements, as tables.h has it. */
typedef struct support_gather {
    const mplan_map *maps;
    int32_t n_increment, n_local;
    int64_t n_blocks;
    const int64_t *offsets;
    const int32_t *sequence;
    int32_t round; /* elements of a round of block-gather; 0: all of a block */
    /* what windows16 writes down beside the increment map: */
    const mplan_map *others;
    int32_t n_others;
    bool direct;
} support_gather;

/* Record of block b, to be released with free(). */
uint8_t *support_gather_record(const support_gather *in, int64_t b, bool partial, int64_t *bytes);

/* Points that several blocks increment and where their slots begin: points and
 * offsets have room for every point (and one more). Returns how many points. */
int64_t support_gather_shared(const support_gather *in, int32_t *points, int64_t *offsets);

/* Codes of all points by point, ascending; offsets of the points, n_points + 1. Both are
 * to be released with free(). */
int32_t *support_gather_codes(const support_gather *in, int64_t **offsets);

/* Whether pair32 can say the loop. */
bool support_gather_pairs(const support_gather *in);

/* Whether windows16 can. */
bool support_gather_windowed(const support_gather *in);

/* A table of owner-gather in one encoding, with slices of `rows` rows, to be released with mplan_table_owner_free. Where the
 * format leaves a choice (windows, bases) the seed decides. */
mplan_owner_table support_gather_owner(const support_gather *in, mplan_encoding encoding,
                                       int32_t rows, uint64_t *seed);

/* Code at column k of a row, -1: none, as a reader finds it. */
int64_t support_gather_decode(const support_gather *in, const mplan_owner_table *table, int64_t row,
                              int64_t k);
/* The point of a row; n_points or more: none. */
int64_t support_gather_point(const mplan_owner_table *table, int64_t row);
/* Columns of entries of a slice, and the first of them. */
int64_t support_gather_columns(const mplan_owner_table *table, int64_t slice, int64_t *first);

#endif
