/* SPDX-License-Identifier: Apache-2.0 */
/* scotch_cut.c - SCOTCH_graphPart and SCOTCH_graphOrder
 *
 * F. Pellegrini, J. Roman, HPCN (1996). One thread, a fixed seed and, from SCOTCH 7 on, its
 * deterministic mode: both belong to a context that the graph is bound to. The time of the default
 * strategy of parts grows with the square of their number (SCOTCH 7.0: 22 minutes for 23,000); many
 * parts are made by recursive bisection, to equal quality. The order is the strategy `g` of the user's
 * guide ("Sparse matrix ordering strategy strings"). */
#if defined MPLAN_HAVE_SCOTCH
#include <stdio.h>
#include <stdlib.h>

#include <scotch.h>

#include "base/error.h"
#include "helper/cut.h"

enum { MANY_PARTS = 2048 };

/* A graph as SCOTCH wants it, with the arrays that it refers to.
 * The arrays are never released: SCOTCH refers to them until the program ends. */
typedef struct scotch_graph {
    SCOTCH_Graph plain;
#if SCOTCH_VERSION >= 7
    SCOTCH_Context settings;
    SCOTCH_Graph bound;
#endif
    SCOTCH_Num *answer; /* n */
} scotch_graph;

/* As in metis_cut.c. */
static SCOTCH_Num *numbers_of(const void *from, size_t width, int64_t n)
{
    SCOTCH_Num *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int64_t i = 0; i < n && to; i++)
        to[i] = width == 8 ? (SCOTCH_Num)((const int64_t *)from)[i]
                           : (SCOTCH_Num)((const int32_t *)from)[i];
    return to;
}

/* Whether n weights (NULL: none) add up to what SCOTCH's integers hold. */
static bool fits(const int64_t *weights, int64_t n)
{
    int64_t left = sizeof(SCOTCH_Num) == 4 ? INT32_MAX : INT64_MAX;
    for (int64_t i = 0; weights && i < n; i++) {
        if (weights[i] > left)
            return false;
        left -= weights[i];
    }
    return true;
}

/* Functions of SCOTCH answer 1 for every failure, also of memory: helper.c tells that apart. */
static mplan_status fail_scotch(mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_PARTITIONER, "SCOTCH failed with status 1");
}

/* Neighbours are copied only when widths differ. *graph: what SCOTCH is to be called with.
 * seed: of SCOTCH's generator, which is set here, so that equal tasks have equal answers. */
static mplan_status open_graph(scotch_graph *s, const mplan_cut_task *task, int32_t seed,
                               SCOTCH_Graph **graph, mplan_error *err)
{
    int64_t n = task->n, entries = task->offsets[n];
    if (task->n_constraints > 1 || task->shares || task->flags)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "SCOTCH takes one column of weights only");
    if (!fits(task->weights, n) || !fits(task->edge_weights, entries))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "the weights add up to more than SCOTCH's integers of %d bits hold",
                          8 * (int)sizeof(SCOTCH_Num));
    if (sizeof(SCOTCH_Num) == 4 && entries > INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "a graph of %lld neighbours needs SCOTCH with 64-bit integers",
                          (long long)entries);
    SCOTCH_Num *begin = numbers_of(task->offsets, sizeof *task->offsets, n + 1);
    const SCOTCH_Num *ends = (const SCOTCH_Num *)(const void *)task->neighbours;
    if (sizeof(SCOTCH_Num) != sizeof *task->neighbours)
        ends = numbers_of(task->neighbours, sizeof *task->neighbours, entries);
    SCOTCH_Num *weights = NULL, *edge_weights = NULL;
    if (task->weights)
        weights = numbers_of(task->weights, sizeof *task->weights, n);
    if (task->edge_weights)
        edge_weights = numbers_of(task->edge_weights, sizeof *task->edge_weights, entries);
    s->answer = malloc((size_t)n * sizeof *s->answer);
    if (!begin || !ends || !s->answer || (task->weights && !weights) ||
        (task->edge_weights && !edge_weights))
        return mplan_fail(err, MPLAN_ERR_MEMORY, "SCOTCH ran out of memory");
    if (SCOTCH_graphInit(&s->plain) ||
        SCOTCH_graphBuild(&s->plain, 0, (SCOTCH_Num)n, begin, NULL, weights, NULL,
                          (SCOTCH_Num)entries, ends, edge_weights))
        return fail_scotch(err);
    SCOTCH_randomSeed((SCOTCH_Num)seed);
    SCOTCH_randomReset();
    *graph = &s->plain;
#if SCOTCH_VERSION >= 7
    if (SCOTCH_contextInit(&s->settings) ||
        SCOTCH_contextOptionSetNum(&s->settings, SCOTCH_OPTIONNUMDETERMINISTIC, 1) ||
        SCOTCH_contextThreadSpawn(&s->settings, 1, NULL) || SCOTCH_graphInit(&s->bound) ||
        SCOTCH_contextBindGraph(&s->settings, &s->plain, &s->bound))
        return fail_scotch(err);
    *graph = &s->bound;
#endif
    return MPLAN_OK;
}

/* The answer, with -1 for what is not in [0, limit). */
static void hand_over(const scotch_graph *s, const mplan_cut_task *task, int64_t limit)
{
    for (int64_t v = 0; v < task->n; v++)
        task->answer[v] = s->answer[v] < 0 || s->answer[v] >= limit ? -1 : (int32_t)s->answer[v];
}

/* Many parts by recursive bisection, where the default would take too long. */
mplan_status mplan_cut_by_scotch(const mplan_cut_task *task, mplan_error *err)
{
    int32_t seed = (int32_t)((task->seed ^ task->seed >> 31) & INT32_MAX);
    scotch_graph s;
    SCOTCH_Graph *graph;
    SCOTCH_Strat strategy;
    SCOTCH_Num kind = task->n_parts > MANY_PARTS ? SCOTCH_STRATRECURSIVE : SCOTCH_STRATDEFAULT;
    mplan_status status = open_graph(&s, task, seed, &graph, err);
    if (status)
        return status;
    if (SCOTCH_stratInit(&strategy) ||
        SCOTCH_stratGraphMapBuild(&strategy, kind, (SCOTCH_Num)task->n_parts, task->imbalance) ||
        SCOTCH_graphPart(graph, (SCOTCH_Num)task->n_parts, &strategy, s.answer))
        return fail_scotch(err);
    hand_over(&s, task, task->n_parts);
    return MPLAN_OK;
}

/* Gibbs-Poole-Stockmeyer in three passes. */
mplan_status mplan_order_by_scotch(const mplan_cut_task *task, mplan_error *err)
{
    scotch_graph s;
    SCOTCH_Graph *graph;
    SCOTCH_Strat strategy;
    mplan_status status = open_graph(&s, task, 1, &graph, err);
    if (status)
        return status;
    if (SCOTCH_stratInit(&strategy) || SCOTCH_stratGraphOrder(&strategy, "g{pass=3}") ||
        SCOTCH_graphOrder(graph, &strategy, s.answer, NULL, NULL, NULL, NULL))
        return fail_scotch(err);
    hand_over(&s, task, task->n);
    return MPLAN_OK;
}
#else
typedef int mplan_no_scotch;
#endif
