/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_coarsen.c - pairs of neighbours of a graph that is dealt out to ranks, which become vertices of a coarser one
 *
 * Handshakes: each vertex points at the neighbour along its best edge, and two that point at each other are a pair
 * (F. Manne and R. H. Bisseling, PPAM 2007; the value of an edge is that of M. Holtgrewe, P. Sanders and C.
 * Schulz, IPDPS 2010: heavy edges between light vertices). Equal edges are told apart by a mixed number of both
 * ends. All vertices act at once, so that nothing depends on where they are. Where handshakes leave many over, as
 * round hubs and in graphs without edges, those are paired one after the other.
 *
 * "Number" is that of a vertex in the whole graph, the same for any number of ranks; "place" is where it is on
 * this rank, own vertices first, then ghosts. Whatever is decided here compares numbers and weights, never places
 * or ranks: so the pairs are the same for any number of ranks. */
#include "mpi/mpi_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Rounds of handshakes. */
enum { ROUNDS = 4 };

/* Of a graph whose pairs are looked for. [place] arrays have n + n_ghosts entries, [own vertex] arrays have n.
 * Entries of ghosts are copies of what their own ranks have, as of the last fetch. All but mate is freed when the
 * pairs are found. */
typedef struct matching {
    const mpi_graph *graph;
    int64_t most;  /* weight of a pair */
    double *light; /* [place]: 1 by its weight; 0: it is in a pair */
    int64_t *wish; /* [place]: the number of the vertex that it points at; -1: none */
    int32_t *best; /* [own vertex]: the place of that */
    int64_t *mate; /* [own vertex]: the number of the other one of its pair; -1: it is left over */
} matching;

/* --- handshakes ------------------------------------------------------------------------------------- */

/* A number that tells equal edges apart: equal from both ends, so that both of them find the same edge the best. */
static uint64_t mix(int64_t a, int64_t b, int32_t round)
{
    const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    uint64_t x = low * UINT64_C(0x9E3779B97F4A7C15) + high + ((uint64_t)round << 56);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* best[v] and wish[v] of an own vertex: the neighbour w with the largest edge * edge / weight of w. Values are products of
 * doubles in one order, equal on every machine; the mixed number differs from round to round, so that a vertex whose choice
 * was taken by others looks elsewhere. A neighbour that is too heavy is as light as 1 / (most - weight), or less. */
static void point(matching *m, int64_t v, int32_t round)
{
    const mpi_graph *g = m->graph;
    const int64_t number = mpi_graph_number(g, v), left = m->most - g->weight[v];
    const double least = left > 0 ? 1 / ((double)left + 0.5) : 2; /* no vertex is as light as 2 */
    double value = 0;
    uint64_t mixed = 0;
    int32_t best = -1;
    for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t w = g->neighbours[i];
        const double light = m->light[w], edge = mpi_graph_edge(g, i), here = edge * edge * light;
        if (here < value || light < least)
            continue;
        const uint64_t mixed_here = mix(number, mpi_graph_number(g, w), round);
        if (here == value && best >= 0 && mixed_here <= mixed)
            continue;
        value = here;
        mixed = mixed_here;
        best = w;
    }
    m->best[v] = best;
    m->wish[v] = best >= 0 ? mpi_graph_number(g, best) : -1;
}

/* One round. Two exchanges: what neighbours point at, and who is taken. Collective.
 * Both ends of a pair find it by themselves, from the same wishes, so that nothing has to be told about it: mate
 * of both is set, also where they are on two ranks. Before: light is up to date for ghosts, too; and so it is
 * after. */
