/* SPDX-License-Identifier: Apache-2.0 */
/* bipartite.c - edges of a bipartite graph in as many colours as the largest degree
 *
 * D. Konig (Math. Ann. 77, 1916) proved that they suffice. The graph is made
 * regular: vertices of one side are merged while their degrees fit into one, and
 * edges without meaning fill up what is missing. Then (H. N. Gabow, Int. J. Comput.
 * Inf. Sci. 5, 1976) edges of an even degree d are halved by walking round closed
 * trails, whose edges go to either half in turn; of an odd d, a perfect matching
 * becomes a colour of its own. The matching is found by random walks
 * (A. Goel, M. Kapralov, S. Khanna, SIAM J. Comput. 42, 2013), expected
 * O(vertices log vertices), with a fixed seed. That holds for walks from vertices in a random order; here
 * they begin in the order of the numbers, which is nearer in memory, until they have taken more steps than
 * that (from the end of a chain they would take the square of its length). Halving needs no adjacency: the edges
 * at a vertex are paired in the order of their numbers, and the pairs of both
 * sides form the trails.
 *
 * By threads: both sides are paired side by side, and the two halves of the whole are coloured side by side.
 *
 * What it brings: a bound that is proved. (tools/bench/ablation, 150,000 shuffled cells): faces of quads and hexes
 * have the same 4 and 6 global colours without it, and hexes are planned in 0.53 s in place of 0.90. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "colour/edge_colour.h"
#include "mesh/mesh.h"

enum { NONE = -1, UNKNOWN = -1 };

/* Edges [0, n): both ends, merged vertices of either side, below n_side. */
typedef struct regular_graph {
    int64_t n, n_real, n_side;
    int32_t degree;
    int32_t *ends[2];
    int32_t *mate[2];           /* n: the edge it is paired with at that side */
    int32_t *order;             /* n: edges, of one part after the other */
    int32_t *spare;             /* n */
    int32_t *match[2], *choice; /* n_side */
    int32_t *spare_match[2],
        *spare_choice; /* n_side, for the second half of all; NULL where it follows the first */
    uint64_t seed;
    mplan_team *team; /* NULL: one thread */
} regular_graph;

/* --- two sides --------------------------------------------------------------- */

/* The edges at each vertex: edges[offsets[v]] ... edges[offsets[v + 1] - 1]. */
typedef struct incidence {
    int64_t *offsets;
    int32_t *edges;
} incidence;

/* The edges at each vertex: out->edges[out->offsets[v]] ... Both arrays belong to *out,
 * also after a failure. ends: two vertices per edge, NONE for an edge with one end. */
static mplan_status incidence_of(const mplan_edges *edges, incidence *out, mplan_error *err)
{
    out->offsets = mplan_alloc_zero(edges->n_vertices + 1, sizeof *out->offsets, err);
    if (!out->offsets)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < 2 * edges->n; i++)
        if (edges->ends[i] != NONE)
            out->offsets[edges->ends[i]]++;
    int64_t sum = 0;
    for (int64_t v = 0; v <= edges->n_vertices; v++)
        out->offsets[v] = sum += v < edges->n_vertices ? out->offsets[v] : 0;
    out->edges = mplan_alloc(sum, sizeof *out->edges, err);
    if (!out->edges)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 2 * edges->n - 1; i >= 0; i--)
        if (edges->ends[i] != NONE)
            out->edges[--out->offsets[edges->ends[i]]] = (int32_t)(i / 2);
    return MPLAN_OK;
}

/* Sides by breadth first search; false when the graph is not bipartite. */
static bool find_sides(const mplan_edges *edges, const incidence *at, int32_t *queue, int8_t *side)
{
    memset(side, UNKNOWN, (size_t)edges->n_vertices);
    for (int64_t root = 0; root < edges->n_vertices; root++) {
        int64_t first = 0, end = 0;
        if (side[root] != UNKNOWN)
            continue;
        side[root] = 0;
        queue[end++] = (int32_t)root;
        while (first < end) {
            int32_t v = queue[first++];
            for (int64_t i = at->offsets[v]; i < at->offsets[v + 1]; i++) {
                const int32_t *ends = edges->ends + 2 * (int64_t)at->edges[i];
                int32_t w = ends[0] == v ? ends[1] : ends[0];
                if (w == NONE)
                    continue;
                if (side[w] == side[v])
                    return false;
                if (side[w] != UNKNOWN)
                    continue;
                side[w] = (int8_t)!side[v];
                queue[end++] = w;
            }
        }
    }
    return true;
}

