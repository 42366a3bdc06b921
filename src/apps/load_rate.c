/* SPDX-License-Identifier: Apache-2.0 */
/* load_rate.c - how fast a plan file reaches a device
 *
 * Reading checks every section's hash, sections side by side; then all arrays travel
 * together into one piece of the device's memory. */
#include <stdlib.h>

#include "apps/app_device.h"
#include "apps/apps.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"

enum { ALIGNMENT = 256 };

/* Of the numbers, without the padding that aligns the next array. */
static int64_t array_bytes(const mplan_array *array)
{
    return array->rows * array->cols * (int64_t)mplan_type_size(array->type);
}

/* Brings the arrays of a plan to the device and drops them again. */
static mplan_status load_arrays(const mplan_plan *plan, int64_t *bytes, mplan_error *err)
{
    int32_t n = mplan_plan_n_arrays(plan);
    int64_t room = 0;
    void *data = NULL;
    mplan_gpu_transfer *list = mplan_alloc(n, sizeof *list, err);
    if (!list)
        return MPLAN_ERR_MEMORY;
    *bytes = 0;
    for (int32_t i = 0; i < n; i++) {
        int64_t own = array_bytes(mplan_plan_get_array(plan, i));
        *bytes += own;
        room += (own + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    mplan_status status = mplan_gpu_alloc(room, &data, err);
    char *at = data;
    for (int32_t i = 0; i < n && !status; i++) {
        const mplan_array *array = mplan_plan_get_array(plan, i);
        int64_t own = array_bytes(array);
        list[i] = (mplan_gpu_transfer){at, (void *)(uintptr_t)array->data, own};
        at += (own + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    if (!status)
        status = mplan_gpu_upload_all(list, n, err);
    mplan_gpu_free(data);
    free(list);
    return status;
}

/* From the file to the device: reading, checking and copying all arrays. */
mplan_status mplan_app_load_rate(const char *path, int32_t device, double *seconds, int64_t *bytes,
                                 mplan_error *err)
{
    MPLAN_NEED(path);
    MPLAN_NEED(seconds);
    MPLAN_NEED(bytes);
    mplan_plan *plan = NULL;
    int64_t loaded = 0;
    mplan_status status = mplan_gpu_open(device, err);
    if (status)
        return status;
    double begin = mplan_clock();
    status = mplan_plan_read(path, NULL, &plan, err);
    if (!status)
        status = load_arrays(plan, &loaded, err);
    if (!status) {
        *seconds = mplan_clock() - begin;
        *bytes = loaded;
    }
    mplan_plan_free(plan);
    return status;
}
