/* SPDX-License-Identifier: Apache-2.0 */
/* app_device.h - what the measurements need of a CUDA device, beside exec/cuda/device.h */
#ifndef MPLAN_APP_DEVICE_H
#define MPLAN_APP_DEVICE_H

#include "apps/apps.h"

/* Adds the fingerprints (fingerprint.h) of data's words, the first at `place`, to *sum, in the order of the default
 * stream, without waiting; all on the device, 8-byte aligned. */
mplan_status mplan_gpu_fingerprint(const void *data, int64_t bytes, uint64_t place, uint64_t *sum,
                                   mplan_error *err);

/* Bytes per second, read plus written, of a large copy within the device's memory. */
mplan_status mplan_gpu_copy_rate(double *rate, mplan_error *err);

/* The profile of the device: its limits, and rates that are measured; its name as a profile's, `size` bytes at name. The
 * device stays the calling thread's. */
mplan_status mplan_gpu_profile(int32_t ordinal, mplan_device *device, char *name, size_t size,
                               mplan_error *err);
/* Bytes per second, read plus written, of memcpy by one core. */
mplan_status mplan_app_host_copy_rate(double *rate, mplan_error *err);

/* What the device is. */
mplan_status mplan_gpu_describe(int32_t ordinal, mplan_tune_machine *machine, mplan_error *err);
/* The clock of its multiprocessors now; false: it cannot be asked. */
bool mplan_gpu_clock(int32_t ordinal, double *megahertz);

#endif
