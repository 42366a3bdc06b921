/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - what a file format is, and the registry that lists them all
 *
 * To add a format: one pair of files with its readers and writers, one line in
 * registry.c. The registry opens, decompresses and recognises; a reader sees
 * the whole decoded file in memory. */
#ifndef MPLAN_FORMAT_H
#define MPLAN_FORMAT_H

#include "base/file.h"
#include "base/file_output.h"
#include "formats/places.h"
#include "meshplan.h"

typedef enum mplan_recognised {
    MPLAN_RECOGNISED_NO = 0,
    MPLAN_RECOGNISED_MAYBE = 1, /* could be; the name decides */
    MPLAN_RECOGNISED_YES = 2,
    MPLAN_RECOGNISED_BY_NAME = 3 /* could be, if it is named so: bare numbers */
} mplan_recognised;

/* A decoded input file, private to the process. A reader that goes through it once may give the memory of what it
 * has read back (mplan_file_forget), and one that hands the bytes to another process shares them without a copy
 * (mplan_file_seal). Errors begin with `path:line: ` or `path: byte N: `. */
typedef struct mplan_input {
    const char *path;
    const uint8_t *data; /* NULL: path is a folder (formats with recognise_folder only) */
    size_t size;
    mplan_file *file; /* that holds the data; NULL: they are a part of one, or borrowed */
} mplan_input;

/* What a file may hold more than one of, and the read option zone chooses from. */
typedef enum mplan_zones {
    MPLAN_ZONES_NONE = 0, /* files hold one mesh: a zone is skipped with a warning */
    MPLAN_ZONES_APART,    /* one of several meshes is read */
    MPLAN_ZONES_JOINED    /* also "all": together they are one mesh */
} mplan_zones;

typedef struct mplan_file_format {
    const char *name, *description, *extensions, *missing;
    mplan_zones zones;
    bool weights;        /* writes weights of sets, where it has the graph that they are of */
    bool group_arrays;   /* heeds the read option group_array */
    bool writes_without; /* what is missing is needed to read only */
    mplan_recognised (*recognise)(const uint8_t *data, size_t size); /* NULL: only asked for by name */
    bool (*recognise_folder)(const char *path); /* NULL: this format has no folders */
    /* mesh is empty on entry; whatever it holds after a failure is released */
    mplan_status (*read)(const mplan_input *input, const mplan_read_options *options,
                         const mplan_context *context, mplan_mesh *mesh, mplan_error *err);
    /* what: the map to write, for formats of one table; NULL otherwise */
    mplan_status (*write)(const mplan_mesh *mesh, const char *what, mplan_output *output,
                          const mplan_context *context, mplan_error *err);
    /* likewise, for formats that are folders, which appear whole or not at all */
    mplan_status (*write_folder)(const mplan_mesh *mesh, const char *path,
                                 const mplan_context *context, mplan_error *err);
    const char *folder; /* name of a folder that is written without --to; NULL: none */
    /* where the numbers are that `read` would read, for readers of byte ranges; NULL: nobody can tell. Of formats that a program
     * reads only the program's own record has it. The file's path is in the layout before. */
    mplan_status (*layout)(const mplan_input *input, const mplan_read_options *options,
                           const mplan_context *context, mplan_places *layout, mplan_error *err);
} mplan_file_format;

#define MPLAN_FORMAT(name) extern const mplan_file_format mplan_format_##name;
#include "formats/format_list.h"
#undef MPLAN_FORMAT

/* An array of numbers in a file, whatever its layout: what npy.c and text.c
 * read, before it becomes a table, coordinates or a dat. Exactly one of i32,
 * i64 and f64 is not NULL, so that a table of 32-bit numbers never costs more
 * than itself:
 *   i32   whole numbers that all fit into 32 bits, however wide the file's are
 *   i64   whole numbers, at least one of which does not
 *   f64   real numbers (also float32)
 * Fixed rows hold rows x cols numbers, row by row. Rows of different lengths
 * (text only) have cols 0 and row r in [offsets[r], offsets[r + 1]). */
typedef struct mplan_numbers {
    int64_t rows, cols;
    bool real;    /* values are in f64 */
    int32_t *i32; /* all arrays are from mplan_alloc */
    int64_t *i64;
    double *f64;
    int64_t *offsets;    /* rows + 1 entries; NULL for fixed rows */
    int64_t ragged_line; /* of the first row that differs from the first; 0: none does */
    int64_t ragged_first, ragged_found; /* lengths of the first row and of that one */
} mplan_numbers;
/* Releases the arrays and zeroes numbers. */
void mplan_numbers_free(mplan_numbers *numbers);
/* Refuses rows of different lengths: "path:7: row has 3 numbers, the first has
 * 2" (MPLAN_ERR_CORRUPT). */
mplan_status mplan_numbers_require_fixed(const char *path, const mplan_numbers *numbers,
                                         mplan_error *err);
/* Makes whole numbers real (f64 filled, real set), as coordinates need them. */
mplan_status mplan_numbers_to_real(mplan_numbers *numbers, mplan_error *err);

/* The numbers of a .npy file or of text. MPLAN_ERR_FORMAT for files of other formats. */
mplan_status mplan_read_numbers(const mplan_input *input, const mplan_context *context,
                                mplan_numbers *numbers, mplan_error *err);

/* Makes numbers a map of the mesh: applies the base, none value, names, sets
 * and sizes of options (NULL: defaults). Sets are made when they are new; the
 * table must fit those that exist. Errors name path, row and column (from 1, as
 * in the file): MPLAN_ERR_MESH for what does not fit, MPLAN_ERR_ARGUMENT for
 * options that cannot be. Nothing is added on failure. Consumes numbers (also
 * then); 32-bit numbers become the map in place, `transposed` needs a second
 * array for a moment. Rows of different lengths become a ragged map. Whole
 * numbers that are written as reals count as whole. Numbers from 0 that look as if they were from 1, or as if
 * their first column counted the rows, are a warning. */
mplan_status mplan_table_from_numbers(mplan_mesh *mesh, const char *path, mplan_numbers *numbers,
                                      const mplan_table_options *options,
                                      const mplan_context *context, mplan_error *err);

/* The map that a format of one table writes: `what`, or with NULL the only
 * one. MPLAN_ERR_ARGUMENT when there is none or several, their names listed. */
mplan_status mplan_table_choose(const mplan_mesh *mesh, const char *what, mplan_map *map,
                                mplan_error *err);

#endif
