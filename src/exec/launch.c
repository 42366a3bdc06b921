/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - running a loop that is bound: all of it, a range, or what comes behind all ranges
 *
 * Every launch is a range and, or, the rest: of the whole loop both at once. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "exec/exec.h"
#include "exec/globals.h"
#include "exec/host/host.h"
#include "exec/dat_levels.h"
#include "plan/strategies.h"

/* Elements of a unit other than a block or rows. */
enum { SLICE = 32 };

/* --- units ------------------------------------------------------------------------------- */

/* What the range of a launch counts, and how many there are of the whole loop. */
typedef struct extent {
    mplan_range_unit unit;
    int64_t n;
} extent;

/* What a whole launch counts, by strategy: listed elements, blocks, rows of points, or
 * elements. The serial executor always goes through elements. */
static extent extent_of(const mplan_exec_loop *bound)
{
    const mplan_launch_call *call = &bound->call;
    if (bound->exec->executor == MPLAN_EXECUTOR_SERIAL)
        return (extent){MPLAN_RANGE_ELEMENTS, call->n_elements};
    switch (mplan_strategy_way(call->strategy)) {
    case MPLAN_TRAIT_GLOBAL_COLOURS:
        return (extent){MPLAN_RANGE_LISTED, call->launch_offsets[call->n_launches]};
    case MPLAN_TRAIT_THREAD_COLOURS:
    case MPLAN_TRAIT_RECORDS: return (extent){MPLAN_RANGE_BLOCKS, call->n_blocks};
    case MPLAN_TRAIT_OWNERS: return (extent){MPLAN_RANGE_ROWS, call->n_points};
    default: return (extent){MPLAN_RANGE_ELEMENTS, call->n_elements};
    }
}

/* Whether the loop's mapped args only read, or write points once each. */
static bool only_reads_by_maps(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ && !loop->args[a].once)
            return false;
    return true;
}

/* Every point gets its sum once, from a row that one range holds, or from the rest. */
static bool sums_stay_whole(const mplan_exec_loop *bound)
{
    const mplan_launch_call *call = &bound->call;
    if (bound->exec->executor == MPLAN_EXECUTOR_SERIAL)
        return false;
    return mplan_strategy_has(call->strategy, MPLAN_TRAIT_OWNERS) ||
           mplan_strategy_sums_last(call->strategy, call->sums);
}

/* Strategies with a second pass: it needs the results of all ranges, so it is launched behind the last of them. */
static bool has_rest(const mplan_exec_loop *bound)
{
    const mplan_launch_call *call = &bound->call;
    if (bound->exec->executor == MPLAN_EXECUTOR_SERIAL)
        return false;
    return mplan_strategy_sums_last(call->strategy, call->sums);
}

/* Members of a unit. */
static int64_t unit_size(const mplan_exec_loop *bound, mplan_range_unit unit)
{
    return unit == MPLAN_RANGE_BLOCKS ? 1
           : unit == MPLAN_RANGE_ROWS ? bound->call.owner_slice
                                      : SLICE;
}

/* any_order: what mplan_exec_ranges says of it. */
static mplan_exec_ranges ranges_of(const mplan_exec_loop *bound)
{
    const extent all = extent_of(bound);
    const int64_t size = unit_size(bound, all.unit);
    return (mplan_exec_ranges){all.unit, (all.n + size - 1) / size,
                               sums_stay_whole(bound) || only_reads_by_maps(bound->loop),
                               has_rest(bound)};
}

/* What may be launched by itself; `bound` must be of this executor. */
mplan_status mplan_exec_ranges_of(const mplan_exec *exec, const mplan_exec_loop *bound,
                                  mplan_exec_ranges *ranges, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(bound);
    MPLAN_NEED(ranges);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    if (bound->exec != exec)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s is bound to another executor",
                          bound->kernel->name);
    if (bound->layers)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s has layers and is launched as a whole", bound->loop->name);
    *ranges = ranges_of(bound);
    return MPLAN_OK;
}

/* --- launches ---------------------------------------------------------------------------- */

/* The kernel needs them, and all dats of its args. */
static mplan_status copy_parameters(mplan_exec_loop *bound, const void *parameters, mplan_error *err)
{
    const mplan_kernel *kernel = bound->kernel;
    if (!parameters && kernel->parameter_bytes > sizeof(mplan_no_parameters))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s needs its %zu bytes of parameters",
                          kernel->name, kernel->parameter_bytes);
    mplan_status status = mplan_exec_check_resident(bound, err);
    if (!status && parameters)
        memcpy(bound->call.parameters, parameters, kernel->parameter_bytes);
    return status;
}

