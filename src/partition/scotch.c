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

#include <stdio.h>
#include <stdlib.h>

#include <scotch.h>

enum { MANY_PARTS = 2048 };

static SCOTCH_Num *scotch_numbers(const void *from, size_t width, int64_t n)
{
    SCOTCH_Num *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int64_t i = 0; i < n && to; i++)
        to[i] = width == 8 ? (SCOTCH_Num)((const int64_t *)from)[i]
                           : (SCOTCH_Num)((const int32_t *)from)[i];
    return to;
}

static int part_graph(const mplan_contained_task *task, SCOTCH_Graph *graph, SCOTCH_Strat *strategy,
                      SCOTCH_Num *part)
{
    SCOTCH_randomSeed((SCOTCH_Num)((task->seed ^ task->seed >> 31) & INT32_MAX));
    SCOTCH_randomReset();
#if SCOTCH_VERSION >= 7
    SCOTCH_Context settings;
    SCOTCH_Graph bound;
    if (SCOTCH_contextInit(&settings) ||
        SCOTCH_contextOptionSetNum(&settings, SCOTCH_OPTIONNUMDETERMINISTIC, 1) ||
        SCOTCH_contextThreadSpawn(&settings, 1, NULL) || SCOTCH_graphInit(&bound) ||
        SCOTCH_contextBindGraph(&settings, graph, &bound))
        return 1;
    graph = &bound;
#endif
    return SCOTCH_graphPart(graph, (SCOTCH_Num)task->n_parts, strategy, part);
}

/* In the child, which ends after this: nothing is released. */
static int scotch_child(void *data)
{
    const mplan_contained_task *task = data;
    const mplan_csr *csr = task->graph;
    int64_t n = csr->n, entries = csr->offsets[n];
    SCOTCH_Num *offsets = scotch_numbers(csr->offsets, sizeof *csr->offsets, n + 1);
    SCOTCH_Num *part = malloc((size_t)n * sizeof *part);
    const SCOTCH_Num *neighbours = (const SCOTCH_Num *)(const void *)csr->neighbours;
    if (sizeof(SCOTCH_Num) != sizeof *csr->neighbours)
        neighbours = scotch_numbers(csr->neighbours, sizeof *csr->neighbours, entries);
    if (!offsets || !neighbours || !part)
        return MPLAN_CHILD_NO_MEMORY;
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    SCOTCH_Num kind = task->n_parts > MANY_PARTS ? SCOTCH_STRATRECURSIVE : SCOTCH_STRATDEFAULT;
    if (SCOTCH_graphInit(&graph) || SCOTCH_stratInit(&strategy) ||
        SCOTCH_stratGraphMapBuild(&strategy, kind, (SCOTCH_Num)task->n_parts, task->imbalance) ||
        SCOTCH_graphBuild(&graph, 0, (SCOTCH_Num)n, offsets, NULL, NULL, NULL, (SCOTCH_Num)entries,
                          neighbours, NULL) ||
        part_graph(task, &graph, &strategy, part))
        return 1;
    for (int64_t v = 0; v < n; v++)
        task->answer[v] = part[v] < 0 || part[v] >= task->n_parts ? -1 : (int32_t)part[v];
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
