/* SPDX-License-Identifier: Apache-2.0 */
/* cut_set.c - the set that is cut, the graph of its members, and who cuts it
 *
 * That set is where the primary loop's sums go: members that get sums of one element are neighbours. A loop without sums
 * by maps cuts its own set, whose elements are neighbours where they share points. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "partition/partition.h"
#include "parts/parts.h"

enum {
    HUB = 512
}; /* rows, and lists of elements, that are longer join neighbours in the row only */

/* The planning map of the primary loop's first arg by which it changes points; -1: none. The set
 * that it leads to is the one that is cut; without it that is the loop's own set. */
static int32_t summed_map(const planning *p)
{
    const planning_loop *loop = &p->loops[p->primary];
    int32_t map = -1;
    for (int32_t a = loop->loop->n_args - 1; a >= 0; a--)
        if (loop->arg_map[a] >= 0 && loop->loop->args[a].access != MPLAN_READ)
            map = loop->arg_map[a];
    return map;
}

/* Whether some loop adds to or changes points by the map. */
static bool changes(const planning *p, int32_t map)
{
    for (int32_t l = 0; l < p->n_loops; l++)
        for (int32_t a = 0; a < p->loops[l].loop->n_args; a++)
            if (p->loops[l].arg_map[a] == map && p->loops[l].loop->args[a].access != MPLAN_READ)
                return true;
    return false;
}

/* The maps of other loops than the primary one count, too, for points: their sums cross borders as well. */
int32_t mplan_parts_cut_maps(const planning *p, int32_t *cut, bool *to_set, int32_t *maps)
{
    assert(p && cut && to_set && maps);
    const planning_loop *primary = &p->loops[p->primary];
    const int32_t map = summed_map(p);
    int32_t n = 0;
    *to_set = map >= 0;
    *cut = map >= 0 ? p->maps[map].to : primary->set;
    for (int32_t m = 0; m < p->n_maps && *to_set; m++)
        if (p->maps[m].to == *cut && changes(p, m))
            maps[n++] = m;
    for (int32_t m = 0; m < primary->n_maps && !*to_set; m++)
        maps[n++] = primary->maps[m];
    return n;
}

/* Points by the rows of all maps that sum into the set, or elements by the points of all maps of
 * the primary loop. graph: out, a vertex for each member of the set that is cut, the caller's,
 * to be freed also after a failure. */
static mplan_status make_graph(const mplan_parts *parts, mplan_csr *graph,
                               const mplan_context *context, mplan_error *err)
{
    const planning *p = &parts->whole.p;
    int32_t *numbers = mplan_alloc(p->n_maps, sizeof *numbers, err);
    mplan_map *maps = mplan_alloc(p->n_maps, sizeof *maps, err);
    mplan_status status = numbers && maps ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int32_t n = 0, cut;
    bool points = false;
    if (!status)
        n = mplan_parts_cut_maps(p, &cut, &points, numbers);
    for (int32_t i = 0; i < n; i++)
        maps[i] = mplan_planning_mesh_map(p, numbers[i]);
    if (!status && n > 0)
        status = points ? mplan_graph_of_points(maps, n, HUB, graph, context, err)
                        : mplan_graph_of_elements(maps, n, HUB, graph, err);
    if (!status && n == 0) { /* nobody has neighbours */
        *graph = (mplan_csr){.n = p->sets[parts->cut].size};
        graph->offsets = mplan_alloc_zero(graph->n + 1, sizeof *graph->offsets, err);
        graph->neighbours = mplan_alloc(0, sizeof *graph->neighbours, err);
        status = graph->offsets && graph->neighbours ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    free(numbers);
    free(maps);
    return status;
}

/* Parts that the caller gives: options->n_part numbers, by member of the set that is cut, copied
 * into owner[cut]. With n_parts 0 the largest tells how many parts there are; INT32_MAX is
 * refused, as that number and one would overflow. Parts without members are allowed. */
static mplan_status take_parts(mplan_parts *parts, const mplan_parts_options *options,
                               mplan_error *err)
{
    const planning *p = &parts->whole.p;
    const int64_t n = p->sets[parts->cut].size;
    const char *name = p->mesh->sets[p->sets[parts->cut].mesh_set].name;
    if (options->n_part != n)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "there are parts of %lld members, but set %s, which is cut, has %lld",
                          (long long)options->n_part, name, (long long)n);
    int32_t most = -1;
    for (int64_t i = 0; i < n; i++) {
        const int32_t part = options->part[i];
        if (part < 0 || (options->n_parts > 0 && part >= options->n_parts) || part == INT32_MAX)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "member %lld of set %s cannot be in part %d",
                              (long long)i, name, (int)part);
        most = part > most ? part : most;
    }
    parts->n_parts = options->n_parts > 0 ? options->n_parts : most + 1;
    if (parts->n_parts < 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "set %s has no members, so that its parts do not tell how many there are",
                          name);
    parts->how = "file";
    memcpy(parts->owner[parts->cut], options->part, (size_t)n * sizeof *options->part);
    return MPLAN_OK;
}

/* n_parts parts, at most one for each vertex: those behind stay empty. part: out, by vertex,
 * each in [0, n_parts). METIS takes the imbalance in thousandths above 1, at least one of them,
 * and SCOTCH as a share. Both may leave parts empty, which are refilled here;
 * mplan_partition_bisect does that itself. */
