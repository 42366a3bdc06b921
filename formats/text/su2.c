/* SPDX-License-Identifier: Apache-2.0 */
/* su2.c - reads SU2's native meshes (.su2)
 *
 * After the format's description in SU2's manual, "Mesh File". A file is a
 * list of sections, each begun by a line KEY= VALUE; sections may be in any
 * order, so one pass over the lines finds them before any is read. Element
 * codes and node orders are VTK's. `%` begins a comment. Keys that are not
 * known here (free-form deformation boxes, periodic transformations, ...) and
 * the lines below them are skipped. Numbers behind the nodes of an element
 * and behind the coordinates of a point repeat its position, as in SU2 itself.
 *
 * Zones become one mesh, whose cells are disjoint, and a group of cells each;
 * one of them can be chosen.
 *
 * A prism is written in either orientation (SU2 reverses elements by their volume), so
 * prisms of negative volume are reversed here too. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/not_finite.h"
#include "formats/prism.h"
#include "formats/scan_rows.h"
#include "formats/text/su2_parts.h"
#include "mesh/mesh.h"

/* Points and cells of zones, one zone behind the other; nodes are numbered
 * through. The zone that is read has n_points points from first_point on. */
typedef struct su2_reader {
    mplan_su2_file file;
    const mplan_context *context;
    mplan_mesh *mesh;
    int64_t dimension, n_points, first_point;
    mplan_vector coordinates, types, nodes; /* of double, uint8_t, int32_t */
} su2_reader;

/* --- points and elements ------------------------------------------------- */

/* NDIME, 2 or 3, the same in all zones. */
static mplan_status read_dimension(su2_reader *reader, mplan_error *err)
{
    mplan_scanner scan;
    int64_t dimension;
    mplan_status status = mplan_su2_require_section(&reader->file, MPLAN_SU2_KEY_NDIME, &scan, err);
    if (!status)
        status = mplan_su2_i64(&scan, "the dimension (NDIME)", &dimension, err);
    if (status)
        return status;
    if (dimension != 2 && dimension != 3)
        return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT, "NDIME= must be 2 or 3, not %lld",
                               (long long)dimension);
    if (reader->dimension && dimension != reader->dimension)
        return mplan_scan_fail(&scan, err, MPLAN_ERR_UNSUPPORTED,
                               "NDIME= is %lld, but %lld in the zones before; zones of "
                               "different dimensions must be read separately",
                               (long long)dimension, (long long)reader->dimension);
    reader->dimension = dimension;
    return MPLAN_OK;
}

/* Coordinates of a point on a line; what is behind them is not looked at. */
typedef struct point_lines {
    int64_t dimension;
    double *coordinates;
} point_lines;

static bool read_point_line(void *data, mplan_scanner *line, int64_t row)
{
    const point_lines *to = data;
    double *xyz = to->coordinates + row * to->dimension;
    for (int64_t d = 0; d < to->dimension; d++)
        if (mplan_su2_f64(line, "", &xyz[d], NULL) || !(xyz[d] - xyz[d] == 0))
            return false;
    return true;
}

