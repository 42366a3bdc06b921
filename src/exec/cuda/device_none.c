/* SPDX-License-Identifier: Apache-2.0 */
/* device_none.c - the device of builds without CUDA: there is none */
#ifndef MPLAN_HAVE_CUDA

#include "base/error.h"
#include "exec/cuda/device.h"
#include "exec/cuda/device_halo.h"

/* What the calls of this file return that have a status, but for frees and closes, which do nothing; arguments are
 * not looked at. */
static mplan_status no_cuda(mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "this build of meshplan has no CUDA; cmake -DMPLAN_WITH_CUDA=ON builds one that has, with nvcc");
}

mplan_status mplan_gpu_open(int32_t ordinal, mplan_error *err)
{
    (void)ordinal;
    return no_cuda(err);
}

mplan_status mplan_gpu_limits(int32_t ordinal, int64_t *shared_bytes, int64_t *cache_bytes,
                              int64_t *free_bytes, int64_t *total_bytes, mplan_error *err)
{
    (void)ordinal, (void)shared_bytes, (void)cache_bytes, (void)free_bytes, (void)total_bytes;
    return no_cuda(err);
}

mplan_status mplan_gpu_alloc(int64_t bytes, void **data, mplan_error *err)
{
    (void)bytes, (void)data;
    return no_cuda(err);
}

void mplan_gpu_free(void *data)
{
    (void)data;
}

mplan_status mplan_gpu_set(void *data, int byte, int64_t bytes, mplan_error *err)
{
    (void)data, (void)byte, (void)bytes;
    return no_cuda(err);
}

mplan_status mplan_gpu_clear(void *data, int64_t bytes, void *stream, mplan_error *err)
{
    (void)data, (void)bytes, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_upload(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    (void)to, (void)from, (void)bytes;
    return no_cuda(err);
}

mplan_status mplan_gpu_download(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    (void)to, (void)from, (void)bytes;
    return no_cuda(err);
}

mplan_status mplan_gpu_upload_all(const mplan_gpu_transfer *list, int64_t n, mplan_error *err)
{
    (void)list, (void)n;
    return no_cuda(err);
}

mplan_status mplan_gpu_copy(void *to, const void *from, int64_t bytes, mplan_error *err)
{
    (void)to, (void)from, (void)bytes;
    return no_cuda(err);
}

mplan_status mplan_gpu_wait(mplan_error *err)
{
    return no_cuda(err);
}

mplan_status mplan_gpu_status(int code, const char *what, mplan_error *err)
{
    (void)code, (void)what;
    return no_cuda(err);
}

mplan_status mplan_gpu_scatter_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                    const void *rows, mplan_error *err)
{
    (void)dat, (void)new_of_old, (void)n, (void)rows;
    return no_cuda(err);
}

mplan_status mplan_gpu_gather_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                   void *rows, mplan_error *err)
{
    (void)dat, (void)new_of_old, (void)n, (void)rows;
    return no_cuda(err);
}

mplan_status mplan_gpu_fill_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                 int byte, mplan_error *err)
{
    (void)dat, (void)new_of_old, (void)n, (void)byte;
    return no_cuda(err);
}

mplan_status mplan_gpu_clear_holes(const mplan_gpu_dat *dat, const int32_t *old_of_new,
                                   mplan_error *err)
{
    (void)dat, (void)old_of_new;
    return no_cuda(err);
}

bool mplan_gpu_reaches(const void *memory, int32_t device)
{
    (void)memory, (void)device;
    return false;
}