/* Sides and degrees of the vertices; *degree, the largest, is 0 where the graph
 * is not bipartite (or has no edge with an end). */
static mplan_status look_over(const mplan_edges *edges, int8_t *side, int32_t *degrees,
                              int32_t *degree, mplan_error *err)
{
    incidence at = {0};
    int32_t *queue = mplan_alloc(edges->n_vertices, sizeof *queue, err);
    mplan_status status = queue ? incidence_of(edges, &at, err) : MPLAN_ERR_MEMORY;
    *degree = 0;
    if (!status && find_sides(edges, &at, queue, side))
        for (int64_t v = 0; v < edges->n_vertices; v++) {
            degrees[v] = (int32_t)(at.offsets[v + 1] - at.offsets[v]);
            *degree = degrees[v] > *degree ? degrees[v] : *degree;
        }
    free(queue);
    free(at.offsets);
    free(at.edges);
    return status;
}

/* --- the regular graph --------------------------------------------------------- */

/* Merges vertices of a side, in the order of their numbers, while they have no
 * more than `degree` edges together. An edge without an end at a side is taken
 * for one of a vertex of its own. Returns the number of merged vertices. */
static int64_t merge(const mplan_edges *edges, const int8_t *side, const int32_t *degrees,
                     int32_t degree, int8_t which, int32_t *merged, int32_t *ends)
{
    int64_t n = -1;
    int32_t room = 0;
    for (int64_t v = 0; v < edges->n_vertices; v++) {
        if (side[v] != which || degrees[v] == 0)
            continue;
        if (degrees[v] > room) {
            n++;
            room = degree;
        }
        room -= degrees[v];
        merged[v] = (int32_t)n;
    }
    for (int64_t e = 0; e < edges->n; e++) {
        const int32_t *end = edges->ends + 2 * e;
        int32_t v = end[0] != NONE && side[end[0]] == which   ? end[0]
                    : end[1] != NONE && side[end[1]] == which ? end[1]
                                                              : NONE;
        if (v == NONE && room-- == 0) {
            n++;
            room = degree - 1;
        }
        ends[e] = v == NONE ? (int32_t)n : merged[v];
    }
    return n + 1;
}

/* Edges between what is missing at either side. */
static void fill_up(regular_graph *g, int32_t *missing[2])
{
    int64_t at[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        for (int64_t v = 0; v < g->n_side; v++)
            missing[k][v] = g->degree;
        for (int64_t e = 0; e < g->n_real; e++)
            missing[k][g->ends[k][e]]--;
    }
    for (int64_t e = g->n_real; e < g->n; e++)
        for (int k = 0; k < 2; k++) {
            while (missing[k][at[k]] == 0)
                at[k]++;
            missing[k][at[k]]--;
            g->ends[k][e] = (int32_t)at[k];
        }
}

/* Of a graph that is complete or was begun only: what was not allocated is NULL. */
static void graph_free(regular_graph *g)
{
    for (int k = 0; k < 2; k++) {
        free(g->ends[k]);
        free(g->mate[k]);
        free(g->match[k]);
        free(g->spare_match[k]);
    }
    free(g->spare_choice);
    free(g->order);
    free(g->spare);
    free(g->choice);
}

/* Makes a bipartite multigraph in which every vertex has the same degree: vertices of
 * low degree are merged, then edges that stand for nothing are added (numbers from
 * n_real on). beside: its halves will be coloured beside each other. degree 0, and success, where it would not fit 32 bits. */
