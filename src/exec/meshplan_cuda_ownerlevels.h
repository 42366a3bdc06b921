/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_ownerlevels.h - loops with layers by owners on a device: a thread for each level of a point
 *
 * A point's list has a word for each slot that leads to it: an element and the slot. A thread takes the words one by one;
 * a word whose element does not have the layer is left out (loading for a clamped layer instead, to have no branch, took
 * 372 us in place of 347 at W2, 631 in place of 576 at W0 by (ik, df, df2)); all loads of a word are issued before the first
 * sum, whichever slot it is. The function is compiled once for each slot, so that only what this slot needs is computed, and
 * the compiler merges what is alike. Of a matrix only the slot's row is loaded.
 *
 * Few levels, or matrices by (ik, df, df2): PARTS threads for each level, PARTS * PART_WORDS words at a time through
 * shared memory. Sums are in the order of the words in both kernels, as on the host. */
#ifndef MESHPLAN_CUDA_OWNERLEVELS_H
#define MESHPLAN_CUDA_OWNERLEVELS_H

#include "meshplan_cuda_levels.h"

namespace mplan_device_layers {

/* Words of a level that a thread block of the split kernel takes at a time, and its levels. */
enum {
    PARTS = 4,
    PART_WORDS = 2,
    ROUND_WORDS = PARTS * PART_WORDS,
    SPLIT_LEVELS = THREADS / PARTS
};

/* Light loops: thread blocks of levels times points, so that neighbouring columns meet in the L1 cache (130 -> 126 us for a
 * flux between columns at C96 x 70 on an H200). */
enum { TILE_LAYERS = 16, TILE_POINTS = THREADS / TILE_LAYERS };
/* Thread blocks that a processor has room for by the registers of a kernel that is not too large for it. */
enum { FULL_BLOCKS = 5 };

/* How the matrices of a launch lie: none by owner, all, or some. */
enum matrices { MATRICES_APART, MATRICES_OWNED, MATRICES_MIXED };

/* What a level gets from one word. */
template <class L> struct word_place {
    place at;     /* element and layer */
    int32_t slot; /* that leads to the level */
    bool there;   /* the element has the layer */
    /* of a matrix by owner: numbers over its columns before the first of the row, and the level's lane */
    typename L::index row;
    int32_t lane;
};

/* As loader, but of a matrix only row `slot`, in place of row 0. */
template <class L, matrices M> struct word_loader : loader<L> {
    typedef typename L::index I;
    const word_place<L> &word;

    MPLAN_INLINE word_loader(const device_call<L> &call, const word_place<L> &word)
        : loader<L>{call, word.at}, word(word)
    {
    }
    template <int A, int rows, int cols, typename T> MPLAN_INLINE void matrix(T (&view)[rows * cols])
    {
        const device_arg<I> &arg = this->call.arg[A];
        const T *from = static_cast<const T *>(arg.data);
        if (M == MATRICES_OWNED || (M == MATRICES_MIXED && arg.by_owner)) {
            from += word.row * cols + word.lane;
#pragma unroll
            for (int c = 0; c < cols; c++)
                view[c * rows] = from[c * 32];
        } else {
            from += word.at.e * arg.column + level_of(arg, word.at.k, 0) * arg.level +
                    word.slot * arg.component;
#pragma unroll
            for (int c = 0; c < cols; c++)
                view[c * rows] = from[c * (rows * arg.component)];
        }
    }
};

/* Row 0 of a matrix goes where the function looks for row S. */
template <class L, int S> struct row_placer {
    template <int A, int slots, int dim, typename T, int access, typename V>
    MPLAN_INLINE void levels(V &)
    {
    }
    template <int A, int rows, int cols, typename T> MPLAN_INLINE void matrix(T (&view)[rows * cols])
    {
#pragma unroll
        for (int c = 0; c < cols; c++) {
            const T number = view[c * rows];
#pragma unroll
            for (int r = 0; r < rows; r++)
                view[c * rows + r] = r == S ? number : T(0);
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE(flat, int A, int arity, int dim, typename T)
    MPLAN_LAYERS_IGNORE(own, int A, int dim, typename T)
    MPLAN_LAYERS_IGNORE(value, int A, int dim, typename T)
};

/* --- sums of a level: one view of each increment, of which only slot 0 is used ---------------------------- */

template <class L> struct clearer {
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>)
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[0][c] = mplan::neutral_of<T, access>();
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* Visitors of two views that look at increments only. */
#define MPLAN_LAYERS_IGNORE_TWO                                                                     \
    template <int A, int slots, int dim, typename T, int access, typename V>                        \
    MPLAN_INLINE void column(V &, V &)                                                              \
    {                                                                                               \
    }                                                                                               \
    template <int A, int rows, int cols, typename T, typename V> MPLAN_INLINE void matrix(V &, V &) \
    {                                                                                               \
    }                                                                                               \
    template <int A, int arity, int dim, typename T, typename V> MPLAN_INLINE void flat(V &, V &)   \
    {                                                                                               \
    }                                                                                               \
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void own(V &, V &)               \
    {                                                                                               \
    }                                                                                               \
    template <int A, int dim, typename T, typename V> MPLAN_INLINE void value(V &, V &)             \
    {                                                                                               \
    }

/* Slot S of one view in the place of slot 0 of another. */
template <class L, int S> struct slot_taker {
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim], T (&to)[slots][dim])
    {
        if constexpr (adds<access> && S < slots)
#pragma unroll
            for (int c = 0; c < dim; c++)
                to[0][c] = view[S][c];
    }
    MPLAN_LAYERS_IGNORE_TWO
};

/* Adds slot 0 of one view to that of another. */
template <class L> struct slot_adder {
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim], T (&sum)[slots][dim])
    {
        if constexpr (adds<access>)
#pragma unroll
            for (int c = 0; c < dim; c++)
                sum[0][c] = mplan::combine<access>(sum[0][c], view[0][c]);
    }
    MPLAN_LAYERS_IGNORE_TWO
};

