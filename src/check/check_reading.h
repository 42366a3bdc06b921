/* SPDX-License-Identifier: Apache-2.0 */
/* check_reading.h - how the proofs read numbers that a plan holds packed
 *
 * formats/plan-format.md, sections 4, 5, 8 and 9, read a second time: nothing here comes from
 * plan/packed.h, by which planner and executor work, so that a slip there is found here. */
#ifndef MPLAN_CHECK_READING_H
#define MPLAN_CHECK_READING_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MPLAN_CHECK_NO_LOCAL = 65535,  /* BLOCK_LOCAL of an entry of -1 */
    MPLAN_CHECK_NO_COLOUR = 65535, /* THREAD_COLOURS of a hole */
    MPLAN_CHECK_NO_ENTRY = 65535,  /* OWNER_ENTRIES of index16 behind the last of a row */
    MPLAN_CHECK_MOST_LOCAL = 65535, /* points and slots of a block: numbered in 16 bits, one of them none */
    MPLAN_CHECK_SLICE = 32,         /* rows of a slice of owner-gather, where VARIANTS2 has 0 */
    MPLAN_CHECK_MOST_SLICE = 64, /* where it has that */
    MPLAN_CHECK_WINDOW = 256,    /* rows of a window */
    /* the largest number of entries of a row for which all slices have equal columns: OWNER_OFFSETS is not
     * there then */
    MPLAN_CHECK_MOST_WIDTH = 4,
    MPLAN_CHECK_WORDS = 16,        /* of a slice of windows16, the last of which says how many */
    MPLAN_CHECK_NEAR = 2048,       /* neighbours of a window */
    MPLAN_CHECK_FAR = 4096,        /* elements and points of a window */
    MPLAN_CHECK_RECORD_HEADER = 32 /* bytes */
};

/* The words of a record's header, by number. */
enum {
    MPLAN_CHECK_RECORD_BYTES,
    MPLAN_CHECK_RECORD_ELEMENTS,
    MPLAN_CHECK_RECORD_POINTS,
    MPLAN_CHECK_RECORD_FIRST,
    MPLAN_CHECK_RECORD_STARTS,
    MPLAN_CHECK_RECORD_ENTRIES,
    MPLAN_CHECK_RECORD_PARTIAL,
    MPLAN_CHECK_RECORD_N_ENTRIES,
    MPLAN_CHECK_RECORD_WORDS
};

/* Parts of a record begin at multiples of 16. */
static inline int64_t mplan_check_next_part(int64_t end)
{
    return (end + 15) / 16 * 16;
}
/* Columns of local ids are padded to multiples of 8. */
static inline int64_t mplan_check_column_rows(int64_t n_elements)
{
    return (n_elements + 7) / 8 * 8;
}
/* Where number i of the numbers of a row of windows16 is in its slice: rows have n side by side,
 * the largest power of two up to 8 that divides what belongs together. slice: rows. */
static inline int64_t mplan_check_field(int64_t slice, int64_t lane, int64_t i, int64_t belong)
{
    int64_t n = 8;
    while (belong % n)
        n /= 2;
    return (i - i % n) * slice + lane * n + i % n;
}
/* Slices of `slice` rows that n_points points need; the last one may have rows without points. */
static inline int64_t mplan_check_slices(int64_t slice, int64_t n_points)
{
    return (n_points + slice - 1) / slice;
}

#endif
