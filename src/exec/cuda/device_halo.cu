/* SPDX-License-Identifier: Apache-2.0 */
/* device_halo.cu - members of dats into messages and out of them: one thread a number
 *
 * Compiled and linked; not run on a GPU so far. */
#include <cassert>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "exec/cuda/device_halo.h"
}

namespace {

/* Place of row k of an import. */
__device__ int64_t place_of(const mplan_gpu_ranges &to, int64_t k)
{
    return k < to.n ? to.first + k : to.second + k - to.n;
}

template <typename T>
__global__ void pack_rows(dat_numbers<T> dat, const int32_t *list, int64_t numbers, T *rows)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= numbers)
        return;
    const int64_t k = i / dat.dim;
    rows[i] = *dat.at(list[k], int32_t(i - k * dat.dim));
}

template <typename T>
__global__ void unpack_rows(dat_numbers<T> dat, mplan_gpu_ranges to, int64_t numbers, const T *rows)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= numbers)
        return;
    const int64_t k = i / dat.dim;
    *dat.at(place_of(to, k), int32_t(i - k * dat.dim)) = rows[i];
}

template <typename T> __global__ void copy_rows(dat_numbers<T> dat, mplan_gpu_ranges to,
                                                int64_t numbers, dat_numbers<T> from,
                                                const int32_t *list)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= numbers)
        return;
    const int64_t k = i / dat.dim;
    const int32_t c = int32_t(i - k * dat.dim);
    *dat.at(place_of(to, k), c) = *from.at(list[k], c);
}

unsigned blocks_of(int64_t numbers)
{
    return unsigned((numbers + 255) / 256);
}

/* DO(T) for bits of the size of the dat's type. */
#define BY_SIZE(type)                      \
    switch (mplan_type_size(type)) {       \
    case 1: DO(uint8_t) break;             \
    case 2: DO(uint16_t) break;            \
    case 4: DO(uint32_t) break;            \
    default: DO(unsigned long long) break; \
    }

} // namespace

mplan_status mplan_gpu_halo_pack(const mplan_gpu_dat *dat, const int32_t *list, int64_t n,
                                 void *buffer, void *stream, mplan_error *err)
{
    assert(dat && list && buffer);
    const int64_t numbers = n * dat->dim;
    if (numbers == 0)
        return MPLAN_OK;
#define DO(T)                                                                                    \
    pack_rows<T>                                                                                 \
        <<<blocks_of(numbers), 256, 0, static_cast<cudaStream_t>(stream)>>>(dat_numbers<T>(dat), \
                                                                            list, numbers,       \
                                                                            static_cast<T *>(buffer));
    BY_SIZE(dat->type)
#undef DO
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}

mplan_status mplan_gpu_halo_unpack(const mplan_gpu_dat *dat, const mplan_gpu_ranges *to,
                                   const void *buffer, void *stream, mplan_error *err)
{
    assert(dat && to && buffer);
    const int64_t numbers = (to->n + to->n_second) * dat->dim;
    if (numbers == 0)
        return MPLAN_OK;
#define DO(T)                                                                                    \
    unpack_rows<T>                                                                               \
        <<<blocks_of(numbers), 256, 0, static_cast<cudaStream_t>(stream)>>>(dat_numbers<T>(dat), \
                                                                            *to, numbers,        \
                                                                            static_cast<const T *>(buffer));
    BY_SIZE(dat->type)
#undef DO
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}

mplan_status mplan_gpu_halo_copy(const mplan_gpu_dat *dat, const mplan_gpu_ranges *to,
                                 const mplan_gpu_dat *from, const int32_t *list, void *stream,
                                 mplan_error *err)
{
    assert(dat && to && from && list);
    const int64_t numbers = (to->n + to->n_second) * dat->dim;
    if (numbers == 0)
        return MPLAN_OK;
#define DO(T)                                                                                     \
    copy_rows<T>                                                                                  \
        <<<blocks_of(numbers), 256, 0, static_cast<cudaStream_t>(stream)>>>(dat_numbers<T>(dat),  \
                                                                            *to, numbers,         \
                                                                            dat_numbers<T>(from), \
                                                                            list);
    BY_SIZE(dat->type)
#undef DO
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}

mplan_status mplan_gpu_halo_fetch(void *host, const void *device, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    assert(host && device);
    MPLAN_CUDA(cudaMemcpyAsync(host, device, size_t(bytes), cudaMemcpyDeviceToHost,
                               static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

mplan_status mplan_gpu_halo_store(void *device, const void *host, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    assert(device && host);
    MPLAN_CUDA(cudaMemcpyAsync(device, host, size_t(bytes), cudaMemcpyHostToDevice,
                               static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

mplan_status mplan_gpu_halo_wait(void *stream, mplan_error *err)
{
    MPLAN_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    return MPLAN_OK;
}

namespace {

/* Leaves of elements [first, end), all numbers of each, get what changes nothing. */
template <typename T> __global__ void drop_rows(T *leaves, int64_t n_leaves, int32_t dim,
                                                const int32_t *leaf_of, int64_t first, int64_t end,
                                                T neutral)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= (end - first) * dim)
        return;
    const int64_t e = first + i / dim, c = i % dim;
    leaves[c * n_leaves + (leaf_of ? leaf_of[e] : e)] = neutral;
}

} // namespace

mplan_status mplan_gpu_drop_leaves(const mplan_gpu_global *global, const int32_t *leaf_of,
                                   int64_t first, int64_t end, const void *neutral, void *stream,
                                   mplan_error *err)
{
    assert(global && leaf_of && neutral);
    const int64_t numbers = (end - first) * global->dim;
    if (numbers == 0)
        return MPLAN_OK;
#define DO(T)                                                                                   \
    drop_rows<T><<<blocks_of(numbers), 256, 0,                                                  \
                   static_cast<cudaStream_t>(stream)>>>(static_cast<T *>(global->leaves),       \
                                                        global->n, global->dim, leaf_of, first, \
                                                        end, *static_cast<const T *>(neutral));
    BY_SIZE(global->type)
#undef DO
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}
