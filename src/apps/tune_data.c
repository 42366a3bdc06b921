/* SPDX-License-Identifier: Apache-2.0 */
/* tune_data.c - the dats of a loop to tune, from .npy files of the user's */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apps/tune.h"
#include "base/error.h"
#include "base/memory.h"
#include "formats/input.h"
#include "formats/numpy/npy.h"

/* Rows of dim numbers of the dat's type: shape (members, dim), or (members) where dim is 1; of a global (dim). */
static mplan_status check_shape(const mplan_npy_header *header, const mplan_app_dat *dat,
                                const char *path, mplan_error *err)
{
    const char *type = mplan_npy_descr(dat->type);
    const bool global = dat->set == MPLAN_APP_GLOBAL;
    const bool flat = header->ndim == 1 && header->count == dat->members * dat->dim &&
                      (global || dat->dim == 1);
    const bool rows = header->ndim == 2 && header->shape[0] == dat->members &&
                      header->shape[1] == dat->dim;
    if (!flat && !rows)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: dat %s has %" PRId64
                          " rows of %d, which must be the shape of the array",
                          path, dat->name, dat->members, (int)dat->dim);
    if (strcmp(header->descr + 1, type + 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "%s: dat %s is of type %s, but the array of '%s'",
                          path, dat->name, mplan_type_name(dat->type), header->descr);
    return MPLAN_OK;
}

/* One dat from its file, which is there. */
static mplan_status read_dat(const char *path, const mplan_context *context, mplan_app_dat *dat,
                             mplan_error *err)
{
    mplan_input_file opened = {0};
    mplan_npy_header header;
    mplan_status status = mplan_input_open(path, &opened, context, err);
    if (status)
        return status;
    status = mplan_npy_parse(&opened.input, &header, err);
    if (!status)
        status = check_shape(&header, dat, path, err);
    if (!status)
        status = mplan_npy_copy(&opened.input, &header, dat->rows, err);
    mplan_input_close(&opened);
    return status;
}

/* A file DAT.npy that is there must fit; one that is not there leaves the rows as they are. Names with a slash are
 * never looked for: they would lead out of the folder. */
mplan_status mplan_tune_read_data(const char *folder, const mplan_context *context,
                                  mplan_app_data *data, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (access(folder, R_OK | X_OK))
        return mplan_fail(err, MPLAN_ERR_NO_INPUT, "%s: the folder cannot be read", folder);
    for (int32_t i = 0; i < data->n && !status; i++) {
        mplan_app_dat *dat = &data->dat[i];
        const size_t size = strlen(folder) + strlen(dat->name) + sizeof "/.npy";
        char *path = mplan_alloc((int64_t)size, 1, err);
        if (!path)
            return MPLAN_ERR_MEMORY;
        snprintf(path, size, "%s/%s.npy", folder, dat->name);
        if (!strchr(dat->name, '/') && !access(path, F_OK))
            status = read_dat(path, context, dat, err);
        free(path);
    }
    return status;
}
