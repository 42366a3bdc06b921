/* SPDX-License-Identifier: Apache-2.0 */
/* medit.c - medit's meshes (.mesh, .meshb) of versions 1 to 4, the Gamma mesh format: text, and both kinds as meshes
 *
 * After P. J. Frey, MEDIT: An interactive mesh visualization software, INRIA RT-0253 (2001), and the
 * documentation of libMeshb. Words and numbers, whose line ends do not matter; # begins a comment. Sections of nodes
 * and first-order cells are read; references other than 0 become groups. Others are skipped: corners, ridges,
 * what is required, normals, tangents, geometry. */
#include "formats/not_finite.h"
#include "formats/text/medit_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/scan.h"
#include "mesh/mesh.h"

/* --- text --------------------------------------------------------------------------- */

/* A text file of medit that is read. */
typedef struct medit_reader {
    mplan_scanner scan;
    const mplan_context *context;
    mplan_collection *collection;
    int64_t dimension; /* of coordinates; 0: not known yet */
    int64_t n_nodes;   /* -1: not known yet */
    int64_t most_node; /* that a cell names, when the nodes come later; its line */
    int64_t most_line;
} medit_reader;

/* Not negative. */
static mplan_status take_count(medit_reader *reader, const char *what, int64_t *count,
                               mplan_error *err)
{
    mplan_scan_skip_comments(&reader->scan);
    mplan_status status = mplan_scan_i64(&reader->scan, what, count, err);
    if (!status && *count < 0)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "%s must be 0 or more, not %lld", what, (long long)*count);
    return status;
}

/* How many rows a section has, no more than the file can hold. */
static mplan_status take_rows(medit_reader *reader, const mplan_medit_section *section,
                              int64_t numbers, int64_t *rows, mplan_error *err)
{
    mplan_status status = take_count(reader, "the number of rows of a section", rows, err);
    int64_t left = reader->scan.end - reader->scan.at;
    if (!status && *rows > left / (2 * numbers) + 1)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "%lld %s are more than the file can hold", (long long)*rows,
                                 section->keyword);
    if (!status && *rows >= INT32_MAX)
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                 "%lld %s exceed 32 bits", (long long)*rows, section->keyword);
    return status;
}

/* A reference other than 0 is a group of that id. */
static mplan_status take_reference(medit_reader *reader, int32_t dimension, mplan_error *err)
{
    int64_t reference;
    mplan_status status = mplan_scan_i64(&reader->scan, "a reference", &reference, err);
    if (!status && reference != 0)
        status = mplan_collect_member(reader->collection, dimension, reference, "", 0, err);
    return status;
}

/* Coordinates and a reference each. Dimension must have come before. */
static mplan_status read_vertices(medit_reader *reader, const mplan_medit_section *section,
                                  mplan_error *err)
{
    int64_t rows = 0;
    if (reader->dimension == 0)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "Vertices come before Dimension");
    if (reader->n_nodes >= 0)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT, "a second section Vertices");
    mplan_status status = take_rows(reader, section, reader->dimension + 1, &rows, err);
    if (!status && !mplan_vector_reserve(&reader->collection->xyz, 3 * rows, err))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < rows && !status; i++) {
        double xyz[3] = {0, 0, 0};
        mplan_scan_skip_comments(&reader->scan);
        for (int64_t d = 0; d < reader->dimension && !status; d++) {
            status = mplan_scan_f64(&reader->scan, "a coordinate", &xyz[d], err);
            if (!status && !(xyz[d] - xyz[d] == 0)) /* also false for NaN */
                status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_MESH,
                                         "a coordinate of vertex %lld is not finite (%s)",
                                         (long long)i + 1, mplan_not_finite(xyz[d]));
        }
        if (!status)
            status = mplan_collect_node(reader->collection, xyz, err);
        if (!status)
            status = take_reference(reader, 0, err);
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
    }
    reader->n_nodes = rows;
    return status;
}

/* place: where the number is. Numbers of the file begin at 1. */
static mplan_status fail_node(const mplan_scanner *place, int64_t node, int64_t n_nodes,
                              mplan_error *err)
{
    return mplan_scan_fail(place, err, MPLAN_ERR_MESH, "vertex %lld is not in [1, %lld]",
                           (long long)node, (long long)n_nodes);
}

/* Numbers from 1; vertices may follow the elements, then the largest number is
 * checked later. */
static mplan_status take_nodes(medit_reader *reader, int32_t n, int32_t *nodes, mplan_error *err)
{
    int64_t most = reader->n_nodes >= 0 ? reader->n_nodes : INT32_MAX - 1;
    for (int32_t k = 0; k < n; k++) {
        int64_t node;
        mplan_status status = mplan_scan_i64(&reader->scan, "a vertex of an element", &node, err);
        if (status)
            return status;
        if (node < 1 || node > most)
            return fail_node(&reader->scan, node, most, err);
        if (node > reader->most_node) {
            reader->most_node = node;
            reader->most_line = reader->scan.line;
        }
        nodes[k] = (int32_t)(node - 1);
    }
    return MPLAN_OK;
}

