/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_ptscotch.c - PT-SCOTCH cuts a graph that is spread over ranks
 *
 * C. Chevalier and F. Pellegrini, "PT-Scotch: a tool for efficient parallel graph ordering", Parallel Computing 34 (2008), and the
 * PT-Scotch user's guide, version 7.0. More ranks than some make its cuts no better and its work longer, so that a few of them get
 * the graph. It has returned success with empty parts (27 cells into 64): what it answers is looked over, and parts that are
 * empty get a vertex; the caller makes parts lighter that weigh too much. */
#include "mpi/mpi_ptscotch.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#ifdef MPLAN_HAVE_PTSCOTCH
#include <ptscotch.h>
#endif

enum { CUT_RANKS = 16 };

int32_t mpi_ptscotch_ranks(int32_t wanted, int32_t ranks, int64_t vertices)
{
    int64_t n = wanted > 0 ? wanted : CUT_RANKS;
    n = n < ranks ? n : ranks;
    n = n < vertices ? n : vertices;
    return n > 1 ? (int32_t)n : 1;
}

#ifndef MPLAN_HAVE_PTSCOTCH
bool mpi_has_ptscotch(void)
{
    return false;
}

const char *mpi_ptscotch_version(void)
{
    return "";
}

void mpi_ptscotch_name(int32_t cut_ranks, char *name, size_t size)
{
    (void)cut_ranks;
    snprintf(name, size, "native");
}

mplan_status mpi_ptscotch(const mpi_graph *graph, const mpi_ptscotch_options *options,
                          int32_t *part, mplan_error *err)
{
    (void)graph;
    (void)options;
    (void)part;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "this build has not libptscotch");
}
#else
_Static_assert(sizeof(SCOTCH_Num) == sizeof(int64_t), "the build of SCOTCH with 64 bits");

bool mpi_has_ptscotch(void)
{
    return true;
}

/* Numbers of the header as a text. */
#define TEXT_OF(number) #number
#define VERSION_OF(a, b, c) TEXT_OF(a) "." TEXT_OF(b) "." TEXT_OF(c)
const char *mpi_ptscotch_version(void)
{
    return VERSION_OF(SCOTCH_VERSION, SCOTCH_RELEASE, SCOTCH_PATCHLEVEL);
}

void mpi_ptscotch_name(int32_t cut_ranks, char *name, size_t size)
{
    snprintf(name, size, "ptscotch-%s-64-%d", mpi_ptscotch_version(), (int)cut_ranks);
}

/* --- the graph on the ranks that cut ------------------------------------------------------------------ */

/* Vertices that a rank has for the cut: in ranges of all, ascending. */
typedef struct share {
    int64_t n, n_edges;
    int64_t *offsets, *weight, *neighbours, *edge;
} share;

static void free_share(share *s)
{
    free(s->offsets);
    free(s->weight);
    free(s->neighbours);
    free(s->edge);
    *s = (share){0};
}

/* Words of each vertex for the rank that cuts it: weight, n, then number and edge of n neighbours, in the order of vertices, and so
 * of ranks. counts: out, words for each rank. */
static mplan_status list_words(const mpi_graph *g, int32_t cut_ranks, mplan_vector *words,
                               int64_t *counts, mplan_error *err)
{
    const int64_t total = mpi_graph_total(g);
    for (int64_t v = 0, r = 0; v < g->n; v++) {
        const int64_t number = g->first[g->rank] + v, n = g->offsets[v + 1] - g->offsets[v];
        int64_t *w = mplan_vector_reserve(words, 2 + 2 * n, err);
        if (!w)
            return MPLAN_ERR_MEMORY;
        while (number >= mpi_range_first(total, cut_ranks, (int32_t)r + 1))
            r++;
        w[0] = g->weight[v];
        w[1] = n;
        for (int64_t i = 0; i < n; i++) {
            w[2 + 2 * i] = mpi_graph_number(g, g->neighbours[g->offsets[v] + i]);
            w[3 + 2 * i] = mpi_graph_edge(g, g->offsets[v] + i);
        }
        words->count += 2 + 2 * n;
        counts[r] += 2 + 2 * n;
    }
    return MPLAN_OK;
}