/* A point's only thread adds. Components one by one are added as reductions, which wait for nothing (8 % at W0), members
 * side by side in words of 16 bytes. Bits are equal. */
template <class L> struct sum_storer {
    const device_call<L> &call;
    int32_t p, j;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>) {
            if constexpr (is_wide<T, dim>)
                if (call.arg[A].component == 1) {
                    T *const to = number_of<T>(call.arg[A], p, j, 0);
                    T sum[dim];
                    load_wide<dim>(to, sum);
#pragma unroll
                    for (int c = 0; c < dim; c++)
                        sum[c] = mplan::combine<access>(sum[c], view[0][c]);
                    store_wide<dim>(to, sum);
                    return;
                }
#pragma unroll
            for (int c = 0; c < dim; c++) {
                T *to = number_of<T>(call.arg[A], p, j, c);
                if (access == MPLAN_INC && (dim == 1 || call.arg[A].component != 1))
                    mplan::combine_atomic<access>(to, view[0][c]);
                else
                    *to = mplan::combine<access>(*to, view[0][c]);
            }
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* --- one word ------------------------------------------------------------------------------------------- */

/* Which layer of which element word i of level j is about. */
template <class L> MPLAN_INLINE word_place<L> place_of(const device_call<L> &call, uint32_t i,
                                                       uint32_t first, int32_t j,
                                                       typename L::index level)
{
    typedef typename L::index I;
    const device_arg<I> &arg = call.arg[L::increment];
    const uint32_t word = __ldg(call.owner + i);
    word_place<L> w;
    w.at.e = int32_t(word >> call.list_bits);
    w.slot = int32_t(word & ((1u << call.list_bits) - 1));
    const int32_t up = j - arg.offset[w.slot];
    uint32_t layer, rest;
    arg.by_stride.split(uint32_t(up), layer, rest);
    const int32_t k = up < 0 ? -1 : int32_t(layer);
    int32_t bottom = 0, top = call.layers;
    if (call.ranges) {
        const int2 range = __ldg(reinterpret_cast<const int2 *>(call.ranges) + w.at.e);
        bottom = range.x, top = range.y;
    }
    w.there = rest == 0 && k >= bottom && k < top && is_there(call, w.at.e, k);
    w.at.k = k;
    w.row = w.lane = 0;
    if constexpr (L::matrix >= 0) {
        w.row = ((level >> 5) * I(call.arg[L::matrix].width) + I(i - first)) * 32;
        w.lane = int32_t(level & 31);
    }
    return w;
}

/* Runs the function for slot S, S + 1, ... of the views. */
template <class L, int S> MPLAN_INLINE void run_slot(const device_call<L> &call, int32_t slot,
                                                     typename L::views &v, typename L::views &out)
{
    if constexpr (S < L::slots) {
        if (S + 1 == L::slots || slot == S) {
            row_placer<L, S> place;
            L::each(place, v);
            L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
            slot_taker<L, S> take;
            L::each_two(take, v, out);
        } else {
            run_slot<L, S + 1>(call, slot, v, out);
        }
    }
}

/* What word w gives, in slot 0 of the increments of `out`. */
template <class L, matrices M> MPLAN_INLINE void compute_word(const device_call<L> &call,
                                                              const word_place<L> &w,
                                                              typename L::views &out)
{
    typename L::views v;
    word_loader<L, M> load(call, w);
    v.layer = w.at.k;
    v.bottom = 0, v.top = call.layers;
    if (call.ranges) {
        const int2 range = __ldg(reinterpret_cast<const int2 *>(call.ranges) + w.at.e);
        v.bottom = range.x, v.top = range.y;
    }
    L::each(load, v);
    run_slot<L, 0>(call, w.slot, v, out);
}

/* --- kernels -------------------------------------------------------------------------------------------- */

/* Level j of point p is that of thread t of the piece of points that begins with `first`; false: beyond the last. */
template <class L> MPLAN_INLINE bool level_at(const device_call<L> &call, const divider &by,
                                              uint32_t t, int64_t first, int64_t n, int32_t &p,
                                              int32_t &j)
{
    uint32_t slow, fast;
    if (t >= n * call.levels)
        return false;
    by.split(t, slow, fast);
    p = int32_t(first + (call.points_fastest ? fast : slow));
    j = int32_t(call.points_fastest ? slow : fast);
    return true;
}

/* The same for thread blocks of TILE_LAYERS levels of TILE_POINTS points: by divides blocks by tiles of a point. */
template <class L> MPLAN_INLINE bool tile_at(const device_call<L> &call, const divider &by,
                                             int64_t first, int64_t n, int32_t &p, int32_t &j)
{
    uint32_t slow, fast;
    by.split(blockIdx.x, slow, fast);
    const int64_t i = int64_t(slow) * TILE_POINTS + threadIdx.x / TILE_LAYERS;
    p = int32_t(first + i);
    j = int32_t(fast * TILE_LAYERS + threadIdx.x % TILE_LAYERS);
    return i < n && j < call.levels;
}

/* Whether any word of the point may have something for the level. */
template <class L> MPLAN_INLINE bool in_span(const device_call<L> &call, int32_t p, int32_t j)
{
    if (!call.spans)
        return true;
    const int2 span = __ldg(reinterpret_cast<const int2 *>(call.spans) + p);
    return j >= span.x && j < span.y;
}

/* Level j of point p is the t-th of those that may get something: levels of points one behind the other without gaps, so
 * that no lane of a warp is idle. A warp knows the point of its first level, from which few steps lead to that of a lane. */
template <class L>
MPLAN_INLINE bool packed_at(const device_call<L> &call, uint32_t t, int32_t &p, int32_t &j)
{
    t += uint32_t(call.first_packed);
    if (t >= uint32_t(call.n_packed))
        return false;
    const int2 *const packed = reinterpret_cast<const int2 *>(call.packed);
    p = __ldg(call.packed_first + t / 32);
    int2 here = __ldg(packed + p), next = __ldg(packed + p + 1);
    while (int32_t(t) >= next.x) {
        here = next;
        next = __ldg(packed + ++p + 1);
    }
    j = here.y + (int32_t(t) - here.x);
    return true;
}

/* Which level of which point a thread has, of points [first, first + n); false: none. */
template <class L> MPLAN_INLINE bool thread_at(const device_call<L> &call, const divider &by,
                                               bool tiles, int64_t first, int64_t n, int32_t &p,
                                               int32_t &j)
{
    const uint32_t t = blockIdx.x * THREADS + threadIdx.x;
    if (call.packed)
        return packed_at(call, t, p, j);
    return (tiles ? tile_at(call, by, first, n, p, j) : level_at(call, by, t, first, n, p, j)) &&
           in_span(call, p, j);
}

/* Thread t is level j of point p: points [first, first + n). BLOCKS that a processor must have room for: registers are
 * left for as many loads as it needs, 48 at five blocks: ptxas by itself takes 32, and two to four loads wait for one
 * another. */
template <class L, matrices M, int BLOCKS> __global__ void __launch_bounds__(THREADS, BLOCKS)
    owner_levels_kernel(const __grid_constant__ device_call<L> call, const divider by, bool tiles,
                        int64_t first, int64_t n)
{
    int32_t p, j;
    if (!thread_at(call, by, tiles, first, n, p, j))
        return;
    const typename L::index level = typename L::index(p) * call.levels + j;
    bool any = false;
    typename L::views sum, more;
    clearer<L> clear;
    L::each(clear, sum);
    const uint32_t begin = call.owner_start[p], end = call.owner_start[p + 1];
    for (uint32_t i = begin; i < end; i++) {
        const word_place<L> w = place_of(call, i, begin, j, level);
        if (!w.there)
            continue;
        compute_word<L, M>(call, w, more);
        slot_adder<L> add;
        L::each_two(add, more, sum);
        any = true;
    }
    sum_storer<L> store = {call, p, j};
    if (any)
        L::each(store, sum);
}

/* Slot 0 of the increments, between a view and the shared numbers of one word and level. */
template <class L, bool OUT> struct word_keeper {
    char *shared;
    int32_t at, used; /* word * SPLIT_LEVELS + level; bytes of the args before */

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>) {
            T *kept = reinterpret_cast<T *>(shared + used);
#pragma unroll
            for (int c = 0; c < dim; c++)
                if (OUT)
                    kept[c * (ROUND_WORDS * SPLIT_LEVELS) + at] = view[0][c];
                else
                    view[0][c] = kept[c * (ROUND_WORDS * SPLIT_LEVELS) + at];
            used += dim * ROUND_WORDS * SPLIT_LEVELS * int32_t(sizeof(T));
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* Thread (part, level of the block): PART_WORDS words of each round; part 0 adds what all parts have found, in the order
 * of the words. Shared memory: results of a round's words, and whether they are there. */
template <class L, matrices M, int BLOCKS> __global__ void __launch_bounds__(THREADS, BLOCKS)
    owner_parts_kernel(const __grid_constant__ device_call<L> call, const divider by,
                       int32_t longest, int64_t first, int64_t n)
{
    extern __shared__ __align__(16) char shared[];
    char *const there = shared + L::sum_bytes * (ROUND_WORDS * SPLIT_LEVELS);
    const int32_t part = int32_t(threadIdx.x) / SPLIT_LEVELS,
                  local = int32_t(threadIdx.x) % SPLIT_LEVELS;
    int32_t p = 0, j = 0;
    const uint32_t t = blockIdx.x * SPLIT_LEVELS + local;
    const bool on = call.packed ? packed_at(call, t, p, j)
                                : level_at(call, by, t, first, n, p, j) && in_span(call, p, j);
    const typename L::index level = typename L::index(p) * call.levels + j;
    const uint32_t begin = on ? call.owner_start[p] : 0, end = on ? call.owner_start[p + 1] : 0;
    bool any = false;
    typename L::views sum, more;
    clearer<L> clear;
    L::each(clear, sum);
    for (int32_t round = 0; round < longest; round += ROUND_WORDS) {
#pragma unroll
        for (int q = 0; q < PART_WORDS; q++) {
            const int32_t word = part * PART_WORDS + q;
            const uint32_t i = begin + round + word;
            bool found = false;
            if (i < end) {
                const word_place<L> w = place_of(call, i, begin, j, level);
                found = w.there;
                if (found) {
                    compute_word<L, M>(call, w, more);
                    word_keeper<L, true> keep = {shared, word * SPLIT_LEVELS + local, 0};
                    L::each(keep, more);
                }
            }
            there[word * SPLIT_LEVELS + local] = found;
        }
        __syncthreads();
        for (int32_t word = 0; word < ROUND_WORDS && part == 0; word++) {
            if (!there[word * SPLIT_LEVELS + local])
                continue;
            slot_adder<L> add;
            word_keeper<L, false> take = {shared, word * SPLIT_LEVELS + local, 0};
            L::each(take, more);
            L::each_two(add, more, sum);
            any = true;
        }
        if (round + ROUND_WORDS < longest)
            __syncthreads();
    }
    sum_storer<L> store = {call, p, j};
    if (any)
        L::each(store, sum);
}

/* --- launches ------------------------------------------------------------------------------------------- */

/* Pieces of so many columns that threads are counted in 31 bits. */
inline int64_t piece_of(int64_t n, int64_t height)
{
    const int64_t most = ((int64_t(1) << 31) - 1) / height;
    return n < most ? n : most;
}

/* Whether a kernel that must leave registers for others keeps none of its numbers in local memory. */
template <class L, matrices M> bool fits_registers()
{
    cudaFuncAttributes about;
    return cudaFuncGetAttributes(&about, owner_levels_kernel<L, M, FULL_BLOCKS>) == cudaSuccess &&
           about.localSizeBytes == 0;
}

/* Levels for which the device has threads at once. */
inline int64_t resident_threads()
{
    int device = 0, processors = 0, threads = 0;
    if (cudaGetDevice(&device) ||
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) ||
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device))
        return 0;
    return int64_t(processors) * threads;
}

