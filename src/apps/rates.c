/* SPDX-License-Identifier: Apache-2.0 */
/* rates.c - how fast memory is copied where the executor computes */
#include <stdlib.h>
#include <string.h>

#include "apps/app_device.h"
#include "apps/apps.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"

enum { COPIES = 7 };
#define COPY_BYTES (INT64_C(64) << 20)

/* Ascending; times are never NaN. */
static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* *rate: bytes read and written per second, the median of several copies. */
mplan_status mplan_app_host_copy_rate(double *rate, mplan_error *err)
{
    char *from = mplan_alloc_aligned(COPY_BYTES, 1, err);
    char *to = from ? mplan_alloc_aligned(COPY_BYTES, 1, err) : NULL;
    double seconds[COPIES];
    if (!to) {
        free(from);
        return MPLAN_ERR_MEMORY;
    }
    memset(from, 1, (size_t)COPY_BYTES);
    memset(to, 2, (size_t)COPY_BYTES); /* its pages are there before the clock runs */
    for (int i = 0; i < COPIES; i++) {
        double begin = mplan_clock();
        from[i] = (char)i;
        memcpy(to, from, (size_t)COPY_BYTES);
        seconds[i] = mplan_clock() - begin;
    }
    qsort(seconds, COPIES, sizeof *seconds, compare_doubles);
    /* a byte is looked at, so that no copy may be left out */
    bool copied = to[COPIES - 1] == (char)(COPIES - 1);
    *rate = copied && seconds[COPIES / 2] > 0 ? 2.0 * (double)COPY_BYTES / seconds[COPIES / 2] : 0;
    free(from);
    free(to);
    return MPLAN_OK;
}

/* Bytes per second of a large copy, read and written counted both: what no loop can exceed. */
mplan_status mplan_app_copy_rate(mplan_exec *exec, double *rate, mplan_error *err)
{
    MPLAN_NEED(exec);
    MPLAN_NEED(rate);
    mplan_status status = mplan_exec_use(exec, err);
    if (status)
        return status;
    return exec->executor == MPLAN_EXECUTOR_CUDA ? mplan_gpu_copy_rate(rate, err)
                                                 : mplan_app_host_copy_rate(rate, err);
}
