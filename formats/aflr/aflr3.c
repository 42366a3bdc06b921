/* SPDX-License-Identifier: Apache-2.0 */
/* aflr3.c - the meshes of AFLR3 (.ugrid), which FUN3D, Flow360 and others read
 *
 * After the description of the file type UGRID in the documentation of UG_IO (Mississippi State University). Seven
 * counts; coordinates; nodes of triangles and of quads; a number for each of these, the surface that it lies on; nodes of
 * tets, pyramids, prisms and hexahedra. Text, or binary in one of several layouts. What may follow (flags of
 * boundary layers, volumes) is skipped, but for meshes without volumes: their boundary edges, each two nodes and
 * a number, as Pointwise writes them. */
#include "formats/aflr/aflr3.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/collection.h"
#include "formats/not_finite.h"
#include "formats/scan.h"
#include "formats/sibling.h"

/* A file that is read. */
typedef struct aflr3_reader {
    const mplan_input *input;
    mplan_collection *collection;
    mplan_aflr3_layout layout; /* word "": text */
    mplan_scanner scan;        /* of text; of binary files for progress only */
    int64_t count[MPLAN_AFLR3_COUNTS];
    mplan_vector names; /* mplan_aflr3_name */
    int64_t last_name;  /* that was found */
    bool other_end; /* what follows the cells of a mesh without volumes is not its boundary edges */
} aflr3_reader;

/* Text has no layout. */
static bool is_binary(const aflr3_reader *reader)
{
    return reader->layout.word[0] != '\0';
}

/* The next whole number. Of binary files all are there but those behind the cells. */
static mplan_status take_whole(aflr3_reader *reader, const char *what, int64_t *value,
                               mplan_error *err)
{
    if (!is_binary(reader))
        return mplan_scan_i64(&reader->scan, what, value, err);
    const mplan_aflr3_layout *layout = &reader->layout;
    uint64_t bits = mplan_load_bits(reader->scan.at, layout->whole_bytes, layout->swapped);
    *value = layout->whole_bytes == 4 ? (int32_t)bits : (int64_t)bits;
    reader->scan.at += layout->whole_bytes;
    return MPLAN_OK;
}

/* The caller has seen to it that the number is there: the counts were compared with the file's
 * length. */
static mplan_status take_real(aflr3_reader *reader, double *value, mplan_error *err)
{
    if (!is_binary(reader))
        return mplan_scan_f64(&reader->scan, "a coordinate", value, err);
    const mplan_aflr3_layout *layout = &reader->layout;
    uint64_t bits = mplan_load_bits(reader->scan.at, layout->real_bytes, layout->swapped);
    if (layout->real_bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, 4);
        *value = (double)single;
    } else {
        memcpy(value, &bits, 8);
    }
    reader->scan.at += layout->real_bytes;
    return MPLAN_OK;
}

/* The place of the number that was taken last. */
#define fail_at(reader, bytes, ...)                                                            \
    mplan_scan_fail_at(&(reader)->scan, (reader)->scan.at - (is_binary(reader) ? (bytes) : 0), \
                       is_binary(reader), __VA_ARGS__)

/* Three coordinates each, node by node. */
static mplan_status read_nodes(aflr3_reader *reader, mplan_error *err)
{
    int64_t n = reader->count[MPLAN_AFLR3_NODES];
    mplan_status status = MPLAN_OK;
    if (!mplan_vector_reserve(&reader->collection->xyz, 3 * n, err))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        double xyz[3] = {0, 0, 0};
        for (int32_t d = 0; d < 3 && !status; d++) {
            status = take_real(reader, &xyz[d], err);
            if (!status && !(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = fail_at(reader, reader->layout.real_bytes, err, MPLAN_ERR_MESH,
                                 "a coordinate of node %lld is not finite (%s)", (long long)i + 1,
                                 mplan_not_finite(xyz[d]));
        }
        if (!status)
            status = mplan_collect_node(reader->collection, xyz, err);
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->collection->context, err);
    }
    return status;
}

/* Numbered from 1; *node from 0, set in any case. */
static mplan_status take_node(aflr3_reader *reader, int32_t *node, mplan_error *err)
{
    int64_t number = 0, n = reader->count[MPLAN_AFLR3_NODES];
    mplan_status status = take_whole(reader, "a node of a cell", &number, err);
    if (!status && (number < 1 || number > n))
        status = fail_at(reader, reader->layout.whole_bytes, err, MPLAN_ERR_MESH,
                         "node %lld is not in [1, %lld]", (long long)number, (long long)n);
    *node = status ? 0 : (int32_t)(number - 1);
    return status;
}

