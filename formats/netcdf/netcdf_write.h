/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_write.h - netCDF files of the classic formats, without a library
 *
 * Everything is declared first; then the head is written, and the numbers of each variable follow in the order in
 * which the variables were declared. 64-bit offsets (CDF-2), or 64-bit data (CDF-5) where a
 * variable takes more than CDF-2 allows. */
#ifndef MPLAN_NETCDF_WRITE_H
#define MPLAN_NETCDF_WRITE_H

#include "base/memory.h"
#include "formats/text_out.h"

/* The numbers that types have in the file. */
typedef enum mplan_netcdf_type {
    MPLAN_NETCDF_CHAR = 2,
    MPLAN_NETCDF_INT = 4,
    MPLAN_NETCDF_FLOAT = 5, /* of attributes only */
    MPLAN_NETCDF_DOUBLE = 6,
    MPLAN_NETCDF_INT64 = 10 /* makes the file CDF-5 */
} mplan_netcdf_type;

enum { MPLAN_NETCDF_GLOBAL = -1 };

/* Zero-initialise `failed` and the vectors by mplan_netcdf_declare; release with mplan_netcdf_forget. A failure of memory
 * is kept until mplan_netcdf_head. */
typedef struct mplan_netcdf_out {
    mplan_text_out out;
    mplan_vector dimensions, attributes, variables, texts;
    bool failed, wide;
    int64_t left; /* bytes of the variable at hand that are still due */
    int32_t next; /* variable */
} mplan_netcdf_out;

void mplan_netcdf_declare(mplan_netcdf_out *to);
void mplan_netcdf_forget(mplan_netcdf_out *to);

/* Each returns a number by which it is named. length: 0 for the record dimension, which has no records. */
int32_t mplan_netcdf_add_dimension(mplan_netcdf_out *to, const char *name, int64_t length);
/* n_dimensions: 0 to 2. */
int32_t mplan_netcdf_add_variable(mplan_netcdf_out *to, const char *name, mplan_netcdf_type type,
                                  int32_t n_dimensions, int32_t first, int32_t second);
/* One of up to three dimensions, the slowest first. */
int32_t mplan_netcdf_add_variable_of(mplan_netcdf_out *to, const char *name, mplan_netcdf_type type,
                                     int32_t n_dimensions, const int32_t of[3]);
void mplan_netcdf_add_text(mplan_netcdf_out *to, int32_t variable, const char *name,
                           const char *text);
/* type INT, FLOAT or DOUBLE. */
void mplan_netcdf_add_number(mplan_netcdf_out *to, int32_t variable, const char *name,
                             mplan_netcdf_type type, double value);

/* Writes the head; then numbers. */
mplan_status mplan_netcdf_head(mplan_netcdf_out *to, mplan_output *output,
                               const mplan_context *context, mplan_error *err);
void mplan_netcdf_put_int(mplan_netcdf_out *to, int32_t value);
void mplan_netcdf_put_long(mplan_netcdf_out *to, int64_t value);
void mplan_netcdf_put_real(mplan_netcdf_out *to, double value);
/* A row of `width` characters: the text, cut to them, and zeros. */
void mplan_netcdf_put_chars(mplan_netcdf_out *to, const char *text, int64_t width);
/* To be called when a variable is written: pads it. Asserts that all its numbers came. */
void mplan_netcdf_next(mplan_netcdf_out *to);
/* All variables are written. */
mplan_status mplan_netcdf_finish(mplan_netcdf_out *to);

#endif
