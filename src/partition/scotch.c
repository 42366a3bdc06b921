/* scotch.c - SCOTCH_graphPart behind a fence
 *
 * F. Pellegrini, J. Roman, HPCN (1996). In a child process, with one thread, a
 * fixed seed and, from SCOTCH 7 on, its deterministic mode. The time of the
 * default strategy grows with the square of the parts (SCOTCH 7.0: 22 minutes
 * for 23,000); many parts are made by recursive bisection, to equal quality. */
#include "base/child.h"
#include "base/error.h"
#include "partition/contained.h"
#include "partition/partition.h"

#if defined MPLAN_HAVE_SCOTCH

#include "base/scotch_graph.h"

enum { MANY_PARTS = 2048 };

/* In the child, which ends after this: nothing is released. */
static int scotch_child(void *data)
{
    const mplan_contained_task *task = data;
    const mplan_csr *csr = task->graph;
    int32_t seed = (int32_t)((task->seed ^ task->seed >> 31) & INT32_MAX);
    mplan_scotch_graph s;
    SCOTCH_Graph *graph;
    SCOTCH_Strat strategy;
    SCOTCH_Num kind = task->n_parts > MANY_PARTS ? SCOTCH_STRATRECURSIVE : SCOTCH_STRATDEFAULT;
    int failed = mplan_scotch_open(&s, csr->n, csr->offsets, csr->neighbours, seed, &graph);
    if (failed)
        return failed;
    if (SCOTCH_stratInit(&strategy) ||
        SCOTCH_stratGraphMapBuild(&strategy, kind, (SCOTCH_Num)task->n_parts, task->imbalance) ||
        SCOTCH_graphPart(graph, (SCOTCH_Num)task->n_parts, &strategy, s.answer))
        return 1;
    mplan_scotch_answer(&s, csr->n, task->n_parts, task->answer);
    return 0;
}

mplan_status mplan_partition_scotch(const mplan_csr *graph, int64_t n_parts, double imbalance,
                                    uint64_t seed, int32_t *part, const mplan_context *context,
                                    mplan_error *err)
{
    mplan_contained_task task = {graph, n_parts, imbalance, seed, NULL};
    return mplan_partition_contained("SCOTCH", sizeof(SCOTCH_Num), scotch_child, &task, part,
                                     context, err);
}

#else

mplan_status mplan_partition_scotch(const mplan_csr *graph, int64_t n_parts, double imbalance,
                                    uint64_t seed, int32_t *part, const mplan_context *context,
                                    mplan_error *err)
{
    (void)graph;
    (void)n_parts;
    (void)imbalance;
    (void)seed;
    (void)part;
    (void)context;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "this build has no SCOTCH");
}

#endif
