/* SPDX-License-Identifier: Apache-2.0 */
/* dat_image.c - a dat as loops find it in memory, in an npy file, and back
 *
 * The image is what mplan_exec_adopt takes: places in the stored order (holes zero), components and levels in the dat's
 * layout; of a matrix stored by owner, its rows where the thread that needs one reads it. It is made by an executor on
 * the host, so that there is one description of where numbers are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/apps.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "exec/exec.h"
#include "formats/input.h"
#include "formats/numpy/npy.h"

/* A dat and its image. */
typedef struct dat_image {
    const mplan_exec_dat *dat;
    int64_t members; /* of its set */
    int64_t numbers; /* of the image */
} dat_image;

/* The file must have a row for each member, of all numbers of all levels, or be an image: one dimension. */
static mplan_status check_shape(const mplan_npy_header *header, const dat_image *image,
                                bool inverse, const char *path, mplan_error *err)
{
    const mplan_exec_dat *dat = image->dat;
    const char *type = mplan_npy_descr(dat->type);
    const int64_t row = (int64_t)dat->dim * (dat->levels ? dat->levels : 1);
    if (strcmp(header->descr + 1, type + 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: dat %s is of type %s, but the array of '%s'",
                          path, dat->name, mplan_type_name(dat->type), header->descr);
    if (inverse && (header->ndim != 1 || header->count != image->numbers))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: the image of dat %s has one dimension of %" PRId64 " numbers", path,
                          dat->name, image->numbers);
    if (!inverse && (header->ndim < 1 || header->shape[0] != image->members ||
                     header->count != image->members * row))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: dat %s has %" PRId64 " rows of %" PRId64
                          " numbers, which must be the shape of the array",
                          path, dat->name, image->members, row);
    return MPLAN_OK;
}

/* Reads numbers of the file to `to`, which has room for all that check_shape allows. */
static mplan_status read_numbers(const char *path, const dat_image *image, bool inverse, void *to,
                                 const mplan_context *context, mplan_error *err)
{
    mplan_input_file opened = {0};
    mplan_npy_header header;
    mplan_status status = mplan_input_open(path, &opened, context, err);
    if (status)
        return status;
    status = mplan_npy_parse(&opened.input, &header, err);
    if (!status)
        status = check_shape(&header, image, inverse, path, err);
    if (!status)
        status = mplan_npy_copy(&opened.input, &header, to, err);
    mplan_input_close(&opened);
    return status;
}

/* inverse: rows of members, [levels,] [dim]; else the image. */
static mplan_status write_numbers(const char *path, const dat_image *image, bool inverse,
                                  const void *from, const mplan_context *context, mplan_error *err)
{
    const mplan_exec_dat *dat = image->dat;
    int64_t shape[3] = {image->members}, count = image->members;
    int32_t n = 1;
    if (inverse && dat->levels)
        shape[n++] = dat->levels;
    if (inverse && dat->dim > 1)
        shape[n++] = dat->dim;
    for (int32_t i = 1; i < n; i++)
        count *= shape[i];
    if (!inverse)
        shape[0] = count = image->numbers;
    mplan_output *output = NULL;
    mplan_status status = mplan_output_open(path, context, &output, err);
    if (status)
        return status;
    status = mplan_npy_write_header(output, mplan_npy_descr(dat->type), n, shape, err);
    if (!status)
        status = mplan_output_write(output, from, (size_t)count * mplan_type_size(dat->type), err);
    if (!status)
        return mplan_output_commit(output, err);
    mplan_output_abort(output);
    return status;
}

/* The dat, declared as the plan's loops say. */
static mplan_status find_dat(mplan_exec *exec, const char *name, mplan_error *err)
{
    for (int32_t l = 0; l < exec->plan->n_loops; l++)
        for (int32_t a = 0; a < exec->plan->loops[l].n_args; a++) {
            const mplan_plan_arg *arg = &exec->plan->loops[l].args[a];
            const int32_t set = arg->map >= 0 ? exec->plan->maps[arg->map].to
                                              : exec->plan->loops[l].set;
            if (strcmp(arg->dat, name) != 0)
                continue;
            if (arg->map == MPLAN_MAP_GLOBAL)
                return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is a global, which has no order",
                                  name);
            return mplan_exec_declare(exec, name, mplan_plan_get_set(exec->plan, set)->name,
                                      arg->dim, arg->type, -1, err);
        }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan has no dat '%s'", name);
}

/* Rows in, image out; or the other way. `rows` has room for all members. */
static mplan_status turn(mplan_exec *exec, const dat_image *image, bool inverse, void *rows,
                         const char *in, const char *out, const mplan_context *context,
                         mplan_error *err)
{
    const mplan_exec_dat *dat = image->dat;
    const int64_t n = image->members * (dat->levels ? dat->levels : 1);
    mplan_status status = read_numbers(in, image, inverse, inverse ? dat->data : rows, context, err);
    if (!status && inverse)
        status = mplan_exec_download(exec, dat->name, rows, n, dat->dim, dat->type, err);
    else if (!status)
        status = mplan_exec_upload(exec, dat->name, rows, n, dat->dim, dat->type, err);
    return status ? status
                  : write_numbers(out, image, inverse, inverse ? rows : dat->data, context, err);
}

/* By an executor on the host, whatever device the plan is for: places and layouts are the plan's. out is written
 * whole or not at all. */
mplan_status mplan_app_apply_dat(const mplan_plan *plan, const char *dat, const char *in,
                                 const char *out, bool inverse, const mplan_context *context,
                                 int64_t *numbers, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(plan);
    MPLAN_NEED(dat);
    MPLAN_NEED(in);
    MPLAN_NEED(out);
    MPLAN_NEED(numbers);
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_OPENMP;
    options.threads = context ? context->threads : 0;
    mplan_exec *exec = NULL;
    void *rows = NULL;
    dat_image image = {0};
    mplan_status status = mplan_exec_open(plan, &options, &exec, err);
    if (!status)
        status = find_dat(exec, dat, err);
    if (status)
        goto done;
    image.dat = &exec->dats[mplan_exec_find_dat(exec, dat)];
    image.members = mplan_plan_get_set(plan, image.dat->set)->size;
    image.numbers = image.dat->storage_size * image.dat->dim;
    rows = mplan_alloc(image.members * image.dat->dim * (image.dat->levels ? image.dat->levels : 1),
                       mplan_type_size(image.dat->type), err);
    status = rows ? turn(exec, &image, inverse, rows, in, out, context, err) : MPLAN_ERR_MEMORY;
    *numbers = inverse ? image.members : image.numbers;
done:
    free(rows);
    mplan_exec_close(exec);
    return status;
}
