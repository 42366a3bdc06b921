/* SPDX-License-Identifier: Apache-2.0 */
/* scotch_gps.c - Gibbs-Poole-Stockmeyer by SCOTCH
 *
 * N. E. Gibbs, W. G. Poole, P. K. Stockmeyer, SIAM J. Numer. Anal. 13 (1976), as
 * SCOTCH's ordering strategy `g` does it (SCOTCH user's guide, "Sparse matrix
 * ordering strategy strings"). It treats components one after the other. The
 * answer is trusted only when it is a permutation. */
#include "base/error.h"
#include "base/memory.h"
#include "mesh/cut_child.h"
#include "order/order.h"

#if defined MPLAN_HAVE_SCOTCH

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Copies the answer when each place occurs once. */
static mplan_status accept(int64_t n, const int32_t *answer, int32_t *new_of_old, mplan_error *err)
{
    for (int64_t v = 0; v < n; v++)
        new_of_old[v] = -1;
    for (int64_t v = 0; v < n; v++) {
        if (answer[v] < 0 || answer[v] >= n || new_of_old[answer[v]] >= 0)
            return mplan_fail(err, MPLAN_ERR_PARTITIONER,
                              "SCOTCH's Gibbs-Poole-Stockmeyer order is not a permutation "
                              "(at vertex %lld)",
                              (long long)v);
        new_of_old[answer[v]] = (int32_t)v;
    }
    memcpy(new_of_old, answer, (size_t)n * sizeof *answer);
    return MPLAN_OK;
}

/* A program of libexec calls SCOTCH; its answer is accepted only as a permutation. A
 * graph without edges keeps its order, since SCOTCH does not take it. */
mplan_status mplan_order_scotch_gps(const mplan_csr *graph, int32_t *new_of_old,
                                    const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    int64_t n = graph->n;
    if (graph->offsets[n] == 0) {
        for (int64_t v = 0; v < n; v++)
            new_of_old[v] = (int32_t)v;
        return MPLAN_OK;
    }
    int32_t *answer = mplan_alloc(n, sizeof *answer, err);
    if (!answer)
        return MPLAN_ERR_MEMORY;
    const mplan_cut order = {"SCOTCH", "scotch-order", graph, 0, 0, 1, NULL};
    mplan_status status = mplan_cut_in_child(&order, answer, context, err);
    if (!status)
        status = accept(n, answer, new_of_old, err);
    free(answer);
    return status;
}

#else

mplan_status mplan_order_scotch_gps(const mplan_csr *graph, int32_t *new_of_old,
                                    const mplan_context *context, mplan_error *err)
{
    (void)graph;
    (void)new_of_old;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "this build has no SCOTCH");
}

#endif