static mplan_status cut_graph(const mplan_csr *graph, int32_t n_parts,
                              const mplan_parts_options *options, int32_t *part,
                              const mplan_context *context, mplan_error *err)
{
    const int32_t k = graph->n < n_parts ? (int32_t)graph->n : n_parts;
    const double over = options->imbalance - 1;
    const int32_t thousandths = (int32_t)(1000 * over + 0.5);
    int64_t moved;
    mplan_status status = MPLAN_OK;
    if (k == 0)
        return MPLAN_OK;
    if (options->partitioner == MPLAN_PARTITIONER_METIS)
        status = mplan_partition_metis(graph, k, thousandths > 0 ? thousandths : 1, options->seed,
                                       NULL, part, context, err);
    else if (options->partitioner == MPLAN_PARTITIONER_SCOTCH)
        status = mplan_partition_scotch(graph, k, over, options->seed, NULL, part, context, err);
    else
        return mplan_partition_bisect(graph, k, options->imbalance, part, context, err);
    return status ? status : mplan_partition_refill(graph, k, part, &moved, err);
}

/* The vertices of a graph that are in one part: *old are their numbers in it, ascending; number:
 * scratch, one a vertex. The caller releases *out and *old, also after a failure. Neighbours in
 * other parts are left out, so that `edges`, which counts them, is what the list has room for,
 * not its length. */
static mplan_status take_subgraph(const mplan_csr *graph, const int32_t *part, int32_t which,
                                  int32_t *number, mplan_csr *out, int32_t **old, mplan_error *err)
{
    int64_t n = 0, edges = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        number[v] = part[v] == which ? (int32_t)n++ : -1;
        edges += part[v] == which ? graph->offsets[v + 1] - graph->offsets[v] : 0;
    }
    *out = (mplan_csr){.n = n};
    *old = mplan_alloc(n, sizeof **old, err);
    out->offsets = mplan_alloc_zero(n + 1, sizeof *out->offsets, err);
    out->neighbours = mplan_alloc(edges, sizeof *out->neighbours, err);
    if (!*old || !out->offsets || !out->neighbours)
        return MPLAN_ERR_MEMORY;
    int64_t at = 0;
    for (int64_t v = 0; v < graph->n; v++) {
        if (number[v] < 0)
            continue;
        (*old)[number[v]] = (int32_t)v;
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++)
            if (number[graph->neighbours[i]] >= 0)
                out->neighbours[at++] = number[graph->neighbours[i]];
        out->offsets[number[v] + 1] = at;
    }
    return MPLAN_OK;
}

/* Cuts each of `nodes` parts into as many consecutive ones. The graph is cut for nodes first and
 * each piece then by itself: edges between nodes, whose messages cost most, are the first to be
 * few. Node i gets parts [i * each, (i + 1) * each). n_parts is a multiple of nodes
 * (check_options). part: out, by vertex of the whole graph. */
static mplan_status cut_nodes(const mplan_csr *graph, int32_t nodes, int32_t n_parts,
                              const mplan_parts_options *options, int32_t *part,
                              const mplan_context *context, mplan_error *err)
{
    const int32_t each = n_parts / nodes;
    int32_t *number = mplan_alloc(graph->n, sizeof *number, err);
    int32_t *node = mplan_alloc(graph->n, sizeof *node, err);
    mplan_status status = number && node ? cut_graph(graph, nodes, options, node, context, err)
                                         : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < nodes && !status; i++) {
        mplan_csr own = {0};
        int32_t *old = NULL, *inside = NULL;
        status = take_subgraph(graph, node, i, number, &own, &old, err);
        if (!status && !(inside = mplan_alloc(own.n, sizeof *inside, err)))
            status = MPLAN_ERR_MEMORY;
        if (!status)
            status = cut_graph(&own, each, options, inside, context, err);
        for (int64_t v = 0; v < own.n && !status; v++)
            part[old[v]] = i * each + inside[v];
        mplan_csr_free(&own);
        free(old);
        free(inside);
    }
    free(number);
    free(node);
    return status;
}

mplan_status mplan_parts_cut(mplan_parts *parts, const mplan_parts_options *options,
                             const mplan_context *context, mplan_error *err)
{
    assert(parts && options && parts->owner);
    const planning *p = &parts->whole.p;
    const int32_t map = summed_map(p);
    parts->cut = map >= 0 ? p->maps[map].to : p->loops[p->primary].set;
    parts->n_parts = options->n_parts;
    parts->how = options->partitioner == MPLAN_PARTITIONER_METIS    ? "metis"
                 : options->partitioner == MPLAN_PARTITIONER_SCOTCH ? "scotch"
                                                                    : "native";
    parts->owner[parts->cut] = mplan_alloc(p->sets[parts->cut].size, sizeof **parts->owner, err);
    if (!parts->owner[parts->cut])
        return MPLAN_ERR_MEMORY;
    if (options->part)
        return take_parts(parts, options, err);
    mplan_csr graph = {0};
    mplan_status status = make_graph(parts, &graph, context, err);
    if (!status)
        status = options->nodes > 1 ? cut_nodes(&graph, options->nodes, parts->n_parts, options,
                                                parts->owner[parts->cut], context, err)
                                    : cut_graph(&graph, parts->n_parts, options,
                                                parts->owner[parts->cut], context, err);
    mplan_csr_free(&graph);
    return status;
}
