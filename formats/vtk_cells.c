/* vtk_cells.c - VTK's cells as cells of a mesh
 *
 * Codes and the order of their points: VTK's documentation, "VTK File Formats" and
 * vtkCellType.h. Of second-order cells the corners stand first there as well, the
 * points on edges in another order than Gmsh's, which meshes keep. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/prism.h"
#include "formats/vtk.h"
#include "mesh/mesh.h"

enum { MOST_NODES = 27 };

typedef struct vtk_shape {
    uint8_t code;
    mplan_cell_type type;
    const char *order; /* Gmsh's node k is VTK's order[k] - 'A'; NULL: the same order */
} vtk_shape;

static const vtk_shape shapes[] = {
    {1, MPLAN_CELL_POINT, NULL},
    {3, MPLAN_CELL_LINE2, NULL},
    {5, MPLAN_CELL_TRI3, NULL},
    {8, MPLAN_CELL_QUAD4, "ABDC"}, /* pixel */
    {9, MPLAN_CELL_QUAD4, NULL},
    {10, MPLAN_CELL_TET4, NULL},
    {11, MPLAN_CELL_HEX8, "ABDCEFHG"}, /* voxel */
    {12, MPLAN_CELL_HEX8, NULL},
    {13, MPLAN_CELL_PRISM6, NULL},
    {14, MPLAN_CELL_PYRAMID5, NULL},
    {21, MPLAN_CELL_LINE3, NULL},
    {22, MPLAN_CELL_TRI6, NULL},
    {23, MPLAN_CELL_QUAD8, NULL},
    {24, MPLAN_CELL_TET10, "ABCDEFGHJI"},
    {25, MPLAN_CELL_HEX20, "ABCDEFGHILQJRKSTMPNO"},
    {26, MPLAN_CELL_PRISM15, "ABCDEFGIMHNOJLK"},
    {27, MPLAN_CELL_PYRAMID13, "ABCDEFIJGKHLM"},
    {28, MPLAN_CELL_QUAD9, NULL},
    {29, MPLAN_CELL_HEX27, "ABCDEFGHILQJRKSTMPNOYWUVXZ["},
    {32, MPLAN_CELL_PRISM18, "ABCDEFGIMHNOJLKPRQ"},
};

static const char *name_of_code(int code)
{
    switch (code) {
    case 2: return "poly vertex";
    case 4: return "poly line";
    case 6: return "triangle strip";
    case 7: return "polygon of more than four points";
    case 30: return "quadratic-linear quad";
    case 31: return "quadratic-linear wedge";
    case 33: return "biquadratic-quadratic hexahedron";
    case 34: return "biquadratic triangle";
    case 35: return "cubic line";
    case 36: return "quadratic polygon";
    case 37: return "triquadratic pyramid";
    case 42: return "polyhedron";
    default: return code >= 60 && code <= 81 ? "cell of higher order" : NULL;
    }
}

/* A polygon of three or four points is a triangle or a quad. */
static const vtk_shape *shape_of(int code, int64_t n_points)
{
    if (code == 7)
        code = n_points == 3 ? 5 : n_points == 4 ? 9 : 7;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (shapes[s].code == code)
            return &shapes[s];
    return NULL;
}

static mplan_status check_cell(const char *path, const mplan_vtk_cells *cells, int64_t c,
                               const vtk_shape **shape, mplan_error *err)
{
    int64_t n = cells->offsets[c + 1] - cells->offsets[c];
    int code = cells->types[c];
    *shape = shape_of(code, n);
    const char *name = name_of_code(code);
    if (!*shape && name)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "%s: cell %lld is a %s (VTK type %d), which is not supported", path,
                          (long long)c, name, code);
    if (!*shape)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: cell %lld is of VTK type %d, which is not known",
                          path, (long long)c, code);
    if (n != mplan_cell_type_nodes((*shape)->type))
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld, a %s, has %lld points, not %d", path,
                          (long long)c, mplan_cell_type_name((*shape)->type), (long long)n,
                          (int)mplan_cell_type_nodes((*shape)->type));
    for (int64_t i = cells->offsets[c]; i < cells->offsets[c + 1]; i++)
        if (cells->points[i] < 0 || cells->points[i] >= cells->n_points)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: cell %lld has point %lld, which is not in [0, %lld)",
                              path, (long long)c, (long long)cells->points[i],
                              (long long)cells->n_points);
    return MPLAN_OK;
}

/* Numbers and nodes of the cells of the highest dimension. */
typedef struct kept_cells {
    int32_t dimension;
    int64_t n_cells, n_nodes;
} kept_cells;

