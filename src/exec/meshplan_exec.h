/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_exec.h - running the loops of a plan, on the host or on a CUDA device
 *
 * The executor loads a plan, keeps dats in the plan's order and layout and runs
 * loops over them under the strategy of a variant. It needs the reader library
 * only. Conventions are those of meshplan.h: NULL and an index out of range are
 * MPLAN_ERR_ARGUMENT, or nothing where a function has no status. An executor and what belongs to it
 * are used by one thread at a time. */
#ifndef MESHPLAN_EXEC_H
#define MESHPLAN_EXEC_H

#include "meshplan_kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mplan_exec mplan_exec;
typedef struct mplan_exec_loop mplan_exec_loop;

typedef enum mplan_executor {
    MPLAN_EXECUTOR_SERIAL = 0, /* elements in stored order, none of the strategy's tables */
    MPLAN_EXECUTOR_HOST = 1,   /* the strategy walked from the plan's tables, by one thread */
    MPLAN_EXECUTOR_OPENMP = 2, /* the same by threads (POSIX threads, despite the name) */
    MPLAN_EXECUTOR_CUDA = 3,
    MPLAN_N_EXECUTORS
} mplan_executor;

/* "serial", "host", "openmp", "cuda"; NULL past the last */
MPLAN_API const char *mplan_executor_name(mplan_executor value);
/* Whether this build has it: cuda only with -DMPLAN_WITH_CUDA=ON */
MPLAN_API bool mplan_executor_is_built(mplan_executor value);
MPLAN_API bool mplan_executor_from(const char *word, mplan_executor *value);

typedef struct mplan_exec_options {
    size_t struct_size;
    mplan_executor executor;
    int32_t device;           /* CUDA ordinal */
    int32_t threads;          /* openmp; 0: as many as the process may use; mplan_context says more.
                                 They run kernels with stacks of 2 MiB */
    const uint64_t *topology; /* fingerprint of the caller's mesh; NULL: not compared */
    int32_t n_sets;           /* sizes of the caller's sets, by name; 0: not compared */
    const mplan_set *sets;
    int64_t device_memory; /* bytes that dats and tables of the plan's step may have where loops run (the host executor keeps
                              to it, too): dats are in memory of the host, and mplan_exec_steps takes them through windows. The
                              plan must have been made for as much or less (mplan_plan_get_visit); of a bundle it is the limit of
                              each part. 0: all is there */
    const char *store; /* with device_memory: a folder, in which dats that move are kept in a file without a name, so that all of them
                          together may be larger than the memory of the host. Uploads, downloads, fills and reductions of such a dat
                          need memory for one dat meanwhile; views and copies of some rows are refused. NULL: in memory */
    bool unpinned; /* with device_memory: dats are in memory that a device cannot copy from, and go through pieces that it can; so
                      it is, too, where the system refuses pinned memory */
    int32_t launch_streams; /* with device_memory: 2: the later half of a visit's steps has launches in a stream of its own, while
                               the first half goes on with the next segment; bits are the same. One stream is taken in any case where
                               a loop has layers, or a global with lag. 1: one stream; 0: two, but one where dats are in a store or
                               in memory that is not pinned */
} mplan_exec_options;
#define MPLAN_EXEC_OPTIONS_INIT                                                                   \
    {                                                                                             \
        sizeof(mplan_exec_options), MPLAN_EXECUTOR_SERIAL, 0, 0, NULL, 0, NULL, 0, NULL, false, 0 \
    }

/* Opens a plan, which must outlive the executor. CUDA: the tables go to the
 * device as loops are bound. MPLAN_ERR_OTHER_MESH when fingerprint or sizes
 * differ, MPLAN_ERR_UNSUPPORTED without CUDA in this build, MPLAN_ERR_DEVICE for
 * what CUDA refuses, with the call and its status. */
MPLAN_API mplan_status mplan_exec_open(const mplan_plan *plan, const mplan_exec_options *options,
                                       mplan_exec **exec, mplan_error *err);
MPLAN_API void mplan_exec_close(mplan_exec *exec);

/* Declares a dat of a set: `dim` numbers of `type` a member, zero at first.
 * layout: -1 as the plan advises (AoS for dats it does not know), else a
 * mplan_layout. A dat that the plan's loops name must have their set, dim and
 * type (MPLAN_ERR_ARGUMENT). set NULL: a global, a single row of dim numbers. */