/* n: vertices of this rank, which the words are of. */
static mplan_status take_words(int64_t n, const mpi_items *words, share *out, mplan_error *err)
{
    const int64_t *w = words->data, edges = (words->n - 2 * n) / 2;
    *out = (share){.n = n,
                   .n_edges = edges,
                   .offsets = mplan_alloc_zero(n + 1, sizeof *out->offsets, err),
                   .weight = mplan_alloc(n, sizeof *out->weight, err),
                   .neighbours = mplan_alloc(edges, sizeof *out->neighbours, err),
                   .edge = mplan_alloc(edges, sizeof *out->edge, err)};
    if (!out->offsets || !out->weight || !out->neighbours || !out->edge)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0, at = 0; v < n; v++) {
        const int64_t degree = w[1];
        out->weight[v] = w[0];
        for (int64_t i = 0; i < degree; i++, at++) {
            out->neighbours[at] = w[2 + 2 * i];
            out->edge[at] = w[3 + 2 * i];
        }
        out->offsets[v + 1] = at;
        w += 2 + 2 * degree;
    }
    return MPLAN_OK;
}

/* --- the library --------------------------------------------------------------------------------------- */

/* Whether all ranks have done a step: one that failed for itself must not keep the others waiting in the next one. */
static bool by_all(MPI_Comm comm, bool mine)
{
    int own = mine, all = 0;
    mpi_allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm);
    return all != 0;
}

/* What a cut needs, and how much of it there is. */
typedef struct library {
    SCOTCH_Context context;
    SCOTCH_Dgraph bound;
    SCOTCH_Strat strategy;
    bool with_context, with_bound, with_strategy;
} library;

static void close_library(library *l)
{
    if (l->with_strategy)
        SCOTCH_stratExit(&l->strategy);
    if (l->with_bound)
        SCOTCH_dgraphExit(&l->bound);
    if (l->with_context)
        SCOTCH_contextExit(&l->context);
}

/* One thread a rank: the library's threads would call MPI at once, which is not begun for that, and wait for ever. Its random
 * numbers begin anew, so that the same graph gets the same parts. Waits for no other rank. *l: to be closed also after a failure. */
static bool open_library(library *l, SCOTCH_Dgraph *graph, int ranks, int32_t n_parts,
                         double imbalance)
{
    const double above = imbalance - 1 > 0.001 ? imbalance - 1 : 0.001;
    *l = (library){.with_context = false};
    l->with_context = !SCOTCH_contextInit(&l->context);
    if (!l->with_context ||
        SCOTCH_contextOptionSetNum(&l->context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) ||
        SCOTCH_contextThreadSpawn(&l->context, 1, NULL) || SCOTCH_contextRandomClone(&l->context))
        return false;
    SCOTCH_contextRandomReset(&l->context);
    l->with_bound = !SCOTCH_dgraphInit(&l->bound, MPI_COMM_SELF);
    if (!l->with_bound || SCOTCH_contextBindDgraph(&l->context, graph, &l->bound))
        return false;
    l->with_strategy = !SCOTCH_stratInit(&l->strategy);
    return l->with_strategy &&
           !SCOTCH_stratDgraphMapBuild(&l->strategy, SCOTCH_STRATDEFAULT, ranks, n_parts, above);
}

/* The cut of a graph that is built. All ranks of comm call it, and get the same answer. */
static bool cut_built(MPI_Comm comm, SCOTCH_Dgraph *graph, int32_t n_parts, double imbalance,
                      int64_t *part)
{
    library l;
    int ranks;
    MPI_Comm_size(comm, &ranks);
    const bool done = by_all(comm, open_library(&l, graph, ranks, n_parts, imbalance)) &&
                      by_all(comm, !SCOTCH_dgraphPart(&l.bound, n_parts, &l.strategy, part));
    close_library(&l);
    return done;
}

/* The vertices of one node, which are a graph of their own, into as many parts each. node: of each vertex; part: out, of those
 * of this node, within it; list: scratch, n. A rank may have none of them. Where there are no more vertices than parts each gets one
 * of its own. All ranks of comm call it. */
