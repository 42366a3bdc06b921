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
 * 1998) is the usual one; clusters that are grown are rounder.
 *
 * By threads: graphs of LARGE vertices and more are first copied in breadth-first order (components.c), which takes one thread less time,
 * too, and their clusters grow in REGIONS ranges of that order side by side. On the way down pieces of the parents are placed side by side;
 * the first parents of a piece, whose children look at the last ones of the piece before, are then placed again, one piece after the other,
 * until nothing changes any more: so the order is that of one piece. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fetch.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/clusters.h"
#include "order/components.h"
#include "order/order.h"

/* Levels: each has at most half the vertices of the one below, so 2^31 points have fewer than these. */
enum { JOINED = 8, MOST_LEVELS = 40, NONE = -1, LARGE = 1 << 18, REGIONS = 32, PARENTS = 1 << 9 };

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
    const int64_t n_regions = fine->graph.n < LARGE ? 1 : REGIONS;
    mplan_status status = mplan_clusters_grow(fine, size, n_regions, h->parent[l], &n_clusters,
                                              context, err);
    if (status)
        return status;
    if (n_clusters > fine->graph.n / 2)
        n_clusters = join_in_order(fine->graph.n, h->parent[l]);
    status = mplan_clusters_contract(fine, h->parent[l], n_clusters, &h->level[l + 1],
                                     mplan_team_of(context), err);
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

/* One level on its way down. Ranks are places in the order of the level. A vertex that is not placed yet has -1 - the first rank of its
 * parent in place of one. */
typedef struct descent {
    const mplan_cluster_graph *graph;
    const int32_t *parent;
    int32_t *rank;             /* per vertex */
    int32_t n_parents, *order; /* parents by rank */
    int64_t *begin,
        *first; /* n_parents + 1: members of each parent; first rank of the children of order[i] */
    int32_t *members;
    int64_t n_pieces;
} descent;

/* The children of one parent that are being placed: ranks [first, end), of which the next is `placed`; the parent behind it has those
 * up to `next_end`. */
typedef struct brood {
    int64_t n, first, placed, end, next_end;
    const int32_t *children;
} brood;

/* How near the children are to what is placed: the weight of neighbours times 4 when placed last, times 2 among the last n, else as it
 * is; less that of those in the parent that comes next. Of a piece that other threads place there is the first rank of the parent, or
 * the rank. A child's row is read once, before any of them is placed: what changes while they are is `beside`. */
typedef struct nearness {
    int64_t sum[MPLAN_CLUSTER_MEMBERS],
        total[MPLAN_CLUSTER_MEMBERS]; /* total: weight of all neighbours */
    /* per child n of the n ranks before the first, then n of the children */
    int64_t beside[MPLAN_CLUSTER_MEMBERS * 2 * MPLAN_CLUSTER_MEMBERS];
    int32_t at_rank[MPLAN_CLUSTER_MEMBERS]; /* which child has rank first + i; of those that are placed */
} nearness;

