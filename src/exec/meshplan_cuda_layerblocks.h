/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_layerblocks.h - loops with layers by blocks on a device: block-colour and block-gather over columns and tiles of layers
 *
 * A thread block runs a block of the base tile by tile, from its lowest layer to its highest; a thread has one layer of one
 * column of the tile. Levels are added in the order that sections 7 and 10 of the specification state, as the host adds
 * them (host_layer_blocks.c). Run in the emulator only; the matrix of an owner is not read. */
#ifndef MESHPLAN_CUDA_LAYERBLOCKS_H
#define MESHPLAN_CUDA_LAYERBLOCKS_H

#include "meshplan_cuda_blocks.h"
#include "meshplan_cuda_levels.h"

namespace mplan_device_layers {

/* mplan_layer_blocks as kernels get it, with what is an arg's. low, high: offsets of its slots. */
template <class L> struct device_blocks {
    const int64_t *offsets, *record_offsets, *shared_offsets;
    const int32_t *sequence, *span, *list, *shared_points;
    const uint16_t *colours, *colours_of_block;
    const uint8_t *records, *column_of;
    int64_t n_shared;
    int32_t tile, depth, sums; /* depth: layers that are kept of each position */
    struct {
        void *partial;
        uint8_t *any;
        int32_t first_column, low, high;
    } arg[L::n_args];
};

template <class L> inline device_blocks<L> make_blocks(const mplan_layers_call &from)
{
    const mplan_layer_blocks &x = from.blocks;
    device_blocks<L> to;
    memset(&to, 0, sizeof to);
    to.offsets = x.offsets, to.record_offsets = x.record_offsets, to.sequence = x.sequence;
    to.shared_offsets = x.shared_offsets, to.shared_points = x.shared_points,
    to.n_shared = x.n_shared;
    to.span = x.span, to.list = from.list, to.colours = x.colours;
    to.colours_of_block = x.colours_of_block, to.records = x.records, to.column_of = x.column_of;
    to.tile = x.tile, to.depth = x.tile + x.below, to.sums = x.sums;
    for (int a = 0; a < L::n_args; a++) {
        const mplan_layer_data &arg = from.arg[a];
        to.arg[a].partial = arg.partial, to.arg[a].any = arg.partial_any;
        to.arg[a].first_column = arg.first_column;
        to.arg[a].low = to.arg[a].high = arg.offset[0];
        for (int s = 1; s < L::about[a].slots && L::about[a].kind == MPLAN_LAYER_LEVELS; s++) {
            to.arg[a].low = arg.offset[s] < to.arg[a].low ? arg.offset[s] : to.arg[a].low;
            to.arg[a].high = arg.offset[s] > to.arg[a].high ? arg.offset[s] : to.arg[a].high;
        }
    }
    return to;
}

/* Layers of a block's columns. */
template <class L> MPLAN_INLINE void span_of(const device_call<L> &call,
                                             const device_blocks<L> &blocks, int64_t block,
                                             int32_t &bottom, int32_t &top)
{
    bottom = blocks.span ? blocks.span[2 * block] : 0;
    top = blocks.span ? blocks.span[2 * block + 1] : call.layers;
}

/* Task t of n columns times m layers: neighbouring threads take what lies side by side. */
template <class L> MPLAN_INLINE void split_task(const device_call<L> &call, int32_t t, int32_t n,
                                                int32_t m, int32_t &i, int32_t &k)
{
    i = call.points_fastest ? t % n : t / m;
    k = call.points_fastest ? t / n : t % m;
}

/* --- block-colour ------------------------------------------------------------------------------------------ */

/* THREADS positions at a time, and of those tile by tile: within a tile offset by offset from the highest, so that a level gets
 * what lower layers bring first, and of an offset colour by colour. */
template <class L> __global__ void __launch_bounds__(THREADS)
    block_colour_levels_kernel(const __grid_constant__ device_call<L> call,
                               const __grid_constant__ device_blocks<L> blocks, int64_t first)
{
    const int64_t block = blocks.list[first + blockIdx.x], end = blocks.offsets[block + 1];
    const int32_t colours = blocks.colours_of_block[block];
    int32_t block_bottom, block_top;
    span_of(call, blocks, block, block_bottom, block_top);
    for (int64_t from = blocks.offsets[block]; from < end; from += THREADS) {
        const int32_t n = end - from < THREADS ? int32_t(end - from) : int32_t(THREADS);
        const int32_t m = THREADS / n < call.layers ? THREADS / n : call.layers;
        int32_t i, up;
        split_task(call, int32_t(threadIdx.x), n, m, i, up);
        const bool has = int32_t(threadIdx.x) < n * m;
        const int64_t position = from + (has ? i : 0);
        const int32_t colour = has ? blocks.colours[position] : -1;
        place at = {blocks.sequence ? blocks.sequence[position] : int32_t(position), 0};
        int32_t bottom, top;
        layers_of(call, at.e, bottom, top);
        for (int32_t k0 = block_bottom; k0 < block_top; k0 += m) {
            at.k = k0 + up;
            const bool on = has && at.k >= bottom && at.k < top && is_there(call, at.e, at.k);
            typename L::views v;
            if (on)
                compute<L>(call, at, v);
            for (int32_t phase = call.phases - 1; phase >= 0; phase--) {
                adder<L, false> add = {call, at, call.phase[phase]};
                for (int32_t c = 0; c < colours; c++) {
                    if (on && colour == c)
                        L::each(add, v);
                    __syncthreads();
                }
            }
            direct_storer<L> direct = {call, at};
            if (on)
                L::each(direct, v);
        }
    }
}

/* --- block-gather ------------------------------------------------------------------------------------------- */

/* Results of one layer of position i in shared memory: slots and components apart, then positions, then the layers that
 * are kept, of which `layer` is the place of this one. */
template <class L> struct layer_keeper {
    char *at;
    int32_t i, n_padded, depth, layer;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>) {
            T *kept = reinterpret_cast<T *>(at);
#pragma unroll
            for (int s = 0; s < slots; s++)
#pragma unroll
                for (int c = 0; c < dim; c++)
                    kept[((s * dim + c) * n_padded + i) * depth + layer] = view[s][c];
            at += int32_t(slots * dim * sizeof(T)) * n_padded * depth;
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* Sums of the levels whose highest layer is in the tile [k0, k1), and behind the last tile of all others: a thread a level
 * of a point. */
template <class L> struct level_summer {
    const device_call<L> &call;
    const device_blocks<L> &blocks;
    const mplan::record_tables &tables;
    const char *at;
    int64_t first; /* position */
    int32_t n_padded, bottom, top, k0, k1;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&)[slots][dim])
    {
        if constexpr (adds<access>) {
            const int32_t stride = call.arg[A].stride;
            const int32_t begin = blocks.arg[A].low + stride * k0,
                          end = k1 < top ? blocks.arg[A].low + stride * k1
                                         : blocks.arg[A].high + stride * (top - 1) + 1;
            const int32_t n = int32_t(tables.header.n_points), m = end - begin;
            for (int32_t t = int32_t(threadIdx.x); t < n * m; t += int32_t(blockDim.x)) {
                int32_t q, j;
                T sum[dim];
                split_task(call, t, n, m, q, j);
                if (sum_level<A, slots, dim, T, access>(q, begin + j, sum))
                    pass<A, dim, T, access>(q, begin + j, sum);
            }
            at += int32_t(slots * dim * sizeof(T)) * n_padded * blocks.depth;
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ

    /* What the entries of point q bring to level j; whether there is anything. */
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE bool sum_level(int32_t q, int32_t j, T (&sum)[dim])
    {
        const device_arg<typename L::index> &arg = call.arg[A];
        const T *kept = reinterpret_cast<const T *>(at);
        bool any = false;
#pragma unroll
        for (int c = 0; c < dim; c++)
            sum[c] = mplan::neutral_of<T, access>();
        for (int32_t x = tables.starts[q]; x < tables.starts[q + 1]; x++) {
            const int32_t entry = tables.entries[x], i = entry % n_padded,
                          column = entry / n_padded - blocks.arg[A].first_column;
            const int64_t position = first + i;
            const int32_t e = blocks.sequence ? blocks.sequence[position] : int32_t(position);
            int32_t low, high;
            layers_of(call, e, low, high);
            for (int s = 0; s < slots; s++) {
                const int32_t up = j - arg.offset[s], k = arg.stride == 1 ? up : up / arg.stride;
                if (blocks.column_of[A * MPLAN_MAX_SLOTS + s] != column || up < 0 ||
                    up != k * arg.stride || k < low || k >= high || !is_there(call, e, k))
                    continue;
                any = true;
#pragma unroll
                for (int c = 0; c < dim; c++)
                    sum[c] = mplan::combine<access>(sum[c],
                                                    kept[((s * dim + c) * n_padded + i) * blocks.depth +
                                                         (k - bottom) % blocks.depth]);
            }
        }
        return any;
    }
    template <int A, int dim, typename T, int access>
    MPLAN_INLINE void pass(int32_t q, int32_t j, const T (&sum)[dim])
    {
        const int64_t all = call.arg[A].list_levels, p = tables.partial ? tables.partial[q] : -1;
        if (p >= 0)
            blocks.arg[A].any[p * all + j] = 1;
#pragma unroll
        for (int c = 0; c < dim; c++) {
            T *to = number_of<T>(call.arg[A], tables.points[q], j, c);
            if (p >= 0)
                static_cast<T *>(blocks.arg[A].partial)[(p * dim + c) * all + j] = sum[c];
            else if (blocks.sums == MPLAN_SUMS_ATOMIC)
                mplan::combine_atomic<access>(to, sum[c]);
            else
                *to = mplan::combine<access>(*to, sum[c]);
        }
    }
};

/* The record comes first, as entries of all tiles are in it. */
template <class L> __global__ void __launch_bounds__(THREADS)
    block_gather_levels_kernel(const __grid_constant__ device_call<L> call,
                               const __grid_constant__ device_blocks<L> blocks, int64_t first)
{
    extern __shared__ __align__(16) char shared[];
    const int64_t at_list = first + blockIdx.x, block = blocks.list ? blocks.list[at_list] : at_list;
    const uint8_t *record = blocks.records + blocks.record_offsets[block];
    const int32_t bytes = int32_t(blocks.record_offsets[block + 1] - blocks.record_offsets[block]);
    const int64_t from = blocks.offsets[block];
    const int32_t n = int32_t(blocks.offsets[block + 1] - from), n_padded = MPLAN_RECORD_ROWS(n);
    int32_t bottom, top;
    span_of(call, blocks, block, bottom, top);
    for (int32_t i = int32_t(threadIdx.x); i < bytes / 16; i += int32_t(blockDim.x))
        reinterpret_cast<int4 *>(shared)[i] = __ldg(reinterpret_cast<const int4 *>(record) + i);
    __syncthreads();
    const mplan::record_tables tables(reinterpret_cast<const unsigned char *>(shared));
    typename L::views v;
    for (int32_t k0 = bottom; k0 < top; k0 += blocks.tile) {
        const int32_t k1 = top - k0 < blocks.tile ? top : k0 + blocks.tile, m = k1 - k0;
        for (int32_t t = int32_t(threadIdx.x); t < n * m; t += int32_t(blockDim.x)) {
            int32_t i, up, low, high;
            split_task(call, t, n, m, i, up);
            const place at = {blocks.sequence ? blocks.sequence[from + i] : int32_t(from + i),
                              k0 + up};
            layers_of(call, at.e, low, high);
            if (at.k < low || at.k >= high || !is_there(call, at.e, at.k))
                continue;
            compute<L>(call, at, v);
            layer_keeper<L> keep = {shared + bytes, i, n_padded, blocks.depth,
                                    (at.k - bottom) % blocks.depth};
            L::each(keep, v);
            direct_storer<L> direct = {call, at};
            L::each(direct, v);
        }
        __syncthreads();
        level_summer<L> sum = {call, blocks, tables, shared + bytes, from, n_padded, bottom,
                               top,  k0,     k1};
        L::each(sum, v);
        __syncthreads(); /* what is kept longest is overwritten next */
    }
}

/* Level j of a point that several blocks have: their sums in the order of the blocks. */
template <class L> struct shared_adder {
    const device_call<L> &call;
    const device_blocks<L> &blocks;
    int32_t which, j;
    int64_t i;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&)[slots][dim])
    {
        if constexpr (adds<access>) {
            if (A != which)
                return;
            const int64_t all = call.arg[A].list_levels;
            bool any = false;
            T sum[dim];
#pragma unroll
            for (int c = 0; c < dim; c++)
                sum[c] = mplan::neutral_of<T, access>();
            for (int64_t p = blocks.shared_offsets[i]; p < blocks.shared_offsets[i + 1]; p++) {
                if (!blocks.arg[A].any[p * all + j])
                    continue;
                any = true;
#pragma unroll
                for (int c = 0; c < dim; c++)
                    sum[c] = mplan::combine<
                        access>(sum[c],
                                static_cast<const T *>(blocks.arg[A].partial)[(p * dim + c) * all + j]);
            }
#pragma unroll
            for (int c = 0; c < dim && any; c++) {
                T *to = number_of<T>(call.arg[A], blocks.shared_points[i], j, c);
                *to = mplan::combine<access>(*to, sum[c]);
            }
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

template <class L> __global__ void __launch_bounds__(THREADS)
    shared_levels_kernel(const __grid_constant__ device_call<L> call,
                         const __grid_constant__ device_blocks<L> blocks, int32_t which)
{
    const int64_t t = blockIdx.x * int64_t(THREADS) + threadIdx.x,
                  levels = call.arg[which].list_levels;
    if (t >= blocks.n_shared * levels)
        return;
    typename L::views v;
    shared_adder<L> add = {call, blocks, which,
                           int32_t(call.points_fastest ? t / blocks.n_shared : t % levels),
                           call.points_fastest ? t % blocks.n_shared : t / levels};
    L::each(add, v);
}

/* --- launches ------------------------------------------------------------------------------------------------ */

/* Launch by launch; first: places of the list. */
template <class L> int launch_block_colours(const mplan_layers_call *from,
                                            const device_call<L> &call, cudaStream_t stream)
{
    const device_blocks<L> blocks = make_blocks<L>(*from);
    for (int64_t k = 0; k < from->n_launches; k++) {
        const int64_t first = from->launch_offsets[k], n = from->launch_offsets[k + 1] - first;
        if (n > 0)
            block_colour_levels_kernel<L><<<unsigned(n), THREADS, 0, stream>>>(call, blocks, first);
    }
    return cudaGetLastError();
}

/* All blocks and then the points that they share; or colour by colour. */
template <class L> int launch_block_gather(const mplan_layers_call *from,
                                           const device_call<L> &call, cudaStream_t stream)
{
    const device_blocks<L> blocks = make_blocks<L>(*from);
    const size_t bytes = size_t(from->blocks.record_bytes) +
                         size_t(L::shared_bytes) * MPLAN_RECORD_ROWS(from->blocks.longest) *
                             blocks.depth;
    if (bytes > 48 * 1024) {
        const int code =
            cudaFuncSetAttribute(reinterpret_cast<const void *>(block_gather_levels_kernel<L>),
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
        if (code)
            return code;
    }
    for (int64_t k = 0; k < from->n_launches; k++) {
        const int64_t first = from->launch_offsets[k], n = from->launch_offsets[k + 1] - first;
        if (n > 0)
            block_gather_levels_kernel<L>
                <<<unsigned(n), THREADS, bytes, stream>>>(call, blocks, first);
    }
    if (from->n_launches > 0 || from->blocks.n_blocks == 0)
        return cudaGetLastError();
    block_gather_levels_kernel<L>
        <<<unsigned(from->blocks.n_blocks), THREADS, bytes, stream>>>(call, blocks, 0);
    for (int a = 0; a < L::n_args; a++)
        if (from->arg[a].partial && blocks.n_shared > 0)
            shared_levels_kernel<L>
                <<<grid_of(blocks.n_shared * from->arg[a].list_levels, THREADS), THREADS, 0, stream>>>(call,
                                                                                                       blocks,
                                                                                                       a);
    return cudaGetLastError();
}

} // namespace mplan_device_layers

#endif
