/* SPDX-License-Identifier: Apache-2.0 */
/* common_graph.c - elements that share several points, as METIS_MeshToDual has it (its manual, "ncommon") */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "mesh/adjacency.h"

/* A graph that grows row by row. */
typedef struct common_builder {
    const mplan_map *map;
    mplan_transpose back;
    int64_t common;
    int32_t *count;     /* of each element the points that it shares with the one at hand; else 0 */
    mplan_vector found; /* int32_t: elements with a count */
    mplan_vector neighbours; /* int32_t */
} common_builder;

/* Counts the points that other elements share with `element`. */
static mplan_status count_shared(common_builder *b, int64_t element, mplan_error *err)
{
    int32_t length;
    const int32_t *row = mplan_map_row(b->map, element, &length);
    b->found.count = 0;
    for (int32_t k = 0; k < length; k++) {
        if (row[k] < 0)
            continue;
        int64_t begin = b->back.offsets[row[k]], end = b->back.offsets[row[k] + 1];
        int32_t *to = mplan_vector_reserve(&b->found, end - begin, err);
        if (!to)
            return MPLAN_ERR_MEMORY;
        for (int64_t i = begin; i < end; i++) {
            int32_t other = b->back.elements[i];
            if (other != element && b->count[other]++ == 0)
                to[0] = other, to++, b->found.count++;
        }
    }
    return MPLAN_OK;
}

/* Keeps those that share enough, or all but one of the points of either; ascending. */
static mplan_status keep_neighbours(common_builder *b, int64_t element, mplan_error *err)
{
    int32_t own, other, *found = b->found.data;
    int64_t kept = 0;
    mplan_map_row(b->map, element, &own);
    for (int64_t i = 0; i < b->found.count; i++) {
        int32_t shared = b->count[found[i]];
        mplan_map_row(b->map, found[i], &other);
        b->count[found[i]] = 0;
        if (shared >= b->common || shared >= own - 1 || shared >= other - 1)
            found[kept++] = found[i];
    }
    mplan_sort_i32(found, kept);
    int32_t *to = mplan_vector_reserve(&b->neighbours, kept, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    if (kept > 0)
        memcpy(to, found, (size_t)kept * sizeof *to);
    b->neighbours.count += kept;
    return MPLAN_OK;
}

/* Rows are neighbours if they share at least `common` points (METIS's ncommon). count[f], 0
 * between rows, is how many points the row at hand shares with row f; `found` lists the rows
 * whose count is not 0, so that a row costs what it touches. Neighbours come in increasing
 * order. */
mplan_status mplan_graph_of_common(const mplan_map *map, int32_t common, mplan_csr *graph,
                                   mplan_error *err)
{
    assert(map && common > 0 && graph);
    const int64_t n = map->n_rows;
    common_builder b = {.map = map,
                        .common = common,
                        .found = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                        .neighbours = MPLAN_VECTOR_INIT(sizeof(int32_t))};
    *graph = (mplan_csr){.n = n};
    mplan_status status = mplan_map_transpose(map, false, &b.back, err);
    if (status)
        return status;
    b.count = mplan_alloc_zero(n, sizeof *b.count, err);
    graph->offsets = b.count ? mplan_alloc(n + 1, sizeof *graph->offsets, err) : NULL;
    status = graph->offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        graph->offsets[0] = 0;
    for (int64_t e = 0; e < n && !status; e++) {
        status = count_shared(&b, e, err);
        if (!status)
            status = keep_neighbours(&b, e, err);
        graph->offsets[e + 1] = b.neighbours.count;
    }
    graph->neighbours = status ? NULL : mplan_vector_take(&b.neighbours);
    if (!status && !graph->neighbours)
        status = (graph->neighbours = mplan_alloc(0, sizeof(int32_t), err)) ? MPLAN_OK
                                                                            : MPLAN_ERR_MEMORY;
    free(b.neighbours.data);
    free(b.found.data);
    free(b.count);
    mplan_transpose_free(&b.back);
    if (status)
        mplan_csr_free(graph);
    return status;
}
