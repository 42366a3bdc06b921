/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - the tables that kernels read */
#ifndef MPLAN_TABLES_H
#define MPLAN_TABLES_H

#include "meshplan.h"

/* Points that the blocks touch in one set and their places in the blocks' lists.
 * All arrays come from mplan_alloc. */
typedef struct mplan_block_points {
    int64_t *offsets; /* n_blocks + 1 */
    int32_t *points;  /* offsets[n_blocks], ascending in each block */
    uint16_t **local; /* n_maps tables, entries per position and slot, MPLAN_NONE16: none */
} mplan_block_points;

/* maps: n_maps maps of the loop to one set, in stored indices. sequence and
 * offsets as in colour.h. local tables hold the rows of the positions one
 * behind the other; fixed maps give holes rows of MPLAN_NONE16. Blocks of more than
 * 65,535 points: MPLAN_ERR_ARGUMENT. Parallel over blocks. */
mplan_status mplan_table_block_points(const mplan_map *maps, int32_t n_maps, int64_t n_blocks,
                                      const int64_t *offsets, const int32_t *sequence,
                                      mplan_block_points *out, const mplan_context *context,
                                      mplan_error *err);
void mplan_table_block_points_free(mplan_block_points *points, int32_t n_maps);

/* In which order a point's row is summed, and what that takes; and of owner-gather, how rows are cut. */
typedef struct mplan_row_order {
    mplan_sums_order by;       /* not AUTO */
    int64_t n_members;         /* of the set whose elements are rows of the maps */
    const int32_t *new_of_old; /* n_members: their places in stored order; MESH only */
    int32_t slice_rows;        /* of owner-gather: rows of a slice, 64; 0: 32 */
    bool by_entry; /* windows16: fields of an entry are side by side, whatever the width of rows */
    bool no_pairs; /* where the encoding is left open: index16 or index32, as loops with layers have */
} mplan_row_order;

/* For each point the positions in the map's values that hold it, in the order that is asked for:
 * STORED ascending, COLUMN by slot (of a map of fixed arity), MESH by the mesh's number of the row. */
mplan_status mplan_table_gather(const mplan_map *map, const mplan_row_order *order,
                                int64_t **offsets, int64_t **slots, mplan_error *err);

/* Packed records of block-gather (formats/plan-format.md, section 8). All arrays
 * come from mplan_alloc; bytes is aligned to 64. */
typedef struct mplan_block_records {
    int64_t *offsets;              /* n_blocks + 1, bytes */
    unsigned char *bytes;          /* offsets[n_blocks] */
    int64_t n_shared, n_sums;      /* 0 without partial sums */
    int32_t *partial_points;       /* n_shared; NULL without partial sums */
    int64_t *partial_offsets;      /* n_shared + 1 */
    int64_t bytes_max, staged_max; /* of one record; of what one block stages */
} mplan_block_records;

/* maps: the local maps of the loop in stored indices, fixed, all to one set, the
 * n_increment increment maps first. round: elements of a block that are added before the next ones; 0: all of them. column_bytes: bytes that a position of a block stages for its increments
 * (sum over incremented dats of columns x dim x size, see section 7). points: of the blocks, by these maps in this order;
 * NULL: not at hand. Blocks of more than 65,535 points or slots: MPLAN_ERR_ARGUMENT. Linear time, parallel over blocks. */
mplan_status mplan_table_block_records(const mplan_map *maps, int32_t n_increment, int32_t n_maps,
                                       int64_t n_blocks, const int64_t *offsets,
                                       const int32_t *sequence, const mplan_block_points *points,
                                       int32_t round, bool partial, int64_t column_bytes,
                                       mplan_block_records *out, const mplan_context *context,
                                       mplan_error *err);
void mplan_table_block_records_free(mplan_block_records *records);

/* Tables of owner-gather (formats/plan-format.md, section 9). */
typedef struct mplan_owner_table {
    mplan_encoding encoding;
    int32_t width;               /* 1..4: of every point; 0: sliced */
    int32_t window;              /* MPLAN_OWNER_WINDOW or 0 */
    int32_t rows;                /* of a slice */
    int64_t n_slices, n_columns; /* columns of an entry for each row of a slice */
    int64_t n_escapes;
    int64_t *offsets;        /* n_slices + 1; NULL with a width */
    void *entries;           /* n_columns x rows: i32, u16 for index16; windows16: u16 x fields */
    int32_t *base;           /* n_slices, index16 only */
    int64_t *escape_offsets; /* n_slices + 1, index16 only */
    int32_t *escapes;        /* n_escapes, index16 only */
    int32_t *row_start;      /* n_points + 1, pair32 only */
    uint8_t *points;         /* n_slices x rows, with a window only */
    int32_t fields;          /* of an entry, windows16 only, as the next ones */
    int64_t n_plain;         /* columns of slices that have no windows */
    int32_t *windows;        /* MPLAN_WINDOW_WORDS x n_slices */
    int32_t *plain;          /* n_plain x rows: codes */
} mplan_owner_table;

/* maps: the increment maps of the loop in stored indices, fixed, all to one set.
 * order: of the entries of a point. encoding NONE chooses the one that moves the fewest bytes per entry: pair32 4 and
 * 4 / valence for the row starts; index16 2, 4 per escape, and a row of the map;
 * index32 4 and a row of the map (4 x arity bytes, shared by the arity points of an
 * element). Not windows16 (owner_windows.h). An encoding that cannot say what it must: MPLAN_ERR_ARGUMENT. Points
 * are sorted in windows where slices would pad entries by more than a tenth.
 * Linear time but for the sorting of a slice's codes. */
mplan_status mplan_table_owner(const mplan_map *maps, int32_t n_maps, const mplan_row_order *order,
                               mplan_encoding encoding, mplan_owner_table *out,
                               const mplan_context *context, mplan_error *err);
void mplan_table_owner_free(mplan_owner_table *table);

/* Stored map from the mesh's: row row_new_of_old[e] holds the renumbered points
 * of e. storage sizes >= sizes; rows of holes hold -1 (ragged: are empty).
 * *offsets is NULL for fixed maps. */
mplan_status mplan_table_reorder_map(const mplan_map *map, const int32_t *row_new_of_old,
                                     int64_t row_storage, const int32_t *point_new_of_old,
                                     int64_t **offsets, int32_t **values,
                                     const mplan_context *context, mplan_error *err);

/* new_of_old (n entries, injective into [0, storage)) inverted, -1 in holes. */
mplan_status mplan_table_invert(int64_t n, const int32_t *new_of_old, int64_t storage,
                                int32_t **old_of_new, const mplan_context *context, mplan_error *err);

#endif
