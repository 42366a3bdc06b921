/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_coarsen.c - a coarser graph of one that is dealt out to ranks
 *
 * Handshakes: each vertex points at the neighbour along its best edge, and two that point at each other are a pair
 * (F. Manne and R. H. Bisseling, PPAM 2007; the value of an edge is that of M. Holtgrewe, P. Sanders and C.
 * Schulz, IPDPS 2010: heavy edges between light vertices). Equal edges are told apart by a mixed number of both
 * ends. All vertices act at once, so that nothing depends on where they are. Where handshakes leave many over, as
 * round hubs and in graphs without edges, those are paired one after the other.
 *
 * "Number" is that of a vertex in the whole graph, the same for any number of ranks; "place" is where it is on
 * this rank, own vertices first, then ghosts. Whatever is decided here compares numbers and weights, never places
 * or ranks: so the pairs, their numbers and the coarser graph are the same for any number of ranks. */
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
    int64_t most;   /* weight of a pair */
    uint8_t *taken; /* [place]: it is in a pair */
    int64_t *wish;  /* [place]: the number of the vertex that it points at; -1: none */
    int32_t *best;  /* [own vertex]: the place of that */
    int64_t *mate;  /* [own vertex]: the number of the other one of its pair; -1: it is left over */
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

/* best[v] and wish[v] of an own vertex. Values are quotients of products of whole numbers below 2^53, equal on
 * every machine; the mixed number differs from round to round, so that a vertex whose choice was taken by others
 * looks elsewhere. */
static void point(matching *m, int64_t v, int32_t round)
{
    const mpi_graph *g = m->graph;
    const int64_t number = mpi_graph_number(g, v);
    double value = 0;
    uint64_t mixed = 0;
    m->wish[v] = -1;
    for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t w = g->neighbours[i];
        if (m->taken[w] || g->weight[v] + g->weight[w] > m->most)
            continue;
        const double edge = g->edge[i];
        const double here = edge * edge / ((double)g->weight[v] * (double)g->weight[w]);
        if (here < value)
            continue;
        const uint64_t mixed_here = mix(number, mpi_graph_number(g, w), round);
        if (here == value && m->wish[v] >= 0 && mixed_here <= mixed)
            continue;
        value = here;
        mixed = mixed_here;
        m->best[v] = w;
        m->wish[v] = mpi_graph_number(g, w);
    }
}

/* One round. Two exchanges: what neighbours point at, and who is taken. Collective.
 * Both ends of a pair find it by themselves, from the same wishes, so that nothing has to be told about it: mate
 * of both is set, also where they are on two ranks. Before: taken is up to date for ghosts, too; and so it is
 * after. */
