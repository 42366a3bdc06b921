/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_shapes.c - Gmsh's numbers of element shapes (GmshDefines.h lists them) */
#include "formats/gmsh/gmsh_internal.h"

enum { N_SHAPES = 20 };

static const mplan_cell_type type_of_number[N_SHAPES] = {
    [1] = MPLAN_CELL_LINE2,      [2] = MPLAN_CELL_TRI3,       [3] = MPLAN_CELL_QUAD4,
    [4] = MPLAN_CELL_TET4,       [5] = MPLAN_CELL_HEX8,       [6] = MPLAN_CELL_PRISM6,
    [7] = MPLAN_CELL_PYRAMID5,   [8] = MPLAN_CELL_LINE3,      [9] = MPLAN_CELL_TRI6,
    [10] = MPLAN_CELL_QUAD9,     [11] = MPLAN_CELL_TET10,     [12] = MPLAN_CELL_HEX27,
    [13] = MPLAN_CELL_PRISM18,   [14] = MPLAN_CELL_PYRAMID14, [15] = MPLAN_CELL_POINT,
    [16] = MPLAN_CELL_QUAD8,     [17] = MPLAN_CELL_HEX20,     [18] = MPLAN_CELL_PRISM15,
    [19] = MPLAN_CELL_PYRAMID13,
};

bool mplan_gmsh_shape(int64_t number, gmsh_shape *shape)
{
    if (number < 1 || number >= N_SHAPES)
        return false;
    shape->type = type_of_number[number];
    shape->dimension = mplan_cell_type_dimension(shape->type);
    shape->n_nodes = mplan_cell_type_nodes(shape->type);
    return true;
}

/* What an element type is, for messages about those that are not read. */
const char *mplan_gmsh_shape_word(int64_t number)
{
    static const struct {
        int64_t first, last;
        const char *word;
    } others[] = {
        {20, 25, "a triangle of third or higher order"},
        {26, 28, "a line of third or higher order"},
        {29, 33, "a tetrahedron of third or higher order"},
        {34, 34, "a polygon"},
        {35, 35, "a polyhedron"},
        {36, 41, "a quadrangle of third or higher order"},
        {42, 46, "a triangle of third or higher order"},
        {47, 51, "a quadrangle of third or higher order"},
        {52, 56, "a triangle of third or higher order"},
        {57, 61, "a quadrangle of third or higher order"},
        {62, 66, "a line of third or higher order"},
        {71, 75, "a tetrahedron of third or higher order"},
        {90, 91, "a prism of third or higher order"},
        {92, 93, "a hexahedron of third or higher order"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (number >= others[i].first && number <= others[i].last)
            return others[i].word;
    return "of a shape that is not known";
}

/* 0 if Gmsh has no such type. */
int32_t mplan_gmsh_shape_number(mplan_cell_type type)
{
    for (int32_t number = 1; number < N_SHAPES; number++)
        if (type_of_number[number] == type)
            return number;
    return 0;
}
