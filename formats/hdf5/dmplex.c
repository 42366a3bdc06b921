/* SPDX-License-Identifier: Apache-2.0 */
/* dmplex.c - meshes of PETSc's DMPlex in HDF5 (.h5), as DMView writes them, storage versions 1 and 2
 *
 * After src/dm/impls/plex/plexhdf5.c of PETSc. All points of a mesh (cells, faces, edges, vertices) have numbers; the cone of a point are those of
 * the next lower dimension that bound it, negative where passed backwards. Version 1 has one mesh, in the root, version 2 several below topologies.
 * Labels number points: cells (groups of cells), faces (of faces), edges, vertices (of nodes; in 1-D of facets). Files for drawing have no cones. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/collection.h"
#include "formats/contained_formats.h"
#include "formats/hdf5/hdf5_tree.h"
#include "formats/polyhedra.h"
#include "formats/scan.h"

#ifdef MPLAN_HAVE_HDF5

enum { MOST_CONE = 64, MOST_LABELS = 4096, MOST_DEPTH = 3 };

/* A file that is read. Points are numbered [0, n). */
typedef struct dmplex_reader {
    mplan_hdf5_tree tree;
    mplan_collection collection;
    char root[MPLAN_HDF5_PATH]; /* of the mesh: "" or topologies/NAME */
    int64_t n, n_bounds;
    int64_t *bounds, *turns; /* cones one after the other, and their orientations */
    int64_t *first;          /* of point p: its cone is bounds[first[p]] ... */
    int32_t *size;           /* of its cone */
    int8_t *depth;           /* 0: a vertex; -1: not known yet */
    int32_t *place;          /* of a vertex or cell: the how-manieth it is */
    int32_t top;             /* depth of cells */
    int64_t dimension;       /* of cells */
    mplan_vector names;      /* char *: of labels */
} dmplex_reader;

static mplan_status fail(const dmplex_reader *reader, const char *path, mplan_status status,
                         const char *what, mplan_error *err)
{
    return mplan_hdf5_fail(&reader->tree, path, status, what, err);
}

/* path: out, the mesh's `name`; false where that is too long. */
static bool inside(const dmplex_reader *reader, char path[MPLAN_HDF5_PATH], const char *name)
{
    int n = snprintf(path, MPLAN_HDF5_PATH, "%s%s%s", reader->root, *reader->root ? "/" : "", name);
    return n > 0 && n < MPLAN_HDF5_PATH;
}

/* --- cones ---------------------------------------------------------------------------------------- */

/* A table of n whole numbers, or any number where n is negative. */
static mplan_status take_table(const dmplex_reader *reader, const char *name, int64_t n,
                               int64_t **numbers, int64_t *found, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_hdf5_shape shape = {.n = 0};
    if (!inside(reader, path, name))
        return fail(reader, reader->root, MPLAN_ERR_CORRUPT, "is too long a name", err);
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, numbers, &shape, err);
    if (!status && n >= 0 && shape.n != n)
        status = fail(reader, path, MPLAN_ERR_CORRUPT, "has another length than the other tables",
                      err);
    if (found)
        *found = shape.n;
    return status;
}

/* Entry i of sizes and orders is that of point order[i]; cones follow each other in this order. */
static mplan_status place_cones(dmplex_reader *reader, const int64_t *sizes, const int64_t *order,
                                mplan_error *err)
{
    int64_t at = 0;
    memset(reader->first, 0xff, (size_t)reader->n * sizeof *reader->first);
    for (int64_t i = 0; i < reader->n; i++) {
        const int64_t p = order[i];
        if (p < 0 || p >= reader->n || reader->first[p] >= 0)
            return fail(reader, "topology/order", MPLAN_ERR_CORRUPT,
                        "does not have each point once", err);
        if (sizes[i] < 0 || sizes[i] > MOST_CONE || sizes[i] > reader->n_bounds - at)
            return fail(reader, "topology/cones", MPLAN_ERR_CORRUPT,
                        "has a size that is negative, or more than its tables have", err);
        reader->first[p] = at;
        reader->size[p] = (int32_t)sizes[i];
        at += sizes[i];
    }
    for (int64_t i = 0; i < reader->n_bounds; i++)
        if (reader->bounds[i] < 0 || reader->bounds[i] >= reader->n)
            return fail(reader, "topology/cells", MPLAN_ERR_MESH,
                        "has a point that is not in the mesh", err);
    return MPLAN_OK;
}

