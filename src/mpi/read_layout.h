/* SPDX-License-Identifier: Apache-2.0 */
/* read_layout.h - where the numbers of a mesh are in its files
 *
 * One rank finds that out from the heads of the files; then all read.
 *
 * read_numpy.c    .npy, .npz and folders of .npy
 * read_aflr3.c    binary files of AFLR3
 * read_exodus.c   Exodus II in netCDF-3
 * read_op2.c      OP2's HDF5 files
 * read_tables.c   reads what a layout says
 * read_mesh.c     the mesh of it */
#ifndef MPLAN_MPI_READ_LAYOUT_H
#define MPLAN_MPI_READ_LAYOUT_H

#include "base/memory.h"
#include "mpi/mesh_parts.h"
#include "mpi/read_bytes.h"

enum { MPI_NAME = 256, MPI_PATH = 4096, MPI_ROW_NODES = 27 };

/* Numbers in a file: rows x cols of them from byte `at` on, one row behind the other, or by_column one column behind the other. */
typedef struct mpi_array {
    int32_t path;          /* which file */
    char member[MPI_NAME]; /* what it is called in there, for messages; "" */
    int64_t at, rows, cols;
    int32_t size; /* bytes of a number: 1, 2, 4, 8; reals 4, 8 */
    char kind;    /* 'i', 'u', 'f' */
    bool big_endian, by_column;
} mpi_array;

/* Rows of a map that are in one array. */
typedef struct mpi_block {
    int32_t array;
    int32_t type;                /* of the cells; -1: they have none */
    int8_t order[MPI_ROW_NODES]; /* entry k is the file's order[k]; of cells with a type */
} mpi_block;

/* A map, of blocks one behind the other. */
typedef struct mpi_table {
    char name[MPI_NAME], from[MPI_NAME], to[MPI_NAME];
    int64_t base;    /* number of the first member in the file */
    bool has_none;   /* -1 means none */
    bool perhaps;    /* left out where it leads to no set: it is data then */
    int32_t offsets; /* an array of one more than there are rows; -1: rows of equal lengths */
    int32_t block, n_blocks;
} mpi_table;

/* Coordinates: an array of `dimension` columns, or as many of one column. */
typedef struct mpi_points {
    char name[MPI_NAME]; /* of the set, or what may tell it */
    int32_t dimension,
        array[3]; /* array[1] -1: all in the first, which may have fewer: others are 0 */
} mpi_points;

/* A set that is there before the maps. */
typedef struct mpi_known_set {
    char name[MPI_NAME];
    int64_t size;
} mpi_known_set;

typedef struct mpi_layout {
    bool numpy;  /* sizes of sets and the sets of coordinates are found as npz.c finds them */
    bool prisms; /* may be mirrored, and are turned */
    bool op2;    /* sets of maps and of coordinates are found as op2_hdf5.c finds them */
    mplan_vector paths;  /* char[MPI_PATH] */
    mplan_vector arrays; /* mpi_array */
    mplan_vector blocks, tables, points, sets;
} mpi_layout;

void mpi_layout_begin(mpi_layout *layout);
void mpi_layout_free(mpi_layout *layout);
/* The number of the path, or of the array; below 0: *err. The array must be within a file of `size` bytes: MPLAN_ERR_CORRUPT. */
int32_t mpi_layout_add_path(mpi_layout *layout, const char *path, mplan_error *err);
mplan_status mpi_layout_add_array(mpi_layout *layout, const mpi_array *array, int64_t size,
                                  int32_t *index, mplan_error *err);
/* Adds a block of cells of a type to the table that is last. order: NULL: as ours. */
mplan_status mpi_layout_add_block(mpi_layout *layout, int32_t array, int32_t type,
                                  const int8_t *order, mplan_error *err);
/* A table without blocks. MPLAN_ERR_UNSUPPORTED for names that are too long. */
mplan_status mpi_layout_add_table(mpi_layout *layout, const char *name, const char *from,
                                  const char *to, mplan_error *err);
/* Every rank gets the layout that rank 0 has. Collective. */
mplan_status mpi_layout_share(MPI_Comm comm, mplan_status status, mpi_layout *layout,
                              mplan_error *err);

static inline const mpi_array *mpi_layout_array(const mpi_layout *layout, int32_t index)
{
    return (const mpi_array *)layout->arrays.data + index;
}
static inline const char *mpi_layout_path(const mpi_layout *layout, const mpi_array *array)
{
    return (const char *)layout->paths.data + (int64_t)array->path * MPI_PATH;
}
/* "archive.npz: edges_cells.npy" */
void mpi_array_label(const mpi_layout *layout, int32_t array, char label[MPI_PATH + MPI_NAME]);

/* What fills a layout: view of a file whose first bytes are loaded. Not collective. */
mplan_status mpi_layout_npy(mpi_layout *layout, mpi_view *view, mplan_error *err);
mplan_status mpi_layout_npz(mpi_layout *layout, mpi_view *view, mplan_error *err);
mplan_status mpi_layout_folder(mpi_layout *layout, const char *folder, mplan_error *err);
mplan_status mpi_layout_aflr3(mpi_layout *layout, mpi_view *view, mplan_error *err);
mplan_status mpi_layout_exodus(mpi_layout *layout, mpi_view *view, mplan_error *err);
mplan_status mpi_layout_op2(mpi_layout *layout, mpi_view *view, mplan_error *err);

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
    uint8_t *type; /* NULL: without types */
    int64_t most;  /* largest value, of all ranks; -1 without one */
} mpi_read_table;
void mpi_read_table_free(mpi_read_table *table);
/* Collective, as the next are. */
mplan_status mpi_read_table_of(const mpi_readers *readers, const mpi_layout *layout, int32_t table,
                               mpi_read_table *out, mplan_error *err);
/* Refuses values that are not below `size`, with their place. */
mplan_status mpi_check_table(const mpi_readers *readers, const mpi_layout *layout, int32_t table,
                             const mpi_read_table *read, int64_t size, mplan_error *err);
/* Coordinates of members [begin, begin + n): out, the caller's. */
mplan_status mpi_read_points(const mpi_readers *readers, const mpi_layout *layout,
                             const mpi_points *points, int64_t begin, int64_t n, double **out,
                             mplan_error *err);

#endif
