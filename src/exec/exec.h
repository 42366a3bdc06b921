/* SPDX-License-Identifier: Apache-2.0 */
/* exec.h - the executor's own structures, and what its files share
 *
 * Host and device hold the same tables under the same names: binding fills one
 * mplan_launch_call, whose pointers are the device's copies for CUDA and the plan's own
 * arrays for the others, which the host executor (host.h) reads. */
#ifndef MPLAN_EXEC_EXEC_H
#define MPLAN_EXEC_EXEC_H

#include "base/threads.h"
#include "exec/cuda/device.h"
#include "exec/meshplan_exchange.h"
#include "exec/meshplan_exec.h"
#include "plan/plan.h"

/* A dat of the executor: storage_size members, holes included, of dim numbers. */
typedef struct mplan_exec_dat {
    char *name;
    int32_t set, dim; /* set -1: a global */
    mplan_type type;
    mplan_layout layout;
    int64_t storage_size;
    void *data;   /* of the device or the host; 16-byte aligned at least; NULL: not resident */
    bool stored;  /* in the file of the visit: data is NULL, but for a moment */
    bool plain;   /* of a visit on a device: data are not pinned */
    void *window; /* where launches find it, in place of data; NULL: in data */
    int64_t window_plane; /* numbers there from plane to plane (mplan_slab_place_of), of which there are several; 0: as in data */
    bool adopted;         /* data are the caller's */
    bool open;            /* the caller has a view that it may write through */
    bool viewed;          /* the caller has, or had, a view */
    bool cleared;         /* it is zero, but its memory is not (clear.c) */
    int64_t times;        /* that members may have changed (mplan_exec_written) */
    /* with levels (dat_levels.h): level j of column p is member p * column_stride + j * level_stride, and storage_size
     * counts members; but for a matrix by owner it counts numbers over dim */
    int32_t levels; /* 0: none */
    mplan_columns columns;
    int64_t n_columns, column_stride, level_stride;
    struct mplan_owner_rows *owner; /* of a matrix by owner; NULL: others */
} mplan_exec_dat;

/* The device's copy of an array of the plan. */
typedef struct mplan_exec_copy {
    mplan_key key;
    void *data;
} mplan_exec_copy;

typedef struct mplan_exec_visit mplan_exec_visit;
typedef struct mplan_function_kernel mplan_function_kernel; /* function_kernel.c */

struct mplan_layer_kernel; /* meshplan_layers.h */

/* What public calls do for an executor of several parts (exec/ranks): each as its namesake in meshplan_exec.h. */
typedef struct mplan_exec_calls {
    mplan_status (*declare)(mplan_exec *exec, const char *dat, const char *set, int32_t dim,
                            mplan_type type, int32_t layout, mplan_error *err);
    mplan_status (*declare_all)(mplan_exec *exec, mplan_error *err);
    mplan_status (*upload)(mplan_exec *exec, const char *dat, const void *rows, int64_t n_rows,
                           int32_t dim, mplan_type type, mplan_error *err);
    mplan_status (*download)(mplan_exec *exec, const char *dat, void *rows, int64_t n_rows,
                             int32_t dim, mplan_type type, mplan_error *err);
    mplan_status (*set_global)(mplan_exec *exec, const char *dat, const void *values, int32_t dim,
                               mplan_type type, void *stream, mplan_error *err);
    mplan_status (*fill)(mplan_exec *exec, const char *dat, int byte, mplan_error *err);
    mplan_status (*clear)(mplan_exec *exec, const char *dat, void *stream, mplan_error *err);
    mplan_status (*wait)(mplan_exec *exec, mplan_error *err);
    mplan_status (*check_mesh)(const mplan_exec *exec, mplan_mesh *mesh, mplan_error *err);
    mplan_status (*bind)(mplan_exec *exec, const char *loop, int32_t variant,
                         const mplan_kernel *kernel, mplan_exec_loop **bound, mplan_error *err);
    mplan_status (*bind_layers)(mplan_exec *exec, const char *loop, int32_t variant,
                                const struct mplan_layer_kernel *kernel, mplan_exec_loop **bound,
                                mplan_error *err);
    mplan_status (*launch)(mplan_exec *exec, mplan_exec_loop *bound, const void *parameters,
                           void *stream, mplan_error *err);
    int32_t (*makes_visits)(const mplan_exec *exec); /* steps of a visit of its parts; 0: their plans have none */
    mplan_status (*agree_visits)(mplan_exec *exec,
                                 mplan_error *err); /* all ranks together: then they are the same on all */
    mplan_status (*steps)(mplan_exec *exec, const struct mplan_exec_entry *entries,
                          int32_t n_entries, int64_t n_steps, mplan_error *err);
    void (*tell)(mplan_exec *exec, mplan_status status,
                 const mplan_error *err); /* a function of the caller's has failed between calls */
    mplan_status (*reduce)(mplan_exec *exec, const char *dat, int32_t component,
                           mplan_reduction reduction, double *result, mplan_error *err);
    mplan_status (*capture)(mplan_exec *exec,
                            mplan_status (*record)(void *user, void *stream, mplan_error *err),
                            void *user, mplan_exec_graph **graph, mplan_error *err);
    mplan_status (*replay)(mplan_exec *exec, mplan_exec_graph *graph, void *stream, mplan_error *err);
    mplan_status (*time)(mplan_exec *exec, mplan_exec_graph *graph, int32_t times,
                         double *milliseconds, mplan_error *err);
    void (*graph_free)(mplan_exec_graph *graph);
    int64_t (*bytes)(const mplan_exec *exec);
    const mplan_plan *(*plan_of)(const mplan_exec *exec,
                                 int32_t i); /* part i that is here; NULL behind the last */
    void (*close)(mplan_exec *exec);
} mplan_exec_calls;
/* Refuses a call that executors of several parts do not have (executors.c). */
mplan_status mplan_exec_refuse_parts(const char *function, mplan_error *err);

