/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_graph.h - a graph whose vertices are dealt out to ranks, as the steps of the cut share it
 *
 * mpi_order.c    the order that vertices are numbered by
 * mpi_transpose.c  maps the other way round
 * mpi_graph.c    graphs of the members of a set
 * mpi_coarsen.c  pairs of neighbours
 * mpi_contract.c  the coarser graph of pairs
 * mpi_strip.c    moves between two parts, on one rank
 * mpi_borders.c  which parts are neighbours, and who is near
 * mpi_refine.c   moves between all pairs of neighbouring parts
 * mpi_together.c  groups of members as one vertex, and what members weigh
 * mpi_cut.c      the cut */
#ifndef MPLAN_MPI_GRAPH_H
#define MPLAN_MPI_GRAPH_H

#include "mpi/exchange.h"
#include "mpi/mpi_ids.h"
#include "mpi/mesh_parts.h"

/* Rank r has vertices [first[r], first[r + 1]). Edges are undirected, and both of their ends list them. A neighbour is named by
 * its place on this rank: below n one of its own vertices, above a vertex of another rank, ghost[place - n]. */
typedef struct mpi_graph {
    MPI_Comm comm;
    int32_t rank, ranks;
    int64_t *first; /* ranks + 1 */
    int64_t n;      /* own vertices */
    int64_t n_ghosts;
    int64_t *ghost;      /* their numbers, ascending */
    int64_t *offsets;    /* n + 1 */
    int32_t *neighbours; /* offsets[n] */
    int32_t *edge;       /* weights of the edges, 1 and more; NULL: all are 1 */
    int64_t *weight;     /* n + n_ghosts, of vertices */
    mpi_links links;     /* of the ghosts */
} mpi_graph;
void mpi_graph_free(mpi_graph *graph); /* and zeroes it; not collective */

static inline int64_t mpi_graph_total(const mpi_graph *graph)
{
    return graph->first[graph->ranks];
}
/* The number of the vertex at a place. */
static inline int64_t mpi_graph_number(const mpi_graph *graph, int64_t place)
{
    return place < graph->n ? graph->first[graph->rank] + place : graph->ghost[place - graph->n];
}
/* The place of a number, which this rank has or is among its ghosts; finder: of graph->ghost. */
static inline int32_t mpi_graph_place(const mpi_graph *graph, const mpi_finder *finder, int64_t number)
{
    const int64_t own = number - graph->first[graph->rank];
    return (int32_t)(own >= 0 && own < graph->n ? own : graph->n + mpi_find(finder, number));
}
/* The weight of edge i of the list of all edges. */
static inline int32_t mpi_graph_edge(const mpi_graph *graph, int64_t i)
{
    return graph->edge ? graph->edge[i] : 1;
}
/* values: n + n_ghosts of `size` bytes; those of ghosts are brought up to date. Collective. */
mplan_status mpi_graph_fetch(const mpi_graph *graph, mplan_status status, size_t size, void *values,
                             mplan_error *err);

/* Of each point of this rank the numbers of the rows that name it, ascending and each once. number: of each own row, NULL: its own
 * one. offsets and lists: the caller's, also after a failure. Collective. */
mplan_status mpi_transpose(const mpi_mesh *mesh, const mpi_map *map, const int64_t *number,
                           int64_t **offsets, int64_t **lists, mplan_error *err);

/* The order of a set: position: out, of each member of this rank its place in the order; first: out, ranks + 1, the places that
 * each rank is to have. Along a Hilbert curve where the set, or a set that a map leads to from it, has coordinates, ties by
 * number; else by number. */
mplan_status mpi_order_members(const mpi_mesh *mesh, int32_t set, int64_t *position, int64_t *first,
                               mplan_error *err);

/* The graph that mpi_cut describes; its vertices are the members in the order above. All weights are 1. Release *graph also after
 * a failure. */
mplan_status mpi_graph_make(const mpi_mesh *mesh, int32_t set, int32_t n_maps, const int32_t *maps,
                            const int64_t *position, const int64_t *first, mpi_graph *graph,
                            mplan_error *err);
