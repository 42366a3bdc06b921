/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_inside.h - kernels of loops that exchange halos with other devices themselves
 *
 * Thread blocks in front of the loop's own send and receive the messages, and those of members that need a halo wait for it
 * (meshplan_exchange.h). They are compiled for owner-gather (index32; index16 or, of pairs, windows16), two-step and loops
 * over elements in one launch, in the layouts that plans advise for these; the others have messages by kernels of their own. */
#ifndef MESHPLAN_CUDA_INSIDE_H
#define MESHPLAN_CUDA_INSIDE_H

#include "meshplan_cuda_bounds.h"
#include "meshplan_cuda_elements.h"
#include "meshplan_cuda_windows.h"

namespace mplan {

#ifdef __HIP__ /* has not the order of thread blocks in writing */
template <class L> int launch_inside(const mplan_launch_call *, cudaStream_t, bool)
{
    return cudaErrorInvalidValue;
}
#else

/* --- kernels: each as the one without `inside`, whose places of thread blocks begin behind those of messages -------- */

template <class L, int encoding, int width>
__global__ void owner_gather_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                           const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_point<L, encoding, width>(call);
}

template <class L, int width> __global__ void __launch_bounds__(BOUNDED_THREADS, BOUNDED_BLOCKS)
    windows_bounded_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                  const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_row<L, width>(call);
}

template <class L, int width>
__global__ void windows_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                      const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_row<L, width>(call);
}

template <class L>
__global__ void elements_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                       const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        run_elements<L, true>(call, call.first, call.end);
}

template <class L>
__global__ void results_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                      const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        store_results<L>(call);
}

/* --- which of them a call takes ----------------------------------------------------------- */

typedef void (*inside_kernel)(mplan_launch_call, mplan_launch_exchange);

template <class L, int encoding> inside_kernel owner_inside_of(const mplan_launch_call *call)
{
    switch (call->width) {
    case 2: return owner_gather_inside_kernel<L, encoding, 2>;
    case 3: return owner_gather_inside_kernel<L, encoding, 3>;
    case 4: return owner_gather_inside_kernel<L, encoding, 4>;
    default: return owner_gather_inside_kernel<L, encoding, 0>;
    }
}

template <class L, int width> inside_kernel windows_inside_of(const mplan_launch_call *call)
{
    static const bounds_facts facts = facts_of(windows_bounded_inside_kernel<L, width>,
                                               windows_inside_kernel<L, width>);
    return call->threads <= BOUNDED_THREADS && takes_bounds(call, facts, BOUNDED_REGISTERS, 0)
               ? windows_bounded_inside_kernel<L, width>
               : windows_inside_kernel<L, width>;
}

/* As launch_owner and find_windows_kernel choose. */
template <class L> inside_kernel gather_inside_of(const mplan_launch_call *call)
{
    if (call->encoding == MPLAN_ENCODING_INDEX32)
        return owner_inside_of<L, MPLAN_ENCODING_INDEX32>(call);
    if constexpr (!pairwise<L>) {
        if (call->encoding == MPLAN_ENCODING_INDEX16)
            return owner_inside_of<L, MPLAN_ENCODING_INDEX16>(call);
    } else if (call->encoding == MPLAN_ENCODING_WINDOWS16) {
        if (!call->owner_by_entry && call->width == 3)
            return windows_inside_of<L, 3>(call);
        if (!call->owner_by_entry && call->width == 4)
            return windows_inside_of<L, 4>(call);
        return windows_inside_of<L, 0>(call);
    }
    return nullptr;
}

/* NULL: none that exchanges. L: in owner layouts, so that maps are complete. */
template <class L> inside_kernel find_inside_kernel(const mplan_launch_call *call)
{
    inside_kernel kernel = nullptr;
    if constexpr (L::layouts == OWNER_LAYOUTS) {
        if (call->strategy == MPLAN_STRATEGY_TWO_STEP)
            kernel = results_inside_kernel<exchanging<L>>;
        else if (call->strategy == MPLAN_STRATEGY_ATOMIC)
            kernel = elements_inside_kernel<exchanging<L>>;
        else if constexpr (first_increment<L> >= 0)
            if (call->strategy == MPLAN_STRATEGY_OWNER_GATHER)
                kernel = gather_inside_of<exchanging<L>>(call);
    }
    return kernel && (call->strategy == MPLAN_STRATEGY_OWNER_GATHER ||
                      fitting_threads(kernel, call->threads) == call->threads)
               ? kernel
               : nullptr;
}

/* What the executor needs to know to cut a launch. */
inline int describe_inside(const mplan_launch_call *call, inside_kernel kernel)
{
    int device = 0, processors = 0, blocks = 0;
    int code = cudaGetDevice(&device);
    if (!code)
        code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (!code)
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, call->threads, 0);
    call->exchange->resident = processors * blocks;
    call->exchange->per_block = call->threads * (call->strategy == MPLAN_STRATEGY_ATOMIC
                                                     ? call->elements_per_thread
                                                     : 1);
    return code;
}

/* The range of the call, which is not empty, with its messages; a cudaError_t. prepare: only what launches are cut by. */
template <class L> int launch_inside(const mplan_launch_call *call, cudaStream_t stream, bool prepare)
{
    const inside_kernel kernel = find_inside_kernel<L>(call);
    if (!kernel)
        return cudaErrorInvalidValue;
    if (prepare)
        return describe_inside(call, kernel);
    const mplan_launch_exchange &x = *call->exchange;
    mplan_launch_call own = *call;
    own.first -= int64_t(x.blocks) * x.per_block;
    kernel<<<unsigned(x.blocks) + grid_of(call->end - call->first, x.per_block), call->threads, 0,
             stream>>>(own, x);
    return cudaGetLastError();
}
#endif

} // namespace mplan

#endif
