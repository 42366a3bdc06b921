/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_lanecolumns.h - functions of whole columns on a device that several lanes of a warp run together
 *
 * A thread for each column has too few columns at hand: of 55,296 each of 132 multiprocessors has 419, a chain of dependent
 * operations each, and their numbers are too many for the cache between a first and a second pass. With 8 to 32 lanes a column
 * the chains are as much shorter, a multiprocessor has 30 to 100 columns at a time whose loads are under way together, and what
 * the first pass has read or written is in the cache when the second one wants it. Numbers go from lane to lane by shuffles.
 *
 * A tridiagonal solve of C96 x 70 on an H100: levels fastest 76.9 us by 32 lanes, as neighbouring lanes read levels near one
 * another, 99.5 by 16, 128.6 by 8 (bulk copies and a thread for each column: 77); points fastest 79.3 by 8 lanes, with which four
 * columns of a warp fill a sector of 32 bytes, 130.9 by 16 (a thread for each column: 88). */
#ifndef MESHPLAN_CUDA_LANECOLUMNS_H
#define MESHPLAN_CUDA_LANECOLUMNS_H

#include "meshplan_cuda_bulkcolumns.h"

/* Of a number that all lanes have: that of the lane `by` below or above in the column, the own one where there is none; that of
 * one lane. All threads of the warp call them together. */
MPLAN_FN double mplan_lanes_up(double x, int32_t by, int32_t lanes)
{
    return __shfl_up_sync(0xffffffffu, x, unsigned(by), lanes);
}
MPLAN_FN double mplan_lanes_down(double x, int32_t by, int32_t lanes)
{
    return __shfl_down_sync(0xffffffffu, x, unsigned(by), lanes);
}
MPLAN_FN double mplan_lanes_of(double x, int32_t lane, int32_t lanes)
{
    return __shfl_sync(0xffffffffu, x, lane, lanes);
}
/* Whether any thread of the warp says so, of whatever column. */
MPLAN_FN bool mplan_lanes_any(bool here)
{
    return __any_sync(0xffffffffu, here);
}

namespace mplan_device_layers {

enum { LANE_THREADS = 128 };

/* Threads without a column run the function, too, on an empty one, as warps speak as a whole. */
template <class L> __global__ void __launch_bounds__(LANE_THREADS)
    lane_column_kernel(const __grid_constant__ device_call<L> call)
{
    static_assert(L::lanes > 1 && L::lanes <= 32 && (L::lanes & (L::lanes - 1)) == 0,
                  "lanes of a column are 2, 4, ... 32");
    const int64_t wanted = call.first + (int64_t(blockIdx.x) * LANE_THREADS + threadIdx.x) / L::lanes;
    const int64_t last = call.n_elements - 1, e = wanted < last ? wanted : last;
    const place at = {int32_t(e), 0};
    typename L::views v;
    layers_of(call, at.e, v.bottom, v.top);
    if (wanted > last || (call.old_of_new && call.old_of_new[e] < 0))
        v.top = v.bottom;
    v.lane = int32_t(threadIdx.x) % L::lanes;
    v.lanes = L::lanes;
    column_loader<L> load = {call, at};
    L::each(load, v);
    L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
}

/* Columns by lanes, or by a thread each. */
template <class L> int launch_columns(const device_call<L> &call, cudaStream_t stream)
{
    if constexpr (L::lanes > 1) {
        lane_column_kernel<L>
            <<<grid_of(call.n_elements - call.first, LANE_THREADS / L::lanes), LANE_THREADS, 0, stream>>>(call);
        return cudaGetLastError();
    } else {
        return launch_whole<L>(call, stream);
    }
}

} // namespace mplan_device_layers

#endif