/* Whether several threads shall work on a level: where levels are too few for the device, and where rows of matrices are
 * far apart (on an H200 535 us for 579 at W0, C96 x 70). */
template <class L, matrices M> bool wants_parts(const device_call<L> &call, int32_t longest)
{
    bool apart = false;
    if (longest <= PART_WORDS || L::sum_bytes * ROUND_WORDS * SPLIT_LEVELS > 32 * 1024)
        return false;
    for (int a = 0; a < L::n_args; a++)
        apart = apart || (L::about[a].kind == MPLAN_LAYER_MATRIX && !call.arg[a].by_owner &&
                          call.arg[a].component != 1);
    return (M == MATRICES_APART && apart && longest > PARTS) ||
           call.n_points * call.levels < resident_threads();
}

/* Whether a block shall be a tile: no matrix, which is read in the order of flat threads; few idle lanes. */
template <class L> bool wants_tiles(const device_call<L> &call)
{
    const int32_t tiles = (call.levels + TILE_LAYERS - 1) / TILE_LAYERS;
    return L::matrices == 0 && !call.points_fastest && call.levels >= TILE_LAYERS &&
           8 * (tiles * TILE_LAYERS - call.levels) <= call.levels;
}

/* Blocks of threads over levels, `each` levels a block, in launches of which each counts its threads in 31 bits. */
template <class L> struct level_grid {
    bool tiles;
    int32_t stack; /* tiles of a point */
    int64_t piece; /* points of a launch */

    level_grid(const device_call<L> &call, bool tiles)
        : tiles(tiles && !call.packed), stack((call.levels + TILE_LAYERS - 1) / TILE_LAYERS),
          piece(piece_of(call.n_points, this->tiles ? stack * TILE_LAYERS : call.levels))
    {
    }
    divider by(const device_call<L> &call, int64_t n) const
    {
        return divider_of(tiles ? stack : call.points_fastest ? n : call.levels);
    }
    unsigned blocks(const device_call<L> &call, int64_t n, int each) const
    {
        return call.packed ? grid_of(call.n_packed - call.first_packed, each)
               : tiles     ? grid_of(n, TILE_POINTS) * unsigned(stack)
                           : grid_of(n * call.levels, each);
    }
};

