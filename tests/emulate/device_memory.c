/* SPDX-License-Identifier: Apache-2.0 */
/* device_memory.c - exec/cuda/device.h on memory of the host, for emulated kernels: what loops with layers call of it
 *
 * An upload or launch is done when it returns, a copy of a visit not before its next stage; memory of the "device" is filled with a pattern that no test expects. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "exec/cuda/device.h"
#include "exec/exec_visit.h"

mplan_status mplan_gpu_open(int32_t ordinal, mplan_error *err)
{
    (void)ordinal, (void)err;
    return MPLAN_OK;
}

/* A cache of a few lines, so that slabs of small meshes are run piece by piece (launch.c). */
mplan_status mplan_gpu_limits(int32_t ordinal, int64_t *shared_bytes, int64_t *cache_bytes,
                              int64_t *free_bytes, int64_t *total_bytes, mplan_error *err)
{
    (void)ordinal, (void)err;
    *shared_bytes = 227 * 1024;
    *cache_bytes = 256;
    *free_bytes = *total_bytes = INT64_C(1) << 34;
    return MPLAN_OK;
}

mplan_status mplan_gpu_alloc(int64_t bytes, void **data, mplan_error *err)
{
    *data = malloc((size_t)bytes);
    if (!*data && bytes > 0)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    if (bytes > 0)
        memset(*data, 0x7f, (size_t)bytes);
    return MPLAN_OK;
}

void mplan_gpu_free(void *data)
{
    free(data);
}

mplan_status mplan_gpu_set(void *data, int byte, int64_t bytes, mplan_error *err)
{
    (void)err;
    memset(data, byte, (size_t)bytes);
    return MPLAN_OK;
}

mplan_status mplan_gpu_clear(void *data, int64_t bytes, void *stream, mplan_error *err)
{
    (void)stream;
    return mplan_gpu_set(data, 0, bytes, err);
}

mplan_status mplan_gpu_upload(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    (void)err;
    memcpy(to, from, (size_t)bytes);
    return MPLAN_OK;
}

mplan_status mplan_gpu_download(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    return mplan_gpu_upload(to, from, bytes, err);
}

mplan_status mplan_gpu_upload_all(const mplan_gpu_transfer *list, int64_t n, mplan_error *err)
{
    for (int64_t i = 0; i < n; i++)
        mplan_gpu_upload(list[i].device, list[i].host, list[i].bytes, err);
    return MPLAN_OK;
}

mplan_status mplan_gpu_copy(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    return mplan_gpu_upload(to, from, bytes, err);
}

mplan_status mplan_gpu_wait(mplan_error *err)
{
    (void)err;
    return MPLAN_OK;
}

mplan_status mplan_gpu_status(int code, const char *what, mplan_error *err)
{
    return code ? mplan_fail(err, MPLAN_ERR_DEVICE, "%s: error %d", what, code) : MPLAN_OK;
}

/* Number c of the member at place p. */
static char *number_of(const mplan_gpu_dat *dat, int64_t p, int32_t c)
{
    const int64_t at = dat->layout == MPLAN_LAYOUT_SOA ? c * dat->storage_size + p : p * dat->dim + c;
    return (char *)dat->data + (size_t)at * mplan_type_size(dat->type);
}

mplan_status mplan_gpu_scatter_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                    const void *rows, mplan_error *err)
{
    const size_t size = mplan_type_size(dat->type);
    (void)err;
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < dat->dim; c++)
            memcpy(number_of(dat, new_of_old[i], c),
                   (const char *)rows + (size_t)(i * dat->dim + c) * size, size);
    return MPLAN_OK;
}

mplan_status mplan_gpu_gather_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                   void *rows, mplan_error *err)
{
    const size_t size = mplan_type_size(dat->type);
    (void)err;
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < dat->dim; c++)
            memcpy((char *)rows + (size_t)(i * dat->dim + c) * size,
                   number_of(dat, new_of_old[i], c), size);
    return MPLAN_OK;
}