/* Which child v is. Children ascend. */
static inline int64_t child_of(const brood *b, int32_t v)
{
    int64_t begin = 0, end = b->n;
    while (end - begin > 1) {
        const int64_t middle = (begin + end) / 2;
        if (b->children[middle] <= v)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

/* The row of child k, when none is placed. */
static void read_child(const descent *d, const brood *b, int64_t k, nearness *near)
{
    const mplan_csr *graph = &d->graph->graph;
    const int32_t v = b->children[k];
    int64_t sum = 0, total = 0, *beside = near->beside + 2 * b->n * k;
    memset(beside, 0, (size_t)(2 * b->n) * sizeof *beside);
    for (int64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
        const int32_t w = graph->neighbours[e], rank = mplan_peek(&d->rank[w]);
        const int64_t weight = mplan_cluster_weight(d->graph, e),
                      at = rank >= 0 ? rank : -1 - (int64_t)rank;
        const int64_t age = b->first - at;
        total += weight;
        if (age > 0) {
            sum += weight * (age == 1 ? 4 : age <= b->n ? 2 : 1);
            if (age <= b->n)
                beside[b->n - age] += weight;
        } else if (age == 0)
            beside[b->n + child_of(b, w)] += weight;
        else if (at >= b->end && at < b->next_end)
            sum -= weight;
    }
    near->sum[k] = sum;
    near->total[k] = total;
}

/* The weight between child k and what has rank first + i, at most n before the first. */
static inline int64_t weight_at(const brood *b, const nearness *near, int64_t k, int64_t i)
{
    return near->beside[2 * b->n * k + b->n + (i < 0 ? i : near->at_rank[i])];
}

/* Child `placed` has the next rank: it counts 4 times, who was last 2 times, and who is no longer among the last n once. */
static void place_child(brood *b, nearness *near, int64_t child)
{
    const int64_t last = b->placed++ - b->first;
    near->at_rank[last] = (int32_t)child;
    for (int64_t k = 0; k < b->n; k++)
        near->sum[k] += 4 * weight_at(b, near, k, last) - 2 * weight_at(b, near, k, last - 1) -
                        weight_at(b, near, k, last - b->n);
}

/* The children of parent order[i], none of them placed yet. */
static brood brood_of(const descent *d, int64_t i)
{
    const int32_t p = d->order[i];
    return (brood){.n = d->first[i + 1] - d->first[i],
                   .first = d->first[i],
                   .placed = d->first[i],
                   .end = d->first[i + 1],
                   .next_end = d->first[i + 1 < d->n_parents ? i + 2 : i + 1],
                   .children = d->members + d->begin[p]};
}

/* Places the children of one parent, at most MPLAN_CLUSTER_MEMBERS, one after the other: that with the largest share of its weight
 * near first, ties by index. */
static void place_children(const descent *d, int64_t i)
{
    brood b = brood_of(d, i);
    nearness near;
    assert(b.n <= MPLAN_CLUSTER_MEMBERS);
    if (b.n == 1) {
        mplan_poke(&d->rank[b.children[0]], (int32_t)b.first);
        return;
    }
    for (int64_t k = 0; k < b.n; k++)
        read_child(d, &b, k, &near);
    while (b.placed < b.end) {
        int64_t best = NONE;
        double best_share = 0;
        for (int64_t k = 0; k < b.n; k++) {
            if (d->rank[b.children[k]] >= 0)
                continue;
            const double share = near.total[k] ? (double)near.sum[k] / (double)near.total[k] : 0;
            if (best == NONE || share > best_share) {
                best = k;
                best_share = share;
            }
        }
        mplan_poke(&d->rank[b.children[best]], (int32_t)b.placed);
        place_child(&b, &near, best);
    }
}

/* Places the children of a parent again. How many of the last ranks, of how many in `same` before, are as they were. */
static int64_t place_again(const descent *d, int64_t i, int64_t same)
{
    const brood b = brood_of(d, i);
    int32_t before[MPLAN_CLUSTER_MEMBERS];
    assert(b.n <= MPLAN_CLUSTER_MEMBERS);
    for (int64_t k = 0; k < b.n; k++) {
        before[k] = d->rank[b.children[k]];
        d->rank[b.children[k]] = (int32_t)(-1 - b.first);
    }
    place_children(d, i);
    for (int64_t k = 0; k < b.n; k++)
        if (d->rank[b.children[k]] != before[k])
            return 0;
    return same + b.n;
}

/* Nobody's children are placed. */
static void forget_ranks(void *data, int thread, int64_t begin, int64_t end)
{
    const descent *d = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        for (int64_t k = d->begin[d->order[i]]; k < d->begin[d->order[i] + 1]; k++)
            d->rank[d->members[k]] = (int32_t)(-1 - d->first[i]);
}

/* Asks for what the children of parents that follow in the order will want: the list of children, then where their rows begin,
 * then the rows, then the ranks in them. */
static inline void fetch_children(const descent *d, int64_t i, int64_t end)
{
    const mplan_csr *graph = &d->graph->graph;
    const int32_t *order = d->order, *members = d->members;
    const int64_t *begin = d->begin;
    if (i + 5 >= end)
        return;
    mplan_fetch(begin + order[i + 5]);
    mplan_fetch(members + begin[order[i + 4]]);
    for (int64_t k = begin[order[i + 3]]; k < begin[order[i + 3] + 1]; k++)
        mplan_fetch(graph->offsets + members[k]);
    for (int64_t k = begin[order[i + 2]]; k < begin[order[i + 2] + 1]; k++)
        mplan_fetch(graph->neighbours + graph->offsets[members[k]]);
    for (int64_t k = begin[order[i + 1]]; k < begin[order[i + 1] + 1]; k++)
        for (int64_t e = graph->offsets[members[k]]; e < graph->offsets[members[k] + 1]; e++)
            mplan_fetch(d->rank + graph->neighbours[e]);
}

static void place_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const descent *d = data;
    (void)thread;
    for (int64_t k = begin; k < end; k++) {
        const int64_t last = mplan_piece_begin(d->n_parents, d->n_pieces, k + 1);
        for (int64_t i = mplan_piece_begin(d->n_parents, d->n_pieces, k); i < last; i++) {
            fetch_children(d, i, last);
            place_children(d, i);
        }
    }
}

/* Children look at ranks that are at most MPLAN_CLUSTER_MEMBERS smaller, of all others they only ask who is placed. So ranks of a piece are
 * those of one piece once so many in front of them are, and could be wrong about another piece only in the first two times as many. */
static void mend_piece(const descent *d, int64_t k)
{
    const int64_t begin = mplan_piece_begin(d->n_parents, d->n_pieces, k);
    int64_t same = 0;
    for (int64_t i = begin;
         i < d->n_parents &&
         (same < MPLAN_CLUSTER_MEMBERS || d->first[i] - d->first[begin] < 2 * MPLAN_CLUSTER_MEMBERS);
         i++)
        same = place_again(d, i, same);
}

/* From the ranks of the parents to those of a level: parents in their order, and the
 * children of one, which follow one another, by nearness. */
static mplan_status descend(descent *d, const int32_t *parent_rank, mplan_team *team, mplan_error *err)
{
    d->order = mplan_alloc(d->n_parents, sizeof *d->order, err);
    d->first = mplan_alloc((int64_t)d->n_parents + 1, sizeof *d->first, err);
    mplan_status status = d->order && d->first
                              ? mplan_clusters_list(d->graph->graph.n, d->parent, d->n_parents,
                                                    &d->begin, &d->members, err)
                              : MPLAN_ERR_MEMORY;
    if (!status) {
        for (int32_t p = 0; p < d->n_parents; p++)
            d->order[parent_rank[p]] = p;
        d->first[0] = 0;
        for (int32_t i = 0; i < d->n_parents; i++)
            d->first[i + 1] = d->first[i] + d->begin[d->order[i] + 1] - d->begin[d->order[i]];
        d->n_pieces = mplan_pieces(team, d->n_parents, PARENTS);
        mplan_for(team, d->n_parents, PARENTS, forget_ranks, d);
        mplan_for(team, d->n_pieces, 1, place_pieces, d);
        for (int64_t k = 1; k < d->n_pieces; k++)
            mend_piece(d, k);
    }
    free(d->begin);
    free(d->members);
    free(d->order);
    free(d->first);
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
        descent d = {.graph = &h->level[l],
                     .parent = h->parent[l],
                     .rank = rank,
                     .n_parents = (int32_t)h->level[l + 1].graph.n};
        status = rank ? mplan_interrupted(context, err) : MPLAN_ERR_MEMORY;
        if (!status)
            status = descend(&d, above, mplan_team_of(context), err);
        free(above);
        above = l ? rank : NULL;
    }
    free(above);
    return status;
}

