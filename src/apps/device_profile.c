/* SPDX-License-Identifier: Apache-2.0 */
/* device_profile.c - the profile of the machine at hand, for the cost model
 *
 * A CUDA device is measured by device_rates.cu. Here is one core of the host, as the executors `host` and `openmp` use it:
 * loops that are plain C like kernels of loops are, with the limits of the built-in profile `cpu`, since these are limits of
 * the executors' tables and not of the machine. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app_device.h"
#include "apps/apps.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "exec/meshplan_exec.h"

enum { RUNS = 7, CHAINS = 8, LINKS = 400000, STAGED = 2048, PASSES = 200, NEAR = 32768 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the loops compute on: the numbers of a block, of an L2 cache, local ids. */
typedef struct desk {
    double *near;  /* NEAR numbers, 1 */
    uint16_t *ids; /* STAGED, each number below it once, without a pattern */
    double found;  /* by a loop */
} desk;

/* --- the loops: each returns how much it did ------------------------------------------------ */

/* f64 multiplications and additions, CHAINS of them at a time that do not wait for one another. */
static double arithmetic(desk *on)
{
    double x[CHAINS];
    const double half = 0.5 * on->near[0];
    for (int c = 0; c < CHAINS; c++)
        x[c] = on->near[c];
    for (int i = 0; i < LINKS; i++)
        for (int c = 0; c < CHAINS; c++)
            x[c] = x[c] * half + half;
    on->found = 0;
    for (int c = 0; c < CHAINS; c++)
        on->found += x[c] / CHAINS;
    return 2.0 * CHAINS * LINKS;
}

/* Atomic adds, as the host's executor does them (host_add.c): the sum replaces what is still there. */
static double atomics(desk *on)
{
    const double nothing = on->near[0] - 1;
    for (int p = 0; p < PASSES; p++)
        for (int i = 0; i < STAGED; i++) {
            double before, after;
            __atomic_load(&on->near[i], &before, __ATOMIC_RELAXED);
            do
                after = before + nothing;
            while (!__atomic_compare_exchange(&on->near[i], &before, &after, true, __ATOMIC_RELAXED,
                                              __ATOMIC_RELAXED));
        }
    on->found = on->near[STAGED - 1];
    return (double)PASSES * STAGED;
}

/* Doubles read by local ids of 16 bits. */
static double gathers(desk *on)
{
    double sum = 0;
    for (int p = 0; p < PASSES; p++)
        for (int i = 0; i < STAGED; i++)
            sum += on->near[on->ids[i] ^ p % STAGED];
    on->found = sum / ((double)PASSES * STAGED);
    return (double)PASSES * STAGED;
}

/* Bytes read of what an L2 cache holds. */
static double near_bytes(desk *on)
{
    double sum = 0;
    for (int p = 0; p < 8; p++)
        for (int i = 0; i < NEAR; i += 4)
            sum += (on->near[i] + on->near[i + 1]) + (on->near[i + 2] + on->near[i + 3]);
    on->found = sum / (8.0 * NEAR);
    return 8.0 * NEAR * sizeof(double);
}

/* How much a second, the median of several runs. Every loop finds 1: one that does not was not run as it is written. */
static mplan_status rate_of(double (*loop)(desk *), desk *on, double *rate, mplan_error *err)
{
    double rates[RUNS];
    loop(on);
    for (int i = 0; i < RUNS; i++) {
        const double begin = mplan_clock(), done = loop(on);
        rates[i] = done / (mplan_clock() - begin);
        if (on->found != 1)
            return mplan_fail(err, MPLAN_ERR_INTERNAL,
                              "a loop that measures the host found %g, not 1", on->found);
    }
    qsort(rates, RUNS, sizeof *rates, ascending);
    *rate = rates[RUNS / 2];
    return MPLAN_OK;
}

/* --- the profile ------------------------------------------------------------------------------ */

/* All rates of one core but `launch`, which stays that of the profile `cpu`. on->near holds ones before and after. */
static mplan_status measure_rates(desk *on, mplan_device *device, mplan_error *err)
{
    mplan_status status = mplan_app_host_copy_rate(&device->copy_rate, err);
    if (!status)
        status = rate_of(arithmetic, on, &device->flop_rate, err);
    if (!status)
        status = rate_of(atomics, on, &device->atomic_rate, err);
    if (!status)
        status = rate_of(gathers, on, &device->shared_rate, err);
    if (!status)
        status = rate_of(near_bytes, on, &device->l2_rate, err);
    return status;
}

/* One core: the limits of `cpu`, rates as they are here. */
static mplan_status host_profile(mplan_device *device, char *name, size_t size, mplan_error *err)
{
    desk on = {mplan_alloc(NEAR, sizeof *on.near, err), NULL, 0};
    on.ids = on.near ? mplan_alloc(STAGED, sizeof *on.ids, err) : NULL;
    mplan_status status = on.ids ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; mplan_device_get(i, device) == MPLAN_OK && device->warp != 1;)
        i++;
    assert(device->warp == 1);
    for (int i = 0; i < NEAR && !status; i++)
        on.near[i] = 1;
    for (int i = 0; i < STAGED && !status; i++)
        on.ids[i] = (uint16_t)(i * 1103 % STAGED);
    if (!status)
        status = measure_rates(&on, device, err);
    free(on.near);
    free(on.ids);
    snprintf(name, size, "host");
    device->name = name;
    return status;
}

/* size: room at name, which device->name points to afterwards, so that name must live as long. *device is filled
 * anew; nothing of it is read. */
mplan_status mplan_app_device_profile(const mplan_exec_options *options, mplan_device *device,
                                      char *name, int32_t size, mplan_error *err)
{
    MPLAN_NEED(device);
    MPLAN_NEED(name);
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    *device = (mplan_device){.version = 1, .measured = true, .source = "this machine"};
    mplan_status status = mplan_options_take(&exec, options, "executor options", err);
    if (status)
        return status;
    if (size < 2)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a name needs room of 2 bytes or more, not %d",
                          (int)size);
    status = exec.executor == MPLAN_EXECUTOR_CUDA
                 ? mplan_gpu_profile(exec.device, device, name, (size_t)size, err)
                 : host_profile(device, name, (size_t)size, err);
    device->version = 1;
    device->measured = true;
    device->source = "this machine";
    return status;
}
