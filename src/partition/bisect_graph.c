/* SPDX-License-Identifier: Apache-2.0 */
/* bisect_graph.c - graphs with weights, and coarser ones of them
 *
 * Heavy-edge matching after Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998). Vertices are visited in an order that is
 * mixed by a fixed rule, as along the mesh matching would leave rows of single vertices. */
#include "partition/bisect_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/mesh.h"

enum {
    FAR = 24,              /* vertices ahead, of which something is fetched */
    LEAST_PIECE = 1 << 13, /* vertices whose pairs get their edges by one thread */
    MOST_TABLES = 4, /* slots of the tables of all threads, for each vertex of the coarse graph */
};

void mplan_weighted_free(mplan_weighted *graph)
{
    assert(graph);
    free(graph->offsets);
    free(graph->neighbours);
    free(graph->edge);
    free(graph->weight);
    *graph = (mplan_weighted){0};
}

static mplan_status make_room(mplan_weighted *out, int64_t n, int64_t edges, mplan_error *err)
{
    *out = (mplan_weighted){.n = n,
                            .offsets = mplan_alloc_zero(n + 1, sizeof *out->offsets, err),
                            .neighbours = mplan_alloc(edges, sizeof *out->neighbours, err),
                            .edge = mplan_alloc(edges, sizeof *out->edge, err),
                            .weight = mplan_alloc_zero(n, sizeof *out->weight, err)};
    return out->offsets && out->neighbours && out->edge && out->weight ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* The power of two by which weights of edges are divided, so that sums of them, which coarse graphs have, fit 31 bits. */
static int shift_of(const int64_t *weights, int64_t n)
{
    uint64_t sum = 0;
    int shift = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (uint64_t)weights[i] < UINT64_MAX - sum ? (uint64_t)weights[i] : UINT64_MAX - sum;
    while (sum >> shift > INT32_MAX / 2)
        shift++;
    return shift;
}

/* out->weight and total. Sums, and products of them with shares, must stay far from 2^63. */
static mplan_status take_weights(const mplan_cut_wishes *wishes, mplan_weighted *out, mplan_error *err)
{
    for (int64_t v = 0; v < out->n; v++) {
        const int64_t weight = wishes && wishes->n_constraints > 0
                                   ? wishes->weights[v * wishes->n_constraints]
                                   : 1;
        out->weight[v] = weight;
        if (weight > (INT64_C(1) << 62) - out->total)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the weights add up to more than 2^62");
        out->total += weight;
    }
    return MPLAN_OK;
}

mplan_status mplan_weighted_of(const mplan_csr *graph, const mplan_cut_wishes *wishes,
                               mplan_weighted *out, mplan_error *err)
{
    assert(graph && out);
    const int64_t edges = graph->offsets[graph->n];
    const int64_t *weights = wishes ? wishes->edge_weights : NULL;
    const int shift = weights ? shift_of(weights, edges) : 0;
    mplan_status status = make_room(out, graph->n, edges, err);
    if (status)
        return status;
    for (int64_t v = 0; v < graph->n; v++)
        out->offsets[v + 1] = graph->offsets[v + 1];
    for (int64_t i = 0; i < edges; i++) {
        const int64_t weight = weights ? weights[i] >> shift : 1;
        out->neighbours[i] = graph->neighbours[i];
        out->edge[i] = weight > 1 ? (int32_t)weight : 1;
    }
    return take_weights(wishes, out, err);
}

mplan_status mplan_weighted_side(const mplan_weighted *graph, const uint8_t *side, uint8_t which,
                                 int32_t *number, mplan_weighted *out, int32_t **old,
                                 mplan_error *err)
{
    assert(graph && side && number && out && old);
    int64_t n = 0, edges = 0, at = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        number[v] = side[v] == which ? (int32_t)n++ : -1;
        edges += side[v] == which ? graph->offsets[v + 1] - graph->offsets[v] : 0;
    }
    mplan_status status = make_room(out, n, edges, err);
    *old = status ? NULL : mplan_alloc(n, sizeof **old, err);
    if (!*old)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < graph->n; v++) {
        const int32_t own = number[v];
        if (own < 0)
            continue;
        (*old)[own] = (int32_t)v;
        out->weight[own] = graph->weight[v];
        out->total += graph->weight[v];
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            if (number[graph->neighbours[i]] >= 0) {
                out->neighbours[at] = number[graph->neighbours[i]];
                out->edge[at++] = graph->edge[i];
            }
        out->offsets[own + 1] = at;
    }
    return MPLAN_OK;
}

/* --- coarser graphs --------------------------------------------------------------------- */

