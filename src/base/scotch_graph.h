/* scotch_graph.h - a graph as SCOTCH takes it, in a child process (child.h)
 *
 * For the two files that call SCOTCH. One thread, a fixed seed and, from SCOTCH 7 on, its
 * deterministic mode: both belong to a context that the graph is bound to. The child ends
 * after its work, so nothing is released. */
#ifndef MPLAN_SCOTCH_GRAPH_H
#define MPLAN_SCOTCH_GRAPH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <scotch.h>

#include "base/child.h"

typedef struct mplan_scotch_graph {
    SCOTCH_Graph plain;
#if SCOTCH_VERSION >= 7
    SCOTCH_Context settings;
    SCOTCH_Graph bound;
#endif
    SCOTCH_Num *answer; /* n */
} mplan_scotch_graph;

static inline SCOTCH_Num *mplan_scotch_numbers(const void *from, size_t width, int64_t n)
{
    SCOTCH_Num *to = malloc((size_t)(n + 1) * sizeof *to);
    for (int64_t i = 0; i < n && to; i++)
        to[i] = width == 8 ? (SCOTCH_Num)((const int64_t *)from)[i]
                           : (SCOTCH_Num)((const int32_t *)from)[i];
    return to;
}

/* Neighbours of v: neighbours[offsets[v]] ... . SCOTCH's integers hold all of these;
 * neighbours are copied only when widths differ. *graph: what SCOTCH is to be called with.
 * Returns 0, or what the child is to return. */
static inline int mplan_scotch_open(mplan_scotch_graph *s, int64_t n, const int64_t *offsets,
                                    const int32_t *neighbours, int32_t seed, SCOTCH_Graph **graph)
{
    SCOTCH_Num *begin = mplan_scotch_numbers(offsets, sizeof *offsets, n + 1);
    const SCOTCH_Num *ends = (const SCOTCH_Num *)(const void *)neighbours;
    if (sizeof(SCOTCH_Num) != sizeof *neighbours)
        ends = mplan_scotch_numbers(neighbours, sizeof *neighbours, offsets[n]);
    s->answer = malloc((size_t)n * sizeof *s->answer);
    if (!begin || !ends || !s->answer)
        return MPLAN_CHILD_NO_MEMORY;
    if (SCOTCH_graphInit(&s->plain) ||
        SCOTCH_graphBuild(&s->plain, 0, (SCOTCH_Num)n, begin, NULL, NULL, NULL,
                          (SCOTCH_Num)offsets[n], ends, NULL))
        return 1;
    SCOTCH_randomSeed((SCOTCH_Num)seed);
    SCOTCH_randomReset();
    *graph = &s->plain;
#if SCOTCH_VERSION >= 7
    if (SCOTCH_contextInit(&s->settings) ||
        SCOTCH_contextOptionSetNum(&s->settings, SCOTCH_OPTIONNUMDETERMINISTIC, 1) ||
        SCOTCH_contextThreadSpawn(&s->settings, 1, NULL) || SCOTCH_graphInit(&s->bound) ||
        SCOTCH_contextBindGraph(&s->settings, &s->plain, &s->bound))
        return 1;
    *graph = &s->bound;
#endif
    return 0;
}

/* The answer, with -1 for what is not in [0, limit). */
static inline void mplan_scotch_answer(const mplan_scotch_graph *s, int64_t n, int64_t limit,
                                       int32_t *answer)
{
    for (int64_t v = 0; v < n; v++)
        answer[v] = s->answer[v] < 0 || s->answer[v] >= limit ? -1 : (int32_t)s->answer[v];
}

#endif
