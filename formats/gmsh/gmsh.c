/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh.c - mesh files of Gmsh: MSH 2.0 to 2.2, 4.0 and 4.1, text and binary
 *
 * Sections that say nothing about the mesh, and unknown ones, are skipped.
 * Cells, nodes and elements keep the order of the file. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "formats/gmsh/gmsh_internal.h"

enum { LOOK_AHEAD = 4096 }; /* a comment may come before $MeshFormat */

/* text within [at, end). */
static bool begins_with(const char *at, const char *end, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(end - at) >= n && memcmp(at, text, n) == 0;
}

/* A Gmsh file begins with $MeshFormat, or with $NOD in version 1; other sections
 * may come first, then its later lines decide. */
static mplan_recognised recognise(const uint8_t *data, size_t size)
{
    mplan_input input = {.path = "", .data = data, .size = size};
    mplan_scanner scan;
    mplan_scan_begin(&scan, &input);
    mplan_scan_skip_space(&scan);
    if (begins_with(scan.at, scan.end, "$MeshFormat") || begins_with(scan.at, scan.end, "$NOD"))
        return MPLAN_RECOGNISED_YES;
    if (!begins_with(scan.at, scan.end, "$"))
        return MPLAN_RECOGNISED_NO;
    if (scan.end - scan.at > LOOK_AHEAD)
        scan.end = scan.at + LOOK_AHEAD;
    while (mplan_scan_next_line(&scan))
        if (begins_with(scan.at, scan.end, "$MeshFormat"))
            return MPLAN_RECOGNISED_YES;
    return MPLAN_RECOGNISED_NO;
}

/* The int of value one that tells the order of bytes, then a line end. */
static mplan_status read_byte_order(gmsh_reader *reader, mplan_error *err)
{
    int64_t one = 0;
    const char *at = reader->scan.at;
    mplan_status status = mplan_gmsh_ints(reader, "the int 1 that tells the order of bytes", 1,
                                          &one, err);
    if (!status && one != 1) {
        reader->swap = true;
        if (one != INT64_C(0x01000000))
            return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT,
                                   "expected the int 1 that tells the order of bytes");
    }
    return status;
}

/* width: bytes of a size in binary files, which must be 4 or 8. */
static mplan_status check_version(gmsh_reader *reader, double version, int64_t width, mplan_error *err)
{
    const char *at = reader->scan.at;
    reader->version = (int32_t)(version > 0 && version < 100 ? version * 10 + 0.5 : 0);
    if (reader->version != 20 && reader->version != 21 && reader->version != 22 &&
        reader->version != 40 && reader->version != 41)
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_UNSUPPORTED,
                               "version %g of the MSH format is not supported; 2.0 to 2.2, 4.0 "
                               "and 4.1 are",
                               version);
    bool known = width == 8 || (width == 4 && reader->version == 41);
    if (reader->binary && !known)
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_UNSUPPORTED,
                               "numbers of %lld bytes are not supported", (long long)width);
    reader->size_width = (size_t)width;
    return MPLAN_OK;
}

/* Binary files hold the number 1 behind the header line, which tells the byte
 * order. */
static mplan_status read_header(gmsh_reader *reader, mplan_error *err)
{
    double version = 0;
    int64_t binary = 0, width = 0;
    mplan_status status = mplan_scan_f64(&reader->scan, "the version of the MSH format", &version,
                                         err);
    if (!status)
        status = mplan_scan_i64(&reader->scan, "0 (text) or 1 (binary)", &binary, err);
    if (!status && (binary < 0 || binary > 1))
        status = mplan_scan_fail(&reader->scan, err, MPLAN_ERR_CORRUPT,
                                 "expected 0 (text) or 1 (binary), found %lld", (long long)binary);
    if (!status)
        status = mplan_scan_i64(&reader->scan, "the size of numbers", &width, err);
    if (status)
        return status;
    reader->binary = binary;
    status = check_version(reader, version, width, err);
    if (!status)
        status = mplan_gmsh_end_line(reader, err);
    if (!status && reader->binary)
        status = read_byte_order(reader, err);
    return status ? status : mplan_gmsh_end_section(reader, "MeshFormat", err);
}

