/* SPDX-License-Identifier: Apache-2.0 */
/* lfric_steps.h - LFRic's matrix-vector product as the report's five steps: W0, matrix(df,df2,ik), map(df) + k
 *
 * 1 original: a launch per colour, a thread per cell; per layer x is copied, multiplied, added. 2 loops fused: no copies.
 * 3 collapsed: a thread per (cell, layer). 4 inlined: a thread per (cell, layer, df). 5 single launch: step 4 over all
 * cells, with atomic adds. 1 to 4 give equal bits for one order of colours, 5 does not. */
#ifndef MESHPLAN_LFRIC_STEPS_H
#define MESHPLAN_LFRIC_STEPS_H

#include <cuda_runtime.h>

namespace lfric {

enum { DOFS = 8, THREADS = 256, STEPS = 5 };

struct data {
    const int *map; /* [cells][8]: number of layer 0 */
    const double *m, *x;
    double *lhs;
    int layers;
};

__device__ inline const double *matrix_of(const data &d, int cell, int k)
{
    return d.m + (size_t(cell) * d.layers + k) * (DOFS * DOFS);
}

/* Row df of layer k. */
__device__ inline double row_of(const data &d, int cell, int k, int df)
{
    const double *m = matrix_of(d, cell, k);
    double sum = 0;
    for (int df2 = 0; df2 < DOFS; df2++)
        sum += m[df2 * DOFS + df] * d.x[d.map[cell * DOFS + df2] + k];
    return sum;
}

/* list: n cells of a colour. */
__global__ void original(data d, const int *list, int n)
{
    const int i = int(blockIdx.x) * THREADS + int(threadIdx.x);
    if (i >= n)
        return;
    const int cell = list[i];
    for (int k = 0; k < d.layers; k++) {
        const double *m = matrix_of(d, cell, k);
        double x[DOFS], sum[DOFS];
        for (int df = 0; df < DOFS; df++)
            x[df] = d.x[d.map[cell * DOFS + df] + k], sum[df] = 0;
        for (int df2 = 0; df2 < DOFS; df2++)
            for (int df = 0; df < DOFS; df++)
                sum[df] += m[df2 * DOFS + df] * x[df2];
        for (int df = 0; df < DOFS; df++)
            d.lhs[d.map[cell * DOFS + df] + k] += sum[df];
    }
}

__global__ void fused(data d, const int *list, int n)
{
    const int i = int(blockIdx.x) * THREADS + int(threadIdx.x);
    if (i >= n)
        return;
    const int cell = list[i];
    for (int k = 0; k < d.layers; k++)
        for (int df = 0; df < DOFS; df++)
            d.lhs[d.map[cell * DOFS + df] + k] += row_of(d, cell, k, df);
}

/* Dofs below first: the layer above adds to the same levels. Blocks of whole columns: `columns` of them. */
__global__ void collapsed(data d, const int *list, int n, int columns)
{
    const int local = int(threadIdx.x) / d.layers, k = int(threadIdx.x) - local * d.layers;
    const int i = int(blockIdx.x) * columns + local;
    const bool on = local < columns && i < n;
    for (int half = 0; half < 2; half++) {
        if (half)
            __syncthreads();
        for (int df = 4 * half; df < 4 * half + 4 && on; df++)
            d.lhs[d.map[list[i] * DOFS + df] + k] += row_of(d, list[i], k, df);
    }
}

/* One thread per (cell, layer, df of a half): the halves are two launches. */
__global__ void inlined(data d, const int *list, int n, int half)
{
    const long t = long(blockIdx.x) * THREADS + threadIdx.x, ik = t / 4;
    const int df = int(t % 4) + 4 * half;
    if (ik >= long(n) * d.layers)
        return;
    const int i = int(ik / d.layers), k = int(ik - long(i) * d.layers);
    d.lhs[d.map[list[i] * DOFS + df] + k] += row_of(d, list[i], k, df);
}

__global__ void single(data d, int cells)
{
    const long t = long(blockIdx.x) * THREADS + threadIdx.x, ik = t / DOFS;
    const int df = int(t % DOFS);
    if (ik >= long(cells) * d.layers)
        return;
    const int cell = int(ik / d.layers), k = int(ik - long(cell) * d.layers);
    atomicAdd(&d.lhs[d.map[cell * DOFS + df] + k], row_of(d, cell, k, df));
}

/* Step 1 to 5; list: cells by colour, those of colour c are list[begin[c]] to list[begin[c + 1] - 1]; host numbers in
 * begin. */
inline void launch(int step, const data &d, const int *list, const int *begin, int colours, int cells)
{
    const int columns = d.layers < THREADS ? THREADS / d.layers : 1;
    const long rows = long(cells) * d.layers * DOFS;
    if (step == STEPS) {
        single<<<unsigned((rows + THREADS - 1) / THREADS), THREADS>>>(d, cells);
        return;
    }
    for (int c = 0; c < colours; c++) {
        const int n = begin[c + 1] - begin[c];
        const int *own = list + begin[c];
        const unsigned blocks = unsigned((n + THREADS - 1) / THREADS);
        if (step == 1)
            original<<<blocks, THREADS>>>(d, own, n);
        if (step == 2)
            fused<<<blocks, THREADS>>>(d, own, n);
        if (step == 3)
            collapsed<<<unsigned((n + columns - 1) / columns), unsigned(columns * d.layers)>>>(d,
                                                                                               own, n,
                                                                                               columns);
        for (int half = 0; step == 4 && half < 2; half++)
            inlined<<<unsigned((long(n) * d.layers * 4 + THREADS - 1) / THREADS), THREADS>>>(d, own,
                                                                                             n, half);
    }
}

} // namespace lfric

#endif
