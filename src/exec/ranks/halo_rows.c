/* SPDX-License-Identifier: Apache-2.0 */
/* halo_rows.c - members of a dat into a message and out of one */
#include "exec/ranks/halo_rows.h"

#include <assert.h>
#include <string.h>

#include "exec/cuda/device_halo.h"

/* One number of a member; the size is a constant where this is called. */
static inline void move_numbers(const mplan_exec_dat *dat, int64_t place, char *row, bool in,
                                size_t size)
{
    int64_t member, component;
    mplan_exec_strides(dat, &member, &component);
    for (int32_t c = 0; c < dat->dim; c++) {
        char *own = (char *)dat->data + (size_t)(place * member + c * component) * size;
        memcpy(in ? own : row + (size_t)c * size, in ? row + (size_t)c * size : own, size);
    }
}

/* Member `place` from a row (in) or into it. */
static void move_member(const mplan_exec_dat *dat, int64_t place, char *row, bool in)
{
    switch (mplan_type_size(dat->type)) {
    case 1: move_numbers(dat, place, row, in, 1); break;
    case 2: move_numbers(dat, place, row, in, 2); break;
    case 4: move_numbers(dat, place, row, in, 4); break;
    default: move_numbers(dat, place, row, in, 8); break;
    }
}

/* Place of row k: the execute halo comes first. */
static int64_t place_of(const mplan_part_import *in, int64_t k)
{
    const int64_t n = in->execute[1] - in->execute[0];
    return k < n ? in->execute[0] + k : in->read[0] + k - n;
}

static int64_t rows_of(const mplan_part_import *in)
{
    return in->execute[1] - in->execute[0] + in->read[1] - in->read[0];
}

/* Both ranges, as a device takes them. */
static mplan_gpu_ranges ranges_of(const mplan_part_import *in)
{
    return (mplan_gpu_ranges){in->execute[0], in->execute[1] - in->execute[0], in->read[0],
                              in->read[1] - in->read[0]};
}

static int64_t member_bytes(const mplan_exec_dat *dat)
{
    return dat->dim * (int64_t)mplan_type_size(dat->type);
}

/* The list, which is of an array of the plan, where the executor reads it. */
static mplan_status list_on_device(mplan_exec *exec, int32_t set, const int32_t *list,
                                   const int32_t **copy, mplan_error *err)
{
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_EXPORT_INDEX, set);
    const int32_t *own = mplan_plan_data(exec->plan, key, MPLAN_TYPE_I32, NULL);
    const void *table = NULL;
    mplan_status status = mplan_exec_table(exec, key, MPLAN_TYPE_I32, &table, NULL, err);
    *copy = status ? NULL : (const int32_t *)table + (list - own);
    return status;
}

mplan_status mplan_halo_pack(mplan_exec *exec, const mplan_exec_dat *dat, const int32_t *list,
                             int64_t n, void *buffer, void *stream, mplan_error *err)
{
    assert(exec && dat && list && buffer);
    if (exec->executor == MPLAN_EXECUTOR_CUDA) {
        const mplan_gpu_dat device = mplan_exec_on_device(dat);
        const int32_t *copy = NULL;
        mplan_status status = mplan_exec_use(exec, err);
        if (!status)
            status = list_on_device(exec, dat->set, list, &copy, err);
        return status ? status : mplan_gpu_halo_pack(&device, copy, n, buffer, stream, err);
    }
    for (int64_t k = 0; k < n; k++)
        move_member(dat, list[k], (char *)buffer + k * member_bytes(dat), false);
    return MPLAN_OK;
}

mplan_status mplan_halo_unpack(mplan_exec *exec, const mplan_exec_dat *dat,
                               const mplan_part_import *in, const void *buffer, void *stream,
                               mplan_error *err)
{
    assert(exec && dat && in && buffer);
    if (exec->executor == MPLAN_EXECUTOR_CUDA) {
        const mplan_gpu_dat device = mplan_exec_on_device(dat);
        const mplan_gpu_ranges to = ranges_of(in);
        return mplan_gpu_halo_unpack(&device, &to, buffer, stream, err);
    }
    char *rows = (char *)(uintptr_t)buffer; /* only read */
    for (int64_t k = 0; k < rows_of(in); k++)
        move_member(dat, place_of(in, k), rows + k * member_bytes(dat), true);
    return MPLAN_OK;
}

mplan_status mplan_halo_copy(mplan_exec *owner, const mplan_exec_dat *to,
                             const mplan_part_import *in, const mplan_exec_dat *from,
                             const int32_t *list, void *stream, mplan_error *err)
{
    assert(owner && to && in && from && list);
    if (owner->executor == MPLAN_EXECUTOR_CUDA) {
        const mplan_gpu_dat to_device = mplan_exec_on_device(to),
                            from_device = mplan_exec_on_device(from);
        const mplan_gpu_ranges ranges = ranges_of(in);
        const int32_t *copy = NULL;
        mplan_status status = mplan_exec_use(owner, err);
        if (!status)
            status = list_on_device(owner, from->set, list, &copy, err);
        return status ? status
                      : mplan_gpu_halo_copy(&to_device, &ranges, &from_device, copy, stream, err);
    }
    const size_t size = mplan_type_size(to->type);
    int64_t to_member, to_component, from_member, from_component;
    mplan_exec_strides(to, &to_member, &to_component);
    mplan_exec_strides(from, &from_member, &from_component);
    for (int64_t k = 0; k < rows_of(in); k++)
        for (int32_t c = 0; c < to->dim; c++)
            memcpy((char *)to->data + (size_t)(place_of(in, k) * to_member + c * to_component) * size,
                   (const char *)from->data +
                       (size_t)(list[k] * from_member + c * from_component) * size,
                   size);
    return MPLAN_OK;
}

void mplan_halo_poison(const mplan_exec_dat *dat, int64_t owned)
{
    assert(dat);
    int64_t member, component;
    const size_t size = mplan_type_size(dat->type);
    mplan_exec_strides(dat, &member, &component);
    for (int64_t p = owned; p < dat->storage_size; p++)
        for (int32_t c = 0; c < dat->dim; c++)
            memset((char *)dat->data + (size_t)(p * member + c * component) * size, 0xff, size);
}
