/* SPDX-License-Identifier: Apache-2.0 */
/* packed.h - the numbers that a plan holds packed, described once
 *
 * formats/plan-format.md, sections 5, 8 and 9. The planner's tables, binding, the host
 * executor and the CUDA kernels read and write these numbers by what is here; `check` has
 * a reading of its own (check/check_reading.h), and so has the second reader in Python.
 * Installed as meshplan_packed.h, as the headers of CUDA kernels need it. Macros take any
 * integer and keep its type, so that kernels compute in 32 bits. */
#ifndef MPLAN_PACKED_H
#define MPLAN_PACKED_H

#include <stdint.h>

enum {
    /* Of 16-bit numbers: a slot without a point in BLOCK_LOCAL and in records, the thread colour
     * of a hole, an entry of index16 that is not there. */
    MPLAN_NONE16 = 65535,
    MPLAN_LOCAL_MOST = MPLAN_NONE16, /* so many local ids there are: points of a block, slots */

    /* Rows of owner-gather: slices, one lane of a warp each; windows sorted by valence. */
    MPLAN_OWNER_SLICE_BITS = 5,
    MPLAN_OWNER_SLICE = 1 << MPLAN_OWNER_SLICE_BITS,
    MPLAN_OWNER_WIDE_SLICE = 64,  /* of devices whose warps have 64 lanes */
    MPLAN_MOST_BOUND_BLOCKS = 32, /* of launch bounds */
    MPLAN_OWNER_WINDOW = 256,
    MPLAN_OWNER_WIDTH_MOST = 4, /* entries of every row, where they are not sliced */

    /* Records of block-gather: each part begins at a whole line, columns have whole groups of
     * positions. */
    MPLAN_RECORD_LINE = 16,  /* bytes */
    MPLAN_RECORD_GROUP = 8,  /* positions */
    MPLAN_RECORD_HEADER = 32 /* bytes of mplan_record_header */
};

/* --- records of block-gather (section 8) ------------------------------------------- */

/* The first bytes of a record. The points follow it, then the local ids. */
typedef struct mplan_record_header {
    uint32_t bytes;      /* of the whole record, a multiple of MPLAN_RECORD_LINE */
    uint32_t n_elements; /* positions of the block */
    uint32_t n_points;
    uint32_t first;                 /* position */
    uint32_t starts_at, entries_at; /* bytes from the begin of the record */
    uint32_t partial_at;            /* 0: no partial sums */
    uint32_t n_entries;
} mplan_record_header;

#define MPLAN_WHOLE_LINES(bytes) \
    (((bytes) + (MPLAN_RECORD_LINE - 1)) / MPLAN_RECORD_LINE * MPLAN_RECORD_LINE)
/* Rows of a column of local ids: positions of the block and what fills the last group. */
#define MPLAN_RECORD_ROWS(n_elements) \
    (((n_elements) + (MPLAN_RECORD_GROUP - 1)) / MPLAN_RECORD_GROUP * MPLAN_RECORD_GROUP)
/* First byte of the local ids. */
#define MPLAN_RECORD_LOCAL(n_points) (MPLAN_RECORD_HEADER + MPLAN_WHOLE_LINES((n_points)*4))

/* First bytes of the parts of a record, and its length.
 * All count bytes from the begin of the record, and are multiples of MPLAN_RECORD_LINE. */
typedef struct mplan_record_parts {
    int64_t local, starts, entries, partial, bytes;
} mplan_record_parts;

/* local_columns: of all local maps; partial: 1 with partial sums, else 0.
 * Behind the header: points (i32), local ids (u16, column by column), starts (u16, n_points + 1), entries (u16) and
 * the places of partial sums (i32, one a point). */
