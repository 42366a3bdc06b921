/* SPDX-License-Identifier: Apache-2.0 */
/* su2.c - reads SU2's native meshes (.su2)
 *
 * After the format's description in SU2's manual, "Mesh File". A file is a
 * list of sections, each begun by a line KEY= VALUE; sections may stand in any
 * order, so one pass over the lines finds them before any is read. Element
 * codes and node orders are VTK's. `%` begins a comment. Keys that are not
 * known here (free-form deformation boxes, periodic transformations, ...) and
 * the lines below them are skipped. Numbers behind the nodes of an element
 * and behind the coordinates of a point repeat its position, as in SU2 itself.
 *
 * A prism is written either way round (SU2 turns elements by their volume), so
 * prisms of negative volume are turned here too. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/prism.h"
#include "formats/text/su2.h"
#include "mesh/mesh.h"

/* One zone of an SU2 file that is read. */
typedef struct su2_reader {
    mplan_su2_file file;
    const mplan_context *context;
    mplan_mesh *mesh;
    int64_t dimension, n_points;
    double *coordinates; /* owned by the mesh */
} su2_reader;

/* --- points and elements ------------------------------------------------- */

/* NDIME, 2 or 3. */
static mplan_status read_dimension(su2_reader *reader, mplan_error *err)
{
    mplan_scanner scan;
    mplan_status status = mplan_su2_require_section(&reader->file, MPLAN_SU2_KEY_NDIME, &scan, err);
    if (!status)
        status = mplan_su2_i64(&scan, "the dimension (NDIME)", &reader->dimension, err);
    if (!status && reader->dimension != 2 && reader->dimension != 3)
        status = mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT, "NDIME= is %lld, neither 2 nor 3",
                                 (long long)reader->dimension);
    return status;
}

/* coordinates: out; the number of the point behind them is optional. */
static mplan_status read_point_rows(su2_reader *reader, mplan_scanner *scan, double *coordinates,
                                    mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t p = 0; p < reader->n_points && !status; p++) {
        status = mplan_su2_next_row(scan, "points", p, reader->n_points, err);
        for (int64_t d = 0; d < reader->dimension && !status; d++) {
            status = mplan_su2_f64(scan, "a coordinate", coordinates, err);
            /* also false for NaN */
            if (!status && !(*coordinates - *coordinates == 0))
                status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                         "a coordinate of point %lld is not finite", (long long)p);
            coordinates++;
        }
        mplan_scan_next_line(scan);
        if (p % 65536 == 0 && !status)
            status = mplan_scan_heed(scan, reader->context, err);
    }
    if (!status)
        status = mplan_su2_list_ends(scan, "points that NPOIN=", reader->n_points, err);
    return status;
}

/* NPOIN may be followed by the number of points without halo. */
static mplan_status read_points(su2_reader *reader, mplan_error *err)
{
    mplan_scanner scan;
    int32_t set;
    mplan_status status = mplan_su2_require_section(&reader->file, MPLAN_SU2_KEY_NPOIN, &scan, err);
    if (!status)
        status = mplan_su2_count(&scan, "the number of points (NPOIN)", 2 * reader->dimension,
                                 &reader->n_points, err);
    if (status)
        return status;
    mplan_scan_next_line(&scan); /* a second number counts the points without halos */
    double *coordinates = mplan_alloc(reader->n_points * reader->dimension, sizeof *coordinates, err);
    if (!coordinates)
        return MPLAN_ERR_MEMORY;
    status = read_point_rows(reader, &scan, coordinates, err);
    if (!status)
        status = mplan_mesh_add_set(reader->mesh, "nodes", reader->n_points, &set, err);
    if (status) {
        free(coordinates);
        return status;
    }
    reader->coordinates = coordinates;
    return mplan_mesh_take_coordinates(reader->mesh, set, (int32_t)reader->dimension, coordinates,
                                       err);
}

