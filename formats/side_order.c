/* SPDX-License-Identifier: Apache-2.0 */
/* side_order.c - nodes and sides of cells as Exodus II and CGNS number them
 *
 * Sources: L. A. Schoof, V. R. Yarberry, "EXODUS II: A Finite Element Data Model", SAND92-2137, figures of
 * node and side numbering; CGNS, "Standard Interface Data Structures", conventions for unstructured
 * grids. The two differ in the nodes inside faces of hex27 and in the sides of volumes. */
#include "formats/side_order.h"

#include <string.h>

#include "mesh/mesh.h"

/* Letter i, counted from A, is the place in the file's row of the node that Gmsh has at place
 * i. NULL: the order is the same. */
const char *mplan_node_order(mplan_numbering numbering, mplan_cell_type type)
{
    switch ((int)type) {
    case MPLAN_CELL_TET10: return "ABCDEFGHJI";
    case MPLAN_CELL_PYRAMID13: return "ABCDEFIJGKHLM";
    case MPLAN_CELL_PYRAMID14: return "ABCDEFIJGKHLMN";
    case MPLAN_CELL_PRISM15: return "ABCDEFGIJHKLMON";
    case MPLAN_CELL_PRISM18: return "ABCDEFGIJHKLMONPRQ";
    case MPLAN_CELL_HEX20: return "ABCDEFGHILMJNKOPQTRS";
    case MPLAN_CELL_HEX27:
        return numbering == MPLAN_NUMBERING_CGNS ? "ABCDEFGHILMJNKOPQTRSUVYWXZ["
                                                 : "ABCDEFGHILMJNKOPQTRSVZXY[WU";
    default: return NULL;
    }
}

/* nodes: n cells of one type, from the other program's order to meshplan's, in
 * place. */
void mplan_order_nodes(mplan_numbering numbering, mplan_cell_type type, int64_t n, int32_t *nodes)
{
    const char *order = mplan_node_order(numbering, type);
    int32_t n_nodes = mplan_cell_type_nodes(type);
    for (int64_t c = 0; order && c < n; c++, nodes += n_nodes) {
        int32_t theirs[27];
        memcpy(theirs, nodes, (size_t)n_nodes * sizeof *theirs);
        for (int32_t k = 0; k < n_nodes; k++)
            nodes[k] = theirs[order[k] - 'A'];
    }
}

/* The sides of a solid as another program numbers them, by digits of their
 * corners. */
typedef struct side_table {
    int32_t corners; /* of the cell */
    const char *sides[6];
} side_table;

static const side_table exodus_volumes[] = {
    {4, {"013", "123", "032", "021"}},
    {5, {"014", "124", "234", "043", "0321"}},
    {6, {"0143", "1254", "0352", "021", "345"}},
    {8, {"0154", "1265", "2376", "0473", "0321", "4567"}},
};
static const side_table cgns_volumes[] = {
    {4, {"021", "013", "123", "203"}},
    {5, {"0321", "014", "124", "234", "304"}},
    {6, {"0143", "1254", "2035", "021", "345"}},
    {8, {"0321", "0154", "1265", "2376", "0473", "4567"}},
};

/* corner: places of the side's corners in the cell. Returns how many, 0 if the
 * type does not have the side. */
static int32_t volume_side(mplan_numbering numbering, int32_t corners, int64_t side, int8_t corner[4])
{
    const side_table *tables = numbering == MPLAN_NUMBERING_CGNS ? cgns_volumes : exodus_volumes;
    for (int t = 0; t < 4; t++) {
        const char *text = tables[t].corners == corners && side <= 6 ? tables[t].sides[side - 1]
                                                                     : NULL;
        if (!text)
            continue;
        for (int k = 0; text[k]; k++)
            corner[k] = (int8_t)(text[k] - '0');
        return (int32_t)strlen(text);
    }
    return 0;
}

/* side: from 1, as the other program counts. */
int32_t mplan_side_corners(mplan_numbering numbering, mplan_cell_type type, int64_t side,
                           int8_t corner[4])
{
    int32_t corners = mplan_cell_type_corners(type), dimension = mplan_cell_type_dimension(type);
    if (side < 1 || dimension < 1)
        return 0;
    if (dimension == 3)
        return volume_side(numbering, corners, side, corner);
    if (side > corners)
        return 0;
    corner[0] = (int8_t)(side - 1);
    corner[1] = (int8_t)(side % corners);
    return dimension; /* an edge, or one end of a line */
}

/* 1 to 4 corners. */
mplan_cell_type mplan_facet_type(int32_t n_corners)
{
    static const mplan_cell_type types[] = {MPLAN_CELL_POINT, MPLAN_CELL_LINE2, MPLAN_CELL_TRI3,
                                            MPLAN_CELL_QUAD4};
    return types[n_corners - 1];
}