/* A point is one deeper than those of its cone, which all are equally deep. */
static mplan_status find_depths(dmplex_reader *reader, mplan_error *err)
{
    for (int64_t p = 0; p < reader->n; p++)
        reader->depth[p] = reader->size[p] == 0 ? 0 : -1;
    for (int8_t d = 1; d <= MOST_DEPTH; d++)
        for (int64_t p = 0; p < reader->n; p++)
            if (reader->depth[p] < 0 && reader->depth[reader->bounds[reader->first[p]]] == d - 1) {
                reader->depth[p] = d;
                reader->top = d;
            }
    for (int64_t p = 0; p < reader->n; p++) {
        const int64_t *bound = reader->bounds + reader->first[p];
        bool fits = reader->depth[p] >= 0;
        for (int32_t k = 0; k < reader->size[p]; k++)
            fits = fits && reader->depth[bound[k]] == reader->depth[p] - 1;
        if (!fits)
            return fail(reader, "topology/cells", MPLAN_ERR_MESH,
                        "has a point that is bounded by points of other depths", err);
    }
    return MPLAN_OK;
}

static mplan_status make_tables(dmplex_reader *reader, mplan_error *err)
{
    reader->first = mplan_alloc(reader->n, sizeof *reader->first, err);
    reader->size = reader->first ? mplan_alloc_zero(reader->n, sizeof *reader->size, err) : NULL;
    reader->depth = reader->size ? mplan_alloc(reader->n, 1, err) : NULL;
    reader->place = reader->depth ? mplan_alloc_zero(reader->n, sizeof *reader->place, err) : NULL;
    return reader->place ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Fills n, bounds, turns, first, size, depth, top, dimension. `order`: the point that each cone of the file belongs to. */
static mplan_status read_cones(dmplex_reader *reader, mplan_error *err)
{
    int64_t *sizes = NULL, *order = NULL;
    char path[MPLAN_HDF5_PATH];
    mplan_status status = take_table(reader, "topology/cones", -1, &sizes, &reader->n, err);
    if (!status && reader->n >= INT32_MAX)
        status = fail(reader, "topology/cones", MPLAN_ERR_UNSUPPORTED,
                      "has points that exceed 32 bits", err);
    if (!status)
        status = take_table(reader, "topology/order", reader->n, &order, NULL, err);
    if (!status)
        status = take_table(reader, "topology/cells", -1, &reader->bounds, &reader->n_bounds, err);
    if (!status)
        status = take_table(reader, "topology/orientation", reader->n_bounds, &reader->turns, NULL,
                            err);
    if (!status)
        status = make_tables(reader, err);
    if (!status)
        status = place_cones(reader, sizes, order, err);
    free(sizes);
    free(order);
    if (!status)
        status = find_depths(reader, err);
    if (!status && (!inside(reader, path, "topology/cells") ||
                    !mplan_hdf5_attribute(&reader->tree, path, "cell_dim", &reader->dimension)))
        reader->dimension = reader->top;
    if (!status && (reader->top < 1 || (reader->top != reader->dimension && reader->top != 1)))
        status = fail(reader, "topology/cells", MPLAN_ERR_UNSUPPORTED,
                      "has cells of another dimension than their cones", err);
    return status;
}

/* --- nodes ----------------------------------------------------------------------------------------- */

/* Vertices in the order of their numbers; xyz: `axes` numbers each. */
static mplan_status collect_nodes(dmplex_reader *reader, const char *path, const double *xyz,
                                  int64_t n, int64_t axes, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        double point[3] = {0, 0, 0};
        for (int64_t d = 0; d < axes && !status; d++) {
            point[d] = xyz[axes * i + d];
            if (!(point[d] - point[d] == 0)) /* also false for NaN */
                status = fail(reader, path, MPLAN_ERR_MESH, "has a coordinate that is not finite",
                              err);
        }
        if (!status)
            status = mplan_collect_node(&reader->collection, point, err);
    }
    return status;
}

