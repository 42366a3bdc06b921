/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_input.c - variables and attributes of netCDF files, by libnetcdf
 *
 * Classic files (CDF-1, -2, -5) and netCDF-4, which is HDF5. A variable is read in one call: a
 * compressed one may be a single chunk, which every further call would inflate anew. */
#include "formats/netcdf/netcdf_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/library_lock.h"
#include "formats/netcdf/netcdf_header.h"

#ifdef MPLAN_HAVE_NETCDF
#include <netcdf.h>
#include <netcdf_mem.h>

/* Deflate makes a byte of 1032 at best; HDF5 files may be compressed. */
enum { MOST_DEFLATED = 1032 };

/* libnetcdf's codes are negative; positive ones are those of errno. */
static mplan_status fail_library(const mplan_netcdf *file, const char *name, int result,
                                 mplan_error *err)
{
    if (result == NC_ENOMEM)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (in libnetcdf)");
    /* positive: a number of errno, from what reads beyond the end of memory */
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s: %s", file->input->path, name,
                      result > 0 ? "the file ends before its numbers" : nc_strerror(result));
}

/* The file that a program of libexec reads (mplan_netcdf_keep); data NULL: none is kept. */
static struct {
    const uint8_t *data;
    int id;
} kept;

void mplan_netcdf_keep(const mplan_input *input)
{
    mplan_netcdf file = {.input = input};
    if (mplan_netcdf_open(input, NULL, &file, NULL))
        return;
    kept.data = input->data;
    kept.id = file.id;
    mplan_netcdf_close(&file);
}

/* The library reads the bytes in memory. It is locked until mplan_netcdf_close. */
mplan_status mplan_netcdf_open(const mplan_input *input, const mplan_context *context,
                               mplan_netcdf *file, mplan_error *err)
{
    bool hdf5 = mplan_netcdf_is_hdf5(input->data, input->size);
    if (input->size > (size_t)INT64_MAX / MOST_DEFLATED)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: the file is too large", input->path);
    mplan_status status = mplan_netcdf_check_header(input, err);
    if (status)
        return status;
    mplan_library_lock();
    int id = kept.id;
    bool open = kept.data && kept.data == input->data;
    /* the library only reads what it is not told to write */
    int result = open ? NC_NOERR
                      : nc_open_mem("input", NC_NOWRITE, input->size,
                                    (void *)(uintptr_t)input->data, &id);
    if (result != NC_NOERR) {
        mplan_library_unlock();
        return mplan_fail(err, result == NC_ENOMEM ? MPLAN_ERR_MEMORY : MPLAN_ERR_CORRUPT,
                          "%s: the netCDF file cannot be opened: %s", input->path,
                          nc_strerror(result));
    }
    *file = (mplan_netcdf){id, input, context,
                           hdf5 ? (int64_t)input->size * MOST_DEFLATED : (int64_t)input->size, NULL};
    return MPLAN_OK;
}

/* Unlocks the library: file must have been opened. */
void mplan_netcdf_close(mplan_netcdf *file)
{
    if (!kept.data || kept.data != file->input->data)
        nc_close(file->id);
    mplan_library_unlock();
}

/* 0 where the library fails. Ids are 0 to this. */
int mplan_netcdf_n_variables(const mplan_netcdf *file)
{
    int n;
    return nc_inq_nvars(file->id, &n) == NC_NOERR ? n : 0;
}

/* The variable's id; -1 if there is none of this name. */
int mplan_netcdf_find(const mplan_netcdf *file, const char *name)
{
    int id;
    return *name && nc_inq_varid(file->id, name, &id) == NC_NOERR ? id : -1;
}

/* Its id, -1 if there is none. *length: out, may be NULL. */
int mplan_netcdf_dimension(const mplan_netcdf *file, const char *name, int64_t *length)
{
    int id;
    size_t n;
    if (!*name || nc_inq_dimid(file->id, name, &id) != NC_NOERR ||
        nc_inq_dimlen(file->id, id, &n) != NC_NOERR || n > INT64_MAX)
        return -1;
    if (length)
        *length = (int64_t)n;
    return id;
}

/* variable->count: product of the lengths, bounded by what the file can hold.
 * rank and dimension are set before; MPLAN_ERR_CORRUPT before anybody allocates for what cannot be there. */
static mplan_status take_lengths(const mplan_netcdf *file, mplan_netcdf_variable *variable,
                                 mplan_error *err)
{
    size_t bytes;
    int64_t most = file->most_bytes;
    if (nc_inq_type(file->id, variable->type, NULL, &bytes) == NC_NOERR && bytes > 1)
        most /= (int64_t)bytes;
    variable->count = 1;
    for (int d = 0; d < variable->rank; d++) {
        size_t length;
        int result = nc_inq_dimlen(file->id, variable->dimension[d], &length);
        if (result != NC_NOERR)
            return fail_library(file, variable->name, result, err);
        if (length > (size_t)most || (length > 0 && variable->count > most / (int64_t)length))
            return mplan_fail(err, MPLAN_ERR_CORRUPT,
                              "%s: variable %s is larger than the file can hold", file->input->path,
                              variable->name);
        variable->length[d] = (int64_t)length;
        variable->count *= (int64_t)length;
    }
    return MPLAN_OK;
}

