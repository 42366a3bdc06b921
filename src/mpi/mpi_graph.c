/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_graph.c - the graph of the members of a set, dealt out to ranks
 *
 * Every row of a map makes pairs of neighbours, and each pair goes to the rank that has its first member. Pairs
 * are sent so many at a time, as all of them together are more than the graph.
 *
 * Vertices are numbered by their places in the order (mpi_order.c), from 0 over all ranks. Each list of neighbours
 * is sorted, and has every number once: so it does not matter which rank made a pair, nor when it came, and the
 * graph is the same for any number of ranks, but for which rank has which vertices. */
#include "mpi/mpi_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

enum {
    HUB = 512, /* rows that are longer join neighbours in the row only, as the serial cut has it */
    BATCH = 1 << 18 /* pairs that are sent at a time, about */
};

void mpi_graph_free(mpi_graph *graph)
{
    free(graph->first);
    free(graph->ghost);
    free(graph->offsets);
    free(graph->neighbours);
    free(graph->edge);
    free(graph->weight);
    mpi_links_free(&graph->links);
    *graph = (mpi_graph){0};
}

/* Ghosts lie behind own vertices in every array by place. Values of own vertices are read only, those of ghosts are
 * overwritten. All ranks must come here, also those without ghosts: others may need values of theirs. */
mplan_status mpi_graph_fetch(const mpi_graph *graph, mplan_status status, size_t size, void *values,
                             mplan_error *err)
{
    return mpi_links_fetch(&graph->links, status, size, values,
                           (char *)values + graph->n * (int64_t)size, err);
}

/* Own vertices and ghosts are counted by 32 bits. */
mplan_status mpi_check_places(int32_t rank, int64_t own, int64_t others, mplan_error *err)
{
    return own < INT32_MAX - others ? MPLAN_OK
                                    : mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                                 "rank %d has %lld vertices of the graph that is cut "
                                                 "and needs %lld of others; use more ranks",
                                                 (int)rank, (long long)own, (long long)others);
}

/* --- rows of vertices ------------------------------------------------------------------------------ */

/* Lists of vertices of which those in one list are neighbours; below 0: none. Vertices are places in the order of the whole
 * set. Of a map to the set: its rows, in which members become places one row after the other. Of one from the set: the rows of the
 * transposed map, row i has vertex[offsets[i]] to vertex[offsets[i + 1] - 1]. */
typedef struct rows {
    int64_t n;
    int64_t *offsets, *vertex; /* of the transposed map; n + 1 offsets */
    const mpi_map *map;        /* to the set, NULL else */
    const int64_t *position;   /* of the members of this rank, from number `first` on, */
    int64_t first, own;
    int64_t *ids, *where; /* and of those of other ranks that rows name */
    mpi_finder finder;
    mplan_vector row; /* int64_t, the row at hand */
} rows;

static void free_rows(rows *r)
{
    mpi_finder_close(&r->finder);
    free(r->offsets);
    free(r->vertex);
    free(r->ids);
    free(r->where);
    free(r->row.data);
    *r = (rows){0};
}

/* The rows of a map that leads to the set. Collective. position: of the members of the set that this rank has; places of
 * others are fetched, each once. out: to be freed also after a failure. */
