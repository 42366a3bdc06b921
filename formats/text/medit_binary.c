/* SPDX-License-Identifier: Apache-2.0 */
/* medit_binary.c - binary files of medit's format (.meshb)
 *
 * After the documentation of libMeshb. A one tells the byte order, then comes the version; then sections: code of the
 * keyword, byte of the file where the next section begins, for most of them a number of rows, and the rows. Codes and the
 * dimension have 32 bits. Version 1 has 32-bit reals, the others 64-bit ones; versions 3 and 4 have 64-bit
 * positions, and 4 64-bit whole numbers as well. */
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/text/medit_parts.h"
#include "mesh/mesh.h"

enum { KEY_DIMENSION = 3, KEY_END = 54 };

/* A binary file of medit that is read. */
typedef struct binary_reader {
    const mplan_input *input;
    mplan_collection *collection;
    size_t at;
    bool swapped;
    int32_t real_bytes, position_bytes, whole_bytes;
    int32_t dimension;
    int64_t n_nodes;   /* -1: not known yet */
    int64_t most_node; /* that a cell names; where */
    size_t most_at;
} binary_reader;

/* A code 1 and a version in either byte order, then the section of the dimension, which comes
 * first. */
bool mplan_medit_recognise_binary(const uint8_t *data, size_t size)
{
    static const uint8_t little[4] = {1, 0, 0, 0}, big[4] = {0, 0, 0, 1};
    if (size < 12)
        return false;
    if (memcmp(data, little, 4) == 0)
        return data[4] >= 1 && data[4] <= 4 && !data[5] && !data[6] && !data[7] &&
               data[8] == KEY_DIMENSION;
    return memcmp(data, big, 4) == 0 && data[7] >= 1 && data[7] <= 4 && !data[4] && !data[5] &&
           !data[6] && data[11] == KEY_DIMENSION;
}

/* at: a byte of the file; number: the end of the sentence. */
static mplan_status fail_at(const binary_reader *reader, size_t at, mplan_status status,
                            const char *reason, int64_t number, mplan_error *err)
{
    return mplan_fail(err, status, "%s: byte %zu: %s %lld", reader->input->path, at, reason,
                      (long long)number);
}

/* Whether that many bytes are left. */
static mplan_status need(const binary_reader *reader, int64_t bytes, mplan_error *err)
{
    if (bytes <= (int64_t)(reader->input->size - reader->at))
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %zu: the file ends within a section",
                      reader->input->path, reader->at);
}

/* The next number, which is there. */
static int64_t take_whole(binary_reader *reader, int32_t bytes)
{
    const uint8_t *at = reader->input->data + reader->at;
    reader->at += (size_t)bytes;
    uint64_t bits = mplan_load_bits(at, bytes, reader->swapped);
    return bytes == 4 ? (int32_t)bits : (int64_t)bits;
}

