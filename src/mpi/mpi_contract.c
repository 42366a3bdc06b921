/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_contract.c - the coarser graph that pairs of vertices of a graph become, dealt out to ranks as that is
 *
 * A pair is on the rank that has its first vertex, the lower one; a vertex without a mate is a pair by itself. Pairs are
 * numbered by their first vertices. The neighbours of a pair are in the order in which its first vertex, then its second
 * one lists them: so the coarser graph, also the order of its lists, is the same for any number of ranks.
 *
 * Besides the ghosts that its edges need, a rank has as ghosts the pairs of all own vertices and ghosts of the finer
 * graph: so what is known of pairs is known of these without a message. */
#include "mpi/mpi_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A second vertex of a pair that another rank has. Words: number of the pair, weight, n, then n neighbours: the number of
 * the pair of each and the weight of the edge. */
enum { AWAY_PAIR, AWAY_WEIGHT, AWAY_N, AWAY_WORDS };

/* What is needed to build it. "Pair of this rank" counts from the first that this rank has. [place] arrays have n +
 * n_ghosts entries of the finer graph, [own vertex] arrays have n. */
typedef struct contraction {
    const mpi_graph *graph;
    const int64_t *mate; /* [own vertex]: the number of the other one of its pair; -1: none */
    int64_t *number;     /* [place]: of its pair, in the whole coarser graph */
    int32_t *pair;       /* [place]: of its pair, as a place in the coarser graph */
    int64_t *second; /* [pair of this rank]: own vertex, or -2 - the word where its message begins, or -1 */
    mpi_items away; /* second vertices that other ranks have, as words (AWAY_...) */
    int64_t *at; /* [place in the coarser graph]: where the edge to it is, below the first of the pair at hand: there is none */
} contraction;

/* --- numbers of pairs ------------------------------------------------------------------------------------ */

/* Whether v becomes a vertex of the coarser graph: it has no mate, or it is the first of its pair. */
static bool is_first(const contraction *c, int64_t v)
{
    return c->mate[v] < 0 || mpi_graph_number(c->graph, v) < c->mate[v];
}

/* Whether a rank has the vertex of a number. */
static bool is_own(const mpi_graph *g, int64_t number)
{
    return number >= g->first[g->rank] && number < g->first[g->rank + 1];
}

/* Vertices whose pair is on another rank get its number from there. Collective.
 * c->number: those of own first vertices are there; those of own second vertices are filled. Only
 * first vertices are asked for, so that no rank is asked for what it does not know yet. */
static mplan_status fetch_numbers(contraction *c, mplan_error *err)
{
    const mpi_graph *g = c->graph;
    const int64_t *mate = c->mate;
    int64_t n = 0, *ids = NULL, *scratch = NULL;
    mpi_links links = {0};
    for (int64_t v = 0; v < g->n; v++)
        n += !is_first(c, v) && !is_own(g, mate[v]);
    ids = mplan_alloc(n, sizeof *ids, err);
    scratch = mplan_alloc(n, sizeof *scratch, err);
    mplan_status status = ids && scratch ? MPLAN_OK : MPLAN_ERR_MEMORY;
    n = 0;
    for (int64_t v = 0; v < g->n && !status; v++)
        if (!is_first(c, v) && !is_own(g, mate[v]))
            ids[n++] = mate[v];
    if (!status)
        n = mpi_distinct(ids, n, scratch);
    status = mpi_links_make(g->comm, status, g->first, n, ids, &links, err);
    if (!status)
        status = mpi_links_fetch(&links, status, sizeof *c->number, c->number, scratch, err);
    /* scratch has what came: the numbers of the pairs of ids, in their order */
    mpi_finder finder;
    mpi_finder_open(ids, status ? 0 : n, &finder);
    for (int64_t v = 0; v < g->n && !status; v++)
        if (!is_first(c, v))
            c->number[v] = is_own(g, mate[v]) ? c->number[mate[v] - g->first[g->rank]]
                                              : scratch[mpi_find(&finder, mate[v])];
    mpi_finder_close(&finder);
    mpi_links_free(&links);
    free(ids);
    free(scratch);
    return status;
}

/* c->number, also of ghosts, and out->first and n. Collective. A rank has the pairs whose first vertices it has, in their
 * order: so the numbers are those that one rank would give. */
static mplan_status number_pairs(contraction *c, mpi_graph *out, mplan_error *err)
{
    const mpi_graph *g = c->graph;
    int64_t n = 0;
    for (int64_t v = 0; v < g->n; v++)
        n += is_first(c, v);
    mpi_ranges_of(g->comm, n, out->first);
    out->n = n;
    n = out->first[g->rank];
    for (int64_t v = 0; v < g->n; v++)
        if (is_first(c, v))
            c->number[v] = n++;
    mplan_status status = fetch_numbers(c, err);
    return mpi_graph_fetch(g, status, sizeof *c->number, c->number, err);
}

/* --- second vertices that are elsewhere ------------------------------------------------------------------------ */

/* Sends second vertices to the ranks of their pairs, those of their first vertices. Collective. Neighbours travel with
 * numbers of the coarser graph. to: the rank of each word. */