/* Dimension (not in version 2.0), number and, mostly quoted, name of a group. */
static mplan_status read_name(gmsh_reader *reader, gmsh_name *name, mplan_error *err)
{
    mplan_scanner *scan = &reader->scan;
    mplan_status status = mplan_gmsh_text_int(reader, "the dimension of a physical group",
                                              &name->dimension, err);
    if (!status && !mplan_scan_line_ends(scan) && *scan->at == '"') {
        name->physical = name->dimension;
        name->dimension = -1;
    } else if (!status) {
        status = mplan_gmsh_text_int(reader, "the number of a physical group", &name->physical, err);
    }
    if (status)
        return status;
    if (mplan_scan_line_ends(scan))
        return mplan_gmsh_fail(reader, scan->at, err, MPLAN_ERR_CORRUPT,
                               "expected the name of a physical group");
    const char *end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    end = end ? end : scan->end;
    bool quoted = *scan->at == '"';
    name->text = scan->at + quoted;
    if (quoted) {
        end = memchr(name->text, '"', (size_t)(end - name->text));
        if (!end)
            return mplan_gmsh_fail(reader, scan->at, err, MPLAN_ERR_CORRUPT,
                                   "the name of a physical group has no final quote");
    } else {
        while (end > name->text && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
            end--;
    }
    name->length = (size_t)(end - name->text);
    scan->at = end + quoted;
    mplan_scan_next_line(scan); /* libMesh writes words behind names */
    return MPLAN_OK;
}

/* Physical names by dimension and number; looked up by bisection later. */
static mplan_status read_names(gmsh_reader *reader, mplan_error *err)
{
    int64_t n = 0;
    mplan_status status = mplan_gmsh_text_count(reader, "names", &n, err);
    for (int64_t i = 0; !status && i < n; i++) {
        gmsh_name name = {0};
        status = read_name(reader, &name, err);
        if (!status)
            status = mplan_vector_push(&reader->names, &name, err);
    }
    return status ? status : mplan_gmsh_end_section(reader, "PhysicalNames", err);
}

/* word is not terminated. */
static bool is_word(const char *word, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(word, text, length) == 0;
}

/* Refuses a section that is not read or comes too early or twice; its name is read. */
static mplan_status check_section(const gmsh_reader *reader, const char *name, size_t length,
                                  mplan_error *err)
{
    const bool begun = reader->version > 0;
    const char *at = name - 1;
    bool elements = is_word(name, length, "Elements");
    bool mesh = elements || is_word(name, length, "Nodes") ||
                (is_word(name, length, "ParametricNodes") && reader->version < 40);
    if (begun && is_word(name, length, "MeshFormat"))
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT, "a second $MeshFormat");
    bool old = is_word(name, length, "NOD") || is_word(name, length, "ELM");
    if (old && begun && reader->version != 10)
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT,
                               "$%.*s is a section of version 1, the file is of another",
                               (int)length, name);
    if (is_word(name, length, "ELM") && !reader->has_nodes)
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT, "$ELM comes before $NOD");
    if (mesh && !begun)
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT, "$%.*s comes before $MeshFormat",
                               (int)length, name);
    if (elements && !reader->has_nodes)
        return mplan_gmsh_fail(reader, at, err, MPLAN_ERR_CORRUPT, "$Elements comes before $Nodes");
    return MPLAN_OK;
}

/* Reads or passes over one section, whose header is read. */
static mplan_status read_section(gmsh_reader *reader, const char *name, size_t length,
                                 mplan_error *err)
{
    const bool new_version = reader->version >= 40;
    if (is_word(name, length, "NOD")) { /* version 1 has no header */
        reader->version = 10;
        return mplan_gmsh_read_nodes(reader, false, err);
    }
    if (is_word(name, length, "ELM"))
        return mplan_gmsh_read_elements(reader, err);
    if (is_word(name, length, "MeshFormat"))
        return read_header(reader, err);
    if (is_word(name, length, "PhysicalNames"))
        return read_names(reader, err);
    bool parametric = is_word(name, length, "ParametricNodes") && !new_version;
    if (parametric || is_word(name, length, "Nodes"))
        return mplan_gmsh_read_nodes(reader, parametric, err);
    if (is_word(name, length, "Elements"))
        return mplan_gmsh_read_elements(reader, err);
    if (new_version && is_word(name, length, "Entities"))
        return mplan_gmsh_read_entities(reader, false, err);
    if (new_version && is_word(name, length, "PartitionedEntities"))
        return mplan_gmsh_read_entities(reader, true, err);
    return mplan_gmsh_skip_section(reader, name, length, err);
}