/* Type, rank and lengths of the variable with this id. */
mplan_status mplan_netcdf_describe(const mplan_netcdf *file, int id,
                                   mplan_netcdf_variable *variable, mplan_error *err)
{
    char name[NC_MAX_NAME + 1] = "";
    nc_type type;
    int rank, dimension[NC_MAX_VAR_DIMS];
    int result = nc_inq_varndims(file->id, id, &rank);
    if (result == NC_NOERR)
        result = nc_inq_varname(file->id, id, name);
    snprintf(variable->name, sizeof variable->name, "%s", name);
    if (result != NC_NOERR)
        return fail_library(file, variable->name, result, err);
    if (rank > MPLAN_NETCDF_MOST_RANK)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: variable %s has %d dimensions",
                          file->input->path, variable->name, rank);
    result = nc_inq_var(file->id, id, NULL, &type, NULL, dimension, NULL);
    if (result != NC_NOERR)
        return fail_library(file, variable->name, result, err);
    variable->id = id;
    variable->rank = rank;
    variable->type = type;
    for (int d = 0; d < rank; d++)
        variable->dimension[d] = dimension[d];
    return take_lengths(file, variable, err);
}

/* Texts, strings and types of a file's own are none. */
static bool is_number(int type)
{
    return type >= NC_BYTE && type <= NC_UINT64 && type != NC_CHAR;
}

/* As mplan_netcdf_describe, by name; the rank must be as asked. */
mplan_status mplan_netcdf_need(const mplan_netcdf *file, const char *name, int rank,
                               mplan_netcdf_variable *variable, mplan_error *err)
{
    int id = mplan_netcdf_find(file, name);
    if (id < 0)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: there is no variable %.64s",
                          file->input->path, name);
    mplan_status status = mplan_netcdf_describe(file, id, variable, err);
    if (!status && variable->rank != rank)
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s has %d dimensions, not %d",
                            file->input->path, variable->name, variable->rank, rank);
    if (!status && !is_number(variable->type))
        status = mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: variable %s does not hold numbers",
                            file->input->path, variable->name);
    return status;
}

/* --- attributes and texts --------------------------------------------------------- */

/* Blanks at the end: fixed lengths are filled with them. */
static void trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\n' || text[n - 1] == '\t'))
        text[--n] = '\0';
}

/* An attribute of type string, cut to size. */
static bool take_string(const mplan_netcdf *file, int id, const char *name, char *text, size_t size)
{
    char *string = NULL;
    if (nc_get_att_string(file->id, id, name, &string) != NC_NOERR)
        return false;
    snprintf(text, size, "%s", string ? string : "");
    nc_free_string(1, &string);
    return true;
}

/* A text attribute, empty and false if there is none or it does not fit. */
bool mplan_netcdf_text(const mplan_netcdf *file, int id, const char *name, char *text, size_t size)
{
    nc_type type;
    size_t n;
    text[0] = '\0';
    if (nc_inq_att(file->id, id, name, &type, &n) != NC_NOERR)
        return false;
    bool taken = false;
    if (type == NC_STRING && n == 1)
        taken = take_string(file, id, name, text, size);
    if (type == NC_CHAR && n < size) {
        taken = nc_get_att_text(file->id, id, name, text) == NC_NOERR;
        text[taken ? n : 0] = '\0';
    }
    trim(text);
    return taken;
}

/* A real that is a whole number of at most 2^53.
 * False for fractions, infinities and NaN; *value is unchanged then. */
static bool whole_of(double real, int64_t *value)
{
    if (!(fabs(real) <= 9007199254740992.0) || real != (double)(int64_t)real)
        return false;
    *value = (int64_t)real;
    return true;
}

