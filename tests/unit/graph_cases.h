/* SPDX-License-Identifier: Apache-2.0 */
/* graph_cases.h - graphs that are renumbered, and how good an order of their vertices is */
#ifndef MPLAN_GRAPH_CASES_H
#define MPLAN_GRAPH_CASES_H

#include "support_order.h"

#include "order/components.h"
#include "order/order.h"

/* --- graphs -------------------------------------------------------------------------- */

static inline mplan_csr graph_of(const mplan_map *map)
{
    mplan_error err;
    mplan_csr graph;
    assert_done(mplan_graph_of_points(map, 1, 0, &graph, NULL, &err), &err);
    return graph;
}

/* Ragged or of one arity, some entries -1, so also bare points and many components. */
static inline mplan_csr random_graph(uint64_t *seed, int64_t n, int64_t rows)
{
    int32_t arity = (int32_t)support_random(seed, 5); /* 0: ragged */
    mplan_map map = support_random_map(seed, rows, n, arity == 1 ? 2 : arity, 10);
    mplan_csr graph = graph_of(&map);
    support_map_free(&map);
    return graph;
}

/* A box of points in random order, joined to the next in each direction (faces) or
 * to all that share a cell with them (corners). */
typedef enum stencil { FACES, CORNERS } stencil;

static inline mplan_csr shuffled_box(uint64_t *seed, int64_t nx, int64_t ny, int64_t nz,
                                     stencil joined)
{
    int64_t n = nx * ny * nz, rows = 0;
    int32_t *name = support_permutation(seed, n);
    int32_t *values = malloc(26 * (size_t)n * sizeof *values);
    for (int64_t p = 0; p < n; p++)
        for (int64_t d = 0; d < 27; d++) {
            int64_t dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
            int64_t x = p % nx + dx, y = p / nx % ny + dy, z = p / nx / ny + dz;
            if (d <= 13 || (joined == FACES && dx * dx + dy * dy + dz * dz > 1) || x < 0 || y < 0 ||
                z < 0 || x >= nx || y >= ny || z >= nz)
                continue;
            values[2 * rows] = name[p];
            values[2 * rows + 1] = name[x + nx * (y + ny * z)];
            rows++;
        }
    mplan_map map = {"links_points", 0, 1, 2, rows, n, NULL, values};
    mplan_csr graph = graph_of(&map);
    free(values);
    free(name);
    return graph;
}

/* Links between pairs of vertices, made by a rule that is called with 0, 1, ... */
static inline mplan_csr linked(int64_t n, int64_t links,
                               void (*rule)(int64_t n, int64_t i, int32_t *pair))
{
    int32_t *values = malloc((2 * (size_t)links + 1) * sizeof *values);
    for (int64_t i = 0; i < links; i++)
        rule(n, i, values + 2 * i);
    mplan_map map = {"links_points", 0, 1, 2, links, n, NULL, values};
    mplan_csr graph = graph_of(&map);
    free(values);
    return graph;
}

static inline void path_link(int64_t n, int64_t i, int32_t *pair) /* in steps of 7, n not a multiple */
{
    pair[0] = (int32_t)(7 * i % n);
    pair[1] = (int32_t)(7 * (i + 1) % n);
}

static inline void star_link(int64_t n, int64_t i, int32_t *pair)
{
    pair[0] = (int32_t)(n / 2);
    pair[1] = (int32_t)(i < n / 2 ? i : i + 1);
}

static inline void complete_link(int64_t n, int64_t i, int32_t *pair)
{
    pair[0] = (int32_t)(i % n);
    pair[1] = (int32_t)(i / n);
}

static inline void two_cycles_link(int64_t n, int64_t i, int32_t *pair) /* even and odd vertices */
{
    pair[0] = (int32_t)i;
    pair[1] = (int32_t)((i + 2) % n);
}

/* --- what is measured ---------------------------------------------------------------- */

static inline int64_t profile_of(const mplan_csr *graph, const int32_t *place)
{
    int64_t sum = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        int64_t low = place[v];
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
            low = place[graph->neighbours[k]] < low ? place[graph->neighbours[k]] : low;
        sum += place[v] - low;
    }
    return sum;
}

typedef mplan_status (*method)(const mplan_csr *graph, int32_t *new_of_old,
                               const mplan_context *context, mplan_error *err);

/* A permutation, the same bytes twice. */
static inline int32_t *order_by(method order, const mplan_csr *graph)
{
    mplan_error err;
    size_t bytes = ((size_t)graph->n + 1) * sizeof(int32_t);
    int32_t *place = calloc(1, bytes), *again = calloc(1, bytes);
    assert_done(order(graph, place, NULL, &err), &err);
    assert_done(order(graph, again, NULL, &err), &err);
    support_check_permutation(graph->n, place);
    assert_memory_equal(place, again, bytes);
    free(again);
    return place;
}

static inline int64_t bandwidth_by(method order, const mplan_csr *graph)
{
    int32_t *place = order_by(order, graph);
    int64_t width = support_bandwidth(graph, place);
    free(place);
    return width;
}

static inline int64_t profile_by(method order, const mplan_csr *graph)
{
    int32_t *place = order_by(order, graph);
    int64_t profile = profile_of(graph, place);
    free(place);
    return profile;
}

static inline bool lower(const mplan_csr *graph, int64_t v, int64_t w) /* by degree, then index */
{
    if (w < 0)
        return true;
    int64_t d = mplan_degree(graph, (int32_t)v), e = mplan_degree(graph, (int32_t)w);
    return d < e || (d == e && v < w);
}

#endif
