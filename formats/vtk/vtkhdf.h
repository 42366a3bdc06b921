/* SPDX-License-Identifier: Apache-2.0 */
/* vtkhdf.h - grids of VTK's HDF5 files: vtkhdf_grid.c reads one, vtkhdf.c says which */
#ifndef MPLAN_VTKHDF_H
#define MPLAN_VTKHDF_H

#include "formats/hdf5/hdf5_tree.h"
#include "formats/vtk/vtk.h"

/* A file that is read. */
typedef struct mplan_vtkhdf {
    mplan_hdf5_tree tree;
    const char *group_array;
} mplan_vtkhdf;

/* The grid of the group at a path, its parts joined; *other: it is of a kind that is not read. cells: zeroed. */
mplan_status mplan_vtkhdf_read_grid(const mplan_vtkhdf *file, const char *path, bool *other,
                                    mplan_vtk_cells *cells, mplan_error *err);

#endif
