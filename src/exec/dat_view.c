/* SPDX-License-Identifier: Apache-2.0 */
/* dat_view.c - dats that belong to the caller: views of them, memory of the caller's, and how often
 * they were written
 *
 * Whoever exchanges halos must know which dats have changed. The executor sees its own uploads and
 * launches; what the caller does through a view it says when it asks for the view. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/dat_levels.h"
#include "exec/exec_visit.h"

/* The strides are those that loops use. */
mplan_status mplan_exec_data(mplan_exec *exec, const char *dat, mplan_access access,
                             mplan_dat_view *view, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    MPLAN_NEED(view);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    if (access != MPLAN_READ && access != MPLAN_WRITE && access != MPLAN_RW)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s: data are accessed by read, write or rw, not otherwise", dat);
    mplan_exec_dat *own;
    const int32_t *new_of_old;
    int64_t n;
    mplan_status status = mplan_exec_find_rows(exec, dat, &own, &new_of_old, &n, err);
    if (status)
        return status;
    if (own->stored)
        return mplan_exec_refuse_stored(own, err);
    own->times += own->open; /* what was done through the view before */
    own->open = access != MPLAN_READ;
    own->viewed = true;
    *view = (mplan_dat_view){.data = own->data,
                             .layout = own->layout,
                             .type = own->type,
                             .dim = own->dim,
                             .rows = n,
                             .storage_rows = own->storage_size};
    mplan_exec_strides(own, &view->member_stride, &view->component_stride);
    if (own->levels) {
        if (own->owner)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "dat %s is stored by owner and has no strides", dat);
        view->level_stride = own->level_stride * view->member_stride;
        view->member_stride *= own->column_stride;
    }
    return MPLAN_OK;
}

/* As long as a view is open nobody knows what is written through it: every question has another
 * answer. */
mplan_status mplan_exec_written(mplan_exec *exec, const char *dat, int64_t *times, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    MPLAN_NEED(times);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    int32_t d = mplan_exec_find_dat(exec, dat);
    if (d < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "dat %s is not declared", dat);
    exec->dats[d].times += exec->dats[d].open;
    *times = exec->dats[d].times;
    return MPLAN_OK;
}

/* A launch counts as one change of every dat that it may write: views and halos compare the count with what they saw. */
void mplan_exec_mark_written(mplan_exec_loop *bound)
{
    assert(bound);
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        if (bound->loop->args[a].access != MPLAN_READ)
            bound->exec->dats[bound->dat[a]].times++;
}

/* --- memory of the caller's --------------------------------------------------------------- */

/* It must hold the dat, where the executor keeps dats, at an address that kernels can load
 * 16 bytes from. */
static mplan_status check_memory(const mplan_exec *exec, const mplan_exec_dat *dat,
                                 const void *memory, int64_t bytes, mplan_error *err)
{
    int64_t needed = mplan_exec_dat_bytes(dat);
    if (exec->executor == MPLAN_EXECUTOR_CUDA) /* atomic bytes are exchanged word by word */
        needed = (needed + 3) / 4 * 4;
    if (bytes < needed)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s has %lld places, so that it needs %lld bytes; %lld are given",
                          dat->name, (long long)dat->storage_size, (long long)needed,
                          (long long)bytes);
    if ((uintptr_t)memory % 16 != 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s: the address of its memory must be a multiple of 16", dat->name);
    const bool on_device = exec->executor == MPLAN_EXECUTOR_CUDA && (!exec->visit || dat->set < 0);
    if (on_device && !mplan_gpu_reaches(memory, exec->device))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s: its memory must be of CUDA device %d, or managed", dat->name,
                          (int)exec->device);
    return MPLAN_OK;
}

/* Places without a member are zero: reductions and padded reads rely on it. */
static mplan_status clear_holes(mplan_exec *exec, const mplan_exec_dat *dat, void *memory,
                                mplan_error *err)
{
    const mplan_plan_set *set = mplan_plan_get_set(exec->plan, dat->set);
    if (set->storage_size == set->size)
        return MPLAN_OK;
    const void *table;
    mplan_status status = mplan_exec_table(exec, mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, dat->set),
                                           MPLAN_TYPE_I32, &table, NULL, err);
    if (status)
        return status;
    mplan_exec_dat own = *dat;
    own.data = memory;
    if (mplan_exec_dats_on_device(exec)) {
        mplan_gpu_dat device = mplan_exec_on_device(&own);
        return mplan_gpu_clear_holes(&device, table, err);
    }
    const int32_t *old_of_new = table;
    const size_t size = mplan_type_size(dat->type);
    int64_t member, component;
    mplan_exec_strides(&own, &member, &component);
    for (int64_t p = 0; p < dat->storage_size; p++)
        for (int32_t c = 0; c < dat->dim && old_of_new[p] < 0; c++)
            memset((char *)memory + (size_t)(p * member + c * component) * size, 0, size);
    return MPLAN_OK;
}

