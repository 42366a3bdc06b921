/* SPDX-License-Identifier: Apache-2.0 */
/* op2_hdf5_tables.h - what the parts of the reader of OP2's HDF5 files share: datasets as tables */
#ifndef MPLAN_OP2_HDF5_TABLES_H
#define MPLAN_OP2_HDF5_TABLES_H

#include "formats/format.h"

#ifdef MPLAN_HAVE_HDF5
#include <hdf5.h>

enum { OP2_NAME_SIZE = 128 };

typedef enum mplan_op2_kind {
    OP2_KIND_OTHER,
    OP2_KIND_SET,
    OP2_KIND_MAP,
    OP2_KIND_DAT
} mplan_op2_kind;

/* A dataset of the root group. */
typedef struct mplan_op2_table {
    char name[OP2_NAME_SIZE];
    mplan_op2_kind kind;
    bool real;
    int64_t rows, cols;
    int64_t value; /* of a set: its size */
    char from[OP2_NAME_SIZE],
        to[OP2_NAME_SIZE]; /* of a map that says it, as meshplan's do; else empty */
} mplan_op2_table;

/* An OP2 file that is read: its datasets as tables. */
typedef struct mplan_op2_file {
    const mplan_input *input;
    const mplan_context *context;
    mplan_mesh *mesh;
    hid_t file;
    int64_t most_bytes; /* that one dataset can hold */
    int64_t n_tables;
    mplan_op2_table *tables;
} mplan_op2_file;

/* libhdf5's printing of errors, as it was before. */
typedef struct mplan_op2_silence {
    H5E_auto2_t print;
    void *data;
} mplan_op2_silence;

/* The library prints errors unless told not to. */
mplan_op2_silence mplan_op2_be_silent(void);
void mplan_op2_speak_again(const mplan_op2_silence *before);

bool mplan_op2_has_attribute(hid_t dataset, const char *name);
/* Fills tables with the sets, maps and dats of the root group, by name. Links to elsewhere are left. */
mplan_status mplan_op2_list_tables(mplan_op2_file *file, mplan_error *err);
/* NULL if there is none. */
const mplan_op2_table *mplan_op2_find_table(const mplan_op2_file *file, const char *name);
/* "PATH: dataset NAME WHAT" */
mplan_status mplan_op2_fail_table(const mplan_op2_file *file, const mplan_op2_table *of,
                                  mplan_status status, const char *what, mplan_error *err);

/* All rows * cols numbers of a dataset, in memory's type. */
mplan_status mplan_op2_read_numbers(const mplan_op2_file *file, const mplan_op2_table *of,
                                    hid_t type, void *out, mplan_error *err);
/* Ids of a map, rows * cols from mplan_alloc, and the largest of them; -1: none. */
mplan_status mplan_op2_read_ids(const mplan_op2_file *file, const mplan_op2_table *of,
                                int32_t **out, int64_t *largest, mplan_error *err);

/* "edge" or "edges" for the set "edges". */
bool mplan_op2_is_word_of(const char *set, const char *word, size_t length);
/* Whether the rows of a table tell the size of the set that a word means, which only maps speak of. */
bool mplan_op2_tells_size(const mplan_op2_table *of, const char *word, size_t length);
/* Length of a set's name without a final s: its word within names of maps. */
size_t mplan_op2_stem_length(const char *set);
bool mplan_op2_is_coordinates(const mplan_op2_table *of);
/* The first dat of two or three reals a member that is named like coordinates, of each set. */
mplan_status mplan_op2_read_coordinates(mplan_op2_file *file, mplan_error *err);

/* op2_hdf5_airfoil.c: the grid of OP2's airfoil example, whose files lack attributes; sets, maps and groups as
 * op2.c makes them of new_grid.dat. */
bool mplan_op2_is_airfoil(const mplan_op2_file *file);
mplan_status mplan_op2_read_airfoil(mplan_op2_file *file, mplan_error *err);
#endif

#endif
