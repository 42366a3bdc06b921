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

/* The part of the call that the flat launch asks for. Packed levels are known for all points and for those that need no
 * halo; others are found one by one. false: there is nothing to run. */
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
    if (!points || !call->packed || (first == 0 && end == n))
        return first < end;
    if (first == 0 && end == own->inner_points)
        call->n_packed = own->inner_packed;
    else if (first == own->inner_points && end == n)
        call->first_packed = own->inner_packed;
    else
        call->packed = NULL;
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