static mplan_status graph_create(const mplan_edges *edges, const int8_t *side, const int32_t *degrees,
                                 bool beside, regular_graph *g, mplan_error *err)
{
    mplan_status status = MPLAN_ERR_MEMORY;
    int64_t n_side[2];
    int32_t *merged = mplan_alloc(edges->n_vertices, sizeof *merged, err);
    for (int k = 0; k < 2; k++)
        g->ends[k] = mplan_alloc(edges->n, sizeof **g->ends, err);
    if (!merged || !g->ends[0] || !g->ends[1])
        goto done;
    for (int8_t k = 0; k < 2; k++)
        n_side[k] = merge(edges, side, degrees, g->degree, k, merged, g->ends[k]);
    g->n_real = edges->n;
    g->n_side = n_side[0] > n_side[1] ? n_side[0] : n_side[1];
    g->n = g->n_side * g->degree;
    if (g->n > INT32_MAX) {
        g->degree = 0;
        status = MPLAN_OK;
        goto done;
    }
    g->order = mplan_alloc(g->n, sizeof *g->order, err);
    g->spare = mplan_alloc(g->n, sizeof *g->spare, err);
    g->choice = mplan_alloc(g->n_side, sizeof *g->choice, err);
    bool complete = g->order && g->spare && g->choice;
    if (beside) {
        g->spare_choice = mplan_alloc(g->n_side, sizeof *g->choice, err);
        for (int k = 0; k < 2; k++)
            g->spare_match[k] = mplan_alloc(g->n_side, sizeof **g->match, err);
        complete = complete && g->spare_choice && g->spare_match[0] && g->spare_match[1];
    }
    for (int k = 0; k < 2; k++) {
        int32_t *longer = mplan_realloc(g->ends[k], g->n, sizeof *longer, err);
        g->ends[k] = longer ? longer : g->ends[k];
        g->mate[k] = mplan_alloc(g->n, sizeof **g->mate, err);
        g->match[k] = mplan_alloc(g->n_side, sizeof **g->match, err);
        complete = complete && longer && g->mate[k] && g->match[k];
    }
    if (complete) {
        fill_up(g, g->match);
        status = MPLAN_OK;
    }
done:
    free(merged);
    return status;
}

/* --- halving and matching ------------------------------------------------------ */

/* Edges of a part, [begin, end) of the order; also for threads that work on it, or on its halves. */
typedef struct part {
    regular_graph *g;
    int64_t begin, end;
    int32_t degree, next, *colour; /* of the halves: degree, first colour of the first */
} part;

/* Pairs the edges at each vertex of side k. */
static void pair_side(void *data, int thread, int64_t first, int64_t last_side)
{
    const part *of = data;
    regular_graph *g = of->g;
    (void)thread;
    for (int64_t k = first; k < last_side; k++) {
        int32_t *last = g->match[k];
        for (int64_t v = 0; v < g->n_side; v++)
            last[v] = NONE;
        for (int64_t i = of->begin; i < of->end; i++) {
            int32_t e = g->order[i], *open = &last[g->ends[k][e]];
            if (*open == NONE) {
                *open = e;
                continue;
            }
            g->mate[k][e] = *open;
            g->mate[k][*open] = e;
            *open = NONE;
        }
    }
}

/* Reorders edges order[begin ... end) of an even degree: its halves, each of half
 * the degree, one behind the other. */
static void halve(regular_graph *g, int64_t begin, int64_t end)
{
    part of = {.g = g, .begin = begin, .end = end};
    mplan_for(g->team, 2, 1, pair_side, &of);
    int64_t first = begin, second = begin + (end - begin) / 2;
    for (int64_t i = begin; i < end; i++) {
        int32_t e = g->order[i];
        while (g->mate[0][e] != NONE) { /* one way round the trail, a pair at a time */
            int32_t f = g->mate[0][e];
            g->spare[first++] = e;
            g->spare[second++] = f;
            g->mate[0][e] = g->mate[0][f] = NONE;
            e = g->mate[1][f];
        }
    }
    memcpy(g->order + begin, g->spare + begin, (size_t)(end - begin) * sizeof *g->order);
}

/* A walk from an unmatched vertex to one of the other side; choice, where it left
 * each vertex last, is a path without loops. steps: what is left of them, or NULL for any number; false, and
 * nothing was matched, when they are used up. */
static bool walk(regular_graph *g, const int32_t *at, int32_t degree, int32_t from, int64_t *steps)
{
    int32_t v = from;
    for (;;) {
        if (steps && (*steps)-- == 0)
            return false;
        int32_t e = at[(int64_t)v * degree + mplan_random_below(&g->seed, degree)];
        if (e == g->match[0][v])
            continue;
        g->choice[v] = e;
        int32_t matched = g->match[1][g->ends[1][e]];
        if (matched == NONE)
            break;
        v = g->ends[0][matched];
    }
    v = from;
    for (;;) {
        int32_t e = g->choice[v], *match = &g->match[1][g->ends[1][e]], before = *match;
        *match = g->match[0][v] = e;
        if (before == NONE)
            return true;
        v = g->ends[0][before];
    }
}

/* Three times what walks from a random order take on average. */
static int64_t steps_in_order(int64_t n)
{
    int64_t steps = 4 * n;
    for (int64_t k = n; k > 1; k /= 2)
        steps += 2 * n;
    return steps;
}

