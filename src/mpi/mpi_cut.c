/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_cut.c - a set that no rank holds is cut into parts, the same for any number of ranks
 *
 * Multilevel, as Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998), and in parallel as Holtgrewe, Sanders and
 * Schulz, IPDPS 2010: coarser and coarser graphs, the coarsest of which one rank cuts by recursive bisection, and
 * moves between pairs of parts on the way back. Where those let the result depend on ranks (matching inside of a
 * rank, random attempts), all is decided here by the graph only. Coordinates decide where vertices lie, not how
 * they are cut: flat cells are cut as well as others.
 *
 * Three ways to name a member of the set: its number in the mesh, its place in the order (mpi_order.c), which is
 * its number as a vertex of the finest graph, and its place on a rank. Functions are collective but where they say
 * otherwise: every rank runs the same levels, as sizes of whole graphs decide when to stop. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/mpi_graph.h"
#include "mpi/mpi_ptscotch.h"
#include "partition/bisect.h"
#include "partition/cut_into.h"

enum {
    COARSE = 256,        /* vertices a part of the graph that one rank cuts */
    LEAST_COARSE = 2048, /* of that graph, for few parts */
    FINE = 3,            /* levels, from the finest on, */
    FINE_SWEEPS = 1,     /* over whose borders we go so often; */
    SWEEPS = 2, /* over those of others: 0.4 % less volume at 64 parts of 257,250 tets than with one sweep */
    COARSE_SWEEPS = 3, /* and of the coarsest */
    MORE_SWEEPS = 8,   /* of the finest, while a part is too large */
    MOST_LEVELS = 64
};

/* A graph, and which vertex of the next each of its vertices is in. */
typedef struct level {
    mpi_graph graph;
    int32_t *coarse; /* [own vertex]: place in the next graph; NULL for the coarsest */
} level;

/* One cut. mpi_cut releases all of it, whatever was made. */
typedef struct cutting {
    const mpi_mesh *mesh;
    int32_t n_parts;
    double imbalance; /* what a part may weigh, as a multiple of the mean */
    int32_t nodes;    /* that are cut first; 0: none */
    int32_t *node; /* of own vertices of the level that is made last: the node that was found for each; NULL */
    int64_t total, heaviest; /* weight of all vertices, and of one */
    int64_t target;          /* vertices of the coarsest graph */
    int32_t n_levels;        /* graphs that there are, or that were begun */
    level levels[MOST_LEVELS];
    int32_t *part;  /* of own vertices of the level at hand */
    int64_t *weigh; /* [part], of the whole graph, on every rank */
} cutting;

/* --- coarser graphs ------------------------------------------------------------------------------------ */

/* A coarse vertex is on the node of its first vertex, which is on the same rank. As there are no edges between nodes, its others
 * are on that node, too, but where few vertices have neighbours, and others are paired. */