/* coordinates: out; the number of the point behind them is optional. */
static mplan_status read_point_rows(su2_reader *reader, mplan_scanner *scan, double *coordinates,
                                    mplan_error *err)
{
    point_lines lines = {reader->dimension, coordinates};
    int64_t done;
    mplan_status status = mplan_scan_rows(scan, reader->n_points, read_point_line, &lines,
                                          reader->context, &done, err);
    coordinates += done * reader->dimension;
    if (done > 0)
        mplan_scan_next_line(scan);
    for (int64_t p = done; p < reader->n_points && !status; p++) {
        status = mplan_su2_next_row(scan, "points", p, reader->n_points, err);
        for (int64_t d = 0; d < reader->dimension && !status; d++) {
            status = mplan_su2_f64(scan, "a coordinate", coordinates, err);
            /* also false for NaN */
            if (!status && !(*coordinates - *coordinates == 0))
                status = mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                         "a coordinate of point %lld is not finite (%s)",
                                         (long long)p, mplan_not_finite(*coordinates));
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
    mplan_status status = mplan_su2_require_section(&reader->file, MPLAN_SU2_KEY_NPOIN, &scan, err);
    if (!status)
        status = mplan_su2_count(&scan, "the number of points (NPOIN)", 2 * reader->dimension,
                                 &reader->n_points, err);
    if (status)
        return status;
    mplan_scan_next_line(&scan); /* a second number counts the points without halos */
    int64_t n = reader->n_points * reader->dimension;
    double *coordinates = mplan_vector_reserve(&reader->coordinates, n, err);
    if (!coordinates)
        return MPLAN_ERR_MEMORY;
    reader->coordinates.count += n;
    return read_point_rows(reader, &scan, coordinates, err);
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
        return mplan_scan_fail(scan, err, MPLAN_ERR_UNSUPPORTED, "element type %lld is unknown",
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
        row[k] = (int32_t)(reader->first_point + node);
    }
    nodes->count += n;
    return MPLAN_OK;
}

/* Elements of one type. */
typedef struct element_lines {
    const su2_reader *reader;
    int64_t code;
    mplan_cell_type type;
    int32_t n; /* nodes of each */
    int32_t *nodes;
} element_lines;

static bool read_element_line(void *data, mplan_scanner *line, int64_t row)
{
    const element_lines *to = data;
    const su2_reader *reader = to->reader;
    int32_t *nodes = to->nodes + row * to->n;
    int64_t code, node;
    if (mplan_su2_i64(line, "", &code, NULL) || code != to->code)
        return false;
    for (int32_t k = 0; k < to->n; k++) {
        if (mplan_su2_i64(line, "", &node, NULL) || node < 0 || node >= reader->n_points)
            return false;
        nodes[k] = (int32_t)(reader->first_point + node);
    }
    if (to->type == MPLAN_CELL_PRISM6)
        mplan_orient_prism(reader->coordinates.data, nodes);
    return true;
}

/* The elements of one type with which a list of n goes on, by threads; *n_read: how many. At least one element has been read, whose
 * dimension the others must have. */
static mplan_status read_elements_together(su2_reader *reader, mplan_scanner *scan, int64_t n,
                                           int64_t *n_read, mplan_error *err)
{
    const uint8_t *type = reader->types.data;
    element_lines lines = {.reader = reader};
    mplan_scanner ahead = *scan;
    *n_read = 0;
    if (!mplan_scan_rows_pays(n, reader->context) || !mplan_su2_skip_to_content(&ahead) ||
        mplan_su2_i64(&ahead, "", &lines.code, NULL) || !type_of_code(lines.code, &lines.type) ||
        mplan_cell_type_dimension(lines.type) != mplan_cell_type_dimension((mplan_cell_type)type[0]))
        return MPLAN_OK;
    lines.n = mplan_cell_type_nodes(lines.type);
    lines.nodes = mplan_vector_reserve(&reader->nodes, n * lines.n, err);
    uint8_t *types = lines.nodes ? mplan_vector_reserve(&reader->types, n, err) : NULL;
    if (!types)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_scan_rows(scan, n, read_element_line, &lines, reader->context,
                                          n_read, err);
    if (status || *n_read == 0)
        return status;
    memset(types, (int)lines.type, (size_t)*n_read);
    reader->types.count += *n_read;
    reader->nodes.count += *n_read * lines.n;
    mplan_scan_next_line(scan);
    return MPLAN_OK;
}

/* Types and nodes are appended. Elements of all zones must have one dimension. */
static mplan_status read_element_rows(su2_reader *reader, mplan_scanner *scan, int64_t count,
                                      mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t alone = 1,
            wait = 0; /* rows to be read one by one: twice as many after each try that was not worth it */
    for (int64_t e = 0, done = 0; e < count && !status; e++) {
        mplan_cell_type type = MPLAN_CELL_POINT;
        if (alone-- == 0) {
            status = read_elements_together(reader, scan, count - e, &done, err);
            e += done;
            wait = done < MPLAN_ROWS_LEAST ? 2 * wait + 1 : 0;
            alone = wait;
            if (status || e == count)
                break;
        }
        int64_t first = reader->nodes.count;
        status = mplan_su2_next_row(scan, "elements", e, count, err);
        if (!status)
            status = read_element(reader, scan, &type, &reader->nodes, err);
        if (status)
            break;
        int32_t dimension = mplan_cell_type_dimension(type);
        if (dimension == 0 || dimension > reader->dimension)
            return mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                   "a %s cannot be an element of a mesh with NDIME= %lld",
                                   mplan_cell_type_name(type), (long long)reader->dimension);
        uint8_t byte = (uint8_t)type;
        status = mplan_vector_push(&reader->types, &byte, err);
        if (status)
            break;
        if (dimension !=
            mplan_cell_type_dimension((mplan_cell_type)((const uint8_t *)reader->types.data)[0]))
            return mplan_scan_fail(scan, err, MPLAN_ERR_MESH,
                                   "a %s is among elements of another dimension",
                                   mplan_cell_type_name(type));
        if (type == MPLAN_CELL_PRISM6)
            mplan_orient_prism(reader->coordinates.data, (int32_t *)reader->nodes.data + first);
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
    mplan_status status = mplan_su2_require_section(&reader->file, MPLAN_SU2_KEY_NELEM, &scan, err);
    if (!status)
        status = mplan_su2_count(&scan, "the number of elements (NELEM)", 6, &count, err);
    if (status)
        return status;
    mplan_scan_next_line(&scan);
    if (!mplan_vector_reserve(&reader->types, count, err))
        return MPLAN_ERR_MEMORY;
    return read_element_rows(reader, &scan, count, err);
}

/* Gives the array of a vector back, shrunk to what it holds; NULL without memory. */
static void *take_array(mplan_vector *vector, mplan_error *err)
{
    void *fitting = mplan_realloc(vector->data, vector->count, vector->size, err);
    if (fitting)
        vector->data = NULL;
    return fitting;
}

/* What all zones had together. The vectors' counts stay as they are. */
static mplan_status add_cells(su2_reader *reader, mplan_error *err)
{
    int32_t set;
    int64_t n_points = reader->coordinates.count / reader->dimension;
    mplan_status status = mplan_mesh_add_set(reader->mesh, "nodes", n_points, &set, err);
    double *coordinates = status ? NULL : take_array(&reader->coordinates, err);
    if (status || !coordinates)
        return status ? status : MPLAN_ERR_MEMORY;
    status = mplan_mesh_take_coordinates(reader->mesh, set, (int32_t)reader->dimension, coordinates,
                                         err);
    if (status)
        return status;
    uint8_t *types = take_array(&reader->types, err);
    int32_t *nodes = types ? take_array(&reader->nodes, err) : NULL;
    if (!nodes) {
        free(types);
        return MPLAN_ERR_MEMORY;
    }
    return mplan_mesh_take_cells(reader->mesh, n_points, reader->types.count, types, nodes, err);
}

/* --- markers ------------------------------------------------------------- */

/* One marker and the buffers that all of them share. Ids count through all zones. */
typedef struct su2_marker {
    char name[MPLAN_SU2_NAME];
    int64_t id, count;
    mplan_vector types, nodes;
} su2_marker;

/* Passes a line such as SEND_RECV= 1 that is between the count and the list. */
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
    mplan_status status = mplan_su2_tag(&scan, marker->name, err);
    if (status)
        return status;
    if (tag + 1 == reader->file.last || at[1].key != MPLAN_SU2_KEY_MARKER_ELEMS)
        return mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                               "marker '%s' has no MARKER_ELEMS=", marker->name);
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
    if (at->repeated)
        mplan_su2_name_by_zone(&reader->file, marker->name);
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

