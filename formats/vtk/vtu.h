/* SPDX-License-Identifier: Apache-2.0 */
/* vtu.h - the parts of the reader of VTK's XML files of unstructured grids (.vtu)
 *
 * Source: VTK's documentation, "VTK File Formats, XML File Formats"; the arrays of polyhedra since
 * version 2 as VTK 9.4 and later write them. */
#ifndef MPLAN_VTU_H
#define MPLAN_VTU_H

#include "base/memory.h"
#include "formats/format.h"

/* Types of numbers that an array of a VTU file may have. */
typedef enum mplan_vtu_type {
    MPLAN_VTU_INT8,
    MPLAN_VTU_UINT8,
    MPLAN_VTU_INT16,
    MPLAN_VTU_UINT16,
    MPLAN_VTU_INT32,
    MPLAN_VTU_UINT32,
    MPLAN_VTU_INT64,
    MPLAN_VTU_UINT64,
    MPLAN_VTU_FLOAT32,
    MPLAN_VTU_FLOAT64
} mplan_vtu_type;

/* How the numbers of an array are in the file. RAW are bytes, which only AppendedData may hold: they are not XML. */
typedef enum mplan_vtu_coding { MPLAN_VTU_TEXT, MPLAN_VTU_BASE64, MPLAN_VTU_RAW } mplan_vtu_coding;

/* What each block of an array that is not text was compressed with, the same in the whole file. */
typedef enum mplan_vtu_compressor {
    MPLAN_VTU_PLAIN,
    MPLAN_VTU_ZLIB,
    MPLAN_VTU_LZMA,
    MPLAN_VTU_LZ4
} mplan_vtu_compressor;

/* An array's place in the file. Zeroed: not there. */
typedef struct mplan_vtu_array {
    const char *tag;         /* its element begins there; NULL: not there */
    const char *begin, *end; /* of what is encoded; appended arrays: end is that of all of them */
    mplan_vtu_type type;
    mplan_vtu_coding coding;
    bool appended;
    int64_t offset; /* of appended arrays */
    int64_t components;
} mplan_vtu_array;

enum {
    MPLAN_VTU_POINTS,
    MPLAN_VTU_CONNECTIVITY,
    MPLAN_VTU_OFFSETS,
    MPLAN_VTU_TYPES,
    MPLAN_VTU_FACES, /* to version 1: a stream per polyhedron */
    MPLAN_VTU_FACEOFFSETS,
    MPLAN_VTU_FACE_CONNECTIVITY, /* since version 2: faces, and which a polyhedron has */
    MPLAN_VTU_FACE_OFFSETS,
    MPLAN_VTU_POLYHEDRON_TO_FACES,
    MPLAN_VTU_POLYHEDRON_OFFSETS,
    MPLAN_VTU_SECTIONS, /* of PolyData: connectivity and offsets of each section */
    MPLAN_VTU_N_ARRAYS = MPLAN_VTU_SECTIONS + 8
};

/* The sections of PolyData, in the order in which their cells are counted. */
enum { MPLAN_VTU_VERTS, MPLAN_VTU_LINES, MPLAN_VTU_POLYS, MPLAN_VTU_STRIPS, MPLAN_VTU_N_SECTIONS };

/* What the type of a file says. */
typedef enum mplan_vtu_kind {
    MPLAN_VTU_UNSTRUCTURED,
    MPLAN_VTU_POLYDATA,
    MPLAN_VTU_PARALLEL /* names the files of its pieces */
} mplan_vtu_kind;

extern const char *const mplan_vtu_array_names[MPLAN_VTU_N_ARRAYS];

/* One piece of a file: its sizes and arrays.
 * arrays: by MPLAN_VTU_POINTS and so on; what the piece does not have is zeroed. Points count from 0 in each piece. */
typedef struct mplan_vtu_piece {
    int64_t n_points, n_cells;
    int64_t n_of[MPLAN_VTU_N_SECTIONS]; /* cells of each section; of PolyData only */
    mplan_vtu_array arrays[MPLAN_VTU_N_ARRAYS];
} mplan_vtu_piece;

/* An array of CellData, or marks in PointData, whose numbers may be groups.
 * piece: its place in `pieces` of the file. */
typedef struct mplan_vtu_data {
    int64_t piece;
    bool of_points;
    bool marks; /* the file says so, whatever the name */
    char name[128];
    mplan_vtu_array array;
} mplan_vtu_data;

