/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - random numbers that are equal on every machine
 *
 * splitmix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom
 * number generators", OOPSLA 2014. Ranges without bias after D. Lemire, "Fast
 * random integer generation in an interval", ACM TOMACS 29 (2019), with 32-bit
 * halves so that no 128-bit product is needed. */
#include <assert.h>

#include "mesh/mesh.h"

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a fixed sequence on every machine. */
uint64_t mplan_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Lemire's multiplication (ACM TOMACS 29, 2019): uniform in [0, n), without a division
 * in most cases. */
static int64_t small_below(uint64_t *state, uint32_t n)
{
    uint64_t product = (mplan_random(state) >> 32) * n;
    if ((uint32_t)product < n) {
        /* 2^32 mod n products would favour the low results */
        uint32_t surplus = (uint32_t)(0u - n) % n;
        while ((uint32_t)product < surplus)
            product = (mplan_random(state) >> 32) * n;
    }
    return (int64_t)(product >> 32);
}

/* Uniform in [0, n), n > 0. Larger ranges take random bits until they fall into the
 * range. */
int64_t mplan_random_below(uint64_t *state, int64_t n)
{
    assert(n >= 1);
    if (n <= (int64_t)UINT32_MAX)
        return small_below(state, (uint32_t)n);
    uint64_t mask = (uint64_t)n - 1;
    for (int32_t shift = 1; shift < 64; shift *= 2)
        mask |= mask >> shift;
    uint64_t value;
    do
        value = mplan_random(state) & mask;
    while (value >= (uint64_t)n);
    return (int64_t)value;
}