MPLAN_API mplan_status mplan_exec_declare(mplan_exec *exec, const char *dat, const char *set,
                                          int32_t dim, mplan_type type, int32_t layout,
                                          mplan_error *err);
/* Declares the dats of all loops that are not declared yet. */
MPLAN_API mplan_status mplan_exec_declare_all(mplan_exec *exec, mplan_error *err);
/* Copies a dat in or out: rows of dim numbers in the mesh's order (of a set that
 * was split: the order of its global ids). The caller says what is at `rows`:
 * n_rows rows of dim numbers of a type. They are compared with the size of the dat's set,
 * its dim and its type before a byte moves; MPLAN_ERR_ARGUMENT names the dat and both
 * numbers. Permutation and change of layout run on the device. Both wait for all that
 * was launched. Holes stay zero. */
MPLAN_API mplan_status mplan_exec_upload(mplan_exec *exec, const char *dat, const void *rows,
                                         int64_t n_rows, int32_t dim, mplan_type type,
                                         mplan_error *err);
MPLAN_API mplan_status mplan_exec_download(mplan_exec *exec, const char *dat, void *rows,
                                           int64_t n_rows, int32_t dim, mplan_type type,
                                           mplan_error *err);
/* Sets a global to dim numbers of a type, at most MPLAN_MAX_PARAMETERS bytes, which are copied; in the
 * order of `stream`, without waiting, so that a graph may hold it: the begin of a time step sets what
 * its loops then minimize. Otherwise globals are uploaded and downloaded as dats of one row. */
MPLAN_API mplan_status mplan_exec_set(mplan_exec *exec, const char *dat, const void *values,
                                      int32_t dim, mplan_type type, void *stream, mplan_error *err);
/* Sets every byte of a dat's members, for tests that poison outputs. */
MPLAN_API mplan_status mplan_exec_fill(mplan_exec *exec, const char *dat, int byte, mplan_error *err);

/* Sets a dat to zero, for loops that increment it next; in the order of `stream`, without waiting, so that a graph
 * may hold it (in a capture of the caller's own: with the launch that uses the dat next). Zeros are written only where they are
 * needed: the next whole launch that increments the dat through one arg stores its sums instead of adding them, where each
 * point gets one sum (owner-gather, two-step, block-gather with partial sums where every point is touched). The bits are
 * those of zeroing and adding. Ranges, other strategies and whatever else looks at the dat find zeros in memory.
 * A dat that is adopted, or that the caller has had a view of, is zeroed at once. */
MPLAN_API mplan_status mplan_exec_clear(mplan_exec *exec, const char *dat, void *stream,
                                        mplan_error *err);

/* A dat where the executor keeps it, for libraries and kernels of the caller: number c of the member
 * that is stored at place p is data[p * member_stride + c * component_stride], counted in numbers of
 * the type. Places are those of the stored order (MPLAN_KIND_NEW_OF_OLD); holes are zero and must
 * stay so. */
typedef struct mplan_dat_view {
    void *data; /* of the device for CUDA, else of the host; until the executor is closed, or the dat
                   gets other memory */
    mplan_layout layout;
    mplan_type type;
    int32_t dim;
    int64_t rows, storage_rows; /* members; places, holes included */
    int64_t member_stride, component_stride;
    int64_t level_stride; /* 0: dats have no levels */
} mplan_dat_view;
/* access: what the caller will do through the view until it asks again, as a loop would: read, write
 * or rw; mplan_exec_written learns from it. MPLAN_ERR_ARGUMENT for inc, and for a dat that is not
 * declared or not resident (its memory was taken back). On CUDA work of the caller must be ordered
 * with launches by streams: nothing is waited for. */
MPLAN_API mplan_status mplan_exec_data(mplan_exec *exec, const char *dat, mplan_access access,
                                       mplan_dat_view *view, mplan_error *err);
/* *times: a number that differs from that of an earlier question where members of the dat may have
 * changed since: by uploads, fills, adopted memory, launches and replays of loops that write it, and
 * by the caller, at each question as long as its last view was asked for with write or rw. Who
 * keeps copies of members (halos) compares it. */
MPLAN_API mplan_status mplan_exec_written(mplan_exec *exec, const char *dat, int64_t *times,
                                          mplan_error *err);