struct mplan_exec {
    const mplan_plan *plan;
    mplan_executor executor;
    int32_t device;
    mplan_team *team;
    int32_t threads;      /* that run loops */
    int64_t shared_limit; /* CUDA: bytes of a thread block */
    int64_t cache_bytes;  /* CUDA: of the device's L2 cache */
    int64_t bytes;
    int32_t n_dats, n_copies;
    mplan_exec_dat *dats;
    mplan_exec_copy *copies;
    mplan_exec_loop *loops; /* a list, in reverse order of binding */
    mplan_function_kernel *functions;
    void *staging; /* CUDA: rooms of partial copies; NULL before the first */
    struct mplan_exec_parts *parts; /* of a bundle (exec/ranks): then dats, copies and tables are theirs; NULL: a plan */
    const mplan_exec_calls *calls; /* of such executors */
    struct mplan_exec_visit *visit; /* dats are in the host's memory, and go through windows (exec_visit.h); NULL: all is there */
};

/* Launches that were captured. */
struct mplan_exec_graph {
    mplan_exec *exec;
    void *graph;    /* the device's */
    int64_t *times; /* that its launches write a dat, for the first n_dats dats of the executor */
    int32_t n_dats;
    struct mplan_parts_graph *parts; /* of an executor of parts, in the place of `graph`; NULL: others */
};

/* What one thread of the host executor works with; arrays by arg. */
typedef struct mplan_host_thread {
    void *arena; /* everything below */
    int32_t *elements;
    int32_t *order, *counts;       /* block-colour */
    int32_t *rows[MPLAN_MAX_ARGS]; /* NULL: direct; one for all args of a map */
    void *out[MPLAN_MAX_ARGS];     /* increments through maps; NULL for others */
    void *sums[MPLAN_MAX_ARGS];    /* one member of these */
} mplan_host_thread;

struct mplan_exec_loop {
    mplan_exec_loop *next;
    mplan_exec *exec;
    const mplan_plan_loop *loop;
    const mplan_plan_variant *chosen;
    const mplan_kernel *kernel;
    int32_t l, v; /* loop, and variant of it */
    int32_t dat[MPLAN_MAX_ARGS];
    int32_t first_of_map[MPLAN_MAX_ARGS]; /* first arg of the same map */
    mplan_launch_call call;
    mplan_host_call host; /* what the host executor starts from */
    int32_t n_threads;
    mplan_host_thread *thread;
    /* whether the blocks of partial sums touch all points; found when it is asked for first */
    enum { TOUCHES_UNKNOWN, TOUCHES_ALL, TOUCHES_SOME } touches;
    bool lags;                         /* globals that it changes wait for mplan_exec_take_lagged */
    struct mplan_layers_bound *layers; /* NULL: a flat loop */
    struct mplan_exec_loop **part;     /* of an executor of parts: the loop in each; NULL: others */
    mplan_launch_exchange exchange; /* of a part: messages inside its kernel (exec_parts_inside.c) */
};