/* All cells of a kind. AFLR3's pyramid has its top in the middle: nodes 1, 4, 5, 2 are the base. */
static mplan_status read_cells(aflr3_reader *reader, int32_t kind, mplan_error *err)
{
    static const int8_t in_order[8] = {0, 1, 2, 3, 4, 5, 6, 7}, of_pyramid[5] = {0, 3, 4, 1, 2};
    const mplan_cell_type type = mplan_aflr3_type(kind);
    const int8_t *from = type == MPLAN_CELL_PYRAMID5 ? of_pyramid : in_order;
    const int32_t n = mplan_cell_type_nodes(type);
    mplan_status status = mplan_collect_room(reader->collection, type, reader->count[kind], err);
    for (int64_t c = 0; c < reader->count[kind] && !status; c++) {
        int32_t theirs[8] = {0}, *nodes = mplan_collect_cell(reader->collection, type, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < n && !status; k++)
            status = take_node(reader, &theirs[k], err);
        for (int32_t k = 0; k < n; k++)
            nodes[k] = theirs[from[k]];
        if (!status && c % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->collection->context, err);
    }
    return status;
}

/* The name of a surface, "" without one. */
static mplan_aflr3_name name_of(aflr3_reader *reader, int64_t id)
{
    const mplan_aflr3_name *names = reader->names.data;
    for (int64_t i = 0; i < reader->names.count; i++) {
        int64_t at = (reader->last_name + i) % reader->names.count;
        if (names[at].id == id) {
            reader->last_name = at;
            return names[at];
        }
    }
    return (mplan_aflr3_name){id, "", 0};
}

/* The surfaces of all triangles, then of all quads. */
static mplan_status read_surfaces(aflr3_reader *reader, mplan_error *err)
{
    int64_t n = reader->count[MPLAN_AFLR3_TRIS] + reader->count[MPLAN_AFLR3_QUADS];
    mplan_status status = MPLAN_OK;
    mplan_aflr3_name last = {0, "", 0};
    for (int64_t f = 0; f < n && !status; f++) {
        int64_t id = 0;
        status = take_whole(reader, "the number of a surface", &id, err);
        if (!status && (f == 0 || id != last.id))
            last = name_of(reader, id);
        if (!status)
            status = mplan_collect_member_at(reader->collection, 2, f, id, last.name, last.length,
                                             err);
    }
    return status;
}

/* Boundary edges of a mesh without volumes, if exactly these follow. */
static mplan_status read_edges(aflr3_reader *reader, mplan_error *err)
{
    const mplan_aflr3_layout *layout = &reader->layout;
    int64_t n = 0, left = (reader->scan.end - reader->scan.at) /
                          (is_binary(reader) ? layout->whole_bytes : 2);
    for (int32_t k = MPLAN_AFLR3_TETS; k < MPLAN_AFLR3_COUNTS; k++)
        if (reader->count[k] > 0)
            return MPLAN_OK;
    if (is_binary(reader) ? left < 1 || layout->records : !mplan_scan_skip_space(&reader->scan))
        return MPLAN_OK;
    mplan_status status = take_whole(reader, "the number of boundary edges", &n, err);
    reader->other_end = !status &&
                        (n < 0 || (is_binary(reader) ? n != (left - 1) / 3 || left != 1 + 3 * n
                                                     : n > left / 3 + 1));
    if (status || reader->other_end)
        return status;
    for (int64_t e = 0; e < n && !status; e++) {
        int64_t id = 0;
        int32_t *nodes = mplan_collect_cell(reader->collection, MPLAN_CELL_LINE2, err);
        status = nodes ? take_node(reader, &nodes[0], err) : MPLAN_ERR_MEMORY;
        if (!status)
            status = take_node(reader, &nodes[1], err);
        if (!status)
            status = take_whole(reader, "the number of a boundary", &id, err);
        if (!status)
            status = mplan_collect_member(reader->collection, 1, id, "", 0, err);
    }
    return status;
}

/* What the header counts, with the file's room for it. */
static mplan_status take_counts(aflr3_reader *reader, mplan_error *err)
{
    double numbers = 0;
    for (int32_t k = 0; k < MPLAN_AFLR3_COUNTS; k++) {
        int64_t *count = &reader->count[k];
        mplan_status status = mplan_scan_i64(&reader->scan, "a count of the header", count, err);
        if (!status && (*count < 0 || *count >= INT32_MAX))
            status = mplan_scan_fail(&reader->scan, err,
                                     *count < 0 ? MPLAN_ERR_CORRUPT : MPLAN_ERR_UNSUPPORTED,
                                     "a count of the header must be 0 or more, not %lld",
                                     (long long)*count);
        if (status)
            return status;
        numbers += (double)*count *
                   (k == MPLAN_AFLR3_NODES
                        ? 3
                        : mplan_cell_type_nodes(mplan_aflr3_type(k)) + (k <= MPLAN_AFLR3_QUADS));
    }
    if (2 * numbers > (double)(reader->scan.end - reader->scan.at) + 1)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "the header gives more nodes and cells than the file can hold");
    return MPLAN_OK;
}