static bool cut_node(MPI_Comm comm, SCOTCH_Dgraph *graph, const share *s, const int64_t *node,
                     int64_t which, const mpi_ptscotch_options *how, int64_t *list, int64_t *part)
{
    SCOTCH_Dgraph piece;
    int64_t n = 0;
    bool done = true;
    for (int64_t v = 0; v < s->n; v++)
        n += node[v] == which;
    if (mpi_sum(comm, n) <= how->n_parts / how->nodes) {
        const int64_t before = mpi_sum_before(comm, n);
        for (int64_t i = 0; i < n; i++)
            list[i] = before + i;
    } else {
        const bool begun = !SCOTCH_dgraphInit(&piece, comm);
        done = by_all(comm, begun) &&
               by_all(comm, !SCOTCH_dgraphInducePart(graph, node, which, n, &piece)) &&
               cut_built(comm, &piece, how->n_parts / how->nodes, 1 + (how->imbalance - 1) / 2, list);
        if (begun)
            SCOTCH_dgraphExit(&piece);
    }
    for (int64_t v = 0, i = 0; v < s->n && done; v++)
        if (node[v] == which)
            part[v] = list[i++];
    return done;
}

/* Nodes first, then each into its parts: both with half of the imbalance that is allowed. PT-SCOTCH 7.0 cannot map a graph to a
 * tree at once. node, list: scratch, n each. */
static bool cut_nodes(MPI_Comm comm, SCOTCH_Dgraph *graph, const share *s,
                      const mpi_ptscotch_options *how, int64_t *node, int64_t *list, int64_t *part)
{
    bool done = cut_built(comm, graph, how->nodes, 1 + (how->imbalance - 1) / 2, node);
    for (int64_t q = 0; q < how->nodes && done; q++)
        done = cut_node(comm, graph, s, node, q, how, list, part);
    for (int64_t v = 0; v < s->n && done; v++)
        part[v] += node[v] * (how->n_parts / how->nodes);
    return done;
}

/* On the ranks of comm only, all of which call it. part: out, of the share's vertices; scratch: 2 n, of a cut for nodes. */
static bool run_library(MPI_Comm comm, share *s, const mpi_ptscotch_options *how, int64_t *scratch,
                        int64_t *part)
{
    SCOTCH_Dgraph graph;
    const bool begun = !SCOTCH_dgraphInit(&graph, comm);
    bool done = by_all(comm, begun) &&
                by_all(comm, !SCOTCH_dgraphBuild(&graph, 0, s->n, s->n, s->offsets, s->offsets + 1,
                                                 s->weight, NULL, s->n_edges, s->n_edges,
                                                 s->neighbours, NULL, s->edge));
    if (done)
        done = how->nodes > 1 ? cut_nodes(comm, &graph, s, how, scratch, scratch + s->n, part)
                              : cut_built(comm, &graph, how->n_parts, how->imbalance, part);
    if (begun)
        SCOTCH_dgraphExit(&graph);
    return done;
}

/* The first how->cut_ranks ranks cut what they have; others wait. parts: out, of the share's vertices. */
static mplan_status cut_shares(const mpi_graph *g, const mpi_ptscotch_options *how, share *s,
                               int64_t *scratch, int64_t *parts, mplan_error *err)
{
    MPI_Comm cutters;
    mplan_status status = MPLAN_OK;
    MPI_Comm_split(g->comm, g->rank < how->cut_ranks ? 0 : MPI_UNDEFINED, g->rank, &cutters);
    if (cutters != MPI_COMM_NULL) {
        if (!run_library(cutters, s, how, scratch, parts))
            status = mplan_fail(err, MPLAN_ERR_PARTITIONER, "PT-SCOTCH failed on %d ranks",
                                (int)how->cut_ranks);
        MPI_Comm_free(&cutters);
    }
    for (int64_t v = 0; v < s->n && !status; v++)
        if (parts[v] < 0 || parts[v] >= how->n_parts)
            status = mplan_fail(err, MPLAN_ERR_PARTITIONER,
                                "PT-SCOTCH gave a vertex the part %lld of %d", (long long)parts[v],
                                (int)how->n_parts);
    return mpi_agree(g->comm, status, err);
}

