/* parallel.h - how many threads a call may use
 *
 * Loops are parallel by OpenMP pragmas over independent iterations whose
 * results do not depend on who runs them; without OpenMP they run serially. */
#ifndef MPLAN_PARALLEL_H
#define MPLAN_PARALLEL_H

#include "meshplan.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* Threads for a call: the context's number, but no more than the process may use. */
static inline int mplan_threads(const mplan_context *context)
{
#ifdef _OPENMP
    int all = omp_get_max_threads();
    return context && context->threads > 0 && context->threads < all ? context->threads : all;
#else
    (void)context;
    return 1;
#endif
}

/* Index of the running thread within its parallel region. */
static inline int mplan_thread_index(void)
{
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
