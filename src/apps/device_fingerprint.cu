/* SPDX-License-Identifier: Apache-2.0 */
/* device_fingerprint.cu - the fingerprint of fingerprint.h on the device */
#include <cassert>
#include <algorithm>

#include "exec/cuda/device_cuda.h"

extern "C" {
#include "apps/app_device.h"
}
#include "apps/fingerprint.h"

namespace {

constexpr int threads = 256, most_blocks = 1024;

/* A sum that does not depend on the order, so that blocks may run in any. */
__global__ void add_words(const uint64_t *words, int64_t bytes, uint64_t place,
                          unsigned long long *sum)
{
    int64_t n = (bytes + 7) / 8, step = int64_t(gridDim.x) * threads;
    uint64_t own = 0;
    for (int64_t i = int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += step) {
        uint64_t word = 0;
        if (8 * i + 8 <= bytes)
            word = words[i];
        else
            for (int64_t at = 8 * i; at < bytes; at++)
                word |= uint64_t(reinterpret_cast<const unsigned char *>(words)[at])
                        << (8 * (at - 8 * i));
        own += mplan_word_fingerprint(word, place + uint64_t(i));
    }
    for (int half = 16; half > 0; half /= 2)
        own += __shfl_down_sync(0xffffffffu, own, half);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, static_cast<unsigned long long>(own));
}

} // namespace

/* sum: in device memory. */
mplan_status mplan_gpu_fingerprint(const void *data, int64_t bytes, uint64_t place, uint64_t *sum,
                                   mplan_error *err)
{
    assert(sum);
    int64_t blocks = std::min<int64_t>(most_blocks, (bytes / 8 + threads) / threads);
    add_words<<<unsigned(blocks), threads>>>(static_cast<const uint64_t *>(data), bytes, place,
                                             reinterpret_cast<unsigned long long *>(sum));
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}
