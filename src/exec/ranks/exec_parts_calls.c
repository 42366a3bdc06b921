/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_calls.c - which function of exec/ranks a public call leads to
 *
 * All ranks make these calls. Where one fails by itself it tells the others (exec_parts_told.c), whose calls fail then, too. */
#include "exec/ranks/exec_parts.h"

/* The call that `work` makes, on one rank of all; err in it is never NULL. */
#define OF_ALL_RANKS(exec, err, work)                                \
    do {                                                             \
        mplan_error late_;                                           \
        mplan_status status_;                                        \
        err = err ? err : &late_;                                    \
        status_ = mplan_exec_parts_begin_call(exec->parts, err);     \
        if (!status_)                                                \
            status_ = work;                                          \
        return mplan_exec_parts_end_call(exec->parts, status_, err); \
    } while (0)

static mplan_status declare(mplan_exec *exec, const char *dat, const char *set, int32_t dim,
                            mplan_type type, int32_t layout, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_declare(exec, dat, set, dim, type, layout, err));
}

static mplan_status declare_all(mplan_exec *exec, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_declare_all(exec, err));
}

static mplan_status upload(mplan_exec *exec, const char *dat, const void *rows, int64_t n_rows,
                           int32_t dim, mplan_type type, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_upload(exec, dat, rows, n_rows, dim, type, err));
}

static mplan_status download(mplan_exec *exec, const char *dat, void *rows, int64_t n_rows,
                             int32_t dim, mplan_type type, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_download(exec, dat, rows, n_rows, dim, type, err));
}

static mplan_status set_global(mplan_exec *exec, const char *dat, const void *values, int32_t dim,
                               mplan_type type, void *stream, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_set_global(exec, dat, values, dim, type, stream, err));
}

static mplan_status fill(mplan_exec *exec, const char *dat, int byte, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_fill(exec, dat, byte, err));
}

static mplan_status clear(mplan_exec *exec, const char *dat, void *stream, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_clear(exec, dat, stream, err));
}

static mplan_status wait_all(mplan_exec *exec, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_wait(exec, err));
}

static mplan_status bind(mplan_exec *exec, const char *loop, int32_t variant,
                         const mplan_kernel *kernel, mplan_exec_loop **bound, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_bind(exec, loop, variant, kernel, bound, err));
}

static mplan_status bind_layers(mplan_exec *exec, const char *loop, int32_t variant,
                                const struct mplan_layer_kernel *kernel, mplan_exec_loop **bound,
                                mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_bind_layers(exec, loop, variant, kernel, bound, err));
}

static mplan_status launch(mplan_exec *exec, mplan_exec_loop *bound, const void *parameters,
                           void *stream, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_launch(exec, bound, parameters, stream, err));
}

static mplan_status agree_visits(mplan_exec *exec, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_agree_visits(exec, err));
}

static mplan_status steps(mplan_exec *exec, const mplan_exec_entry *entries, int32_t n_entries,
                          int64_t n_steps, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_steps(exec, entries, n_entries, n_steps, err));
}

static mplan_status reduce(mplan_exec *exec, const char *dat, int32_t component,
                           mplan_reduction reduction, double *result, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_reduce(exec, dat, component, reduction, result, err));
}

static mplan_status capture(mplan_exec *exec,
                            mplan_status (*record)(void *user, void *stream, mplan_error *err),
                            void *user, mplan_exec_graph **graph, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_capture(exec, record, user, graph, err));
}

static mplan_status replay(mplan_exec *exec, mplan_exec_graph *graph, void *stream, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_replay(exec, graph, stream, err));
}

static mplan_status time_all(mplan_exec *exec, mplan_exec_graph *graph, int32_t times,
                             double *milliseconds, mplan_error *err)
{
    OF_ALL_RANKS(exec, err, mplan_exec_parts_time(exec, graph, times, milliseconds, err));
}

const mplan_exec_calls mplan_exec_parts_calls = {
    .declare = declare,
    .declare_all = declare_all,
    .upload = upload,
    .download = download,
    .set_global = set_global,
    .fill = fill,
    .clear = clear,
    .wait = wait_all,
    .check_mesh = mplan_exec_parts_check_mesh,
    .bind = bind,
    .bind_layers = bind_layers,
    .launch = launch,
    .makes_visits = mplan_exec_parts_makes_visits,
    .agree_visits = agree_visits,
    .steps = steps,
    .tell = mplan_exec_parts_tell,
    .reduce = reduce,
    .capture = capture,
    .replay = replay,
    .time = time_all,
    .graph_free = mplan_exec_parts_graph_free,
    .bytes = mplan_exec_parts_bytes,
    .plan_of = mplan_exec_parts_plan,
    .close = mplan_exec_parts_release,
};