static mplan_status rows_to_set(const mpi_mesh *mesh, const mpi_map *map, const int64_t *position,
                                rows *out, mplan_error *err)
{
    const int64_t *held = mesh->sets[map->to].first;
    mpi_links links = {0};
    int64_t n_ids = 0;
    *out = (rows){.n = mpi_own_members(mesh, map->from),
                  .map = map,
                  .position = position,
                  .first = held[mesh->rank],
                  .own = held[mesh->rank + 1] - held[mesh->rank],
                  .row = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    mplan_status status = mpi_ids_of(map->values, mpi_own_entries(mesh, map), out->first,
                                     out->first + out->own, &out->ids, &n_ids, err);
    if (!status && !(out->where = mplan_alloc(n_ids, sizeof *out->where, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_links_make(mesh->comm, status, held, status ? 0 : n_ids, out->ids, &links, err);
    if (!status)
        status = mpi_links_fetch(&links, status, sizeof *out->where, position, out->where, err);
    mpi_links_free(&links);
    if (!status)
        mpi_finder_open(out->ids, n_ids, &out->finder);
    return status;
}

/* The rows of the transposed map of one that leads from the set: one row for each point that this rank has.
 * Collective. out: to be freed also after a failure. */
static mplan_status rows_from_set(const mpi_mesh *mesh, const mpi_map *map, const int64_t *position,
                                  rows *out, mplan_error *err)
{
    *out = (rows){.n = mpi_own_members(mesh, map->to)};
    return mpi_transpose(mesh, map, position, &out->offsets, &out->vertex, err);
}

/* Row i: *n vertices; it stays until the next call. NULL: no memory. */
static int64_t *row_of(rows *r, int64_t i, int64_t *n, mplan_error *err)
{
    if (!r->map) {
        *n = r->offsets[i + 1] - r->offsets[i];
        return r->vertex + r->offsets[i];
    }
    const int64_t *member = mpi_map_row(r->map, i, n);
    int64_t *row = mplan_vector_reserve(&r->row, *n, err);
    for (int64_t k = 0; k < *n && row; k++) {
        const int64_t at = member[k] - r->first;
        row[k] = member[k] < 0            ? -1
                 : at >= 0 && at < r->own ? r->position[at]
                                          : r->where[mpi_find(&r->finder, member[k])];
    }
    return row;
}

/* --- pairs ------------------------------------------------------------------------------------------ */

/* b is a neighbour of a: both are places in the order. An edge is two pairs, one for each of its ends. */
typedef struct pair {
    int64_t a, b;
} pair;

/* Pairs on their way, and those that are where they belong. pairs and to are as long as each other and are emptied
 * for each round; own and other are as long as each other and grow from round to round, with pairs of all maps. */
typedef struct sender {
    const int64_t *first; /* places that each rank has */
    int32_t rank, ranks;
    mplan_vector pairs, to; /* pair, int32_t */
    mplan_vector own;       /* pairs that have come: int32_t, the place of the first, */
    mplan_vector other;     /* and int64_t, the number of the second */
} sender;

/* Room for n more pairs, wherever they go: add_pair and keep_pair then cannot fail. */
static mplan_status make_room(sender *s, int64_t n, mplan_error *err)
{
    return mplan_vector_reserve(&s->pairs, n, err) && mplan_vector_reserve(&s->to, n, err) &&
                   mplan_vector_reserve(&s->own, n, err) && mplan_vector_reserve(&s->other, n, err)
               ? MPLAN_OK
               : MPLAN_ERR_MEMORY;
}

/* A pair that this rank keeps; there is room. */
static void keep_pair(sender *s, pair p)
{
    ((int32_t *)s->own.data)[s->own.count++] = (int32_t)(p.a - s->first[s->rank]);
    ((int64_t *)s->other.data)[s->other.count++] = p.b;
}

/* A pair to the rank that has its first vertex; there is room. Entries of -1 and a vertex with itself make none. */
static void add_pair(sender *s, int64_t a, int64_t b)
{
    const pair p = {a, b};
    if (a < 0 || b < 0 || a == b)
        return;
    if (a >= s->first[s->rank] && a < s->first[s->rank + 1]) {
        keep_pair(s, p);
        return;
    }
    ((pair *)s->pairs.data)[s->pairs.count++] = p;
    ((int32_t *)s->to.data)[s->to.count++] = mpi_rank_of(s->first, s->ranks, a);
}

/* All pairs of a row, or those of neighbours in it. Every edge is added from both ends: in a full row each vertex
 * meets all others, in a long one the two ends are added one after the other. Entries of -1 are taken out first: they make no
 * row longer, and the vertices on both sides of one are neighbours, as in the serial graph. */
static mplan_status add_row(sender *s, int64_t *vertex, int64_t length, mplan_error *err)
{
    int64_t n = 0;
    for (int64_t i = 0; i < length; i++)
        if (vertex[i] >= 0)
            vertex[n++] = vertex[i];
    const bool hub = n > HUB;
    mplan_status status = make_room(s, hub ? 2 * n : n * n, err);
    for (int64_t i = 0; i < n && !status; i++)
        for (int64_t k = hub ? i + 1 : 0; k < (hub ? i + 2 : n) && k < n; k++) {
            add_pair(s, vertex[i], vertex[k]);
            if (hub)
                add_pair(s, vertex[k], vertex[i]);
        }
    return status;
}

/* Pairs of all rows, in as many rounds as the rank with most of them needs. Collective: a rank without rows left
 * takes part with nothing to send, until no rank has any. A fault of one rank is agreed on in the exchange of the
 * next round, or at the end. Only what goes to other ranks counts for a batch. */
static mplan_status send_pairs(MPI_Comm comm, mplan_status status, sender *s, rows *r,
                               mplan_error *err)
{
    int64_t row = 0;
    do {
        mpi_items got = {0};
        s->pairs.count = s->to.count = 0;
        for (; row < r->n && s->pairs.count < BATCH && !status; row++) {
            int64_t n;
            int64_t *vertex = row_of(r, row, &n, err);
            status = vertex ? add_row(s, vertex, n, err) : MPLAN_ERR_MEMORY;
        }
        status = mpi_exchange_mixed(comm, status, sizeof(pair), s->pairs.data, s->pairs.count,
                                    s->to.data, &got, err);
        if (status)
            return status;
        status = make_room(s, got.n, err);
        for (int64_t i = 0; i < got.n && !status; i++)
            keep_pair(s, ((pair *)got.data)[i]);
        mpi_items_free(&got);
    } while (mpi_most(comm, row < r->n));
    return mpi_agree(comm, status, err);
}

/* Neighbours of each own vertex, by a counting sort; pairs that several rows make are there once, and weigh 1, as
 * in the serial graph. Ascending and each once. numbers: out, offsets[n], the caller's. */
static mplan_status take_pairs(const sender *s, mpi_graph *graph, int64_t **numbers, mplan_error *err)
{
    const int32_t *own = s->own.data;
    const int64_t *other = s->other.data, n_pairs = s->own.count;
    int64_t *offsets = mplan_alloc_zero(graph->n + 2, sizeof *offsets, err);
    graph->offsets = offsets;
    *numbers = mplan_alloc(n_pairs, sizeof **numbers, err);
    if (!offsets || !*numbers)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_pairs; i++)
        offsets[own[i] + 2]++;
    for (int64_t v = 0; v < graph->n; v++)
        offsets[v + 2] += offsets[v + 1];
    for (int64_t i = 0; i < n_pairs; i++)
        (*numbers)[offsets[own[i] + 1]++] = other[i];
    /* lists are made shorter in place, from the front on: [begin, end) is the list of v before, [offsets[v], kept) after */
    for (int64_t v = 0, kept = 0, begin = 0; v < graph->n; v++) {
        const int64_t end = offsets[v + 1];
        mplan_sort_u64((uint64_t *)*numbers + begin, end - begin);
        for (int64_t i = begin; i < end; i++)
            if (i == begin || (*numbers)[i] != (*numbers)[kept - 1])
                (*numbers)[kept++] = (*numbers)[i];
        begin = end;
        offsets[v + 1] = kept;
    }
    return MPLAN_OK;
}

/* --- the graph ---------------------------------------------------------------------------------------- */

/* Numbers of neighbours that are elsewhere: graph->ghost and n_ghosts. numbers: offsets[n], of the neighbours of
 * all own vertices. Not collective. */
static mplan_status find_ghosts(mpi_graph *graph, const int64_t *numbers, mplan_error *err)
{
    const int64_t begin = graph->first[graph->rank], end = begin + graph->n;
    int64_t n = 0;
    for (int64_t i = 0; i < graph->offsets[graph->n]; i++)
        n += numbers[i] < begin || numbers[i] >= end;
    int64_t *scratch = mplan_alloc(n, sizeof *scratch, err);
    graph->ghost = mplan_alloc(n, sizeof *graph->ghost, err);
    if (!scratch || !graph->ghost) {
        free(scratch);
        return MPLAN_ERR_MEMORY;
    }
    n = 0;
    for (int64_t i = 0; i < graph->offsets[graph->n]; i++)
        if (numbers[i] < begin || numbers[i] >= end)
            graph->ghost[n++] = numbers[i];
    graph->n_ghosts = mpi_distinct(graph->ghost, n, scratch);
    free(scratch);
    return mpi_check_places(graph->rank, graph->n, graph->n_ghosts, err);
}

/* Numbers become places of 32 bits, which halves the memory of neighbours. All weights are 1: a vertex is one member, and an
 * edge counts once however many rows make it. Not collective. */
static mplan_status take_numbers(mpi_graph *graph, const int64_t *numbers, mplan_error *err)
{
    mplan_status status = find_ghosts(graph, numbers, err);
    const int64_t n_edges = graph->offsets[graph->n], places = graph->n + graph->n_ghosts;
    if (!status && (!(graph->neighbours = mplan_alloc(n_edges, sizeof *graph->neighbours, err)) ||
                    !(graph->weight = mplan_alloc(places, sizeof *graph->weight, err))))
        status = MPLAN_ERR_MEMORY;
    if (status)
        return status;
    mpi_finder finder;
    mpi_finder_open(graph->ghost, graph->n_ghosts, &finder);
    for (int64_t i = 0; i < n_edges; i++)
        graph->neighbours[i] = mpi_graph_place(graph, &finder, numbers[i]);
    mpi_finder_close(&finder);
    for (int64_t v = 0; v < places; v++)
        graph->weight[v] = 1;
    return MPLAN_OK;
}

/* Weights of ghosts go behind those of own vertices. */
mplan_status mpi_graph_open(mpi_graph *graph, mplan_status status, mplan_error *err)
{
    assert(graph && graph->first);
    status = mpi_links_make(graph->comm, status, graph->first, status ? 0 : graph->n_ghosts,
                            graph->ghost, &graph->links, err);
    return status ? status
                  : mpi_graph_fetch(graph, status, sizeof *graph->weight, graph->weight, err);
}

/* One map after the other, so that only pairs of one are on their way. first is copied; position stays the
 * caller's. All ranks get the same list of maps, and so enter the same exchanges. */
mplan_status mpi_graph_make(const mpi_mesh *mesh, int32_t set, int32_t n_maps, const int32_t *maps,
                            const int64_t *position, const int64_t *first, mpi_graph *graph,
                            mplan_error *err)
{
    assert(mesh && position && first && graph);
    sender s = {.first = first,
                .rank = mesh->rank,
                .ranks = mesh->ranks,
                .pairs = MPLAN_VECTOR_INIT(sizeof(pair)),
                .to = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                .own = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                .other = MPLAN_VECTOR_INIT(sizeof(int64_t))};
    int64_t *numbers = NULL;
    *graph = (mpi_graph){.comm = mesh->comm,
                         .rank = mesh->rank,
                         .ranks = mesh->ranks,
                         .n = first[mesh->rank + 1] - first[mesh->rank]};
    mplan_status status = mpi_agree(mesh->comm, mpi_check_places(mesh->rank, graph->n, 0, err), err);
    if (status)
        return status;
    for (int32_t m = 0; m < n_maps && !status; m++) {
        const mpi_map *map = &mesh->maps[maps[m]];
        rows r = {0};
        status = map->to == set ? rows_to_set(mesh, map, position, &r, err)
                                : rows_from_set(mesh, map, position, &r, err);
        status = send_pairs(mesh->comm, status, &s, &r, err);
        free_rows(&r);
    }
    /* what was on its way is done with; what has come is needed for the lists */
    free(s.pairs.data);
    free(s.to.data);
    if (!status)
        status = take_pairs(&s, graph, &numbers, err);
    free(s.own.data);
    free(s.other.data);
    /* a fault that this rank met before keeps its sentence */
    if (!(graph->first = mplan_copy(first, mesh->ranks + 1, sizeof *first, status ? NULL : err)) &&
        !status)
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = take_numbers(graph, numbers, err);
    free(numbers);
    /* without its ranges, which all ranks look at, it cannot be opened */
    status = mpi_agree(mesh->comm, status, err);
    return status ? status : mpi_graph_open(graph, MPLAN_OK, err);
}