static mplan_status take_nodes(cutting *c, const level *fine, int64_t n, mplan_error *err)
{
    int32_t *node = mplan_alloc(n, sizeof *node, err);
    for (int64_t v = fine->graph.n - 1; v >= 0 && node; v--) /* the first of a pair comes last */
        if (fine->coarse[v] < n)
            node[fine->coarse[v]] = c->node[v];
    if (node) {
        free(c->node);
        c->node = node;
    }
    return mpi_agree(c->mesh->comm, node ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
}

/* Graphs from levels[0] to the first that is small enough, or where a step leaves more than 19 in 20.
 * levels[0].graph is there. most: what a pair may weigh, three times the mean vertex of the graph that is aimed at: no
 * coarse vertex becomes much heavier than others. */
static mplan_status make_levels(cutting *c, mplan_error *err)
{
    const int64_t most = 3 * (c->total / c->target) + 3 * (c->total % c->target) / c->target + 1;
    mplan_status status = MPLAN_OK;
    c->n_levels = 1;
    while (!status && c->n_levels < MOST_LEVELS) {
        level *last = &c->levels[c->n_levels - 1];
        const int64_t n = mpi_graph_total(&last->graph);
        if (n <= c->target)
            break;
        last->coarse = mplan_alloc(last->graph.n, sizeof *last->coarse, err);
        status = mpi_agree(c->mesh->comm, last->coarse ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
        if (!status)
            status = mpi_graph_coarsen(&last->graph, most, last->coarse, &last[1].graph, err);
        /* the same on all ranks: sizes are of whole graphs */
        c->n_levels++; /* what was made in part is released, too */
        if (!status && c->node)
            status = take_nodes(c, last, last[1].graph.n, err);
        if (!status && mpi_graph_total(&last[1].graph) > n / 20 * 19)
            break;
    }
    return status;
}

/* --- the coarsest graph ------------------------------------------------------------------------------- */

/* Words of each vertex on its way to the rank that cuts: weight, n, then number and edge of n neighbours. got: on
 * rank 0 the words of all vertices in the order of their numbers, as ranks have ascending ranges; to be released
 * by the caller also after a failure. */
static mplan_status gather_graph(const mpi_graph *g, mpi_items *got, mplan_error *err)
{
    mplan_vector words = MPLAN_VECTOR_INIT(sizeof(int64_t));
    mplan_status status = MPLAN_OK;
    for (int64_t v = 0; v < g->n && !status; v++) {
        const int64_t n = g->offsets[v + 1] - g->offsets[v];
        int64_t *w = mplan_vector_reserve(&words, 2 + 2 * n, err);
        if (!w) {
            status = MPLAN_ERR_MEMORY;
            break;
        }
        w[0] = g->weight[v];
        w[1] = n;
        for (int64_t i = 0; i < n; i++) {
            w[2 + 2 * i] = mpi_graph_number(g, g->neighbours[g->offsets[v] + i]);
            w[3 + 2 * i] = mpi_graph_edge(g, g->offsets[v] + i);
        }
        words.count += 2 + 2 * n;
    }
    if (!status && mpi_graph_total(g) >= INT32_MAX)
        status = mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                            "the coarsest graph has %lld vertices, more than one rank can cut",
                            (long long)mpi_graph_total(g));
    status = mpi_gather(g->comm, false, status, sizeof(int64_t), words.data, words.count, got, err);
    free(words.data);
    return status;
}

/* The same in one piece. Neighbours are in the order of their numbers, which no rank changes. On rank 0 only; n:
 * vertices of the whole graph, below 2^31. Of the words of all vertices two each are weight and n, the others are
 * two a neighbour. */
static mplan_status join_graph(int64_t n, const mpi_items *items, mplan_weighted *out,
                               mplan_error *err)
{
    const int64_t *w = items->data, edges = (items->n - 2 * n) / 2;
    *out = (mplan_weighted){.n = n,
                            .offsets = mplan_alloc_zero(n + 1, sizeof *out->offsets, err),
                            .neighbours = mplan_alloc(edges, sizeof *out->neighbours, err),
                            .edge = mplan_alloc(edges, sizeof *out->edge, err),
                            .weight = mplan_alloc(n, sizeof *out->weight, err)};
    if (!out->offsets || !out->neighbours || !out->edge || !out->weight)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0, at = 0; v < n; v++) {
        const int64_t degree = w[1];
        out->weight[v] = w[0];
        out->total += w[0];
        for (int64_t i = 0; i < degree; i++, at++) {
            out->neighbours[at] = (int32_t)w[2 + 2 * i];
            out->edge[at] = (int32_t)w[3 + 2 * i];
        }
        out->offsets[v + 1] = at;
        w += 2 + 2 * degree;
    }
    return MPLAN_OK;
}

/* The graph in one piece, on rank 0. node: NULL, or the node of each vertex: then each of them by itself, as partition/cut_into.c
 * does it. */