/* 4 bytes in version 1, else 8; the caller has checked that they are there. */
static double take_real(binary_reader *reader)
{
    const uint8_t *at = reader->input->data + reader->at;
    reader->at += (size_t)reader->real_bytes;
    uint64_t bits = mplan_load_bits(at, reader->real_bytes, reader->swapped);
    if (reader->real_bytes == 4) {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, 4);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

/* The number of rows, all of which are there. */
static mplan_status take_rows(binary_reader *reader, int64_t row_bytes, int64_t *rows,
                              mplan_error *err)
{
    size_t at = reader->at;
    mplan_status status = need(reader, reader->whole_bytes, err);
    if (status)
        return status;
    *rows = take_whole(reader, reader->whole_bytes);
    if (*rows < 0 || *rows > (int64_t)(reader->input->size - reader->at) / row_bytes)
        return fail_at(reader, at, MPLAN_ERR_CORRUPT,
                       "the file cannot hold the rows of a section:", *rows, err);
    return *rows < INT32_MAX ? MPLAN_OK
                             : fail_at(reader, at, MPLAN_ERR_UNSUPPORTED,
                                       "the number of rows exceeds 32 bits:", *rows, err);
}

/* 0 is not a group; any other number is that of the group that the entity read last belongs to. */
static mplan_status take_reference(binary_reader *reader, int32_t dimension, mplan_error *err)
{
    int64_t reference = take_whole(reader, reader->whole_bytes);
    return reference ? mplan_collect_member(reader->collection, dimension, reference, "", 0, err)
                     : MPLAN_OK;
}

/* As in text. */
static mplan_status read_vertices(binary_reader *reader, mplan_error *err)
{
    int64_t rows = 0;
    if (reader->n_nodes >= 0)
        return fail_at(reader, reader->at, MPLAN_ERR_CORRUPT, "a second section of vertices, code",
                       4, err);
    mplan_status status = take_rows(reader,
                                    reader->dimension * reader->real_bytes + reader->whole_bytes,
                                    &rows, err);
    if (!status && !mplan_vector_reserve(&reader->collection->xyz, 3 * rows, err))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < rows && !status; i++) {
        double xyz[3] = {0, 0, 0};
        for (int32_t d = 0; d < reader->dimension && !status; d++) {
            xyz[d] = take_real(reader);
            if (!(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = fail_at(reader, reader->at - (size_t)reader->real_bytes, MPLAN_ERR_MESH,
                                 "a coordinate is not finite, of vertex", i + 1, err);
        }
        if (!status)
            status = mplan_collect_node(reader->collection, xyz, err);
        if (!status)
            status = take_reference(reader, 0, err);
        if (!status && i % 65536 == 0)
            status = mplan_interrupted(reader->collection->context, err);
    }
    reader->n_nodes = rows;
    return status;
}

/* As in text. */
static mplan_status read_cells(binary_reader *reader, mplan_cell_type type, mplan_error *err)
{
    int64_t rows = 0, most = reader->n_nodes >= 0 ? reader->n_nodes : INT32_MAX - 1;
    int32_t n = mplan_cell_type_nodes(type), dimension = mplan_cell_type_dimension(type);
    mplan_status status = take_rows(reader, (int64_t)(n + 1) * reader->whole_bytes, &rows, err);
    if (!status)
        status = mplan_collect_room(reader->collection, type, rows, err);
    for (int64_t i = 0; i < rows && !status; i++) {
        int32_t *nodes = mplan_collect_cell(reader->collection, type, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        for (int32_t k = 0; k < n && !status; k++) {
            size_t at = reader->at;
            int64_t node = take_whole(reader, reader->whole_bytes);
            if (node < 1 || node > most)
                return fail_at(reader, at, MPLAN_ERR_MESH, "there is no vertex", node, err);
            if (node > reader->most_node) {
                reader->most_node = node;
                reader->most_at = at;
            }
            nodes[k] = (int32_t)(node - 1);
        }
        mplan_medit_order(type, nodes);
        status = take_reference(reader, dimension, err);
        if (!status && i % 65536 == 0)
            status = mplan_interrupted(reader->collection->context, err);
    }
    return status;
}

/* 2 or 3: how many coordinates a vertex has. */
static mplan_status read_dimension(binary_reader *reader, mplan_error *err)
{
    size_t at = reader->at;
    mplan_status status = need(reader, 4, err);
    if (status)
        return status;
    reader->dimension = (int32_t)take_whole(reader, 4);
    if (reader->dimension != 2 && reader->dimension != 3)
        return fail_at(reader, at, MPLAN_ERR_CORRUPT, "the dimension must be 2 or 3, not",
                       reader->dimension, err);
    return MPLAN_OK;
}

/* A section; *end: it is the last. */
static mplan_status read_section(binary_reader *reader, bool *end, mplan_error *err)
{
    size_t begin = reader->at;
    mplan_status status = need(reader, 4, err);
    int32_t code = status ? 0 : (int32_t)take_whole(reader, 4);
    *end = code == KEY_END;
    if (status || *end)
        return status;
    status = need(reader, reader->position_bytes, err);
    if (status)
        return status;
    int64_t next = take_whole(reader, reader->position_bytes);
    const mplan_medit_section *section = mplan_medit_by_code(code);
    const char *refused = mplan_medit_refused_code(code);
    if (refused)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: byte %zu: the section %s is not supported",
                          reader->input->path, begin, refused);
    if (section && reader->dimension == 0)
        return fail_at(reader, begin, MPLAN_ERR_CORRUPT,
                       "a section comes before the dimension, code", code, err);
    if (section && section->type == MPLAN_CELL_POINT)
        status = read_vertices(reader, err);
    else if (section)
        status = read_cells(reader, section->type, err);
    else if (code == KEY_DIMENSION)
        status = read_dimension(reader, err);
    /* the sections that are read need no position; some writers leave it 0 */
    if (!status && !(next == 0 && (section || code == KEY_DIMENSION)) &&
        (next < (int64_t)reader->at || next > (int64_t)reader->input->size))
        status = fail_at(reader, begin + 4, MPLAN_ERR_CORRUPT,
                         "the next section cannot begin at byte", next, err);
    if (!status && next != 0)
        reader->at = (size_t)next;
    return status;
}

/* Versions 1 to 4 differ in the width of positions, whole and real numbers.
 * Positions of sections only go forward, so that reading ends. */
mplan_status mplan_medit_read_binary(const mplan_input *input, mplan_collection *collection,
                                     mplan_error *err)
{
    binary_reader reader = {.input = input, .collection = collection, .n_nodes = -1};
    bool end = false;
    reader.swapped = input->data[0] == 0;
    reader.at = 4;
    int64_t version = take_whole(&reader, 4);
    reader.real_bytes = version == 1 ? 4 : 8;
    reader.position_bytes = version >= 3 ? 8 : 4;
    reader.whole_bytes = version == 4 ? 8 : 4;
    mplan_status status = MPLAN_OK;
    while (!status && !end && reader.at < input->size)
        status = read_section(&reader, &end, err);
    if (!status && reader.n_nodes < 0)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: byte %zu: the file ends without vertices",
                            input->path, reader.at);
    if (!status && reader.most_node > reader.n_nodes)
        status = fail_at(&reader, reader.most_at, MPLAN_ERR_MESH, "there is no vertex",
                         reader.most_node, err);
    return status;
}
