/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_levels.h - loops with layers on a device: what a thread loads, and what it stores
 */
#ifndef MESHPLAN_CUDA_LEVELS_H
#define MESHPLAN_CUDA_LEVELS_H

#include "meshplan_cuda_args.h"
#include "meshplan_cuda_combine.h"

namespace mplan_device_layers {

using mplan::adds;

enum { THREADS = 256, MOST_THREADS = 1024, FEW_SLOTS = 8 };

/* mplan_layers_call as kernels get it. */
struct device_arg {
    void *data;
    int64_t column, level, component;
    const int32_t *rows;
    void *scratch;
    const int64_t *gather_offsets, *gather_slots;
    int32_t arity, stride, width, by_owner;
    int32_t offset[MPLAN_MAX_SLOTS];
    int16_t of[MPLAN_MAX_SLOTS];
};
template <class L> struct device_call {
    device_arg arg[L::n_args];
    unsigned char parameters[sizeof(typename L::parameters)];
    int64_t n_elements, n_points;
    const int32_t *ranges, *old_of_new, *list, *owner_start;
    const uint32_t *owner;
    int32_t layers, levels, owner_bits, phases, points_fastest;
    int32_t phase[MPLAN_MAX_SLOTS], distance[MPLAN_MAX_SLOTS];
    int16_t partner[MPLAN_MAX_SLOTS];
};

template <class L> inline device_call<L> make_call(const mplan_layers_call &from)
{
    device_call<L> to;
    memset(&to, 0, sizeof to);
    for (int a = 0; a < L::n_args; a++) {
        const mplan_layer_data &x = from.arg[a];
        device_arg &y = to.arg[a];
        y.data = x.data, y.column = x.column, y.level = x.level, y.component = x.component;
        y.rows = x.rows, y.scratch = x.scratch;
        y.gather_offsets = x.gather_offsets, y.gather_slots = x.gather_slots;
        y.arity = x.arity, y.stride = x.stride, y.width = x.width, y.by_owner = x.entry != nullptr;
        for (int s = 0; s < MPLAN_MAX_SLOTS; s++)
            y.offset[s] = x.offset[s], y.of[s] = int16_t(x.of[s]);
    }
    memcpy(to.parameters, from.parameters, sizeof to.parameters);
    to.n_elements = from.n_elements, to.n_points = from.n_points;
    to.ranges = from.ranges, to.old_of_new = from.old_of_new, to.list = from.list;
    to.owner_start = from.owner_start, to.owner = from.owner, to.owner_bits = from.owner_bits;
    to.layers = from.layers, to.levels = from.levels, to.phases = from.phases;
    to.points_fastest = from.points_fastest;
    for (int s = 0; s < MPLAN_MAX_SLOTS; s++)
        to.phase[s] = from.phase[s], to.distance[s] = from.distance[s],
        to.partner[s] = int16_t(from.partner[s]);
    return to;
}

/* --- where a thread is ----------------------------------------------------------------------------- */

/* A layer of an element; for owner-gather the level of the point and the number of its entry. */
template <class L> struct place {
    int32_t e, k;
    typename L::index level;
    int32_t entry;
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

template <class L, typename T>
MPLAN_INLINE T *number_of(const device_arg &arg, int32_t p, int32_t j, int c)
{
    typedef typename L::index I;
    return static_cast<T *>(arg.data) +
           (I(p) * I(arg.column) + I(j) * I(arg.level) + I(c) * I(arg.component));
}
MPLAN_INLINE int32_t point_of(const device_arg &arg, int32_t e, int s)
{
    return arg.rows ? arg.rows[int64_t(e) * arg.arity + arg.of[s]] : e;
}
MPLAN_INLINE int32_t level_of(const device_arg &arg, int32_t k, int s)
{
    return arg.offset[s] + arg.stride * k;
}

/* --- what is loaded -------------------------------------------------------------------------------- */

/* ROW: the only row of matrices that is needed; -1: all. */
template <class L, int ROW> struct loader {
    const device_call<L> &call;
    const place<L> &at;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        const device_arg &arg = call.arg[A];
#pragma unroll
        for (int s = 0; s < slots; s++) {
            if constexpr (access != MPLAN_READ) {
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[s][c] = mplan::neutral_of<T, access>();
            } else {
                const int32_t p = point_of(arg, at.e, s), j = level_of(arg, at.k, s);
#pragma unroll
                for (int c = 0; c < dim; c++)
                    view[s][c] = p < 0 ? T(0) : *number_of<L, T>(arg, p, j, c);
            }
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
                                 ? *number_of<L, T>(call.arg[A], at.e,
                                                    level_of(call.arg[A], at.k, s), c)
                                 : T(0);
    }
    template <int A, int rows, int cols, typename T> MPLAN_INLINE void matrix(T (&view)[rows * cols])
    {
        const device_arg &arg = call.arg[A];
        if (ROW >= 0 && arg.by_owner) {
            typedef typename L::index I;
            const T *from = static_cast<const T *>(arg.data) +
                            (((at.level >> 5) * I(arg.width) + I(at.entry)) * I(cols * 32) +
                             (at.level & 31));
#pragma unroll
            for (int c = 0; c < cols; c++)
#pragma unroll
                for (int r = 0; r < rows; r++)
                    view[c * rows + r] = r == ROW ? from[c * 32] : T(0);
            return;
        }
#pragma unroll
        for (int i = 0; i < rows * cols; i++)
            view[i] = ROW < 0 || i % rows == ROW
                          ? *number_of<L, T>(arg, at.e, level_of(arg, at.k, 0), i)
                          : T(0);
    }
    template <int A, int arity, int dim, typename T> MPLAN_INLINE void flat(T (&view)[arity][dim])
    {
#pragma unroll
        for (int s = 0; s < arity; s++) {
            const int32_t p = call.arg[A].rows[int64_t(at.e) * arity + s];
#pragma unroll
            for (int c = 0; c < dim; c++)
                view[s][c] = p < 0 ? T(0) : *number_of<L, T>(call.arg[A], p, 0, c);
        }
    }
    template <int A, int dim, typename T> MPLAN_INLINE void own(T (&view)[dim])
    {
#pragma unroll
        for (int c = 0; c < dim; c++)
            view[c] = *number_of<L, T>(call.arg[A], at.e, 0, c);
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

template <class L, int ROW>
MPLAN_INLINE void compute(const device_call<L> &call, const place<L> &at, typename L::views &v)
{
    loader<L, ROW> load = {call, at};
    v.layer = at.k;
    layers_of(call, at.e, v.bottom, v.top);
    L::each(load, v);
    L::run(v, reinterpret_cast<const typename L::parameters *>(call.parameters));
}

/* --- what is stored -------------------------------------------------------------------------------- */

template <class L> struct direct_storer {
    const device_call<L> &call;
    const place<L> &at;

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
                T *to = number_of<L, T>(call.arg[A], at.e, level_of(call.arg[A], at.k, 0), c);
                *to = access == MPLAN_INC ? T(*to + view[0][c]) : view[0][c];
            }
    }
    MPLAN_LAYERS_IGNORE_READ
};

/* Increments to the points' levels: of the slots of one offset, or with `phase` -1 of all. */
template <class L, bool atomic> struct adder {
    const device_call<L> &call;
    const place<L> &at;
    int32_t phase;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>) {
            const device_arg &arg = call.arg[A];
#pragma unroll
            for (int s = 0; s < slots; s++) {
                const int32_t p = point_of(arg, at.e, s), j = level_of(arg, at.k, s);
                if (p < 0 || (phase >= 0 && arg.offset[s] != phase))
                    continue;
#pragma unroll
                for (int c = 0; c < dim; c++) {
                    T *to = number_of<L, T>(arg, p, j, c);
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
    const place<L> &at;
    char *shared;
    int32_t thread, threads, bottom, top;
    bool turn, on;
    int64_t used;

    template <int A, int slots, int dim, typename T, int access>
    MPLAN_INLINE void levels(T (&view)[slots][dim])
    {
        if constexpr (adds<access>) {
            const device_arg &arg = call.arg[A];
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
#pragma unroll
            for (int s = 0; s < slots; s++) {
                const int32_t p = point_of(arg, at.e, s), j = level_of(arg, at.k, s);
                /* the layer that takes it is there */
                if (p < 0 || (call.partner[s] >= 0 && at.k + call.distance[s] < top))
                    continue;
#pragma unroll
                for (int c = 0; c < dim; c++) {
                    T sum = view[s][c];
#pragma unroll
                    for (int other = 0; other < slots; other++)
                        if (call.partner[other] == s && at.k - call.distance[other] >= bottom)
                            sum = mplan::combine<access>(sum, kept[(other * dim + c) * threads +
                                                                   thread - call.distance[other]]);
                    mplan::combine_atomic<access>(number_of<L, T>(arg, p, j, c), sum);
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
    const place<L> &at;

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