/* The dat lives in memory of the caller's: of the executor's CUDA device, or managed; of the host for
 * the other executors. It holds `bytes` bytes, at least storage_rows * dim * size of the type (CUDA: and the
 * rest of the last four bytes), at a multiple of 16, in stored order and the dat's layout (as mplan_dat_view describes); holes are set to
 * zero, members kept. A dat that is not declared is declared by it, as by mplan_exec_declare; one that
 * is keeps set, dim, type and layout, and what it had in memory of the executor's is gone. The caller
 * keeps the memory and frees it after mplan_exec_close, or after the dat got other memory: adopting
 * again changes from one to another, in loops that are bound as well (not in captured graphs; launches
 * under way on a device are not waited for). memory NULL: the caller takes it back. The dat is not
 * resident then: whatever needs its data is refused (MPLAN_ERR_ARGUMENT) until memory is adopted. With device_memory
 * it is memory of the host on every executor, which a device copies from where the system can pin it (until another is adopted, or the executor is
 * closed), else by pieces; a dat that was in a file (store) is in it from then on. */
MPLAN_API mplan_status mplan_exec_adopt(mplan_exec *exec, const char *dat, const char *set,
                                        int32_t dim, mplan_type type, int32_t layout, void *memory,
                                        int64_t bytes, mplan_error *err);

/* Some members of a set, by their numbers in the mesh's order: first, first + 1, ... (list NULL), or
 * those of a list of n numbers (first 0). */
typedef struct mplan_row_choice {
    int64_t first, n;
    const int32_t *list; /* host memory */
} mplan_row_choice;
/* Copies rows of some members in or out, n rows of dim numbers of a type, which must be the dat's. A
 * list for an upload names a member once. CUDA: in the order of the stream (a cudaStream_t, NULL: the
 * default one), through pinned rooms of the executor's. An upload has read rows and list when it
 * returns; a download has written its rows when the stream has come there (host memory of any kind).
 * Both wait only where more than 32 MiB are under way; neither can be captured. */
MPLAN_API mplan_status mplan_exec_upload_rows(mplan_exec *exec, const char *dat,
                                              const mplan_row_choice *choice, const void *rows,
                                              int32_t dim, mplan_type type, void *stream,
                                              mplan_error *err);
MPLAN_API mplan_status mplan_exec_download_rows(mplan_exec *exec, const char *dat,
                                                const mplan_row_choice *choice, void *rows,
                                                int32_t dim, mplan_type type, void *stream,
                                                mplan_error *err);

/* Whether the plan is for this mesh: every set of the plan has the size of the mesh's of that name,
 * and mplan_plan_topology of both is equal; else MPLAN_ERR_OTHER_MESH, which says what differs. */
MPLAN_API mplan_status mplan_exec_check_mesh(const mplan_exec *exec, mplan_mesh *mesh,
                                             mplan_error *err);

/* Binds a kernel to a loop of the plan and one of its variants (-1: the default).
 * Its args must be those of the loop, one by one: map or direct, arity, dim, type
 * and access (MPLAN_ERR_ARGUMENT names the first that differs); args through one map
 * have one map's name in the kernel. All dats must be declared. All dats have the set, dim and type of
 * the args. What the variant's strategy may not run by section 10 of formats/plan-format.md is
 * refused (MPLAN_ERR_UNSUPPORTED), and so are rows of ragged maps that are longer than the kernel takes,
 * and shared memory beyond the device's. Every index in the tables that the launches will read is looked at
 * once (linear time): one that leads out of its table or set is MPLAN_ERR_CORRUPT, so
 * that plans that nobody verified give wrong sums at worst. kernel: NAME_device for
 * CUDA, NAME_host for the others. */
MPLAN_API mplan_status mplan_exec_bind(mplan_exec *exec, const char *loop, int32_t variant,
                                       const mplan_kernel *kernel, mplan_exec_loop **bound,
                                       mplan_error *err);

/* For languages without the macros of meshplan_kernel.h (Fortran): a function of one element. views[a] is the
 * view of arg a of the plan's loop, dim numbers of the arg's type for each slot of its map, slot by slot, at a multiple of
 * 8 bytes; of a global dim numbers. They hold at entry, and give, what views of kernels do: read and rw the data, write
 * and inc zero, min and max what changes nothing. The view of an arg through a ragged map has the slots of the longest
 * row of the plan (of all parts that are here); the r-th such arg finds the entries of the element's row, an int32_t, at
 * views[args + r], behind the views of all args. user: of the launch. */
typedef void mplan_element_function(void *const *views, const void *user);
/* As mplan_exec_bind, for executors of the host: the args are those of the plan's loop. MPLAN_ERR_UNSUPPORTED for
 * more than 4096 bytes of views, each rounded up to a multiple of 8, and on CUDA. Such a loop is launched by
 * mplan_exec_launch_function only. On an executor of parts the function runs in all of them. */
