/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_cells.c - VTK's cells as cells of a mesh
 *
 * Codes and the order of their points: VTK's documentation, "VTK File Formats" and
 * vtkCellType.h. Of second-order cells the corners are first there as well, the
 * points on edges in another order than Gmsh's, which meshes keep. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/not_finite.h"
#include "formats/prism.h"
#include "formats/vtk/vtk.h"
#include "mesh/mesh.h"

enum { MOST_NODES = 27 };

/* Cells that VTK has and meshplan does not read. */
static const char *name_of_code(int code)
{
    switch (code) {
    case 15: return "pentagonal prism of other than 10 points";
    case 16: return "hexagonal prism of other than 12 points";
    case 30: return "quadratic-linear quad";
    case 31: return "quadratic-linear wedge";
    case 33: return "biquadratic-quadratic hexahedron";
    case 34: return "biquadratic triangle";
    case 35: return "cubic line";
    case 36: return "quadratic polygon";
    case 37: return "triquadratic pyramid";
    default: return code >= 60 && code <= 81 ? "cell of higher order" : NULL;
    }
}

/* Arrays may be NULL: a reader may have stopped anywhere. */
void mplan_vtk_cells_free(mplan_vtk_cells *cells)
{
    free(cells->types);
    free(cells->offsets);
    free(cells->points);
    free(cells->faces);
    free(cells->face_offsets);
    free(cells->xyz);
    mplan_vtk_fields_free(cells);
    memset(cells, 0, sizeof *cells);
}

/* --- checks --------------------------------------------------------------------- */

/* Points of cell c in range. Whole rows are read: offsets must be sound. */
static mplan_status check_points(const char *path, const mplan_vtk_cells *cells, int64_t c,
                                 mplan_error *err)
{
    for (int64_t i = cells->offsets[c]; i < cells->offsets[c + 1]; i++)
        if (cells->points[i] < 0 || cells->points[i] >= cells->n_points)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: cell %lld has point %lld, which is not in [0, %lld)", path,
                              (long long)c, (long long)cells->points[i], (long long)cells->n_points);
    return MPLAN_OK;
}

/* *dimension: out. A type must have the right number of points: VTK's rows say their length, so
 * that they may contradict it. */
static mplan_status check_typed(const char *path, const mplan_vtk_cells *cells, int64_t c,
                                int32_t *dimension, mplan_error *err)
{
    int64_t n = cells->offsets[c + 1] - cells->offsets[c];
    int code = cells->types[c];
    mplan_cell_type type;
    bool known = mplan_vtk_shape(code, n, &type, NULL);
    const char *name = name_of_code(code);
    if (!known && name)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: cell %lld is a %s (VTK type %d), which is not supported", path,
                          (long long)c, name, code);
    if (!known)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: cell %lld is of the unknown VTK type %d",
                          path, (long long)c, code);
    if (n != mplan_cell_type_nodes(type))
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld, a %s, has %lld points, not %d", path,
                          (long long)c, mplan_cell_type_name(type), (long long)n,
                          (int)mplan_cell_type_nodes(type));
    *dimension = mplan_cell_type_dimension(type);
    return MPLAN_OK;
}

/* Checks a cell. *untyped: it is a polyhedron, or a polygon of other than three or four points. */
static mplan_status check_cell(const char *path, const mplan_vtk_cells *cells, int64_t c,
                               int32_t *dimension, bool *untyped, mplan_error *err)
{
    int64_t n = cells->offsets[c + 1] - cells->offsets[c];
    *untyped = cells->types[c] == MPLAN_VTK_POLYHEDRON ||
               (cells->types[c] == MPLAN_VTK_POLYGON && n != 3 && n != 4);
    if (cells->types[c] == MPLAN_VTK_POLYHEDRON) {
        *dimension = 3;
        return mplan_vtk_check_polyhedron(path, cells, c, err);
    }
    mplan_status status = MPLAN_OK;
    if (!*untyped)
        status = check_typed(path, cells, c, dimension, err);
    else if (n < 3)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld, a polygon, has %lld points", path,
                            (long long)c, (long long)n);
    else
        *dimension = 2;
    return !status ? check_points(path, cells, c, err) : status;
}