/* The dat's memory becomes another; loops that are bound read it from now on, but where only windows of it are looked at. memory may
 * be NULL: launches refuse the dat then. */
static void replace_memory(mplan_exec *exec, int32_t d, void *memory)
{
    mplan_exec_dat *dat = &exec->dats[d];
    if (dat->data && !dat->adopted) {
        mplan_exec_release_dat(exec, dat);
        exec->bytes -= exec->visit && dat->set >= 0 ? 0 : mplan_exec_dat_bytes(dat);
    }
    dat->data = memory;
    dat->adopted = true;
    dat->open = dat->viewed = dat->cleared = false;
    dat->times++;
    if (exec->visit)
        memory = mplan_exec_visit_adopt(exec, d);
    for (mplan_exec_loop *bound = exec->loops; bound; bound = bound->next)
        for (int32_t a = 0; a < bound->loop->n_args; a++)
            if (bound->dat[a] == d) {
                bound->call.arg[a].data = memory;
                bound->host.arg[a].data = memory;
                if (bound->layers)
                    bound->layers->args[a].data = memory;
            }
}

/* A dat that is declared keeps set, dim, type and layout. */
static mplan_status compare_declared(const mplan_exec_dat *own, const mplan_exec_dat *said,
                                     int32_t layout, mplan_error *err)
{
    if (own->set != said->set || own->dim != said->dim || own->type != said->type)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s was declared with another set, dim or type", own->name);
    if (layout >= 0 && own->layout != (mplan_layout)layout)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s was declared with layout %d, which it keeps; not %d", own->name,
                          (int)own->layout, layout);
    return MPLAN_OK;
}

/* As adopt, for a dat that is not declared. */
static mplan_status adopt_new(mplan_exec *exec, mplan_exec_dat *made, void *memory, int64_t bytes,
                              mplan_error *err)
{
    mplan_status status = memory ? check_memory(exec, made, memory, bytes, err) : MPLAN_OK;
    if (!status && memory)
        status = clear_holes(exec, made, memory, err);
    mplan_exec_dat *grown = status ? NULL
                                   : mplan_realloc(exec->dats, exec->n_dats + 1, sizeof *grown, err);
    if (!status && !grown)
        status = MPLAN_ERR_MEMORY;
    if (status)
        return status;
    made->data = memory;
    made->adopted = true;
    made->times = 1;
    exec->dats = grown;
    exec->dats[exec->n_dats++] = *made;
    if (!exec->visit)
        return MPLAN_OK;
    status = mplan_exec_visit_dat(exec, exec->n_dats - 1, err);
    if (status)
        exec->n_dats--;
    else
        mplan_exec_visit_adopt(exec, exec->n_dats - 1);
    return status;
}

/* A dat that is not declared yet is declared, with the caller's memory. One that is must agree
 * in set, dim and type; memory NULL leaves its own in place. Holes are cleared before loops may
 * read the memory. */
mplan_status mplan_exec_adopt(mplan_exec *exec, const char *dat, const char *set, int32_t dim,
                              mplan_type type, int32_t layout, void *memory, int64_t bytes,
                              mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(dat);
    MPLAN_NEED(set);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    int32_t d = mplan_exec_find_dat(exec, dat);
    mplan_status status;
    if (d < 0) {
        mplan_exec_dat made;
        status = mplan_exec_describe(exec, dat, set, dim, type, layout, &made, err);
        if (status)
            return status;
        if (made.levels)
            status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                "dat %s has levels; only flat dats are adopted", dat);
        else
            status = adopt_new(exec, &made, memory, bytes, err);
        if (status) {
            mplan_owner_rows_free(made.owner);
            free(made.name);
        }
        return status;
    }
    const mplan_exec_dat said = {
        .set = mplan_plan_find_set(exec->plan, set), .dim = dim, .type = type};
    status = compare_declared(&exec->dats[d], &said, layout, err);
    if (!status && exec->dats[d].levels)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "dat %s has levels; only flat dats are adopted", dat);
    if (!status)
        status = mplan_exec_use(exec, err);
    if (!status && memory)
        status = check_memory(exec, &exec->dats[d], memory, bytes, err);
    if (!status && memory)
        status = clear_holes(exec, &exec->dats[d], memory, err);
    if (!status)
        replace_memory(exec, d, memory);
    return status;
}
