/* SPDX-License-Identifier: Apache-2.0 */
/* fluent_rows.c - coordinates and faces of a Fluent file, text and binary */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/byte_order.h"
#include "formats/fluent/fluent.h"

enum { PAUSE = 65536 };

/* The body of a section that is read.
 * scan moves over the rows; swapped: bytes of a number are in the opposite order of the machine's. */
typedef struct row_reader {
    mplan_fluent_section *section;
    mplan_scanner scan;
    bool swapped;
} row_reader;

/* At the first row. Binary sections are little-endian. */
static row_reader open_rows(mplan_fluent_section *section)
{
    const uint16_t one = 1;
    return (row_reader){section, section->body, *(const uint8_t *)&one != 1};
}

#define fail_row(reader, ...)                                                                  \
    mplan_scan_fail_at(&(reader)->scan, (reader)->scan.at, (reader)->section->real_bytes != 0, \
                       __VA_ARGS__)

/* Whether so many are left. */
static mplan_status need_bytes(const row_reader *reader, int64_t bytes, mplan_error *err)
{
    return bytes <= reader->scan.end - reader->scan.at
               ? MPLAN_OK
               : fail_row(reader, err, MPLAN_ERR_CORRUPT, "the file ends within a section");
}

/* Text, 4 or 8 bytes; finite. */
static mplan_status take_real(row_reader *reader, double *value, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    const int32_t bytes = reader->section->real_bytes;
    if (bytes == 0) {
        mplan_scan_skip_space(scan);
        size_t used = mplan_parse_f64(scan->at, scan->end, value);
        if (!used)
            return fail_row(reader, err, MPLAN_ERR_CORRUPT, "expected a coordinate");
        scan->at += used;
    } else {
        mplan_status status = need_bytes(reader, bytes, err);
        if (status)
            return status;
        uint64_t bits = mplan_load_bits(scan->at, bytes, reader->swapped);
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, 4);
        memcpy(value, &bits, 8);
        *value = bytes == 4 ? (double)single : *value;
        scan->at += bytes;
    }
    return *value - *value == 0
               ? MPLAN_OK /* also false for NaN */
               : fail_row(reader, err, MPLAN_ERR_MESH, "a coordinate is not finite");
}

/* Hexadecimal in text, 4 bytes with a sign in binary sections. */
static mplan_status take_whole(row_reader *reader, const char *what, int64_t *value, mplan_error *err)
{
    if (reader->section->real_bytes == 0)
        return mplan_fluent_hex(&reader->scan, what, value, err);
    mplan_status status = need_bytes(reader, 4, err);
    if (status)
        return status;
    *value = (int32_t)mplan_load_bits(reader->scan.at, 4, reader->swapped);
    reader->scan.at += 4;
    return MPLAN_OK;
}

/* Members of a section take at least so many bytes each. */
static mplan_status check_room(const mplan_fluent_section *section, int64_t bytes, mplan_error *err)
{
    int64_t n = section->last - section->first + 1;
    if (n <= (section->body.end - section->body.at) / bytes + 1)
        return MPLAN_OK;
    return mplan_scan_fail(&section->body, err, MPLAN_ERR_CORRUPT,
                           "the file cannot hold the %lld rows of zone %lld", (long long)n,
                           (long long)section->zone);
}

/* Numbers of the sections of a kind run from 1: how many there are. text_bytes: that a row of
 * text takes at least; words: numbers of a binary one. Sections that overlap leave gaps
 * elsewhere, as the sum is right: of nodes they are found when all are read, of faces the
 * numbers say nothing else. */
static mplan_status count_members(mplan_fluent *file, int32_t kind, int64_t text_bytes,
                                  int64_t words, int64_t *n, mplan_error *err)
{
    int64_t sum = 0, most = 0;
    for (int64_t s = 0; s < file->sections.count; s++) {
        mplan_fluent_section *section = mplan_fluent_section_at(file, s);
        if (section->kind != kind || !section->body.at)
            continue;
        int64_t bytes = kind != MPLAN_FLUENT_NODES ? 4 * words : words * section->real_bytes;
        mplan_status status = check_room(section, section->real_bytes ? bytes : text_bytes, err);
        if (status)
            return status;
        sum += section->last - section->first + 1;
        most = section->last > most ? section->last : most;
    }
    *n = most;
    if (sum == most)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_CORRUPT,
                      "%s: the sections have %lld %s, but these are "
                      "numbered up to %lld",
                      file->scan.path, (long long)sum,
                      kind == MPLAN_FLUENT_NODES ? "nodes" : "faces", (long long)most);
}

