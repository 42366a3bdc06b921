/* SPDX-License-Identifier: Apache-2.0 */
/* clusters.h - the vertices of a graph joined to clusters of about equal size
 *
 * What order/agglomerate.c takes from level to level. */
#ifndef MPLAN_CLUSTERS_H
#define MPLAN_CLUSTERS_H

#include "base/threads.h"
#include "mesh/adjacency.h"
#include "meshplan.h"

/* A graph of clusters of points. The finest one has a point in each vertex. */
typedef struct mplan_cluster_graph {
    mplan_csr graph;
    int32_t *weights; /* per neighbour: pairs of joined points, one in either; NULL: 1 each */
    int32_t *sizes;   /* per vertex: points in it; NULL: 1 each */
    bool borrowed;    /* graph is the caller's */
} mplan_cluster_graph;

/* Releases what it owns; zeroed ones are allowed. */
void mplan_cluster_graph_free(mplan_cluster_graph *graph);

static inline int64_t mplan_cluster_weight(const mplan_cluster_graph *graph, int64_t k)
{
    return graph->weights ? graph->weights[k] : 1;
}
static inline int64_t mplan_cluster_size(const mplan_cluster_graph *graph, int64_t v)
{
    return graph->sizes ? graph->sizes[v] : 1;
}

/* Puts every vertex into a cluster of about `size` points: at most 1.3 x size, unless one vertex has
 * more, and fewer where nothing joins on. cluster: out, per vertex, in [0, *n_clusters), in the order
 * in which they were grown; none is empty or has more than MPLAN_CLUSTER_MEMBERS vertices. They grow in so many regions of
 * consecutive vertices side by side, and at the end go over their borders by a pass; 1: as they would by one thread.
 * Linear time in the edges; scratch 28 bytes a vertex and 12 a cluster. */
enum { MPLAN_CLUSTER_MEMBERS = 64 };
mplan_status mplan_clusters_grow(const mplan_cluster_graph *graph, int64_t size, int64_t n_regions,
                                 int32_t *cluster, int32_t *n_clusters,
                                 const mplan_context *context, mplan_error *err);

/* The graph whose vertices are the clusters, by the threads of a team (NULL: by one). Linear time. */
mplan_status mplan_clusters_contract(const mplan_cluster_graph *graph, const int32_t *cluster,
                                     int32_t n_clusters, mplan_cluster_graph *coarse,
                                     mplan_team *team, mplan_error *err);

/* The vertices of each cluster: members[begin[c]] ... members[begin[c + 1] - 1], ascending.
 * begin: n_clusters + 1, members: n; both owned by the caller afterwards. */
mplan_status mplan_clusters_list(int64_t n, const int32_t *cluster, int32_t n_clusters,
                                 int64_t **begin, int32_t **members, mplan_error *err);

#endif
