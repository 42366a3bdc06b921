/* SPDX-License-Identifier: Apache-2.0 */
/* cg_device.cu - cg's kernels and vector parts for CUDA */
#include <cassert>

#include "apps/cg_kernels.h"
#include "exec/cuda/device_cuda.h"

namespace {

constexpr int threads = 256;

/* The sum of a thread block, by halving; all threads call it. */
__device__ double sum_of_block(double own)
{
    __shared__ double part[threads];
    part[threadIdx.x] = own;
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    return part[0];
}

/* parts[b]: what block b of MPLAN_CG_PARTS meets of a * b. */
__global__ void multiply(const double *a, const double *b, int64_t n, double *parts)
{
    double own = 0;
    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < n;
         i += int64_t(MPLAN_CG_PARTS) * threads)
        own += a[i] * b[i];
    own = sum_of_block(own);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = own;
}

/* One block: the sum of the parts; keep: where the old one goes. */
__global__ void finish(const double *parts, double *sum, double *keep)
{
    const double whole = sum_of_block(parts[threadIdx.x]);
    if (threadIdx.x == 0) {
        if (keep)
            *keep = *sum;
        *sum = whole;
    }
}

/* 0 once the residual is 0, in place of NaN: iterations behind the answer then change nothing, which a graph of
 * several needs. */
__device__ double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* x and r by alpha = r r / p Ap. Any number of blocks: threads go on by the size of the grid. Holes hold 0 in p and
 * Ap, and so stay 0 in x and r. */
__global__ void advance(mplan_cg_vectors v)
{
    const double alpha = ratio(v.sums[MPLAN_CG_RR], v.sums[MPLAN_CG_PAP]);
    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < v.n;
         i += int64_t(gridDim.x) * threads) {
        v.x[i] += alpha * v.p[i];
        v.r[i] -= alpha * v.ap[i];
    }
}

/* p = r + beta p; first: p = r, and what p held before is not looked at. beta needs the r r of now and the one
 * before. */
__global__ void turn(mplan_cg_vectors v, bool first)
{
    const double beta = first ? 0 : ratio(v.sums[MPLAN_CG_RR], v.sums[MPLAN_CG_RR_BEFORE]);
    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < v.n;
         i += int64_t(gridDim.x) * threads)
        v.p[i] = v.r[i] + (first ? 0 : beta * v.p[i]);
}

/* *sum = a b, in two launches: parts into the first MPLAN_CG_PARTS of v->sums, then their sum. keep: where the old
 * *sum goes; NULL: nowhere. The order depends on n only, so that bits repeat. */
mplan_status dot(const mplan_cg_vectors *v, const double *a, const double *b, double *sum,
                 double *keep, cudaStream_t stream, mplan_error *err)
{
    static_assert(MPLAN_CG_PARTS == threads, "a part for each thread of the last block");
    multiply<<<MPLAN_CG_PARTS, threads, 0, stream>>>(a, b, v->n, v->sums);
    MPLAN_CUDA(cudaGetLastError());
    finish<<<1, threads, 0, stream>>>(v->sums, sum, keep);
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}

/* A thread for each place, but 4096 blocks at most, and one for an empty vector. */
unsigned blocks_of(int64_t n)
{
    const int64_t wanted = (n + threads - 1) / threads;
    return unsigned(wanted < 1 ? 1 : wanted < 4096 ? wanted : 4096);
}

} // namespace

/* Zeroed, since holes of the vectors must be 0. *memory is aligned far beyond 32 bytes. */
mplan_status mplan_cg_gpu_room(int64_t bytes, void **memory, mplan_error *err)
{
    assert(memory);
    MPLAN_CUDA(cudaMalloc(memory, size_t(bytes)));
    MPLAN_CUDA(cudaMemset(*memory, 0, size_t(bytes)));
    return MPLAN_OK;
}

void mplan_cg_gpu_free(void *memory)
{
    cudaFree(memory);
}

/* r is the residual of x before: the right-hand side, where x is 0. Returns without waiting. */
mplan_status mplan_cg_gpu_begin(const mplan_cg_vectors *v, void *stream, mplan_error *err)
{
    cudaStream_t in = static_cast<cudaStream_t>(stream);
    turn<<<blocks_of(v->n), threads, 0, in>>>(*v, true);
    MPLAN_CUDA(cudaGetLastError());
    return dot(v, v->r, v->r, v->sums + MPLAN_CG_RR, nullptr, in, err);
}

/* Two products and two updates of vectors, in the order of the stream: alpha and beta never come to the host. */
mplan_status mplan_cg_gpu_iterate(const mplan_cg_vectors *v, void *stream, mplan_error *err)
{
    cudaStream_t in = static_cast<cudaStream_t>(stream);
    mplan_status status = dot(v, v->p, v->ap, v->sums + MPLAN_CG_PAP, nullptr, in, err);
    if (status)
        return status;
    advance<<<blocks_of(v->n), threads, 0, in>>>(*v);
    MPLAN_CUDA(cudaGetLastError());
    status = dot(v, v->r, v->r, v->sums + MPLAN_CG_RR, v->sums + MPLAN_CG_RR_BEFORE, in, err);
    if (status)
        return status;
    turn<<<blocks_of(v->n), threads, 0, in>>>(*v, false);
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}