/* 0 to n - 1, mixed in a way of each seed. */
static int32_t *mixed_order(int64_t n, uint64_t seed, mplan_error *err)
{
    int32_t *order = mplan_alloc(n, sizeof *order, err);
    uint64_t state = seed;
    for (int64_t i = 0; order && i < n; i++) {
        const int64_t j = mplan_random_below(&state, i + 1);
        order[i] = order[j];
        order[j] = (int32_t)i;
    }
    return order;
}

/* The free neighbour along the heaviest edge, the lightest of equals; v itself: none. */
static int32_t best_mate(const mplan_weighted *graph, int32_t v, int64_t most, const int32_t *mate)
{
    int32_t best = v, edge = 0;
    for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
        const int32_t w = graph->neighbours[i];
        if (mate[w] >= 0 || graph->weight[v] + graph->weight[w] > most)
            continue;
        if (graph->edge[i] > edge ||
            (graph->edge[i] == edge && graph->weight[w] < graph->weight[best])) {
            best = w;
            edge = graph->edge[i];
        }
    }
    return best;
}

/* What vertices that choose soon will look at: of a large graph nothing of them is in a cache. */
static void fetch_ahead(const mplan_weighted *graph, const int32_t *order, int64_t i,
                        const int32_t *mate)
{
    if (i + FAR >= graph->n)
        return;
    mplan_fetch(&graph->offsets[order[i + FAR]]);
    const int64_t next = graph->offsets[order[i + 2 * FAR / 3]];
    mplan_fetch(&graph->neighbours[next]);
    mplan_fetch(&graph->edge[next]);
    const int32_t soon = order[i + FAR / 3];
    for (int64_t k = graph->offsets[soon];
         k < graph->offsets[soon + 1] && k < graph->offsets[soon] + 8; k++) {
        mplan_fetch(&mate[graph->neighbours[k]]);
        mplan_fetch(&graph->weight[graph->neighbours[k]]);
    }
}

/* coarse[v]: number of the pair that v is in, by its lower member; mate[v]: the other, or v. *n: how many pairs. */
static mplan_status match(const mplan_weighted *graph, int64_t most, uint64_t seed, int32_t *mate,
                          int32_t *coarse, int64_t *n, mplan_error *err)
{
    int32_t *order = mixed_order(graph->n, seed, err);
    if (!order)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < graph->n; v++)
        mate[v] = -1;
    for (int64_t i = 0; i < graph->n; i++) {
        const int32_t v = order[i];
        fetch_ahead(graph, order, i, mate);
        if (mate[v] >= 0)
            continue;
        const int32_t w = best_mate(graph, v, most, mate);
        mate[v] = w;
        mate[w] = v;
    }
    *n = 0;
    for (int64_t v = 0; v < graph->n; v++)
        coarse[v] = mate[v] < v ? coarse[mate[v]] : (int32_t)(*n)++;
    free(order);
    return MPLAN_OK;
}

/* --- edges of pairs ----------------------------------------------------------------------- */

/* Where the edge to a pair is in the row that is being made: keys are pairs, -1 where nothing is. Direct: one slot for each
 * pair; else few slots, found by a hash. */
typedef struct row_table {
    int32_t *key, *at;
    uint32_t mask;
    bool direct;
} row_table;

/* Graphs that become coarser. */
typedef struct contracting {
    const mplan_weighted *graph;
    const int32_t *mate, *coarse;
    mplan_weighted *out;
    int32_t *tables; /* of each thread: keys of a table, and places */
    int64_t table_size; /* with one piece: pairs; else a power of two, twice as large as a row may be */
    int64_t n_pieces;
    int64_t *begin; /* of each piece: edges of its rows, then where they begin */
} contracting;

/* The edges of v are added to the row, of n edges so far, of its pair c. Returns how many it has then. */
static int32_t add_edges(const contracting *k, int32_t v, int32_t c, const row_table *table,
                         int32_t n, int32_t *neighbours, int32_t *edges)
{
    const mplan_weighted *g = k->graph;
    for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
        const int32_t d = k->coarse[g->neighbours[i]];
        if (d == c)
            continue;
        uint32_t slot = table->direct ? (uint32_t)d : ((uint32_t)d * 2654435769U >> 7) & table->mask;
        while (table->key[slot] >= 0 && table->key[slot] != d)
            slot = (slot + 1) & table->mask;
        if (table->key[slot] == d) {
            if (edges)
                edges[table->at[slot]] += g->edge[i];
            continue;
        }
        table->key[slot] = d;
        table->at[slot] = n;
        if (edges) {
            neighbours[n] = d;
            edges[n] = g->edge[i];
        }
        n++;
    }
    return n;
}

/* The edges that a pair may have at most. */
static int64_t most_edges(const mplan_weighted *g, int32_t v, int32_t mate)
{
    return g->offsets[v + 1] - g->offsets[v] +
           (mate != v ? g->offsets[mate + 1] - g->offsets[mate] : 0);
}

