/* SPDX-License-Identifier: Apache-2.0 */
/* medit_sections.c - the sections of medit's files, in text and binary: those that are read, and those that are not */
#include "formats/text/medit_parts.h"

#include <string.h>

static const mplan_medit_section sections[] = {
    {"Vertices", 4, MPLAN_CELL_POINT},
    {"Edges", 5, MPLAN_CELL_LINE2},
    {"Triangles", 6, MPLAN_CELL_TRI3},
    {"Quadrilaterals", 7, MPLAN_CELL_QUAD4},
    {"Tetrahedra", 8, MPLAN_CELL_TET4},
    {"Prisms", 9, MPLAN_CELL_PRISM6},
    {"Hexahedra", 10, MPLAN_CELL_HEX8},
    {"Pyramids", 49, MPLAN_CELL_PYRAMID5},
    {"Hexaedra", 10, MPLAN_CELL_HEX8},
    {"Pentahedra", 9, MPLAN_CELL_PRISM6}, /* as some write it */
    /* read only */
    {"EdgesP2", 25, MPLAN_CELL_LINE3},
    {"TrianglesP2", 24, MPLAN_CELL_TRI6},
    {"TetrahedraP2", 30, MPLAN_CELL_TET10},
    {"QuadrilateralsQ2", 27, MPLAN_CELL_QUAD9},
};
enum { N_SECTIONS = sizeof sections / sizeof *sections, N_WRITTEN = 10 };

/* NULL for sections that are skipped. keyword is not terminated. */
const mplan_medit_section *mplan_medit_by_keyword(const char *keyword, size_t length)
{
    for (int32_t s = 0; s < N_SECTIONS; s++)
        if (strlen(sections[s].keyword) == length && memcmp(sections[s].keyword, keyword, length) == 0)
            return &sections[s];
    return NULL;
}

/* NULL for sections that are skipped; codes are those of GMF, as libMeshb numbers its keywords. */
const mplan_medit_section *mplan_medit_by_code(int32_t code)
{
    for (int32_t s = 0; s < N_SECTIONS; s++)
        if (sections[s].code == code)
            return &sections[s];
    return NULL;
}

/* The first row of a type is the word that is written. */
const mplan_medit_section *mplan_medit_by_type(mplan_cell_type type)
{
    for (int32_t s = 0; s < N_WRITTEN; s++)
        if (sections[s].type == type)
            return &sections[s];
    return NULL;
}

/* Of tetrahedra the middles of the last two edges change places; other types have them in one order. */
void mplan_medit_order(mplan_cell_type type, int32_t *nodes)
{
    if (type == MPLAN_CELL_TET10) {
        const int32_t last = nodes[9];
        nodes[9] = nodes[8];
        nodes[8] = last;
    }
}

/* "TrianglesP3", "HexahedraQ2" */
bool mplan_medit_refused_keyword(const char *keyword, size_t length)
{
    static const char *const words[] = {"Polyhedra", "Polygons"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (strlen(words[w]) == length && memcmp(words[w], keyword, length) == 0)
            return true;
    return length > 2 && (keyword[length - 2] == 'P' || keyword[length - 2] == 'Q') &&
           keyword[length - 1] >= '2' && keyword[length - 1] <= '4' &&
           mplan_medit_by_keyword(keyword, length - 2);
}

/* Sections of elements that meshplan has no types for: skipping them would leave a mesh with
 * holes. NULL for others. */
const char *mplan_medit_refused_code(int32_t code)
{
    static const struct {
        int32_t code;
        const char *name;
    } refused[] = {
        {33, "HexahedraQ2"},      {46, "Polyhedra"},   {47, "Polygons"},
        {86, "PrismsP2"},         {87, "PyramidsP2"},  {88, "QuadrilateralsQ3"},
        {89, "QuadrilateralsQ4"}, {90, "TrianglesP3"}, {91, "TrianglesP4"},
        {92, "EdgesP3"},          {93, "EdgesP4"},     {96, "TetrahedraP3"},
        {97, "TetrahedraP4"},     {98, "HexahedraQ3"}, {99, "HexahedraQ4"},
    };
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++)
        if (refused[r].code == code)
            return refused[r].name;
    return NULL;
}
