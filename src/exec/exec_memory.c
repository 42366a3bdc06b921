/* SPDX-License-Identifier: Apache-2.0 */
/* exec_memory.c - memory where an executor computes, and its copies of the plan's arrays */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec_visit.h"

/* CUDA has a current device for each thread of the host: every call that allocates, copies or launches begins with
 * this. */
mplan_status mplan_exec_use(const mplan_exec *exec, mplan_error *err)
{
    assert(exec);
    return exec->executor == MPLAN_EXECUTOR_CUDA ? mplan_gpu_open(exec->device, err) : MPLAN_OK;
}

/* Host or device memory, by executor, which exec->bytes counts. size > 0. Nothing is set after a
 * failure. */
mplan_status mplan_exec_allocate(mplan_exec *exec, int64_t count, size_t size, void **data,
                                 mplan_error *err)
{
    assert(exec && count >= 0 && size > 0 && data);
    mplan_status status = MPLAN_OK;
    if (count < 0 || (uint64_t)count > (uint64_t)INT64_MAX / size)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (asked for %lld x %zu bytes)",
                          (long long)count, size);
    int64_t bytes = count * (int64_t)size;
    void *made = NULL;
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        status = mplan_gpu_alloc((bytes + 3) / 4 * 4, &made, err); /* whole words, for atomic bytes */
    else if (!(made = mplan_alloc_aligned(count, size, err)))
        status = MPLAN_ERR_MEMORY;
    if (status)
        return status;
    exec->bytes += bytes;
    *data = made;
    return MPLAN_OK;
}

/* data may be NULL. */
void mplan_exec_release(const mplan_exec *exec, void *data)
{
    assert(exec);
    if (exec->executor == MPLAN_EXECUTOR_CUDA)
        mplan_gpu_free(data);
    else
        free(data);
}

/* The array on the device; kept until the executor is closed. */
static mplan_status copy_array(mplan_exec *exec, const mplan_array *array, void **copy,
                               mplan_error *err)
{
    int64_t count = array->rows * array->cols;
    size_t size = mplan_type_size(array->type);
    mplan_exec_copy *grown = mplan_realloc(exec->copies, exec->n_copies + 1, sizeof *grown, err);
    if (!grown)
        return MPLAN_ERR_MEMORY;
    exec->copies = grown;
    void *data = NULL;
    mplan_status status = mplan_exec_allocate(exec, count, size, &data, err);
    if (status)
        return status;
    if (count > 0)
        status = mplan_gpu_upload(data, array->data, count * (int64_t)size, err);
    if (status) {
        mplan_gpu_free(data);
        return status;
    }
    exec->copies[exec->n_copies++] = (mplan_exec_copy){array->key, data};
    *copy = data;
    return MPLAN_OK;
}

/* The array must be there and of that type, else the plan is damaged: shapes were compared when the plan was read. */
static mplan_status find_array(const mplan_exec *exec, const mplan_key *key, mplan_type type,
                               const mplan_array **array, mplan_error *err)
{
    *array = mplan_plan_find_array(exec->plan, key);
    if (*array && (*array)->type == type)
        return MPLAN_OK;
    const char *name = mplan_kind_name(key->kind);
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "the plan lacks the table %s of %s",
                      name ? name : "?", mplan_type_name(type));
}

/* The plan's own array on the host, or its copy on the device, made at first use and shared by all loops. */
mplan_status mplan_exec_table_there(mplan_exec *exec, mplan_key key, mplan_type type,
                                    const void **data, mplan_error *err)
{
    assert(exec && data);
    const mplan_array *array;
    mplan_status status = find_array(exec, &key, type, &array, err);
    if (status)
        return status;
    const void *window = mplan_exec_visit_array(exec, &key);
    if (window || exec->executor != MPLAN_EXECUTOR_CUDA) {
        *data = window ? window : array->data;
        return MPLAN_OK;
    }
    for (int32_t c = 0; c < exec->n_copies; c++)
        if (mplan_key_compare(&exec->copies[c].key, &key) == 0) {
            *data = exec->copies[c].data;
            return MPLAN_OK;
        }
    void *copy;
    status = copy_array(exec, array, &copy, err);
    if (!status)
        *data = copy;
    return status;
}

/* With limited device memory orders stay on the host, which copies rows of its store by them. *rows may be NULL. */
mplan_status mplan_exec_table(mplan_exec *exec, mplan_key key, mplan_type type, const void **data,
                              int64_t *rows, mplan_error *err)
{
    assert(exec && data);
    const mplan_array *array;
    mplan_status status = find_array(exec, &key, type, &array, err);
    if (status)
        return status;
    if (rows)
        *rows = array->rows;
    const bool order = key.kind == MPLAN_KIND_NEW_OF_OLD || key.kind == MPLAN_KIND_OLD_OF_NEW;
    if (!exec->visit || !order)
        return mplan_exec_table_there(exec, key, type, data, err);
    *data = array->data;
    return MPLAN_OK;
}
