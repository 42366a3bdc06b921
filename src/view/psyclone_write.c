/* SPDX-License-Identifier: Apache-2.0 */
/* psyclone_write.c - colour maps and dof maps as a folder of npy files, or one netCDF file
 *
 * In both the first index runs fastest, as Fortran has it: npy files say fortran_order, and netCDF files list dimensions
 * the other way round, which Fortran's netCDF library turns back. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/folder_output.h"
#include "base/option_size.h"
#include "formats/netcdf/netcdf_write.h"
#include "formats/numpy/npy.h"
#include "view/export_folder.h"
#include "view/psyclone.h"

/* --- npy ----------------------------------------------------------------------------------------- */

/* One file, and its line in the index. */
static mplan_status write_npy(mplan_folder_output *folder, mplan_output *index,
                              const mplan_psyclone_array *array, bool first, mplan_error *err)
{
    char name[128];
    mplan_output *output = NULL;
    const mplan_type type = array->i64 ? MPLAN_TYPE_I64 : MPLAN_TYPE_I32;
    const void *data = array->i64 ? (const void *)array->i64 : (const void *)array->i32;
    snprintf(name, sizeof name, "%s.npy", array->name);
    mplan_status status = mplan_folder_output_file(folder, name, &output, err);
    if (status)
        return status;
    status = mplan_npy_write_fortran_header(output, mplan_npy_descr(type), array->rank,
                                            array->shape, err);
    if (!status)
        status = mplan_output_write(output, data,
                                    (size_t)mplan_psyclone_count(array) * mplan_type_size(type), err);
    if (!status)
        status = mplan_output_commit(output, err);
    else
        mplan_output_abort(output);
    if (!status)
        status = mplan_output_print(index, err,
                                    "%s\n  {\"file\": \"%s\", \"about\": \"%s\", \"type\": \"%s\", "
                                    "\"shape\": [",
                                    first ? "" : ",", name, array->about, mplan_type_name(type));
    for (int32_t d = 0; d < array->rank && !status; d++)
        status = mplan_output_print(index, err, "%s%" PRId64, d ? ", " : "", array->shape[d]);
    return status ? status : mplan_output_print(index, err, "]}");
}

/* All arrays and index.json; the folder appears whole or not at all. */
static mplan_status write_folder(const mplan_plan *plan, const mplan_vector *arrays,
                                 const char *path, const mplan_context *context, mplan_error *err)
{
    const mplan_psyclone_array *all = arrays->data;
    mplan_folder_output *folder = NULL;
    mplan_output *index = NULL;
    mplan_status status = mplan_folder_output_open(path, mplan_export_check_earlier, context,
                                                   &folder, err);
    if (!status)
        status = mplan_folder_output_file(folder, MPLAN_EXPORT_INDEX, &index, err);
    if (!status)
        status = mplan_output_print(index, err,
                                    MPLAN_EXPORT_BEGIN
                                    "%d.%d\",\n \"psyclone\": true,\n \"arrays\": [",
                                    MPLAN_FORMAT_MAJOR, (int)mplan_plan_format_minor(plan));
    for (int64_t i = 0; i < arrays->count && !status; i++) {
        status = write_npy(folder, index, &all[i], i == 0, err);
        if (!status)
            status = mplan_heed(context, "export", i + 1, arrays->count, err);
    }
    if (!status)
        status = mplan_output_print(index, err, "\n ]\n}\n");
    if (status)
        mplan_output_abort(index);
    else
        status = mplan_output_commit(index, err);
    if (!status)
        return mplan_folder_output_commit(folder, err);
    mplan_folder_output_abort(folder);
    return status;
}

/* --- netCDF ---------------------------------------------------------------------------------------- */

/* A dimension of that name, declared once. seen: names of those before, by their numbers.
 * seen has room for all dimensions of all arrays. Dimensions of one name have one length. */