/* A number, also one that is written as a text. */
bool mplan_netcdf_whole(const mplan_netcdf *file, int id, const char *name, int64_t *value)
{
    nc_type type;
    size_t n;
    char text[32];
    if (nc_inq_att(file->id, id, name, &type, &n) != NC_NOERR)
        return false;
    if (type == NC_CHAR || type == NC_STRING) {
        char *end = text;
        if (mplan_netcdf_text(file, id, name, text, sizeof text))
            *value = strtoll(text, &end, 10);
        return end > text && *end == '\0';
    }
    if (!is_number(type) || n != 1)
        return false;
    if (type == NC_FLOAT || type == NC_DOUBLE) {
        double real;
        return nc_get_att_double(file->id, id, name, &real) == NC_NOERR && whole_of(real, value);
    }
    long long whole;
    unsigned long long natural;
    if (type == NC_UINT64) { /* as the numbers of such a variable are read */
        if (nc_get_att_ulonglong(file->id, id, name, &natural) != NC_NOERR)
            return false;
        memcpy(value, &natural, sizeof *value);
        return true;
    }
    if (nc_get_att_longlong(file->id, id, name, &whole) != NC_NOERR)
        return false;
    *value = whole;
    return true;
}

/* Row `row` of a table of characters, without trailing zeros; empty if it is not
 * there. */
void mplan_netcdf_row_text(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                           int64_t row, char text[MPLAN_NETCDF_NAME])
{
    text[0] = '\0';
    if (variable->rank != 2 || variable->type != NC_CHAR || row >= variable->length[0])
        return;
    int64_t length = variable->length[1];
    size_t n = length < MPLAN_NETCDF_NAME - 1 ? (size_t)length : MPLAN_NETCDF_NAME - 1;
    const size_t start[2] = {(size_t)row, 0}, count[2] = {1, n};
    text[n] = '\0';
    if (n == 0 || nc_get_vara_text(file->id, variable->id, start, count, text) != NC_NOERR)
        text[0] = '\0';
    trim(text);
}

/* --- numbers --------------------------------------------------------------------------- */

/* out: every stride-th double, so that axes can be read one by one. */
mplan_status mplan_netcdf_reals(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                double *out, int64_t stride, mplan_error *err)
{
    double *row = stride == 1 ? out : mplan_alloc(variable->count, sizeof *row, err);
    if (!row)
        return MPLAN_ERR_MEMORY;
    int result = nc_get_var_double(file->id, variable->id, row);
    for (int64_t i = 0; stride != 1 && result == NC_NOERR && i < variable->count; i++)
        out[i * stride] = row[i];
    if (row != out)
        free(row);
    return result == NC_NOERR ? mplan_interrupted(file->context, err)
                              : fail_library(file, variable->name, result, err);
}

/* out: count slots of 8 bytes. Whole numbers are int64_t there, unsigned ones of 64 bits keep their bits; reals are
 * doubles, which the caller takes out by memcpy. Returns libnetcdf's code. */
static int read_wide(const mplan_netcdf *file, const mplan_netcdf_variable *variable, int64_t *out)
{
    if (variable->type == NC_UINT64)
        return nc_get_var_ulonglong(file->id, variable->id, (unsigned long long *)(void *)out);
    if (variable->type == NC_FLOAT || variable->type == NC_DOUBLE)
        return nc_get_var_double(file->id, variable->id, (double *)(void *)out);
    return nc_get_var_longlong(file->id, variable->id, (long long *)(void *)out);
}

/* "variable x: entry (3, 1)": counts from 0, as dimensions do
 * i: among all numbers, row by row; count is above 0, and so is every length. */
static mplan_status fail_entry(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                               int64_t i, mplan_status status, const char *what, mplan_error *err)
{
    char place[128];
    size_t used = 0;
    int64_t left = variable->count;
    for (int d = 0; d < variable->rank && used < sizeof place; d++) {
        left /= variable->length[d];
        used += (size_t)snprintf(place + used, sizeof place - used, "%s%lld", d ? ", " : "",
                                 (long long)(i / left));
        i %= left;
    }
    return mplan_fail(err, status, "%s: variable %s: entry (%s) %s", file->input->path,
                      variable->name, place, what);
}

/* Of the file; whole numbers may be written so. */
static bool is_real(const mplan_netcdf_variable *variable)
{
    return variable->type == NC_FLOAT || variable->type == NC_DOUBLE;
}

/* Reals must be whole numbers.
 * Doubles are read into the slots of out and made whole in place, so that no second array is needed. */
mplan_status mplan_netcdf_wholes(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                 int64_t *out, mplan_error *err)
{
    int result = read_wide(file, variable, out);
    if (result != NC_NOERR)
        return fail_library(file, variable->name, result, err);
    for (int64_t i = 0; is_real(variable) && i < variable->count; i++) {
        double real;
        memcpy(&real, &out[i], sizeof real);
        if (!whole_of(real, &out[i]))
            return fail_entry(file, variable, i, MPLAN_ERR_CORRUPT, "is not a whole number", err);
    }
    return mplan_interrupted(file->context, err);
}

/* Entry i of a list of whole numbers; false where there is none. */
bool mplan_netcdf_one(const mplan_netcdf *file, const mplan_netcdf_variable *variable, int64_t i,
                      int64_t *value)
{
    const size_t start = (size_t)i;
    long long whole;
    if (variable->rank != 1 || i >= variable->length[0] || is_real(variable) ||
        nc_get_var1_longlong(file->id, variable->id, &start, &whole) != NC_NOERR)
        return false;
    *value = whole;
    return true;
}