static inline mplan_record_parts mplan_record_lay_out(int64_t n_elements, int64_t n_points,
                                                      int64_t n_entries, int64_t local_columns,
                                                      int partial)
{
    mplan_record_parts at;
    at.local = MPLAN_RECORD_LOCAL(n_points);
    at.starts = at.local + MPLAN_WHOLE_LINES(2 * MPLAN_RECORD_ROWS(n_elements) * local_columns);
    at.entries = at.starts + MPLAN_WHOLE_LINES(2 * (n_points + 1));
    at.partial = at.entries + MPLAN_WHOLE_LINES(2 * n_entries);
    at.bytes = at.partial + (partial ? MPLAN_WHOLE_LINES(4 * n_points) : 0);
    return at;
}

/* --- rows and entries of owner-gather (section 9) ------------------------------------ */

/* Rows of a slice of a variant that states `stated` of them; 0 is the usual number. */
#define MPLAN_SLICE_ROWS(stated) \
    ((stated) == MPLAN_OWNER_WIDE_SLICE ? MPLAN_OWNER_WIDE_SLICE : MPLAN_OWNER_SLICE)
/* Slices of so many rows that the rows of n_points points fill. */
#define MPLAN_OWNER_SLICES(n_points, rows) (((n_points) + ((rows)-1)) / (rows))
/* First row of the window of row r. */
#define MPLAN_OWNER_WINDOW_OF(r) ((r) / MPLAN_OWNER_WINDOW * MPLAN_OWNER_WINDOW)

/* index16: numbers below MPLAN_NONE16 - escapes of the slice count from its base; those above
 * are escapes, numbered downwards. */
#define MPLAN_INDEX16_ESCAPE(number) (MPLAN_NONE16 - 1 - (number))

/* pair32: the way to the neighbour, the place among the elements of the lower of both points,
 * and the own column; -1: no entry. Negative numbers shift as gcc, clang and nvcc shift them. */
enum { MPLAN_PAIR_RANK_MOST = 30 }; /* 31 in the last column would be -1 */
#define MPLAN_PAIR(distance, rank, column) (64 * (distance) + 2 * (rank) + (column))
#define MPLAN_PAIR_DISTANCE(code) ((code) >> 6)
#define MPLAN_PAIR_RANK(code) (((code) >> 1) & 31)
#define MPLAN_PAIR_COLUMN(code) ((code)&1)

/* windows16: an entry has a field of 16 bits for the neighbour and the own column, one for the
 * element where the loop has direct args, and one for each slot of each other map. A field names a
 * window of its slice and a place in it; MPLAN_NONE16: none. A slice has MPLAN_WINDOW_WORDS numbers:
 * the first of each window, and last how many there are, or, below zero, which columns of plain codes
 * are the slice's. */
enum {
    MPLAN_WINDOW_WORDS = 16,
    MPLAN_WINDOWS_MOST = 15,
    MPLAN_WINDOW_NEIGHBOURS = 2048, /* members of a window of neighbours */
    MPLAN_WINDOW_OTHERS = 4096      /* of elements and of what other maps lead to */
};
#define MPLAN_FIELD(window, place) ((window) << 12 | (place))
#define MPLAN_FIELD_WINDOW(field) ((field) >> 12)
#define MPLAN_FIELD_PLACE(field) ((field)&4095)
#define MPLAN_FIELD_COLUMN(field) ((field)&1)
/* First column of plain codes, of a last number below zero; and the other way round. */
#define MPLAN_WINDOW_PLAIN(number) (-1 - (number))
/* So many fields of a row are side by side, to be loaded at once: of n fields together. */
#define MPLAN_FIELDS_TOGETHER(n) ((n) % 8 == 0 ? 8 : (n) % 4 == 0 ? 4 : (n) % 2 == 0 ? 2 : 1)

/* Fields of rows of a fixed width (of all entries of a row) or, with width 0, of one entry that are together. */
static inline int32_t mplan_fields_together(int32_t fields, int32_t width)
{
    const int32_t n = width > 0 ? width * fields : fields;
    return MPLAN_FIELDS_TOGETHER(n);
}

/* Place of field `number` (entry x fields + field) of a row among the fields of its slice. */
static inline int64_t mplan_field_at(int64_t lane, int64_t number, int32_t together, int64_t rows)
{
    return number / together * together * rows + lane * together + number % together;
}

#endif