/* geometry/vertices: a row for each vertex. */
static mplan_status read_vertices(dmplex_reader *reader, int64_t n, mplan_error *err)
{
    static const char path[] = "geometry/vertices";
    mplan_hdf5_shape shape = {.n = 0};
    double *xyz = NULL;
    mplan_status status = mplan_hdf5_real(&reader->tree, path, &xyz, &shape, err);
    n = n < 0 ? shape.length[0] : n;
    if (!status && (n == 0 || shape.length[0] != n || shape.n % n != 0 || shape.n / n > 3))
        status = fail(reader, path, MPLAN_ERR_CORRUPT, "must have a row of 1 to 3 for each vertex",
                      err);
    if (!status)
        status = collect_nodes(reader, path, xyz, n, shape.n / n, err);
    free(xyz);
    return status;
}

/* Version 2: entry i of offsets is that of point order[i]. */
static mplan_status sort_vertices(dmplex_reader *reader, const char *path, const double *xyz,
                                  int64_t n_xyz, int64_t axes, const int64_t *order,
                                  const int64_t *offset, int64_t n, mplan_error *err)
{
    double *sorted = mplan_alloc_zero(axes * n, sizeof *sorted, err);
    mplan_status status = sorted ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++) {
        if (order[i] < 0 || order[i] >= reader->n || reader->depth[order[i]] != 0 ||
            offset[i] < 0 || offset[i] > n_xyz - axes)
            status = fail(reader, path, MPLAN_ERR_CORRUPT, "are not those of the vertices", err);
        else
            memcpy(sorted + axes * reader->place[order[i]], xyz + offset[i],
                   (size_t)axes * sizeof *sorted);
    }
    if (!status)
        status = collect_nodes(reader, path, sorted, n, axes, err);
    free(sorted);
    return status;
}

/* n: vertices; `order` lists the points of the vector, atlasOff says where the blockSize numbers of each begin. */
static mplan_status read_coordinates(dmplex_reader *reader, int64_t n, mplan_error *err)
{
    static const char vector[] = "dms/coordinateDM/vecs/coordinates",
                      vector_table[] = "dms/coordinateDM/vecs/coordinates/coordinates";
    char folder[MPLAN_HDF5_PATH], path[MPLAN_HDF5_PATH];
    int64_t *order = NULL, *offset = NULL, axes = 0;
    mplan_hdf5_shape shape = {.n = 0};
    double *xyz = NULL;
    if (!inside(reader, folder, vector) || !inside(reader, path, vector_table))
        return fail(reader, reader->root, MPLAN_ERR_CORRUPT, "is too long a name", err);
    mplan_status status = mplan_hdf5_real(&reader->tree, path, &xyz, &shape, err);
    if (!status &&
        (!mplan_hdf5_attribute(&reader->tree, folder, "blockSize", &axes) || axes < 1 || axes > 3))
        status = fail(reader, folder, MPLAN_ERR_UNSUPPORTED,
                      "must have 1 to 3 coordinates for each vertex", err);
    if (!status)
        status = take_table(reader, "dms/coordinateDM/order", n, &order, NULL, err);
    if (!status)
        status = take_table(reader, "dms/coordinateDM/section/atlasOff", n, &offset, NULL, err);
    if (!status)
        status = sort_vertices(reader, path, xyz, shape.n, axes, order, offset, n, err);
    free(xyz);
    free(order);
    free(offset);
    return status;
}

static mplan_status read_nodes(dmplex_reader *reader, mplan_error *err)
{
    int32_t n = 0;
    for (int64_t p = 0; p < reader->n; p++)
        if (reader->depth[p] == 0)
            reader->place[p] = n++;
    return *reader->root ? read_coordinates(reader, n, err) : read_vertices(reader, n, err);
}

