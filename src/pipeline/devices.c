/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - profiles of the devices that plans are made for
 *
 * Shared memory, resident threads: CUDA C++ Programming Guide, technical specifications per
 * compute capability (6.0, 7.0, 8.0, 8.9, 9.0, 10.0, 12.0). Processors, clocks, L2 caches, peak bandwidths and
 * f64 units: NVIDIA's white papers on Pascal P100 (2016), Volta V100 (2017), Ampere A100
 * (2020, 40 GB), Hopper H100 (2022), Ada (2022) and RTX Blackwell (2025), the data sheets of H200 (2024), L40S (2023),
 * HGX B200 and GB200 NVL72 (2024), all but the cards as SXM modules; AMD's data sheet and CDNA 3 white paper for MI300X (2023).
 *
 * copy_rate is 0.85 of the peak, measured on the H200 only (4.1 of 4.8 TB/s). flop_rate is 0.9
 * of processors x f64 units x boost clock. shared_rate is four doubles a processor and clock,
 * what gathers with bank conflicts reached on the H200 at 1.755 GHz; atomic_rate, measured there
 * too, is scaled by processors x clock. l2_rate: P100 and V100 as measured by Jia et al.
 * (arXiv 1804.06826, 2018), A100 the same share (0.69) of its 5120 bytes a clock, H200 what the
 * gathering kernels reached; the H100 is taken for an H200 with less bandwidth. B200, GB200 and MI300X are scaled from it
 * by processors x clock, cards are taken for an H200, which has about as many processors at a higher clock.
 *
 * B200, GB200, L40S, the RTX cards and MI300X: no kernel of meshplan has run there. Their figures were compared with public
 * pages in November 2026 (vendors' tables as resellers and reviews repeat them, and what drivers print):
 *   B200     148 processors and 126 MB of L2 cache (driver), 8 TB/s, 37 to 40 TFLOPS in f64 (here 37)
 *   GB200    8 TB/s, 40 TFLOPS a GPU (45 at 1,200 W; here 40); limits as of B200
 *   L40S     142 processors (driver), 864 GB/s, 1.43 TFLOPS; L2 cache: pages say 48 and 96 MB; 96 is the whole chip's
 *   RTX 4090 128 processors and 72 MB (driver), 1,008 GB/s; 1/64 of 82.6 TFLOPS
 *   RTX 5090 170 processors, 96 MB, 1,792 GB/s, 2.407 GHz; 1/64 of 104.8 TFLOPS
 *   MI300X   304 processors, 8 L2 caches of 4 MB (behind them 256 MB of Infinity Cache, which the model does not have), 5.3
 *            TB/s, 81.7 TFLOPS, 64 KB of LDS, wavefronts of 64
 * A peak of f64 counts two for a multiplication and an addition; flop_rate counts one.
 *
 * cpu is one core of a server: an executor of the host shares a loop evenly, so that the number of cores changes no choice. cost_host.c
 * says what its rates are for. */
#include "meshplan.h"

#define MEASURED "kernels of tools/gpu on an H200 (tools/RESULTS.md)"
#define SHEET "data sheet"
#define PUBLISHED \
    "published limits and peaks, compared with public pages; other rates scaled; not measured"

static const mplan_device devices[] = {
    /* in the order of mplan_device's members; a line for the limits, one for the rates */
    {"p100", 48 * 1024, 1024, 56, 2048, 64 * 1024, 4 << 20, 0.62e12, 2.4e12, 0.047e12, 0.33e12,
     1.62e12, 32, 1, false, SHEET, 0, 0, 0},
    {"v100", 96 * 1024, 1024, 80, 2048, 96 * 1024, 6 << 20, 0.76e12, 3.5e12, 0.069e12, 0.49e12,
     2.15e12, 32, 1, false, SHEET, 0, 0, 0},
    {"a100", 163 * 1024, 1024, 108, 2048, 164 * 1024, 40 << 20, 1.32e12, 4.4e12, 0.085e12, 0.61e12,
     4.97e12, 32, 1, false, SHEET, 0, 0, 0},
    {"h100", 227 * 1024, 1024, 132, 2048, 228 * 1024, 50 << 20, 2.85e12, 15e12, 0.13e12, 0.927e12,
     5.5e12, 32, 1, false, SHEET, 0, 0, 0},
    {"h200", 227 * 1024, 1024, 132, 2048, 228 * 1024, 60 << 20, 4.10e12, 15e12, 0.13e12, 0.927e12,
     5.5e12, 32, 1, true, MEASURED, 0, 0, 0},
    {"b200", 227 * 1024, 1024, 148, 2048, 228 * 1024, 126 << 20, 6.8e12, 16.7e12, 0.162e12, 1.15e12,
     6.85e12, 32, 1, false, PUBLISHED, 0, 0, 0},
    {"gb200", 227 * 1024, 1024, 148, 2048, 228 * 1024, 126 << 20, 6.8e12, 18e12, 0.175e12, 1.25e12,
     7.4e12, 32, 1, false, PUBLISHED, 0, 0, 0},
    {"l40s", 99 * 1024, 1024, 142, 1536, 100 * 1024, 96 << 20, 0.73e12, 0.64e12, 0.13e12, 0.927e12,
     5.5e12, 32, 1, false, PUBLISHED, 0, 0, 0},
    {"rtx4090", 99 * 1024, 1024, 128, 1536, 100 * 1024, 72 << 20, 0.86e12, 0.58e12, 0.13e12,
     0.927e12, 5.5e12, 32, 1, false, PUBLISHED, 0, 0, 0},
    {"rtx5090", 99 * 1024, 1024, 170, 1536, 100 * 1024, 96 << 20, 1.52e12, 0.74e12, 0.13e12,
     0.927e12, 5.5e12, 32, 1, false, PUBLISHED, 0, 0, 0},
    {"mi300x", 64 * 1024, 1024, 304, 2048, 64 * 1024, 32 << 20, 4.5e12, 36.8e12, 0.36e12, 2.55e12,
     15e12, 64, 1, false, PUBLISHED, 0, 0, 0},
    {"cpu", 1 << 20, 1024, 1, 1, 1 << 20, 1 << 20, 10e9, 4e9, 0.2e9, 2e9, 40e9, 1, 1, true,
     "built-in applications on a server of two cores (tools/RESULTS.md)", 0, 0, 0},
};

/* i counts the profiles; *device is a copy. */
mplan_status mplan_device_get(int32_t i, mplan_device *device)
{
    if (!device || i < 0 || (size_t)i >= sizeof devices / sizeof *devices)
        return MPLAN_ERR_ARGUMENT;
    *device = devices[i];
    return MPLAN_OK;
}