/* Matches all vertices: those that are left when the steps are used up in a random order. rest: room for n_side. */
static void match_all(regular_graph *g, const int32_t *at, int32_t degree, int32_t *rest)
{
    int64_t steps = steps_in_order(g->n_side), first = 0;
    while (first < g->n_side && walk(g, at, degree, (int32_t)first, &steps))
        first++;
    int64_t n = g->n_side - first;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = mplan_random_below(&g->seed, i + 1);
        rest[i] = rest[j];
        rest[j] = (int32_t)(first + i);
    }
    for (int64_t i = 0; i < n; i++)
        walk(g, at, degree, rest[i], NULL);
}

/* Moves a perfect matching of order[begin ... end) to its front. */
static void match(regular_graph *g, int64_t begin, int64_t end, int32_t degree)
{
    int32_t *at = g->spare + begin, *filled = g->choice;
    for (int64_t v = 0; v < g->n_side; v++)
        filled[v] = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t v = g->ends[0][g->order[i]];
        at[(int64_t)v * degree + filled[v]++] = g->order[i];
    }
    for (int k = 0; k < 2; k++)
        for (int64_t v = 0; v < g->n_side; v++)
            g->match[k][v] = NONE;
    match_all(g, at, degree, g->order + begin); /* `at` has these edges now */
    int64_t rest = begin + g->n_side;
    for (int64_t v = 0; v < g->n_side; v++) {
        g->order[begin + v] = g->match[0][v];
        for (int32_t k = 0; k < degree; k++)
            if (at[v * degree + k] != g->match[0][v])
                g->order[rest++] = at[v * degree + k];
    }
}

static int32_t split(regular_graph *g, int64_t begin, int32_t degree, int32_t next, int32_t *colour);

/* Colours half k of a part by itself: with scratch, and random numbers, of its own. */
static void split_half(void *data, int thread, int64_t first, int64_t last)
{
    const part *of = data;
    (void)thread;
    for (int64_t k = first; k < last; k++) {
        regular_graph g = *of->g;
        g.team = NULL;
        g.spare_choice = NULL;
        if (k == 1) {
            g.seed = ~g.seed;
            for (int i = 0; i < 2; i++)
                g.match[i] = g.spare_match[i];
            g.choice = of->g->spare_choice;
        }
        split(&g, of->begin + k * g.n_side * of->degree, of->degree,
              of->next + (int32_t)k * of->degree, of->colour);
    }
}

/* Parts are split until each is a matching; the depth is the logarithm of the
 * degree. Colours are given in the order of the parts. */
static int32_t split(regular_graph *g, int64_t begin, int32_t degree, int32_t next, int32_t *colour)
{
    int64_t end = begin + g->n_side * degree;
    if (degree == 1) {
        for (int64_t i = begin; i < end; i++)
            if (g->order[i] < g->n_real)
                colour[g->order[i]] = next;
        return next + 1;
    }
    if (degree % 2) {
        match(g, begin, end, degree);
        next = split(g, begin, 1, next, colour);
        begin += g->n_side;
        degree--;
    }
    halve(g, begin, end);
    if (g->spare_choice) {
        part of = {g, begin, end, degree / 2, next, colour};
        mplan_for(g->team, 2, 1, split_half, &of);
        return next + degree;
    }
    next = split(g, begin, degree / 2, next, colour);
    return split(g, begin + g->n_side * (degree / 2), degree / 2, next, colour);
}

/* *n_colours is 0, and colour undefined, where the graph has an odd circle. Koenig's
 * theorem: as many colours as the highest degree. */
mplan_status mplan_colour_bipartite(const mplan_edges *edges, int64_t many, int32_t *colour,
                                    int32_t *n_colours, mplan_team *team, mplan_error *err)
{
    assert(edges && colour && n_colours);
    regular_graph g = {.seed = 1, .team = edges->n >= many ? team : NULL};
    int8_t *side = mplan_alloc(edges->n_vertices, sizeof *side, err);
    int32_t *degrees = mplan_alloc(edges->n_vertices, sizeof *degrees, err);
    mplan_status status = side && degrees ? look_over(edges, side, degrees, &g.degree, err)
                                          : MPLAN_ERR_MEMORY;
    *n_colours = 0;
    if (!status && g.degree > 0) {
        status = graph_create(edges, side, degrees, edges->n >= many, &g, err);
        for (int64_t i = 0; i < g.n && g.order && !status; i++)
            g.order[i] = (int32_t)i;
        if (!status && g.degree > 0)
            *n_colours = split(&g, 0, g.degree, 0, colour);
    }
    graph_free(&g);
    free(side);
    free(degrees);
    return status;
}