/* What the caller must have done before any of them. */
static mplan_status take_parameters(const mplan_exec *exec, mplan_exec_loop *bound,
                                    const void *parameters, mplan_error *err)
{
    if (bound->exec != exec)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s is bound to another executor",
                          bound->kernel->name);
    if (exec->visit)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s: where device memory is limited loops are run by mplan_exec_steps",
                          bound->loop->name);
    return copy_parameters(bound, parameters, err);
}
/* Members [first, end) of what the range of a launch counts, and, or, the rest. */
static mplan_status launch(mplan_exec *exec, mplan_exec_loop *bound, int64_t first, int64_t end,
                           bool rest, void *stream, mplan_error *err)
{
    mplan_launch_call *call = &bound->call;
    call->first = first;
    call->end = end;
    call->rest = rest;
    mplan_exec_mark_written(bound);
    mplan_status status = mplan_exec_use(exec, err);
    if (!status)
        status = mplan_exec_take_cleared(bound,
                                         !bound->layers && rest && first == 0 &&
                                             end == extent_of(bound).n,
                                         stream, err);
    if (status)
        return status;
    if (bound->layers)
        return mplan_exec_launch_layers(exec, bound, stream, err);
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        mplan_host_run(bound);
        return mplan_exec_combine_globals(bound, NULL, err);
    }
    const char *what = bound->kernel->name;
    int code = bound->kernel->launch(call, stream, false, &what);
    return code ? mplan_gpu_status(code, what, err) : mplan_exec_combine_globals(bound, stream, err);
}

/* Whether the loop reaches members of other slabs, and the device's cache does not keep three of average size: a slab and those on both
 * sides of it. Else it finds there what the slab before it has read, and more launches would only cost time. */
static bool is_woven(const mplan_exec_loop *bound, const mplan_slab_rows *rows)
{
    enum { SLABS = 3 };
    const mplan_plan *plan = bound->exec->plan;
    bool mapped = false;
    int64_t bytes = 0;
    if (rows->n < 2 || !rows->pieces)
        return false;
    for (int32_t a = 0; a < bound->loop->n_args; a++) {
        const mplan_plan_arg *arg = &bound->loop->args[a];
        bool known = arg->map == MPLAN_MAP_GLOBAL;
        for (int32_t b = 0; b < a; b++)
            known = known || bound->dat[a] == bound->dat[b];
        mapped = mapped || arg->map >= 0;
        if (!known)
            bytes += mplan_exec_dat_bytes(&bound->exec->dats[bound->dat[a]]);
    }
    return mapped && bytes / plan->visit.slabs * SLABS > bound->exec->cache_bytes;
}

/* Slabs of a device's loop, piece by piece of as many slabs as a launch can have. */
static mplan_status launch_woven(mplan_exec_loop *bound, const mplan_slab_rows *rows, void *stream,
                                 mplan_error *err)
{
    const int32_t n = rows->n, launches = (n + MPLAN_WEAVE_MOST - 1) / MPLAN_WEAVE_MOST;
    mplan_launch_call *call = &bound->call;
    mplan_launch_weave weave;
    mplan_status status = MPLAN_OK;
    call->weave = &weave;
    for (int32_t k = 0; k < launches && !status; k++) {
        const int32_t begin = (int32_t)((int64_t)n * k / launches);
        const int32_t end = (int32_t)((int64_t)n * (k + 1) / launches);
        const char *what = bound->kernel->name;
        weave.n = end - begin;
        weave.first = rows->first + begin;
        weave.pieces = rows->pieces + (int64_t)begin * (MPLAN_SLAB_PIECES - 1);
        call->first = rows->first[begin];
        call->end = rows->first[end];
        if (call->first == call->end) /* sets have members in some slabs only */
            continue;
        status = mplan_gpu_status(bound->kernel->launch(call, stream, false, &what), what, err);
    }
    call->weave = NULL;
    return status;
}

/* Within a visit. Loops with layers add to what is there, which the caller has set to zero. */
mplan_status mplan_exec_launch_slabs(mplan_exec *exec, mplan_exec_loop *bound,
                                     const mplan_slab_rows *rows, const void *parameters,
                                     int32_t fresh, void *stream, mplan_error *err)
{
    assert(exec->visit && rows && rows->n >= 0);
    const int64_t first = rows->first[0], end = rows->first[rows->n];
    assert(first >= 0 && first <= end && end <= extent_of(bound).n);
    mplan_launch_call *call = &bound->call;
    mplan_status status = copy_parameters(bound, parameters, err);
    if (status || first == end)
        return status;
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        call->arg[a].fresh = a == fresh;
    call->first = first;
    call->end = end;
    call->rest = false;
    if (bound->layers)
        return mplan_exec_launch_layers(exec, bound, stream, err);
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        mplan_host_run(bound);
        return MPLAN_OK;
    }
    if (is_woven(bound, rows))
        return launch_woven(bound, rows, stream, err);
    const char *what = bound->kernel->name;
    return mplan_gpu_status(bound->kernel->launch(call, stream, false, &what), what, err);
}