static int32_t dimension_of(mplan_netcdf_out *to, const char **seen, int32_t *n_seen,
                            const char *name, int64_t length)
{
    for (int32_t d = 0; d < *n_seen; d++)
        if (strcmp(seen[d], name) == 0)
            return d;
    seen[(*n_seen)++] = name;
    return mplan_netcdf_add_dimension(to, name, length);
}

/* Declares each array as a variable, in the order of the vector. seen: room for MPLAN_PSYCLONE_RANK names an array. */
static void declare(mplan_netcdf_out *to, const mplan_vector *arrays, const char **seen)
{
    const mplan_psyclone_array *all = arrays->data;
    int32_t n_seen = 0;
    for (int64_t i = 0; i < arrays->count; i++) {
        const mplan_psyclone_array *array = &all[i];
        int32_t of[MPLAN_PSYCLONE_RANK] = {0, 0, 0};
        for (int32_t d = 0; d < array->rank; d++) /* the last index, which runs slowest, first */
            of[array->rank - 1 - d] = dimension_of(to, seen, &n_seen, array->dimension[d],
                                                   array->shape[d]);
        const int32_t v = mplan_netcdf_add_variable_of(to, array->name,
                                                       array->i64 ? MPLAN_NETCDF_INT64
                                                                  : MPLAN_NETCDF_INT,
                                                       array->rank, of);
        mplan_netcdf_add_text(to, v, "long_name", array->about);
    }
    mplan_netcdf_add_text(to, MPLAN_NETCDF_GLOBAL, "title", "colour maps and dof maps by meshplan");
}

/* All variables are declared before the head is written; their numbers follow in the same order. */
static mplan_status write_netcdf(const mplan_vector *arrays, const char *path,
                                 const mplan_context *context, mplan_error *err)
{
    const mplan_psyclone_array *all = arrays->data;
    const char **seen = mplan_alloc(arrays->count * MPLAN_PSYCLONE_RANK + 1, sizeof *seen, err);
    mplan_netcdf_out to;
    mplan_output *output = NULL;
    if (!seen)
        return MPLAN_ERR_MEMORY;
    mplan_netcdf_declare(&to);
    declare(&to, arrays, seen);
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (!status)
        status = mplan_netcdf_head(&to, output, context, err);
    for (int64_t i = 0; i < arrays->count && !status; i++) {
        const int64_t n = mplan_psyclone_count(&all[i]);
        for (int64_t k = 0; k < n && all[i].i64; k++)
            mplan_netcdf_put_long(&to, all[i].i64[k]);
        for (int64_t k = 0; k < n && all[i].i32; k++)
            mplan_netcdf_put_int(&to, all[i].i32[k]);
        mplan_netcdf_next(&to);
    }
    if (!status)
        status = mplan_netcdf_finish(&to);
    if (!status) {
        status = mplan_output_commit(output, err);
        output = NULL;
    }
    mplan_output_abort(output);
    mplan_netcdf_forget(&to);
    free(seen);
    return status;
}

/* --- which one ------------------------------------------------------------------------------------- */

/* The plan is proved without a mesh first: what follows uses its tables as indices without a look at them. */
mplan_status mplan_plan_export_psyclone(const mplan_plan *plan, const char *path,
                                        const mplan_psyclone_options *options,
                                        const mplan_context *context, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(path);
    mplan_psyclone_options own = MPLAN_PSYCLONE_OPTIONS_INIT;
    const size_t length = strlen(path);
    mplan_vector arrays = MPLAN_VECTOR_INIT(sizeof(mplan_psyclone_array));
    mplan_status status = mplan_options_take(&own, options, "options of PSyclone's maps", err);
    if (!status)
        status = mplan_plan_verify(plan, NULL, context, err);
    if (!status)
        status = mplan_psyclone_arrays(plan, &own, &arrays, err);
    if (!status)
        status = length > 3 && strcmp(path + length - 3, ".nc") == 0
                     ? write_netcdf(&arrays, path, context, err)
                     : write_folder(plan, &arrays, path, context, err);
    mplan_psyclone_free(&arrays);
    return status;
}
