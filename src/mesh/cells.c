/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c - the shapes of cells: their nodes, faces and edges
 *
 * Nodes are numbered as Gmsh does (Gmsh reference manual, "Node ordering"),
 * edges in the order in which Gmsh's second-order cells number the nodes on
 * them. The corners of each face run so that its normal leaves a positively
 * oriented cell: to the right of the direction of travel in 2-D, by the
 * right-hand rule in 3-D. */
#include "meshplan.h"

#include "mesh/cells.h"

#define LINE_PARTS \
    .n_faces = 2, .face_size = {1, 1}, .face = {{0}, {1}}, .n_edges = 1, .edge = {{0, 1}}
#define TRI_PARTS                                                                         \
    .n_faces = 3, .face_size = {2, 2, 2}, .face = {{0, 1}, {1, 2}, {2, 0}}, .n_edges = 3, \
    .edge = {{0, 1}, {1, 2}, {2, 0}}
#define QUAD_PARTS                                                                     \
    .n_faces = 4, .face_size = {2, 2, 2, 2}, .face = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, \
    .n_edges = 4, .edge = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}
#define TET_PARTS                                                                                  \
    .n_faces = 4, .face_size = {3, 3, 3, 3}, .face = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}, \
    .n_edges = 6, .edge = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}
#define PYRAMID_PARTS                                                                 \
    .n_faces = 5, .face_size = {3, 3, 3, 3, 4},                                       \
    .face = {{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}}, .n_edges = 8, \
    .edge = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}
#define PRISM_PARTS                                                                         \
    .n_faces = 5, .face_size = {3, 3, 4, 4, 4},                                             \
    .face = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}, .n_edges = 9, \
    .edge = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}}
#define HEX_PARTS                                                                                 \
    .n_faces = 6, .face_size = {4, 4, 4, 4, 4, 4},                                                \
    .face = {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}, \
    .n_edges = 12, .edge = {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3},                       \
                            {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}}

static const mplan_cell_shape shapes[MPLAN_N_CELL_TYPES] = {
    [MPLAN_CELL_POINT] = {.name = "point", .dimension = 0, .n_nodes = 1, .n_corners = 1},
    [MPLAN_CELL_LINE2] = {.name = "line2", .dimension = 1, .n_nodes = 2, .n_corners = 2, LINE_PARTS},
    [MPLAN_CELL_LINE3] = {.name = "line3", .dimension = 1, .n_nodes = 3, .n_corners = 2, LINE_PARTS},
    [MPLAN_CELL_TRI3] = {.name = "tri3", .dimension = 2, .n_nodes = 3, .n_corners = 3, TRI_PARTS},
    [MPLAN_CELL_TRI6] = {.name = "tri6", .dimension = 2, .n_nodes = 6, .n_corners = 3, TRI_PARTS},
    [MPLAN_CELL_QUAD4] = {.name = "quad4", .dimension = 2, .n_nodes = 4, .n_corners = 4, QUAD_PARTS},
    [MPLAN_CELL_QUAD8] = {.name = "quad8", .dimension = 2, .n_nodes = 8, .n_corners = 4, QUAD_PARTS},
    [MPLAN_CELL_QUAD9] = {.name = "quad9", .dimension = 2, .n_nodes = 9, .n_corners = 4, QUAD_PARTS},
    [MPLAN_CELL_TET4] = {.name = "tet4", .dimension = 3, .n_nodes = 4, .n_corners = 4, TET_PARTS},
    [MPLAN_CELL_TET10] = {.name = "tet10", .dimension = 3, .n_nodes = 10, .n_corners = 4, TET_PARTS},
    [MPLAN_CELL_PYRAMID5] =
        {.name = "pyramid5", .dimension = 3, .n_nodes = 5, .n_corners = 5, PYRAMID_PARTS},
    [MPLAN_CELL_PYRAMID13] =
        {.name = "pyramid13", .dimension = 3, .n_nodes = 13, .n_corners = 5, PYRAMID_PARTS},
    [MPLAN_CELL_PYRAMID14] =
        {.name = "pyramid14", .dimension = 3, .n_nodes = 14, .n_corners = 5, PYRAMID_PARTS},
    [MPLAN_CELL_PRISM6] = {.name = "prism6", .dimension = 3, .n_nodes = 6, .n_corners = 6, PRISM_PARTS},
    [MPLAN_CELL_PRISM15] = {.name = "prism15", .dimension = 3, .n_nodes = 15, .n_corners = 6, PRISM_PARTS},
    [MPLAN_CELL_PRISM18] = {.name = "prism18", .dimension = 3, .n_nodes = 18, .n_corners = 6, PRISM_PARTS},
    [MPLAN_CELL_HEX8] = {.name = "hex8", .dimension = 3, .n_nodes = 8, .n_corners = 8, HEX_PARTS},
    [MPLAN_CELL_HEX20] = {.name = "hex20", .dimension = 3, .n_nodes = 20, .n_corners = 8, HEX_PARTS},
    [MPLAN_CELL_HEX27] = {.name = "hex27", .dimension = 3, .n_nodes = 27, .n_corners = 8, HEX_PARTS},
};

/* NULL for a number that is not a type, such as a byte of a file. */
const mplan_cell_shape *mplan_cell_shape_of(mplan_cell_type type)
{
    return (unsigned)type < MPLAN_N_CELL_TYPES ? &shapes[type] : NULL;
}

/* NULL for no type. */
const char *mplan_cell_type_name(mplan_cell_type type)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    return shape ? shape->name : NULL;
}

/* 0 for points, and for no type. */
int32_t mplan_cell_type_dimension(mplan_cell_type type)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    return shape ? shape->dimension : 0;
}

/* 0 for no type. */
int32_t mplan_cell_type_nodes(mplan_cell_type type)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    return shape ? shape->n_nodes : 0;
}

/* The first nodes of a cell are its corners. */
int32_t mplan_cell_type_corners(mplan_cell_type type)
{
    const mplan_cell_shape *shape = mplan_cell_shape_of(type);
    return shape ? shape->n_corners : 0;
}

/* Compares all pairs: cells have at most some dozens of nodes. */
int32_t mplan_distinct_nodes(const int32_t *nodes, int32_t n)
{
    int32_t distinct = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t j = 0;
        while (j < i && nodes[j] != nodes[i])
            j++;
        distinct += j == i;
    }
    return distinct;
}