/* parameters: of the kernel, copied into the call; NULL for kernels without any. */
mplan_status mplan_exec_launch(mplan_exec *exec, mplan_exec_loop *bound, const void *parameters,
                               void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(bound);
    if (exec->parts)
        return exec->calls->launch(exec, bound, parameters, stream, err);
    mplan_status status = take_parameters(exec, bound, parameters, err);
    return status ? status
                  : launch(exec, bound, 0, bound->layers ? INT64_MAX : extent_of(bound).n, true,
                           stream, err);
}

/* `first` and `count` are in units of ranges_of (a slice or a strip of elements, a block, ...),
 * `first` at most the number of units. Globals that the loop changes need all elements: such
 * loops are refused. */
mplan_status mplan_exec_launch_range(mplan_exec *exec, mplan_exec_loop *bound, int64_t first,
                                     int64_t count, const void *parameters, void *stream,
                                     mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(bound);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    mplan_status status = take_parameters(exec, bound, parameters, err);
    if (status)
        return status;
    if (bound->layers)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s has layers and is launched as a whole", bound->loop->name);
    for (int32_t a = 0; a < bound->loop->n_args; a++)
        if (mplan_exec_changes_global(bound->loop, a))
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "loop %s changes global %s, which only a whole launch can",
                              bound->loop->name, bound->loop->args[a].dat);
    const extent all = extent_of(bound);
    const int64_t size = unit_size(bound, all.unit), units = ranges_of(bound).count;
    if (first < 0 || count < 0 || count > units || first > units - count)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s has ranges 0 to %lld, not %lld from %lld", bound->loop->name,
                          (long long)(units - 1), (long long)count, (long long)first);
    if (count == 0)
        return MPLAN_OK; /* also behind the last unit, which may be a short one */
    const int64_t end = (first + count) * size;
    return launch(exec, bound, first * size, end < all.n ? end : all.n, false, stream, err);
}

/* Once, after all ranges; loops without a second pass have nothing to do here. */
mplan_status mplan_exec_launch_rest(mplan_exec *exec, mplan_exec_loop *bound,
                                    const void *parameters, void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(bound);
    if (exec->parts)
        return mplan_exec_refuse_parts(__func__, err);
    mplan_status status = take_parameters(exec, bound, parameters, err);
    return status || bound->layers || !has_rest(bound)
               ? status
               : launch(exec, bound, 0, 0, true, stream, err);
}

/* --- pieces, for parts ------------------------------------------------------------------- */

/* How many elements, rows or blocks a whole launch has; *unit says which, mplan_exec_ranges what *any_order means. */
int64_t mplan_exec_extent(const mplan_exec_loop *bound, mplan_range_unit *unit, bool *any_order)
{
    assert(bound && unit && any_order);
    const extent all = extent_of(bound);
    *unit = all.unit;
    *any_order = ranges_of(bound).any_order;
    return all.n;
}

/* Runs the members of the call, and the rest where that is wanted. */
static mplan_status run(mplan_exec *exec, mplan_exec_loop *bound, void *stream, mplan_error *err)
{
    if (bound->layers)
        return mplan_exec_launch_layers(exec, bound, stream, err);
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        mplan_host_run(bound);
        return MPLAN_OK;
    }
    const char *what = bound->kernel->name;
    int code = bound->kernel->launch(&bound->call, stream, false, &what);
    return code ? mplan_gpu_status(code, what, err) : MPLAN_OK;
}

/* One of the pieces that a launch of parts is cut into; what belongs to the launch as a whole is done by the first and
 * by the last of them. */
mplan_status mplan_exec_launch_piece(mplan_exec *exec, mplan_exec_loop *bound,
                                     const mplan_exec_piece *piece, const void *parameters,
                                     void *stream, mplan_error *err)
{
    assert(exec && bound && piece);
    mplan_status status = take_parameters(exec, bound, parameters, err);
    if (!status)
        status = mplan_exec_use(exec, err);
    if (!status && piece->is_first) {
        mplan_exec_mark_written(bound);
        status = mplan_exec_take_cleared(bound, !bound->layers, stream, err);
    }
    mplan_launch_call *call = &bound->call;
    call->first = piece->first;
    call->end = piece->end;
    call->rest = piece->is_last && has_rest(bound);
    if (!status && (call->first < call->end || call->rest))
        status = run(exec, bound, stream, err);
    if (!status && piece->is_last)
        status = mplan_exec_drop_leaves(bound, piece->owned, stream, err);
    return !status && piece->is_last ? mplan_exec_combine_globals(bound, stream, err) : status;
}

/* For everything that was launched on the device, in all streams. On the host launches end before they return. */
mplan_status mplan_exec_wait(mplan_exec *exec, mplan_error *err)
{
    MPLAN_NEED(exec);
    if (exec->parts)
        return exec->calls->wait(exec, err);
    if (exec->executor != MPLAN_EXECUTOR_CUDA)
        return MPLAN_OK;
    mplan_status status = mplan_exec_use(exec, err);
    return !status ? mplan_gpu_wait(err) : status;
}
