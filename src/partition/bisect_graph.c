/* SPDX-License-Identifier: Apache-2.0 */
/* bisect_graph.c - graphs with weights, and coarser ones of them
 *
 * Heavy-edge matching after Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998). Vertices are visited in an order that is
 * mixed by a fixed rule, as along the mesh matching would leave rows of single vertices. */
#include "partition/bisect_graph.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"

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

/* The edges of v become edges of its pair c; place[d]: where the edge to pair d is, since `begin`. */
static void add_edges(const mplan_weighted *graph, int32_t v, int32_t c, const int32_t *coarse,
                      int64_t begin, int64_t *place, mplan_weighted *out, int64_t *at)
{
    for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
        const int32_t d = coarse[graph->neighbours[i]];
        if (d == c)
            continue;
        if (place[d] >= begin) {
            out->edge[place[d]] += graph->edge[i];
            continue;
        }
        place[d] = *at;
        out->neighbours[*at] = d;
        out->edge[(*at)++] = graph->edge[i];
    }
}

mplan_status mplan_weighted_coarsen(const mplan_weighted *graph, int64_t most, uint64_t seed,
                                    int32_t *coarse, mplan_weighted *out, mplan_error *err)
{
    assert(graph && coarse && out);
    int64_t n = 0, at = 0;
    int32_t *mate = mplan_alloc(graph->n, sizeof *mate, err);
    int64_t *place = NULL;
    mplan_status status = mate ? match(graph, most, seed, mate, coarse, &n, err) : MPLAN_ERR_MEMORY;
    if (!status)
        status = make_room(out, n, graph->offsets[graph->n], err);
    if (!status && !(place = mplan_alloc(n, sizeof *place, err)))
        status = MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < n && !status; c++)
        place[c] = -1;
    for (int32_t v = 0; v < graph->n && !status; v++) {
        if (mate[v] < v)
            continue;
        const int32_t c = coarse[v];
        const int64_t begin = at;
        add_edges(graph, v, c, coarse, begin, place, out, &at);
        if (mate[v] != v)
            add_edges(graph, mate[v], c, coarse, begin, place, out, &at);
        out->weight[c] = graph->weight[v] + (mate[v] != v ? graph->weight[mate[v]] : 0);
        out->offsets[c + 1] = at;
    }
    out->total = graph->total;
    free(mate);
    free(place);
    return status;
}
