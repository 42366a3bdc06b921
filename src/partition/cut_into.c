/* SPDX-License-Identifier: Apache-2.0 */
/* cut_into.c - groups become vertices, nodes are cut before parts, and no part stays empty
 *
 * part is by vertex, from 0; *moved is added to by each step. Equal graphs, wishes and seeds
 * give equal parts as far as the partitioner does so. */
#include "partition/cut_into.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "partition/partition.h"

/* A graph and what its vertices and edges weigh.
 * Both are borrowed; wishes is never NULL. */
typedef struct piece {
    const mplan_csr *graph;
    const mplan_cut_wishes *wishes;
} piece;

/* n_parts parts, at most one for each vertex: those behind stay empty. METIS takes the imbalance in thousandths above 1,
 * at least one of them, and SCOTCH as a share. All may leave parts empty, which are refilled.
 * part: of->graph->n entries, in [0, k), k the lower of n_parts and vertices; each of the k has
 * a vertex. */
static mplan_status cut_piece(const piece *of, int32_t n_parts, const mplan_cut_into_options *how,
                              int32_t *part, int64_t *moved, const mplan_context *context,
                              mplan_error *err)
{
    const int32_t k = of->graph->n < n_parts ? (int32_t)of->graph->n : n_parts;
    const int32_t thousandths = (int32_t)(1000 * (how->imbalance - 1) + 0.5);
    int64_t refilled = 0;
    mplan_status status;
    if (k == 0)
        return MPLAN_OK;
    if (how->partitioner == MPLAN_PARTITIONER_METIS)
        status = mplan_partition_metis(of->graph, k, thousandths > 0 ? thousandths : 1, how->seed,
                                       of->wishes, part, context, err);
    else if (how->partitioner == MPLAN_PARTITIONER_SCOTCH)
        status = mplan_partition_scotch(of->graph, k, thousandths > 0 ? thousandths / 1000.0 : 0.001,
                                        how->seed, of->wishes, part, context, err);
    else
        status = mplan_partition_bisect(of->graph, k, how->imbalance, of->wishes, part, context, err);
    if (!status)
        status = mplan_partition_refill(of->graph, k, part, &refilled, err);
    *moved += refilled;
    return status;
}

/* --- nodes first ------------------------------------------------------------------------------ */

/* The vertices of one part; `old` are their numbers in the whole graph, ascending.
 * wishes is a copy of the whole graph's, whose weights and edge weights are replaced by own
 * ones. Sizes and shares are not replaced: who cuts for nodes has none. */
typedef struct own_piece {
    mplan_csr graph;
    mplan_cut_wishes wishes;
    int32_t *old;
    int64_t *weights, *edge_weights;
} own_piece;

/* Only what was made for the piece. */
static void free_piece(own_piece *own)
{
    mplan_csr_free(&own->graph);
    free(own->old);
    free(own->weights);
    free(own->edge_weights);
}

/* own->graph.n is set; edges: room for neighbours. Nothing is filled yet but offsets, with 0. */
static mplan_status make_room(own_piece *own, int64_t edges, const mplan_cut_wishes *wishes,
                              mplan_error *err)
{
    const int64_t n = own->graph.n;
    own->wishes = *wishes;
    own->old = mplan_alloc(n, sizeof *own->old, err);
    own->graph.offsets = mplan_alloc_zero(n + 1, sizeof *own->graph.offsets, err);
    own->graph.neighbours = mplan_alloc(edges, sizeof *own->graph.neighbours, err);
    if (wishes->n_constraints > 0)
        own->wishes.weights = own->weights = mplan_alloc(n * wishes->n_constraints,
                                                         sizeof *own->weights, err);
    if (wishes->edge_weights)
        own->wishes.edge_weights = own->edge_weights = mplan_alloc(edges, sizeof *own->edge_weights,
                                                                   err);
    const bool ready = own->old && own->graph.offsets && own->graph.neighbours &&
                       (own->weights || wishes->n_constraints == 0) &&
                       (own->edge_weights || !wishes->edge_weights);
    return ready ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* number: scratch, one a vertex of the whole graph. Neighbours in other parts are left out, so that `edges`, which
 * counts them, is what the list has room for, not its length. Release *own also after a failure.
 * which: the part that is taken. Vertices keep their order. As an edge inside the part has both
 * ends in it, the graph of the piece is symmetric as the whole one is. */
static mplan_status take_piece(const piece *of, const int32_t *part, int32_t which, int32_t *number,
                               own_piece *own, mplan_error *err)
{
    const mplan_csr *graph = of->graph;
    const int32_t columns = of->wishes->n_constraints;
    int64_t n = 0, edges = 0, at = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        number[v] = part[v] == which ? (int32_t)n++ : -1;
        edges += part[v] == which ? graph->offsets[v + 1] - graph->offsets[v] : 0;
    }
    *own = (own_piece){.graph = {.n = n}};
    mplan_status status = make_room(own, edges, of->wishes, err);
    if (status)
        return status;
    for (int64_t v = 0; v < graph->n; v++) {
        const int64_t to = number[v];
        if (to < 0)
            continue;
        own->old[to] = (int32_t)v;
        for (int32_t c = 0; c < columns; c++)
            own->weights[to * columns + c] = of->wishes->weights[v * columns + c];
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            if (number[graph->neighbours[i]] < 0)
                continue;
            if (own->edge_weights)
                own->edge_weights[at] = of->wishes->edge_weights[i];
            own->graph.neighbours[at++] = number[graph->neighbours[i]];
        }
        own->graph.offsets[to + 1] = at;
    }
    return MPLAN_OK;
}

