/* SPDX-License-Identifier: Apache-2.0 */
/* exec_visit.h - an executor whose dats are larger than the memory where it computes
 *
 * Dats are kept whole in memory of the host, the store. Launches find them, and the plan's tables, in windows: addresses as long as
 * the whole, behind which the memory of one window comes again and again. So kernels count as if all were there. */
#ifndef MPLAN_EXEC_EXEC_VISIT_H
#define MPLAN_EXEC_EXEC_VISIT_H

#include "exec/exec.h"
#include "exec/visit_ring.h"
#include "plan/slab_uses.h"

/* A stream of the plan as the executor moves it. Planes are those of a dat by components, else one. */
typedef struct visit_stream {
    const mplan_plan_stream *record;
    int32_t planes;
    int32_t dat;       /* of the executor; -1: an array, or not declared yet */
    const char *array; /* data of the plan; NULL: a dat */
    bool registered;   /* CUDA: the array's memory is pinned */
    void *pinned;      /* CUDA: memory of the caller's that is pinned here; NULL: none */
    bool staged;       /* goes through the ring: from memory that is not pinned, or from the file */
    int64_t file;      /* of a dat in the file: where its first plane begins; -1: it is in memory */
    int64_t *file_at; /* slabs + 1: bytes of a plane there before each border; NULL: it is in memory */
    int32_t *file_end; /* slabs: where the run of slabs ends that are one behind the other there; events move whole runs */
    int64_t *at;         /* slabs + 1: bytes of a plane before each border; NULL: it has no slabs */
    int64_t store_plane; /* bytes from plane to plane in the store, and where launches look */
    int64_t plane;
    int64_t window;   /* bytes of a plane's memory */
    char *base;       /* where launches look; NULL: resident */
    void *handle;     /* what the window is released by */
    void *resident;   /* CUDA: a dat that stays on the device, whole */
    int64_t uploaded; /* CUDA, resident dats: times of the dat that were copied */
} visit_stream;

struct mplan_exec_visit {
    const mplan_plan_visit *record;
    int32_t n_streams, n_stages;
    visit_stream *streams;
    const int64_t **offsets; /* SLAB_OFFSETS of each set */
    const int32_t **pieces;  /* SLAB_PIECES of each set; NULL: it has none */
    const mplan_event *event;
    int64_t *stage;         /* n_stages + 1: the events of stage j are event[stage[j]] ... */
    void *pipe;             /* CUDA: streams and events */
    mplan_store *store;     /* NULL: dats are in memory */
    mplan_ring *ring;       /* NULL before the first steps, and where nothing is staged */
    bool unpinned;          /* as the options say */
    int32_t launch_streams; /* as the options say (steps.c) */
    int32_t ran_streams;    /* of launches, in the steps that were made last; 0: none were made */
};

/* Opens the visit of the plan within options->device_memory bytes; exec->visit is set. MPLAN_ERR_ARGUMENT where the plan has none, or
 * a larger one. */
mplan_status mplan_exec_open_visit(mplan_exec *exec, const mplan_exec_options *options,
                                   mplan_error *err);
void mplan_exec_close_visit(mplan_exec *exec);
/* The stream of a dat that was just declared gets its window; dat: its number. */
mplan_status mplan_exec_visit_dat(mplan_exec *exec, int32_t dat, mplan_error *err);
/* Memory of a dat that is being declared: pinned, other, or a range of the store. */
mplan_status mplan_exec_visit_allocate(mplan_exec *exec, mplan_exec_dat *dat, mplan_error *err);
/* A dat's memory has become the caller's, or none: the file is left, memory is pinned for copies of a device where it can be, else it goes
 * through the ring. Returns where launches find the dat. */
void *mplan_exec_visit_adopt(mplan_exec *exec, int32_t dat);
/* stored_dats.c: the bytes of stream s between memory of the whole dat and the store, by threads. */
mplan_status mplan_exec_visit_fetch(mplan_exec *exec, int32_t s, void *whole, bool in,
                                    mplan_error *err);
/* stored_dats.c: where the run of slabs of a plane that begins with `slab` is at home. */
mplan_ring_move mplan_exec_visit_home(const mplan_exec *exec, const visit_stream *stream,
                                      int32_t plane, int32_t slab);
/* Where launches find an array; NULL: as without a visit. */
const void *mplan_exec_visit_array(const mplan_exec *exec, const mplan_key *key);
/* A loop that is bound must be of the step, and have its default variant. */
mplan_status mplan_exec_visit_loop(const mplan_exec_loop *bound, mplan_error *err);

/* host_window.c: planes of `bytes` bytes of address space, one behind the other, each of which repeats `window` bytes of memory of its
 * own; bytes is a multiple of the window, which is one of 64 KiB. MPLAN_ERR_UNSUPPORTED where the system cannot do so. */
mplan_status mplan_host_window_make(int64_t bytes, int64_t window, int32_t planes, void **base,
                                    mplan_error *err);
void mplan_host_window_free(void *base, int64_t bytes);

#endif
