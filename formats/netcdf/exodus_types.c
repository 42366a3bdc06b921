/* SPDX-License-Identifier: Apache-2.0 */
/* exodus_types.c - which type of cell a word of Exodus II means; without libnetcdf */
#include "formats/netcdf/exodus_types.h"

/* A word of Exodus for a kind of elements.
 * A block is of the first row whose letters begin its elem_type and whose nodes are as many as connect has in a row. */
typedef struct exodus_shape {
    const char *name; /* first letters of elem_type, in lower case */
    int32_t n_nodes;
    mplan_cell_type type;
} exodus_shape;

static const exodus_shape shapes[] = {
    {"hex", 8, MPLAN_CELL_HEX8},       {"hex", 20, MPLAN_CELL_HEX20},
    {"hex", 27, MPLAN_CELL_HEX27},     {"tet", 4, MPLAN_CELL_TET4},
    {"tet", 10, MPLAN_CELL_TET10},     {"wed", 6, MPLAN_CELL_PRISM6},
    {"wed", 15, MPLAN_CELL_PRISM15},   {"wed", 18, MPLAN_CELL_PRISM18},
    {"pyr", 5, MPLAN_CELL_PYRAMID5},   {"pyr", 13, MPLAN_CELL_PYRAMID13},
    {"pyr", 14, MPLAN_CELL_PYRAMID14}, {"qua", 4, MPLAN_CELL_QUAD4},
    {"qua", 8, MPLAN_CELL_QUAD8},      {"qua", 9, MPLAN_CELL_QUAD9},
    {"tri", 3, MPLAN_CELL_TRI3},       {"tri", 6, MPLAN_CELL_TRI6},
    {"she", 3, MPLAN_CELL_TRI3},       {"she", 4, MPLAN_CELL_QUAD4},
    {"she", 6, MPLAN_CELL_TRI6},       {"she", 8, MPLAN_CELL_QUAD8},
    {"she", 9, MPLAN_CELL_QUAD9},      {"bar", 2, MPLAN_CELL_LINE2},
    {"bar", 3, MPLAN_CELL_LINE3},      {"bea", 2, MPLAN_CELL_LINE2},
    {"bea", 3, MPLAN_CELL_LINE3},      {"tru", 2, MPLAN_CELL_LINE2},
    {"tru", 3, MPLAN_CELL_LINE3},      {"rod", 2, MPLAN_CELL_LINE2},
    {"rod", 3, MPLAN_CELL_LINE3},      {"edg", 2, MPLAN_CELL_LINE2},
    {"edg", 3, MPLAN_CELL_LINE3},      {"lin", 2, MPLAN_CELL_LINE2},
    {"sph", 1, MPLAN_CELL_POINT},      {"cir", 1, MPLAN_CELL_POINT},
    {"poi", 1, MPLAN_CELL_POINT},      {"nod", 1, MPLAN_CELL_POINT},
};

bool mplan_exodus_begins(const char *text, const char *with)
{
    for (; *with; text++, with++)
        if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *with)
            return false;
    return true;
}

mplan_cell_type mplan_exodus_type(const char *kind, int64_t n_nodes)
{
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (mplan_exodus_begins(kind, shapes[s].name) && shapes[s].n_nodes == n_nodes)
            return shapes[s].type;
    return MPLAN_N_CELL_TYPES;
}