mplan_status mplan_gpu_fill_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                 int byte, mplan_error *err)
{
    (void)err;
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < dat->dim; c++)
            memset(number_of(dat, new_of_old[i], c), byte, mplan_type_size(dat->type));
    return MPLAN_OK;
}

mplan_status mplan_gpu_clear_holes(const mplan_gpu_dat *dat, const int32_t *old_of_new,
                                   mplan_error *err)
{
    (void)err;
    for (int64_t p = 0; p < dat->storage_size; p++)
        for (int32_t c = 0; c < dat->dim && old_of_new[p] < 0; c++)
            memset(number_of(dat, p, c), 0, mplan_type_size(dat->type));
    return MPLAN_OK;
}

bool mplan_gpu_reaches(const void *memory, int32_t device)
{
    (void)device;
    return memory != NULL;
}

void mplan_gpu_staging_free(void *staging)
{
    free(staging);
}

mplan_status mplan_gpu_set_global(void *to, const void *values, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    (void)stream;
    return mplan_gpu_upload(to, values, bytes, err);
}

/* --- a visit ------------------------------------------------------------------------------ */

/* Windows of the host's, filled with ones. */
mplan_status mplan_gpu_window_make(int32_t device, int64_t bytes, int64_t window, int32_t planes,
                                   void **base, void **handle, mplan_error *err)
{
    int64_t *all = malloc(2 * sizeof *all);
    (void)device;
    if (!all)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    mplan_status status = mplan_host_window_make(bytes, window, planes, base, err);
    if (status) {
        free(all);
        return status;
    }
    for (int32_t p = 0; p < planes; p++)
        memset((char *)*base + p * bytes, 0xff, (size_t)window);
    all[0] = (int64_t)(intptr_t)*base;
    all[1] = bytes * planes;
    *handle = all;
    return MPLAN_OK;
}

void mplan_gpu_window_free(void *handle)
{
    const int64_t *all = handle;
    mplan_host_window_free((void *)(intptr_t)all[0], all[1]);
    free(handle);
}

mplan_status mplan_gpu_host_alloc(int64_t bytes, void **data, mplan_error *err)
{
    return mplan_gpu_alloc(bytes > 0 ? bytes : 16, data, err);
}

void mplan_gpu_host_free(void *data)
{
    free(data);
}

bool mplan_gpu_host_register(const void *data, int64_t bytes)
{
    (void)data, (void)bytes;
    return true;
}

void mplan_gpu_host_unregister(const void *data)
{
    (void)data;
}

/* Copies wait as long as they may: until the next stage begins, when what was launched meanwhile has run, or until a mark behind them
 * is reached. */
typedef struct late_copy {
    void *to, *from;
    int64_t bytes;
} late_copy;
typedef struct late_pipe {
    late_copy *copy;
    int64_t n, room;
    int64_t done; /* copies in all */
} late_pipe;
typedef struct late_mark {
    late_pipe *pipe;
    int64_t behind; /* so many copies */
} late_mark;

static mplan_status copy_all(late_pipe *pipe)
{
    for (int64_t i = 0; i < pipe->n; i++)
        memcpy(pipe->copy[i].to, pipe->copy[i].from, (size_t)pipe->copy[i].bytes);
    pipe->done += pipe->n;
    pipe->n = 0;
    return MPLAN_OK;
}

mplan_status mplan_gpu_pipe_make(void **pipe, mplan_error *err)
{
    *pipe = calloc(1, sizeof(late_pipe));
    return *pipe ? MPLAN_OK : mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
}

void mplan_gpu_pipe_free(void *pipe)
{
    free(((late_pipe *)pipe)->copy);
    free(pipe);
}

mplan_status mplan_gpu_pipe_stage(void *pipe, mplan_error *err)
{
    (void)err;
    return copy_all(pipe);
}

void *mplan_gpu_pipe_stream(void *pipe)
{
    (void)pipe;
    return NULL;
}

mplan_status mplan_gpu_pipe_later(void *pipe, void **stream, mplan_error *err)
{
    (void)pipe, (void)err;
    *stream = NULL;
    return MPLAN_OK;
}

