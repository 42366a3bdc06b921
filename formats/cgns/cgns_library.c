/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_library.c - what libcgns says: its errors, sizes of arrays, types of elements */
#include "formats/cgns/cgns.h"

#include "base/error.h"

#ifdef MPLAN_HAVE_CGNS
#include <cgns_io.h>

/* zone: NULL for the whole file. The library keeps its last message. */
mplan_status mplan_cgns_fail_library(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                     mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: %s%s%s%s", file->input->path,
                      zone ? "zone " : "", zone ? zone->name : "", zone ? ": " : "", cg_get_error());
}

/* Entries of the array at `path` below `node`, -1 if there is none, -2 if its size is not a number of entries or
 * cannot be read: asked of the tree itself, before memory is taken for what the array claims. */
int64_t mplan_cgns_array_size(const mplan_cgns *file, double node, const char *path)
{
    int tree, rank;
    double id;
    cgsize_t length[CGIO_MAX_DIMENSIONS];
    if (cg_get_cgio(file->file, &tree) != CG_OK)
        return -2;
    if (cgio_get_node_id(tree, node, path, &id) != CGIO_ERR_NONE)
        return -1;
    if (cgio_get_dimensions(tree, id, &rank, length) != CGIO_ERR_NONE)
        return -2;
    int64_t size = 1;
    for (int d = 0; d < rank && size >= 0; d++)
        size = length[d] < 0 || (length[d] > 0 && size > INT64_MAX / length[d]) ? -2
                                                                                : size * length[d];
    return size;
}

/* MPLAN_N_CELL_TYPES for MIXED, NGON_n and NFACE_n, which callers treat by themselves, and for types of higher order,
 * which meshplan does not know. */
mplan_cell_type mplan_cgns_cell_type(CGNS_ENUMT(ElementType_t) type)
{
    switch ((int)type) {
    case CGNS_ENUMV(NODE): return MPLAN_CELL_POINT;
    case CGNS_ENUMV(BAR_2): return MPLAN_CELL_LINE2;
    case CGNS_ENUMV(BAR_3): return MPLAN_CELL_LINE3;
    case CGNS_ENUMV(TRI_3): return MPLAN_CELL_TRI3;
    case CGNS_ENUMV(TRI_6): return MPLAN_CELL_TRI6;
    case CGNS_ENUMV(QUAD_4): return MPLAN_CELL_QUAD4;
    case CGNS_ENUMV(QUAD_8): return MPLAN_CELL_QUAD8;
    case CGNS_ENUMV(QUAD_9): return MPLAN_CELL_QUAD9;
    case CGNS_ENUMV(TETRA_4): return MPLAN_CELL_TET4;
    case CGNS_ENUMV(TETRA_10): return MPLAN_CELL_TET10;
    case CGNS_ENUMV(PYRA_5): return MPLAN_CELL_PYRAMID5;
    case CGNS_ENUMV(PYRA_13): return MPLAN_CELL_PYRAMID13;
    case CGNS_ENUMV(PYRA_14): return MPLAN_CELL_PYRAMID14;
    case CGNS_ENUMV(PENTA_6): return MPLAN_CELL_PRISM6;
    case CGNS_ENUMV(PENTA_15): return MPLAN_CELL_PRISM15;
    case CGNS_ENUMV(PENTA_18): return MPLAN_CELL_PRISM18;
    case CGNS_ENUMV(HEXA_8): return MPLAN_CELL_HEX8;
    case CGNS_ENUMV(HEXA_20): return MPLAN_CELL_HEX20;
    case CGNS_ENUMV(HEXA_27): return MPLAN_CELL_HEX27;
    default: return MPLAN_N_CELL_TYPES;
    }
}
#endif
