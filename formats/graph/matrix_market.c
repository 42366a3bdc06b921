/* SPDX-License-Identifier: Apache-2.0 */
/* matrix_market.c - sparse matrices in the Matrix Market format (.mtx)
 *
 * After R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market Exchange Formats: Initial Design,
 * NISTIR 5935 (1996). A square matrix is the graph of its pattern, as that of a
 * finite element matrix is: a node a row, an edge for every pair i < j of which (i, j) or
 * (j, i) is stored; the diagonal says nothing. Other matrices, and all by the
 * format mtx-rows, are the map rows_columns, ragged and ascending (a hypergraph), where both triangles of symmetric
 * ones count. Entries that are stored count, whatever their value, and once.
 *
 * The entries are read twice, counted and then put into their rows, so that
 * they are never held as pairs. */
#include <stdlib.h>
#include <string.h>

#include "base/buckets.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/graph/element_graph.h"
#include "mesh/mesh.h"

enum { MOST = INT32_MAX - 1, SMALL = 4096 };

static const char banner[] = "%%MatrixMarket";

/* A matrix that is read: rows as offsets and columns. */
typedef struct matrix_reader {
    mplan_scanner scan;
    const mplan_context *context;
    int32_t values; /* numbers behind row and column */
    bool both;      /* of an entry (i, j), (j, i) is meant as well */
    bool graph;
    int64_t rows, columns, entries;
    int64_t *offsets;    /* rows + 1 */
    int32_t *columns_of; /* rows one after the other */
} matrix_reader;

/* --- the head -------------------------------------------------------------------- */

/* The banner's words in any case; text is lower-case. */
static bool equal_words(const char *word, size_t length, const char *text)
{
    for (size_t i = 0; i < length; i++) {
        char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
        if (text[i] == '\0' || c != text[i])
            return false;
    }
    return text[length] == '\0';
}

/* The next word of the first line as an index into words. */
static mplan_status take_word(matrix_reader *reader, const char *what, const char *const *words,
                              int32_t n, int32_t *index, mplan_error *err)
{
    const char *word = "";
    size_t length = 0;
    if (!mplan_scan_line_ends(&reader->scan))
        mplan_scan_word(&reader->scan, &word, &length);
    for (*index = 0; *index < n; (*index)++)
        if (equal_words(word, length, words[*index]))
            return MPLAN_OK;
    for (size_t i = 0; i < length; i++)
        if (word[i] < 0x20 || word[i] > 0x7e)
            length = i;
    return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "'%.*s' is not a %s of a matrix",
                           length < 40 ? (int)length : 40, word, what);
}

/* "%%MatrixMarket matrix coordinate real general" */
static mplan_status read_banner(matrix_reader *reader, mplan_error *err)
{
    static const char *const objects[] = {"matrix", "vector", "graph", "directed"};
    static const char *const layouts[] = {"coordinate", "array"};
    static const char *const fields[] = {"pattern", "real",   "integer",
                                         "complex", "double", "unsigned-integer"};
    static const int32_t numbers[] = {0, 1, 1, 2, 1, 1};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    int32_t object, layout, field, symmetry;
    size_t length = sizeof banner - 1;
    if ((size_t)(reader->scan.end - reader->scan.at) < length ||
        memcmp(reader->scan.at, banner, length) != 0)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "the file does not begin with %s", banner);
    reader->scan.at += length;
    mplan_status status = take_word(reader, "object", objects, 4, &object, err);
    if (!status && object != 0)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "the object is a %s, not a matrix", objects[object]);
    if (!status)
        status = take_word(reader, "layout", layouts, 2, &layout, err);
    if (!status && layout != 0)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "an array (dense matrix) has no sparsity pattern; only "
                               "coordinate is supported");
    if (!status)
        status = take_word(reader, "field", fields, 6, &field, err);
    if (!status)
        status = take_word(reader, "symmetry", symmetries, 4, &symmetry, err);
    if (!status) {
        reader->values = numbers[field];
        reader->both = symmetry != 0;
    }
    return status;
}