static mplan_status send_away(contraction *c, mplan_error *err)
{
    const mpi_graph *g = c->graph;
    mplan_vector words = MPLAN_VECTOR_INIT(sizeof(int64_t)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = MPLAN_OK;
    for (int64_t v = 0; v < g->n && !status; v++) {
        if (is_first(c, v) || is_own(g, c->mate[v]))
            continue;
        const int64_t n = g->offsets[v + 1] - g->offsets[v], n_words = AWAY_WORDS + 2 * n;
        const int32_t rank = mpi_rank_of(g->first, g->ranks, c->mate[v]);
        int64_t *w = mplan_vector_reserve(&words, n_words, err);
        int32_t *r = w ? mplan_vector_reserve(&to, n_words, err) : NULL;
        if (!r) {
            status = MPLAN_ERR_MEMORY;
            break;
        }
        w[AWAY_PAIR] = c->number[v];
        w[AWAY_WEIGHT] = g->weight[v];
        w[AWAY_N] = n;
        for (int64_t i = 0; i < n; i++) {
            w[AWAY_WORDS + 2 * i] = c->number[g->neighbours[g->offsets[v] + i]];
            w[AWAY_WORDS + 2 * i + 1] = mpi_graph_edge(g, g->offsets[v] + i);
        }
        for (int64_t i = 0; i < n_words; i++)
            r[i] = rank;
        words.count += n_words;
        to.count += n_words;
    }
    status = mpi_exchange_mixed(g->comm, status, sizeof(int64_t), words.data, words.count, to.data,
                                &c->away, err);
    free(words.data);
    free(to.data);
    return status;
}

/* --- places in the coarser graph --------------------------------------------------------------------------------- */

/* Numbers of pairs of other ranks that this one has to do with, each once: out->ghost. Not collective. The bound keeps
 * places below 2^31. */
static mplan_status find_ghosts(const contraction *c, mpi_graph *out, mplan_error *err)
{
    const int64_t *words = c->away.data, places = c->graph->n + c->graph->n_ghosts;
    mplan_vector list = MPLAN_VECTOR_INIT(sizeof(int64_t));
    mplan_status status = MPLAN_OK;
    for (int64_t v = 0; v < places && !status; v++)
        if (!is_own(out, c->number[v]))
            status = mplan_vector_push(&list, &c->number[v], err);
    for (int64_t at = 0; at < c->away.n && !status; at += AWAY_WORDS + 2 * words[at + AWAY_N])
        for (int64_t i = 0; i < words[at + AWAY_N] && !status; i++)
            if (!is_own(out, words[at + AWAY_WORDS + 2 * i]))
                status = mplan_vector_push(&list, &words[at + AWAY_WORDS + 2 * i], err);
    const int64_t kept = status ? -1 : mpi_each_once(list.data, list.count, err);
    if (!status && kept < 0)
        status = MPLAN_ERR_MEMORY;
    list.count = kept < 0 ? 0 : kept;
    out->n_ghosts = list.count;
    out->ghost = mplan_vector_take(&list); /* mpi_graph_free releases it, also after a failure */
    return status ? status : mpi_check_places(out->rank, out->n, out->n_ghosts, err);
}

/* c->pair, from numbers. */
static void find_pairs(contraction *c, const mpi_graph *out, const mpi_finder *finder)
{
    const int64_t places = c->graph->n + c->graph->n_ghosts;
    for (int64_t v = 0; v < places; v++)
        c->pair[v] = mpi_graph_place(out, finder, c->number[v]);
}

/* --- the coarser graph ----------------------------------------------------------------------------------------- */

/* Who is the second of each pair, and what pairs weigh. out->weight and c->second: out->n entries each, filled
 * here. Pairs of other ranks, which own second vertices can be in, are left out. */
static void find_seconds(contraction *c, mpi_graph *out)
{
    const mpi_graph *g = c->graph;
    const int64_t begin = out->first[out->rank], *words = c->away.data;
    for (int64_t p = 0; p < out->n; p++) {
        c->second[p] = -1;
        out->weight[p] = 0;
    }
    for (int64_t v = 0; v < g->n; v++) {
        const int64_t p = c->pair[v];
        if (p >= out->n)
            continue;
        out->weight[p] += g->weight[v];
        if (!is_first(c, v))
            c->second[p] = v;
    }
    for (int64_t at = 0; at < c->away.n; at += AWAY_WORDS + 2 * words[at + AWAY_N]) {
        const int64_t p = words[at + AWAY_PAIR] - begin;
        out->weight[p] += words[at + AWAY_WEIGHT];
        c->second[p] = -2 - at;
    }
}

/* An edge of pair p, whose first edge is number `begin`; *n: edges up to now. Several may lead to one pair: their weights
 * add up, and what 32 bits cannot hold becomes INT32_MAX. Edges inside of a pair vanish. */
static inline void add_edge(contraction *c, mpi_graph *out, int64_t p, int32_t to, int64_t weight,
                            int64_t begin, int64_t *n)
{
    if (to == p)
        return;
    const int64_t at = c->at[to];
    if (at >= begin) {
        const int64_t sum = out->edge[at] + weight;
        out->edge[at] = sum < INT32_MAX ? (int32_t)sum : INT32_MAX;
        return;
    }
    c->at[to] = *n;
    out->neighbours[*n] = to;
    out->edge[(*n)++] = (int32_t)weight;
}

/* All edges of an own vertex. */
static void add_edges(contraction *c, mpi_graph *out, int64_t p, int64_t v, int64_t begin, int64_t *n)
{
    const mpi_graph *g = c->graph;
    for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++)
        add_edge(c, out, p, c->pair[g->neighbours[i]], mpi_graph_edge(g, i), begin, n);
}

