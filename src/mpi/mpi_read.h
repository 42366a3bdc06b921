/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_read.h - a mesh is read, completed and cut by ranks of which none holds it
 *
 * All functions here are collective: every rank of the communicator calls them with equal arguments, and every rank gets the
 * same status and the same sentence, also where only one of them met the fault. Nothing that they give depends on the number
 * of ranks: only where it lies does. */
#ifndef MPLAN_MPI_READ_H
#define MPLAN_MPI_READ_H

#include "mpi/mpi_mesh.h"

/* What may be said of reading. Zero is the default of each. */
typedef struct mpi_read_options {
    int32_t readers;  /* of a node, which read for its other ranks as well; 0: 4 */
    int64_t piece;    /* bytes that a reader takes at a time; 0: 8 MiB */
    const char *zone; /* which mesh of a file with several; NULL: what the serial reader takes */
    const mplan_context *context; /* of rank 0: for warnings; NULL: none */
} mpi_read_options;

/* Reads a mesh by byte ranges: the .npz archives with members stored, folders of .npy files, and single ones of them, AFLR3
 * (.lb8.ugrid and the other binary layouts), and where numbers are in one piece netCDF-3 and -4 (Exodus II, UGRID, MPAS, ICON,
 * FESOM2), CGNS in HDF5, OP2's HDF5 files, and binary meshes of OpenFOAM. Sets and maps are those that the serial reader makes,
 * in its order, with the layers that a file has (mpi_layers_of_job reads those of a job), and the groups that have names, or none
 * of them (mpi_mesh.left_groups; places.h says when). MPLAN_ERR_UNSUPPORTED with the advice to `convert` for
 * other formats; MPLAN_ERR_CORRUPT for a file that is cut short, MPLAN_ERR_MESH for numbers out of range, with file and place.
 * *mesh: the caller's, released by mpi_mesh_free. */
mplan_status mpi_mesh_read(MPI_Comm comm, const char *path, const mpi_read_options *options,
                           mpi_mesh **mesh, mplan_error *err);
/* A mesh of which rank 0 has all is dealt out: for small meshes of any format, and for tests. serial: NULL on other ranks. */
mplan_status mpi_mesh_scatter(MPI_Comm comm, const mplan_mesh *serial, mpi_mesh **mesh,
                              mplan_error *err);
void mpi_mesh_free(mpi_mesh *mesh); /* NULL is allowed; not collective */
/* -1 without one. */
int32_t mpi_mesh_find_set(const mpi_mesh *mesh, const char *name);
int32_t mpi_mesh_find_map(const mpi_mesh *mesh, const char *name);

/* Makes a set or map of that name exist, as mplan_mesh_derive does, numbered as it numbers them: faces, boundary_faces, edges
 * with their maps to cells and nodes, cells_faces, cells_cells, and maps that are another one's transpose. Where it is there
 * already nothing happens. MPLAN_ERR_ARGUMENT where it cannot be derived, MPLAN_ERR_MESH for three cells at a face. */
mplan_status mpi_mesh_derive(mpi_mesh *mesh, const char *name, mplan_error *err);

/* As mplan_mesh_split: members of the set with an entry of -1 in the map, which leads from it, become the set <set>_boundary
 * with maps of its own. The set must not have been split. MPLAN_ERR_ARGUMENT for a map that leads to the set itself, and for
 * names that there are. After a failure the mesh can be released only. */
mplan_status mpi_mesh_split(mpi_mesh *mesh, int32_t set, int32_t map, mplan_error *err);

/* The fingerprints of the sets and maps listed: equal to those of mplan_mesh_fingerprint_topology and
 * mplan_mesh_fingerprint_coordinates of the same mesh on one rank. On every rank. */
mplan_status mpi_mesh_fingerprints(const mpi_mesh *mesh, int32_t n_sets, const int32_t *sets,
                                   int32_t n_maps, const int32_t *maps, uint64_t *topology,
                                   uint64_t *coordinates, mplan_error *err);

/* How the cut is made. Zero is the default of each, but for n_parts. */
typedef struct mpi_cut_options {
    int32_t n_parts;  /* 1 and more; those behind the number of members stay empty */
    double imbalance; /* largest part / mean, 1 and more; 0: 1.01 */
    int64_t coarse;   /* vertices of the graph that one rank cuts; 0: 256 a part */
    int32_t nodes; /* cut for so many nodes first, each of which gets consecutive parts: a divisor of n_parts; 0: none */
    const int64_t *weight; /* of each member of this rank, 0 or more; NULL: 1 each. NULL on all ranks or on none */
    const int64_t *group; /* of each member of this rank, in [0, n_groups), all of which have members: they stay together; NULL */
    int64_t n_groups;     /* of the whole set */
    bool ptscotch; /* PT-SCOTCH cuts, on cut_ranks of the ranks (0: 16 at most), so that parts depend on how many these are */
    int32_t cut_ranks;
} mpi_cut_options;

/* Cuts a set into parts of nearly equal numbers with few pairs of a member and another part that it has a neighbour in. By
 * maps that all lead to the set: members of a row are neighbours; by maps that all lead from it: members that share a point.
 * The same parts for any number of ranks. owner: out, the part of each member of this rank, in [0, n_parts); none is empty
 * where there are as many members. MPLAN_ERR_ARGUMENT for maps of both kinds. */
mplan_status mpi_cut(const mpi_mesh *mesh, int32_t set, int32_t n_maps, const int32_t *maps,
                     const mpi_cut_options *options, int32_t *owner, mplan_error *err);

/* What a cut costs. On every rank. */
typedef struct mpi_cut_figures {
    int64_t volume;         /* pairs of a member and another part that has a neighbour of it */
    int64_t least, largest; /* members of a part */
} mpi_cut_figures;
mplan_status mpi_cut_measure(const mpi_mesh *mesh, int32_t set, int32_t n_maps, const int32_t *maps,
                             int32_t n_parts, const int32_t *owner, mpi_cut_figures *figures,
                             mplan_error *err);

#endif