static mplan_status cut_gathered(const cutting *c, const mplan_weighted *all, const int32_t *node,
                                 int32_t *part, mplan_error *err)
{
    if (!node)
        return mplan_bisect_weighted(all, c->n_parts, c->imbalance, part, NULL, err);
    const int64_t n_edges = all->offsets[all->n];
    int64_t *edge = mplan_alloc(n_edges, sizeof *edge, err);
    if (!edge)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_edges; i++)
        edge[i] = all->edge[i];
    const mplan_csr graph = {all->n, all->offsets, all->neighbours};
    const mplan_cut_wishes wishes = {.n_constraints = 1, .weights = all->weight, .edge_weights = edge};
    const mplan_cut_into_options how = {.partitioner = MPLAN_PARTITIONER_NATIVE,
                                        .n_parts = c->n_parts,
                                        .nodes = c->nodes,
                                        .node = node,
                                        .imbalance = c->imbalance,
                                        .wishes = &wishes,
                                        .set = "vertices"};
    mplan_status status = mplan_partition_into(&graph, &how, part, NULL, NULL, err);
    free(edge);
    return status;
}

/* c->part of the coarsest level, from the rank that cut it. The graph that rank 0 gets is the same for any number
 * of ranks, and so are its parts. Every rank gets those of its own vertices; the array is the one that came, taken
 * over. */