static mplan_status shake_hands(matching *m, int32_t round, mplan_error *err)
{
    const mpi_graph *g = m->graph;
    for (int64_t v = 0; v < g->n; v++)
        if (m->taken[v] || (round > 0 && m->wish[v] < 0)) /* who is left without a choice stays so */
            m->wish[v] = -1;
        else
            point(m, v, round);
    mplan_status status = mpi_graph_fetch(g, MPLAN_OK, sizeof *m->wish, m->wish, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        if (m->wish[v] >= 0 && m->wish[m->best[v]] == mpi_graph_number(g, v)) {
            m->mate[v] = m->wish[v];
            m->taken[v] = 1;
        }
    return status ? status : mpi_graph_fetch(g, status, 1, m->taken, err);
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
        if (!m->taken[v])
            list[n++] = v;
    if (!status) {
        own.n = n;
        for (int end = 0; end < 2 && n > 0; end++) {
            own.vertex[end] = mpi_graph_number(g, list[end ? n - 1 : 0]);
            own.weight[end] = g->weight[list[end ? n - 1 : 0]];
        }
        MPI_Allgather(&own, sizeof own, MPI_BYTE, ends, sizeof own, MPI_BYTE, g->comm);
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
    m->taken = mplan_alloc_zero(places, 1, err);
    m->wish = mplan_alloc(places, sizeof *m->wish, err);
    m->best = mplan_alloc(g->n, sizeof *m->best, err);
    m->mate = mplan_alloc(g->n, sizeof *m->mate, err);
    mplan_status status = m->taken && m->wish && m->best && m->mate ? MPLAN_OK : MPLAN_ERR_MEMORY;
    status = mpi_agree(g->comm, status, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        m->mate[v] = -1;
    for (int32_t round = 0; round < ROUNDS && !status; round++)
        status = shake_hands(m, round, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        paired += m->taken[v];
    if (!status && 2 * mpi_sum(g->comm, paired) < mpi_graph_total(g))
        status = pair_leftovers(m, err);
    free(m->taken);
    free(m->wish);
    free(m->best);
    m->taken = NULL;
    m->wish = NULL;
    m->best = NULL;
    return status;
}

/* --- numbers of pairs ------------------------------------------------------------------------------------ */

/* Whether v becomes a vertex of the coarse graph: it has no mate, or it is the first of its pair. */
static bool is_first(const matching *m, int64_t v)
{
    return m->mate[v] < 0 || mpi_graph_number(m->graph, v) < m->mate[v];
}

/* Whether this rank has the vertex of a number. */
static bool is_own(const mpi_graph *g, int64_t number)
{
    return number >= g->first[g->rank] && number < g->first[g->rank + 1];
}

/* Vertices whose pair is on another rank get its number from there. Collective.
 * coarse: numbers of the pairs of own first vertices are there; those of own second vertices are filled. Only
 * first vertices are asked for, so that no rank is asked for what it does not know yet. */
static mplan_status fetch_numbers(const matching *m, int64_t *coarse, mplan_error *err)
{
    const mpi_graph *g = m->graph;
    int64_t n = 0, *ids = mplan_alloc(g->n, sizeof *ids, err);
    int64_t *scratch = mplan_alloc(g->n, sizeof *scratch, err);
    mpi_links links = {0};
    mplan_status status = ids && scratch ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < g->n && !status; v++)
        if (!is_first(m, v) && !is_own(g, m->mate[v]))
            ids[n++] = m->mate[v];
    if (!status)
        n = mpi_distinct(ids, n, scratch);
    status = mpi_links_make(g->comm, status, g->first, n, ids, &links, err);
    if (!status)
        status = mpi_links_fetch(&links, status, sizeof *coarse, coarse, scratch, err);
    /* scratch has what came: the numbers of the pairs of ids, in their order */
    mpi_finder finder;
    mpi_finder_open(ids, status ? 0 : n, &finder);
    for (int64_t v = 0; v < g->n && !status; v++)
        if (!is_first(m, v))
            coarse[v] = is_own(g, m->mate[v]) ? coarse[m->mate[v] - g->first[g->rank]]
                                              : scratch[mpi_find(&finder, m->mate[v])];
    mpi_finder_close(&finder);
    mpi_links_free(&links);
    free(ids);
    free(scratch);
    return status;
}

/* coarse: out, of own vertices and ghosts; pairs are numbered by their first vertices. first: out. Collective. A
 * vertex without a mate counts as a pair. A rank has the pairs whose first vertices it has, in their order: so the
 * numbers are those that one rank would give, and first has ranks + 1 entries, the pairs of rank r from first[r]
 * on. */
static mplan_status number_pairs(const matching *m, int64_t *coarse, int64_t *first, mplan_error *err)
{
    const mpi_graph *g = m->graph;
    int64_t n = 0;
    for (int64_t v = 0; v < g->n; v++)
        n += is_first(m, v);
    mpi_ranges_of(g->comm, n, first);
    n = first[g->rank];
    for (int64_t v = 0; v < g->n; v++)
        if (is_first(m, v))
            coarse[v] = n++;
    mplan_status status = fetch_numbers(m, coarse, err);
    return mpi_graph_fetch(g, status, sizeof *coarse, coarse, err);
}

/* --- the coarser graph ------------------------------------------------------------------------------------- */

/* A neighbour of a pair: its number in the coarser graph, and the weight of the edge. */
typedef struct arc {
    int64_t number, edge;
} arc;

/* A second vertex of a pair that another rank has. Words: number of the pair, weight, n, then n arcs. */
enum { AWAY_PAIR, AWAY_WEIGHT, AWAY_N, AWAY_WORDS };

/* What is needed to build it. "Pair of this rank" counts from the first that this rank has. */
typedef struct contraction {
    const matching *match;
    const int64_t *coarse; /* [place] */
    int64_t *second; /* [pair of this rank]: own vertex, or -2 - the word where its message begins, or -1 */
    mpi_items away;              /* second vertices that other ranks have, as words (AWAY_...) */
    mplan_vector arcs;           /* of one pair */
    mplan_vector numbers, edges; /* of all: int64_t, int32_t */
} contraction;

/* Sends second vertices to the ranks of their pairs, those of their first vertices. Collective. c->coarse is there
 * for ghosts, too, so that arcs travel with numbers of the coarser graph. to: the rank of each word. */
static mplan_status send_away(contraction *c, mplan_error *err)
{
    const matching *m = c->match;
    const mpi_graph *g = m->graph;
    mplan_vector words = MPLAN_VECTOR_INIT(sizeof(int64_t)), to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = MPLAN_OK;
    for (int64_t v = 0; v < g->n && !status; v++) {
        if (is_first(m, v) || is_own(g, m->mate[v]))
            continue;
        const int64_t n = g->offsets[v + 1] - g->offsets[v], n_words = AWAY_WORDS + 2 * n;
        const int32_t rank = mpi_rank_of(g->first, g->ranks, m->mate[v]);
        int64_t *w = mplan_vector_reserve(&words, n_words, err);
        int32_t *r = w ? mplan_vector_reserve(&to, n_words, err) : NULL;
        if (!r) {
            status = MPLAN_ERR_MEMORY;
            break;
        }
        w[AWAY_PAIR] = c->coarse[v];
        w[AWAY_WEIGHT] = g->weight[v];
        w[AWAY_N] = n;
        for (int64_t i = 0; i < n; i++) {
            w[AWAY_WORDS + 2 * i] = c->coarse[g->neighbours[g->offsets[v] + i]];
            w[AWAY_WORDS + 2 * i + 1] = g->edge[g->offsets[v] + i];
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

/* Who is the second of each pair, and what pairs weigh. out->weight and c->second: out->n entries each, filled
 * here. Pairs of other ranks, which own second vertices can be in, are left out. */
static void find_seconds(contraction *c, mpi_graph *out)
{
    const matching *m = c->match;
    const mpi_graph *g = m->graph;
    const int64_t begin = out->first[out->rank], *words = c->away.data;
    for (int64_t p = 0; p < out->n; p++) {
        c->second[p] = -1;
        out->weight[p] = 0;
    }
    for (int64_t v = 0; v < g->n; v++) {
        const int64_t p = c->coarse[v] - begin;
        if (p < 0 || p >= out->n)
            continue;
        out->weight[p] += g->weight[v];
        if (!is_first(m, v))
            c->second[p] = v;
    }
    for (int64_t at = 0; at < c->away.n; at += AWAY_WORDS + 2 * words[at + AWAY_N]) {
        const int64_t p = words[at + AWAY_PAIR] - begin;
        out->weight[p] += words[at + AWAY_WEIGHT];
        c->second[p] = -2 - at;
    }
}

/* Edges inside of a pair vanish. */
static mplan_status add_arc(contraction *c, int64_t pair, int64_t number, int64_t edge,
                            mplan_error *err)
{
    const arc added = {number, edge};
    return number == pair ? MPLAN_OK : mplan_vector_push(&c->arcs, &added, err);
}

/* All edges of an own vertex, appended to c->arcs: several may lead to one pair. */
static mplan_status add_arcs(contraction *c, int64_t pair, int64_t v, mplan_error *err)
{
    const mpi_graph *g = c->match->graph;
    mplan_status status = MPLAN_OK;
    for (int64_t i = g->offsets[v]; i < g->offsets[v + 1] && !status; i++)
        status = add_arc(c, pair, c->coarse[g->neighbours[i]], g->edge[i], err);
    return status;
}

static int compare_arcs(const void *a, const void *b)
{
    const int64_t x = ((const arc *)a)->number, y = ((const arc *)b)->number;
    return (x > y) - (x < y);
}

/* Arcs of a pair by number; those with one number become one. Most lists are short: up to 64 arcs are sorted by
 * insertion. Appends to c->numbers and c->edges, ascending by number. Weights are added as whole numbers, so that
 * the order of arcs with one number does not matter; a sum that 32 bits cannot hold becomes INT32_MAX. */
static mplan_status join_arcs(contraction *c, mplan_error *err)
{
    arc *list = c->arcs.data;
    const int64_t n = c->arcs.count;
    mplan_status status = MPLAN_OK;
    if (n > 64)
        qsort(list, (size_t)n, sizeof *list, compare_arcs);
    for (int64_t i = 1; i < n && n <= 64; i++) {
        const arc moving = list[i];
        int64_t k = i;
        for (; k > 0 && list[k - 1].number > moving.number; k--)
            list[k] = list[k - 1];
        list[k] = moving;
    }
    for (int64_t i = 0, end; i < n && !status; i = end) {
        int64_t sum = 0;
        for (end = i; end < n && list[end].number == list[i].number; end++)
            sum += list[end].edge;
        const int32_t edge = sum < INT32_MAX ? (int32_t)sum : INT32_MAX;
        status = mplan_vector_push(&c->numbers, &list[i].number, err);
        if (!status)
            status = mplan_vector_push(&c->edges, &edge, err);
    }
    return status;
}

/* The neighbours of all pairs of this rank: out->offsets, c->numbers and c->edges. Pairs are met in the order of
 * their first vertices, which is that of their numbers. Not collective. */
static mplan_status join_pairs(contraction *c, mpi_graph *out, mplan_error *err)
{
    const matching *m = c->match;
    const mpi_graph *g = m->graph;
    const int64_t *words = c->away.data;
    mplan_status status = MPLAN_OK;
    int64_t p = 0;
    out->offsets[0] = 0;
    for (int64_t v = 0; v < g->n && !status; v++) {
        if (!is_first(m, v))
            continue;
        const int64_t pair = c->coarse[v], second = c->second[p];
        c->arcs.count = 0;
        status = add_arcs(c, pair, v, err);
        if (!status && second >= 0)
            status = add_arcs(c, pair, second, err);
        /* the second is elsewhere: its words came, with numbers of pairs */
        for (int64_t i = 0; second < -1 && i < words[-2 - second + AWAY_N] && !status; i++) {
            const int64_t *w = words + (-2 - second) + AWAY_WORDS + 2 * i;
            status = add_arc(c, pair, w[0], w[1], err);
        }
        if (!status)
            status = join_arcs(c, err);
        out->offsets[++p] = c->numbers.count;
    }
    return status;
}

/* Builds the coarser graph. smaller: has first and n. The rank of a pair's first vertex builds it; where the
 * second is elsewhere its edges are sent, already by numbers of pairs. */
static mplan_status contract(const matching *m, const int64_t *coarse, mpi_graph *smaller,
                             mplan_error *err)
{
    contraction c = {.match = m,
                     .coarse = coarse,
                     .arcs = MPLAN_VECTOR_INIT(sizeof(arc)),
                     .numbers = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                     .edges = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    mplan_status status = send_away(&c, err);
    if (!status && (!(c.second = mplan_alloc(smaller->n, sizeof *c.second, err)) ||
                    !(smaller->weight = mplan_alloc(smaller->n, sizeof *smaller->weight, err)) ||
                    !(smaller->offsets = mplan_alloc(smaller->n + 1, sizeof *smaller->offsets, err))))
        status = MPLAN_ERR_MEMORY;
    if (!status) {
        find_seconds(&c, smaller);
        status = join_pairs(&c, smaller, err);
    }
    /* taken over also after a failure: mpi_graph_free releases it with the rest */
    smaller->edge = mplan_vector_take(&c.edges);
    status = mpi_agree(smaller->comm, status, err);
    if (!status)
        status = mpi_graph_link(smaller, status, c.numbers.data, err);
    mpi_items_free(&c.away);
    free(c.second);
    free(c.arcs.data);
    free(c.numbers.data);
    return status;
}

/* Scratch: 29 bytes a vertex, and the lists of the coarser graph. */
mplan_status mpi_graph_coarsen(const mpi_graph *graph, int64_t most, int64_t *coarse,
                               mpi_graph *smaller, mplan_error *err)
{
    assert(graph && coarse && smaller && most > 0);
    matching m = {.graph = graph, .most = most};
    *smaller = (mpi_graph){.comm = graph->comm, .rank = graph->rank, .ranks = graph->ranks};
    mplan_status status = match(&m, err);
    int64_t *all = NULL;
    if (!status && (!(smaller->first = mplan_alloc(graph->ranks + 1, sizeof *smaller->first, err)) ||
                    !(all = mplan_alloc(graph->n + graph->n_ghosts, sizeof *all, err))))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(graph->comm, status, err);
    if (!status)
        status = number_pairs(&m, all, smaller->first, err);
    if (!status) {
        smaller->n = smaller->first[graph->rank + 1] - smaller->first[graph->rank];
        /* ghosts are needed while it is built only */
        memcpy(coarse, all, (size_t)graph->n * sizeof *coarse);
        status = contract(&m, all, smaller, err);
    }
    free(all);
    free(m.mate);
    return status;
}