/* Those of one zone; NMARK must be as many as there are. */
static mplan_status read_zone_markers(const su2_reader *reader, su2_marker *marker, mplan_error *err)
{
    const mplan_su2_section *number;
    int64_t before = marker->id;
    mplan_status status = mplan_su2_find_section(&reader->file, MPLAN_SU2_KEY_NMARK, &number, err);
    for (int64_t i = reader->file.first; i < reader->file.last && !status; i++) {
        const mplan_su2_section *s = mplan_su2_section_at(&reader->file, i);
        if (s->key == MPLAN_SU2_KEY_TAG) {
            marker->id++;
            status = read_marker(reader, i, marker, err);
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
        if (!status && said != marker->id - before)
            status = mplan_scan_fail(&scan, err, MPLAN_ERR_CORRUPT,
                                     "NMARK= is %lld, but there are %lld markers", (long long)said,
                                     (long long)(marker->id - before));
    }
    return status;
}

/* --- zones --------------------------------------------------------------- */

/* Where the points and cells of a zone begin; of the zone behind the last, where they end. */
typedef struct su2_extent {
    int64_t point, cell;
} su2_extent;

/* Points and cells of all zones. extent: out, of n_zones + 1. */
static mplan_status read_cells(su2_reader *reader, su2_extent *extent, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t n = reader->file.n_zones;
    extent[0] = (su2_extent){0, 0};
    for (int64_t z = 0; z < n && !status; z++) {
        mplan_su2_enter_zone(&reader->file, z);
        reader->first_point = extent[z].point;
        status = read_dimension(reader, err);
        if (!status)
            status = read_points(reader, err);
        if (!status && reader->first_point + reader->n_points > INT32_MAX - 1)
            status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: there are 2^31 points or more",
                                reader->file.scan.path);
        if (!status)
            status = read_elements(reader, err);
        if (!status)
            extent[z + 1] = (su2_extent){reader->first_point + reader->n_points, reader->types.count};
    }
    /* programs write such a file for a surface, or for elements of second order */
    if (!status && reader->types.count == 0)
        mplan_warn(reader->context, "%s: the file has no cells", reader->file.scan.path);
    return status;
}