/* --- nodes -------------------------------------------------------------------------- */

/* Into file->xyz by their numbers.
 * It has 3 * n_nodes entries; count_members has seen to it that last is at most n_nodes. */
static mplan_status read_zone_nodes(mplan_fluent *file, mplan_fluent_section *section,
                                    mplan_error *err)
{
    row_reader reader = open_rows(section);
    mplan_status status = MPLAN_OK;
    if (section->shape != 2 && section->shape != 3)
        return mplan_scan_fail(&section->body, err, MPLAN_ERR_CORRUPT,
                               "nodes must have 2 or 3 coordinates, not %lld",
                               (long long)section->shape);
    for (int64_t i = section->first - 1; i < section->last && !status; i++) {
        file->xyz[3 * i + 2] = 0; /* in the plane */
        for (int64_t d = 0; d < section->shape && !status; d++)
            status = take_real(&reader, &file->xyz[3 * i + d], err);
        if (!status && i % PAUSE == 0)
            status = mplan_scan_heed(&reader.scan, file->context, err);
    }
    return status;
}

/* file->xyz: three a node. What no section fills stays NaN, which no coordinate can be. */
mplan_status mplan_fluent_read_nodes(mplan_fluent *file, mplan_error *err)
{
    mplan_status status = count_members(file, MPLAN_FLUENT_NODES, 4, 2, &file->n_nodes, err);
    if (status)
        return status;
    file->xyz = mplan_alloc(3 * file->n_nodes, sizeof *file->xyz, err);
    if (!file->xyz)
        return MPLAN_ERR_MEMORY;
    memset(file->xyz, 0xff, (size_t)(3 * file->n_nodes) * sizeof *file->xyz); /* NaN: not read */
    for (int64_t s = 0; s < file->sections.count && !status; s++) {
        mplan_fluent_section *section = mplan_fluent_section_at(file, s);
        if (section->kind == MPLAN_FLUENT_NODES && section->body.at)
            status = read_zone_nodes(file, section, err);
    }
    for (int64_t i = 0; i < file->n_nodes && !status; i++)
        if (file->xyz[3 * i] - file->xyz[3 * i] != 0)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "%s: node %lld is in no section, others are in two",
                                file->scan.path, (long long)i + 1);
    return status;
}

/* --- faces -------------------------------------------------------------------------- */

/* How many nodes a face has; rows of mixed zones and of polygons begin with it. 0: what cuts of two interfaces leave
 * behind.
 * *n: at least 2 or 0, and no more than bytes are left for. */
static mplan_status take_size(row_reader *reader, int64_t *n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    *n = reader->section->shape;
    if (*n == 0 || *n == 5)
        status = take_whole(reader, "the number of nodes of a face", n, err);
    if (!status && (*n < 0 || *n == 1 || *n > (reader->scan.end - reader->scan.at) / 2))
        status = fail_row(reader, err, MPLAN_ERR_CORRUPT, "a face cannot have %lld nodes",
                          (long long)*n);
    return status;
}

/* n nodes of the next face, from 0 each, behind those of the face before.
 * file->offsets gets where the next face begins. */
static mplan_status take_corners(mplan_fluent *file, row_reader *reader, int64_t n, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int32_t *to = mplan_vector_reserve(&file->nodes, n, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t k = 0; k < n && !status; k++) {
        int64_t node = 0;
        status = take_whole(reader, "a node of a face", &node, err);
        if (!status && (node < 1 || node > file->n_nodes))
            status = fail_row(reader, err, MPLAN_ERR_MESH, "node %lld is not in [1, %lld]",
                              (long long)node, (long long)file->n_nodes);
        to[k] = status ? 0 : (int32_t)(node - 1);
    }
    file->nodes.count += n;
    return status ? status : mplan_vector_push(&file->offsets, &file->nodes.count, err);
}

/* The cells on both sides; -1 is none.
 * From 0; n_cells grows to the largest number that a face has. */
static mplan_status take_sides(mplan_fluent *file, row_reader *reader, int32_t side[2],
                               mplan_error *err)
{
    for (int32_t k = 0; k < 2; k++) {
        int64_t cell = 0;
        mplan_status status = take_whole(reader, "a cell of a face", &cell, err);
        if (!status && (cell < 0 || cell >= INT32_MAX))
            status = fail_row(reader, err, MPLAN_ERR_MESH, "a cell of a face must not be %lld",
                              (long long)cell);
        if (status)
            return status;
        side[k] = (int32_t)(cell - 1);
        file->n_cells = cell > file->n_cells ? cell : file->n_cells;
    }
    return side[0] < 0 || side[0] != side[1]
               ? MPLAN_OK
               : fail_row(reader, err, MPLAN_ERR_MESH, "a face has cell %d on both sides",
                          side[0] + 1);
}

