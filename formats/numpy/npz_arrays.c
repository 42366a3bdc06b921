/* SPDX-License-Identifier: Apache-2.0 */
/* npz_arrays.c - members of an archive of NumPy's by their names */
#include "formats/numpy/npz_arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "formats/numpy/npy.h"
#include "formats/numpy/zip.h"

enum { MOST_NAME = 190 /* of a member that the reader of meshes takes, but for its endings */ };

/* Header, then data. */
mplan_status mplan_npz_put(mplan_zip_out *zip, const char *name, const char *ending, mplan_type type,
                           int64_t rows, int64_t cols, const void *data, mplan_error *err)
{
    char member[MOST_NAME + 32], head[MPLAN_NPY_HEADER];
    const int64_t shape[2] = {rows, cols};
    if (strlen(name) > MOST_NAME || strchr(name, '/'))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "'%.200s' cannot be a name in a .npz file",
                          name);
    snprintf(member, sizeof member, "%s%s.npy", name, ending);
    size_t n = mplan_npy_make_header(head, mplan_npy_descr(type), cols > 0 ? 2 : 1, shape);
    return mplan_zip_add(zip, member, head, n, data,
                         (size_t)(rows * (cols > 0 ? cols : 1)) * mplan_type_size(type), err);
}

/* What all members inflate to is known before the first is read. */
mplan_status mplan_npz_open(const char *path, mplan_npz_file *npz, const mplan_context *context,
                            mplan_error *err)
{
    npz->context = context;
    npz->members = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(mplan_zip_member));
    mplan_status status = mplan_input_open(path, &npz->opened, context, err);
    if (status)
        return status;
    const mplan_input *input = &npz->opened.input;
    if (!mplan_zip_recognise(input->data, input->size))
        status = mplan_fail(err, MPLAN_ERR_FORMAT, "%s: not an archive of NumPy's (.npz)", path);
    if (!status)
        status = mplan_zip_list(input, &npz->members, err);
    const mplan_zip_member *members = npz->members.data;
    uint64_t total = 0;
    for (int64_t i = 0; i < npz->members.count && !status; i++)
        total += members[i].method ? (uint64_t)members[i].size : 0;
    if (!status)
        status = mplan_limit_inflated(context, path, total, err);
    if (status)
        mplan_npz_close(npz);
    return status;
}

void mplan_npz_close(mplan_npz_file *npz)
{
    free(npz->members.data);
    npz->members.data = NULL;
    npz->members.count = 0;
    mplan_input_close(&npz->opened);
}

/* NULL: the archive has no NAME.npy. */
static const mplan_zip_member *find(const mplan_npz_file *npz, const char *name)
{
    const mplan_zip_member *members = npz->members.data;
    const size_t n = strlen(name);
    for (int64_t i = 0; i < npz->members.count; i++)
        if (members[i].length == n + 4 && memcmp(members[i].name, name, n) == 0 &&
            memcmp(members[i].name + n, ".npy", 4) == 0)
            return &members[i];
    return NULL;
}

/* Numbers of the type that was asked for, in the shape that was; their rows. */
static mplan_status take(const mplan_input *input, mplan_type type, int64_t cols, int64_t *rows,
                         void **data, mplan_error *err)
{
    mplan_npy_header header;
    mplan_status status = mplan_npy_parse(input, &header, err);
    if (status)
        return status;
    const bool fits = header.ndim == (cols > 0 ? 2 : 1) && (cols == 0 || header.shape[1] == cols);
    if (strcmp(header.descr, mplan_npy_descr(type)) != 0 || !fits)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: the array is not %s in %s", input->path,
                          mplan_npy_descr(type),
                          cols > 0 ? "rows of the right length" : "one dimension");
    void *made = mplan_alloc(header.count, mplan_type_size(type), err);
    status = made ? mplan_npy_copy(input, &header, made, err) : MPLAN_ERR_MEMORY;
    if (status) {
        free(made);
        return status;
    }
    *rows = header.shape[0];
    *data = made;
    return MPLAN_OK;
}

mplan_status mplan_npz_take(const mplan_npz_file *npz, const char *name, mplan_type type,
                            int64_t cols, int64_t *rows, void **data, mplan_error *err)
{
    char path[4400];
    const mplan_input *archive = &npz->opened.input;
    const mplan_zip_member *member = find(npz, name);
    mplan_input input = {path, NULL, 0, NULL};
    uint8_t *owned = NULL;
    if (!member)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: the archive has no %s.npy", archive->path,
                          name);
    snprintf(path, sizeof path, "%.4096s: %.200s.npy", archive->path, name);
    input.size = (size_t)member->size;
    mplan_status status = mplan_zip_member_data(archive, member, &input.data, &owned, npz->context,
                                                err);
    if (!status)
        status = take(&input, type, cols, rows, data, err);
    free(owned);
    return status;
}
