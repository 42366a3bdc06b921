/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - profiles of the devices that plans are made for
 *
 * Shared memory, resident threads: CUDA C++ Programming Guide, technical specifications per
 * compute capability (6.0, 7.0, 8.0, 9.0). Processors, clocks, L2 caches, peak bandwidths and
 * f64 units: NVIDIA's white papers on Pascal P100 (2016), Volta V100 (2017), Ampere A100
 * (2020, 40 GB) and Hopper H100 (2022), and the H200's data sheet (2024), all as SXM modules.
 *
 * copy_rate is 0.85 of the peak, measured on the H200 only (4.1 of 4.8 TB/s). flop_rate is 0.9
 * of processors x f64 units x boost clock. shared_rate is four doubles a processor and clock,
 * what gathers with bank conflicts reached on the H200 at 1.755 GHz; atomic_rate, measured there
 * too, is scaled by processors x clock. l2_rate: P100 and V100 as measured by Jia et al.
 * (arXiv 1804.06826, 2018), A100 the same share (0.69) of its 5120 bytes a clock, H200 what the
 * gathering kernels reached; the H100 is taken for an H200 with less bandwidth. */
#include "meshplan.h"

static const mplan_device devices[] = {
    /* in the order of mplan_device's members; a line for the limits, one for the rates */
    {"p100", 48 * 1024, 1024, 56, 2048, 64 * 1024, 4 << 20, 0.62e12, 2.4e12, 0.047e12, 0.33e12,
     1.62e12},
    {"v100", 96 * 1024, 1024, 80, 2048, 96 * 1024, 6 << 20, 0.76e12, 3.5e12, 0.069e12, 0.49e12,
     2.15e12},
    {"a100", 163 * 1024, 1024, 108, 2048, 164 * 1024, 40 << 20, 1.32e12, 4.4e12, 0.085e12, 0.61e12,
     4.97e12},
    {"h100", 227 * 1024, 1024, 132, 2048, 228 * 1024, 50 << 20, 2.85e12, 15e12, 0.13e12, 0.927e12,
     5.5e12},
    {"h200", 227 * 1024, 1024, 132, 2048, 228 * 1024, 60 << 20, 4.10e12, 15e12, 0.13e12, 0.927e12,
     5.5e12},
};

mplan_status mplan_device_get(int32_t i, mplan_device *device)
{
    if (!device || i < 0 || (size_t)i >= sizeof devices / sizeof *devices)
        return MPLAN_ERR_ARGUMENT;
    *device = devices[i];
    return MPLAN_OK;
}
