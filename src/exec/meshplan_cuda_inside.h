/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_inside.h - kernels of loops that exchange halos with other devices themselves
 *
 * Thread blocks in front of the loop's own send and receive the messages, and those of members that need a halo wait for it
 * (meshplan_exchange.h). They are compiled for owner-gather (index32; index16 or, of pairs, windows16), two-step and loops
 * over elements in one launch, in the layouts that plans advise for owner-gather, and for block-gather in those that plans
 * advise for blocks; the others have messages by kernels of their own, as have all with MPLAN_WITHOUT_INSIDE, which nvcc takes
 * half as long for. */
#ifndef MESHPLAN_CUDA_INSIDE_H
#define MESHPLAN_CUDA_INSIDE_H

#include "meshplan_cuda_blocks.h"
#include "meshplan_cuda_bounds.h"
#include "meshplan_cuda_elements.h"
#include "meshplan_cuda_windows.h"

namespace mplan {

#if defined __HIP__ || \
    defined MPLAN_WITHOUT_INSIDE /* HIP has not the order of thread blocks in writing */
template <class L> int launch_inside(const mplan_launch_call *, cudaStream_t, bool)
{
    return cudaErrorInvalidValue;
}
#else

/* --- kernels: each as the one without `inside`, with another order of thread blocks --------------------------------- */

template <class L, int encoding, int width>
__global__ void owner_gather_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                           const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_point<L, encoding, width>(call, inside_place{x});
}

template <class L, int width> __global__ void __launch_bounds__(BOUNDED_THREADS, BOUNDED_BLOCKS)
    windows_bounded_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                  const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_row<L, width>(call, inside_place{x});
}

template <class L, int width>
__global__ void windows_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                      const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_row<L, width>(call, inside_place{x});
}

template <class L>
__global__ void elements_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                       const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        run_elements<L, true>(call, call.first, call.end, inside_place{x});
}

template <class L>
__global__ void results_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                      const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        store_results<L>(call, inside_place{x});
}

template <class L>
__global__ void block_gather_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                           const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_block<L>(call, call.first, inside_place{x});
}

template <class L>
__global__ void block_columns_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                            const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_block<L, BY_COLUMNS>(call, call.first, inside_place{x});
}

template <class L>
__global__ void block_rounds_inside_kernel(const __grid_constant__ mplan_launch_call call,
                                           const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_block<L, BY_ROUNDS>(call, call.first, inside_place{x});
}

template <class L> __global__ void MPLAN_FEW_REGISTERS
block_gather_few_inside_kernel(const __grid_constant__ mplan_launch_call call,
                               const __grid_constant__ mplan_launch_exchange x)
{
    if (!is_mail_block(x))
        gather_block<L>(call, call.first, inside_place{x});
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

/* As launch_owner and find_windows_kernels choose. */
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

/* As block_gather_of; sums by colour take several launches. */
template <class L> inside_kernel blocks_inside_of(const mplan_launch_call *call)
{
    static const bounds_facts facts = facts_of(block_gather_few_inside_kernel<L>,
                                               block_gather_inside_kernel<L>);
    if (call->sums == MPLAN_SUMS_COLOUR)
        return nullptr;
    if constexpr (adds_columns<L>)
        if (call->columns_apart)
            return call->round ? block_rounds_inside_kernel<L> : block_columns_inside_kernel<L>;
    return takes_bounds(call, facts, FEW_REGISTERS, FEW_SPILLED) ? block_gather_few_inside_kernel<L>
                                                                 : block_gather_inside_kernel<L>;
}

/* Whether calls of block-gather come here: layouts of blocks, or those for owner-gather where they are the same, as those are
 * looked for first. */
template <class L> constexpr bool find_gathers_blocks()
{
    bool same = true;
    for (int a = 0; a < L::n_args; a++)
        same = same && find_layout<L>(a, OWNER_LAYOUTS) == find_layout<L>(a, BLOCK_LAYOUTS);
    return first_increment<L> >= 0 &&
           (L::layouts == GATHERED_LAYOUTS || L::layouts == (same ? OWNER_LAYOUTS : BLOCK_LAYOUTS));
}

/* Loops without maps need no halo. */
template <class L> constexpr bool find_any_map()
{
    for (int a = 0; a < L::n_args; a++)
        if (find_mapped_arg<L>(a))
            return true;
    return false;
}

/* NULL: none that exchanges. Not for all layouts, as each has kernels of its own. */
template <class L> inside_kernel find_inside_kernel(const mplan_launch_call *call)
{
    inside_kernel kernel = nullptr;
    if constexpr (find_gathers_blocks<L>())
        if (call->strategy == MPLAN_STRATEGY_BLOCK_GATHER)
            kernel = blocks_inside_of<exchanging<L>>(call);
    if constexpr (L::layouts == OWNER_LAYOUTS && find_any_map<L>()) {
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

/* What the executor needs to know to cut a launch; the kernel is ready for it. */
inline int describe_inside(const mplan_launch_call *call, inside_kernel kernel)
{
    int device = 0, processors = 0, blocks = 0;
    int code = call->shared_bytes > 0
                   ? raise_shared(reinterpret_cast<const void *>(kernel), call->shared_bytes)
                   : 0;
    if (!code)
        code = cudaGetDevice(&device);
    if (!code)
        code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (!code)
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, call->threads,
                                                             size_t(call->shared_bytes));
    call->exchange->resident = processors * blocks;
    call->exchange->per_block = call->strategy == MPLAN_STRATEGY_BLOCK_GATHER ? 1
                                : call->strategy == MPLAN_STRATEGY_ATOMIC
                                    ? call->threads * call->elements_per_thread
                                    : call->threads;
    return code;
}

/* The range of the call, which is not empty, with its messages; a cudaError_t. prepare: only what launches are cut by. */
template <class L> int launch_inside(const mplan_launch_call *call, cudaStream_t stream, bool prepare)
{
    const inside_kernel kernel = find_inside_kernel<L>(call);
    if (!kernel)
        return cudaErrorInvalidValue;
    if (prepare) {
        const int code = describe_inside(call, kernel);
        if (code)
            cudaGetLastError(); /* another launch is not to find it */
        return code;
    }
    const mplan_launch_exchange &x = *call->exchange;
    start_kernel(kernel, unsigned(x.blocks) + grid_of(call->end - call->first, x.per_block),
                 call->threads, size_t(call->shared_bytes), stream, *call, x);
    return cudaGetLastError();
}
#endif

} // namespace mplan

#endif