static mplan_status cut_coarsest(cutting *c, mplan_error *err)
{
    const mpi_graph *g = &c->levels[c->n_levels - 1].graph;
    const int64_t n = mpi_graph_total(g);
    mpi_items words = {0}, nodes = {0}, got = {0};
    mplan_weighted all = {0};
    int32_t *part = NULL;
    int64_t *counts = NULL;
    mplan_status status = gather_graph(g, &words, err);
    if (!status && c->node)
        status = mpi_gather(g->comm, false, status, sizeof *c->node, c->node, g->n, &nodes, err);
    if (!status && !(counts = mplan_alloc_zero(g->ranks, sizeof *counts, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status && g->rank == 0) {
        status = join_graph(n, &words, &all, err);
        mpi_items_free(&words);
        if (!status && !(part = mplan_alloc(n, sizeof *part, err)))
            status = MPLAN_ERR_MEMORY;
        if (!status)
            status = cut_gathered(c, &all, c->node ? nodes.data : NULL, part, err);
        for (int32_t r = 0; r < g->ranks; r++)
            counts[r] = g->first[r + 1] - g->first[r];
    }
    /* `part` has the vertices of rank r from first[r] on, and so lies sorted by the rank that gets them */
    status = mpi_exchange(g->comm, status, sizeof *part, part, counts, &got, err);
    mpi_items_free(&words);
    mpi_items_free(&nodes);
    mplan_weighted_free(&all);
    free(part);
    free(counts);
    c->part = got.data;
    got.data = NULL;
    mpi_items_free(&got);
    return status;
}

/* --- back to finer graphs ------------------------------------------------------------------------------- */

/* c->part of the level above from that of the one below: each vertex gets the part of the coarse vertex that it is
 * in, which this rank has or knows as a ghost. The old array is freed; the new one has no room for ghosts yet. */
static mplan_status project(cutting *c, int32_t to, mplan_error *err)
{
    const level *fine = &c->levels[to];
    int32_t *part = mplan_alloc(fine->graph.n, sizeof *part, err);
    for (int64_t v = 0; part && v < fine->graph.n; v++)
        part[v] = c->part[fine->coarse[v]];
    free(c->part);
    c->part = part;
    return mpi_agree(c->mesh->comm, part ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
}

/* Coarse vertices may leave a part too large; on the finest level vertices are the lightest that there are. Not collective, and
 * equal on all ranks, as weigh is. */
static bool is_balanced(const cutting *c, int64_t most)
{
    for (int32_t p = 0; p < c->n_parts; p++)
        if (c->weigh[p] > most)
            return false;
    return true;
}

/* Moves on one level. weigh is that of the parts, which a finer level does not change.
 * c->part: of own vertices before; it gets longer here, by the ghosts, whose parts are fetched. most: the largest
 * weight of a part, by the imbalance, but never below the mean rounded up, or the heaviest vertex, which some part must have. */
static mplan_status refine_level(cutting *c, int32_t l, mplan_error *err)
{
    const mpi_graph *g = &c->levels[l].graph;
    const int64_t mean = c->total / c->n_parts + (c->total % c->n_parts > 0);
    const int64_t least = mean > c->heaviest ? mean : c->heaviest;
    const int64_t most = (int64_t)(c->imbalance * (double)c->total / c->n_parts);
    mpi_parted parted = {
        .graph = g, .n_parts = c->n_parts, .most = most > least ? most : least, .weigh = c->weigh};
    const int32_t sweeps = l == c->n_levels - 1 ? COARSE_SWEEPS : l < FINE ? FINE_SWEEPS : SWEEPS;
    /* after a failure c->part still has the old array, which mpi_cut frees */
    parted.part = mplan_realloc(c->part, g->n + g->n_ghosts, sizeof *parted.part, err);
    mplan_status status = parted.part ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (parted.part)
        c->part = parted.part;
    memset(c->weigh, 0, (size_t)c->n_parts * sizeof *c->weigh);
    for (int64_t v = 0; v < g->n; v++)
        c->weigh[c->part[v]] += g->weight[v];
    status = mpi_agree(g->comm, status, err);
    if (status)
        return status;
    mpi_allreduce(MPI_IN_PLACE, c->weigh, c->n_parts, MPI_INT64_T, MPI_SUM, g->comm);
    status = mpi_graph_fetch(g, status, sizeof *parted.part, parted.part, err);
    if (!status)
        status = mpi_refine(&parted, sweeps, err);
    /* only where vertices are the lightest, so that a part can become as light as it should be */
    for (int i = 0; i < MORE_SWEEPS && l == 0 && !status && !is_balanced(c, parted.most); i++)
        status = mpi_refine(&parted, 1, err);
    return status;
}

/* All levels. c->part: out, of levels[0] and its ghosts. A graph is freed as soon as the finer one has its parts. */
static mplan_status cut_levels(cutting *c, mplan_error *err)
{
    mplan_status status = make_levels(c, err);
    free(c->weigh);
    c->weigh = status ? NULL : mplan_alloc(c->n_parts, sizeof *c->weigh, err);
    if (!status && !c->weigh)
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(c->mesh->comm, status, err);
    if (!status)
        status = cut_coarsest(c, err);
    for (int32_t l = c->n_levels - 1; l >= 0 && !status; l--) {
        if (l < c->n_levels - 1) {
            status = project(c, l, err);
            mpi_graph_free(&c->levels[l + 1].graph);
        }
        if (!status)
            status = refine_level(c, l, err);
    }
    return status;
}

/* Edges between nodes are left out of the finest graph; node: of own vertices and ghosts. What was found for coarser graphs is
 * released. Not collective. */
static void part_nodes(cutting *c, const int32_t *node)
{
    mpi_graph *g = &c->levels[0].graph;
    int64_t to = 0;
    for (int64_t v = 0, i = 0; v < g->n; v++) {
        for (; i < g->offsets[v + 1]; i++) {
            if (node[g->neighbours[i]] != node[v])
                continue;
            g->neighbours[to] = g->neighbours[i];
            if (g->edge)
                g->edge[to] = g->edge[i];
            to++;
        }
        g->offsets[v + 1] = to;
    }
    for (int32_t l = 0; l < c->n_levels; l++) {
        free(c->levels[l].coarse);
        c->levels[l].coarse = NULL;
    }
    c->n_levels = 1;
}

/* For nodes first, on all levels; then each of these into its parts, on levels of its own, so that no move for the sake of parts
 * crosses the border of nodes. Parts at different nodes do not see each other. Of the imbalance nodes get half. */
static mplan_status cut_for_nodes(cutting *c, mplan_error *err)
{
    const int32_t n_parts = c->n_parts;
    const double imbalance = c->imbalance;
    c->n_parts = c->nodes;
    c->imbalance = 1 + (imbalance - 1) / 2;
    mplan_status status = cut_levels(c, err);
    c->n_parts = n_parts;
    c->imbalance = imbalance;
    if (status)
        return status;
    c->node = c->part;
    c->part = NULL;
    part_nodes(c, c->node);
    return cut_levels(c, err);
}

/* By PT-SCOTCH, in place of levels of our own: what it gives is made lighter where parts weigh too much. */
static mplan_status cut_by_ptscotch(cutting *c, const mpi_cut_options *options, mplan_error *err)
{
    const mpi_graph *g = &c->levels[0].graph;
    const mpi_ptscotch_options how = {
        .n_parts = c->n_parts,
        .nodes = c->nodes,
        .cut_ranks = mpi_ptscotch_ranks(options->cut_ranks, g->ranks, mpi_graph_total(g)),
        .imbalance = c->imbalance};
    c->weigh = mplan_alloc(c->n_parts, sizeof *c->weigh, err);
    c->part = mplan_alloc(g->n, sizeof *c->part, err);
    mplan_status status = mpi_agree(g->comm, c->weigh && c->part ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status)
        status = mpi_ptscotch(g, &how, c->part, err);
    return status ? status : refine_level(c, 0, err);
}

/* --- the cut ---------------------------------------------------------------------------------------------- */

/* Whether all maps lead to the set, or all from it. Not collective: all ranks have the same maps, and come to the
 * same answer. */
static mplan_status check_maps(const mpi_mesh *mesh, int32_t set, int32_t n_maps,
                               const int32_t *maps, mplan_error *err)
{
    int32_t to = 0, from = 0;
    for (int32_t m = 0; m < n_maps; m++) {
        to += mesh->maps[maps[m]].to == set;
        from += mesh->maps[maps[m]].from == set;
    }
    return to == n_maps || from == n_maps
               ? MPLAN_OK
               : mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "the maps by which set '%s' is cut must all lead to it or all from it",
                            mesh->sets[set].name);
}

/* The order of vertices, their graph, its levels, and back to the order of the members.
 * position: of each member of this rank its place in the order; first: places that each rank has as vertices. A
 * member and its vertex may be on two ranks, so that its part is fetched at the end. owner: out, by member of this
 * rank. */
static mplan_status cut_members(cutting *c, int32_t set, int32_t n_maps, const int32_t *maps,
                                const mpi_cut_options *options, int32_t *owner, mplan_error *err)
{
    const mpi_mesh *mesh = c->mesh;
    const int64_t n = mpi_own_members(mesh, set);
    int64_t *position = mplan_alloc(n, sizeof *position, err);
    int64_t *first = mplan_alloc(mesh->ranks + 1, sizeof *first, err);
    mplan_status status = position && first ? MPLAN_OK : MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (!status)
        status = mpi_order_members(mesh, set, position, first, err);
    if (!status && options->group)
        status = mpi_together(mesh->comm, options->n_groups, n, options->group, position, first, err);
    if (!status)
        status = mpi_graph_make(mesh, set, n_maps, maps, position, first, &c->levels[0].graph, err);
    c->n_levels = 1;
    if (!status && (options->group || options->weight))
        status = mpi_graph_weigh(&c->levels[0].graph, n, position, options->weight, err);
    if (!status) {
        c->total = mpi_graph_weight(&c->levels[0].graph, &c->heaviest);
        status = options->ptscotch ? cut_by_ptscotch(c, options, err)
                 : c->nodes > 1    ? cut_for_nodes(c, err)
                                   : cut_levels(c, err);
    }
    if (!status)
        status = mpi_fetch_values(mesh->comm, status, first, n, position, sizeof *owner, c->part,
                                  owner, err);
    free(position);
    free(first);
    return status;
}

/* Parts behind the number of members stay empty, as in the serial cut. With one part, or with one member or none,
 * no graph is made. c is on the heap, as it has room for all levels. */
mplan_status mpi_cut(const mpi_mesh *mesh, int32_t set, int32_t n_maps, const int32_t *maps,
                     const mpi_cut_options *options, int32_t *owner, mplan_error *err)
{
    assert(mesh && options && owner && set >= 0 && options->n_parts >= 1);
    const int64_t own = mpi_own_members(mesh, set);
    const int64_t n = options->group ? options->n_groups : mesh->sets[set].size;
    const int32_t k = n < options->n_parts ? (int32_t)n : options->n_parts;
    mplan_status status = check_maps(mesh, set, n_maps, maps, err);
    if (status)
        return status;
    if (k <= 1) {
        memset(owner, 0, (size_t)own * sizeof *owner);
        return MPLAN_OK;
    }
    /* before there are arrays of them */
    status = mpi_agree(mesh->comm, mpi_check_places(mesh->rank, own, 0, err), err);
    if (status)
        return status;
    cutting *c = mplan_alloc_zero(1, sizeof *c, err);
    status = mpi_agree(mesh->comm, c ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status) {
        c->mesh = mesh;
        c->n_parts = k;
        c->nodes = options->nodes > 1 && k % options->nodes == 0 ? options->nodes : 0;
        c->imbalance = options->imbalance > 0 ? options->imbalance : 1.01;
        /* vertices of the coarsest graph: some for each part, and no fewer than 4 a part where the caller says how many */
        c->target = (int64_t)COARSE * k > LEAST_COARSE ? (int64_t)COARSE * k : LEAST_COARSE;
        if (options->coarse > 0)
            c->target = options->coarse > 4 * (int64_t)k ? options->coarse : 4 * (int64_t)k;
        status = cut_members(c, set, n_maps, maps, options, owner, err);
        for (int32_t l = 0; l < c->n_levels; l++) {
            mpi_graph_free(&c->levels[l].graph);
            free(c->levels[l].coarse);
        }
        free(c->part);
        free(c->node);
        free(c->weigh);
    }
    free(c);
    return status;
}

/* --- what a cut costs ---------------------------------------------------------------------------------------- */

/* Other parts that neighbours of this rank's vertices are in. part: own vertices and ghosts. seen: scratch, one a
 * part, 0 before: the last own vertex, counted from 1, that counted the part. Not collective. */
static int64_t count_volume(const mpi_graph *g, const int32_t *part, int64_t *seen)
{
    int64_t volume = 0;
    for (int64_t v = 0; v < g->n; v++)
        for (int64_t i = g->offsets[v]; i < g->offsets[v + 1]; i++) {
            const int32_t other = part[g->neighbours[i]];
            if (other == part[v] || seen[other] == v + 1)
                continue;
            seen[other] = v + 1;
            volume++;
        }
    return volume;
}

/* On the graph in the order of the mesh, which shares nothing with the cut but how it is made. owner: by member of
 * this rank. All ranks get the same figures. seen is scratch twice: for the volume, then for how many members each
 * part has. */
mplan_status mpi_cut_measure(const mpi_mesh *mesh, int32_t set, int32_t n_maps, const int32_t *maps,
                             int32_t n_parts, const int32_t *owner, mpi_cut_figures *figures,
                             mplan_error *err)
{
    assert(mesh && owner && figures && n_parts >= 1);
    const int64_t n = mpi_own_members(mesh, set), *first = mesh->sets[set].first;
    int64_t *position = mplan_alloc(n, sizeof *position, err);
    int64_t *seen = mplan_alloc_zero(n_parts, sizeof *seen, err);
    int32_t *part = NULL;
    mpi_graph graph = {0};
    mplan_status status = position && seen ? check_maps(mesh, set, n_maps, maps, err)
                                           : MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    /* the order is that of the numbers: each rank has as vertices the members that it has */
    for (int64_t i = 0; i < n && !status; i++)
        position[i] = first[mesh->rank] + i;
    if (!status)
        status = mpi_graph_make(mesh, set, n_maps, maps, position, first, &graph, err);
    if (!status) {
        part = mplan_alloc(n + graph.n_ghosts, sizeof *part, err);
        if (part)
            memcpy(part, owner, (size_t)n * sizeof *part);
        status = mpi_graph_fetch(&graph, part ? MPLAN_OK : MPLAN_ERR_MEMORY, sizeof *part, part, err);
    }
    if (!status) {
        figures->volume = mpi_sum(mesh->comm, count_volume(&graph, part, seen));
        memset(seen, 0, (size_t)n_parts * sizeof *seen);
        for (int64_t v = 0; v < n; v++)
            seen[owner[v]]++;
        mpi_allreduce(MPI_IN_PLACE, seen, n_parts, MPI_INT64_T, MPI_SUM, mesh->comm);
        figures->least = figures->largest = seen[0];
        for (int32_t p = 1; p < n_parts; p++) {
            figures->least = seen[p] < figures->least ? seen[p] : figures->least;
            figures->largest = seen[p] > figures->largest ? seen[p] : figures->largest;
        }
    }
    free(position);
    free(seen);
    free(part);
    mpi_graph_free(&graph);
    return status;
}
