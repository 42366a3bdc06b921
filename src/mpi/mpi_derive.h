/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_derive.h - what the files that derive connectivity of a spread mesh share
 *
 * mpi_cells.c     a rank's cells as a table, with nodes numbered for the rank
 * mpi_match.c     which cells meet at the local faces of each cell
 * mpi_faces.c     faces, boundary_faces, cells_faces, cells_cells
 * mpi_edges.c     edges and their maps
 * mpi_derive.c    names, and maps by transposing */
#ifndef MPLAN_MPI_DERIVE_H
#define MPLAN_MPI_DERIVE_H

#include "mesh/derive.h"
#include "mpi/exchange.h"
#include "mpi/mpi_graph.h"
#include "mpi/mesh_parts.h"

/* The cells of this rank. Nodes are numbered in the order of their numbers in the mesh, so that what is decided by comparing them
 * is the same. */
typedef struct mpi_cells {
    mplan_cell_table table; /* what is of all cells, as stride, is that of the whole mesh */
    int64_t first;          /* the number of the first cell */
    int64_t n_nodes;
    int64_t *node;          /* numbers of the nodes, ascending */
    const int64_t *numbers; /* those of all rows, as the map has them */
    int32_t *values;
    uint8_t *shared; /* by node: cells of other ranks name it, too */
    double *xyz;     /* NULL: cells are oriented as numbered */
} mpi_cells;
/* Collective, as all functions here. Release also after a failure. MPLAN_ERR_ARGUMENT without typed cells, MPLAN_ERR_MESH for
 * collapsed ones. */
mplan_status mpi_cells_open(const mpi_mesh *mesh, mpi_cells *cells, mplan_error *err);
void mpi_cells_close(mpi_cells *cells);

/* What is behind each local face of this rank's cells, in numbers of this rank: own cells are 0 to n - 1, elsewhere[i] is n + i.
 * own counts the faces whose lower cell is here, or whose only one is. */
typedef struct mpi_face_match {
    mplan_face_match own;
    int64_t n_elsewhere, *elsewhere; /* numbers of cells of other ranks, ascending, each once */
} mpi_face_match;
/* MPLAN_ERR_MESH for three cells at a face. Release it also after a failure. */
mplan_status mpi_match_faces(const mpi_mesh *mesh, const mpi_cells *cells, mpi_face_match *match,
                             mplan_error *err);
void mpi_face_match_free(mpi_face_match *match); /* not collective */

/* As the functions of mesh/derive.h do. */
mplan_status mpi_derive_faces(mpi_mesh *mesh, mplan_error *err);
mplan_status mpi_derive_edges(mpi_mesh *mesh, mplan_error *err);
mplan_status mpi_derive_cells_faces(mpi_mesh *mesh, mplan_error *err);
mplan_status mpi_derive_cells_cells(mpi_mesh *mesh, mplan_error *err);

#endif