mplan_status mplan_gpu_pipe_copy(void *pipe, bool in, void *device, void *host, int64_t bytes,
                                 mplan_error *err)
{
    late_pipe *own = pipe;
    if (own->n == own->room) {
        const int64_t room = 2 * own->room + 64;
        late_copy *grown = realloc(own->copy, (size_t)room * sizeof *grown);
        if (!grown)
            return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
        own->copy = grown;
        own->room = room;
    }
    own->copy[own->n++] = in ? (late_copy){device, host, bytes} : (late_copy){host, device, bytes};
    return MPLAN_OK;
}

mplan_status mplan_gpu_pipe_wait(void *pipe, mplan_error *err)
{
    (void)err;
    return copy_all(pipe);
}

mplan_status mplan_gpu_pipe_mark(void *pipe, bool in, void **mark, mplan_error *err)
{
    late_mark *own = *mark ? *mark : malloc(sizeof *own);
    (void)in;
    if (!own)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    own->pipe = pipe;
    own->behind = own->pipe->done + own->pipe->n;
    *mark = own;
    return MPLAN_OK;
}

mplan_status mplan_gpu_pipe_reach(void *mark, mplan_error *err)
{
    const late_mark *own = mark;
    (void)err;
    return own->pipe->done < own->behind ? copy_all(own->pipe) : MPLAN_OK;
}

mplan_status mplan_gpu_pipe_reached(void *mark, bool *reached, mplan_error *err)
{
    const late_mark *own = mark;
    (void)err;
    *reached = own->pipe->done >= own->behind;
    return MPLAN_OK;
}

void mplan_gpu_pipe_unmark(void *mark)
{
    free(mark);
}

/* What no loop with layers calls. */
static mplan_status not_emulated(mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "not emulated");
}

mplan_status mplan_gpu_upload_rows(void **staging, const mplan_gpu_dat *dat,
                                   const int32_t *new_of_old, const mplan_row_choice *choice,
                                   const void *rows, void *stream, mplan_error *err)
{
    (void)staging, (void)dat, (void)new_of_old, (void)choice, (void)rows, (void)stream;
    return not_emulated(err);
}

mplan_status mplan_gpu_download_rows(void **staging, const mplan_gpu_dat *dat,
                                     const int32_t *new_of_old, const mplan_row_choice *choice,
                                     void *rows, void *stream, mplan_error *err)
{
    (void)staging, (void)dat, (void)new_of_old, (void)choice, (void)rows, (void)stream;
    return not_emulated(err);
}

mplan_status mplan_gpu_reduce(const mplan_gpu_dat *dat, int64_t n, const int32_t *old_of_new,
                              int32_t component, mplan_reduction reduction, double *result,
                              mplan_error *err)
{
    (void)dat, (void)n, (void)old_of_new, (void)component, (void)reduction, (void)result;
    return not_emulated(err);
}

mplan_status mplan_gpu_combine_global(const mplan_gpu_global *global, void *stream, mplan_error *err)
{
    (void)global, (void)stream;
    return not_emulated(err);
}

mplan_status mplan_gpu_clear_global(mplan_type type, mplan_access access, void *leaves, int64_t n,
                                    mplan_error *err)
{
    (void)type, (void)access, (void)leaves, (void)n;
    return not_emulated(err);
}

mplan_status mplan_gpu_capture(mplan_status (*record)(void *user, void *stream, mplan_error *err),
                               void *user, void **graph, mplan_error *err)
{
    (void)record, (void)user, (void)graph;
    return not_emulated(err);
}

mplan_status mplan_gpu_replay(void *graph, void *stream, mplan_error *err)
{
    (void)graph, (void)stream;
    return not_emulated(err);
}

void mplan_gpu_graph_free(void *graph)
{
    (void)graph;
}

mplan_status mplan_gpu_time(void *graph, int32_t times, double *milliseconds, mplan_error *err)
{
    (void)graph, (void)times, (void)milliseconds;
    return not_emulated(err);
}
