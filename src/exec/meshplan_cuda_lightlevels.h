/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_lightlevels.h - owner-gather of loops with layers that load little, such as fluxes between columns
 *
 * Where a word brings few bytes, a thread that takes words one by one (meshplan_cuda_ownerlevels.h) waits for word, start and
 * numbers one after the other, as often as its point has words, and computes for each word anew what is the same for all:
 * the layer, and its own side of what is read through the map. Here a row of a table made at binding has the word and the
 * points on its other side, several words are loaded side by side, and the own side once.
 *
 * For loops without matrices, whose slots all have offset 0 and stride 1, so that level j only gets something from layer j, and
 * whose dats are counted in 32 bits. Sums are in the order of the words, as everywhere. */
#ifndef MESHPLAN_CUDA_LIGHTLEVELS_H
#define MESHPLAN_CUDA_LIGHTLEVELS_H

#include "meshplan_cuda_ownerlevels.h"

namespace mplan_device_layers {

/* Words that are loaded side by side where each loads at most LIGHT_BYTES; thread blocks that a processor shall have room for,
 * with 64 registers for each thread (four words and 80 registers: 173 us in place of 160 for a flux of four numbers by component,
 * points fastest, C96 x 70 on an H100). */
enum { LIGHT_WORDS = 2, LIGHT_BYTES = 48, LIGHT_BLOCKS = 4 };

constexpr bool same_text(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

/* Whether arg a is read as the first increment is written: of the slot that leads to a point it reads the point's own level. */
template <class L> constexpr bool is_mirror(int a)
{
    const mplan_layer_arg &arg = L::about[a], &to = L::about[L::increment < 0 ? 0 : L::increment];
    return arg.kind == MPLAN_LAYER_LEVELS && arg.access == MPLAN_READ && arg.slots == to.slots &&
           same_text(arg.map, to.map);
}

template <class L, int A> constexpr bool mirrors = is_mirror<L>(A);

/* Bytes that one word loads; of mirrored args not the own side. */
template <class L> constexpr int bytes_of_word()
{
    int bytes = 0;
    for (int a = 0; a < L::n_args; a++) {
        const mplan_layer_arg &arg = L::about[a];
        if (arg.kind != MPLAN_LAYER_VALUE && !mplan::adds_by(arg.access))
            bytes += (arg.slots - is_mirror<L>(a)) * arg.dim * size_of(arg.type);
    }
    return bytes;
}

/* Words that are loaded side by side; 0: the loop is not light. */
template <class L> constexpr int light_words()
{
    if (L::columns || L::increment < 0 || L::matrices > 0 || sizeof(typename L::index) != 4 ||
        bytes_of_word<L>() > LIGHT_BYTES)
        return 0;
    return LIGHT_WORDS;
}

template <class L> constexpr int side_by_side = light_words<L>();

/* As loader, but of mirrored args only the slots beside the own one, one behind the other: slot s of the word is view[s] below
 * the own slot and view[s - 1] above it. */
template <class L> struct light_loader : loader<L> {
    typedef typename L::index I;
    const int32_t *row; /* of the word */

    MPLAN_INLINE light_loader(const device_call<L> &call, const place &at, const int32_t *row)
        : loader<L>{call, at}, row(row)
    {
    }
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (!mirrors<L, A>) {
            loader<L>::template levels<A, slots, dim, T, access>(view);
        } else {
            const device_arg<I> &arg = this->call.arg[A];
#pragma unroll
            for (int s = 0; s < slots - 1; s++) {
                const int32_t point = row[s + 1];
                const T *const member = number_of<T>(arg, point < 0 ? 0 : point, this->at.k, 0);
                if constexpr (L::wide && is_wide<T, dim>)
                    load_wide<dim>(member, view[s]);
                else
#pragma unroll
                    for (int c = 0; c < dim; c++)
                        view[s][c] = member[c * arg.component];
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[s][c] = point < 0 ? T(0) : view[s][c];
            }
        }
    }
};

/* The own side of mirrored args, in slot 0. */
template <class L> struct mirror_loader {
    const device_call<L> &call;
    int32_t p, j;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (mirrors<L, A>) {
            const T *const member = number_of<T>(call.arg[A], p, j, 0);
            if constexpr (L::wide && is_wide<T, dim>)
                load_wide<dim>(member, view[0]);
            else
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[0][c] = member[c * call.arg[A].component];
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* Brings the slots of mirrored args to where a word of slot S has them. */
template <class L, int S> struct mirror_placer {
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim], T (&own)[slots][dim])
    {
        if constexpr (mirrors<L, A>)
#pragma unroll
            for (int c = 0; c < dim; c++) {
#pragma unroll
                for (int s = slots - 1; s > S; s--)
                    view[s][c] = view[s - 1][c];
                view[S][c] = own[0][c];
            }
    }
    MPLAN_LAYERS_IGNORE_TWO
};

/* Runs the function for the slot of a word. */
template <class L, int S> MPLAN_INLINE void run_light(const device_call<L> &call, int32_t slot,
                                                      typename L::views &v, typename L::views &own,
                                                      typename L::views &out)
{
    if constexpr (S < L::slots) {
        if (S + 1 == L::slots || slot == S) {
            mirror_placer<L, S> place;
            L::each_two(place, v, own);
            L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
            slot_taker<L, S> take;
            L::each_two(take, v, out);
        } else {
            run_light<L, S + 1>(call, slot, v, own, out);
        }
    }
}

/* Level j of point p. SOME: an element may have some of the layers only. A word behind the last one loads what the last one does, and is left out. */
template <class L, bool SOME> __global__ void __launch_bounds__(THREADS, LIGHT_BLOCKS)
    light_levels_kernel(const __grid_constant__ device_call<L> call, const divider by, bool tiles,
                        int64_t first, int64_t n)
{
    constexpr int WORDS = side_by_side<L>;
    int32_t p, j;
    if (!thread_at(call, by, tiles, first, n, p, j) || j >= call.layers)
        return;
    const uint32_t begin = call.owner_start[p], end = call.owner_start[p + 1];
    typename L::views own, sum;
    clearer<L> clear;
    mirror_loader<L> mirror = {call, p, j};
    L::each(clear, sum);
    L::each(mirror, own);
    bool any = false;
    for (uint32_t i = begin; i < end; i += WORDS) {
        place at[WORDS];
        alignas(16) int32_t row[WORDS][L::slots];
        bool there[WORDS];
        typename L::views v[WORDS];
#pragma unroll
        for (int q = 0; q < WORDS; q++) {
            load_row<L::slots>(call.light, int32_t(i + q < end ? i + q : end - 1), row[q]);
            at[q].e = int32_t(uint32_t(row[q][0]) >> call.list_bits);
            at[q].k = j;
            there[q] = i + q < end;
        }
#pragma unroll
        for (int q = 0; q < WORDS; q++) {
            light_loader<L> load(call, at[q], row[q]);
            v[q].layer = j;
            v[q].bottom = 0, v[q].top = call.layers;
            if constexpr (SOME) {
                if (call.ranges) {
                    const int2 range = __ldg(reinterpret_cast<const int2 *>(call.ranges) + at[q].e);
                    v[q].bottom = range.x, v[q].top = range.y;
                }
                there[q] = there[q] && j >= v[q].bottom && j < v[q].top && is_there(call, at[q].e, j);
            }
            L::each(load, v[q]);
        }
#pragma unroll
        for (int q = 0; q < WORDS; q++) {
            typename L::views out;
            slot_adder<L> add;
            if (!there[q])
                continue;
            run_light<L, 0>(call, row[q][0] & ((1 << call.list_bits) - 1), v[q], own, out);
            L::each_two(add, out, sum);
            any = true;
        }
    }
    sum_storer<L> store = {call, p, j};
    if (any)
        L::each(store, sum);
}

template <class L> int launch_light(const device_call<L> &call, cudaStream_t stream)
{
    const level_grid<L> grid(call, wants_tiles(call));
    for (int64_t first = call.first; first < call.n_points; first += grid.piece) {
        const int64_t n = call.n_points - first < grid.piece ? call.n_points - first : grid.piece;
        const divider by = grid.by(call, n);
        const unsigned blocks = grid.blocks(call, n, THREADS);
        if (blocks == 0)
            return cudaSuccess;
        if (call.ranges || call.mask)
            light_levels_kernel<L, true>
                <<<blocks, THREADS, 0, stream>>>(call, by, grid.tiles, first, n);
        else
            light_levels_kernel<L, false>
                <<<blocks, THREADS, 0, stream>>>(call, by, grid.tiles, first, n);
    }
    return cudaGetLastError();
}

/* Small meshes keep several threads for each level. Where levels are fastest, words one by one are faster: tiles find the own
 * side in the L1 cache, and twice as many threads wait (H100: 166 us for 169; points fastest 164 for 160). */
template <class L>
int launch_gathering(const mplan_layers_call *from, const device_call<L> &call, cudaStream_t stream)
{
    if constexpr (side_by_side < L >> 0)
        if (from->light && call.points_fastest && !wants_parts<L, MATRICES_APART>(call, from->longest))
            return launch_light<L>(call, stream);
    return launch_matrices<L>(call, from->longest, stream);
}

} // namespace mplan_device_layers

#endif
