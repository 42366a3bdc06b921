/* SPDX-License-Identifier: Apache-2.0 */
/* owner_rows.h - rows of owner-gather before they are encoded, for owner_gather.c and owner_windows.c */
#ifndef MPLAN_OWNER_ROWS_H
#define MPLAN_OWNER_ROWS_H

#include "base/threads.h"
#include "tables/tables.h"

/* The transposed maps on their way into slices: code = element x columns +
 * column. */
typedef struct mplan_owner_rows {
    const mplan_map *maps;
    int32_t n_maps, columns;
    const mplan_row_order *order;
    int64_t n_points, n_elements, n_rows;
    int64_t slice; /* rows of a slice */
    uint32_t *begin; /* n_points + 1: codes of point p are codes[begin[p]] ...; there are fewer than 2^31 codes */
    int32_t *codes; /* element x columns + column, in the order of the sums for each point */
    int32_t *point; /* n_rows: the point of a row, -1: none */
    int64_t *first; /* n_slices + 1: columns of entries before a slice */
} mplan_owner_rows;

/* Entries of a row: of its point, 0 for the rows behind the last point. */
static inline int64_t mplan_owner_valence(const mplan_owner_rows *work, int64_t row)
{
    int32_t p = work->point[row];
    return p < 0 ? 0 : (int64_t)work->begin[p + 1] - work->begin[p];
}

/* Transposes the maps, which have the same rows and lead to one set, and lays out rows: slices, width,
 * window, columns and points of *out, which is empty before. Close it in any case. */
mplan_status mplan_owner_rows_open(const mplan_map *maps, int32_t n_maps,
                                   const mplan_row_order *order, mplan_owner_rows *work,
                                   mplan_owner_table *out, mplan_team *team, mplan_error *err);
/* The offsets of slices become out's where it has no width. */
void mplan_owner_rows_close(mplan_owner_rows *work, mplan_owner_table *out);

#endif