/* Makes the table as large as a row of at most so many edges needs, and empty. */
static void clear_for(row_table *table, int64_t edges)
{
    while ((int64_t)table->mask + 1 < 2 * edges)
        table->mask = 2 * table->mask + 1;
    memset(table->key, -1, ((size_t)table->mask + 1) * sizeof *table->key);
}

/* The rows of pairs whose lower members are begin to end - 1, from edge `at` of the coarse graph on; at < 0: only counts them.
 * Returns how many edges they have. */
static int64_t make_rows(const contracting *k, int thread, int64_t begin, int64_t end, int64_t at)
{
    const mplan_weighted *g = k->graph;
    int32_t *tables = k->tables + 2 * k->table_size * thread;
    int64_t n = 0;
    for (int32_t v = (int32_t)begin; v < end; v++) {
        const int32_t mate = k->mate[v], c = k->coarse[v];
        if (mate < v)
            continue;
        row_table table = {tables, tables + k->table_size, 7, k->n_pieces == 1};
        if (!table.direct)
            clear_for(&table, most_edges(g, v, mate));
        int32_t *neighbours = at < 0 ? NULL : k->out->neighbours + at + n;
        int32_t *edges = at < 0 ? NULL : k->out->edge + at + n;
        int32_t own = add_edges(k, v, c, &table, 0, neighbours, edges);
        if (mate != v)
            own = add_edges(k, mate, c, &table, own, neighbours, edges);
        n += own;
        for (int32_t i = 0; i < own && table.direct; i++)
            table.key[neighbours[i]] = -1;
        if (at < 0)
            continue;
        k->out->weight[c] = g->weight[v] + (mate != v ? g->weight[mate] : 0);
        k->out->offsets[c + 1] = at + n;
    }
    return n;
}

static void count_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const contracting *k = data;
    for (int64_t i = begin; i < end; i++)
        k->begin[i + 1] = make_rows(k, thread, mplan_piece_begin(k->graph->n, k->n_pieces, i),
                                    mplan_piece_begin(k->graph->n, k->n_pieces, i + 1), -1);
}

static void write_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const contracting *k = data;
    for (int64_t i = begin; i < end; i++)
        make_rows(k, thread, mplan_piece_begin(k->graph->n, k->n_pieces, i),
                  mplan_piece_begin(k->graph->n, k->n_pieces, i + 1), k->begin[i]);
}

/* With several pieces rows are counted first, so that each piece knows where its own begin. */
static mplan_status contract(contracting *k, mplan_team *team, mplan_error *err)
{
    const mplan_weighted *g = k->graph;
    int64_t most = 4;
    k->n_pieces = mplan_pieces(team, g->n, LEAST_PIECE);
    for (int32_t v = 0; v < g->n && k->n_pieces > 1; v++)
        if (k->mate[v] >= v && most_edges(g, v, k->mate[v]) > most)
            most = most_edges(g, v, k->mate[v]);
    for (k->table_size = 8; k->table_size < 2 * most;)
        k->table_size *= 2;
    if (k->table_size * mplan_team_threads(team) > MOST_TABLES * k->out->n)
        k->n_pieces = 1; /* the row of a hub: tables of all threads would be larger than the graph */
    if (k->n_pieces == 1)
        k->table_size = k->out->n;
    const int64_t entries = 2 * k->table_size * (k->n_pieces == 1 ? 1 : mplan_team_threads(team));
    k->tables = mplan_alloc(entries, sizeof *k->tables, err);
    for (int64_t i = 0; k->tables && k->n_pieces == 1 && i < k->table_size; i++)
        k->tables[i] = -1;
    k->begin = mplan_alloc_zero(k->n_pieces + 1, sizeof *k->begin, err);
    const mplan_status status = k->tables && k->begin ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && k->n_pieces > 1)
        mplan_for(team, k->n_pieces, 1, count_rows, k);
    for (int64_t i = 0; !status && i < k->n_pieces; i++)
        k->begin[i + 1] += k->begin[i];
    if (!status)
        mplan_for(team, k->n_pieces, 1, write_rows, k);
    free(k->tables);
    free(k->begin);
    return status;
}

mplan_status mplan_weighted_coarsen(const mplan_weighted *graph, int64_t most, uint64_t seed,
                                    int32_t *coarse, mplan_weighted *out, mplan_team *team,
                                    mplan_error *err)
{
    assert(graph && coarse && out);
    int64_t n = 0;
    int32_t *mate = mplan_alloc(graph->n, sizeof *mate, err);
    mplan_status status = mate ? match(graph, most, seed, mate, coarse, &n, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = make_room(out, n, graph->offsets[graph->n], err);
    contracting k = {.graph = graph, .mate = mate, .coarse = coarse, .out = out};
    if (!status)
        status = contract(&k, team, err);
    out->total = graph->total;
    free(mate);
    return status;
}
