/* SPDX-License-Identifier: Apache-2.0 */
/* contract.c - the graph whose vertices are clusters
 *
 * By threads: pieces of the clusters make their rows side by side, each row in the order in which its neighbours are met, and rows of all
 * pieces are put together afterwards. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/clusters.h"

enum { CLUSTERS = 1 << 11, LEAST_SLOTS = 64, NONE = -1 };

/* Counting sort. Filled backwards, so that members ascend and first[c] ends at the
 * beginning of cluster c. */
mplan_status mplan_clusters_list(int64_t n, const int32_t *cluster, int32_t n_clusters,
                                 int64_t **begin, int32_t **members, mplan_error *err)
{
    assert(cluster && begin && members && n >= 0 && n_clusters >= 0);
    int64_t *first = mplan_alloc_zero((int64_t)n_clusters + 1, sizeof *first, err);
    int32_t *list = mplan_alloc(n, sizeof *list, err);
    if (!first || !list) {
        free(first);
        free(list);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t v = 0; v < n; v++)
        first[cluster[v]]++;
    for (int32_t c = 1; c <= n_clusters; c++)
        first[c] += first[c - 1];
    for (int64_t v = n; v-- > 0;)
        list[--first[cluster[v]]] = (int32_t)v;
    *begin = first;
    *members = list;
    return MPLAN_OK;
}

/* Rows of a piece of the coarse graph, one after the other. `slot` finds a neighbour in the row at hand: where its hash or one of
 * the slots behind that leads to; NONE: it is not in the row. */
typedef struct row_maker {
    mplan_vector neighbours, weights; /* int32_t, each */
    mplan_vector slots;               /* int32_t: place in the row */
    int64_t row_begin, mask;
} row_maker;

typedef struct contraction {
    const mplan_cluster_graph *fine;
    const int32_t *cluster, *members;
    const int64_t *begin; /* of the members of each cluster */
    mplan_cluster_graph *coarse;
    row_maker *pieces;
    int64_t n_pieces;
    int32_t failed;
} contraction;

/* A row that is empty, of at most so many neighbours. */
static bool begin_row(row_maker *rows, int64_t most)
{
    int64_t n = LEAST_SLOTS;
    while (n < 2 * most)
        n *= 2;
    rows->slots.count = 0;
    rows->row_begin = rows->neighbours.count;
    rows->mask = n - 1;
    if (!mplan_vector_reserve(&rows->slots, n, NULL) ||
        !mplan_vector_reserve(&rows->neighbours, most, NULL) ||
        !mplan_vector_reserve(&rows->weights, most, NULL))
        return false;
    memset(rows->slots.data, 0xff, (size_t)n * sizeof(int32_t));
    return true;
}

/* Adds an edge to the row: weights of one neighbour are summed. There is room for all. */
static void add_edge(row_maker *rows, int32_t other, int64_t weight)
{
    int32_t *slots = rows->slots.data, *neighbours = rows->neighbours.data,
            *weights = rows->weights.data;
    /* the upper half: it spreads multiples of powers of two, and rows of many millions, too */
    int64_t at = (int64_t)((uint64_t)other * UINT64_C(11400714819323198485) >> 32) & rows->mask;
    while (slots[at] != NONE && neighbours[rows->row_begin + slots[at]] != other)
        at = (at + 1) & rows->mask;
    if (slots[at] == NONE) {
        slots[at] = (int32_t)(rows->neighbours.count - rows->row_begin);
        neighbours[rows->neighbours.count++] = other;
        weights[rows->weights.count++] = 0;
    }
    int32_t *sum = &weights[rows->row_begin + slots[at]];
    *sum = weight < INT32_MAX - *sum ? (int32_t)(*sum + weight) : INT32_MAX;
}

/* Asks for what members that follow will want: first for where the row begins, then for the row, then for the clusters in it. */
static inline void fetch_member(const contraction *c, int64_t i, int64_t end)
{
    enum { STEP = 6 };
    const mplan_csr *graph = &c->fine->graph;
    if (i + 3 * STEP >= end)
        return;
    mplan_fetch(graph->offsets + c->members[i + 3 * STEP]);
    const int32_t row = c->members[i + 2 * STEP], v = c->members[i + STEP];
    mplan_fetch(graph->neighbours + graph->offsets[row]);
    for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
        mplan_fetch(c->cluster + graph->neighbours[k]);
}

