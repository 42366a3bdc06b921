/* SPDX-License-Identifier: Apache-2.0 */
/* launch_layers.c - running a bound loop with layers */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "exec/dat_levels.h"

/* Parameters are where the flat launch has put them; data may have moved since (mplan_exec_adopt). */
mplan_status mplan_exec_launch_layers(mplan_exec *exec, mplan_exec_loop *bound, void *stream,
                                      mplan_error *err)
{
    assert(exec && bound && bound->layers);
    mplan_layers_call *call = &bound->layers->call;
    memcpy(call->parameters, bound->call.parameters, sizeof call->parameters);
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        mplan_host_run_layers(bound);
        return MPLAN_OK;
    }
    mplan_status status = mplan_exec_use(exec, err);
    if (status)
        return status;
    const char *what = bound->kernel->name;
    int code = bound->layers->kernel->launch(call, stream, &what);
    return code ? mplan_gpu_status(code, what, err) : MPLAN_OK;
}