/* --- its answer ------------------------------------------------------------------------------------------- */

/* Back to the ranks that have the vertices, which lie in the order of ranks. */
static mplan_status return_parts(const mpi_graph *g, int64_t first, const share *s,
                                 const int64_t *parts, int32_t *part, mplan_error *err)
{
    mpi_items got = {0};
    int64_t *counts = mplan_alloc_zero(g->ranks, sizeof *counts, err);
    for (int64_t v = 0; v < s->n && counts; v++)
        counts[mpi_rank_of(g->first, g->ranks, first + v)]++;
    mplan_status status = mpi_exchange(g->comm, counts ? MPLAN_OK : MPLAN_ERR_MEMORY, sizeof *parts,
                                       parts, counts, &got, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        part[v] = (int32_t)((const int64_t *)got.data)[v];
    mpi_items_free(&got);
    free(counts);
    return status;
}

/* Each empty part gets the first vertex of the part with most vertices; there are as many vertices as parts. */
static mplan_status fill_parts(const mpi_graph *g, int32_t n_parts, int32_t *part, mplan_error *err)
{
    int64_t *count = mplan_alloc_zero(n_parts, sizeof *count, err);
    mplan_status status = mpi_agree(g->comm, count ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int64_t v = 0; v < g->n && !status; v++)
        count[part[v]]++;
    if (!status)
        mpi_allreduce(MPI_IN_PLACE, count, n_parts, MPI_INT64_T, MPI_SUM, g->comm);
    for (int32_t p = 0; p < n_parts && !status; p++) {
        int32_t from = 0;
        int64_t own = 0;
        if (count[p] > 0)
            continue;
        for (int32_t q = 1; q < n_parts; q++)
            from = count[q] > count[from] ? q : from;
        while (own < g->n && part[own] != from)
            own++;
        const int64_t least = own < g->n ? g->first[g->rank] + own : INT64_MAX;
        if (-mpi_most(g->comm, -least) == least && own < g->n)
            part[own] = p;
        count[from]--;
        count[p]++;
    }
    free(count);
    return status;
}

mplan_status mpi_ptscotch(const mpi_graph *graph, const mpi_ptscotch_options *options,
                          int32_t *part, mplan_error *err)
{
    assert(graph && options && part && options->n_parts >= 1);
    assert(mpi_graph_total(graph) >= options->n_parts);
    const int32_t cut_ranks = options->cut_ranks;
    assert(cut_ranks >= 1 && cut_ranks <= graph->ranks);
    assert(options->nodes <= 1 || options->n_parts % options->nodes == 0);
    const int64_t total = mpi_graph_total(graph);
    const bool cuts = graph->rank < cut_ranks;
    const int64_t first = cuts ? mpi_range_first(total, cut_ranks, graph->rank) : 0;
    const int64_t n = cuts ? mpi_range_first(total, cut_ranks, graph->rank + 1) - first : 0;
    mplan_vector words = MPLAN_VECTOR_INIT(sizeof(int64_t));
    mpi_items got = {0};
    share own = {0};
    int64_t *parts = NULL, *counts = mplan_alloc_zero(graph->ranks, sizeof *counts, err);
    mplan_status status = counts ? list_words(graph, cut_ranks, &words, counts, err)
                                 : MPLAN_ERR_MEMORY;
    status = mpi_exchange(graph->comm, status, sizeof(int64_t), words.data, counts, &got, err);
    free(words.data);
    free(counts);
    if (!status)
        status = take_words(n, &got, &own, err);
    mpi_items_free(&got);
    /* parts, and room to cut for nodes */
    if (!status && !(parts = mplan_alloc(options->nodes > 1 ? 3 * n : n, sizeof *parts, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(graph->comm, status, err);
    if (!status)
        status = cut_shares(graph, options, &own, parts + n, parts, err);
    if (!status)
        status = return_parts(graph, first, &own, parts, part, err);
    if (!status)
        status = fill_parts(graph, options->n_parts, part, err);
    free_share(&own);
    free(parts);
    return status;
}
#endif
