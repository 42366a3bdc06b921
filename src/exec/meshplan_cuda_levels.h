/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_levels.h - loops with layers on a device: what a thread loads, and what it stores
 *
 * Where the slots of an element are is looked up, not computed: a row of `starts` is loaded 16 bytes at a time and has
 * for each slot the number of layer 0 in the dat, so that a load is one addition (LFRic's map, made when a loop is bound).
 * There is no branch between loads: a slot without a point loads the first number of the dat, which is replaced by zero. */
#ifndef MESHPLAN_CUDA_LEVELS_H
#define MESHPLAN_CUDA_LEVELS_H

#include "meshplan_cuda_args.h"
#include "meshplan_cuda_combine.h"

namespace mplan_device_layers {

using mplan::adds;

enum { THREADS = 256, MOST_THREADS = 1024, FEW_SLOTS = 8 };

/* t = slow * width + fast, fast below width, without a division, for t < 2^31 (Granlund & Montgomery, PLDI 1994). */
struct divider {
    uint32_t width, factor, shift;
    MPLAN_INLINE void split(uint32_t t, uint32_t &slow, uint32_t &fast) const
    {
        slow = factor ? __umulhi(t, factor) >> shift : t;
        fast = t - slow * width;
    }
};
inline divider divider_of(int64_t width)
{
    uint32_t bits = 0;
    while ((int64_t(1) << bits) < width)
        bits++;
    if (width <= 1)
        return divider{1, 0, 0};
    return divider{uint32_t(width), uint32_t(((uint64_t(1) << (31 + bits)) + width - 1) / width),
                   bits - 1};
}

/* mplan_layers_call as kernels get it. I: int32_t where all numbers of all dats can be counted in 32 bits: half as many
 * instructions. */
template <typename I> struct device_arg {
    void *data;
    const I *starts; /* LEVELS: [n_elements][slots], the number of layer 0; negative: no point */
    const int32_t *rows;       /* FLAT: [n_elements][arity] */
    void *scratch;             /* two-step: results, [slots][dim][n_elements * layers] */
    const int32_t *list_start; /* two-step: words of the levels' points, as in mplan_layers_call */
    const uint32_t *list;
    I column, level, component, step; /* step: from layer to layer */
    int64_t list_points;              /* two-step: of the levels' set */
    int32_t list_levels;
    int32_t stride, width, by_owner, levels;
    divider by_stride, by_levels;
    int32_t offset[MPLAN_MAX_SLOTS];
};
template <class L> struct device_call {
    device_arg<typename L::index> arg[L::n_args];
    unsigned char parameters[sizeof(typename L::parameters)];
    int64_t first, n_elements, n_points;
    const int32_t *ranges, *old_of_new, *list, *owner_start, *spans, *packed, *packed_first, *light;
    const uint32_t *owner, *mask;
    int32_t mask_words, first_packed, n_packed, layers, levels, list_bits, phases, points_fastest;
    int32_t phase[MPLAN_MAX_SLOTS], distance[MPLAN_MAX_SLOTS];
    int16_t partner[MPLAN_MAX_SLOTS];
};

template <class L> inline device_call<L> make_call(const mplan_layers_call &from)
{
    typedef typename L::index I;
    device_call<L> to;
    memset(&to, 0, sizeof to);
    for (int a = 0; a < L::n_args; a++) {
        const mplan_layer_data &x = from.arg[a];
        device_arg<I> &y = to.arg[a];
        y.data = x.data, y.rows = x.rows, y.scratch = x.scratch;
        y.starts = static_cast<const I *>(x.starts);
        y.list_start = x.list_start, y.list = x.list;
        y.list_points = x.list_points, y.list_levels = x.list_levels;
        y.column = I(x.column), y.level = I(x.level), y.component = I(x.component);
        y.step = I(x.level * x.stride), y.stride = x.stride, y.by_stride = divider_of(x.stride);
        y.levels = x.levels, y.by_levels = divider_of(x.levels);
        y.width = x.width, y.by_owner = x.entry != nullptr;
        for (int s = 0; s < MPLAN_MAX_SLOTS; s++)
            y.offset[s] = x.offset[s];
        if (x.numbers == 0) /* of a set without members: what is loaded is replaced by zero */
            y.data = const_cast<void *>(x.starts), y.step = y.component = 0;
    }
    memcpy(to.parameters, from.parameters, sizeof to.parameters);
    to.first = from.first, to.n_elements = from.n_elements, to.n_points = from.n_points;
    to.first_packed = from.first_packed;
    to.ranges = from.ranges, to.old_of_new = from.old_of_new, to.list = from.list;
    to.owner_start = from.owner_start, to.owner = from.owner, to.list_bits = from.list_bits;
    to.spans = from.spans;
    to.packed = from.packed, to.packed_first = from.packed_first, to.n_packed = from.n_packed;
    to.light = from.light;
    to.mask = from.mask, to.mask_words = from.mask_words;
    to.layers = from.layers, to.levels = from.levels, to.phases = from.phases;
    to.points_fastest = from.points_fastest;
    for (int s = 0; s < MPLAN_MAX_SLOTS; s++)
        to.phase[s] = from.phase[s], to.distance[s] = from.distance[s],
        to.partner[s] = int16_t(from.partner[s]);
    return to;
}

constexpr int size_of(mplan_type type)
{
    return type == MPLAN_TYPE_F64 || type == MPLAN_TYPE_I64   ? 8
           : type == MPLAN_TYPE_F32 || type == MPLAN_TYPE_I32 ? 4
           : type == MPLAN_TYPE_U16                           ? 2
                                                              : 1;
}
inline unsigned grid_of(int64_t n, int64_t threads)
{
    return unsigned((n + threads - 1) / threads);
}

/* --- where a thread is ----------------------------------------------------------------------------- */

/* A layer of an element. */
struct place {
    int32_t e, k;
};

template <class L>
MPLAN_INLINE void layers_of(const device_call<L> &call, int32_t e, int32_t &bottom, int32_t &top)
{
    bottom = 0, top = call.layers;
    if (call.ranges) {
        const int2 range = reinterpret_cast<const int2 *>(call.ranges)[e];
        bottom = range.x, top = range.y;
    }
    if (call.old_of_new && call.old_of_new[e] < 0)
        top = bottom;
}

/* Whether layer k of an element, one of those that its column has, is there. */
template <class L> MPLAN_INLINE bool is_there(const device_call<L> &call, int32_t e, int32_t k)
{
    return !call.mask ||
           (__ldg(call.mask + (int64_t(e) * call.mask_words + (k >> 5))) >> (k & 31) & 1);
}

/* N numbers of a table's row e, in loads as wide as their alignment allows. */
template <int N, typename I> MPLAN_INLINE void load_row(const I *table, int32_t e, I (&row)[N])
{
    constexpr int bytes = N * int(sizeof(I));
    const I *from = table + int64_t(e) * N;
    if constexpr (bytes % 16 == 0) {
#pragma unroll
        for (int i = 0; i < bytes / 16; i++)
            reinterpret_cast<int4 *>(row)[i] = __ldg(reinterpret_cast<const int4 *>(from) + i);
    } else if constexpr (bytes % 8 == 0) {
#pragma unroll
        for (int i = 0; i < bytes / 8; i++)
            reinterpret_cast<int2 *>(row)[i] = __ldg(reinterpret_cast<const int2 *>(from) + i);
    } else {
#pragma unroll
        for (int i = 0; i < N; i++)
            row[i] = __ldg(from + i);
    }
}

/* Whether the numbers of a member that lie side by side are whole words of 16 bytes, at addresses that are multiples of 16
 * because dats begin at one. */
template <typename T, int dim> constexpr bool is_wide = dim * sizeof(T) % 16 == 0;

template <int dim, typename T> MPLAN_INLINE void load_wide(const T *from, T (&to)[dim])
{
    alignas(16) T words[dim];
#pragma unroll
    for (int i = 0; i < dim * int(sizeof(T)) / 16; i++)
        reinterpret_cast<int4 *>(words)[i] = reinterpret_cast<const int4 *>(from)[i];
#pragma unroll
    for (int c = 0; c < dim; c++)
        to[c] = words[c];
}
template <int dim, typename T> MPLAN_INLINE void store_wide(T *to, const T (&from)[dim])
{
    alignas(16) T words[dim];
#pragma unroll
    for (int c = 0; c < dim; c++)
        words[c] = from[c];
#pragma unroll
    for (int i = 0; i < dim * int(sizeof(T)) / 16; i++)
        reinterpret_cast<int4 *>(to)[i] = reinterpret_cast<const int4 *>(words)[i];
}

/* Number c of level j of the element's own column. */
template <typename T, typename I>
MPLAN_INLINE T *number_of(const device_arg<I> &arg, int32_t p, int32_t j, int c)
{
    return static_cast<T *>(arg.data) + (I(p) * arg.column + I(j) * arg.level + I(c) * arg.component);
}
template <typename I> MPLAN_INLINE int32_t level_of(const device_arg<I> &arg, int32_t k, int s)
{
    return arg.offset[s] + arg.stride * k;
}

/* --- what is loaded -------------------------------------------------------------------------------- */

template <class L> struct loader {
    typedef typename L::index I;
    const device_call<L> &call;
    const place &at;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        const device_arg<I> &arg = call.arg[A];
        if constexpr (access != MPLAN_READ) {
#pragma unroll
            for (int s = 0; s < slots; s++)
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[s][c] = mplan::neutral_of<T, access>();
        } else {
            alignas(16) I start[slots];
            load_row<slots>(arg.starts, at.e, start);
            const T *from = static_cast<const T *>(arg.data);
            const I up = at.k * arg.step;
#pragma unroll
            for (int s = 0; s < slots; s++) {
                const T *member = from + ((start[s] < 0 ? 0 : start[s]) + up);
                if constexpr (L::wide && is_wide<T, dim>)
                    load_wide<dim>(member, view[s]);
                else
#pragma unroll
                    for (int c = 0; c < dim; c++)
                        view[s][c] = member[c * arg.component];
            }
#pragma unroll
            for (int s = 0; s < slots; s++)
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[s][c] = start[s] < 0 ? T(0) : view[s][c];
        }
    }
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void column(T (&view)[slots][dim])
    {
#pragma unroll
        for (int s = 0; s < slots; s++)
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[s][c] = access == MPLAN_READ || access == MPLAN_RW
                                 ? *number_of<T>(call.arg[A], at.e, level_of(call.arg[A], at.k, s), c)
                                 : T(0);
    }
    template <int A, int rows, int cols, typename T> MPLAN_INLINE void matrix(T (&view)[rows * cols])
    {
#pragma unroll
        for (int i = 0; i < rows * cols; i++)
            view[i] = *number_of<T>(call.arg[A], at.e, level_of(call.arg[A], at.k, 0), i);
    }
    template <int A, int arity, int dim, typename T> MPLAN_INLINE void flat(T (&view)[arity][dim])
    {
        int32_t point[arity];
#pragma unroll
        for (int s = 0; s < arity; s++)
            point[s] = call.arg[A].rows[int64_t(at.e) * arity + s];
#pragma unroll
        for (int s = 0; s < arity; s++)
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[s][c] = point[s] < 0 ? T(0) : *number_of<T>(call.arg[A], point[s], 0, c);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void own(T (&view)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            view[c] = *number_of<T>(call.arg[A], at.e, 0, c);
    }
    template <int A, int dim, typename T> MPLAN_INLINE void value(T (&view)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            view[c] = static_cast<const T *>(call.arg[A].data)[c];
    }
};

/* What visitors do with args that they do not look at. */
#define MPLAN_LAYERS_IGNORE(what, ...)                             \
    template <__VA_ARGS__, typename V> MPLAN_INLINE void what(V &) \
    {                                                              \
    }
#define MPLAN_LAYERS_IGNORE_READ                                       \
    MPLAN_LAYERS_IGNORE(matrix, int A, int rows, int cols, typename T) \
    MPLAN_LAYERS_IGNORE(flat, int A, int arity, int dim, typename T)   \
    MPLAN_LAYERS_IGNORE(own, int A, int dim, typename T)               \
    MPLAN_LAYERS_IGNORE(value, int A, int dim, typename T)

template <class L>
MPLAN_INLINE void compute(const device_call<L> &call, const place &at, typename L::views &v)
{
    loader<L> load = {call, at};
    v.layer = at.k;
    layers_of(call, at.e, v.bottom, v.top);
    L::each(load, v);
    L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
}

/* --- what is stored -------------------------------------------------------------------------------- */

template <class L> struct direct_storer {
    const device_call<L> &call;
    const place &at;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&)[slots][dim])
    {
    }
    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void column(T (&view)[slots][dim])
    {
        if constexpr (access != MPLAN_READ)
#pragma unroll
            for (int c = 0; c < dim; c++) {
                T *to = number_of<T>(call.arg[A], at.e, level_of(call.arg[A], at.k, 0), c);
                *to = access == MPLAN_INC ? T(*to + view[0][c]) : view[0][c];
            }
    }
    MPLAN_LAYERS_IGNORE_READ
};