/* The first line that is not a comment. */
static mplan_status read_sizes(matrix_reader *reader, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    int64_t *const sizes[] = {&reader->rows, &reader->columns, &reader->entries};
    static const char *const what[] = {"the number of rows", "the number of columns",
                                       "the number of entries"};
    while (mplan_scan_next_line(scan) && (*scan->at == '%' || mplan_scan_line_ends(scan))) {
    }
    for (int32_t i = 0; i < 3; i++) {
        if (i > 0 && mplan_scan_line_ends(scan))
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                                   "expected %s, found the end of the line", what[i]);
        mplan_status status = mplan_scan_i64(scan, what[i], sizes[i], err);
        if (status)
            return status;
        if (*sizes[i] < 0)
            return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "%s is %lld", what[i],
                                   (long long)*sizes[i]);
    }
    if (!mplan_scan_line_ends(scan))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "the line of the sizes has more than three numbers");
    int64_t left = scan->end - scan->at;
    if (reader->entries > left / (4 + 2 * reader->values) + 1)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT,
                               "%lld entries are more than the file can hold",
                               (long long)reader->entries);
    if (reader->rows > MOST || reader->columns > MOST || reader->entries > MOST)
        return mplan_scan_fail(scan, err, MPLAN_ERR_UNSUPPORTED,
                               "%lld rows, %lld columns and %lld entries "
                               "exceed 32 bits",
                               (long long)reader->rows, (long long)reader->columns,
                               (long long)reader->entries);
    /* the file bounds what is allocated: a row that is not empty takes four bytes of it */
    if (reader->rows > left + SMALL || reader->columns > left + SMALL)
        return mplan_scan_fail(scan, err, MPLAN_ERR_UNSUPPORTED,
                               "most of the %lld rows or %lld columns are empty",
                               (long long)reader->rows, (long long)reader->columns);
    if (reader->rows != reader->columns) {
        if (reader->both)
            return mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                   "a symmetric matrix cannot have %lld rows and %lld columns",
                                   (long long)reader->rows, (long long)reader->columns);
        reader->graph = false;
    }
    return MPLAN_OK;
}

/* --- entries --------------------------------------------------------------------- */

/* what: "row" or "column". */
static mplan_status fail_index(const matrix_reader *reader, const char *what, int64_t value,
                               int64_t size, mplan_error *err)
{
    return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH, "%s %lld is not in [1, %lld]", what,
                           (long long)value, (long long)size);
}

/* Row and column of the next entry, from 0; the values behind them are looked at once. */
static mplan_status take_entry(matrix_reader *reader, bool values, int64_t *row, int64_t *column,
                               mplan_error *err)
{
    double unused;
    mplan_status status = mplan_scan_i64(&reader->scan, "the row of an entry", row, err);
    int64_t line = reader->scan.line; /* all of it, so that both readings see the same entries */
    if (!status)
        status = mplan_scan_i64(&reader->scan, "the column of an entry", column, err);
    if (!status && (*row < 1 || *row > reader->rows))
        return fail_index(reader, "row", *row, reader->rows, err);
    if (!status && (*column < 1 || *column > reader->columns))
        return fail_index(reader, "column", *column, reader->columns, err);
    if (values)
        for (int32_t i = 0; i < reader->values && !status; i++)
            status = mplan_scan_f64(&reader->scan, "the value of an entry", &unused, err);
    if (!status && values && (!mplan_scan_line_ends(&reader->scan) || reader->scan.line != line))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "an entry must be a line of %d numbers", 2 + reader->values);
    mplan_scan_next_line(&reader->scan);
    (*row)--;
    (*column)--;
    return status;
}

/* Which places of the rows an entry takes: none, one or two. */
static int32_t places(const matrix_reader *reader, int64_t row, int64_t column, int64_t place[2][2])
{
    if (reader->graph) {
        place[0][0] = row < column ? row : column;
        place[0][1] = row < column ? column : row;
        return row != column;
    }
    place[0][0] = place[1][1] = row;
    place[0][1] = place[1][0] = column;
    return reader->both && row != column ? 2 : 1;
}

/* Goes through all entries: counts them in offsets[row + 1], or puts them where offsets[row] says. */
static mplan_status go_through(matrix_reader *reader, bool put, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < reader->entries && !status; i++) {
        int64_t row, column, place[2][2];
        status = take_entry(reader, !put, &row, &column, err);
        int32_t n = status ? 0 : places(reader, row, column, place);
        for (int32_t k = 0; k < n; k++) {
            if (put)
                reader->columns_of[reader->offsets[place[k][0]]++] = (int32_t)place[k][1];
            else
                reader->offsets[place[k][0] + 1]++;
        }
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
    }
    return status;
}

