/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_bulk.h - bulk copies to the shared memory of a thread block, and their barrier (PTX ISA, cp.async.bulk and
 * mbarrier, sm_90)
 *
 * A barrier counts the bytes of one phase: bulk_expect, bulk_bring for all of them, bulk_wait. Devices without bulk copies load
 * words instead; there expect and wait do nothing, and bulk_bring is not called. */
#ifndef MESHPLAN_CUDA_BULK_H
#define MESHPLAN_CUDA_BULK_H

#include "meshplan_cuda_traits.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MPLAN_HAS_BULK 1
#else
#define MPLAN_HAS_BULK 0
#endif

namespace mplan {

#if MPLAN_HAS_BULK
MPLAN_INLINE uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/* One piece, by one thread; addresses and bytes are multiples of 16. */
MPLAN_INLINE void bulk_bring(void *near, const void *far, uint32_t bytes, uint64_t *barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];" ::"r"(shared_address(near)),
                 "l"(far), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}
#endif

/* Makes the barrier, for pieces of so many bytes in all; by one thread. Others may wait at it behind a __syncthreads. */
MPLAN_INLINE void bulk_expect(uint64_t *barrier, uint32_t bytes)
{
#if MPLAN_HAS_BULK
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
#else
    (void)barrier, (void)bytes;
#endif
}

/* Until all pieces have arrived. */
MPLAN_INLINE void bulk_wait(uint64_t *barrier)
{
#if MPLAN_HAS_BULK
    uint32_t done = 0;
    while (!done)
        asm volatile("{\n .reg .pred p;\n"
                     " mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                     " selp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(shared_address(barrier))
                     : "memory");
#else
    (void)barrier;
#endif
}

} // namespace mplan

#endif
