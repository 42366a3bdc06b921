/* SPDX-License-Identifier: Apache-2.0 */
/* check_owner.h - what the proofs of owner-gather's tables share */
#ifndef MPLAN_CHECK_OWNER_H
#define MPLAN_CHECK_OWNER_H

#include "check/check.h"

/* Tables of one owner-gather variant, as the plan has them, and what decoding them finds. Terms are those of section 9
 * of the format: n_slices slices of `slice` rows, n_columns columns of entries in all. offsets: n_slices + 1, in
 * columns; NULL: each slice has `width` of them. entries32: index32 and pair32; entries16, base (one a slice),
 * escape_offsets (n_slices + 1) and escapes: index16; row_start (n_points + 1): pair32; entries16, windows (16 a
 * slice) and plain: windows16. points: a byte for each row, its point within the window; NULL: row r is point r. What
 * a variant does not have is NULL. */
typedef struct mplan_owner_proof {
    const mplan_check *check;
    const mplan_check_gathering *gathering;
    const mplan_plan_variant *variant;
    const char *set; /* name */
    mplan_check_row_order order;
    int64_t slice; /* rows of a slice */
    int64_t n_points, n_elements, n_slices, n_columns;
    int64_t n_entries; /* numbers in entries32 or entries16 */
    const int64_t *offsets, *escape_offsets;
    const int32_t *entries32, *base, *escapes, *row_start;
    const uint16_t *entries16;
    const uint8_t *points;
    int64_t n_escapes;
    const int32_t *windows, *plain; /* windows16 */
    int64_t fields;                 /* of an entry; 1 for other encodings */
    int64_t n_plain;                /* numbers in plain */
    int64_t *found;                 /* per slice: entries */
    uint32_t *length;               /* per row: entries, which are distinct int32 codes from 0 on */
} mplan_owner_proof;

/* First column of entries of slice s; of slice n_slices, their number. */
static inline int64_t mplan_owner_first_column(const mplan_owner_proof *proof, int64_t s)
{
    return proof->offsets ? proof->offsets[s] : s * proof->variant->width;
}

/* The point that row r stands for; rows behind the last point stand for none, and are not asked. */
static inline int64_t mplan_owner_point(const mplan_owner_proof *proof, int64_t r)
{
    return proof->points ? r / MPLAN_CHECK_WINDOW * MPLAN_CHECK_WINDOW + proof->points[r] : r;
}

/* check_windows.c: entries of windows16 lead where the transposed map says. The elements of each point
 * are found again first. Fills found and length as the proof of other encodings does. */
mplan_status mplan_check_windows(mplan_owner_proof *proof, int32_t loop, mplan_error *err);

#endif