/* Two passes over the lines: count the entries of each row, then write them. */
static mplan_status read_entries(matrix_reader *reader, mplan_error *err)
{
    reader->offsets = mplan_alloc_zero(reader->rows + 1, sizeof *reader->offsets, err);
    if (!reader->offsets)
        return MPLAN_ERR_MEMORY;
    mplan_scan_next_line(&reader->scan);
    mplan_scanner start = reader->scan;
    mplan_status status = go_through(reader, false, err);
    if (!status && mplan_scan_skip_space(&reader->scan))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "the file continues after its %lld entries",
                                 (long long)reader->entries);
    if (status)
        return status;
    mplan_sum_counts(reader->offsets, reader->rows);
    reader->columns_of = mplan_alloc(reader->offsets[reader->rows], sizeof *reader->columns_of, err);
    if (!reader->columns_of)
        return MPLAN_ERR_MEMORY;
    reader->scan = start;
    status = go_through(reader, true, err);
    /* each offset has moved to where its row ends */
    mplan_step_back(reader->offsets, reader->rows);
    return status;
}

/* Every row ascending, each column once; the rows close up. */
static void sort_rows(matrix_reader *reader)
{
    int64_t kept = 0;
    for (int64_t r = 0; r < reader->rows; r++) {
        int64_t first = reader->offsets[r], last = reader->offsets[r + 1];
        int32_t *column = reader->columns_of;
        mplan_sort_i32(column + first, last - first);
        reader->offsets[r] = kept;
        for (int64_t i = first; i < last; i++)
            if (i == first || column[i] != column[kept - 1])
                column[kept++] = column[i];
    }
    reader->offsets[reader->rows] = kept;
}

/* --- the mesh -------------------------------------------------------------------- */

/* Each entry of the kept triangle is an edge. */
static mplan_status take_graph(matrix_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    int64_t n = reader->offsets[reader->rows];
    int32_t *ends = mplan_alloc(2 * n, sizeof *ends, err);
    if (!ends)
        return MPLAN_ERR_MEMORY;
    for (int64_t r = 0; r < reader->rows; r++)
        for (int64_t i = reader->offsets[r]; i < reader->offsets[r + 1]; i++) {
            ends[2 * i] = (int32_t)r;
            ends[2 * i + 1] = reader->columns_of[i];
        }
    return mplan_mesh_take_edges(mesh, reader->rows, n, ends, err);
}

/* A general matrix is a map rows -> columns. */
static mplan_status take_rows(matrix_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    int32_t rows, columns;
    mplan_status status = mplan_mesh_add_set(mesh, "rows", reader->rows, &rows, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "columns", reader->columns, &columns, err);
    if (status)
        return status;
    int64_t *offsets = reader->offsets;
    int32_t *values = reader->columns_of;
    reader->offsets = NULL;
    reader->columns_of = NULL;
    return mplan_mesh_take_map(mesh, "rows_columns", rows, columns, 0, offsets, values, NULL, err);
}

/* graph: a symmetric pattern is a graph of its rows; else rows lead to columns. */
static mplan_status read_matrix(const mplan_input *input, bool graph, const mplan_context *context,
                                mplan_mesh *mesh, mplan_error *err)
{
    matrix_reader reader = {.context = context, .graph = graph};
    mplan_scan_begin(&reader.scan, input);
    mplan_status status = read_banner(&reader, err);
    if (!status)
        status = read_sizes(&reader, err);
    if (!status)
        status = read_entries(&reader, err);
    if (!status) {
        sort_rows(&reader);
        status = reader.graph ? take_graph(&reader, mesh, err) : take_rows(&reader, mesh, err);
    }
    free(reader.offsets);
    free(reader.columns_of);
    return status;
}

/* Entries are edges between rows; the diagonal is left out. */
static mplan_status read_graph(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    return read_matrix(input, true, context, mesh, err);
}

/* Entries of a row are its points. */
static mplan_status read_rows(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    return read_matrix(input, false, context, mesh, err);
}

/* By the banner. */
static mplan_recognised recognise_matrix(const uint8_t *data, size_t size)
{
    size_t length = sizeof banner - 1;
    return size >= length && memcmp(data, banner, length) == 0 ? MPLAN_RECOGNISED_YES
                                                               : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_matrix = {
    .name = "mtx",
    .description = "Matrix Market, coordinate: the graph of a square matrix, the rows of others",
    .extensions = ".mtx",
    .recognise = recognise_matrix,
    .read = read_graph,
};

const mplan_file_format mplan_format_matrix_rows = {
    .name = "mtx-rows",
    .description = "Matrix Market, coordinate, only if it is named: rows_columns (a hypergraph)",
    .extensions = ".mtx",
    .read = read_rows,
};
