/* SPDX-License-Identifier: Apache-2.0 */
/* exodus.h - what the parts of the Exodus II reader share */
#ifndef MPLAN_EXODUS_H
#define MPLAN_EXODUS_H

#include "formats/netcdf/netcdf_input.h"

/* A block of elements of the file.
 * Its elements are [first_element, first_element + n) over all blocks, as side sets count them; its cells
 * [first_cell, first_cell + n) of the mesh. */
typedef struct mplan_exodus_block {
    mplan_netcdf_variable connect; /* without elements: not there */
    char kind[MPLAN_NETCDF_NAME], name[MPLAN_NETCDF_NAME];
    int64_t id;
    int64_t n, first_element; /* elements, and the number of the first, from 0 */
    int64_t first_cell;       /* cell of the first; -1: of a lower dimension, skipped */
    mplan_cell_type type;     /* MPLAN_N_CELL_TYPES: nsided, triangles and quads in any order */
    int32_t dimension;
    bool polyhedra; /* connect names the faces of its elements */
} mplan_exodus_block;

/* An Exodus file that is read.
 * n_elements: of all blocks; n_cells: of those of the highest dimension, which is `dimension`. */
typedef struct mplan_exodus {
    mplan_netcdf file;
    mplan_mesh *mesh;
    int64_t n_nodes, n_elements, n_cells;
    int32_t dimension;       /* of the cells */
    int32_t space_dimension; /* of the nodes: 2 or 3 */
    int64_t n_blocks;
    mplan_exodus_block *blocks;
    bool untyped; /* there are polyhedra, or polygons of more than four nodes */
} mplan_exodus;

/* Name ("" where the file has none) and number of entry i of a list: "eb", "ns" or "ss". */
void mplan_exodus_label(const mplan_exodus *file, const char *list, int64_t i,
                        char name[MPLAN_NETCDF_NAME], int64_t *id);
/* Length of a dimension; 0 without one. Of lists it must not exceed what the file can hold. */
mplan_status mplan_exodus_count(const mplan_exodus *file, const char *dimension, int64_t *count,
                                mplan_error *err);

/* exodus_polyhedra.c: whether cells are of types, and cells, nodes and coordinates (taken over, `stride` a
 * node) of meshes where they are not. */
mplan_status mplan_exodus_find_untyped(mplan_exodus *file, mplan_error *err);
mplan_status mplan_exodus_read_untyped(mplan_exodus *file, double *xyz, int32_t stride,
                                       mplan_error *err);

/* exodus_sides.c: side sets become groups of facets, node sets groups of nodes. */
mplan_status mplan_exodus_read_sets(mplan_exodus *file, mplan_error *err);
/* Whether sides 1 and 2 of the block's elements are their two faces. */
bool mplan_exodus_is_shell(const mplan_exodus *file, const mplan_exodus_block *block);
/* Those that have names, in a layout; elements are cells of the same numbers. */
mplan_status mplan_exodus_place_sets(mplan_exodus *file, mplan_error *err);

#endif
