/* SPDX-License-Identifier: Apache-2.0 */
/* device_global.cu - globals on the device: set in the order of a stream, and combined from leaves
 *
 * The tree of globals.c: a thread block a node of leaves, then one thread block for each component.
 * Launches only, so that a graph may hold them. */
#include <cassert>
#include <cstring>

#include "exec/cuda/device_cuda.h"
#include "exec/meshplan_cuda_combine.h"

namespace {

constexpr int lanes = MPLAN_GLOBAL_LANES, node_size = MPLAN_GLOBAL_NODE;

/* n numbers that lie one behind the other; the result is the first thread's. */
template <typename T, int access> __device__ T combine_node(const T *from, int64_t n)
{
    __shared__ T lane[lanes];
    const int own = int(threadIdx.x);
    T value = own < n ? from[own] : mplan::neutral_of<T, access>();
    for (int64_t i = own + lanes; i < n; i += lanes)
        value = mplan::combine<access>(value, from[i]);
    lane[own] = value;
    __syncthreads();
    for (int half = lanes / 2; half > 0; half /= 2) {
        if (own < half)
            lane[own] = mplan::combine<access>(lane[own], lane[own + half]);
        __syncthreads();
    }
    return lane[0];
}

/* A thread block makes one node of node_size leaves: x counts nodes, y components. leaves: dim times n, component by
 * component. The tree is the same as the host's, so the bits are. */
template <typename T, int access> __global__ void nodes_kernel(const T *leaves, int64_t n, T *nodes)
{
    const int64_t first = int64_t(blockIdx.x) * node_size, left = n - first;
    const T value = combine_node<T, access>(leaves + int64_t(blockIdx.y) * n + first,
                                            left < node_size ? left : node_size);
    if (threadIdx.x == 0)
        nodes[int64_t(blockIdx.y) * gridDim.x + blockIdx.x] = value;
}

/* A thread block for each component: the nodes, and then what the global holds already. */
template <typename T, int access> __global__ void root_kernel(const T *nodes, int64_t n_nodes, T *to)
{
    const T value = combine_node<T, access>(nodes + int64_t(blockIdx.x) * n_nodes, n_nodes);
    if (threadIdx.x == 0)
        to[blockIdx.x] = mplan::combine<access>(to[blockIdx.x], value);
}

/* n counts leaves of all components. */
template <typename T, int access> __global__ void clear_kernel(T *leaves, int64_t n)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        leaves[i] = mplan::neutral_of<T, access>();
}

/* A few bytes that come with the launch. */
struct few_bytes {
    unsigned char byte[MPLAN_MAX_PARAMETERS];
};

/* The bytes travel as an argument: the caller's need not live until the stream comes there. */
__global__ void set_kernel(unsigned char *to, const __grid_constant__ few_bytes from, int n)
{
    if (int(threadIdx.x) < n)
        to[threadIdx.x] = from.byte[threadIdx.x];
}

/* Leaves are combined node_size at a time, in their order, then the nodes by one block: the
 * tree depends on n only, so that equal leaves give equal bits. Nodes lie behind the leaves,
 * dim numbers each. */
template <typename T, int access>
int combine_leaves(const mplan_gpu_global *global, cudaStream_t stream)
{
    const int64_t n_nodes = (global->n + node_size - 1) / node_size;
    T *leaves = static_cast<T *>(global->leaves), *nodes = leaves + global->n * global->dim;
    nodes_kernel<T, access>
        <<<dim3(unsigned(n_nodes), unsigned(global->dim)), lanes, 0, stream>>>(leaves, global->n,
                                                                               nodes);
    root_kernel<T, access>
        <<<unsigned(global->dim), lanes, 0, stream>>>(nodes, n_nodes, static_cast<T *>(global->data));
    return cudaGetLastError();
}

/* work<T, access>() by the type and access of a global. */
template <typename W, typename T> int by_access(mplan_access access, const W &work)
{
    switch (access) {
    case MPLAN_INC: return work.template run<T, MPLAN_INC>();
    case MPLAN_INC_MIN: return work.template run<T, MPLAN_INC_MIN>();
    case MPLAN_INC_MAX: return work.template run<T, MPLAN_INC_MAX>();
    default: return cudaErrorInvalidValue;
    }
}

/* Calls work with the C type and the access as template arguments. */
template <typename W> int by_type(mplan_type type, mplan_access access, const W &work)
{
    switch (type) {
    case MPLAN_TYPE_F64: return by_access<W, double>(access, work);
    case MPLAN_TYPE_F32: return by_access<W, float>(access, work);
    case MPLAN_TYPE_I64: return by_access<W, int64_t>(access, work);
    case MPLAN_TYPE_I32: return by_access<W, int32_t>(access, work);
    case MPLAN_TYPE_U16: return by_access<W, uint16_t>(access, work);
    case MPLAN_TYPE_U8: return by_access<W, uint8_t>(access, work);
    default: return cudaErrorInvalidValue;
    }
}

/* combine_leaves with its arguments, for by_type: run<T, access> is called with the global's own. */
struct combining {
    const mplan_gpu_global *global;
    cudaStream_t stream;
    template <typename T, int access> int run() const
    {
        return combine_leaves<T, access>(global, stream);
    }
};

/* n leaves of all components get the neutral number, in the default stream. */
struct clearing {
    void *leaves;
    int64_t n;
    template <typename T, int access> int run() const
    {
        clear_kernel<T, access><<<unsigned((n + 255) / 256), 256>>>(static_cast<T *>(leaves), n);
        return cudaGetLastError();
    }
};

} // namespace

/* Two launches in the stream, whatever n is, since a block of the second takes all nodes of the first. */
mplan_status mplan_gpu_combine_global(const mplan_gpu_global *global, void *stream, mplan_error *err)
{
    assert(global && global->n > 0);
    const combining work = {global, static_cast<cudaStream_t>(stream)};
    const int code = by_type(global->type, global->access, work);
    return code ? mplan_gpu_status(code, "combining a global", err) : MPLAN_OK;
}

/* Done when it returns: launches in other streams follow. */
mplan_status mplan_gpu_clear_global(mplan_type type, mplan_access access, void *leaves, int64_t n,
                                    mplan_error *err)
{
    assert(leaves && n > 0);
    const clearing work = {leaves, n};
    const int code = by_type(type, access, work);
    return code ? mplan_gpu_status(code, "clearing the leaves of a global", err)
                : mplan_gpu_wait(err);
}

/* The values travel as an argument of a kernel: no memory of the host must stay until the
 * stream gets there. */
mplan_status mplan_gpu_set_global(void *to, const void *values, int64_t bytes, void *stream,
                                  mplan_error *err)
{
    assert(to && values && bytes > 0 && bytes <= MPLAN_MAX_PARAMETERS);
    few_bytes few;
    std::memset(&few, 0, sizeof few);
    std::memcpy(&few, values, size_t(bytes));
    set_kernel<<<1, MPLAN_MAX_PARAMETERS, 0, static_cast<cudaStream_t>(stream)>>>(static_cast<
                                                                                      unsigned char *>(to),
                                                                                  few, int(bytes));
    MPLAN_CUDA(cudaGetLastError());
    return MPLAN_OK;
}