/* The vertices of each node: where there are enough, as many at least as a node has parts. Few heavy ones may fill a node, whose
 * last parts would stay empty. */
static mplan_status share_out(const piece *of, const mplan_cut_into_options *how, int32_t *node,
                              int64_t *moved, const mplan_context *context, mplan_error *err)
{
    const int64_t n = of->graph->n, each = how->n_parts / how->nodes;
    const int32_t columns = of->wishes->n_constraints;
    int64_t more = 0;
    mplan_status status = how->node ? MPLAN_OK
                                    : cut_piece(of, how->nodes, how, node, moved, context, err);
    for (int64_t v = 0; v < n && how->node; v++)
        node[v] = how->node[v];
    if (!status && n >= how->n_parts)
        status = mplan_partition_fill_up(n, how->nodes, each, columns ? of->wishes->weights : NULL,
                                         columns, node, &more, err);
    *moved += more;
    return status;
}

/* Cuts each of `nodes` parts into as many consecutive ones.
 * Before: nodes divides n_parts. node[v]: which of the nodes v is on; inside: by vertex of a
 * piece, its part within the node. Of fewer vertices than parts a node may have too few, and leaves its last parts
 * empty. */
static mplan_status cut_nodes(const piece *of, const mplan_cut_into_options *how, int32_t *part,
                              int64_t *moved, const mplan_context *context, mplan_error *err)
{
    const int32_t each = how->n_parts / how->nodes;
    const int64_t n = of->graph->n;
    int32_t *number = mplan_alloc(n, sizeof *number, err);
    int32_t *node = mplan_alloc(n, sizeof *node, err);
    mplan_status status = number && node ? share_out(of, how, node, moved, context, err)
                                         : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < how->nodes && !status; i++) {
        own_piece own;
        int32_t *inside = NULL;
        status = take_piece(of, node, i, number, &own, err);
        const piece inner = {&own.graph, &own.wishes};
        if (!status && !(inside = mplan_alloc(own.graph.n, sizeof *inside, err)))
            status = MPLAN_ERR_MEMORY;
        if (!status)
            status = cut_piece(&inner, each, how, inside, moved, context, err);
        for (int64_t v = 0; v < own.graph.n && !status; v++)
            part[own.old[v]] = i * each + inside[v];
        free_piece(&own);
        free(inside);
    }
    free(number);
    free(node);
    return status;
}

/* For nodes first, where there are any. */
static mplan_status cut_whole(const piece *of, const mplan_cut_into_options *how, int32_t *part,
                              int64_t *moved, const mplan_context *context, mplan_error *err)
{
    return how->nodes > 1 ? cut_nodes(of, how, part, moved, context, err)
                          : cut_piece(of, how->n_parts, how, part, moved, context, err);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* Cuts the graph of groups; members get the part of their group.
 * group[v]: the group of vertex v; of_group: its part. Where each vertex is a group of its own
 * nothing is contracted, and the parts are those without groups. */
static mplan_status cut_groups(const piece *of, const mplan_cut_into_options *how, int32_t *part,
                               int64_t *moved, const mplan_context *context, mplan_error *err)
{
    const int64_t n = of->graph->n;
    int64_t n_groups;
    mplan_contracted smaller = {.weights = NULL};
    int32_t *group = mplan_alloc(n, sizeof *group, err), *of_group = NULL;
    mplan_status status = group ? mplan_groups_of(how->together, how->set, n, group, &n_groups, err)
                                : MPLAN_ERR_MEMORY;
    status = mplan_fail_of_file(err, status, how->together_file);
    if (!status && n_groups == n)
        status = cut_whole(of, how, part, moved, context, err);
    else if (!status) {
        status = mplan_graph_contract(of->graph, group, n_groups, of->wishes, &smaller, err);
        const piece groups = {&smaller.graph, &smaller.wishes};
        if (!status && !(of_group = mplan_alloc(n_groups, sizeof *of_group, err)))
            status = MPLAN_ERR_MEMORY;
        if (!status)
            status = cut_whole(&groups, how, of_group, moved, context, err);
        for (int64_t v = 0; v < n && !status; v++)
            part[v] = of_group[group[v]];
    }
    mplan_contracted_free(&smaller);
    free(group);
    free(of_group);
    return status;
}

/* *moved is written also after a failure, and then says what was moved up to it. */
mplan_status mplan_partition_into(const mplan_csr *graph, const mplan_cut_into_options *how,
                                  int32_t *part, int64_t *moved, const mplan_context *context,
                                  mplan_error *err)
{
    assert(graph && how && part && how->n_parts >= 1 && how->imbalance >= 1);
    assert(how->nodes <= 1 ||
           (how->n_parts % how->nodes == 0 && !(how->wishes && how->wishes->shares)));
    static const mplan_cut_wishes none = {.n_constraints = 0};
    const piece whole = {graph, how->wishes ? how->wishes : &none};
    int64_t refilled = 0;
    mplan_status status = how->together ? cut_groups(&whole, how, part, &refilled, context, err)
                                        : cut_whole(&whole, how, part, &refilled, context, err);
    if (moved)
        *moved = refilled;
    return status;
}