/* Sections in any order; unknown ones are skipped up to their end. */
static mplan_status read_sections(gmsh_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (!status && mplan_scan_skip_space(&reader->scan)) {
        const char *name = reader->scan.at;
        size_t length = 0;
        if (*name != '$')
            return mplan_gmsh_fail(reader, name, err, MPLAN_ERR_CORRUPT,
                                   "expected a section, which begins with $");
        mplan_scan_word(&reader->scan, &name, &length);
        if (!mplan_scan_line_ends(&reader->scan))
            return mplan_gmsh_fail(reader, reader->scan.at, err, MPLAN_ERR_CORRUPT,
                                   "expected the end of the line after the name of a section");
        status = check_section(reader, name + 1, length - 1, err);
        mplan_scan_next_line(&reader->scan);
        if (!status)
            status = read_section(reader, name + 1, length - 1, err);
    }
    if (!status && (!reader->has_nodes || !reader->has_elements))
        status = mplan_gmsh_fail(reader, reader->scan.at, err, MPLAN_ERR_CORRUPT,
                                 "the file ends without %s",
                                 reader->has_nodes ? "$Elements" : "$Nodes");
    return status;
}

/* Vectors know the size of their elements before the first section is read. */
static void init_reader(gmsh_reader *reader, const mplan_input *input, const mplan_context *context)
{
    memset(reader, 0, sizeof *reader);
    mplan_scan_begin(&reader->scan, input);
    reader->context = context;
    reader->duplicate = -1;
    reader->node_tags.size = reader->physicals.size = sizeof(int64_t);
    reader->coordinates.size = sizeof(double);
    reader->names.size = sizeof(gmsh_name);
    reader->entities.size = sizeof(gmsh_entity);
    for (int d = 0; d < 4; d++) {
        gmsh_elements *of = &reader->elements[d];
        of->type.size = sizeof(uint8_t);
        of->nodes.size = sizeof(int32_t);
        of->runs.size = sizeof(gmsh_run);
        of->tags.size = sizeof(int64_t);
    }
}

/* Also of a reader that stopped anywhere. */
static void release_reader(gmsh_reader *reader)
{
    free(reader->node_tags.data);
    free(reader->coordinates.data);
    free(reader->names.data);
    free(reader->entities.data);
    free(reader->physicals.data);
    mplan_gmsh_index_free(&reader->node_index);
    for (int d = 0; d < 4; d++) {
        free(reader->elements[d].type.data);
        free(reader->elements[d].nodes.data);
        free(reader->elements[d].runs.data);
        free(reader->elements[d].tags.data);
    }
}

/* The index of nodes is given back before the mesh is built: the peak of memory is there. */
static mplan_status read_gmsh(const mplan_input *input, const mplan_read_options *options,
                              const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    (void)options;
    gmsh_reader reader;
    mplan_threaded threaded;
    context = mplan_threaded_open(context, &threaded);
    init_reader(&reader, input, context);
    mplan_status status = read_sections(&reader, err);
    if (!status) {
        mplan_gmsh_index_free(&reader.node_index);
        free(reader.node_tags.data);
        reader.node_tags.data = NULL;
        status = mplan_gmsh_build_mesh(&reader, mesh, err);
    }
    release_reader(&reader);
    mplan_threaded_close(&threaded);
    return status;
}

const mplan_file_format mplan_format_gmsh = {
    .name = "gmsh",
    .description = "Gmsh MSH 2.0 to 2.2, 4.0, 4.1, text and binary (writes 4.1 binary)",
    .extensions = ".msh",
    .recognise = recognise,
    .read = read_gmsh,
    .write = mplan_gmsh_write,
};
