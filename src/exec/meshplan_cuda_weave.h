/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_weave.h - thread blocks of several slabs side by side
 *
 * The slabs of a plan (meshplan-outofcore(7)) are thin, and the rows of each follow the same curve. Run one behind the other, a slab
 * finds what the one before it has read only if the device's cache keeps a whole slab. So thread blocks take turns: one of each
 * slab, with the middles of the slabs side by side. A thread block has the rows that it has without this, so that no bit changes. */
#ifndef MESHPLAN_CUDA_WEAVE_H
#define MESHPLAN_CUDA_WEAVE_H

#include "meshplan_cuda_bounds.h"

namespace mplan {

/* first: the first thread block of each slab among those of the launch, and how many there are. */
struct woven_blocks {
    int32_t first[MPLAN_WEAVE_MOST + 1];
};

/* In kernels whose grid is slabs x thread blocks of the longest one. */
struct woven_place {
    const woven_blocks &woven;
    /* Whether the slab has a thread block here: shorter ones have none at the ends. */
    __device__ __forceinline__ bool there() const
    {
        return block() - unsigned(woven.first[blockIdx.x]) <
               unsigned(woven.first[blockIdx.x + 1] - woven.first[blockIdx.x]);
    }
    __device__ __forceinline__ unsigned block() const
    {
        const int n = woven.first[blockIdx.x + 1] - woven.first[blockIdx.x];
        return unsigned(woven.first[blockIdx.x] + int(blockIdx.y) - ((int(gridDim.y) - n) >> 1));
    }
};

/* The grid for thread blocks of `per_block` rows. False: the call has no slabs side by side, or a slab has too many thread blocks. A thread
 * block that has rows of two slabs is the first one's. */
inline bool weave(const mplan_launch_call *call, int64_t per_block, woven_blocks *woven, dim3 *grid)
{
    enum { HIGHEST = 65535 }; /* of a grid, in y */
    if (!call->weave)
        return false;
    const mplan_launch_weave &slabs = *call->weave;
    int32_t most = 0;
    for (int32_t s = 0; s <= slabs.n; s++) {
        woven->first[s] = int32_t(grid_of(slabs.first[s] - call->first, per_block));
        if (s > 0 && woven->first[s] - woven->first[s - 1] > most)
            most = woven->first[s] - woven->first[s - 1];
    }
    *grid = dim3(unsigned(slabs.n), unsigned(most));
    return most <= HIGHEST;
}

} // namespace mplan

#endif