/* The hierarchy is built upwards and then walked down: the clusters of every level are
 * put into an order, coarsest first, and the vertices of the finest one give the
 * places. */
static mplan_status order_all(const mplan_csr *graph, int32_t *new_of_old,
                              const mplan_context *context, mplan_error *err)
{
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

/* Neighbours of all components count from the first vertex of all. */
static void count_from_first(mplan_components *parts)
{
    for (int64_t c = 1; c < parts->n; c++)
        for (int64_t k = parts->graph.offsets[parts->first[c]];
             k < parts->graph.offsets[parts->first[c + 1]]; k++)
            parts->graph.neighbours[k] += (int32_t)parts->first[c];
}

mplan_status mplan_order_agglomerate(const mplan_csr *graph, int32_t *new_of_old,
                                     const mplan_context *context, mplan_error *err)
{
    assert(graph && new_of_old);
    if (graph->n < LARGE)
        return order_all(graph, new_of_old, context, err);
    mplan_components parts;
    int32_t *place = NULL;
    mplan_status status = mplan_components_make(graph, NULL, 0, &parts, mplan_team_of(context), err);
    if (status)
        return status;
    count_from_first(&parts);
    status = order_all(&parts.graph, new_of_old, context, err);
    if (!status) {
        place = mplan_copy(new_of_old, graph->n, sizeof *place, err);
        status = place ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < graph->n && !status; i++)
        new_of_old[parts.member[i]] = place[i];
    free(place);
    mplan_components_free(&parts);
    return status;
}
