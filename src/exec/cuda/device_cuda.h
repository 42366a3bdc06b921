/* SPDX-License-Identifier: Apache-2.0 */
/* device_cuda.h - what the CUDA files of the executor share */
#ifndef MPLAN_EXEC_DEVICE_CUDA_H
#define MPLAN_EXEC_DEVICE_CUDA_H

#include "exec/meshplan_gpu.h"

#include "exec/meshplan_exec.h"

extern "C" {
#include "base/error.h"
#include "exec/cuda/device.h"
}

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
    operator const char *() const
    {
        return text;
    }
};

/* Returns from the calling function with the status of a CUDA call that failed. */
#define MPLAN_CUDA(call_)                                                             \
    do {                                                                              \
        cudaError_t code_ = (call_);                                                  \
        if (code_ != cudaSuccess)                                                     \
            return mplan_gpu_status(static_cast<int>(code_), cuda_name(#call_), err); \
    } while (0)

/* Of an error code that is kept until later: the call that gave it. */
struct cuda_failure {
    cudaError_t code = cudaSuccess;
    const char *call = "";

    /* Keeps the first failure; true as long as there was none. */
    bool passes(cudaError_t next, const char *name)
    {
        if (code == cudaSuccess && next != cudaSuccess) {
            code = next;
            call = name;
        }
        return code == cudaSuccess;
    }
    mplan_status status(mplan_error *err) const
    {
        return mplan_gpu_status(static_cast<int>(code), call, err);
    }
};

/* A stream of its own for as long as it is in scope; waits for no other. */
struct own_stream {
    cudaStream_t stream = nullptr;
    cudaError_t open()
    {
        return cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    }
    ~own_stream()
    {
        if (stream)
            cudaStreamDestroy(stream);
    }
};

/* An event for as long as it is in scope; destroying one that is still to come is allowed. */
struct own_event {
    cudaEvent_t event = nullptr;
    cudaError_t open(unsigned flags)
    {
        return cudaEventCreateWithFlags(&event, flags);
    }
    ~own_event()
    {
        if (event)
            cudaEventDestroy(event);
    }
};

/* The numbers of a dat, as its type or as bits of the same size. */
template <typename T> struct dat_numbers {
    T *data;
    int64_t storage_size;
    int32_t dim;
    bool soa;

    explicit dat_numbers(const mplan_gpu_dat *dat)
        : data(static_cast<T *>(dat->data)), storage_size(dat->storage_size), dim(dat->dim),
          soa(dat->layout == MPLAN_LAYOUT_SOA)
    {
    }
    __device__ T *at(int64_t member, int32_t c) const
    {
        return data + (soa ? c * storage_size + member : member * dim + c);
    }
};

#endif
