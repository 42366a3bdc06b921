/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_weave.h - thread blocks of several slabs, piece by piece
 *
 * The slabs of a plan (meshplan-outofcore(7)) are thin, and the rows of each follow the same curve. Run one behind the other, a slab
 * finds what the one before it has read only if the device's cache keeps a whole slab. So a launch goes along the curve: a piece of it
 * (SLAB_PIECES) in all slabs, one slab after the other, then the next piece. A thread block has the rows that it has without this, so that
 * no bit changes. */
#ifndef MESHPLAN_CUDA_WEAVE_H
#define MESHPLAN_CUDA_WEAVE_H

#include "meshplan_cuda_bounds.h"

namespace mplan {

/* Thread blocks of a launch, by slab s and piece k. */
struct woven_blocks {
    int32_t n;                         /* slabs */
    int32_t at[MPLAN_SLAB_PIECES + 1]; /* how many come before each piece; at the end: all */
    int32_t first[MPLAN_WEAVE_MOST];   /* of each slab, where thread blocks follow their rows */
    uint16_t begin[MPLAN_WEAVE_MOST][MPLAN_SLAB_PIECES]; /* where the piece begins in the slab */
    uint16_t before[MPLAN_SLAB_PIECES][MPLAN_WEAVE_MOST]; /* how many of the piece are of slabs before this one */
};
static_assert(MPLAN_WEAVE_MOST <= 32 && (MPLAN_SLAB_PIECES & (MPLAN_SLAB_PIECES - 1)) == 0,
              "searches");
/* As much as every device takes. */
static_assert(sizeof(mplan_launch_call) + sizeof(woven_blocks) <= 4096, "args of kernels");

/* The thread block whose rows this one has. Found once, by few loads that wait for one another: all threads have the same number. */
class woven_place {
    unsigned block_;

  public:
    __device__ __forceinline__ explicit woven_place(const woven_blocks &woven)
    {
        const int own = int(blockIdx.x);
        int k = 0, s = 0;
#pragma unroll
        for (int half = MPLAN_SLAB_PIECES / 2; half > 0; half /= 2)
            if (woven.at[k + half] <= own)
                k += half;
        const int left = own - woven.at[k];
#pragma unroll
        for (int half = 16; half > 0; half /= 2)
            if (s + half < woven.n && woven.before[k][s + half] <= left)
                s += half;
        block_ = unsigned(woven.first[s] + woven.begin[s][k] + left - woven.before[k][s]);
    }
    __device__ __forceinline__ unsigned block() const
    {
        return block_;
    }
};

/* For thread blocks of `per_block` rows. False: the call has no slabs to run so, or a slab or a piece has too many thread blocks. A thread
 * block that has rows of two slabs, or of two pieces, is the first one's. */
inline bool weave(const mplan_launch_call *call, int64_t per_block, woven_blocks *woven)
{
    enum { PIECES = MPLAN_SLAB_PIECES };
    if (!call->weave)
        return false;
    const mplan_launch_weave &slabs = *call->weave;
    unsigned sum[PIECES] = {0}; /* of each piece in the slabs so far */
    woven->n = slabs.n;
    for (int32_t s = 0; s < slabs.n; s++) {
        const int64_t first = slabs.first[s] - call->first, end = slabs.first[s + 1] - call->first;
        unsigned begin = 0;
        woven->first[s] = int32_t(grid_of(first, per_block));
        for (int k = 0; k < PIECES; k++) {
            const int64_t border = k + 1 < PIECES ? first + slabs.pieces[s * (PIECES - 1) + k] : end;
            const unsigned next = grid_of(border, per_block) - unsigned(woven->first[s]);
            if (next > UINT16_MAX || sum[k] > UINT16_MAX)
                return false;
            woven->begin[s][k] = uint16_t(begin);
            woven->before[k][s] = uint16_t(sum[k]);
            sum[k] += next - begin;
            begin = next;
        }
    }
    woven->at[0] = 0;
    for (int k = 0; k < PIECES; k++)
        woven->at[k + 1] = woven->at[k] + int32_t(sum[k]);
    return true;
}
/* How many thread blocks a launch has. */
inline unsigned woven_grid(const woven_blocks &woven)
{
    return unsigned(woven.at[MPLAN_SLAB_PIECES]);
}

} // namespace mplan

#endif