static mplan_status count_cells(const char *path, const mplan_vtk_cells *cells, kept_cells *kept,
                                const mplan_context *context, mplan_error *err)
{
    *kept = (kept_cells){0, 0, 0};
    for (int64_t c = 0; c < cells->n_cells; c++) {
        const vtk_shape *shape;
        mplan_status status = check_cell(path, cells, c, &shape, err);
        if (status == MPLAN_OK && c % 65536 == 0)
            status = mplan_interrupted(context, err);
        if (status != MPLAN_OK)
            return status;
        int32_t dimension = mplan_cell_type_dimension(shape->type);
        if (dimension > kept->dimension)
            *kept = (kept_cells){dimension, 0, 0};
        if (dimension == kept->dimension) {
            kept->n_cells++;
            kept->n_nodes += mplan_cell_type_nodes(shape->type);
        }
    }
    if (kept->dimension == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: the file has no cells but points", path);
    return MPLAN_OK;
}

static void copy_cell(const mplan_vtk_cells *cells, int64_t c, const vtk_shape *shape,
                      const double *xyz, int32_t *nodes)
{
    const int32_t *from = cells->points + cells->offsets[c];
    int32_t n = mplan_cell_type_nodes(shape->type);
    for (int32_t k = 0; k < n; k++)
        nodes[k] = from[shape->order ? shape->order[k] - 'A' : k];
    if (shape->type == MPLAN_CELL_PRISM6)
        mplan_turn_prism(xyz, nodes);
}

/* Coordinates of as many dimensions as they have: 2 for planar meshes. */
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

static mplan_status take_points(const char *path, const mplan_vtk_cells *cells, int32_t dimension,
                                double *xyz, mplan_mesh *mesh, mplan_error *err)
{
    int32_t set;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < 3 * cells->n_points && status == MPLAN_OK; i++)
        if (!(xyz[i] - xyz[i] == 0)) /* also false for NaN */
            status = mplan_fail(err, MPLAN_ERR_MESH, "%s: a coordinate of point %lld is not finite", path,
                                (long long)(i / 3));
    if (status == MPLAN_OK)
        status = mplan_mesh_add_set(mesh, "nodes", cells->n_points, &set, err);
    if (status != MPLAN_OK) {
        free(xyz);
        return status;
    }
    int32_t kept = flatten(cells->n_points, dimension, xyz);
    double *fitting = kept == 3 ? xyz : mplan_realloc(xyz, cells->n_points * kept, sizeof *xyz, err);
    if (!fitting) {
        free(xyz);
        return MPLAN_ERR_MEMORY;
    }
    return mplan_mesh_take_coordinates(mesh, set, kept, fitting, err);
}

mplan_status mplan_vtk_take_cells(const char *path, const mplan_vtk_cells *cells, double *xyz,
                                  mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    kept_cells kept;
    uint8_t *types = NULL;
    int32_t *nodes = NULL;
    mplan_status status = count_cells(path, cells, &kept, context, err);
    if (status == MPLAN_OK) {
        types = mplan_alloc(kept.n_cells, sizeof *types, err);
        nodes = types ? mplan_alloc(kept.n_nodes, sizeof *nodes, err) : NULL;
        status = nodes ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (status != MPLAN_OK) {
        free(types);
        free(xyz);
        return status;
    }
    int64_t n = 0, at = 0;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        const vtk_shape *shape =
            shape_of(cells->types[c], cells->offsets[c + 1] - cells->offsets[c]);
        if (mplan_cell_type_dimension(shape->type) != kept.dimension)
            continue;
        copy_cell(cells, c, shape, xyz, nodes + at);
        types[n++] = (uint8_t)shape->type;
        at += mplan_cell_type_nodes(shape->type);
    }
    if (kept.n_cells < cells->n_cells)
        mplan_warn(context, "%s: %lld cells of lower dimension are passed over", path,
                   (long long)(cells->n_cells - kept.n_cells));
    status = take_points(path, cells, kept.dimension, xyz, mesh, err);
    if (status != MPLAN_OK) {
        free(types);
        free(nodes);
        return status;
    }
    return mplan_mesh_take_cells(mesh, cells->n_points, kept.n_cells, types, nodes, err);
}

bool mplan_vtk_shape_of(mplan_cell_type type, mplan_vtk_shape *shape)
{
    bool whole = type != MPLAN_CELL_PYRAMID14;
    if (!whole)
        type = MPLAN_CELL_PYRAMID13;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (shapes[s].type == type && shapes[s].code != 8 && shapes[s].code != 11) {
            shape->code = shapes[s].code;
            shape->n_nodes = mplan_cell_type_nodes(type);
            for (int32_t k = 0; k < shape->n_nodes; k++)
                shape->node[shapes[s].order ? shapes[s].order[k] - 'A' : k] = (uint8_t)k;
        }
    return whole;
}