MPLAN_API mplan_status mplan_exec_bind_function(mplan_exec *exec, const char *loop, int32_t variant,
                                                mplan_element_function *function,
                                                mplan_exec_loop **bound, mplan_error *err);
MPLAN_API mplan_status mplan_exec_launch_function(mplan_exec *exec, mplan_exec_loop *bound,
                                                  const void *user, mplan_error *err);

/* The planner's loop from a kernel's own list of args, so that these are written once: name and args
 * are the kernel's, none of the maps may hold -1. over: the set of its elements. args: the caller's,
 * room for MPLAN_MAX_ARGS; loop points to them, to over and to the kernel. The caller may change any
 * member before mplan_plan_create (`none`, calls, flops, primary). */
MPLAN_API mplan_status mplan_kernel_loop(const mplan_kernel *kernel, const char *over,
                                         mplan_arg *args, mplan_loop *loop, mplan_error *err);

/* Runs a bound loop once. Globals that it changes have their new values when all elements have run: a
 * later launch in the same stream reads them. parameters: the kernel's parameter_bytes (the size of the type
 * that the kernel was compiled with), copied; may be NULL for mplan_no_parameters. The
 * loop must be bound to this executor (MPLAN_ERR_ARGUMENT). stream: a cudaStream_t, or NULL for the default
 * stream; ignored on the host. CUDA returns before it is done, and the call may be
 * captured into a CUDA graph. */
MPLAN_API mplan_status mplan_exec_launch(mplan_exec *exec, mplan_exec_loop *bound,
                                         const void *parameters, void *stream, mplan_error *err);
/* What a loop can be cut into: ranges of units, each launched by itself, so that elements near a border
 * can run before the others. */
typedef enum mplan_range_unit {
    MPLAN_RANGE_ELEMENTS = 0, /* slices of 32 elements in stored order: two-step, atomic, serial executor */
    MPLAN_RANGE_ROWS = 1, /* slices of owner-gather's tables, of 32 rows, or 64 where the plan has such */
    MPLAN_RANGE_BLOCKS = 2, /* blocks, of sums by colour and block-colour in the order of launches */
    MPLAN_RANGE_LISTED = 3  /* slices of 32 elements of global-colour's launches, in their order */
} mplan_range_unit;
typedef struct mplan_exec_ranges {
    mplan_range_unit unit;
    int64_t count; /* units of the loop */
    bool any_order; /* ranges that hold each unit once, in any order, and then the rest, give the bits of
                       mplan_exec_launch: two-step, owner-gather, block-gather with partial sums, and
                       loops that neither write nor increment through maps. They may run at the same
                       time, in any streams. Else only ranges that ascend do, under colours and by the
                       serial executor, and one must end before the next begins (one stream): two
                       ranges may write one point. Atomic adds may run at the same time, too */
    bool rest;      /* mplan_exec_launch_rest has something to do */
} mplan_exec_ranges;
MPLAN_API mplan_status mplan_exec_ranges_of(const mplan_exec *exec, const mplan_exec_loop *bound,
                                            mplan_exec_ranges *ranges, mplan_error *err);
/* As mplan_exec_launch, of units first to first + count - 1 only (MPLAN_ERR_ARGUMENT beyond the last).
 * Loops that change a global are launched as a whole (MPLAN_ERR_UNSUPPORTED). */
MPLAN_API mplan_status mplan_exec_launch_range(mplan_exec *exec, mplan_exec_loop *bound,
                                               int64_t first, int64_t count, const void *parameters,
                                               void *stream, mplan_error *err);
/* What comes when all ranges are done (on a device: in streams that `stream` has waited for): the sums
 * of two-step's points, and of points that several blocks of block-gather share. */
MPLAN_API mplan_status mplan_exec_launch_rest(mplan_exec *exec, mplan_exec_loop *bound,
                                              const void *parameters, void *stream, mplan_error *err);