/* Of one type, with a reference each. */
static mplan_status read_cells(medit_reader *reader, const mplan_medit_section *section,
                               mplan_error *err)
{
    int64_t rows = 0;
    int32_t n = mplan_cell_type_nodes(section->type),
            dimension = mplan_cell_type_dimension(section->type);
    mplan_status status = take_rows(reader, section, n + 1, &rows, err);
    if (!status)
        status = mplan_collect_room(reader->collection, section->type, rows, err);
    for (int64_t i = 0; i < rows && !status; i++) {
        int32_t *nodes = mplan_collect_cell(reader->collection, section->type, err);
        if (!nodes)
            return MPLAN_ERR_MEMORY;
        mplan_scan_skip_comments(&reader->scan);
        status = take_nodes(reader, n, nodes, err);
        mplan_medit_order(section->type, nodes);
        if (!status)
            status = take_reference(reader, dimension, err);
        if (!status && i % 65536 == 0)
            status = mplan_scan_heed(&reader->scan, reader->context, err);
    }
    return status;
}

/* Every section begins with a word, every row of one with a number. */
static bool begins_keyword(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Numbers and texts up to the next keyword. */
static void skip_section(mplan_scanner *scan)
{
    const char *word;
    size_t length;
    while (mplan_scan_skip_comments(scan) && !begins_keyword(*scan->at)) {
        if (*scan->at == '"') {
            scan->at++;
            while (scan->at < scan->end && *scan->at != '"' && *scan->at != '\n')
                scan->at++;
            scan->at += scan->at < scan->end && *scan->at == '"';
        } else {
            mplan_scan_word(scan, &word, &length);
        }
    }
}

/* Keywords are written one way only; word is not terminated. */
static bool is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* By its keyword; sections that would change the mesh (curved elements) are
 * refused, others skipped. */
static mplan_status read_section(medit_reader *reader, const char *word, size_t length,
                                 mplan_error *err)
{
    const mplan_medit_section *section = mplan_medit_by_keyword(word, length);
    int64_t number;
    if (!begins_keyword(*word) || length > 60)
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                               "expected a keyword, found '%.*s'", length < 40 ? (int)length : 40,
                               word);
    if (section)
        return section->type == MPLAN_CELL_POINT ? read_vertices(reader, section, err)
                                                 : read_cells(reader, section, err);
    if (mplan_medit_refused_keyword(word, length))
        return mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                               "the section %.*s is not supported", (int)length, word);
    if (is(word, length, "MeshVersionFormatted")) {
        mplan_status status = take_count(reader, "the version", &number, err);
        if (!status && (number < 1 || number > 4))
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_UNSUPPORTED,
                                     "version %lld of the format is unknown", (long long)number);
        return status;
    }
    if (is(word, length, "Dimension")) {
        mplan_status status = take_count(reader, "the dimension", &reader->dimension, err);
        if (!status && reader->dimension != 2 && reader->dimension != 3)
            status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                     "the dimension must be 2 or 3, not %lld",
                                     (long long)reader->dimension);
        return status;
    }
    skip_section(&reader->scan);
    return MPLAN_OK;
}

/* Sections come in any order, also those of elements before the vertices: the largest node that
 * one names, and its line, are kept until the number of nodes is known. */
static mplan_status read_text(const mplan_input *input, mplan_collection *collection, mplan_error *err)
{
    medit_reader reader = {.context = collection->context, .collection = collection, .n_nodes = -1};
    const char *word;
    size_t length;
    mplan_status status = MPLAN_OK;
    mplan_scan_begin(&reader.scan, input);
    while (!status && mplan_scan_skip_comments(&reader.scan) &&
           mplan_scan_word(&reader.scan, &word, &length) && !is(word, length, "End"))
        status = read_section(&reader, word, length, err);
    if (!status && reader.n_nodes < 0)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no section Vertices", input->path);
    if (!status && reader.most_node > reader.n_nodes) {
        reader.scan.line = reader.most_line;
        status = fail_node(&reader.scan, reader.most_node, reader.n_nodes, err);
    }
    return status;
}

/* --- the format ------------------------------------------------------------------------ */

/* Text and binary files have the same names; the first bytes tell them apart. */
static mplan_status read_medit(const mplan_input *input, const mplan_read_options *options,
                               const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_collection collection;
    (void)options;
    mplan_collection_begin(&collection, input->path, context);
    mplan_status status = mplan_medit_recognise_binary(input->data, input->size)
                              ? mplan_medit_read_binary(input, &collection, err)
                              : read_text(input, &collection, err);
    if (!status)
        status = mplan_collection_to_mesh(&collection, mesh, err);
    mplan_collection_free(&collection);
    return status;
}

/* Text begins with MeshVersionFormatted, behind comments. */
static mplan_recognised recognise_medit(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size, NULL};
    mplan_scanner scan;
    const char *word;
    size_t length;
    if (mplan_medit_recognise_binary(data, size))
        return MPLAN_RECOGNISED_YES;
    mplan_scan_begin(&scan, &input);
    return mplan_scan_skip_comments(&scan) && mplan_scan_word(&scan, &word, &length) &&
                   is(word, length, "MeshVersionFormatted")
               ? MPLAN_RECOGNISED_YES
               : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_medit = {
    .name = "medit",
    .description = "medit (Gamma mesh format) versions 1 to 4, text and binary",
    .extensions = ".mesh .meshb",
    .recognise = recognise_medit,
    .read = read_medit,
    .write = mplan_medit_write,
};
