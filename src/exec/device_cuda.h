/* device_cuda.h - what the CUDA files of the executor share */
#ifndef MPLAN_EXEC_DEVICE_CUDA_H
#define MPLAN_EXEC_DEVICE_CUDA_H

#include <cuda_runtime.h>

#include <cmath>

#include "exec/meshplan_exec.h"

extern "C" {
#include "base/error.h"
#include "exec/device.h"
}

/* Returns from the calling function with the status of a CUDA call that failed. */
#define MPLAN_CUDA(call_)                                                               \
    do {                                                                                \
        cudaError_t code_ = (call_);                                                    \
        if (code_ != cudaSuccess)                                                       \
            return mplan_device_status(static_cast<int>(code_), cuda_name(#call_), err); \
    } while (0)

/* "cudaMalloc" of "cudaMalloc(&data, bytes)" */
struct cuda_name {
    char text[64];
    explicit cuda_name(const char *call)
    {
        size_t n = 0;
        while (call[n] && call[n] != '(' && n + 1 < sizeof text) {
            text[n] = call[n];
            n++;
        }
        text[n] = '\0';
    }
    operator const char *() const { return text; }
};

/* The numbers of a dat, of type T or of the same size. */
template <typename T> struct placed {
    T *data;
    int64_t storage_size;
    int32_t dim;
    bool soa;

    __device__ T *at(int64_t member, int32_t c) const
    {
        return data + (soa ? c * storage_size + member : member * dim + c);
    }
};

#endif