/* The cells of the highest dimension. */
typedef struct kept_cells {
    int32_t dimension;
    int64_t n;
    bool untyped; /* some of them are */
} kept_cells;

/* *kept: highest dimension and how many cells have it. */
static mplan_status count_cells(const char *path, const mplan_vtk_cells *cells, kept_cells *kept,
                                const mplan_context *context, mplan_error *err)
{
    *kept = (kept_cells){0, 0, false};
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int32_t dimension = 0;
        bool untyped = false;
        mplan_status status = check_cell(path, cells, c, &dimension, &untyped, err);
        if (!status && c % 65536 == 0)
            status = mplan_interrupted(context, err);
        if (status)
            return status;
        if (dimension > kept->dimension)
            *kept = (kept_cells){dimension, 0, false};
        if (dimension == kept->dimension) {
            kept->n++;
            kept->untyped = kept->untyped || untyped;
        }
    }
    if (kept->dimension == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: all cells of the file are points", path);
    return MPLAN_OK;
}

/* Moves the kept cells together, in their order; the rows of others are dropped. Nothing moves
 * up, so that one pass in place does it. */
static void drop_others(mplan_vtk_cells *cells, int32_t dimension)
{
    int64_t n = 0, at = 0, faces_at = 0;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int64_t first = cells->offsets[c], length = cells->offsets[c + 1] - first;
        int64_t first_face = cells->faces ? cells->face_offsets[c] : 0;
        int64_t n_faces = cells->faces ? cells->face_offsets[c + 1] - first_face : 0;
        if (mplan_vtk_dimension_of(cells, c) != dimension)
            continue;
        /* entry c and c + 1 of the offsets are read before entry n <= c is written */
        memmove(cells->points + at, cells->points + first, (size_t)length * sizeof *cells->points);
        cells->offsets[n] = at;
        at += length;
        if (cells->faces) {
            memmove(cells->faces + faces_at, cells->faces + first_face,
                    (size_t)n_faces * sizeof *cells->faces);
            cells->face_offsets[n] = faces_at;
            faces_at += n_faces;
        }
        cells->types[n++] = cells->types[c];
    }
    cells->n_cells = n;
    cells->offsets[n] = at;
    if (cells->faces)
        cells->face_offsets[n] = faces_at;
}

/* --- points --------------------------------------------------------------------- */

/* Coordinates of as many dimensions as they have: 2 for planar meshes (all third ones 0, and no
 * solid cells), in place: the pair of point p goes before where its triple was. Returns how
 * many. */
static int32_t flatten(int64_t n_points, int32_t dimension, double *xyz)
{
    for (int64_t p = 0; p < n_points; p++)
        if (dimension == 3 || xyz[3 * p + 2] != 0)
            return 3;
    for (int64_t p = 0; p < n_points; p++) {
        xyz[2 * p] = xyz[3 * p];
        xyz[2 * p + 1] = xyz[3 * p + 1];
    }
    return 2;
}

/* x - x is 0 for finite numbers only. */
static mplan_status check_finite(const char *path, const mplan_vtk_cells *cells, mplan_error *err)
{
    for (int64_t i = 0; i < 3 * cells->n_points; i++)
        if (!(cells->xyz[i] - cells->xyz[i] == 0)) /* also true for NaN */
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "%s: a coordinate of point %lld is not finite (%s)", path,
                              (long long)(i / 3), mplan_not_finite(cells->xyz[i]));
    return MPLAN_OK;
}

/* Hands the coordinates on, in memory of their own length. */
static mplan_status take_points(mplan_vtk_cells *cells, int32_t dimension, mplan_mesh *mesh,
                                mplan_error *err)
{
    double *xyz = cells->xyz;
    int32_t kept = flatten(cells->n_points, dimension, xyz);
    if (kept < 3) {
        double *fitting = mplan_realloc(xyz, cells->n_points * kept, sizeof *xyz, err);
        if (!fitting)
            return MPLAN_ERR_MEMORY;
        xyz = fitting;
    }
    cells->xyz = NULL;
    return mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), kept, xyz, err);
}