/* Type of a VTK code that SU2 knows. */
static bool type_of_code(int64_t code, mplan_cell_type *type)
{
    switch (code) {
    case 1: *type = MPLAN_CELL_POINT; return true;
    case 3: *type = MPLAN_CELL_LINE2; return true;
    case 5: *type = MPLAN_CELL_TRI3; return true;
    case 9: *type = MPLAN_CELL_QUAD4; return true;
    case 10: *type = MPLAN_CELL_TET4; return true;
    case 12: *type = MPLAN_CELL_HEX8; return true;
    case 13: *type = MPLAN_CELL_PRISM6; return true;
    case 14: *type = MPLAN_CELL_PYRAMID5; return true;
    default: return false;
    }
}

/* A code and its nodes, appended to nodes. */
static mplan_status read_element(const su2_reader *reader, mplan_scanner *scan,
                                 mplan_cell_type *type, mplan_vector *nodes, mplan_error *err)
{
    int64_t code, node;
    mplan_status status = mplan_su2_i64(scan, "the type of an element", &code, err);
    if (status)
        return status;
    if (!type_of_code(code, type))
        return mplan_scan_fail(scan, err, MPLAN_ERR_UNSUPPORTED, "element type %lld is not known",
                               (long long)code);
    int32_t n = mplan_cell_type_nodes(*type);
    int32_t *row = mplan_vector_reserve(nodes, n, err);
    if (!row)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < n; k++) {
        status = mplan_su2_i64(scan, "a node of an element", &node, err);
        if (status)
            return status;
        if (node < 0 || node >= reader->n_points)
            return mplan_scan_fail(scan, err, MPLAN_ERR_MESH, "node %lld is not in [0, %lld)",
                                   (long long)node, (long long)reader->n_points);
        row[k] = (int32_t)node;
    }
    nodes->count += n;
    return MPLAN_OK;
}

/* types and nodes: out. Elements must have the dimension of the mesh. */
static mplan_status read_element_rows(const su2_reader *reader, mplan_scanner *scan, int64_t count,
                                      uint8_t *types, mplan_vector *nodes, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t e = 0; e < count && !status; e++) {
        mplan_cell_type type = MPLAN_CELL_POINT;
        int64_t first = nodes->count;
        status = mplan_su2_next_row(scan, "elements", e, count, err);
        if (!status)
            status = read_element(reader, scan, &type, nodes, err);
        if (status)
            break;
        int32_t dimension = mplan_cell_type_dimension(type);
        if (dimension == 0 || dimension > reader->dimension)
            return mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                   "a %s cannot be an element of a mesh with NDIME= %lld",
                                   mplan_cell_type_name(type), (long long)reader->dimension);
        if (e > 0 && dimension != mplan_cell_type_dimension((mplan_cell_type)types[0]))
            return mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                   "a %s is among elements of another dimension",
                                   mplan_cell_type_name(type));
        if (type == MPLAN_CELL_PRISM6)
            mplan_turn_prism(reader->coordinates, (int32_t *)nodes->data + first);
        types[e] = (uint8_t)type;
        mplan_scan_next_line(scan);
        if (e % 65536 == 0)
            status = mplan_scan_heed(scan, reader->context, err);
    }
    if (!status)
        status = mplan_su2_list_ends(scan, "elements that NELEM=", count, err);
    return status;
}

/* NELEM. */
static mplan_status read_elements(su2_reader *reader, mplan_error *err)
{
    mplan_scanner scan;
    int64_t count;
    mplan_vector nodes = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = mplan_su2_require_section(&reader->file, MPLAN_SU2_KEY_NELEM, &scan, err);
    if (!status)
        status = mplan_su2_count(&scan, "the number of elements (NELEM)", 6, &count, err);
    if (status)
        return status;
    mplan_scan_next_line(&scan);
    uint8_t *types = mplan_alloc(count, sizeof *types, err);
    if (!types)
        return MPLAN_ERR_MEMORY;
    status = read_element_rows(reader, &scan, count, types, &nodes, err);
    int32_t *fitting = NULL; /* gives back what the vector has too much */
    if (!status && !(fitting = mplan_realloc(nodes.data, nodes.count, sizeof *fitting, err)))
        status = MPLAN_ERR_MEMORY;
    if (status) {
        free(types);
        free(nodes.data);
        return status;
    }
    return mplan_mesh_take_cells(reader->mesh, reader->n_points, count, types, fitting, err);
}