/* A row: size where rows have it, nodes, the two cells. Faces without nodes are counted only. */
static mplan_status read_face(mplan_fluent *file, row_reader *reader, mplan_error *err)
{
    int32_t side[2];
    int64_t n = 0;
    mplan_status status = take_size(reader, &n, err);
    if (!status && n > 0)
        status = take_corners(file, reader, n, err);
    if (!status)
        status = take_sides(file, reader, side, err);
    file->n_bare += n == 0;
    if (status || n == 0)
        return status;
    file->n_faces++;
    if (mplan_vector_push(&file->sides, &side[0], err) ||
        mplan_vector_push(&file->sides, &side[1], err))
        return MPLAN_ERR_MEMORY;
    return MPLAN_OK;
}

/* section->begin and end: which of the faces that were read are the section's.
 * Numbers of faces in the file say nothing else than how many there are: faces get their places as they come. */
static mplan_status read_zone_faces(mplan_fluent *file, mplan_fluent_section *section,
                                    mplan_error *err)
{
    row_reader reader = open_rows(section);
    mplan_status status = MPLAN_OK;
    section->begin = file->n_faces;
    if (section->type == MPLAN_FLUENT_PARENT)
        return mplan_scan_fail(&section->body, err, MPLAN_ERR_UNSUPPORTED,
                               "zone %lld has parents of other faces, of a mesh with hanging "
                               "nodes",
                               (long long)section->zone);
    for (int64_t f = section->first; f <= section->last && !status; f++) {
        status = read_face(file, &reader, err);
        if (!status && f % PAUSE == 0)
            status = mplan_scan_heed(&reader.scan, file->context, err);
    }
    section->end = file->n_faces;
    return status;
}

/* Each cell needs so many faces of its own or shared by two, which bounds what is allocated for
 * cells. Sections of cells may leave some out, but not hold one twice. */
mplan_status mplan_fluent_check_cells(const mplan_fluent *file, mplan_error *err)
{
    if (file->n_cells > 2 * file->n_faces / 3)
        return mplan_fail(err, MPLAN_ERR_MESH,
                          "%s: there is a cell %lld, but there are only %lld faces",
                          file->scan.path, (long long)file->n_cells, (long long)file->n_faces);
    int64_t sum = 0;
    for (int64_t s = 0; s < file->sections.count; s++) {
        const mplan_fluent_section *section = mplan_fluent_section_at(file, s);
        sum += section->kind == MPLAN_FLUENT_CELLS ? section->last - section->first + 1 : 0;
        if (section->kind == MPLAN_FLUENT_CELLS && section->last > file->n_cells)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: zone %lld has a cell %lld that does not belong to any face",
                              file->scan.path, (long long)section->zone, (long long)section->last);
        if (section->kind == MPLAN_FLUENT_CELLS && section->type == MPLAN_FLUENT_INACTIVE)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "%s: zone %lld has parents of other cells, of a mesh with hanging "
                              "nodes",
                              file->scan.path, (long long)section->zone);
    }
    if (sum > file->n_cells)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "%s: the sections have %lld cells, but these are numbered up to %lld",
                          file->scan.path, (long long)sum, (long long)file->n_cells);
    return MPLAN_OK;
}

/* offsets: n_faces + 1; sides: two of each face. n_cells: the largest number that a face has. */
mplan_status mplan_fluent_read_faces(mplan_fluent *file, mplan_error *err)
{
    int64_t n, zero = 0;
    mplan_status status = count_members(file, MPLAN_FLUENT_FACES, 8, 4, &n, err);
    if (!status)
        status = mplan_vector_push(&file->offsets, &zero, err);
    if (!status && (!mplan_vector_reserve(&file->offsets, n, err) ||
                    !mplan_vector_reserve(&file->sides, 2 * n, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t s = 0; s < file->sections.count && !status; s++) {
        mplan_fluent_section *section = mplan_fluent_section_at(file, s);
        if (section->kind == MPLAN_FLUENT_FACES && section->body.at)
            status = read_zone_faces(file, section, err);
    }
    if (!status && file->n_bare > 0)
        mplan_warn(file->context, "%s: %lld faces without nodes, which join interfaces, are skipped",
                   file->scan.path, (long long)file->n_bare);
    return status ? status : mplan_fluent_check_cells(file, err);
}
