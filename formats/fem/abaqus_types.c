/* SPDX-License-Identifier: Apache-2.0 */
/* abaqus_types.c - which cell an element type of Abaqus and CalculiX is
 *
 * A name begins with its family, which tells the dimension, and goes on with the number of nodes; of beams 1, 2 and 3 are
 * the order. What follows (R, H, I, T, P, ...) changes no node. */
#include "formats/fem/abaqus.h"

#include <string.h>

/* dimension 0: without shape; -1: beams */
static const struct {
    const char *prefix;
    int32_t dimension;
} families[] = {
    {"C3D", 3},    {"DC3D", 3},   {"DCC3D", 3},   {"AC3D", 3},   {"EMC3D", 3},  {"Q3D", 3},
    {"COH3D", 3},  {"SC", 3},     {"CSS", 3},     {"CIN3D", 3},  {"CPS", 2},    {"CPEG", 2},
    {"CPE", 2},    {"CAX", 2},    {"CGAX", 2},    {"DCAX", 2},   {"DC2D", 2},   {"AC2D", 2},
    {"ACAX", 2},   {"COH2D", 2},  {"COHAX", 2},   {"M3D", 2},    {"SFM3D", 2},  {"R3D", 2},
    {"F3D", 2},    {"STRI", 2},   {"DS", 2},      {"S", 2},      {"T2D", 1},    {"T3D", 1},
    {"R2D", 1},    {"RAX", 1},    {"F2D", 1},     {"SAX", 1},    {"MAX", 1},    {"DC1D", 1},
    {"AC1D", 1},   {"B2", -1},    {"B3", -1},     {"PIPE2", -1}, {"PIPE3", -1}, {"MASS", 0},
    {"ROTARY", 0}, {"SPRING", 0}, {"DASHPOT", 0}, {"CONN", 0},   {"GAP", 0},    {"JOINT", 0},
    {"D", 0},
};
enum { N_FAMILIES = sizeof families / sizeof *families };

/* ASCII only. */
static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

/* prefix in upper case. */
static bool begins(const char *name, size_t length, const char *prefix)
{
    size_t n = strlen(prefix);
    if (n > length)
        return false;
    for (size_t i = 0; i < n; i++)
        if (upper(name[i]) != prefix[i])
            return false;
    return true;
}

/* The longest family that the name begins with; -1 without one.
 * Names of families begin with one another, so the first that fits is not enough. */
static int32_t family_of(const char *name, size_t length)
{
    int32_t found = -1;
    for (int32_t f = 0; f < N_FAMILIES; f++)
        if (begins(name, length, families[f].prefix) &&
            (found < 0 || strlen(families[f].prefix) > strlen(families[found].prefix)))
            found = f;
    return found;
}

/* False where no cell has so many nodes.
 * n: nodes, as the name of the element says. *type: set where it is true. */
static bool type_of(int32_t dimension, int32_t n, mplan_cell_type *type)
{
    static const struct {
        int32_t dimension, nodes;
        mplan_cell_type type;
    } types[] = {
        {3, 4, MPLAN_CELL_TET4},     {3, 5, MPLAN_CELL_PYRAMID5}, {3, 6, MPLAN_CELL_PRISM6},
        {3, 8, MPLAN_CELL_HEX8},     {3, 10, MPLAN_CELL_TET10},   {3, 13, MPLAN_CELL_PYRAMID13},
        {3, 15, MPLAN_CELL_PRISM15}, {3, 20, MPLAN_CELL_HEX20},   {2, 3, MPLAN_CELL_TRI3},
        {2, 4, MPLAN_CELL_QUAD4},    {2, 6, MPLAN_CELL_TRI6},     {2, 8, MPLAN_CELL_QUAD8},
        {2, 9, MPLAN_CELL_QUAD9},    {3, 27, MPLAN_CELL_HEX27},   {1, 2, MPLAN_CELL_LINE2},
        {1, 3, MPLAN_CELL_LINE3},
    };
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (types[t].dimension == dimension && types[t].nodes == n) {
            *type = types[t].type;
            return true;
        }
    return false;
}

/* Nodes on edges go round the bottom, round the top, then upwards.
 * Letter k is the place in the file of our node k, 'A' the first; at least as many letters as the type has nodes. */
static const char *order_of(mplan_cell_type type)
{
    switch ((int)type) {
    case MPLAN_CELL_TET10: return "ABCDEFGHJI";
    case MPLAN_CELL_PYRAMID13: return "ABCDEFIJGKHLM";
    case MPLAN_CELL_PRISM15: return "ABCDEFGIMHNOJLK";
    case MPLAN_CELL_HEX20: return "ABCDEFGHILQJRKSTMPNO";
    case MPLAN_CELL_HEX27: return "ABCDEFGHILQJRKSTMPNOVX[YZWU"; /* sides in Abaqus's order */
    case MPLAN_CELL_LINE3: return "ACB";                         /* the one between the others */
    default: return "ABCDEFGHI";
    }
}

/* order: set for as many nodes as the type has. Digits behind the family say how many nodes
 * there are; letters behind them change no node. */
bool mplan_abaqus_type(const char *name, size_t length, mplan_cell_type *type, int8_t order[27],
                       bool *skipped)
{
    int32_t f = family_of(name, length), n = 0;
    *skipped = f >= 0 && families[f].dimension == 0;
    if (f < 0 || *skipped)
        return *skipped;
    size_t at = strlen(families[f].prefix);
    const bool one_digit = strcmp(families[f].prefix, "STRI") == 0 || families[f].dimension < 0;
    for (; at < length && name[at] >= '0' && name[at] <= '9' && n < 10 && !(one_digit && n > 0); at++)
        n = 10 * n + (name[at] - '0');
    if (families[f].dimension < 0) /* orders 1, 2 and 3, the last with two nodes */
        n = n == 2 ? 3 : n >= 1 && n <= 3 ? 2 : 0;
    if (!type_of(families[f].dimension < 0 ? 1 : families[f].dimension, n, type))
        return false;
    const char *letters = order_of(*type);
    for (int32_t k = 0; k < mplan_cell_type_nodes(*type); k++)
        order[k] = (int8_t)(letters[k] - 'A');
    return true;
}

/* Of solids: the side of ours that Abaqus's side of this number is; sides of plane cells are numbered as in Exodus.
 * Sides of both are counted from 1; 0: there is none of this number. */
int32_t mplan_abaqus_side(mplan_cell_type type, int64_t side)
{
    enum { MOST_SIDES = 6 };
    static const int8_t sides[][MOST_SIDES] = {
        [4] = {4, 1, 2, 3}, [5] = {5, 1, 2, 3, 4}, [6] = {4, 5, 1, 2, 3}, [8] = {5, 6, 1, 2, 3, 4}};
    const int32_t corners = mplan_cell_type_corners(type);
    if (mplan_cell_type_dimension(type) < 3)
        return side >= 1 && side <= corners ? (int32_t)side : 0;
    return side >= 1 && side <= MOST_SIDES ? sides[corners][side - 1] : 0;
}