/* Whether levels without gaps gain, filled to 60 % on an H100: without matrices (a flux, 139 -> 126 us), and with them where
 * points have few words (W2: 384 -> 347). Rows of a matrix are in groups of 32 levels with the gaps, so that the warps of eight
 * words read more groups than before (W0: 525 -> 533). */
template <class L> bool wants_packed(const device_call<L> &call, int32_t longest)
{
    return call.packed && (L::matrices == 0 || longest <= PARTS);
}

template <class L, matrices M>
int launch_owner(device_call<L> call, int32_t longest, cudaStream_t stream)
{
    static const bool full = fits_registers<L, M>();
    if (!wants_packed(call, longest))
        call.packed = nullptr;
    const bool parts = wants_parts<L, M>(call, longest);
    const level_grid<L> grid(call, !parts && wants_tiles(call));
    for (int64_t first = call.first; first < call.n_points; first += grid.piece) {
        const int64_t n = call.n_points - first < grid.piece ? call.n_points - first : grid.piece;
        const divider by = grid.by(call, n);
        const unsigned blocks = grid.blocks(call, n, parts ? int(SPLIT_LEVELS) : int(THREADS));
        const size_t kept = (L::sum_bytes + 1) * ROUND_WORDS * SPLIT_LEVELS;
        if (blocks == 0)
            return cudaSuccess;
        if (parts && full)
            owner_parts_kernel<L, M, FULL_BLOCKS>
                <<<blocks, THREADS, kept, stream>>>(call, by, longest, first, n);
        else if (parts)
            owner_parts_kernel<L, M, 1>
                <<<blocks, THREADS, kept, stream>>>(call, by, longest, first, n);
        else if (full)
            owner_levels_kernel<L, M, FULL_BLOCKS>
                <<<blocks, THREADS, 0, stream>>>(call, by, grid.tiles, first, n);
        else
            owner_levels_kernel<L, M, 1>
                <<<blocks, THREADS, 0, stream>>>(call, by, grid.tiles, first, n);
    }
    return cudaGetLastError();
}

template <class L>
int launch_matrices(const device_call<L> &call, int32_t longest, cudaStream_t stream)
{
    int owned = 0;
    for (int a = 0; a < L::n_args; a++)
        owned += call.arg[a].by_owner;
    if (owned == 0)
        return launch_owner<L, MATRICES_APART>(call, longest, stream);
    if constexpr (L::matrices > 0)
        if (owned == L::matrices)
            return launch_owner<L, MATRICES_OWNED>(call, longest, stream);
    if constexpr (L::matrices > 1)
        return launch_owner<L, MATRICES_MIXED>(call, longest, stream);
    return cudaErrorInvalidValue;
}

} // namespace mplan_device_layers

#endif