/* --- cells ----------------------------------------------------------------------------------------- */

/* The vertices of an edge, of a face around it, or of a cell that has no faces; node: MOST_CONE. */
static mplan_status nodes_of(const dmplex_reader *reader, int64_t p, int32_t *node, int32_t *n,
                             mplan_error *err)
{
    const int64_t *bound = reader->bounds + reader->first[p],
                  *turn = reader->turns + reader->first[p];
    *n = reader->size[p];
    for (int32_t k = 0; k < *n; k++) {
        int64_t vertex = bound[k];
        if (reader->depth[p] == 2) {
            if (reader->size[vertex] != 2)
                return fail(reader, "topology/cells", MPLAN_ERR_MESH,
                            "has an edge without two vertices", err);
            vertex = reader->bounds[reader->first[vertex] + (turn[k] < 0)];
        }
        node[k] = reader->place[vertex];
    }
    return MPLAN_OK;
}

/* A line, triangle, quad or polygon; it is the last of its dimension. */
static mplan_status collect_flat(dmplex_reader *reader, int64_t p, mplan_error *err)
{
    int32_t node[MOST_CONE], n;
    mplan_status status = nodes_of(reader, p, node, &n, err);
    if (!status && (reader->depth[p] == 1 ? n != 2 : n < 3 || (n > 4 && reader->top == 3)))
        status = fail(reader, "topology/cells", MPLAN_ERR_UNSUPPORTED,
                      "has an edge, face or cell of too few or too many vertices", err);
    if (status)
        return status;
    int32_t *to = n == 2 ? mplan_collect_cell(&reader->collection, MPLAN_CELL_LINE2, err)
                         : mplan_collect_face(&reader->collection, n, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    memcpy(to, node, (size_t)n * sizeof *to);
    return MPLAN_OK;
}

/* The type of a cell of the dimension with n vertices. False: none. */
static bool type_of(int64_t dimension, int64_t n, mplan_cell_type *type)
{
    static const mplan_cell_type solids[] = {MPLAN_CELL_TET4, MPLAN_CELL_PYRAMID5,
                                             MPLAN_CELL_PRISM6, MPLAN_CELL_POINT, MPLAN_CELL_HEX8};
    if (dimension == 1 && n == 2)
        *type = MPLAN_CELL_LINE2;
    else if (dimension == 2 && (n == 3 || n == 4))
        *type = n == 3 ? MPLAN_CELL_TRI3 : MPLAN_CELL_QUAD4;
    else if (dimension == 3 && n >= 4 && n <= 8 && n != 7)
        *type = solids[n - 4];
    else
        return false;
    return true;
}

/* PETSc turns solids the other way round: vertex k of ours is the letter's. */
static const char *turned(mplan_cell_type type)
{
    switch ((int)type) {
    case MPLAN_CELL_TET4: return "BACD";
    case MPLAN_CELL_PYRAMID5: return "ADCBE";
    case MPLAN_CELL_PRISM6: return "ACBDEF";
    case MPLAN_CELL_HEX8: return "ADCBEFGH";
    default: return NULL;
    }
}

/* A cell by its vertices. */
static mplan_status collect_vertices(dmplex_reader *reader, const int32_t *node, int32_t n,
                                     bool turn, mplan_error *err)
{
    mplan_cell_type type = MPLAN_CELL_POINT;
    if (!type_of(reader->dimension, n, &type))
        return fail(reader, "topology/cells", MPLAN_ERR_UNSUPPORTED,
                    "has a cell whose vertices are those of no known type", err);
    const char *order = turn ? turned(type) : NULL;
    int32_t *to = mplan_collect_cell(&reader->collection, type, err);
    for (int32_t k = 0; to && k < n; k++)
        to[k] = node[order ? order[k] - 'A' : k];
    return to ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* A solid by its faces, whose normals leave it or, in all, enter it. */
static mplan_status collect_solid(dmplex_reader *reader, int64_t p, mplan_error *err)
{
    int32_t node[MPLAN_MOST_TYPED_FACES][MOST_CONE], nodes[MPLAN_MOST_TYPED_NODES];
    mplan_cell_face face[MPLAN_MOST_TYPED_FACES];
    const int64_t *bound = reader->bounds + reader->first[p],
                  *turn = reader->turns + reader->first[p];
    const int32_t n = reader->size[p];
    mplan_cell_type type;
    mplan_status status = n <= MPLAN_MOST_TYPED_FACES
                              ? MPLAN_OK
                              : fail(reader, "topology/cells", MPLAN_ERR_UNSUPPORTED,
                                     "has a cell of more than six faces", err);
    for (int32_t k = 0; k < n && !status; k++) {
        face[k] = (mplan_cell_face){.nodes = node[k], .reversed = turn[k] < 0};
        status = nodes_of(reader, bound[k], node[k], &face[k].n, err);
    }
    bool found = !status && mplan_cell_of_faces(n, face, &type, nodes);
    for (int32_t k = 0; k < n && !found && !status; k++)
        face[k].reversed = !face[k].reversed;
    if (!status && !found && !mplan_cell_of_faces(n, face, &type, nodes))
        status = fail(reader, "topology/cells", MPLAN_ERR_UNSUPPORTED,
                      "has a cell that is neither tetrahedron, pyramid, prism nor hexahedron", err);
    if (status)
        return status;
    int32_t *to = mplan_collect_cell(&reader->collection, type, err);
    if (to)
        memcpy(to, nodes, (size_t)mplan_cell_type_nodes(type) * sizeof *to);
    return to ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Cells in the order of their points; place[p] of a cell is its number in the mesh. */
static mplan_status collect_cells(dmplex_reader *reader, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int32_t n = 0, node[MOST_CONE], n_nodes;
    for (int64_t p = 0; p < reader->n && !status; p++) {
        if (reader->depth[p] != reader->top)
            continue;
        if (reader->top == 3) {
            status = collect_solid(reader, p, err);
        } else if (reader->top == reader->dimension) {
            status = collect_flat(reader, p, err);
        } else {
            status = nodes_of(reader, p, node, &n_nodes, err);
            if (!status)
                status = collect_vertices(reader, node, n_nodes, true, err);
        }
        reader->place[p] = n++;
        if (!status && p % 65536 == 0)
            status = mplan_interrupted(reader->tree.context, err);
    }
    return status;
}

/* --- labels ---------------------------------------------------------------------------------------- */

/* Points of a value: cells join by their places, faces and edges are made. */
static mplan_status join(dmplex_reader *reader, const char *path, int64_t p, int64_t value,
                         const char *name, mplan_error *err)
{
    if (p < 0 || p >= reader->n)
        return fail(reader, path, MPLAN_ERR_MESH, "has a point that is not in the mesh", err);
    const int32_t depth = reader->depth[p];
    int32_t dimension = depth == reader->top ? (int32_t)reader->dimension : depth;
    int64_t member = reader->place[p];
    if (depth > 0 && depth < reader->top) {
        mplan_status status = collect_flat(reader, p, err);
        if (status)
            return status;
        member = reader->collection.type[dimension].count - 1;
    }
    mplan_collection *to = &reader->collection;
    const int64_t id = value == 0 && *name ? MPLAN_COLLECTED_ZERO : value;
    const size_t length = strlen(name);
    return depth == 0 && reader->top == 1
               ? mplan_collect_point(to, member, id, name, length, err)
               : mplan_collect_member_at(to, dimension, member, id, name, length, err);
}

/* labels/LABEL/VALUE/indices; name: "" for the sets of files that PETSc has read. */
static mplan_status read_value(dmplex_reader *reader, const char *folder, const char *text,
                               const char *name, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    int64_t *points = NULL, value = 0;
    mplan_hdf5_shape shape = {.n = 0};
    if (snprintf(path, sizeof path, "%s/%s/indices", folder, text) >= (int)sizeof path ||
        mplan_parse_i64(text, text + strlen(text), &value) != strlen(text) || value < INT32_MIN ||
        value > INT32_MAX)
        return fail(reader, folder, MPLAN_ERR_CORRUPT,
                    "has a value that is not a number of 32 bits", err);
    if (mplan_hdf5_look(&reader->tree, path, NULL) == MPLAN_HDF5_NOTHING)
        return MPLAN_OK;
    mplan_status status = mplan_hdf5_whole(&reader->tree, path, &points, &shape, err);
    if (!status)
        mplan_sort_u64((uint64_t *)points, shape.n);
    for (int64_t i = 0; i < shape.n && !status; i++)
        if (i == 0 || points[i] != points[i - 1])
            status = join(reader, path, points[i], value, name, err);
    free(points);
    return status;
}

/* All values of a label but those of types and depths, which say what is known. */
static mplan_status read_label(dmplex_reader *reader, const char *labels, const char *label,
                               mplan_error *err)
{
    char folder[MPLAN_HDF5_PATH], text[MPLAN_HDF5_NAME], *name = NULL;
    const size_t length = strlen(label), end = strlen(" Sets");
    if (strcmp(label, "celltype") == 0 || strcmp(label, "depth") == 0 ||
        snprintf(folder, sizeof folder, "%s/%s", labels, label) >= (int)sizeof folder)
        return MPLAN_OK;
    const bool nameless = length > end && strcmp(label + length - end, " Sets") == 0;
    name = mplan_strdup(nameless ? "" : label, err);
    mplan_status status = name ? mplan_vector_push(&reader->names, &name, err) : MPLAN_ERR_MEMORY;
    if (status)
        free(name);
    const int64_t n = mplan_hdf5_n_names(&reader->tree, folder);
    for (int64_t i = 0; i < n && !status; i++)
        if (mplan_hdf5_name(&reader->tree, folder, i, text))
            status = read_value(reader, folder, text, name, err);
    return status;
}

static mplan_status read_labels(dmplex_reader *reader, mplan_error *err)
{
    char folder[MPLAN_HDF5_PATH], label[MPLAN_HDF5_NAME];
    mplan_status status = MPLAN_OK;
    if (!inside(reader, folder, "labels"))
        return MPLAN_OK;
    const int64_t n = mplan_hdf5_n_names(&reader->tree, folder);
    for (int64_t i = 0; i < n && i < MOST_LABELS && !status; i++)
        if (mplan_hdf5_name(&reader->tree, folder, i, label))
            status = read_label(reader, folder, label, err);
    return status;
}

/* --- the file ---------------------------------------------------------------------------------------- */

/* viz/topology/cells: the vertices of cells, a row each. */
static mplan_status read_drawing(dmplex_reader *reader, mplan_error *err)
{
    static const char path[] = "viz/topology/cells";
    mplan_hdf5_shape shape = {.n = 0};
    int64_t *number = NULL, corners = 0;
    mplan_status status = read_vertices(reader, -1, err);
    if (!status)
        status = mplan_hdf5_whole(&reader->tree, path, &number, &shape, err);
    if (!status && (!mplan_hdf5_attribute(&reader->tree, path, "cell_dim", &reader->dimension) ||
                    !mplan_hdf5_attribute(&reader->tree, path, "cell_corners", &corners) ||
                    corners < 1 || corners > 8 || shape.n % corners != 0))
        status = fail(reader, path, MPLAN_ERR_UNSUPPORTED,
                      "must have rows of at most eight vertices", err);
    for (int64_t at = 0; !status && at < shape.n; at += corners) {
        int32_t node[8];
        for (int64_t k = 0; k < corners && !status; k++) {
            if (number[at + k] < 0 || number[at + k] >= mplan_collected_nodes(&reader->collection))
                status = fail(reader, path, MPLAN_ERR_MESH, "has a vertex that is not there", err);
            node[k] = (int32_t)number[at + k];
        }
        if (!status)
            status = collect_vertices(reader, node, (int32_t)corners, false, err);
    }
    free(number);
    if (!status)
        mplan_warn(reader->tree.context,
                   "%s: the file is made for drawing: it has no labels, and so no groups",
                   reader->tree.input->path);
    return status;
}

/* Version 2: the mesh that is wanted, or the first. */
static mplan_status choose_mesh(dmplex_reader *reader, const char *zone, mplan_error *err)
{
    char name[MPLAN_HDF5_NAME], list[384] = "";
    const int64_t n = mplan_hdf5_n_names(&reader->tree, "topologies");
    size_t used = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!mplan_hdf5_name(&reader->tree, "topologies", i, name))
            continue;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.64s", used ? ", " : "",
                                     name);
        if (!*reader->root && (!zone || strcmp(zone, name) == 0))
            snprintf(reader->root, sizeof reader->root, "topologies/%s", name);
    }
    if (!*reader->root)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: there is no mesh '%.64s' among %s",
                          reader->tree.input->path, zone ? zone : "", list);
    if (n > 1 && !zone)
        mplan_warn(reader->tree.context, "%s: the file has %lld meshes (%s); only the first is read",
                   reader->tree.input->path, (long long)n, list);
    return MPLAN_OK;
}