/* The row of a cluster, and its number of points. end: of the members of the piece. */
static bool make_row(const contraction *c, row_maker *rows, int64_t own, int64_t end)
{
    const mplan_csr *graph = &c->fine->graph;
    int64_t points = 0, most = 0;
    for (int64_t i = c->begin[own]; i < c->begin[own + 1]; i++)
        most += graph->offsets[c->members[i] + 1] - graph->offsets[c->members[i]];
    if (!begin_row(rows, most))
        return false;
    for (int64_t i = c->begin[own]; i < c->begin[own + 1]; i++) {
        const int32_t v = c->members[i];
        fetch_member(c, i, end);
        points += mplan_cluster_size(c->fine, v);
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
            if (c->cluster[graph->neighbours[k]] != own)
                add_edge(rows, c->cluster[graph->neighbours[k]], mplan_cluster_weight(c->fine, k));
    }
    c->coarse->sizes[own] = (int32_t)points;
    c->coarse->graph.offsets[own + 1] = rows->neighbours.count - rows->row_begin;
    return true;
}

static void make_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    contraction *c = data;
    const int64_t n = c->coarse->graph.n;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = mplan_piece_begin(n, c->n_pieces, k + 1);
        for (int64_t own = mplan_piece_begin(n, c->n_pieces, k); own < last; own++)
            if (mplan_peek(&c->failed) || !make_row(c, &c->pieces[k], own, c->begin[last])) {
                mplan_poke(&c->failed, 1);
                break;
            }
        free(c->pieces[k].slots.data);
        c->pieces[k].slots.data = NULL;
    }
}

static void put_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const contraction *c = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const row_maker *rows = &c->pieces[k];
        const int64_t at =
            c->coarse->graph.offsets[mplan_piece_begin(c->coarse->graph.n, c->n_pieces, k)];
        const size_t bytes = (size_t)rows->neighbours.count * sizeof(int32_t);
        if (bytes == 0)
            continue;
        memcpy(c->coarse->graph.neighbours + at, rows->neighbours.data, bytes);
        memcpy(c->coarse->weights + at, rows->weights.data, bytes);
    }
}

/* The rows of all clusters, in ascending order. Those of a single piece are taken as they are. */
static mplan_status fill_rows(contraction *c, mplan_team *team, mplan_error *err)
{
    mplan_cluster_graph *coarse = c->coarse;
    mplan_for(team, c->n_pieces, 1, make_pieces, c);
    if (c->failed)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for a graph of %lld clusters",
                          (long long)coarse->graph.n);
    mplan_for_sums(team, coarse->graph.n, coarse->graph.offsets);
    if (c->n_pieces == 1) {
        coarse->graph.neighbours = mplan_vector_take(&c->pieces[0].neighbours);
        coarse->weights = mplan_vector_take(&c->pieces[0].weights);
        return MPLAN_OK;
    }
    const int64_t n_edges = coarse->graph.offsets[coarse->graph.n];
    coarse->graph.neighbours = mplan_alloc(n_edges, sizeof(int32_t), err);
    coarse->weights = mplan_alloc(n_edges, sizeof(int32_t), err);
    if (!coarse->graph.neighbours || !coarse->weights)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, c->n_pieces, 1, put_pieces, c);
    return MPLAN_OK;
}

/* On failure nothing of *coarse is left. */
mplan_status mplan_clusters_contract(const mplan_cluster_graph *graph, const int32_t *cluster,
                                     int32_t n_clusters, mplan_cluster_graph *coarse,
                                     mplan_team *team, mplan_error *err)
{
    assert(graph && cluster && coarse && n_clusters >= 0);
    contraction c = {.fine = graph,
                     .cluster = cluster,
                     .coarse = coarse,
                     .n_pieces = mplan_pieces(team, n_clusters, CLUSTERS)};
    int64_t *begin = NULL;
    int32_t *members = NULL;
    memset(coarse, 0, sizeof *coarse);
    coarse->graph.n = n_clusters;
    coarse->graph.offsets = mplan_alloc_zero((int64_t)n_clusters + 1, sizeof *begin, err);
    coarse->sizes = mplan_alloc(n_clusters, sizeof *coarse->sizes, err);
    c.pieces = mplan_alloc(c.n_pieces, sizeof *c.pieces, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (!c.pieces || !coarse->graph.offsets || !coarse->sizes)
        goto done;
    const mplan_vector empty = MPLAN_VECTOR_INIT(sizeof(int32_t));
    for (int64_t k = 0; k < c.n_pieces; k++)
        c.pieces[k] = (row_maker){empty, empty, empty, 0, 0};
    status = mplan_clusters_list(graph->graph.n, cluster, n_clusters, &begin, &members, err);
    c.begin = begin;
    c.members = members;
    if (!status)
        status = fill_rows(&c, team, err);
    for (int64_t k = 0; k < c.n_pieces; k++) {
        free(c.pieces[k].neighbours.data);
        free(c.pieces[k].weights.data);
    }
done:
    free(c.pieces);
    free(begin);
    free(members);
    if (status)
        mplan_cluster_graph_free(coarse);
    return status;
}
