/* SPDX-License-Identifier: Apache-2.0 */
/* device_reduce.cu - one number from a dat on the device
 *
 * The tree of meshplan_exec.h, a thread block a node; reduce.c is the same on the host. */
#include <cassert>
#include <cmath>

#include "exec/cuda/device_cuda.h"

namespace {

constexpr int leaves = 256;

/* As the host's combine in reduce.c: b replaces a only where it is less (greater), so that the order of both
 * matters for NaN. */
__device__ double combine(mplan_reduction reduction, double a, double b)
{
    if (reduction == MPLAN_SUM)
        return a + b;
    return (reduction == MPLAN_MIN ? b < a : b > a) ? b : a;
}

/* What changes nothing: holes count as this, and threads behind the last place. */
__host__ __device__ double neutral_of(mplan_reduction reduction)
{
    const double all = HUGE_VAL;
    return reduction == MPLAN_SUM ? 0.0 : reduction == MPLAN_MIN ? all : -all;
}

/* A tree of fixed shape over one thread block: equal bits in every run. */
__device__ void reduce_leaf(mplan_reduction reduction, double own, double *node)
{
    __shared__ double leaf[leaves];
    leaf[threadIdx.x] = own;
    __syncthreads();
    for (int half = leaves / 2; half > 0; half /= 2) {
        if (int(threadIdx.x) < half)
            leaf[threadIdx.x] = combine(reduction, leaf[threadIdx.x], leaf[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        node[blockIdx.x] = leaf[0];
}

template <typename T>
/* Of the first n places; holes count as the neutral element. */
__global__ void reduce_members(dat_numbers<T> dat, int64_t n, const int32_t *old_of_new,
                               int32_t component, mplan_reduction reduction, double *node)
{
    int64_t i = int64_t(blockIdx.x) * leaves + threadIdx.x;
    bool there = i < n && (!old_of_new || old_of_new[i] >= 0);
    reduce_leaf(reduction, there ? double(*dat.at(i, component)) : neutral_of(reduction), node);
}

/* The next level of the tree: one node of `leaves` nodes below. n: how many there are below. */
__global__ void reduce_nodes(const double *below, int64_t n, mplan_reduction reduction, double *node)
{
    int64_t i = int64_t(blockIdx.x) * leaves + threadIdx.x;
    reduce_leaf(reduction, i < n ? below[i] : neutral_of(reduction), node);
}

/* Levels of nodes in `room` and `room + n_nodes`, by turns. */
mplan_status reduce_tree(const mplan_gpu_dat *dat, int64_t n_places, const int32_t *old_of_new,
                         int32_t component, mplan_reduction reduction, double *room, double *result,
                         mplan_error *err)
{
    int64_t n = (n_places + leaves - 1) / leaves, most = n;
    double *level = room, *next = room + most;
    if (dat->type == MPLAN_TYPE_F64)
        reduce_members<<<unsigned(n), leaves>>>(dat_numbers<double>(dat), n_places, old_of_new,
                                                component, reduction, level);
    else
        reduce_members<<<unsigned(n), leaves>>>(dat_numbers<float>(dat), n_places, old_of_new,
                                                component, reduction, level);
    MPLAN_CUDA(cudaGetLastError());
    while (n > 1) {
        int64_t up = (n + leaves - 1) / leaves;
        reduce_nodes<<<unsigned(up), leaves>>>(level, n, reduction, next);
        MPLAN_CUDA(cudaGetLastError());
        double *below = level;
        level = next;
        next = below;
        n = up;
    }
    MPLAN_CUDA(cudaMemcpy(result, level, sizeof *result, cudaMemcpyDeviceToHost));
    return MPLAN_OK;
}

} // namespace

/* Levels of `leaves` until one is left, between two halves of the room. */
mplan_status mplan_gpu_reduce(const mplan_gpu_dat *dat, int64_t n, const int32_t *old_of_new,
                              int32_t component, mplan_reduction reduction, double *result,
                              mplan_error *err)
{
    assert(dat && result && component >= 0 && component < dat->dim);
    void *room = nullptr;
    const int64_t n_nodes = (n + leaves - 1) / leaves;
    if (n_nodes == 0) {
        *result = neutral_of(reduction);
        return MPLAN_OK;
    }
    MPLAN_CUDA(cudaDeviceSynchronize()); /* launches in other streams come first */
    mplan_status status = mplan_gpu_alloc(2 * n_nodes * int64_t(sizeof(double)), &room, err);
    if (!status)
        status = reduce_tree(dat, n, old_of_new, component, reduction, static_cast<double *>(room),
                             result, err);
    mplan_gpu_free(room);
    return status;
}