/* --- markers ------------------------------------------------------------- */

/* One marker and the buffers that all of them share. */
typedef struct su2_marker {
    char name[256];
    int64_t id, count;
    mplan_vector types, nodes;
} su2_marker;

/* The rest of the line without blanks around it. */
static mplan_status read_tag(mplan_scanner *scan, char name[256], mplan_error *err)
{
    mplan_su2_content_ends(scan);
    const char *start = scan->at, *end = start;
    for (const char *at = start; at < scan->end && *at != '\n' && *at != '%'; at++)
        if (*at != ' ' && *at != '\t' && *at != '\r')
            end = at + 1;
    size_t length = (size_t)(end - start);
    if (length == 0)
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "MARKER_TAG= is empty");
    if (length > 255 || memchr(start, '\0', length))
        return mplan_scan_fail(scan, err, MPLAN_ERR_CORRUPT, "MARKER_TAG= gives no name");
    memcpy(name, start, length);
    name[length] = '\0';
    return MPLAN_OK;
}

/* Passes a line such as SEND_RECV= 1 that stands between the count and the list. */
static void skip_other_keys(mplan_scanner *scan)
{
    while (mplan_su2_skip_to_content(scan)) {
        mplan_su2_key key;
        mplan_scanner ahead = *scan;
        if (!mplan_su2_take_key(&ahead, &key) || key != MPLAN_SU2_KEY_OTHER)
            return;
        mplan_scan_next_line(scan);
    }
}

/* Facets, or points, which become a group of nodes. */
static mplan_status read_marker_rows(const su2_reader *reader, mplan_scanner *scan,
                                     su2_marker *marker, mplan_error *err)
{
    int32_t cells = reader->mesh->dimension;
    bool points = false;
    mplan_status status = MPLAN_OK;
    marker->types.count = marker->nodes.count = 0;
    for (int64_t e = 0; e < marker->count && !status; e++) {
        mplan_cell_type type = MPLAN_CELL_POINT;
        status = mplan_su2_next_row(scan, "elements of the marker", e, marker->count, err);
        if (!status)
            status = read_element(reader, scan, &type, &marker->nodes, err);
        if (status)
            return status;
        if (e == 0)
            points = type == MPLAN_CELL_POINT;
        if (points != (type == MPLAN_CELL_POINT) ||
            (!points && mplan_cell_type_dimension(type) != cells - 1))
            return mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                   "a %s cannot be in marker '%s' of a mesh of dimension %d",
                                   mplan_cell_type_name(type), marker->name, cells);
        uint8_t byte = (uint8_t)type;
        status = mplan_vector_push(&marker->types, &byte, err);
        mplan_scan_next_line(scan);
    }
    if (!status)
        status = mplan_su2_list_ends(scan, "elements that MARKER_ELEMS=", marker->count, err);
    return status;
}

/* A marker of points names nodes, each once. */
static mplan_status add_point_marker(const su2_reader *reader, su2_marker *marker, mplan_error *err)
{
    int32_t *node = marker->nodes.data;
    int64_t n = mplan_distinct_i32(node, marker->nodes.count);
    return mplan_mesh_add_group(reader->mesh, marker->name, marker->id, 0,
                                mplan_mesh_find_set(reader->mesh, "nodes"), n, node, err);
}