/* What the XML of a VTU file says. */
typedef struct mplan_vtu_file {
    const char *path;
    const char *begin, *end; /* of the file */
    const mplan_context *context;
    mplan_vtu_kind kind;
    bool ghosts; /* wanted: the arrays that say which cells are those of another piece */
    bool big_endian;
    int32_t header_bytes; /* 4 or 8 */
    mplan_vtu_compressor compressor;
    const char *group_array; /* the name that was asked for, or NULL */
    mplan_vector pieces;     /* mplan_vtu_piece */
    mplan_vector data;       /* mplan_vtu_data, in the order of the file */
    mplan_vector sources;    /* char *: files of pieces; of PARALLEL only */
    uint64_t *inflated;      /* bytes of all arrays so far */
} mplan_vtu_file;

/* "path:line: ", the line that holds `at`. */
#if defined __GNUC__
__attribute__((format(printf, 5, 6)))
#endif
mplan_status
mplan_vtu_fail(const mplan_vtu_file *file, const char *at, mplan_error *err, mplan_status status,
               const char *format, ...);

/* vtu_xml.c: finds the pieces and where their arrays are. */
mplan_status mplan_vtu_find(mplan_vtu_file *file, mplan_error *err);

/* vtu_tags.c: whether [at, end) begins with the text; behind the '>' that ends what begins with the '<' at `at`, NULL
 * when it does not end within MPLAN_VTU_MOST_TAG bytes. */
enum { MPLAN_VTU_MOST_TAG = 1 << 20 };
bool mplan_vtu_starts(const char *at, const char *end, const char *text);
const char *mplan_vtu_tag_end(const char *at, const char *end);

/* vtu_data.c: the numbers of an array, one batch after the other. */
typedef struct mplan_vtu_source mplan_vtu_source;
enum { MPLAN_VTU_BATCH = 4096 };

/* Numbers that `bytes` encoded bytes of the array may hold at most: for bounds before anything is allocated. */
int64_t mplan_vtu_least_bytes(const mplan_vtu_file *file, const mplan_vtu_array *array, int64_t n);

/* n: how many numbers there must be; *source is to be closed, also after failures that follow. what:
 * for messages. exact: more are an error as well. */
mplan_status mplan_vtu_open(const mplan_vtu_file *file, const mplan_vtu_array *array,
                            const char *what, int64_t n, bool exact, mplan_vtu_source **source,
                            mplan_error *err);
/* The next numbers, at most MPLAN_VTU_BATCH; *got is 0 only behind the last. Whole numbers only: reals are
 * MPLAN_ERR_CORRUPT; unsigned ones above INT64_MAX too. */
mplan_status mplan_vtu_next_whole(mplan_vtu_source *source, int64_t *values, int64_t *got,
                                  mplan_error *err);
mplan_status mplan_vtu_next_real(mplan_vtu_source *source, double *values, int64_t *got,
                                 mplan_error *err);
/* "path:line: " or "path: byte N: " of the batch at hand. */
#if defined __GNUC__
__attribute__((format(printf, 4, 5)))
#endif
mplan_status
mplan_vtu_fail_in(const mplan_vtu_source *source, mplan_error *err, mplan_status status,
                  const char *format, ...);
void mplan_vtu_close(mplan_vtu_source *source);

struct mplan_vtk_cells;
/* vtu_load.c: the cells of one file, or of PARALLEL in *sources the names of files (char *, the caller's); NULL: that is
 * refused. ghosts: their array is a field. cells: zeroed; released by the caller, also after a failure. *inflated: bytes so far. */
mplan_status mplan_vtu_load(const mplan_input *input, const mplan_read_options *options,
                            bool ghosts, uint64_t *inflated, const mplan_context *context,
                            struct mplan_vtk_cells *cells, mplan_vector *sources, mplan_error *err);
/* pvtu.c: the cells of the files that `file` names, without those that are another piece's; points that pieces share
 * are one. */
mplan_status mplan_vtu_load_pieces(const mplan_vtu_file *file, const mplan_read_options *options,
                                   struct mplan_vtk_cells *cells, mplan_error *err);

/* vtu_groups.c: gives the cells, of all pieces, the fields of cells and points that are groups. */
mplan_status mplan_vtu_read_groups(const mplan_vtu_file *file, struct mplan_vtk_cells *cells,
                                   mplan_error *err);

/* vtu_convert.c. Bytes of a number. */
int32_t mplan_vtu_size_of(mplan_vtu_type type);
/* n numbers, unaligned. False: reals, or an unsigned number above INT64_MAX. */
bool mplan_vtu_convert_whole(mplan_vtu_type type, const uint8_t *from, int64_t n, int64_t *to);
void mplan_vtu_convert_real(mplan_vtu_type type, const uint8_t *from, int64_t n, double *to);

#endif