mplan_status mplan_gpu_upload_rows(void **staging, const mplan_gpu_dat *dat,
                                   const int32_t *new_of_old, const mplan_row_choice *choice,
                                   const void *rows, void *stream, mplan_error *err)
{
    (void)staging, (void)dat, (void)new_of_old, (void)choice, (void)rows, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_download_rows(void **staging, const mplan_gpu_dat *dat,
                                     const int32_t *new_of_old, const mplan_row_choice *choice,
                                     void *rows, void *stream, mplan_error *err)
{
    (void)staging, (void)dat, (void)new_of_old, (void)choice, (void)rows, (void)stream;
    return no_cuda(err);
}

void mplan_gpu_staging_free(void *staging)
{
    (void)staging;
}

mplan_status mplan_gpu_reduce(const mplan_gpu_dat *dat, int64_t n, const int32_t *old_of_new,
                              int32_t component, mplan_reduction reduction, double *result,
                              mplan_error *err)
{
    (void)dat, (void)n, (void)old_of_new, (void)component, (void)reduction, (void)result;
    return no_cuda(err);
}

mplan_status mplan_gpu_combine_global(const mplan_gpu_global *global, void *stream, mplan_error *err)
{
    (void)global, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_clear_global(mplan_type type, mplan_access access, void *leaves, int64_t n,
                                    mplan_error *err)
{
    (void)type, (void)access, (void)leaves, (void)n;
    return no_cuda(err);
}

mplan_status mplan_gpu_set_global(void *to, const void *values, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    (void)to, (void)values, (void)bytes, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_window_make(int32_t device, int64_t bytes, int64_t window, int32_t planes,
                                   void **base, void **handle, mplan_error *err)
{
    (void)device, (void)bytes, (void)window, (void)planes, (void)base, (void)handle;
    return no_cuda(err);
}

void mplan_gpu_window_free(void *handle)
{
    (void)handle;
}

mplan_status mplan_gpu_host_alloc(int64_t bytes, void **data, mplan_error *err)
{
    (void)bytes, (void)data;
    return no_cuda(err);
}

void mplan_gpu_host_free(void *data)
{
    (void)data;
}

bool mplan_gpu_host_register(const void *data, int64_t bytes)
{
    (void)data, (void)bytes;
    return false;
}

void mplan_gpu_host_unregister(const void *data)
{
    (void)data;
}

mplan_status mplan_gpu_pipe_make(void **pipe, mplan_error *err)
{
    (void)pipe;
    return no_cuda(err);
}

void mplan_gpu_pipe_free(void *pipe)
{
    (void)pipe;
}

mplan_status mplan_gpu_pipe_stage(void *pipe, mplan_error *err)
{
    (void)pipe;
    return no_cuda(err);
}

void *mplan_gpu_pipe_stream(void *pipe)
{
    (void)pipe;
    return NULL;
}

mplan_status mplan_gpu_pipe_later(void *pipe, void **stream, mplan_error *err)
{
    (void)pipe, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_pipe_copy(void *pipe, bool in, void *device, void *host, int64_t bytes,
                                 mplan_error *err)
{
    (void)pipe, (void)in, (void)device, (void)host, (void)bytes;
    return no_cuda(err);
}

mplan_status mplan_gpu_pipe_wait(void *pipe, mplan_error *err)
{
    (void)pipe;
    return no_cuda(err);
}

mplan_status mplan_gpu_capture(mplan_status (*record)(void *user, void *stream, mplan_error *err),
                               void *user, void **graph, mplan_error *err)
{
    (void)record, (void)user, (void)graph;
    return no_cuda(err);
}

mplan_status mplan_gpu_capture_begin(void *stream, mplan_error *err)
{
    (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_capture_end(void *stream, void **captured, mplan_error *err)
{
    (void)stream, (void)captured;
    return no_cuda(err);
}

mplan_status mplan_gpu_graph_make(void *captured, void **graph, mplan_error *err)
{
    (void)captured, (void)graph;
    return no_cuda(err);
}

mplan_status mplan_gpu_replay(void *graph, void *stream, mplan_error *err)
{
    (void)graph, (void)stream;
    return no_cuda(err);
}

void mplan_gpu_graph_free(void *graph)
{
    (void)graph;
}

mplan_status mplan_gpu_time(void *graph, int32_t times, double *milliseconds, mplan_error *err)
{
    (void)graph, (void)times, (void)milliseconds;
    return no_cuda(err);
}

mplan_status mplan_gpu_moves_run(const mplan_move *moves, int32_t n, mplan_mail_use use,
                                 const mplan_mail_end *mail, void *stream, mplan_error *err)
{
    (void)moves, (void)n, (void)use, (void)mail, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_halo_fetch(void *host, const void *device, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    (void)host, (void)device, (void)bytes, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_halo_store(void *device, const void *host, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    (void)device, (void)host, (void)bytes, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_halo_wait(void *stream, mplan_error *err)
{
    (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_drop_leaves(const mplan_gpu_global *global, const int32_t *leaf_of,
                                   int64_t first, int64_t end, const void *neutral, void *stream,
                                   mplan_error *err)
{
    (void)global, (void)leaf_of, (void)first, (void)end, (void)neutral, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_gpu_pipe_mark(void *pipe, bool in, void **mark, mplan_error *err)
{
    (void)pipe, (void)in, (void)mark;
    return no_cuda(err);
}

mplan_status mplan_gpu_pipe_reach(void *mark, mplan_error *err)
{
    (void)mark;
    return no_cuda(err);
}

mplan_status mplan_gpu_pipe_reached(void *mark, bool *reached, mplan_error *err)
{
    (void)mark, (void)reached;
    return no_cuda(err);
}

void mplan_gpu_pipe_unmark(void *mark)
{
    (void)mark;
}

mplan_status mplan_gpu_lane_open(void **lane, mplan_error *err)
{
    (void)lane;
    return no_cuda(err);
}

void mplan_gpu_lane_close(void *lane)
{
    (void)lane;
}

void *mplan_gpu_lane_stream(void *lane, bool aside)
{
    (void)lane, (void)aside;
    return NULL;
}

mplan_status mplan_gpu_lane_fork(void *lane, mplan_error *err)
{
    (void)lane;
    return no_cuda(err);
}

mplan_status mplan_gpu_lane_join(void *lane, mplan_error *err)
{
    (void)lane;
    return no_cuda(err);
}

mplan_status mplan_gpu_reach_peer(int32_t device, int32_t peer, mplan_error *err)
{
    (void)device, (void)peer;
    return no_cuda(err);
}

mplan_status mplan_gpu_share(void *data, unsigned char *handle, mplan_error *err)
{
    (void)data, (void)handle;
    return no_cuda(err);
}

mplan_status mplan_gpu_open_shared(const unsigned char *handle, void **data, mplan_error *err)
{
    (void)handle, (void)data;
    return no_cuda(err);
}

void mplan_gpu_close_shared(void *data)
{
    (void)data;
}

mplan_status mplan_gpu_place(int32_t device, char *place, mplan_error *err)
{
    (void)device, (void)place;
    return no_cuda(err);
}

mplan_status mplan_gpu_nccl_open(int32_t n, const int32_t *devices, void **nccl, mplan_error *err)
{
    (void)n, (void)devices, (void)nccl;
    return no_cuda(err);
}

void mplan_gpu_nccl_close(void *nccl)
{
    (void)nccl;
}

mplan_status mplan_gpu_nccl_exchange(void *nccl, const mplan_nccl_message *messages, int64_t n,
                                     mplan_error *err)
{
    (void)nccl, (void)messages, (void)n;
    return no_cuda(err);
}

#else
typedef int mplan_gpu_is_cuda; /* a file holds something */

#endif
