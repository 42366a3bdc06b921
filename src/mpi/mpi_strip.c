/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_strip.c - moves between two parts, on the rank that has the vertices near their border
 *
 * The rest of each part is one vertex that stays. Which rank has a strip changes nothing: it is told by the graph
 * and the parts. Vertices come in ascending order of their numbers, and the edges of each in that of its
 * neighbours: the small graph that is made here is the same on any rank, and what is decided on it as well.
 * Nothing in this file is collective. */
#include "mpi/mpi_graph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "partition/bisect_refine.h"

/* At most, over all vertices of a strip. */
enum { PASSES = 3 };

/* Two vertices more than the strip has: the rests of side 0 and side 1. They are vertices n and n + 1 of `graph`;
 * vertex v of the others is the one with number numbers[v]. */
typedef struct strip {
    mplan_weighted graph;
    int64_t *numbers; /* of the vertices, ascending */
    int64_t n;        /* without the rests */
} strip;

/* Room for the graph, and its sizes. Edges of weight 0 are not added, so that it may have fewer edges than there
 * is room for. *s is the caller's to release, also after a failure. */
static mplan_status make_room(strip *s, int64_t n, const int64_t *const *vertices, mplan_error *err)
{
    mplan_weighted *g = &s->graph;
    int64_t edges = 0;
    for (int64_t v = 0; v < n; v++)
        edges += vertices[v][STRIP_N] + 4; /* to both rests and back */
    s->n = n;
    g->n = n + 2;
    s->numbers = mplan_alloc(n, sizeof *s->numbers, err);
    g->offsets = mplan_alloc_zero(n + 3, sizeof *g->offsets, err);
    g->neighbours = mplan_alloc(edges, sizeof *g->neighbours, err);
    g->edge = mplan_alloc(edges, sizeof *g->edge, err);
    g->weight = mplan_alloc(n + 2, sizeof *g->weight, err);
    return s->numbers && g->offsets && g->neighbours && g->edge && g->weight ? MPLAN_OK
                                                                             : MPLAN_ERR_MEMORY;
}

/* One direction of an edge, at place *at, which moves on. Weights are 32 bits in this graph: more than that is
 * INT32_MAX, from both ends alike. */
static void add_edge(mplan_weighted *g, int64_t *at, int64_t to, int64_t weight)
{
    if (weight == 0)
        return;
    g->neighbours[*at] = (int32_t)to;
    g->edge[(*at)++] = weight < INT32_MAX ? (int32_t)weight : INT32_MAX;
}

/* All edges, those of the rests last. Returns the weight of the heaviest vertex of the strip, at least 1. weigh:
 * of both sides with all of their vertices; a rest weighs what is left of its side without the strip. There is
 * room (make_room). */
static int64_t fill(strip *s, const int64_t *const *vertices, const int64_t weigh[2])
{
    mplan_weighted *g = &s->graph;
    mpi_finder finder;
    int64_t at = 0, heaviest = 1;
    g->weight[s->n] = weigh[0];
    g->weight[s->n + 1] = weigh[1];
    for (int64_t v = 0; v < s->n; v++)
        s->numbers[v] = vertices[v][STRIP_NUMBER];
    mpi_finder_open(s->numbers, s->n, &finder);
    for (int64_t v = 0; v < s->n; v++) {
        const int64_t *w = vertices[v];
        g->weight[v] = w[STRIP_WEIGHT];
        g->weight[s->n + w[STRIP_SIDE]] -= w[STRIP_WEIGHT];
        heaviest = g->weight[v] > heaviest ? g->weight[v] : heaviest;
        for (int64_t i = 0; i < w[STRIP_N]; i++)
            add_edge(g, &at, mpi_find(&finder, w[STRIP_WORDS + 2 * i]), w[STRIP_WORDS + 2 * i + 1]);
        for (int rest = 0; rest < 2; rest++)
            add_edge(g, &at, s->n + rest, w[STRIP_REST + rest]);
        g->offsets[v + 1] = at;
    }
    mpi_finder_close(&finder);
    for (int rest = 0; rest < 2; rest++) {
        for (int64_t v = 0; v < s->n; v++)
            add_edge(g, &at, v, vertices[v][STRIP_REST + rest]);
        g->offsets[s->n + rest + 1] = at;
    }
    g->total = weigh[0] + weigh[1];
    return heaviest;
}

/* Weight of the edges between the sides, each of which is listed by both ends. side: of all vertices and both rests. */
static int64_t cut_of(const mplan_weighted *g, const uint8_t *side)
{
    int64_t cut = 0;
    for (int64_t v = 0; v < g->n; v++)
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
            cut += side[g->neighbours[i]] != side[v] ? g->edge[i] : 0;
    return cut / 2;
}

/* How much sides may be off: no side above `most`, none empty, and what heavy vertices need. */
static int64_t slack_of(int64_t total, int64_t most, int64_t heaviest)
{
    const int64_t low = total / 2, high = total - low;
    int64_t slack = most - high > heaviest / 2 ? most - high : heaviest / 2;
    slack = slack < low - 1 ? slack : low - 1;
    return slack > 0 ? slack : 0;
}

/* Each side should have half of both weights, give or take the slack. The sides of the caller, of n_vertices
 * without the rests, and weigh are filled from what was moved. */
mplan_status mpi_strip_refine(int64_t n_vertices, const int64_t *const *vertices, int64_t most,
                              int64_t weigh[2], uint8_t *side, int64_t *gain, mplan_error *err)
{
    assert(vertices && weigh && side && gain);
    strip s = {.n = 0};
    uint8_t *all = mplan_alloc(n_vertices + 2, 1, err);
    mplan_status status = all ? make_room(&s, n_vertices, vertices, err) : MPLAN_ERR_MEMORY;
    *gain = 0;
    if (!status) {
        const int64_t heaviest = fill(&s, vertices, weigh), total = s.graph.total;
        for (int64_t v = 0; v < n_vertices; v++)
            all[v] = (uint8_t)vertices[v][STRIP_SIDE];
        /* the rests are the last two vertices, and are fixed: 2 below */
        all[n_vertices] = 0;
        all[n_vertices + 1] = 1;
        mplan_sides sides = {
            .side = all, .due = total / 2, .slack = slack_of(total, most, heaviest), .fixed = 2};
        const int64_t before = cut_of(&s.graph, all);
        status = mplan_sides_refine(&s.graph, PASSES, &sides, NULL, err);
        *gain = before - sides.cut;
        for (int64_t v = 0; v < n_vertices && !status; v++) {
            side[v] = all[v];
            if (side[v] == vertices[v][STRIP_SIDE])
                continue;
            weigh[side[v]] += s.graph.weight[v];
            weigh[1 - side[v]] -= s.graph.weight[v];
        }
    }
    free(all);
    free(s.numbers);
    mplan_weighted_free(&s.graph);
    return status;
}
