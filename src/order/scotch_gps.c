/* scotch_gps.c - Gibbs-Poole-Stockmeyer by SCOTCH
 *
 * N. E. Gibbs, W. G. Poole, P. K. Stockmeyer, SIAM J. Numer. Anal. 13 (1976), as
 * SCOTCH's ordering strategy `g` does it (SCOTCH user's guide, "Sparse matrix
 * ordering strategy strings"). It treats components one after the other. The
 * answer is trusted only when it is a permutation. */
#include "base/child.h"
#include "base/error.h"
#include "base/memory.h"
#include "order/order.h"

#if defined MPLAN_HAVE_SCOTCH

#include <string.h>

#include "base/scotch_graph.h"

typedef struct gps_task {
    const mplan_csr *graph;
    int32_t *answer; /* n, shared with the parent */
} gps_task;

/* In the child, which ends after this: nothing is released. */
static int gps_child(void *data)
{
    const gps_task *task = data;
    const mplan_csr *csr = task->graph;
    mplan_scotch_graph s;
    SCOTCH_Graph *graph;
    SCOTCH_Strat strategy;
    int failed = mplan_scotch_open(&s, csr->n, csr->offsets, csr->neighbours, 1, &graph);
    if (failed)
        return failed;
    if (SCOTCH_stratInit(&strategy) || SCOTCH_stratGraphOrder(&strategy, "g{pass=3}") ||
        SCOTCH_graphOrder(graph, &strategy, s.answer, NULL, NULL, NULL, NULL))
        return 1;
    mplan_scotch_answer(&s, csr->n, csr->n, task->answer);
    return 0;
}

/* Copies the answer when each place occurs once. */
static mplan_status accept(int64_t n, const int32_t *answer, int32_t *new_of_old, mplan_error *err)
{
    for (int64_t v = 0; v < n; v++)
        new_of_old[v] = -1;
    for (int64_t v = 0; v < n; v++) {
        if (answer[v] < 0 || answer[v] >= n || new_of_old[answer[v]] >= 0)
            return mplan_fail(err, MPLAN_ERR_PARTITIONER,
                              "SCOTCH's Gibbs-Poole-Stockmeyer order is no permutation "
                              "(at vertex %lld)",
                              (long long)v);
        new_of_old[answer[v]] = (int32_t)v;
    }
    memcpy(new_of_old, answer, (size_t)n * sizeof *answer);
    return MPLAN_OK;
}

mplan_status mplan_order_scotch_gps(const mplan_csr *graph, int32_t *new_of_old,
                                    const mplan_context *context, mplan_error *err)
{
    int64_t n = graph->n;
    if (sizeof(SCOTCH_Num) == 4 && graph->offsets[n] > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a graph of %lld neighbours needs SCOTCH with 64-bit integers",
                          (long long)graph->offsets[n]);
    if (graph->offsets[n] == 0) {
        for (int64_t v = 0; v < n; v++)
            new_of_old[v] = (int32_t)v;
        return MPLAN_OK;
    }
    gps_task task = {graph, mplan_child_buffer((size_t)n * sizeof(int32_t), err)};
    if (!task.answer)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_child_run("SCOTCH", gps_child, &task, context, err);
    if (!status)
        status = accept(n, task.answer, new_of_old, err);
    mplan_child_buffer_free(task.answer, (size_t)n * sizeof(int32_t));
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
