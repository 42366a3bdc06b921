/* SPDX-License-Identifier: Apache-2.0 */
/* tridiagonal_runs.h - tridiagonal systems upwards by runs of levels, whose divisions do not wait for one another
 *
 * Thomas's c = high / d and y = (b - low y') / d with d = mid - low c' (c', y': of the level below) wait for the division of the level
 * below, 200 cycles on a device. Here p = d p', p' of the level below and 1 below the run, so that p = mid p' - low high' p'' and
 * w = y p = b p' - low w': the divisions 1 / p go side by side. p is a product of up to eight d, so these must be between about 1e-38
 * and 1e38. */
#ifndef MPLAN_TRIDIAGONAL_RUNS_H
#define MPLAN_TRIDIAGONAL_RUNS_H

#include <math.h>

#include "exec/meshplan_layers.h"

enum { MPLAN_RUN_OF_LEVELS = 8 }; /* levels, which are loaded before the first of them is used */

/* What is below, on and above the diagonal, and the right side. */
typedef struct mplan_run_of_levels {
    double low[MPLAN_RUN_OF_LEVELS], mid[MPLAN_RUN_OF_LEVELS], high[MPLAN_RUN_OF_LEVELS],
        b[MPLAN_RUN_OF_LEVELS];
} mplan_run_of_levels;
typedef struct mplan_run_products {
    double p[MPLAN_RUN_OF_LEVELS], w[MPLAN_RUN_OF_LEVELS];
} mplan_run_products;

/* 1 / x without the branch that the compiler has for numbers below 1e-308, behind which the next division would wait */
MPLAN_FN double mplan_run_invert(double x)
{
#ifdef __CUDA_ARCH__
    double one;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(one) : "d"(x));
    double error = fma(-x, one, 1.0);
    error = fma(error, error, error);
    one = fma(error, one, one);
    return fma(one, fma(-x, one, 1.0), one);
#else
    return 1 / x;
#endif
}

/* c, y: of the level below the run; below: low of the first level, 0 where it is the lowest of the column. */
MPLAN_FN void mplan_run_multiply(const mplan_run_of_levels *run, double below, double c, double y,
                                 mplan_run_products *of)
{
    of->p[0] = run->mid[0] - below * c;
    of->w[0] = run->b[0] - below * y;
    MPLAN_UNROLL
    for (int i = 1; i < MPLAN_RUN_OF_LEVELS; i++) {
        of->p[i] = run->mid[i] * of->p[i - 1] -
                   run->low[i] * run->high[i - 1] * (i > 1 ? of->p[i - 2] : 1);
        of->w[i] = run->b[i] * of->p[i - 1] - run->low[i] * of->w[i - 1];
    }
}

/* c and y of level i of the run. */
MPLAN_FN void mplan_run_divide(const mplan_run_of_levels *run, const mplan_run_products *of, int i,
                               double *c, double *y)
{
    const double one = mplan_run_invert(of->p[i]);
    *c = run->high[i] * (i > 0 ? of->p[i - 1] : 1) * one;
    *y = of->w[i] * one;
}

#endif
