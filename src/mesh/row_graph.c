/* SPDX-License-Identifier: Apache-2.0 */
/* row_graph.c - the graph of maps from a set to itself: members and what their rows name
 *
 * By threads: pieces of the members make their rows side by side, and rows of all pieces are put together afterwards. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"
#include "mesh/adjacency.h"
#include "mesh/point_lists.h"

enum { MEMBERS = 1 << 12 };

/* What the threads share. */
typedef struct row_work {
    const mplan_map *maps;
    int32_t n_maps;
    mplan_point_lists back; /* who names a member */
    mplan_csr graph;        /* offsets[v + 1]: length of row v; then offsets */
    mplan_vector *pieces;   /* n_pieces of int32_t: rows of each piece, one behind the other */
    int64_t n_pieces;
    int32_t failed;
} row_work;

/* Row v: who names it, and whom it names, without itself, ascending and each once. */
static bool make_row(const row_work *work, mplan_vector *rows, int64_t v)
{
    const int64_t begin = work->back.offsets[v];
    int64_t n = work->back.offsets[v + 1] - begin, most = n, kept = 0;
    int32_t length;
    for (int32_t m = 0; m < work->n_maps; m++) {
        mplan_map_row(&work->maps[m], v, &length);
        most += length;
    }
    int32_t *list = mplan_vector_reserve(rows, most, NULL);
    if (!list)
        return false;
    if (n > 0)
        memcpy(list, work->back.values + begin, (size_t)n * sizeof *list);
    for (int32_t m = 0; m < work->n_maps; m++) {
        const int32_t *row = mplan_map_row(&work->maps[m], v, &length);
        for (int32_t k = 0; k < length; k++)
            if (row[k] >= 0)
                list[n++] = row[k];
    }
    n = mplan_distinct_i32(list, n);
    for (int64_t i = 0; i < n; i++)
        if (list[i] != v)
            list[kept++] = list[i];
    rows->count += kept;
    work->graph.offsets[v + 1] = kept;
    return true;
}

static void make_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    row_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t last = mplan_piece_begin(work->graph.n, work->n_pieces, i + 1);
        for (int64_t v = mplan_piece_begin(work->graph.n, work->n_pieces, i); v < last; v++)
            if (mplan_peek(&work->failed) || !make_row(work, &work->pieces[i], v)) {
                mplan_poke(&work->failed, 1);
                break;
            }
    }
}

static void put_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const row_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t first = mplan_piece_begin(work->graph.n, work->n_pieces, i);
        mplan_vector *rows = &work->pieces[i];
        if (rows->count > 0)
            memcpy(work->graph.neighbours + work->graph.offsets[first], rows->data,
                   (size_t)rows->count * sizeof(int32_t));
        free(rows->data);
        rows->data = NULL;
    }
}

/* Those of a single piece are taken as they are. */
static mplan_status put_together(row_work *work, mplan_team *team, mplan_error *err)
{
    mplan_csr *graph = &work->graph;
    mplan_for_sums(team, graph->n, graph->offsets);
    if (work->n_pieces == 1) {
        graph->neighbours = mplan_vector_take(&work->pieces[0]);
        return MPLAN_OK;
    }
    graph->neighbours = mplan_alloc(graph->offsets[graph->n], sizeof(int32_t), err);
    if (!graph->neighbours)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, work->n_pieces, 1, put_pieces, work);
    return MPLAN_OK;
}

/* A table may name a neighbour from one side only: the graph has both. */
mplan_status mplan_graph_of_map(const mplan_map *maps, int32_t n_maps, mplan_csr *graph,
                                const mplan_context *context, mplan_error *err)
{
    assert(maps && n_maps > 0 && graph);
    const int64_t n = maps[0].n_points;
    mplan_team *team = mplan_team_of(context);
    for (int32_t m = 0; m < n_maps; m++)
        if (maps[m].n_rows != n || maps[m].n_points != n)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "map '%s' does not lead from a set to itself",
                              maps[m].name ? maps[m].name : "");
    row_work work = {
        .maps = maps, .n_maps = n_maps, .graph = {.n = n}, .n_pieces = mplan_pieces(team, n, MEMBERS)};
    mplan_status status = mplan_point_lists_create(maps, n_maps, NULL, &work.back, context, err);
    if (status)
        return status;
    work.graph.offsets = mplan_alloc_zero(n + 1, sizeof *work.graph.offsets, err);
    work.pieces = mplan_alloc(work.n_pieces, sizeof *work.pieces, err);
    status = work.graph.offsets && work.pieces ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < work.n_pieces && work.pieces; i++)
        work.pieces[i] = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(int32_t));
    if (!status)
        mplan_for(team, work.n_pieces, 1, make_pieces, &work);
    free(work.back.offsets);
    free(work.back.values);
    if (!status && work.failed)
        status = mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for a graph of %lld members",
                            (long long)n);
    if (!status)
        status = put_together(&work, team, err);
    for (int64_t i = 0; i < work.n_pieces && work.pieces; i++)
        free(work.pieces[i].data);
    free(work.pieces);
    if (status)
        mplan_csr_free(&work.graph);
    else
        *graph = work.graph;
    return status;
}