/* Whether arg a of a loop adds through a map. */
static inline bool mplan_exec_increments(const mplan_plan_loop *loop, int32_t a)
{
    return loop->args[a].map >= 0 && mplan_access_adds(loop->args[a].access);
}

/* The set of a dat for messages. */
static inline const char *mplan_exec_set_name(const mplan_plan *plan, int32_t set)
{
    return set < 0 ? "(none: a global)" : mplan_plan_get_set(plan, set)->name;
}

#define MPLAN_NOT_RESIDENT "dat %s is not resident: its memory was taken back"

/* Index of a dat by name; -1 without one. */
int32_t mplan_exec_find_dat(const mplan_exec *exec, const char *name);
/* *made: a dat that is not listed and has no data, or a refusal: what the caller says is compared
 * with the plan. made->name is the caller's to free. layout: -1 as the plan advises. */
mplan_status mplan_exec_describe(mplan_exec *exec, const char *dat, const char *set, int32_t dim,
                                 mplan_type type, int32_t layout, mplan_exec_dat *made,
                                 mplan_error *err);
/* The declared dat of that name with data, *new_of_old where the executor reads it (host or device;
 * NULL of a global) and *n, the size of its set; 1 of a global. Launches on the device are not waited for. */
mplan_status mplan_exec_find_rows(mplan_exec *exec, const char *name, mplan_exec_dat **dat,
                                  const int32_t **new_of_old, int64_t *n, mplan_error *err);
/* What the caller says of a row against the dat's. */
mplan_status mplan_exec_compare_numbers(const mplan_exec_dat *dat, int32_t dim, mplan_type type,
                                        mplan_error *err);
/* Whether members of dats are in a device's memory; globals are, wherever loops run. */
static inline bool mplan_exec_dats_on_device(const mplan_exec *exec)
{
    return exec->executor == MPLAN_EXECUTOR_CUDA && !exec->visit;
}
/* Where launches find a dat, and the numbers from component to component there. */
static inline void *mplan_exec_launch_data(const mplan_exec_dat *dat)
{
    return dat->window ? dat->window : dat->data;
}
static inline int64_t mplan_exec_launch_stride(const mplan_exec_dat *dat)
{
    return dat->window && dat->window_plane ? dat->window_plane : dat->storage_size;
}
/* Rows of n slabs that follow each other. first: n + 1, of each slab, the last one the end of all; pieces: where pieces of an order begin
 * in each, MPLAN_SLAB_PIECES - 1 numbers; NULL: not known. */
typedef struct mplan_slab_rows {
    int32_t n;
    const int64_t *first;
    const int32_t *pieces;
} mplan_slab_rows;
/* They run, without what comes behind all ranges. fresh: the arg whose dat they store their sums in, as if it was zero; -1: none. Of an
 * executor with a visit. */
mplan_status mplan_exec_launch_slabs(mplan_exec *exec, mplan_exec_loop *bound,
                                     const mplan_slab_rows *rows, const void *parameters,
                                     int32_t fresh, void *stream, mplan_error *err);
/* Bytes of a dat with its holes. */
static inline int64_t mplan_exec_dat_bytes(const mplan_exec_dat *dat)
{
    return dat->storage_size * dat->dim * (int64_t)mplan_type_size(dat->type);
}
/* The dat as device files see it. */
mplan_gpu_dat mplan_exec_on_device(const mplan_exec_dat *dat);
/* Zeroes the dat's memory, in the order of the stream. */
mplan_status mplan_exec_zero(mplan_exec *exec, mplan_exec_dat *dat, void *stream, mplan_error *err);
/* Cleared dats get their zeros before anything but a launch looks at them: one, or all. Waits for the device. */
mplan_status mplan_exec_settle(mplan_exec *exec, mplan_exec_dat *dat, mplan_error *err);
mplan_status mplan_exec_settle_all(mplan_exec *exec, mplan_error *err);
/* The same in the order of a stream. */
mplan_status mplan_exec_settle_in_stream(mplan_exec *exec, void *stream, mplan_error *err);
/* Before a launch, whole or of a range: cleared dats of its args are zeroed, in the order of the stream, unless
 * their sums are stored (call.arg[a].fresh). */
mplan_status mplan_exec_take_cleared(mplan_exec_loop *bound, bool whole, void *stream,
                                     mplan_error *err);
/* All dats of a bound loop have data. */
mplan_status mplan_exec_check_resident(const mplan_exec_loop *bound, mplan_error *err);
/* A launch of the loop writes what its args write. */
void mplan_exec_mark_written(mplan_exec_loop *bound);
/* A dat that is in a file (exec_visit.h) has memory between these two, which hold what the file has where it is read, else zeros;
 * write: it goes back. Nothing happens to other dats. status: how it went meanwhile, which goes before what giving it back says. */