/* --- ids --------------------------------------------------------------------------------- */

/* Numbers that mean that there is nothing.
 * value: n of _FillValue, missing_value and what libnetcdf writes by itself. */
typedef struct fill_values {
    int n;
    int64_t value[3];
} fill_values;

/* Whether the value says that nothing is here. */
static bool is_fill(const fill_values *fills, int64_t value)
{
    for (int f = 0; f < fills->n; f++)
        if (fills->value[f] == value)
            return true;
    return false;
}

/* Those that the file names and the library's own. */
int mplan_netcdf_fills(const mplan_netcdf *file, const mplan_netcdf_variable *variable, int64_t *fill)
{
    static const char *const names[] = {"_FillValue", "missing_value"};
    int n = 0;
    for (int a = 0; a < 2; a++)
        if (mplan_netcdf_whole(file, variable->id, names[a], &fill[n]))
            n++;
    int64_t *last = &fill[n++];
    switch (variable->type) { /* what the library puts where nothing was written */
    case NC_BYTE: *last = NC_FILL_BYTE; break;
    case NC_UBYTE: *last = NC_FILL_UBYTE; break;
    case NC_SHORT: *last = NC_FILL_SHORT; break;
    case NC_USHORT: *last = NC_FILL_USHORT; break;
    case NC_INT: *last = NC_FILL_INT; break;
    case NC_UINT: *last = NC_FILL_UINT; break;
    case NC_INT64: *last = NC_FILL_INT64; break;
    case NC_UINT64: *last = (int64_t)NC_FILL_UINT64; break;
    default: n--;
    }
    return n;
}

/* Entry i is `value`, out of what ids says. */
static mplan_status fail_id(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                            const mplan_netcdf_ids *ids, int64_t i, int64_t value, mplan_error *err)
{
    char text[128];
    snprintf(text, sizeof text, "is %lld, not a %s in [%lld, %lld)", (long long)value, ids->what,
             (long long)ids->base, (long long)(ids->base + ids->n_points));
    return fail_entry(file, variable, i, MPLAN_ERR_MESH, text, err);
}

/* Ids of numbers that are there already: wide, or else in out.
 * out: count entries in [-1, n_points). Slots behind a row's count are not looked at; a number in range is an id
 * also where the file calls it a fill value. */
static mplan_status convert_ids(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                const mplan_netcdf_ids *ids, const int64_t *wide, int32_t *out,
                                mplan_error *err)
{
    fill_values fills;
    fills.n = mplan_netcdf_fills(file, variable, fills.value);
    for (int64_t i = 0; i < variable->count; i++) {
        int64_t value = wide ? wide[i] : out[i];
        if (ids->counts && i % ids->width >= ids->counts[i / ids->width]) {
            out[i] = -1;
            continue;
        }
        if (wide && is_real(variable)) {
            double real;
            memcpy(&real, &wide[i], sizeof real);
            if (real != real && ids->none) {
                out[i] = -1;
                continue;
            }
            if (!whole_of(real, &value))
                return fail_entry(file, variable, i, MPLAN_ERR_MESH, "is not a whole number", err);
        }
        if (value >= ids->base && value - ids->base < ids->n_points)
            out[i] = (int32_t)(value - ids->base);
        else if ((ids->none && is_fill(&fills, value)) || (ids->below && value < ids->base))
            out[i] = -1;
        else
            return fail_id(file, variable, ids, i, value, err);
    }
    return mplan_interrupted(file->context, err);
}

/* out: numbers from 0, -1 for fill values where ids->none allows them. Types up
 * to 32 bits are read without a copy. */
mplan_status mplan_netcdf_read_ids(const mplan_netcdf *file, const mplan_netcdf_variable *variable,
                                   const mplan_netcdf_ids *ids, int32_t *out, mplan_error *err)
{
    int type = variable->type;
    if (type == NC_BYTE || type == NC_UBYTE || type == NC_SHORT || type == NC_USHORT ||
        type == NC_INT) {
        int result = nc_get_var_int(file->id, variable->id, out);
        return result == NC_NOERR ? convert_ids(file, variable, ids, NULL, out, err)
                                  : fail_library(file, variable->name, result, err);
    }
    int64_t *wide = mplan_alloc(variable->count, sizeof *wide, err);
    if (!wide)
        return MPLAN_ERR_MEMORY;
    int result = read_wide(file, variable, wide);
    mplan_status status = result == NC_NOERR ? convert_ids(file, variable, ids, wide, out, err)
                                             : fail_library(file, variable->name, result, err);
    free(wide);
    return status;
}
#endif
