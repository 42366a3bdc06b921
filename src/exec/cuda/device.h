/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - what the executor needs of a CUDA device, in plain C
 *
 * Implemented in device_*.cu where the build has CUDA, else in
 * device_none.c, where every function returns MPLAN_ERR_UNSUPPORTED. Each CUDA status
 * other than success becomes MPLAN_ERR_DEVICE (out of memory: MPLAN_ERR_MEMORY) with the call's
 * name and CUDA's text. Streams are cudaStream_t, NULL the default one. */
#ifndef MPLAN_EXEC_DEVICE_H
#define MPLAN_EXEC_DEVICE_H

#include "exec/meshplan_exec.h"

/* Makes device `ordinal` the calling thread's. */
mplan_status mplan_gpu_open(int32_t ordinal, mplan_error *err);
/* Largest dynamic shared memory of a thread block (opt-in), bytes of the L2 cache, free and all bytes. */
mplan_status mplan_gpu_limits(int32_t ordinal, int64_t *shared_bytes, int64_t *cache_bytes,
                              int64_t *free_bytes, int64_t *total_bytes, mplan_error *err);
mplan_status mplan_gpu_alloc(int64_t bytes, void **data, mplan_error *err);
void mplan_gpu_free(void *data);
mplan_status mplan_gpu_set(void *data, int byte, int64_t bytes, mplan_error *err);
/* Large copies from pageable memory go through pinned buffers, copied by several threads.
 * All wait until everything is there. */
mplan_status mplan_gpu_upload(void *to, const void *from, int64_t bytes, mplan_error *err);
mplan_status mplan_gpu_download(void *to, const void *from, int64_t bytes, mplan_error *err);
/* Several arrays at once, for the price of one set of buffers; host is only read. */
typedef struct mplan_gpu_transfer {
    void *device, *host;
    int64_t bytes;
} mplan_gpu_transfer;
mplan_status mplan_gpu_upload_all(const mplan_gpu_transfer *list, int64_t n, mplan_error *err);
/* Zeroes, in the order of the stream. */
mplan_status mplan_gpu_clear(void *data, int64_t bytes, void *stream, mplan_error *err);
/* In the order of the default stream, without waiting. */
mplan_status mplan_gpu_copy(void *to, const void *from, int64_t bytes, mplan_error *err);
mplan_status mplan_gpu_wait(mplan_error *err);
/* An error code of a kernel's launch function as a status; 0 is MPLAN_OK. */
mplan_status mplan_gpu_status(int code, const char *what, mplan_error *err);

/* A dat in the device's memory. */
typedef struct mplan_gpu_dat {
    void *data;
    int64_t storage_size;
    int32_t dim;
    mplan_type type;
    mplan_layout layout;
} mplan_gpu_dat;
/* rows (n x dim numbers, on the device, mesh order) into stored order and layout;
 * and back. new_of_old: on the device. */
mplan_status mplan_gpu_scatter_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                    const void *rows, mplan_error *err);
mplan_status mplan_gpu_gather_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                   void *rows, mplan_error *err);
/* Sets the bytes of the members (not of the holes). */
mplan_status mplan_gpu_fill_rows(const mplan_gpu_dat *dat, const int32_t *new_of_old, int64_t n,
                                 int byte, mplan_error *err);
/* Zeroes places without a member; waits. old_of_new: on the device. */
mplan_status mplan_gpu_clear_holes(const mplan_gpu_dat *dat, const int32_t *old_of_new,
                                   mplan_error *err);
/* Whether kernels of the device can use the address: memory of its own, or managed. */
bool mplan_gpu_reaches(const void *memory, int32_t device);
/* Some members, as mplan_exec_upload_rows and _download_rows. *staging: NULL at first, freed by
 * mplan_gpu_staging_free when the device is idle. */
mplan_status mplan_gpu_upload_rows(void **staging, const mplan_gpu_dat *dat,
                                   const int32_t *new_of_old, const mplan_row_choice *choice,
                                   const void *rows, void *stream, mplan_error *err);
mplan_status mplan_gpu_download_rows(void **staging, const mplan_gpu_dat *dat,
                                     const int32_t *new_of_old, const mplan_row_choice *choice,
                                     void *rows, void *stream, mplan_error *err);
void mplan_gpu_staging_free(void *staging);
/* The tree of meshplan_exec.h, of the first n places. old_of_new: on the device, NULL without holes. */
mplan_status mplan_gpu_reduce(const mplan_gpu_dat *dat, int64_t n, const int32_t *old_of_new,
                              int32_t component, mplan_reduction reduction, double *result,
                              mplan_error *err);

/* A global that a loop changed: n leaves of each of its numbers, number c of leaf i at leaves[c * n + i],
 * room for the nodes behind them. The tree has nodes of MPLAN_GLOBAL_NODE leaves, whose lanes take each
 * MPLAN_GLOBAL_LANES-th and are then halved; the nodes are one node again, of any length. */