/* --- cells ---------------------------------------------------------------------- */

/* Types and nodes in the mesh's ways, in place. Every cell has a type here; Gmsh's node k is
 * VTK's order[k] - 'A'. */
static void set_types(mplan_vtk_cells *cells)
{
    int32_t row[MOST_NODES];
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int32_t *nodes = cells->points + cells->offsets[c];
        int64_t n = cells->offsets[c + 1] - cells->offsets[c];
        mplan_cell_type type = MPLAN_CELL_POINT;
        const char *order = NULL;
        mplan_vtk_shape(cells->types[c], n, &type, &order);
        if (order) {
            memcpy(row, nodes, (size_t)n * sizeof *row);
            for (int64_t k = 0; k < n; k++)
                nodes[k] = row[order[k] - 'A'];
        }
        if (type == MPLAN_CELL_PRISM6)
            mplan_orient_prism(cells->xyz, nodes);
        cells->types[c] = (uint8_t)type;
    }
}

/* types and points move to the mesh; rows lie one behind the other there, so that offsets say
 * nothing that types do not. */
static mplan_status add_typed(mplan_vtk_cells *cells, mplan_mesh *mesh, mplan_error *err)
{
    int64_t n_points = cells->offsets[cells->n_cells];
    set_types(cells);
    free(cells->offsets);
    cells->offsets = NULL;
    uint8_t *types = cells->types;
    int32_t *points = mplan_realloc(cells->points, n_points, sizeof *points, err);
    if (!points)
        return MPLAN_ERR_MEMORY;
    cells->types = NULL;
    cells->points = NULL;
    return mplan_mesh_take_cells(mesh, cells->n_points, cells->n_cells, types, points, err);
}

/* Cells of lower dimension are facets of groups, or dropped. Groups are looked for first, while
 * all cells of the file are there: their members are numbered as the kept cells will be. */
static mplan_status take_cells(const char *path, mplan_vtk_cells *cells, mplan_mesh *mesh,
                               const mplan_context *context, mplan_error *err)
{
    kept_cells kept;
    int64_t n_facets = 0;
    mplan_vtk_groups *groups = NULL;
    mplan_status status = count_cells(path, cells, &kept, context, err);
    if (!status)
        status = check_finite(path, cells, err);
    if (!status)
        status = mplan_vtk_groups_find(path, cells, kept.dimension, !kept.untyped, &groups,
                                       &n_facets, context, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", cells->n_points, NULL, err);
    if (status) {
        mplan_vtk_groups_free(groups);
        return status;
    }
    if (kept.n + n_facets < cells->n_cells)
        mplan_warn(context, "%s: %lld cells of lower dimension are skipped", path,
                   (long long)(cells->n_cells - kept.n - n_facets));
    if (kept.n < cells->n_cells)
        drop_others(cells, kept.dimension);
    if (!kept.untyped || mplan_vtk_type_polyhedra(cells)) {
        status = add_typed(cells, mesh, err);
    } else {
        bool planar = kept.dimension == 2;
        for (int64_t p = 0; p < cells->n_points && planar; p++)
            planar = cells->xyz[3 * p + 2] == 0;
        status = mplan_vtk_add_untyped(path, cells, kept.dimension, planar, mesh, context, err);
    }
    if (!status)
        status = take_points(cells, kept.dimension, mesh, err);
    if (!status)
        status = mplan_vtk_groups_add(groups, kept.dimension, mesh, err);
    mplan_vtk_groups_free(groups);
    return status;
}

/* cells are freed in any case. */
mplan_status mplan_vtk_take_cells(const char *path, mplan_vtk_cells *cells, mplan_mesh *mesh,
                                  const mplan_context *context, mplan_error *err)
{
    mplan_vtk_lower_orders(path, cells, context);
    mplan_status status = mplan_vtk_open_strips(path, cells, err);
    if (!status)
        status = mplan_vtk_open_prisms(cells, err);
    if (!status)
        status = take_cells(path, cells, mesh, context, err);
    mplan_vtk_cells_free(cells);
    return status;
}
