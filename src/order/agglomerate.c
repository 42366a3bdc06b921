/* SPDX-License-Identifier: Apache-2.0 */
/* agglomerate.c - points in the order of a hierarchy of clusters
 *
 * Points are joined to clusters of eight, these to clusters of 64 points, and so on to the top. The order
 * walks the hierarchy downwards: clusters keep the order of their parents, and the children of one follow
 * one another so that each is near those placed last. Points that are near in the mesh are then near in the
 * order at every scale, as along a Hilbert curve, but by the mesh's own neighbours: no coordinates are
 * needed, and cells that are long and flat change nothing. Runs of 128 elements of shuffled meshes reuse
 * their points (agglomerated / Hilbert, coordinates 1:1 / Hilbert, one direction times 0.01 or 0.02):
 *   triangles, faces to cells   2.516 / 2.514 / 1.690      cells to nodes   4.466 / 4.466 / 2.678
 *   tets, faces to cells        2.601 / 2.631 / 1.791      cells to nodes   7.973 / 7.289 / 4.550
 * A hierarchy by heavy-edge matching (Hendrickson & Leland 1995; Karypis & Kumar, SIAM J. Sci. Comput. 20,
 * 1998) is the usual one; clusters that are grown are rounder. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "order/clusters.h"
#include "order/order.h"

/* Levels: each has at most half the vertices of the one below, so 2^31 points have fewer than these. */
enum { JOINED = 8, MOST_LEVELS = 40, NONE = -1 };

typedef struct hierarchy {
    int32_t n_levels; /* graphs; the last has one vertex */
    mplan_cluster_graph level[MOST_LEVELS];
    int32_t *parent[MOST_LEVELS]; /* of the vertices of a level: in the next; none on the last */
} hierarchy;

static void hierarchy_close(hierarchy *h)
{
    for (int32_t l = 0; l < h->n_levels; l++) {
        mplan_cluster_graph_free(&h->level[l]);
        free(h->parent[l]);
    }
}

/* Where hardly anything is joined any more (separate bodies, points round a hub) there is nothing to
 * follow: vertices go together as they are numbered. */
static int32_t join_in_order(int64_t n, int32_t *parent)
{
    for (int64_t v = 0; v < n; v++)
        parent[v] = (int32_t)(v / JOINED);
    return (int32_t)((n + JOINED - 1) / JOINED);
}

/* Clusters the coarsest level into groups of about `size` points and appends their
 * graph as the next one. parent[l] then holds, for every vertex of level l, its
 * cluster, which is a vertex of level l + 1. Where less than half of the vertices find
 * a partner (no edges between them), neighbours by number are joined, so that every
 * level has at most half as many vertices. */
static mplan_status add_level(hierarchy *h, int64_t size, const mplan_context *context,
                              mplan_error *err)
{
    int32_t l = h->n_levels - 1, n_clusters;
    const mplan_cluster_graph *fine = &h->level[l];
    h->parent[l] = mplan_alloc(fine->graph.n, sizeof *h->parent[l], err);
    if (!h->parent[l])
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_clusters_grow(fine, size, h->parent[l], &n_clusters, context, err);
    if (status)
        return status;
    if (n_clusters > fine->graph.n / 2)
        n_clusters = join_in_order(fine->graph.n, h->parent[l]);
    status = mplan_clusters_contract(fine, h->parent[l], n_clusters, &h->level[l + 1], err);
    if (!status)
        h->n_levels++;
    return status;
}

/* Levels from the graph itself, which is borrowed, up to a single vertex. Clusters are
 * JOINED times as large from level to level. */
static mplan_status build(hierarchy *h, const mplan_csr *graph, const mplan_context *context,
                          mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    h->level[0] = (mplan_cluster_graph){*graph, NULL, NULL, true};
    h->n_levels = 1;
    for (int64_t size = JOINED; h->level[h->n_levels - 1].graph.n > 1 && !status;) {
        status = add_level(h, size, context, err);
        size = size * JOINED < INT32_MAX ? size * JOINED : INT32_MAX;
    }
    return status;
}

/* --- downwards --------------------------------------------------------------------------- */

/* One level on its way down. Ranks are places in the order of the level. */
typedef struct descent {
    const mplan_cluster_graph *graph;
    const int32_t *parent;
    int32_t *rank;  /* per vertex; NONE: not placed yet */
    int64_t placed; /* vertices that have a rank: 0 ... placed - 1 */
} descent;

/* How near a vertex is to what was placed: neighbours weigh 4 when placed last, 2 among the last
 * `recent`, else 1; those in the parent `next`, which comes next, take 1 away. Share of all its weight. */
