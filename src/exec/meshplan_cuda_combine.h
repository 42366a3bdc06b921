/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_cuda_combine.h - how two numbers become one under inc, min and max, on a device
 *
 * The rules are those of meshplan_combine.h. */
#ifndef MESHPLAN_CUDA_COMBINE_H
#define MESHPLAN_CUDA_COMBINE_H

#include <cstdint>
#include <cstring>

#include "meshplan.h"
#include "meshplan_gpu.h"

namespace mplan {

constexpr bool adds_by(int access)
{
    return access == MPLAN_INC || access == MPLAN_INC_MIN || access == MPLAN_INC_MAX;
}

/* The same as a constant, which device code may name. */
template <int access> constexpr bool adds = adds_by(access);

template <typename T> constexpr bool is_float = static_cast<T>(0.5) != 0;

/* b in the place of a: of numbers that are compared. Floating-point numbers may be NaN, or zeros of
 * two signs. */
template <int access, typename T> __device__ __forceinline__ bool replaces(T a, T b)
{
    constexpr bool least = access == MPLAN_INC_MIN;
    if constexpr (is_float<T>) {
        if (a != a || b != b)
            return b == b;
        if (a == b)
            return (signbit(b) != 0) == least;
    }
    return (b < a) == least;
}

/* later: an int where a number of one or two bytes was negated. */
template <int access, typename T, typename U> __device__ __forceinline__ T combine(T a, U later)
{
    const T b = static_cast<T>(later);
    if constexpr (access == MPLAN_INC)
        return static_cast<T>(a + b);
    else
        return replaces<access>(a, b) ? b : a;
}

/* The number that changes no other. */
template <typename T, int access> __device__ __forceinline__ T neutral_of()
{
    if constexpr (!adds<access> || access == MPLAN_INC) {
        return T(0);
    } else if constexpr (is_float<T>) {
        const T all = static_cast<T>(__longlong_as_double(0x7ff0000000000000LL));
        return access == MPLAN_INC_MIN ? all : -all;
    } else {
        constexpr bool is_signed = static_cast<T>(-1) < 0;
        constexpr T highest = is_signed ? static_cast<T>(~(uint64_t(1) << (8 * sizeof(T) - 1)))
                                        : static_cast<T>(-1);
        constexpr T lowest = is_signed ? static_cast<T>(uint64_t(1) << (8 * sizeof(T) - 1)) : T(0);
        return access == MPLAN_INC_MIN ? highest : lowest;
    }
}

} // namespace mplan

#endif
