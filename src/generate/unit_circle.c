/* SPDX-License-Identifier: Apache-2.0 */
/* unit_circle.c - points of the unit circle that are equal on every machine
 *
 * Cosines and sines of C libraries differ in their last bit from one machine to another.
 * Here the angle is brought to an eighth of a turn by whole numbers, and Taylor's series
 * at 0 does the rest: the first terms that are left out are below 1e-17. */
#include <assert.h>

#include "generate/surface_layers.h"

#define LIMIT (INT64_C(1) << 58)

/* Sum of c[k] x^(2k), n terms. */
static double even_series(const double *c, int32_t n, double x)
{
    double sum = c[n - 1];
    for (int32_t k = n - 2; k >= 0; k--)
        sum = c[k] + sum * (x * x);
    return sum;
}

/* `quarter` counts quarters of a turn, x is what is left of the angle: at most an eighth of a
 * turn to either side, in radians. Only x is rounded; products of i and n stay below 2^62. */
void mplan_unit_circle(int64_t i, int64_t n, double *cosine, double *sine)
{
    /* clang-format off */
    static const double even[9] = {1, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320,
                                   -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200,
                                   1.0 / 20922789888000};
    static const double odd[9] = {1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
                                  -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000,
                                  1.0 / 355687428096000};
    /* clang-format on */
    const double half_pi = 1.57079632679489661923;
    assert(n >= 1 && n <= LIMIT && i >= -LIMIT && i <= LIMIT);
    i %= n;
    if (i < 0)
        i += n;
    int64_t quarter = (8 * i + n) / (2 * n); /* the nearest whole number of quarter turns */
    double x = half_pi * ((double)(4 * i - quarter * n) / (double)n);
    double c = even_series(even, 9, x), s = x * even_series(odd, 9, x);
    switch (quarter % 4) {
    case 0: *cosine = c, *sine = s; break;
    case 1: *cosine = -s, *sine = c; break;
    case 2: *cosine = -c, *sine = -s; break;
    default: *cosine = s, *sine = -c; break;
    }
}