/* MPLAN_ERR_UNSUPPORTED where a rank has 2^31 vertices and ghosts, and more. Not collective. */
mplan_status mpi_check_places(int32_t rank, int64_t own, int64_t others, mplan_error *err);
/* Makes a graph whole that has all but links and weights of ghosts; there is room for these. Collective. */
mplan_status mpi_graph_open(mpi_graph *graph, mplan_status status, mplan_error *err);

/* Values of numbers in any order, each as often as it is there, of a set with ranges `first`. own: values of `size` bytes of the
 * numbers that this rank has, by place from first[rank]; out: n of them. status: a fault that this rank met before. Collective. */
mplan_status mpi_fetch_values(MPI_Comm comm, mplan_status status, const int64_t *first, int64_t n,
                              const int64_t *numbers, size_t size, const void *own, void *out,
                              mplan_error *err);
/* Before the graph is made: members of a group, in [0, n_groups), get one place, that of the first of them, and places that are left
 * over are taken out. position: of the n members of this rank, and first: in and out. Edges between groups count once. Collective,
 * as the next two. */
mplan_status mpi_together(MPI_Comm comm, int64_t n_groups, int64_t n, const int64_t *group,
                          int64_t *position, int64_t *first, mplan_error *err);
/* After it: a vertex weighs what its members do. weight: of the n members of this rank; NULL: 1 each. */
mplan_status mpi_graph_weigh(mpi_graph *graph, int64_t n, const int64_t *position,
                             const int64_t *weight, mplan_error *err);
/* All vertices of all ranks; *heaviest: one of them. */
int64_t mpi_graph_weight(const mpi_graph *graph, int64_t *heaviest);

/* A coarser graph: pairs of neighbours become one vertex, but for pairs above `most` in weight. coarse: out, of each own vertex
 * the place in `smaller` of the one that it is in. Equal for any number of ranks. */
mplan_status mpi_graph_coarsen(const mpi_graph *graph, int64_t most, int32_t *coarse,
                               mpi_graph *smaller, mplan_error *err);
/* The same for pairs that are known: mate: of each own vertex the number of the other one, -1: it has none. */
mplan_status mpi_graph_contract(const mpi_graph *graph, const int64_t *mate, int32_t *coarse,
                                mpi_graph *smaller, mplan_error *err);

/* A part of each vertex, own ones and ghosts, and what all parts weigh together. */
typedef struct mpi_parted {
    const mpi_graph *graph;
    int32_t n_parts;
    int64_t most;   /* that a part should weigh */
    int32_t *part;  /* n + n_ghosts */
    int64_t *weigh; /* [part], on every rank */
} mpi_parted;
/* Moves vertices between neighbouring parts: fewer edges between parts, and parts above `most` become lighter. sweeps over all
 * pairs, at most. Equal for any number of ranks. */
mplan_status mpi_refine(mpi_parted *parted, int32_t sweeps, mplan_error *err);

/* Vertices near the border of two parts, on the rank that moves them. Words: of each vertex strip_words, then two a neighbour. */
enum {
    STRIP_PAIR, /* in the list of the round */
    STRIP_NUMBER,
    STRIP_WEIGHT,
    STRIP_SIDE, /* 0 or 1 */
    STRIP_REST, /* weight of edges to vertices of side 0 that are not in the strip, then of side 1 */
    STRIP_N = STRIP_REST + 2, /* neighbours in the strip: number and weight of the edge of each */
    STRIP_WORDS
};
/* Moves of one pair. vertices: n_vertices pointers to their words, ascending by number; weigh: of both sides with all of their
 * vertices, in and out; side: out, of each. gain: out, weight of edges that no longer are between the sides. Not collective. */
mplan_status mpi_strip_refine(int64_t n_vertices, const int64_t *const *vertices, int64_t most,
                              int64_t weigh[2], uint8_t *side, int64_t *gain, mplan_error *err);

#endif
