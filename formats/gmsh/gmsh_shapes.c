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

/* Shapes of third and higher order, complete and incomplete: their corners come first. */
static const struct {
    uint8_t number;
    uint16_t n_nodes;
    mplan_cell_type corners;
} higher[] = {
    {20, 9, MPLAN_CELL_TRI3},        {21, 10, MPLAN_CELL_TRI3},
    {22, 12, MPLAN_CELL_TRI3},       {23, 15, MPLAN_CELL_TRI3},
    {24, 15, MPLAN_CELL_TRI3},       {25, 21, MPLAN_CELL_TRI3},
    {26, 4, MPLAN_CELL_LINE2},       {27, 5, MPLAN_CELL_LINE2},
    {28, 6, MPLAN_CELL_LINE2},       {29, 20, MPLAN_CELL_TET4},
    {30, 35, MPLAN_CELL_TET4},       {31, 56, MPLAN_CELL_TET4},
    {36, 16, MPLAN_CELL_QUAD4},      {37, 25, MPLAN_CELL_QUAD4},
    {38, 36, MPLAN_CELL_QUAD4},      {39, 12, MPLAN_CELL_QUAD4},
    {40, 16, MPLAN_CELL_QUAD4},      {41, 20, MPLAN_CELL_QUAD4},
    {42, 28, MPLAN_CELL_TRI3},       {43, 36, MPLAN_CELL_TRI3},
    {44, 45, MPLAN_CELL_TRI3},       {45, 55, MPLAN_CELL_TRI3},
    {46, 66, MPLAN_CELL_TRI3},       {47, 49, MPLAN_CELL_QUAD4},
    {48, 64, MPLAN_CELL_QUAD4},      {49, 81, MPLAN_CELL_QUAD4},
    {50, 100, MPLAN_CELL_QUAD4},     {51, 121, MPLAN_CELL_QUAD4},
    {62, 7, MPLAN_CELL_LINE2},       {63, 8, MPLAN_CELL_LINE2},
    {64, 9, MPLAN_CELL_LINE2},       {65, 10, MPLAN_CELL_LINE2},
    {66, 11, MPLAN_CELL_LINE2},      {71, 84, MPLAN_CELL_TET4},
    {72, 120, MPLAN_CELL_TET4},      {73, 165, MPLAN_CELL_TET4},
    {74, 220, MPLAN_CELL_TET4},      {75, 286, MPLAN_CELL_TET4},
    {90, 40, MPLAN_CELL_PRISM6},     {91, 75, MPLAN_CELL_PRISM6},
    {92, 64, MPLAN_CELL_HEX8},       {93, 125, MPLAN_CELL_HEX8},
    {94, 216, MPLAN_CELL_HEX8},      {95, 343, MPLAN_CELL_HEX8},
    {96, 512, MPLAN_CELL_HEX8},      {97, 729, MPLAN_CELL_HEX8},
    {98, 1000, MPLAN_CELL_HEX8},     {106, 126, MPLAN_CELL_PRISM6},
    {107, 196, MPLAN_CELL_PRISM6},   {108, 288, MPLAN_CELL_PRISM6},
    {109, 405, MPLAN_CELL_PRISM6},   {110, 550, MPLAN_CELL_PRISM6},
    {118, 30, MPLAN_CELL_PYRAMID5},  {119, 55, MPLAN_CELL_PYRAMID5},
    {120, 91, MPLAN_CELL_PYRAMID5},  {121, 140, MPLAN_CELL_PYRAMID5},
    {122, 204, MPLAN_CELL_PYRAMID5}, {123, 285, MPLAN_CELL_PYRAMID5},
    {124, 385, MPLAN_CELL_PYRAMID5},
};

static void fill_shape(mplan_cell_type type, int32_t n_read, gmsh_shape *shape)
{
    shape->type = type;
    shape->dimension = mplan_cell_type_dimension(type);
    shape->n_nodes = mplan_cell_type_nodes(type);
    shape->n_read = n_read ? n_read : shape->n_nodes;
}

/* Kinds of higher order are read by their corners. false: Gmsh has no such number, or meshplan
 * no such shape. */
bool mplan_gmsh_shape(int64_t number, gmsh_shape *shape)
{
    for (size_t i = 0; i < sizeof higher / sizeof *higher; i++)
        if (higher[i].number == number) {
            fill_shape(higher[i].corners, higher[i].n_nodes, shape);
            return true;
        }
    if (number < 1 || number >= N_SHAPES)
        return false;
    fill_shape(type_of_number[number], 0, shape);
    return true;
}

/* What an element type is, for messages about those that are not read. */
const char *mplan_gmsh_shape_word(int64_t number)
{
    static const struct {
        int64_t first, last;
        const char *word;
    } others[] = {
        {34, 34, "a polygon"},
        {35, 35, "a polyhedron"},
        {52, 56, "an incomplete triangle of high order"},
        {57, 61, "an incomplete quadrangle of high order"},
        {67, 70, "a part of a cut element"},
        {79, 83, "an incomplete tetrahedron of high order"},
        {99, 105, "an incomplete hexahedron of high order"},
        {111, 117, "an incomplete prism of high order"},
        {125, 131, "an incomplete pyramid of high order"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (number >= others[i].first && number <= others[i].last)
            return others[i].word;
    return "of an unknown shape";
}

/* 0 if Gmsh has no such type. */
int32_t mplan_gmsh_shape_number(mplan_cell_type type)
{
    for (int32_t number = 1; number < N_SHAPES; number++)
        if (type_of_number[number] == type)
            return number;
    return 0;
}