/* The cells of a zone as a group "zone_NAME". */
static mplan_status add_zone_group(const su2_reader *reader, const su2_extent *extent,
                                   mplan_error *err)
{
    char name[MPLAN_SU2_NAME] = "zone";
    int64_t first = extent[0].cell, n = extent[1].cell - first;
    int32_t *cells = mplan_alloc(n, sizeof *cells, err);
    if (!cells)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < n; c++)
        cells[c] = (int32_t)(first + c);
    mplan_su2_name_by_zone(&reader->file, name);
    return mplan_mesh_take_group(reader->mesh, name, mplan_su2_zone_number(&reader->file),
                                 reader->mesh->dimension,
                                 mplan_mesh_find_set(reader->mesh, "cells"), n, cells, err);
}

/* Groups of zones, where there are several, and markers of all zones. */
static mplan_status read_groups(su2_reader *reader, const su2_extent *extent, mplan_error *err)
{
    su2_marker marker = {.types = MPLAN_VECTOR_INIT(1), .nodes = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_status status = MPLAN_OK;
    /* arrays even for a marker without elements */
    if (!mplan_vector_reserve(&marker.types, 1, err) || !mplan_vector_reserve(&marker.nodes, 1, err))
        status = MPLAN_ERR_MEMORY;
    for (int64_t z = 0; z < reader->file.n_zones && !status; z++) {
        mplan_su2_enter_zone(&reader->file, z);
        reader->first_point = extent[z].point;
        reader->n_points = extent[z + 1].point - extent[z].point;
        if (reader->file.n_zones > 1)
            status = add_zone_group(reader, &extent[z], err);
        if (!status)
            status = read_zone_markers(reader, &marker, err);
    }
    free(marker.types.data);
    free(marker.nodes.data);
    return status;
}

/* --- the format ---------------------------------------------------------- */

/* The places of all sections first: cells name points that may come behind them, and zones are
 * told apart by their order. extent: of each zone that is read, where its points and cells
 * begin. */
static mplan_status read_su2(const mplan_input *input, const mplan_read_options *options,
                             const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    su2_reader reader = {.context = context,
                         .mesh = mesh,
                         .coordinates = MPLAN_VECTOR_INIT(sizeof(double)),
                         .types = MPLAN_VECTOR_INIT(1),
                         .nodes = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                         .file.sections = MPLAN_VECTOR_INIT(sizeof(mplan_su2_section)),
                         .file.zones = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    su2_extent *extent = NULL;
    mplan_scan_begin(&reader.file.scan, input);
    mplan_status status = mplan_su2_find_sections(&reader.file, context, err);
    if (!status)
        status = mplan_su2_pick_zones(&reader.file, options ? options->zone : NULL, context, err);
    if (!status && !(extent = mplan_alloc(reader.file.n_zones + 1, sizeof *extent, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = read_cells(&reader, extent, err);
    if (!status)
        status = add_cells(&reader, err);
    if (!status)
        status = read_groups(&reader, extent, err);
    free(extent);
    free(reader.coordinates.data);
    free(reader.types.data);
    free(reader.nodes.data);
    free(reader.file.zones.data);
    free(reader.file.sections.data);
    return status;
}

/* The first line that is not a comment begins with a key of a mesh. */
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
    .zones = MPLAN_ZONES_JOINED,
    .read = read_su2,
    .write = mplan_su2_write,
};
