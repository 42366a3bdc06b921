/* SPDX-License-Identifier: Apache-2.0 */
/* settle.c - cleared dats get their zeros (clear.c), for whatever looks at memory */
#include <assert.h>
#include <string.h>

#include "exec/exec.h"

/* Zeroes the dat's memory in the order of the stream; on the host now. */
mplan_status mplan_exec_zero(mplan_exec *exec, mplan_exec_dat *dat, void *stream, mplan_error *err)
{
    assert(exec && dat);
    const int64_t bytes = mplan_exec_dat_bytes(dat);
    dat->cleared = false;
    if (bytes == 0)
        return MPLAN_OK;
    if (dat->set < 0 ? exec->executor == MPLAN_EXECUTOR_CUDA : mplan_exec_dats_on_device(exec))
        return mplan_gpu_clear(dat->data, bytes, stream, err);
    mplan_status status = mplan_exec_take_stored(exec, dat, false, err);
    if (!status)
        memset(dat->data, 0, (size_t)bytes);
    return mplan_exec_give_stored(exec, dat, true, status, err);
}

/* Launches that still read the old numbers may be in any stream. */
mplan_status mplan_exec_settle(mplan_exec *exec, mplan_exec_dat *dat, mplan_error *err)
{
    assert(exec && dat);
    if (!dat->cleared)
        return MPLAN_OK;
    const bool device = exec->executor == MPLAN_EXECUTOR_CUDA;
    mplan_status status = mplan_exec_use(exec, err);
    if (!status && device)
        status = mplan_gpu_wait(err);
    if (!status)
        status = mplan_exec_zero(exec, dat, NULL, err);
    return !status && device ? mplan_gpu_wait(err) : status;
}

/* Before something that must see all values. */
mplan_status mplan_exec_settle_all(mplan_exec *exec, mplan_error *err)
{
    assert(exec);
    mplan_status status = MPLAN_OK;
    for (int32_t d = 0; d < exec->n_dats && !status; d++)
        status = mplan_exec_settle(exec, &exec->dats[d], err);
    return status;
}

/* Likewise, but the zeros are written in the order of the stream, and nothing waits. */
mplan_status mplan_exec_settle_in_stream(mplan_exec *exec, void *stream, mplan_error *err)
{
    assert(exec);
    mplan_status status = MPLAN_OK;
    for (int32_t d = 0; d < exec->n_dats && !status; d++)
        if (exec->dats[d].cleared)
            status = mplan_exec_zero(exec, &exec->dats[d], stream, err);
    return status;
}
