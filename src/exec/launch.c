/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - running a loop that is bound */
#include <string.h>

#include "base/error.h"
#include "exec/exec.h"
#include "exec/host/host.h"

/* parameters: of the kernel, copied into the call; NULL for kernels without any. */
mplan_status mplan_exec_launch(mplan_exec *exec, mplan_exec_loop *bound, const void *parameters,
                               void *stream, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(bound);
    const mplan_kernel *kernel = bound->kernel;
    if (bound->exec != exec)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s is bound to another executor",
                          kernel->name);
    if (!parameters && kernel->parameter_bytes > sizeof(mplan_no_parameters))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "kernel %s needs its %zu bytes of parameters",
                          kernel->name, kernel->parameter_bytes);
    if (parameters)
        memcpy(bound->call.parameters, parameters, kernel->parameter_bytes);
    if (exec->executor != MPLAN_EXECUTOR_CUDA) {
        mplan_host_run(bound);
        return MPLAN_OK;
    }
    mplan_status status = mplan_exec_use(exec, err);
    if (status)
        return status;
    const char *what = kernel->name;
    int code = kernel->launch(&bound->call, stream, false, &what);
    return code ? mplan_gpu_status(code, what, err) : MPLAN_OK;
}

mplan_status mplan_exec_wait(mplan_exec *exec, mplan_error *err)
{
    MPLAN_NEED(exec);
    if (exec->executor != MPLAN_EXECUTOR_CUDA)
        return MPLAN_OK;
    mplan_status status = mplan_exec_use(exec, err);
    return !status ? mplan_gpu_wait(err) : status;
}
