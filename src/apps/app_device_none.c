/* SPDX-License-Identifier: Apache-2.0 */
/* app_device_none.c - the measurements of builds without CUDA: there is no device */
#ifndef MPLAN_HAVE_CUDA
#include "apps/app_device.h"
#include "apps/cg.h"
#include "base/error.h"

static mplan_status no_cuda(mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "this build of meshplan has no CUDA; cmake -DMPLAN_WITH_CUDA=ON builds one that has, with nvcc");
}

mplan_status mplan_gpu_fingerprint(const void *data, int64_t bytes, uint64_t place, uint64_t *sum,
                                   mplan_error *err)
{
    (void)data, (void)bytes, (void)place, (void)sum;
    return no_cuda(err);
}

mplan_status mplan_gpu_copy_rate(double *rate, mplan_error *err)
{
    (void)rate;
    return no_cuda(err);
}

mplan_status mplan_gpu_profile(int32_t ordinal, mplan_device *device, char *name, size_t size,
                               mplan_error *err)
{
    (void)ordinal, (void)device, (void)name, (void)size;
    return no_cuda(err);
}

mplan_status mplan_gpu_describe(int32_t ordinal, mplan_tune_machine *machine, mplan_error *err)
{
    (void)ordinal, (void)machine;
    return no_cuda(err);
}

bool mplan_gpu_clock(int32_t ordinal, double *megahertz)
{
    (void)ordinal, (void)megahertz;
    return false;
}

mplan_status mplan_cg_gpu_room(int64_t bytes, void **memory, mplan_error *err)
{
    (void)bytes, (void)memory;
    return no_cuda(err);
}

void mplan_cg_gpu_free(void *memory)
{
    (void)memory;
}

mplan_status mplan_cg_gpu_begin(const mplan_cg_vectors *v, void *stream, mplan_error *err)
{
    (void)v, (void)stream;
    return no_cuda(err);
}

mplan_status mplan_cg_gpu_iterate(const mplan_cg_vectors *v, void *stream, mplan_error *err)
{
    (void)v, (void)stream;
    return no_cuda(err);
}

#else
typedef int mplan_app_device_is_cuda; /* a file holds something */
#endif