static double nearness(const descent *d, int32_t v, int64_t recent, int32_t next)
{
    const mplan_csr *graph = &d->graph->graph;
    int64_t sum = 0, total = 0;
    for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++) {
        int32_t w = graph->neighbours[k];
        int64_t weight = mplan_cluster_weight(d->graph, k), age = d->placed - d->rank[w];
        total += weight;
        if (d->rank[w] != NONE)
            sum += weight * (age <= 1 ? 4 : age <= recent ? 2 : 1);
        else if (d->parent[w] == next)
            sum -= weight;
    }
    return total ? (double)sum / (double)total : 0;
}

/* Places the n vertices of one parent, at most MPLAN_CLUSTER_MEMBERS, one after the other: the nearest
 * first, ties by index. */
static void place_children(descent *d, int64_t n, const int32_t *children, int32_t next)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t best = NONE;
        double best_nearness = 0;
        for (int64_t k = 0; k < n; k++) {
            if (d->rank[children[k]] != NONE)
                continue;
            double near = nearness(d, children[k], n, next);
            if (best == NONE || near > best_nearness) {
                best = children[k];
                best_nearness = near;
            }
        }
        d->rank[best] = (int32_t)d->placed++;
    }
}

/* Asks for what the children of parents that follow in the order will want: the list of children, then where their rows begin,
 * then the rows, then the ranks and parents in them. */
static inline void fetch_children(const descent *d, int32_t i, int32_t n_parents,
                                  const int32_t *order, const int64_t *begin, const int32_t *members)
{
    const mplan_csr *graph = &d->graph->graph;
    if (i + 5 >= n_parents)
        return;
    mplan_fetch(begin + order[i + 5]);
    mplan_fetch(members + begin[order[i + 4]]);
    for (int64_t k = begin[order[i + 3]]; k < begin[order[i + 3] + 1]; k++)
        mplan_fetch(graph->offsets + members[k]);
    for (int64_t k = begin[order[i + 2]]; k < begin[order[i + 2] + 1]; k++)
        mplan_fetch(graph->neighbours + graph->offsets[members[k]]);
    for (int64_t k = begin[order[i + 1]]; k < begin[order[i + 1] + 1]; k++)
        for (int64_t e = graph->offsets[members[k]]; e < graph->offsets[members[k] + 1]; e++) {
            mplan_fetch(d->rank + graph->neighbours[e]);
            mplan_fetch(d->parent + graph->neighbours[e]);
        }
}

/* From the ranks of the parents (n_parents) to those of a level: parents in their order, and the
 * children of one, which follow one another, by nearness. */
static mplan_status descend(descent *d, int32_t n_parents, const int32_t *parent_rank,
                            mplan_error *err)
{
    int64_t n = d->graph->graph.n, *begin = NULL;
    int32_t *members = NULL, *order = mplan_alloc(n_parents, sizeof *order, err);
    mplan_status status = order ? mplan_clusters_list(n, d->parent, n_parents, &begin, &members, err)
                                : MPLAN_ERR_MEMORY;
    if (!status) {
        for (int32_t p = 0; p < n_parents; p++)
            order[parent_rank[p]] = p;
        for (int64_t v = 0; v < n; v++)
            d->rank[v] = NONE;
        for (int32_t i = 0; i < n_parents; i++) {
            int32_t p = order[i];
            fetch_children(d, i, n_parents, order, begin, members);
            place_children(d, begin[p + 1] - begin[p], members + begin[p],
                           i + 1 < n_parents ? order[i + 1] : NONE);
        }
    }
    free(begin);
    free(members);
    free(order);
    return status;
}

/* Ranks of the points, level by level. new_of_old: those of level 0. */
static mplan_status walk_down(const hierarchy *h, int32_t *new_of_old, const mplan_context *context,
                              mplan_error *err)
{
    int32_t *above = mplan_alloc_zero(1, sizeof *above, err);
    mplan_status status = above ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (h->n_levels == 1 && h->level[0].graph.n == 1)
        new_of_old[0] = 0;
    for (int32_t l = h->n_levels - 2; l >= 0 && !status; l--) {
        int64_t n = h->level[l].graph.n;
        int32_t *rank = l ? mplan_alloc(n, sizeof *rank, err) : new_of_old;
        descent d = {&h->level[l], h->parent[l], rank, 0};
        status = rank ? mplan_interrupted(context, err) : MPLAN_ERR_MEMORY;
        if (!status)
            status = descend(&d, (int32_t)h->level[l + 1].graph.n, above, err);
        free(above);
        above = l ? rank : NULL;
    }
    free(above);
    return status;
}

/* The hierarchy is built upwards and then walked down: the clusters of every level are
 * put into an order, coarsest first, and the vertices of the finest one give the
 * places. */
mplan_status mplan_order_agglomerate(const mplan_csr *graph, int32_t *new_of_old,
                                     const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    hierarchy *h = mplan_alloc_zero(1, sizeof *h, err);
    if (!h)
        return MPLAN_ERR_MEMORY;
    mplan_status status = build(h, graph, context, err);
    if (!status)
        status = walk_down(h, new_of_old, context, err);
    hierarchy_close(h);
    free(h);
    return status;
}
