/* SPDX-License-Identifier: Apache-2.0 */
/* derive_edges.c - edges: all node pairs that are edges of cells
 *
 * Edges of cells are thrown into buckets by their lower node (counting sort)
 * as the word (upper node, cell); each bucket is sorted, which leaves edges
 * and the cells of each in order. */
#include "meshplan.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "mesh/derive.h"

#define PAUSE_MASK ((INT64_C(1) << 20) - 1)

/* With word NULL counts the edges of cells by lower node into next; else puts
 * them into their buckets, moving next. */
static mplan_status throw_edges(const mplan_cell_table *cells, const mplan_context *context,
                                int64_t *next, uint64_t *word, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t c = 0; !status && c < cells->nodes.n_rows; c++) {
        const int32_t *node;
        const mplan_cell_shape *shape = mplan_table_cell(cells, c, &node);
        for (int32_t e = 0; e < shape->n_edges; e++) {
            int32_t a = node[shape->edge[e][0]], b = node[shape->edge[e][1]];
            if (a == b)
                continue;
            int32_t lower = a < b ? a : b, upper = a < b ? b : a;
            if (word)
                word[next[lower]] = (uint64_t)upper << 32 | (uint64_t)c;
            next[lower]++;
        }
        if ((c & PAUSE_MASK) == PAUSE_MASK)
            status = mplan_interrupted(context, err);
    }
    return status;
}

/* Sorts every bucket and drops repeats; ends[v] becomes the end of what is
 * left of bucket v, whose start stays at begins (the old end of v - 1). The
 * words are packed, so only the ends describe them. Counts edges. */
static mplan_status sort_buckets(int64_t n_nodes, const mplan_context *context, int64_t *ends,
                                 uint64_t *word, int64_t *n_edges, mplan_error *err)
{
    int64_t begin = 0, kept = 0;
    *n_edges = 0;
    for (int64_t v = 0; v < n_nodes; v++) {
        int64_t end = ends[v], first = kept;
        mplan_sort_u64(word + begin, end - begin);
        for (int64_t i = begin; i < end; i++) {
            if (kept > first && word[i] == word[kept - 1])
                continue;
            *n_edges += kept == first || word[i] >> 32 != word[kept - 1] >> 32;
            word[kept++] = word[i];
        }
        begin = end;
        ends[v] = kept;
        if ((v & PAUSE_MASK) == PAUSE_MASK) {
            mplan_status status = mplan_interrupted(context, err);
            if (status)
                return status;
        }
    }
    return MPLAN_OK;
}

/* word: for each lower node, up to ends[v], the upper node above and a cell below, sorted: equal
 * upper nodes are one edge with the cells of its run. nodes: two of each edge, offsets: n + 1,
 * cells: one of each word. */
static void write_edges(int64_t n_nodes, const int64_t *ends, const uint64_t *word, int32_t *nodes,
                        int64_t *offsets, int32_t *cells)
{
    int64_t n = 0, i = 0;
    for (int64_t v = 0; v < n_nodes; v++)
        for (int64_t first = i; i < ends[v]; i++) {
            int32_t upper = (int32_t)(word[i] >> 32);
            if (i == first || nodes[2 * n - 1] != upper) {
                nodes[2 * n] = (int32_t)v;
                nodes[2 * n + 1] = upper;
                offsets[n++] = i;
            }
            cells[i] = (int32_t)(uint32_t)word[i];
        }
    offsets[n] = i;
}

/* Adds the set and its maps; takes the arrays. Refused, with the mesh as it was, where a map has one
 * of their names already. */
static mplan_status add_edges(mplan_mesh *mesh, int64_t n, int32_t *nodes, int64_t *offsets,
                              int32_t *cells, mplan_error *err)
{
    int32_t set;
    mplan_mesh_mark mark = mplan_mesh_mark_of(mesh);
    mplan_status status = mplan_mesh_add_set(mesh, "edges", n, &set, err);
    if (!status) {
        status = mplan_mesh_take_map(mesh, "edges_nodes", set, mplan_mesh_find_set(mesh, "nodes"),
                                     2, NULL, nodes, NULL, err);
        nodes = NULL;
    }
    if (!status) {
        status = mplan_mesh_take_map(mesh, "edges_cells", set, mplan_mesh_find_set(mesh, "cells"),
                                     0, offsets, cells, NULL, err);
        offsets = NULL;
        cells = NULL;
    }
    free(nodes);
    free(offsets);
    free(cells);
    if (!status)
        mesh->sets[set].derived = true;
    else
        mplan_mesh_roll_back(mesh, mark);
    return status;
}

/* The sorted words of all edges of cells; release both arrays with free(). */
static mplan_status collect_edges(const mplan_cell_table *cells, const mplan_context *context,
                                  int64_t **ends, uint64_t **word, int64_t *n_edges, mplan_error *err)
{
    int64_t n_nodes = cells->nodes.n_points, n_words = 0;
    int64_t *next = mplan_alloc_zero(n_nodes, sizeof *next, err);
    *ends = next;
    if (!next)
        return MPLAN_ERR_MEMORY;
    mplan_status status = throw_edges(cells, context, next, NULL, err);
    if (status)
        return status;
    for (int64_t v = 0; v < n_nodes; v++) {
        int64_t count = next[v];
        next[v] = n_words;
        n_words += count;
    }
    *word = mplan_alloc(n_words, sizeof **word, err);
    if (!*word)
        return MPLAN_ERR_MEMORY;
    status = throw_edges(cells, context, next, *word, err);
    if (!status)
        status = sort_buckets(n_nodes, context, next, *word, n_edges, err);
    if (!status && *n_edges >= INT32_MAX)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "the mesh has %lld edges, a set may have %d members at most",
                            (long long)*n_edges, INT32_MAX - 1);
    return status;
}

/* Edges ascend by their lower, then their upper node; each with all cells round it, ascending. */
mplan_status mplan_derive_edges(mplan_mesh *mesh, const mplan_context *context, mplan_error *err)
{
    mplan_cell_table cells;
    int64_t *ends = NULL, *offsets = NULL, n = 0;
    int32_t *nodes = NULL, *edge_cells = NULL;
    uint64_t *word = NULL;
    mplan_status status = mplan_cell_table_of(mesh, &cells, err);
    if (!status)
        status = collect_edges(&cells, context, &ends, &word, &n, err);
    if (status)
        goto done;
    int64_t n_nodes = cells.nodes.n_points, n_entries = n_nodes > 0 ? ends[n_nodes - 1] : 0;
    if (!(nodes = mplan_alloc(2 * n, sizeof *nodes, err)) ||
        !(offsets = mplan_alloc(n + 1, sizeof *offsets, err)) ||
        !(edge_cells = mplan_alloc(n_entries, sizeof *edge_cells, err))) {
        status = MPLAN_ERR_MEMORY;
        goto done;
    }
    write_edges(n_nodes, ends, word, nodes, offsets, edge_cells);
    free(word);
    word = NULL;
    status = add_edges(mesh, n, nodes, offsets, edge_cells, err);
    nodes = edge_cells = NULL;
    offsets = NULL;
done:
    free(ends);
    free(word);
    free(nodes);
    free(offsets);
    free(edge_cells);
    return status;
}
