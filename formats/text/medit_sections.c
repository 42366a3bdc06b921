/* SPDX-License-Identifier: Apache-2.0 */
/* medit_sections.c - the sections of medit's files, in text and binary: those that are read, and those that are not */
#include "formats/text/medit_parts.h"

#include <string.h>

static const mplan_medit_section sections[] = {
    {"Vertices", 4, MPLAN_CELL_POINT},  {"Edges", 5, MPLAN_CELL_LINE2},
    {"Triangles", 6, MPLAN_CELL_TRI3},  {"Quadrilaterals", 7, MPLAN_CELL_QUAD4},
    {"Tetrahedra", 8, MPLAN_CELL_TET4}, {"Prisms", 9, MPLAN_CELL_PRISM6},
    {"Hexahedra", 10, MPLAN_CELL_HEX8}, {"Pyramids", 49, MPLAN_CELL_PYRAMID5},
    {"Hexaedra", 10, MPLAN_CELL_HEX8},  {"Pentahedra", 9, MPLAN_CELL_PRISM6}, /* as some write it */
};
enum { N_SECTIONS = sizeof sections / sizeof *sections };

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
    for (int32_t s = 0; s < N_SECTIONS; s++)
        if (sections[s].type == type)
            return &sections[s];
    return NULL;
}

/* "TrianglesP2", "HexahedraQ3" */
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
        {24, "TrianglesP2"},      {25, "EdgesP2"},          {27, "QuadrilateralsQ2"},
        {30, "TetrahedraP2"},     {33, "HexahedraQ2"},      {46, "Polyhedra"},
        {47, "Polygons"},         {86, "PrismsP2"},         {87, "PyramidsP2"},
        {88, "QuadrilateralsQ3"}, {89, "QuadrilateralsQ4"}, {90, "TrianglesP3"},
        {91, "TrianglesP4"},      {92, "EdgesP3"},          {93, "EdgesP4"},
        {96, "TetrahedraP3"},     {97, "TetrahedraP4"},     {98, "HexahedraQ3"},
        {99, "HexahedraQ4"},
    };
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++)
        if (refused[r].code == code)
            return refused[r].name;
    return NULL;
}
