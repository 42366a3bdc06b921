/* SPDX-License-Identifier: Apache-2.0 */
/* read_layout.h - where the numbers of a mesh are in its files, and what is read of them
 *
 * One rank finds out from the heads of the files (formats/places.h); then all read. The readers of netCDF, HDF5 and CGNS say it
 * in the programs that are linked to these libraries (mplan_contained_places_any).
 *
 * read_numpy.c    .npy, .npz and folders of .npy
 * read_aflr3.c    binary files of AFLR3
 * read_foam.c     binary meshes of OpenFOAM
 * read_layout.c   tells a layout to all ranks
 * read_tables.c   reads what a layout says
 * read_rows.c     rows that end where the file says nothing, and types that follow from them
 * read_solids.c   cells that a file gives by their faces
 * read_op2.c      sets of OP2's maps, where numbers tell them
 * read_layers.c   tables of layers, which a job names
 * read_levels.c   layers that a file has itself
 * read_groups.c   groups
 * read_mesh.c     the mesh of it all */
#ifndef MPLAN_MPI_READ_LAYOUT_H
#define MPLAN_MPI_READ_LAYOUT_H

#include "formats/places.h"
#include "mpi/mesh_parts.h"
#include "mpi/read_bytes.h"

/* Every rank gets the layout that rank 0 has. Collective. */
mplan_status mpi_layout_share(MPI_Comm comm, mplan_status status, mplan_places *layout,
                              mplan_error *err);

/* Asks the context's owner for each file of the layout, before numbers are read. Not collective. */
mplan_status mpi_layout_ask(const mplan_places *layout, const mplan_context *context,
                            mplan_error *err);

/* "archive.npz: edges_cells.npy" */
enum { MPI_LABEL = MPLAN_PLACES_PATH + MPLAN_PLACES_NAME };
void mpi_label_of(const mplan_places *layout, int32_t array, char label[MPI_LABEL]);

/* What fills a layout: view of a file whose first bytes are loaded. Not collective. */
mplan_status mpi_layout_npy(mplan_places *layout, mpi_view *view, mplan_error *err);
/* Only the array of the file, whatever it is; with `flags` also of booleans, which are the numbers 0 and 1. */
mplan_status mpi_layout_array(mplan_places *layout, mpi_view *view, bool flags, int32_t *array,
                              mplan_error *err);
mplan_status mpi_layout_npz(mplan_places *layout, mpi_view *view, mplan_error *err);
mplan_status mpi_layout_folder(mplan_places *layout, const char *folder, mplan_error *err);
mplan_status mpi_layout_aflr3(mplan_places *layout, mpi_view *view, const mplan_context *context,
                              mplan_error *err);
/* The polyMesh folder that a path leads to: the caller's; NULL: the path is not OpenFOAM's. */
mplan_status mpi_foam_folder(const char *path, const mpi_read_options *options, char **folder,
                             mplan_error *err);
mplan_status mpi_layout_foam(mplan_places *layout, const char *folder,
                             const mpi_read_options *options, mplan_error *err);

/* Groups of the mesh, when it has its sets: those that the serial reader makes of patches and zones, which rank 0 reads. folder:
 * NULL on other ranks. Collective. */
mplan_status mpi_foam_groups(mpi_mesh *mesh, const char *folder, const mplan_context *context,
                             mplan_error *err);

/* The sets of a map of OP2 that does not name them: -1 for those that cannot be told. rows: of the map; most: its largest number. */
void mpi_op2_sets_of(const mpi_mesh *mesh, const char *map, int64_t rows, int64_t most,
                     int32_t *from, int32_t *to);
/* The set of coordinates of so many rows; -1 without one. */
int32_t mpi_op2_set_of_points(const mpi_mesh *mesh, const char *name, int64_t rows);

/* Of a name of coordinates, how long what is before a word like `xyz` is; 0: the word is all; -1: there is none. */
int64_t mpi_coordinate_prefix(const char *name);

/* A map that is read, before it is one. */
typedef struct mpi_read_table {
    int64_t rows;     /* of all ranks */
    int64_t begin, n; /* those of this one */
    int32_t arity;    /* 0: ragged */
    int64_t *offsets,
        *values; /* of this rank's rows; values are members, from 0, or -1, and not yet compared with the size of the set */
    uint8_t *type;   /* NULL: without types */
    int64_t *counts; /* entries of each row that count; NULL: all do; while the table is read */
    int64_t most;    /* largest value, of all ranks; -1 without one */
} mpi_read_table;
void mpi_read_table_free(mpi_read_table *table);
/* Collective, as the next are. */
mplan_status mpi_read_table_of(const mpi_readers *readers, const mplan_places *layout,
                               int32_t table, mpi_read_table *out, mplan_error *err);
/* Refuses values that are not below `size`, with their place. */
mplan_status mpi_check_table(const mpi_readers *readers, const mplan_places *layout, int32_t table,
                             const mpi_read_table *read, int64_t size, mplan_error *err);
/* read_rows.c: takes out what does not count in rows of equal lengths, and finds types that follow from lengths. */
mplan_status mpi_read_finish_rows(const mpi_readers *readers, const mplan_places *layout,
                                  int32_t table, mpi_read_table *out, mplan_error *err);
/* Whether all rows of all ranks have as many entries, and at least one; then that many, else 0. By lengths or by offsets of the n
 * rows of this rank. */
int64_t mpi_common_length(MPI_Comm comm, int64_t n, const int64_t *length, const int64_t *offsets);
/* Whole numbers, `least` and more, of rows [begin, begin + n) of an array, in its order: *out, the caller's, is NULL after a
 * failure. what: what one is, for sentences. */
mplan_status mpi_read_wholes(const mpi_readers *readers, const mplan_places *layout, int32_t array,
                             int64_t begin, int64_t n, const char *what, int64_t least,
                             int64_t **out, mplan_error *err);
/* read_groups.c: the groups that the layout lists, when the mesh has its sets and cells: those of members, and of facets that wait
 * for faces. */
mplan_status mpi_read_groups(const mpi_readers *readers, const mplan_places *layout, mpi_mesh *mesh,
                             mplan_error *err);
/* read_levels.c: the layers that the layout says of sets of the mesh, which has all its maps. */
mplan_status mpi_read_levels(const mpi_readers *readers, const mplan_places *layout, mpi_mesh *mesh,
                             mplan_error *err);
/* Coordinates of members [begin, begin + n): out, of *dimension numbers each, the caller's. */
mplan_status mpi_read_points(const mpi_readers *readers, const mplan_places *layout,
                             const mplan_places_points *points, int64_t begin, int64_t n,
                             double **out, int32_t *dimension, mplan_error *err);
/* The tables of a layout with MPLAN_PLACES_BY_FACES: points of the faces between two cells and of those on the boundary, and
 * the cells at their sides. */
enum {
    MPI_FOAM_POINTS,
    MPI_FOAM_OUTER_POINTS,
    MPI_FOAM_OWNER,
    MPI_FOAM_NEIGHBOUR,
    MPI_FOAM_OUTER_OWNER,
    MPI_FOAM_TABLES
};
/* Makes the sets and maps of a mesh that has no cells but such faces; takes arrays of the tables. */
mplan_status mpi_read_solids(const mpi_readers *readers, const mplan_places *layout,
                             mpi_read_table tables[MPI_FOAM_TABLES], mpi_mesh *mesh,
                             mplan_error *err);
/* read_sides.c: what other maps of the mesh tell: edges_cells from cells_edges, and whether edges are the file's own faces. */
mplan_status mpi_read_sides(mpi_mesh *mesh, uint32_t flags, mplan_error *err);

#endif