/* An entry of the step that is repeated. */
typedef struct mplan_exec_entry {
    mplan_exec_loop *bound;
    const void *parameters; /* as mplan_exec_launch */
    const char *clear;      /* dat that is set to zero before (mplan_exec_clear); NULL: none */
} mplan_exec_entry;
/* Runs the entries one after the other, n_steps times, and waits. With device_memory the entries must be those of the plan's
 * step (MPLAN_ERR_ARGUMENT): each visit takes every slab of every dat through the device once, for as many steps as the
 * plan says, and the bits are those without a limit, but for atomic adds. Kernels of the host find NaN where a schedule would
 * be wrong. Loops are launched in no other way then (MPLAN_ERR_UNSUPPORTED), and must be of the step, with
 * their default variants. Globals of entries with lag (step_lags of the plan's options) change when a visit ends, without device_memory when a
 * step ends: to what the elements brought in its last step, whatever they were before; the entries of the plan's step are needed
 * then without device_memory, too. An executor of parts with slabs needs them in any case: it exchanges halos, makes a visit of each part,
 * exchanges them again (meshplan-outofcore(7)), and without device_memory as many steps between two exchanges in memory. */
MPLAN_API mplan_status mplan_exec_steps(mplan_exec *exec, const mplan_exec_entry *entries,
                                        int32_t n_entries, int64_t n_steps, mplan_error *err);
/* What runs ahead of the steps that follow one another without a look at all cells: dats are those of step `step`, whole, and may be
 * reduced, downloaded or filled, and parameters of entries and globals that loops only read may change. Not MPLAN_OK ends the steps. */
typedef mplan_status mplan_exec_before(void *user, mplan_exec *exec, int64_t step, mplan_error *err);
/* The same with `before` ahead of every `every` steps (0: of the steps of a visit; without device_memory 1), for programs whose next
 * step waits for a number of all cells, such as a time step by the CFL condition: it is that of up to every - 1 steps before. Bits are
 * equal for equal `every`, with device_memory and without. Where the plan has entries with lag `before` may be NULL, and their globals change
 * when `every` steps are over, also without device_memory. A visit ends before the next `before`, so that those of less than the
 * plan's steps, and many short ones, cost time. */
MPLAN_API mplan_status mplan_exec_steps_lagged(mplan_exec *exec, const mplan_exec_entry *entries,
                                               int32_t n_entries, int64_t n_steps, int64_t every,
                                               mplan_exec_before *before, void *user,
                                               mplan_error *err);
/* Streams of launches that the steps of the last call had, 1 or 2 (mplan_exec_options.launch_streams); 0: none were made, or without device_memory. */
MPLAN_API int32_t mplan_exec_launch_streams(const mplan_exec *exec);

/* Waits for everything and returns what went wrong on the device meanwhile. */
MPLAN_API mplan_status mplan_exec_wait(mplan_exec *exec, mplan_error *err);

/* A step of a few launches, captured once and replayed (on the host: recorded calls
 * are not supported, MPLAN_ERR_UNSUPPORTED). `record` calls mplan_exec_launch with
 * the stream it is given. Of an executor of parts: where dats are declared and exchanged later, messages have other places,
 * and a replay of what was captured before is refused (MPLAN_ERR_ARGUMENT). */
typedef struct mplan_exec_graph mplan_exec_graph;
MPLAN_API mplan_status mplan_exec_capture(mplan_exec *exec,
                                          mplan_status (*record)(void *user, void *stream,
                                                                 mplan_error *err),
                                          void *user, mplan_exec_graph **graph, mplan_error *err);
MPLAN_API mplan_status mplan_exec_replay(mplan_exec *exec, mplan_exec_graph *graph, void *stream,
                                         mplan_error *err);
MPLAN_API void mplan_exec_graph_free(mplan_exec_graph *graph);
/* Milliseconds that `times` replays take on the device, by events; waits. */
MPLAN_API mplan_status mplan_exec_time(mplan_exec *exec, mplan_exec_graph *graph, int32_t times,
                                       double *milliseconds, mplan_error *err);

typedef enum mplan_reduction { MPLAN_SUM = 0, MPLAN_MIN = 1, MPLAN_MAX = 2 } mplan_reduction;
/* Reduces one component of an f32 or f64 dat over its members in f64, in an order that
 * depends only on the plan: equal bits in every run, on host and device. Sum over
 * blocks of 256 stored members, each by halving (i += i + 128, 64, ...), then over
 * the blocks' sums in the same way, level by level; holes count as the neutral. */
MPLAN_API mplan_status mplan_exec_reduce(mplan_exec *exec, const char *dat, int32_t component,
                                         mplan_reduction reduction, double *result, mplan_error *err);

/* Bytes that the executor holds on the device (or the host). */
MPLAN_API int64_t mplan_exec_bytes(const mplan_exec *exec);

#ifdef __cplusplus
}
#endif

#endif
