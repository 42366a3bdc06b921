/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_edges.c - edges of a spread mesh, numbered as derive_edges.c numbers them
 *
 * An edge belongs to the rank that has its lower node: edges ascend by their lower node, so that those of a rank are a range.
 * Which cells have an edge comes together on that rank, and both sorts below go by numbers of
 * the mesh: so edges and their rows do not depend on the number of ranks. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/mpi_derive.h"

enum { BATCH = 1 << 20 }; /* edges of cells that are sent at a time, about */

/* An edge of a cell.
 * Numbers of the whole mesh, lower < upper. An edge of several cells is there once for each. */
typedef struct cell_edge {
    int64_t lower, upper, cell;
} cell_edge;

/* Of edges with one lower node: by upper node, then by cell. */
static int compare_edges(const void *a, const void *b)
{
    const cell_edge *x = a, *y = b;
    if (x->upper != y->upper)
        return x->upper < y->upper ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Edges of own cells from *c on, on the ranks of their lower nodes.
 * Collective. node_first: ranges of the nodes, ranks + 1. *c: in and out, the first own cell
 * that was not sent yet; about BATCH edges go at a time, so that memory for messages stays
 * bounded. Edges of collapsed cells whose two nodes are one are none. got: out, from all ranks. */
static mplan_status send_edges(const mpi_mesh *mesh, const mpi_cells *cells,
                               const int64_t *node_first, int64_t *c, mpi_items *got,
                               mplan_error *err)
{
    mplan_vector edges = MPLAN_VECTOR_INIT(sizeof(cell_edge)),
                 to = MPLAN_VECTOR_INIT(sizeof(int32_t));
    mplan_status status = MPLAN_OK;
    for (; *c < cells->table.nodes.n_rows && edges.count < BATCH && !status; (*c)++) {
        const int32_t *node;
        const mplan_cell_shape *shape = mplan_table_cell(&cells->table, *c, &node);
        for (int32_t e = 0; e < shape->n_edges && !status; e++) {
            const int64_t a = cells->node[node[shape->edge[e][0]]];
            const int64_t b = cells->node[node[shape->edge[e][1]]];
            if (a == b)
                continue;
            const cell_edge edge = {a < b ? a : b, a < b ? b : a, cells->first + *c};
            const int32_t rank = mpi_rank_of(node_first, mesh->ranks, edge.lower);
            status = mplan_vector_push(&edges, &edge, err);
            if (!status)
                status = mplan_vector_push(&to, &rank, err);
        }
    }
    status = mpi_exchange_mixed(mesh->comm, status, sizeof(cell_edge), edges.data, edges.count,
                                to.data, got, err);
    free(edges.data);
    free(to.data);
    return status;
}

/* Edges of all cells that this rank is to list, in any order.
 * Collective. A rank whose cells are all sent goes on with empty messages until all ranks are
 * done. all: out, cell_edge of which this rank has the lower node. */
static mplan_status collect_edges(const mpi_mesh *mesh, const mpi_cells *cells,
                                  const int64_t *node_first, mplan_vector *all, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t c = 0;
    do {
        mpi_items got = {0};
        status = send_edges(mesh, cells, node_first, &c, &got, err);
        if (status) { /* of all ranks: they agree on exchanges */
            mpi_items_free(&got);
            return status;
        }
        void *room = mplan_vector_reserve(all, got.n, err);
        if (room)
            memcpy(room, got.data, (size_t)got.n * sizeof(cell_edge));
        else
            status = MPLAN_ERR_MEMORY;
        all->count += room ? got.n : 0;
        mpi_items_free(&got);
        status = mpi_agree(mesh->comm, status, err);
    } while (!status && mpi_most(mesh->comm, c < cells->table.nodes.n_rows));
    return status;
}

/* Into buckets of one lower node each, and these into order; each once. all->count: how many are left.
 * Not collective. first: this rank's first node, of n_nodes. Afterwards `all` ascends by lower
 * node, upper node and cell. begin[v + 1] is where the edges of node first + v are written next,
 * which makes it their end, and so begin[v] their begin. */
static mplan_status sort_edges(mplan_vector *all, int64_t first, int64_t n_nodes, mplan_error *err)
{
    cell_edge *list = all->data, *sorted = mplan_alloc(all->count, sizeof *sorted, err);
    int64_t *begin = mplan_alloc_zero(n_nodes + 2, sizeof *begin, err), kept = 0;
    if (!sorted || !begin) {
        free(sorted);
        free(begin);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < all->count; i++)
        begin[list[i].lower - first + 2]++;
    for (int64_t v = 0; v < n_nodes; v++)
        begin[v + 2] += begin[v + 1];
    for (int64_t i = 0; i < all->count; i++)
        sorted[begin[list[i].lower - first + 1]++] = list[i];
    for (int64_t v = 0; v < n_nodes; v++) {
        qsort(sorted + begin[v], (size_t)(begin[v + 1] - begin[v]), sizeof *sorted, compare_edges);
        for (int64_t i = begin[v]; i < begin[v + 1]; i++)
            if (i == begin[v] || compare_edges(&sorted[i], &sorted[i - 1]) != 0)
                list[kept++] = sorted[i];
    }
    all->count = kept;
    free(sorted);
    free(begin);
    return MPLAN_OK;
}

/* The arrays of both maps, from edges in their order; *n: edges.
 * nodes: 2n, lower node first; offsets: n + 1, from 0; cells: ascending for each edge. Numbers
 * of nodes and cells are those of the whole mesh. */
typedef struct edge_arrays {
    int64_t n, *nodes, *offsets, *cells;
} edge_arrays;

/* Arrays are the caller's, also after a failure. */
static mplan_status make_arrays(const mplan_vector *all, edge_arrays *out, mplan_error *err)
{
    const cell_edge *list = all->data;
    out->n = 0;
    for (int64_t i = 0; i < all->count; i++)
        out->n += i == 0 || list[i].lower != list[i - 1].lower || list[i].upper != list[i - 1].upper;
    out->nodes = mplan_alloc(2 * out->n, sizeof *out->nodes, err);
    out->offsets = mplan_alloc(out->n + 1, sizeof *out->offsets, err);
    out->cells = mplan_alloc(all->count, sizeof *out->cells, err);
    if (!out->nodes || !out->offsets || !out->cells)
        return MPLAN_ERR_MEMORY;
    int64_t n = 0;
    for (int64_t i = 0; i < all->count; i++) {
        out->cells[i] = list[i].cell;
        if (i > 0 && list[i].lower == list[i - 1].lower && list[i].upper == list[i - 1].upper)
            continue;
        out->nodes[2 * n] = list[i].lower;
        out->nodes[2 * n + 1] = list[i].upper;
        out->offsets[n++] = i;
    }
    out->offsets[n] = all->count;
    return MPLAN_OK;
}

/* The mesh takes over the arrays.
 * Collective. Ranges of the set are what each rank has, not even ones. Arrays that went to the
 * mesh are NULL afterwards. */
static mplan_status add_edges(mpi_mesh *mesh, edge_arrays *arrays, mplan_error *err)
{
    int32_t set;
    mplan_status status = mpi_mesh_add_set(mesh, "edges", mpi_sum(mesh->comm, arrays->n), &set, err);
    status = mpi_agree(mesh->comm, status, err);
    if (status)
        return status;
    mpi_ranges_of(mesh->comm, arrays->n, mesh->sets[set].first);
    mesh->sets[set].derived = true;
    status = mpi_mesh_take_map(mesh, "edges_nodes", set, mpi_mesh_find_set(mesh, "nodes"), 2, NULL,
                               arrays->nodes, err);
    arrays->nodes = NULL;
    if (!status) {
        status = mpi_mesh_take_map(mesh, "edges_cells", set, mpi_mesh_find_set(mesh, "cells"), 0,
                                   arrays->offsets, arrays->cells, err);
        arrays->offsets = arrays->cells = NULL;
    }
    return mpi_agree(mesh->comm, status, err);
}

/* Collective. A map of edges that the file has is not replaced: it is a fault. */
mplan_status mpi_derive_edges(mpi_mesh *mesh, mplan_error *err)
{
    mpi_cells cells;
    mplan_vector all = MPLAN_VECTOR_INIT(sizeof(cell_edge));
    edge_arrays arrays = {.n = 0};
    mplan_status status = mpi_cells_open(mesh, &cells, err);
    const int32_t nodes = mpi_mesh_find_set(mesh, "nodes");
    if (!status &&
        (mpi_mesh_find_map(mesh, "edges_nodes") >= 0 || mpi_mesh_find_map(mesh, "edges_cells") >= 0))
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh already has a map of edges");
    if (!status)
        status = collect_edges(mesh, &cells, mesh->sets[nodes].first, &all, err);
    mpi_cells_close(&cells);
    if (!status) {
        status = sort_edges(&all, mesh->sets[nodes].first[mesh->rank], mpi_own_members(mesh, nodes),
                            err);
        if (!status)
            status = make_arrays(&all, &arrays, err);
        status = mpi_agree(mesh->comm, status, err);
    }
    free(all.data);
    if (!status)
        status = add_edges(mesh, &arrays, err);
    free(arrays.nodes);
    free(arrays.offsets);
    free(arrays.cells);
    return status;
}