static mplan_status shake_hands(matching *m, int32_t round, mplan_error *err)
{
    const mpi_graph *g = m->graph;
    for (int64_t v = 0; v < g->n; v++)
        if (m->light[v] == 0 ||
            (round > 0 && m->wish[v] < 0)) /* who is left without a choice stays so */
            m->wish[v] = -1;
        else
            point(m, v, round);
    mplan_status status = mpi_graph_fetch(g, MPLAN_OK, sizeof *m->wish, m->wish, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        if (m->wish[v] >= 0 && m->wish[m->best[v]] == mpi_graph_number(g, v)) {
            m->mate[v] = m->wish[v];
            m->light[v] = 0;
        }
    return status ? status : mpi_graph_fetch(g, status, sizeof *m->light, m->light, err);
}

/* --- those that are left over ------------------------------------------------------------------------- */

/* The first and the last vertex of a rank that is left over: [0] and [1] of their numbers and weights; n: how many
 * there are. */
typedef struct leftover {
    int64_t n, vertex[2], weight[2];
} leftover;

/* The neighbour of this rank's leftovers on the ranks before it (side 1) or behind it (side 0); NULL: there is
 * none. Before it that is the last leftover of that rank, vertex[1], behind it the first, vertex[0]: vertex[side]
 * in both cases. */
static const leftover *next_rank(const mpi_graph *g, const leftover *ends, int side)
{
    for (int32_t r = g->rank + (side ? -1 : 1); r >= 0 && r < g->ranks; r += side ? -1 : 1)
        if (ends[r].n > 0)
            return &ends[r];
    return NULL;
}

/* Pairs the leftovers in the order of their numbers, the first with the second and so on, also those on two ranks.
 * Collective. A leftover is the first or the second of its pair by how many leftovers of all ranks come before it,
 * which the ranks do not change. A pair needs the ends of the leftovers of each rank only, which all ranks get.
 * Both ends of a pair add the same two weights, and so agree whether it is too heavy. */
static mplan_status pair_leftovers(matching *m, mplan_error *err)
{
    const mpi_graph *g = m->graph;
    /* list: own vertices that are left over, n of them; before: how many ranks before this one have */
    int64_t *list = mplan_alloc(g->n, sizeof *list, err), n = 0, before = 0;
    leftover *ends = mplan_alloc(g->ranks, sizeof *ends, err), own = {0};
    mplan_status status = mpi_agree(g->comm, list && ends ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        if (m->light[v] > 0)
            list[n++] = v;
    if (!status) {
        own.n = n;
        for (int end = 0; end < 2 && n > 0; end++) {
            own.vertex[end] = mpi_graph_number(g, list[end ? n - 1 : 0]);
            own.weight[end] = g->weight[list[end ? n - 1 : 0]];
        }
        mpi_allgather(&own, ends, sizeof own, MPI_BYTE, g->comm);
        for (int32_t r = 0; r < g->rank; r++)
            before += ends[r].n;
    }
    for (int64_t i = 0; i < n && !status; i++) {
        const int side = (before + i) % 2; /* 1: its mate is the one before it */
        const int64_t k = side ? i - 1 : i + 1;
        const leftover *far = k < 0 || k >= n ? next_rank(g, ends, side) : NULL;
        if ((k < 0 || k >= n) && !far)
            continue;
        const int64_t weight = far ? far->weight[side] : g->weight[list[k]];
        if (weight + g->weight[list[i]] <= m->most)
            m->mate[list[i]] = far ? far->vertex[side] : mpi_graph_number(g, list[k]);
    }
    free(list);
    free(ends);
    return status;
}

/* m->mate: out, freed by the caller, also after a failure. Collective. What rounds leave over stays single; it is
 * paired only where it is more than half, since vertices that are not neighbours do not belong together. */
static mplan_status match(matching *m, mplan_error *err)
{
    const mpi_graph *g = m->graph;
    const int64_t places = g->n + g->n_ghosts;
    int64_t paired = 0;
    m->light = mplan_alloc(places, sizeof *m->light, err);
    m->wish = mplan_alloc(places, sizeof *m->wish, err);
    m->best = mplan_alloc(g->n, sizeof *m->best, err);
    m->mate = mplan_alloc(g->n, sizeof *m->mate, err);
    mplan_status status = m->light && m->wish && m->best && m->mate ? MPLAN_OK : MPLAN_ERR_MEMORY;
    status = mpi_agree(g->comm, status, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        m->mate[v] = -1;
    for (int64_t v = 0; v < places && !status; v++)
        m->light[v] = 1 / (double)g->weight[v];
    for (int32_t round = 0; round < ROUNDS && !status; round++)
        status = shake_hands(m, round, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        paired += m->light[v] == 0;
    if (!status && 2 * mpi_sum(g->comm, paired) < mpi_graph_total(g))
        status = pair_leftovers(m, err);
    free(m->light);
    free(m->wish);
    free(m->best);
    m->light = NULL;
    m->wish = NULL;
    m->best = NULL;
    return status;
}

/* Scratch: 28 bytes a vertex, and what is told in mpi_contract.c. */
mplan_status mpi_graph_coarsen(const mpi_graph *graph, int64_t most, int32_t *coarse,
                               mpi_graph *smaller, mplan_error *err)
{
    assert(graph && coarse && smaller && most > 0);
    matching m = {.graph = graph, .most = most};
    *smaller = (mpi_graph){.comm = graph->comm, .rank = graph->rank, .ranks = graph->ranks};
    mplan_status status = match(&m, err);
    status = mpi_agree(graph->comm, status, err);
    if (!status)
        status = mpi_graph_contract(graph, m.mate, coarse, smaller, err);
    free(m.mate);
    return status;
}