/* The neighbours of all pairs of this rank: out->offsets, neighbours, edge, which have room for all edges. Pairs are met in
 * the order of their first vertices, which is that of their numbers. Not collective. */
static void join_pairs(contraction *c, const mpi_finder *finder, mpi_graph *out)
{
    const mpi_graph *g = c->graph;
    const int64_t *words = c->away.data;
    int64_t p = 0, n = 0;
    out->offsets[0] = 0;
    for (int64_t v = 0; v < g->n; v++) {
        if (!is_first(c, v))
            continue;
        const int64_t second = c->second[p], begin = n;
        add_edges(c, out, p, v, begin, &n);
        if (second >= 0)
            add_edges(c, out, p, second, begin, &n);
        /* the second is elsewhere: its words came, with numbers of pairs */
        for (int64_t i = 0; second < -1 && i < words[-2 - second + AWAY_N]; i++) {
            const int64_t *w = words + (-2 - second) + AWAY_WORDS + 2 * i;
            add_edge(c, out, p, mpi_graph_place(out, finder, w[0]), w[1], begin, &n);
        }
        out->offsets[++p] = n;
    }
}

/* Room for what join_pairs fills. */
static mplan_status make_room(contraction *c, mpi_graph *out, mplan_error *err)
{
    const int64_t edges = c->graph->offsets[c->graph->n] + c->away.n / 2,
                  places = out->n + out->n_ghosts;
    if (!(c->second = mplan_alloc(out->n, sizeof *c->second, err)) ||
        !(c->at = mplan_alloc(places, sizeof *c->at, err)) ||
        !(out->weight = mplan_alloc(places, sizeof *out->weight, err)) ||
        !(out->offsets = mplan_alloc(out->n + 1, sizeof *out->offsets, err)) ||
        !(out->neighbours = mplan_alloc(edges, sizeof *out->neighbours, err)) ||
        !(out->edge = mplan_alloc(edges, sizeof *out->edge, err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < places; i++)
        c->at[i] = -1;
    return MPLAN_OK;
}

/* Arrays of edges have room for those of the finer graph, of which many have joined: less is kept. */
static void give_room_back(mpi_graph *out)
{
    const int64_t edges = out->offsets[out->n];
    int32_t *neighbours = mplan_realloc(out->neighbours, edges, sizeof *neighbours, NULL);
    out->neighbours = neighbours ? neighbours : out->neighbours;
    int32_t *edge = mplan_realloc(out->edge, edges, sizeof *edge, NULL);
    out->edge = edge ? edge : out->edge;
}

/* From numbers of pairs to the graph but for its links. Not collective. */
static mplan_status build(contraction *c, int32_t *coarse, mpi_graph *out, mplan_error *err)
{
    mplan_status status = find_ghosts(c, out, err);
    if (!status)
        status = make_room(c, out, err);
    if (status)
        return status;
    mpi_finder finder;
    mpi_finder_open(out->ghost, out->n_ghosts, &finder);
    find_pairs(c, out, &finder);
    memcpy(coarse, c->pair, (size_t)c->graph->n * sizeof *coarse);
    find_seconds(c, out);
    join_pairs(c, &finder, out);
    mpi_finder_close(&finder);
    give_room_back(out);
    return MPLAN_OK;
}

/* Scratch: 28 bytes a vertex and ghost. *smaller has comm, rank and ranks before. */
mplan_status mpi_graph_contract(const mpi_graph *graph, const int64_t *mate, int32_t *coarse,
                                mpi_graph *smaller, mplan_error *err)
{
    assert(graph && mate && coarse && smaller);
    const int64_t places = graph->n + graph->n_ghosts;
    contraction c = {.graph = graph, .mate = mate};
    c.number = mplan_alloc(places, sizeof *c.number, err);
    c.pair = mplan_alloc(places, sizeof *c.pair, err);
    smaller->first = mplan_alloc(graph->ranks + 1, sizeof *smaller->first, err);
    const bool room = c.number && c.pair && smaller->first;
    mplan_status status = mpi_agree(graph->comm, room ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    const bool begun = !status; /* by all ranks */
    if (!status)
        status = number_pairs(&c, smaller, err);
    if (!status)
        status = send_away(&c, err);
    if (!status)
        status = build(&c, coarse, smaller, err);
    free(c.number);
    free(c.pair);
    free(c.second);
    free(c.at);
    mpi_items_free(&c.away);
    return begun ? mpi_graph_open(smaller, status, err) : status;
}