/* Increments to the points' levels: of the slots of one offset, or with `phase` -1 of all. */
template <class L, bool atomic> struct adder {
    const device_call<L> &call;
    const place &at;
    int32_t phase;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>) {
            typedef typename L::index I;
            const device_arg<I> &arg = call.arg[A];
            alignas(16) I start[slots];
            load_row<slots>(arg.starts, at.e, start);
#pragma unroll
            for (int s = 0; s < slots; s++) {
                if (start[s] < 0 || (phase >= 0 && arg.offset[s] != phase))
                    continue;
#pragma unroll
                for (int c = 0; c < dim; c++) {
                    T *to = static_cast<T *>(arg.data) +
                            (start[s] + at.k * arg.step + c * arg.component);
                    if constexpr (atomic)
                        mplan::combine_atomic<access>(to, view[s][c]);
                    else
                        *to = mplan::combine<access>(*to, view[s][c]);
                }
            }
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* The same, where a slot with a partner gives its sum to the partner of a higher layer, through shared memory: turn 0
 * leaves them there, turn 1 takes them and adds. */
template <class L> struct combiner {
    const device_call<L> &call;
    const place &at;
    char *shared;
    int32_t thread, threads, bottom, top;
    bool turn, on;
    int64_t used;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>) {
            typedef typename L::index I;
            const device_arg<I> &arg = call.arg[A];
            T *kept = reinterpret_cast<T *>(shared + used);
            used += int64_t(slots) * dim * threads * sizeof(T);
            if (!on)
                return;
#pragma unroll
            for (int s = 0; s < slots; s++)
#pragma unroll
                for (int c = 0; c < dim; c++)
                    if (!turn && call.partner[s] >= 0)
                        kept[(s * dim + c) * threads + thread] = view[s][c];
            if (!turn)
                return;
            alignas(16) I start[slots];
            load_row<slots>(arg.starts, at.e, start);
#pragma unroll
            for (int s = 0; s < slots; s++) {
                /* the layer that takes it is there */
                if (start[s] < 0 || (call.partner[s] >= 0 && at.k + call.distance[s] < top &&
                                     is_there(call, at.e, at.k + call.distance[s])))
                    continue;
#pragma unroll
                for (int c = 0; c < dim; c++) {
                    T sum = view[s][c];
#pragma unroll
                    for (int other = 0; other < slots; other++)
                        if (call.partner[other] == s && at.k - call.distance[other] >= bottom &&
                            is_there(call, at.e, at.k - call.distance[other]))
                            sum = mplan::combine<access>(sum, kept[(other * dim + c) * threads +
                                                                   thread - call.distance[other]]);
                    mplan::combine_atomic<access>(static_cast<T *>(arg.data) +
                                                      (start[s] + at.k * arg.step + c * arg.component),
                                                  sum);
                }
            }
        }
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

/* Results of slots by component, so that neighbouring layers lie side by side. */
template <class L> struct result_storer {
    const device_call<L> &call;
    const place &at;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>)
#pragma unroll
            for (int s = 0; s < slots; s++)
#pragma unroll
                for (int c = 0; c < dim; c++)
                    static_cast<T *>(call.arg[A]
                                         .scratch)[(s * dim + c) * (call.n_elements * call.layers) +
                                                   int64_t(at.e) * call.layers + at.k] = view[s][c];
    }
    MPLAN_LAYERS_IGNORE(column, int A, int slots, int dim, typename T, int access)
    MPLAN_LAYERS_IGNORE_READ
};

} // namespace mplan_device_layers

#endif
