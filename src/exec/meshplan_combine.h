/* SPDX-License-Identifier: Apache-2.0 */
/* meshplan_combine.h - how two numbers become one under inc, min and max, on the host
 *
 * min and max are minimumNumber and maximumNumber of IEEE 754-2019: a NaN counts as not there, and of
 * two zeros the negative one is less. So the order of elements changes no bit of their results.
 * Sums of integers wrap. meshplan_cuda_combine.h says the same for devices. */
#ifndef MESHPLAN_COMBINE_H
#define MESHPLAN_COMBINE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "meshplan.h"

/* mplan_combine_TYPE(access, a, b) for access inc, min or max, and what changes no number under it; 0 for
 * other accesses. */
#define MPLAN_COMBINE_FLOATS(type, number)                                                        \
    static inline number mplan_combine_##type(mplan_access access, number a, number b)            \
    {                                                                                             \
        if (access == MPLAN_INC)                                                                  \
            return a + b;                                                                         \
        if (isnan(a) || isnan(b))                                                                 \
            return isnan(b) ? a : b;                                                              \
        const bool least = access == MPLAN_INC_MIN;                                               \
        if (a == b)                                                                               \
            return (signbit(b) != 0) == least ? b : a;                                            \
        return (b < a) == least ? b : a;                                                          \
    }                                                                                             \
    static inline number mplan_neutral_##type(mplan_access access)                                \
    {                                                                                             \
        return access < MPLAN_INC_MIN ? 0                                                         \
                                      : (number)(access == MPLAN_INC_MIN ? HUGE_VAL : -HUGE_VAL); \
    }
#define MPLAN_COMBINE_WHOLES(type, number, wraps, lowest, highest)                     \
    static inline number mplan_combine_##type(mplan_access access, number a, number b) \
    {                                                                                  \
        if (access == MPLAN_INC)                                                       \
            return (number)((wraps)a + (wraps)b);                                      \
        return (b < a) == (access == MPLAN_INC_MIN) ? b : a;                           \
    }                                                                                  \
    static inline number mplan_neutral_##type(mplan_access access)                     \
    {                                                                                  \
        return (number)(access < MPLAN_INC_MIN    ? 0                                  \
                        : access == MPLAN_INC_MIN ? (highest)                          \
                                                  : (lowest));                         \
    }

MPLAN_COMBINE_FLOATS(f64, double)
MPLAN_COMBINE_FLOATS(f32, float)
MPLAN_COMBINE_WHOLES(i64, int64_t, uint64_t, INT64_MIN, INT64_MAX)
MPLAN_COMBINE_WHOLES(i32, int32_t, uint32_t, INT32_MIN, INT32_MAX)
MPLAN_COMBINE_WHOLES(u16, uint16_t, uint32_t, 0, UINT16_MAX)
MPLAN_COMBINE_WHOLES(u8, uint8_t, uint32_t, 0, UINT8_MAX)

#endif
