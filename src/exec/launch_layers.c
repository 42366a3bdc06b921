/* SPDX-License-Identifier: Apache-2.0 */
/* launch_layers.c - running a bound loop with layers */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "exec/dat_levels.h"
#include "plan/strategies.h"

bool mplan_exec_layers_cut(const mplan_exec_loop *bound, int64_t *n)
{
    assert(bound && bound->layers && n);
    const mplan_layers_call *call = &bound->layers->call;
    const bool serial = bound->exec->executor == MPLAN_EXECUTOR_SERIAL;
    const bool points = !serial && mplan_strategy_has(call->strategy, MPLAN_TRAIT_OWNERS);
    *n = points ? call->n_points : call->n_elements;
    return serial || points || mplan_strategy_has(call->strategy, MPLAN_TRAIT_ATOMIC);
}

/* Packed levels of points `first` to `end` of n: they are known where these are borders between points that need no halo, others that the part
 * owns, and those of halos; else levels are found point by point. */
static void cut_packed(const mplan_layers_bound *own, int64_t first, int64_t end, int64_t n,
                       mplan_layers_call *call)
{
    const bool begins = first == 0 || first == own->inner_points,
               ends = end == n || end == own->inner_points || end == own->owned_points;
    if (!begins || !ends) {
        call->packed = NULL;
        return;
    }
    call->first_packed = first == 0 ? 0 : own->inner_packed;
    if (end < n)
        call->n_packed = end == own->inner_points ? own->inner_packed : own->owned_packed;
}

/* The part of the call that the flat launch asks for. false: there is nothing to run. */
static bool cut(const mplan_exec_loop *bound, mplan_layers_call *call)
{
    const mplan_layers_bound *own = bound->layers;
    const int64_t first = bound->call.first;
    int64_t n;
    if (!mplan_exec_layers_cut(bound, &n))
        return true;
    const int64_t end = bound->call.end < n ? bound->call.end : n;
    const bool points = bound->exec->executor != MPLAN_EXECUTOR_SERIAL &&
                        mplan_strategy_has(call->strategy, MPLAN_TRAIT_OWNERS);
    call->first = first < end ? first : end;
    *(points ? &call->n_points : &call->n_elements) = end;
    if (points && call->packed)
        cut_packed(own, first, end, n, call);
    return first < end;
}

/* Parameters are where the flat launch has put them; data may have moved since (mplan_exec_adopt). */
mplan_status mplan_exec_launch_layers(mplan_exec *exec, mplan_exec_loop *bound, void *stream,
                                      mplan_error *err)
{
    assert(exec && bound && bound->layers);
    mplan_layers_call call = bound->layers->call;
    memcpy(call.parameters, bound->call.parameters, sizeof call.parameters);
    if (!cut(bound, &call))
        return MPLAN_OK;
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        mplan_host_run_layers(bound, &call);
        return MPLAN_OK;
    }
    mplan_status status = mplan_exec_use(exec, err);
    if (status)
        return status;
    const char *what = bound->kernel->name;
    int code = bound->layers->kernel->launch(&call, stream, &what);
    return code ? mplan_gpu_status(code, what, err) : MPLAN_OK;
}