mplan_status mplan_exec_take_stored(mplan_exec *exec, mplan_exec_dat *dat, bool read,
                                    mplan_error *err);
mplan_status mplan_exec_give_stored(mplan_exec *exec, mplan_exec_dat *dat, bool write,
                                    mplan_status status, mplan_error *err);
/* For calls that need memory of the dat to stay. */
mplan_status mplan_exec_refuse_stored(const mplan_exec_dat *dat, mplan_error *err);
/* Memory of a dat's members; dat->data is NULL then. */
void mplan_exec_release_dat(const mplan_exec *exec, mplan_exec_dat *dat);
/* Numbers between two members of a dat, and between two components of one. */
void mplan_exec_strides(const mplan_exec_dat *dat, int64_t *member, int64_t *component);
/* Makes the executor's device the calling thread's; nothing on the host. */
mplan_status mplan_exec_use(const mplan_exec *exec, mplan_error *err);
/* Memory where the executor computes; counted. Not cleared. */
mplan_status mplan_exec_allocate(mplan_exec *exec, int64_t count, size_t size, void **data,
                                 mplan_error *err);
void mplan_exec_release(const mplan_exec *exec, void *data);
/* An array of the plan as the executor reads it: the plan's own, or the device's copy,
 * made on first use. *rows may be NULL. MPLAN_ERR_CORRUPT when the plan lacks it. */
mplan_status mplan_exec_table(mplan_exec *exec, mplan_key key, mplan_type type, const void **data,
                              int64_t *rows, mplan_error *err);
/* The same where kernels read it, also an order, which mplan_exec_table leaves on the host where device memory is limited. */
mplan_status mplan_exec_table_there(mplan_exec *exec, mplan_key key, mplan_type type,
                                    const void **data, mplan_error *err);
/* Refuses what the variant's strategy may not run: formats/plan-format.md, section 10
 * (bind_conflicts.c). The dats of the args are known. */
mplan_status mplan_exec_check_conflicts(const mplan_exec_loop *bound, mplan_error *err);
/* A piece of a launch, for parts of a mesh: members [first, end) of what a launch counts (elements, rows, blocks, places
 * of a list). The first piece marks what the loop writes and takes what was cleared; the last runs the rest and
 * combines globals, whose leaves of elements from `owned` on are dropped before. All pieces have the same parameters. */
typedef struct mplan_exec_piece {
    int64_t first, end, owned;
    bool is_first, is_last;
} mplan_exec_piece;
mplan_status mplan_exec_launch_piece(mplan_exec *exec, mplan_exec_loop *bound,
                                     const mplan_exec_piece *piece, const void *parameters,
                                     void *stream, mplan_error *err);
/* mplan_exec_reduce of the first n places of a dat; -1: of all. place: of n others instead; NULL. */
mplan_status mplan_exec_reduce_first(mplan_exec *exec, const char *dat, int64_t n,
                                     const int32_t *place, int32_t component,
                                     mplan_reduction reduction, double *result, mplan_error *err);
/* What a launch of the loop counts, and how many. */
int64_t mplan_exec_extent(const mplan_exec_loop *bound, mplan_range_unit *unit, bool *any_order);
/* Fills bound->call for the variant (bind_tables.c). */
mplan_status mplan_exec_fill_call(mplan_exec_loop *bound, mplan_error *err);
/* Whether blocks of block-gather may sum column by column on a device (bind_columns.c): call.columns_apart. */
mplan_status mplan_exec_find_apart(mplan_exec_loop *bound, mplan_error *err);
/* Every index in the tables that the bound variant's launches read stays inside what it
 * indexes (bind_check.c), else MPLAN_ERR_CORRUPT. *positions_max: of one block, 0 without.
 * *complete: no slot of an element is without a point, in the loop's maps and in the
 * variant's tables. Needs the columns and sums of bound->call. */
mplan_status mplan_exec_check_tables(const mplan_exec_loop *bound, int64_t *positions_max,
                                     bool *complete, mplan_error *err);
/* The same for the order of a set, by which dats go in and out. */
mplan_status mplan_exec_check_order(const mplan_exec *exec, int32_t set, mplan_error *err);
void mplan_exec_unbind(mplan_exec_loop *bound);
/* After all loops were unbound. */
void mplan_exec_free_functions(mplan_exec *exec);

#endif
