/* SPDX-License-Identifier: Apache-2.0 */
/* chosen_rows.c - copies of some members of a dat: a range, or those of a list */
#include <string.h>

#include "base/error.h"
#include "exec/exec.h"

/* Members that do not exist are refused before a byte moves. n: members of the dat's set. */
static mplan_status check_choice(const mplan_exec_dat *dat, int64_t n, const mplan_row_choice *rows,
                                 mplan_error *err)
{
    if (rows->n < 0 || (!rows->list && (rows->first < 0 || rows->n > n || rows->first > n - rows->n)))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s has members 0 to %lld; %lld from member %lld are asked for",
                          dat->name, (long long)(n - 1), (long long)rows->n, (long long)rows->first);
    if (rows->list && rows->first != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s: a choice of rows has a list or a first member, not both",
                          dat->name);
    for (int64_t i = 0; rows->list && i < rows->n; i++)
        if (rows->list[i] < 0 || rows->list[i] >= n)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "dat %s has members 0 to %lld; place %lld of the list is %d",
                              dat->name, (long long)(n - 1), (long long)i, (int)rows->list[i]);
    return MPLAN_OK;
}

/* Row i is that of the choice's member i. */
static void copy_choice(const mplan_exec_dat *dat, const int32_t *new_of_old,
                        const mplan_row_choice *choice, const char *in, char *out)
{
    const size_t size = mplan_type_size(dat->type);
    int64_t member, component;
    mplan_exec_strides(dat, &member, &component);
    for (int64_t i = 0; i < choice->n; i++) {
        int64_t place = new_of_old[choice->list ? choice->list[i] : choice->first + i];
        for (int32_t c = 0; c < dat->dim; c++) {
            char *own = (char *)dat->data + (size_t)(place * member + c * component) * size;
            size_t at = (size_t)(i * dat->dim + c) * size;
            if (in)
                memcpy(own, in + at, size);
            else
                memcpy(out + at, own, size);
        }
    }
}

/* What the caller says of its rows. */
typedef struct said {
    int32_t dim;
    mplan_type type;
} said;

/* One of `in`, `out` is NULL. */
static mplan_status move_choice(mplan_exec *exec, const char *dat, const mplan_row_choice *choice,
                                const void *in, void *out, said rows, void *stream, mplan_error *err)
{
    mplan_exec_dat *own;
    const int32_t *new_of_old;
    int64_t n;
    mplan_status status = mplan_exec_find_rows(exec, dat, &own, &new_of_old, &n, err);
    if (!status && own->stored)
        status = mplan_exec_refuse_stored(own, err);
    if (!status && own->levels)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "dat %s has levels and is copied as a whole", dat);
    if (!status && own->set < 0)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "dat %s is a global, which is copied as a whole", dat);
    if (!status)
        status = mplan_exec_compare_numbers(own, rows.dim, rows.type, err);
    if (!status)
        status = check_choice(own, n, choice, err);
    if (!status && choice->n > 0 && !in && !out)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s: rows must not be NULL", dat);
    if (status || choice->n == 0)
        return status;
    own->times += in != NULL;
    if (!mplan_exec_dats_on_device(exec)) {
        copy_choice(own, new_of_old, choice, in, out);
        return MPLAN_OK;
    }
    mplan_gpu_dat device = mplan_exec_on_device(own);
    return in ? mplan_gpu_upload_rows(&exec->staging, &device, new_of_old, choice, in, stream, err)
              : mplan_gpu_download_rows(&exec->staging, &device, new_of_old, choice, out, stream,
                                        err);
}

/* Rows of chosen members only, in the order of the choice; executors of parts have mplan_exec_upload_own instead. */
mplan_status mplan_exec_upload_rows(mplan_exec *exec, const char *dat,
                                    const mplan_row_choice *choice, const void *rows, int32_t dim,
                                    mplan_type type, void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    MPLAN_NEED(choice);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    return move_choice(exec, dat, choice, rows, NULL, (said){dim, type}, stream, err);
}

/* Likewise; on a device rows are there when the stream has come to the copy. */
mplan_status mplan_exec_download_rows(mplan_exec *exec, const char *dat,
                                      const mplan_row_choice *choice, void *rows, int32_t dim,
                                      mplan_type type, void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    MPLAN_NEED(choice);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    return move_choice(exec, dat, choice, NULL, rows, (said){dim, type}, stream, err);
}