/* Finds out how the file is to be read, and what it counts. */
static mplan_status begin(aflr3_reader *reader, mplan_error *err)
{
    const mplan_input *input = reader->input;
    mplan_scan_begin(&reader->scan, input);
    bool sound = mplan_aflr3_find_layout(input->data, input->size, input->path, &reader->layout,
                                         reader->count);
    if (!is_binary(reader))
        return take_counts(reader, err);
    if (!sound && mplan_aflr3_bytes(&reader->layout, reader->count) > (double)input->size)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: byte %zu: the file ends too early: its header promises %.0f bytes (as '%s')",
                          input->path, input->size,
                          mplan_aflr3_bytes(&reader->layout, reader->count), reader->layout.word);
    reader->scan.at = reader->scan.begin + mplan_aflr3_data_at(&reader->layout);
    return MPLAN_OK;
}

/* The order is the file's: nodes, triangles, quads, the numbers of their surfaces, then volumes,
 * and in plane meshes edges. */
static mplan_status read_all(aflr3_reader *reader, mplan_error *err)
{
    mplan_status status = begin(reader, err);
    if (!status)
        status = read_nodes(reader, err);
    for (int32_t k = MPLAN_AFLR3_TRIS; k < MPLAN_AFLR3_COUNTS && !status; k++) {
        status = read_cells(reader, k, err);
        if (!status && k == MPLAN_AFLR3_QUADS)
            status = read_surfaces(reader, err);
    }
    return status ? status : read_edges(reader, err);
}

/* The names of surfaces, which the collection points to, come from a file of their own. */
static mplan_status read_aflr3(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_collection collection;
    mplan_input_file mapbc;
    size_t length;
    bool found;
    mplan_aflr3_layout layout;
    (void)options;
    const char *word = mplan_aflr3_word(input->path, &length);
    int32_t endings = mplan_aflr3_layout_of(word, length, &layout) ? 2 : 1;
    mplan_status status = mplan_sibling_open(input, mplan_sibling_stem(input->path, endings),
                                             ".mapbc", &mapbc, &found, context, err);
    if (status)
        return status;
    aflr3_reader reader = {.input = input,
                           .collection = &collection,
                           .names = MPLAN_VECTOR_INIT(sizeof(mplan_aflr3_name))};
    mplan_collection_begin(&collection, input->path, context);
    if (found)
        status = mplan_aflr3_read_names(&mapbc.input, &reader.names, err);
    if (!status)
        status = read_all(&reader, err);
    if (!status)
        status = mplan_collection_to_mesh(&collection, mesh, err);
    if (!status && reader.other_end)
        mplan_warn(context,
                   "%s: what follows the surfaces is not a list of boundary edges, and is skipped",
                   input->path);
    mplan_collection_free(&collection);
    free(reader.names.data);
    if (found)
        mplan_sibling_close(&mapbc);
    return status;
}

/* How many numbers the line holds; whole: all are; *sum of whole ones. -1: something else is there. */
static int32_t numbers_in_line(mplan_scanner *scan, bool *whole)
{
    int32_t n = 0;
    *whole = true;
    for (; !mplan_scan_line_ends(scan) && n < 8; n++) {
        double real;
        int64_t number;
        const char *word = scan->at;
        if (mplan_scan_f64(scan, "", &real, NULL))
            return -1;
        *whole = *whole && mplan_parse_i64(word, scan->at, &number) == (size_t)(scan->at - word) &&
                 number >= 0;
    }
    return n;
}

/* Text: a line of seven whole numbers and one of three, of which not all are whole. Where they are it may be a
 * table. */
static mplan_recognised recognise_text(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 4096 ? size : 4096, NULL};
    mplan_scanner scan;
    bool whole;
    mplan_scan_begin(&scan, &input);
    mplan_scan_skip_space(&scan);
    if (numbers_in_line(&scan, &whole) != MPLAN_AFLR3_COUNTS || !whole ||
        !mplan_scan_next_line(&scan) || numbers_in_line(&scan, &whole) != 3)
        return MPLAN_RECOGNISED_NO;
    return whole ? MPLAN_RECOGNISED_BY_NAME : MPLAN_RECOGNISED_YES;
}

/* Nothing marks these files: a header of seven counts has to fit the file's length in one of the
 * layouts, and the first rows to name nodes. */
static mplan_recognised recognise_aflr3(const uint8_t *data, size_t size)
{
    mplan_aflr3_layout layout;
    int64_t count[MPLAN_AFLR3_COUNTS];
    if (mplan_aflr3_find_layout(data, size, "", &layout, count))
        return MPLAN_RECOGNISED_YES;
    return layout.word[0] ? MPLAN_RECOGNISED_BY_NAME : recognise_text(data, size);
}

const mplan_file_format mplan_format_aflr3 = {
    .name = "aflr3",
    .description = "AFLR3 (FUN3D, Flow360): .lb8.ugrid, .b8.ugrid and other binary layouts, text",
    .extensions = ".ugrid",
    .recognise = recognise_aflr3,
    .read = read_aflr3,
    .write = mplan_aflr3_write,
};