static mplan_status read_all(dmplex_reader *reader, const char *zone, mplan_error *err)
{
    char path[MPLAN_HDF5_PATH];
    mplan_status status = MPLAN_OK;
    if (mplan_hdf5_look(&reader->tree, "topologies", NULL) == MPLAN_HDF5_GROUP)
        status = choose_mesh(reader, zone, err);
    else if (mplan_hdf5_look(&reader->tree, "topology/cones", NULL) == MPLAN_HDF5_NOTHING)
        return read_drawing(reader, err);
    if (!status && inside(reader, path, "topology/strata") &&
        mplan_hdf5_look(&reader->tree, path, NULL) != MPLAN_HDF5_NOTHING)
        status = fail(reader, path, MPLAN_ERR_UNSUPPORTED,
                      "is of storage version 3, which is not supported; PETSc's option "
                      "-dm_plex_view_hdf5_storage_version 2.1.0 writes version 2",
                      err);
    if (!status)
        status = read_cones(reader, err);
    if (!status)
        status = read_nodes(reader, err);
    if (!status)
        status = collect_cells(reader, err);
    return status ? status : read_labels(reader, err);
}

static mplan_status read_dmplex(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    dmplex_reader reader = {.names = MPLAN_VECTOR_INIT(sizeof(char *))};
    mplan_status status = mplan_hdf5_begin(&reader.tree, input, context, err);
    if (status)
        return status;
    mplan_collection_begin(&reader.collection, input->path, context);
    status = read_all(&reader, options ? options->zone : NULL, err);
    status = mplan_hdf5_end_collected(&reader.tree, &reader.collection, status, mesh, err);
    for (int64_t i = 0; i < reader.names.count; i++)
        free(((char **)reader.names.data)[i]);
    free(reader.names.data);
    free(reader.bounds);
    free(reader.turns);
    free(reader.first);
    free(reader.size);
    free(reader.depth);
    free(reader.place);
    return status;
}
#elif defined MPLAN_HELPER_HDF5
MPLAN_CONTAINED_READER(read_dmplex, "dmplex")
#endif

static mplan_recognised recognise_dmplex(const uint8_t *data, size_t size)
{
    return mplan_hdf5_holds(data, size, "topology/cones", "dmplex_storage_version") ||
                   mplan_hdf5_holds(data, size, "topologies", "dmplex_storage_version") ||
                   mplan_hdf5_holds(data, size, "viz/topology/cells", "dmplex_storage_version")
               ? MPLAN_RECOGNISED_YES
               : MPLAN_RECOGNISED_NO;
}

const mplan_file_format mplan_format_dmplex = {
    .name = "dmplex",
    .description = "PETSc DMPlex in HDF5, storage versions 1 and 2, with labels as groups",
    .extensions = ".h5",
    .zones = MPLAN_ZONES_APART,
    .recognise = recognise_dmplex,
    MPLAN_READ_BY_HDF5(read_dmplex),
};