/* A tag, then MARKER_ELEMS. */
static mplan_status read_marker(const su2_reader *reader, int64_t tag, su2_marker *marker,
                                mplan_error *err)
{
    const mplan_su2_section *at = mplan_su2_section_at(&reader->file, tag);
    mplan_scanner scan = at->value;
    mplan_status status = read_tag(&scan, marker->name, err);
    if (status)
        return status;
    if (tag + 1 == reader->file.last || at[1].key != MPLAN_SU2_KEY_MARKER_ELEMS)
        return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                               "no MARKER_ELEMS= belongs to marker '%s'", marker->name);
    scan = at[1].value;
    status = mplan_su2_count(&scan, "the number of elements of a marker (MARKER_ELEMS)", 4,
                             &marker->count, err);
    if (status)
        return status;
    if (strcmp(marker->name, "SEND_RECEIVE") == 0) {
        /* halo points of a partitioned file: no part of the boundary */
        mplan_warn(reader->context, "%s:%lld: marker SEND_RECEIVE is skipped",
                   reader->file.scan.path, (long long)at->value.line);
        return MPLAN_OK;
    }
    mplan_scan_next_line(&scan);
    if (marker->count > 0)
        skip_other_keys(&scan);
    status = read_marker_rows(reader, &scan, marker, err);
    if (status)
        return status;
    if (marker->count > 0 && ((const uint8_t *)marker->types.data)[0] == MPLAN_CELL_POINT &&
        reader->mesh->dimension > 1)
        return add_point_marker(reader, marker, err);
    return mplan_mesh_add_facets(reader->mesh, marker->name, marker->id, marker->count,
                                 marker->types.data, marker->nodes.data, err);
}

/* NMARK must be as many as there are. */
static mplan_status read_markers(const su2_reader *reader, mplan_error *err)
{
    const mplan_su2_section *number;
    su2_marker marker = {.types = MPLAN_VECTOR_INIT(1), .nodes = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_status status = mplan_su2_find_section(&reader->file, MPLAN_SU2_KEY_NMARK, &number, err);
    /* arrays even for a marker without elements */
    if (!status && (!mplan_vector_reserve(&marker.types, 1, err) ||
                    !mplan_vector_reserve(&marker.nodes, 1, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = reader->file.first; i < reader->file.last && !status; i++) {
        const mplan_su2_section *s = mplan_su2_section_at(&reader->file, i);
        if (s->key == MPLAN_SU2_KEY_TAG) {
            marker.id++;
            status = read_marker(reader, i, &marker, err);
        } else if (s->key == MPLAN_SU2_KEY_MARKER_ELEMS &&
                   (i == reader->file.first || s[-1].key != MPLAN_SU2_KEY_TAG)) {
            status = mplan_scan_fail(&s->value, err, MPLAN_ERR_CORRUPT,
                                     "MARKER_ELEMS= does not follow a MARKER_TAG=");
        }
    }
    if (!status && number) {
        mplan_scanner scan = number->value;
        int64_t said;
        status = mplan_su2_i64(&scan, "the number of markers (NMARK)", &said, err);
        if (!status && said != marker.id)
            status = mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                     "NMARK= is %lld, but there are %lld markers", (long long)said,
                                     (long long)marker.id);
    }
    free(marker.types.data);
    free(marker.nodes.data);
    return status;
}

/* --- the format ---------------------------------------------------------- */

static mplan_status read_su2(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    su2_reader reader = {.context = context,
                         .mesh = mesh,
                         .file.sections = MPLAN_VECTOR_INIT(sizeof(mplan_su2_section))};
    mplan_scan_begin(&reader.file.scan, input);
    mplan_status status = mplan_su2_find_sections(&reader.file, err);
    if (!status)
        status = mplan_su2_pick_zone(&reader.file, options ? options->zone : NULL, err);
    if (!status)
        status = read_dimension(&reader, err);
    if (!status)
        status = read_points(&reader, err);
    if (!status)
        status = read_elements(&reader, err);
    if (!status)
        status = read_markers(&reader, err);
    free(reader.file.sections.data);
    return status;
}

/* The first line that is no comment begins with a key of a mesh. */
static mplan_recognised recognise_su2(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size, NULL};
    mplan_scanner scan;
    mplan_su2_key key;
    mplan_scan_begin(&scan, &input);
    if (!mplan_su2_skip_to_content(&scan) || !mplan_su2_take_key(&scan, &key))
        return MPLAN_RECOGNISED_NO;
    return key == MPLAN_SU2_KEY_OTHER ? MPLAN_RECOGNISED_MAYBE : MPLAN_RECOGNISED_YES;
}

const mplan_file_format mplan_format_su2 = {
    .name = "su2",
    .description = "SU2 native mesh, 2-D and 3-D, several zones",
    .extensions = ".su2",
    .recognise = recognise_su2,
    .read = read_su2,
    .write = mplan_su2_write,
};
