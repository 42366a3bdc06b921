/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_input.h - variables and attributes of netCDF files, by libnetcdf
 *
 * netcdf_input.c is all that calls the library. Files are opened in memory, so
 * that standard input and gzip work. Sizes are compared with those of the file
 * before anything is allocated. Errors begin with the path and name the variable:
 * the library does not tell bytes. */
#ifndef MPLAN_NETCDF_INPUT_H
#define MPLAN_NETCDF_INPUT_H

#include "formats/format.h"
#include "formats/places.h"

/* MOST_RANK: dimensions of a variable that is read. NAME: NC_MAX_NAME of the library, and a zero. */
enum { MPLAN_NETCDF_MOST_RANK = 4, MPLAN_NETCDF_NAME = 257 };

/* A netCDF file in memory.
 * The lock of the library is held from its opening to its closing. */
typedef struct mplan_netcdf {
    int id;
    const mplan_input *input;
    const mplan_context *context;
    int64_t most_bytes;   /* that one variable of the file can hold */
    mplan_places *layout; /* NULL: numbers are read; else readers only list here where they are */
} mplan_netcdf;

/* Names are cut at nothing: longer ones than MPLAN_NETCDF_NAME - 1 are not legal. */
typedef struct mplan_netcdf_variable {
    int id, rank, type;
    int dimension[MPLAN_NETCDF_MOST_RANK]; /* ids */
    int64_t length[MPLAN_NETCDF_MOST_RANK];
    int64_t count; /* numbers in all */
    char name[MPLAN_NETCDF_NAME];
} mplan_netcdf_variable;

/* Waits until no other call is inside one of the libraries, none of which may be in two threads at
 * once. MPLAN_ERR_CORRUPT with the library's reason. Pairs with mplan_netcdf_close on success. */
mplan_status mplan_netcdf_open(const mplan_input *input, const mplan_context *context,
                               mplan_netcdf *file, mplan_error *err);
void mplan_netcdf_close(mplan_netcdf *file);
/* Opens the file once for all: as long as the process lives, which is to read nothing else, the calls above
 * take these bytes, which stay where they are, for this file. Opening a netCDF-4 file of 42 kB costs 1.5 ms, and who reads a file has asked
 * before whose it is. Where it cannot be opened, nothing happens. */
void mplan_netcdf_keep(const mplan_input *input);

int mplan_netcdf_n_variables(const mplan_netcdf *file);
/* Id of a variable by name; -1 without one. */
int mplan_netcdf_find(const mplan_netcdf *file, const char *name);
/* Id of a dimension and its length; -1 without one. */
int mplan_netcdf_dimension(const mplan_netcdf *file, const char *name, int64_t *length);

/* Describes variable id. MPLAN_ERR_CORRUPT where it is larger than the file can be,
 * MPLAN_ERR_UNSUPPORTED where it is of more than MPLAN_NETCDF_MOST_RANK dimensions. */
mplan_status mplan_netcdf_describe(const mplan_netcdf *file, int id,
                                   mplan_netcdf_variable *variable, mplan_error *err);
/* The same by name; there has to be one, of numbers and of the given rank. */
mplan_status mplan_netcdf_need(const mplan_netcdf *file, const char *name, int rank,
                               mplan_netcdf_variable *variable, mplan_error *err);

/* Text of an attribute of variable id; false without one, and for one of size bytes or more. */
bool mplan_netcdf_text(const mplan_netcdf *file, int id, const char *name, char *text, size_t size);
/* A whole number of an attribute; false without one. */
bool mplan_netcdf_whole(const mplan_netcdf *file, int id, const char *name, int64_t *value);

/* Fixed-length texts of a variable of characters, row r of two dimensions, without blanks at the
 * end; "" where there is none. */
void mplan_netcdf_row_text(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                           int64_t row, char text[MPLAN_NETCDF_NAME]);

/* All numbers as reals. out: count entries, `stride` apart. */
mplan_status mplan_netcdf_reals(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                double *out, int64_t stride, mplan_error *err);
/* All numbers as they are, whole; MPLAN_ERR_CORRUPT for what exceeds 64 bits or is a fraction. */
mplan_status mplan_netcdf_wholes(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                 int64_t *out, mplan_error *err);

/* Number i of a variable of one dimension; false where there is none that is whole. */
bool mplan_netcdf_one(const mplan_netcdf *file, const mplan_netcdf_variable *variable, int64_t i,
                      int64_t *value);

/* How numbers of a variable name members of a set.
 * Number base + m of the file is member m, in [0, n_points). */
typedef struct mplan_netcdf_ids {
    int64_t base;     /* number of the first member */
    int64_t n_points; /* members of the set */
    bool none;        /* _FillValue, missing_value and what the library fills with are -1 */
    const char *what; /* "node", ... for errors */
    bool below;       /* numbers below base are -1, too */
    int64_t width;    /* of a row, where counts are given */
    const int64_t *counts; /* entries of each row that count; the others, whatever they are, are -1. NULL: all do */
} mplan_netcdf_ids;

/* Numbers that mean "nothing here" in a variable: fill is of 3 numbers, of which so many are set. */
int mplan_netcdf_fills(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                       int64_t *fill);

/* All numbers as ids in [-1, n_points); MPLAN_ERR_MESH with the place of what is none. */
mplan_status mplan_netcdf_read_ids(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                   const mplan_netcdf_ids *ids, int32_t *out, mplan_error *err);

/* netcdf_place.c: for layouts. */

/* Lists the variable as an array of rows x cols numbers, or by_column. MPLAN_ERR_UNSUPPORTED, with what helps, for chunks,
 * filters and records. */
mplan_status mplan_netcdf_place(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                int64_t rows, int64_t cols, bool by_column, int32_t *array,
                                mplan_error *err);
/* Lists a map that is in one variable, whose numbers are ids as mplan_netcdf_read_ids takes them; counts and width are not
 * looked at. *table: out, for what else is to be said of it. */
mplan_status mplan_netcdf_place_map(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                    const mplan_netcdf_ids *ids, int64_t rows, int64_t cols,
                                    bool by_column, const char *const names[3],
                                    mplan_places_table **table, mplan_error *err);

#endif