enum { MPLAN_GLOBAL_LANES = 256, MPLAN_GLOBAL_NODE = 2048 };
/* data: dim numbers, which the loop's result is combined with. All numbers are of `type`, and on the device. */
typedef struct mplan_gpu_global {
    void *data;
    int32_t dim;
    mplan_type type;
    mplan_access access;
    void *leaves;
    int64_t n;
} mplan_gpu_global;
/* Into the global, in the order of the stream. */
mplan_status mplan_gpu_combine_global(const mplan_gpu_global *global, void *stream, mplan_error *err);
/* n leaves that change nothing. */
mplan_status mplan_gpu_clear_global(mplan_type type, mplan_access access, void *leaves, int64_t n,
                                    mplan_error *err);
/* A few bytes of the host, which are copied, in the order of the stream. */
mplan_status mplan_gpu_set_global(void *to, const void *values, int64_t bytes, void *stream,
                                  mplan_error *err);

/* `planes` planes of `bytes` bytes of addresses, one behind the other, each of which repeats `window` bytes of memory of its own, which
 * must be of whole granules (2 MiB). *handle: what mplan_gpu_window_free takes. */
mplan_status mplan_gpu_window_make(int32_t device, int64_t bytes, int64_t window, int32_t planes,
                                   void **base, void **handle, mplan_error *err);
void mplan_gpu_window_free(void *handle);
/* Memory of the host that a device can copy from and to while it computes; not cleared. */
mplan_status mplan_gpu_host_alloc(int64_t bytes, void **data, mplan_error *err);
void mplan_gpu_host_free(void *data); /* may be NULL */
/* Makes memory of the caller's such; it is only read. false: it cannot be. */
bool mplan_gpu_host_register(const void *data, int64_t bytes);
void mplan_gpu_host_unregister(const void *data);
/* Stages of a visit: streams for what goes in, what computes and what comes out. What is added to a stage runs side by side;
 * what comes in waits for all of the stage before but what comes in there, the launches for what came in, and what comes out for
 * the launches. Later launches, if there are any, have a stream of their own: those of a stage wait for its first launches, but the first
 * launches of the next stage do not wait for them. Nothing waits on the host but mplan_gpu_pipe_wait. */
mplan_status mplan_gpu_pipe_make(void **pipe, mplan_error *err);
void mplan_gpu_pipe_free(void *pipe);
mplan_status mplan_gpu_pipe_stage(void *pipe, mplan_error *err); /* the next stage begins */
void *mplan_gpu_pipe_stream(void *pipe);                         /* of the launches */
/* Of later launches, which come behind all first ones that were added until now. Once it was asked for, each stage has both. */
mplan_status mplan_gpu_pipe_later(void *pipe, void **stream, mplan_error *err);
/* One copy, which stays inside one window of the addresses. */
mplan_status mplan_gpu_pipe_copy(void *pipe, bool in, void *device, void *host, int64_t bytes,
                                 mplan_error *err);
mplan_status mplan_gpu_pipe_wait(void *pipe, mplan_error *err);
/* A mark behind what was added to one of the ways; *mark NULL: a new one. mplan_gpu_pipe_reach waits until the device has come to
 * it. */
mplan_status mplan_gpu_pipe_mark(void *pipe, bool in, void **mark, mplan_error *err);
mplan_status mplan_gpu_pipe_reach(void *mark, mplan_error *err);
/* Whether it has, without waiting. */
mplan_status mplan_gpu_pipe_reached(void *mark, bool *reached, mplan_error *err);
void mplan_gpu_pipe_unmark(void *mark);

/* Launches of record, in a stream that is made for it, become *graph, which replays any number of times; arguments
 * of kernels are those of the capture. */
mplan_status mplan_gpu_capture(mplan_status (*record)(void *user, void *stream, mplan_error *err),
                               void *user, void **graph, mplan_error *err);
/* The same in a stream of the caller's: what is launched between both calls is in *captured (NULL after a failure). A graph is
 * made of it when no stream of the thread is captured any more; graph NULL: it is dropped. */
mplan_status mplan_gpu_capture_begin(void *stream, mplan_error *err);
mplan_status mplan_gpu_capture_end(void *stream, void **captured, mplan_error *err);
mplan_status mplan_gpu_graph_make(void *captured, void **graph, mplan_error *err);
mplan_status mplan_gpu_replay(void *graph, void *stream, mplan_error *err);
void mplan_gpu_graph_free(void *graph);
/* Milliseconds of `times` replays by events. */
mplan_status mplan_gpu_time(void *graph, int32_t times, double *milliseconds, mplan_error *err);

#endif
