/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_shapes.c - cell types of VTK, and the order of their nodes */
#include "formats/vtk/vtk.h"

/* A cell type of VTK and meshplan's, with the order of its nodes. */
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

/* A polygon of three or four points is a triangle or a quad. */
static const vtk_shape *shape_of(int code, int64_t n_points)
{
    if (code == MPLAN_VTK_POLYGON)
        code = n_points == 3 ? 5 : n_points == 4 ? 9 : MPLAN_VTK_POLYGON;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (shapes[s].code == code)
            return &shapes[s];
    return NULL;
}

/* order: NULL where nodes are as in meshplan. */
bool mplan_vtk_shape(int code, int64_t n_points, mplan_cell_type *type, const char **order)
{
    const vtk_shape *shape = shape_of(code, n_points);
    if (!shape)
        return false;
    *type = shape->type;
    if (order)
        *order = shape->order;
    return true;
}

/* Of a cell that has been checked. */
int32_t mplan_vtk_dimension_of(const mplan_vtk_cells *cells, int64_t c)
{
    mplan_cell_type type;
    if (mplan_vtk_shape(cells->types[c], cells->offsets[c + 1] - cells->offsets[c], &type, NULL))
        return mplan_cell_type_dimension(type);
    return cells->types[c] == MPLAN_VTK_POLYHEDRON ? 3 : 2;
}

/* The VTK type to write; second-order pyramids lose the node in their middle. */
bool mplan_vtk_shape_of(mplan_cell_type type, mplan_vtk_node_order *shape)
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
