/* SPDX-License-Identifier: Apache-2.0 */
/* partition_mesh.c - a set of a mesh in parts, without a loop or a plan
 *
 * Every partitioner makes a number of parts, or parts of a size that none may exceed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/adjacency.h"
#include "mesh/derive.h"
#include "mesh/mesh.h"
#include "order/order.h"
#include "partition/cut_into.h"
#include "partition/partition.h"
#include "pipeline/centroids.h"
#include "pipeline/option_values.h"
#include "pipeline/partition_wishes.h"
#include "pipeline/sample_orders.h"
#include "plan/packed.h"
#include "tables/tables.h"

enum { HUB = 512 };

typedef struct cutting {
    mplan_mesh *mesh;
    const mplan_partition_options *options;
    const mplan_context *context;
    mplan_partition *out;
    int32_t n_maps;
    mplan_map *maps; /* from the set; with self or rows: one, that is the graph */
    bool self;       /* a map of the set to itself */
    bool rows;       /* a map to the set: members of one row are neighbours */
    mplan_csr graph;
    mplan_map edges; /* whose rows are the edges; name NULL: there is none */
    mplan_cut_wishes wishes;
} cutting;

/* --- what is cut ------------------------------------------------------------------- */

/* The options that planning has, too. */
static mplan_status check_shared(const mplan_partition_options *options, mplan_error *err)
{
    const struct {
        const char *name;
        const void *member;
    } shared[] = {{"block-size", &options->block_size}, {"partitioner", &options->partitioner},
                  {"graph", &options->graph},           {"imbalance", &options->imbalance},
                  {"effort", &options->effort},         {"fill", &options->fill}};
    mplan_status status = MPLAN_OK;
    for (size_t i = 0; i < sizeof shared / sizeof *shared && !status; i++)
        status = mplan_plan_option_check(mplan_plan_option_named(shared[i].name), shared[i].member,
                                         err);
    return status;
}

/* AUTO decided. */
static mplan_partitioner partitioner_of(const mplan_partition_options *options)
{
    if (options->partitioner != MPLAN_PARTITIONER_AUTO)
        return options->partitioner;
    return options->n_parts > 0 ? MPLAN_PARTITIONER_METIS : MPLAN_PARTITIONER_NATIVE;
}

/* Either a number of parts or a block size; what does not fit the other is
 * refused. */
static mplan_status check_options(const mplan_partition_options *options, mplan_error *err)
{
    if ((options->n_parts == 0) == (options->block_size == 0))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a partition needs either a number of parts or a block size");
    if (options->n_parts < 0 || options->n_parts >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the number of parts cannot be %lld",
                          (long long)options->n_parts);
    mplan_status status = check_shared(options, err);
    if (status)
        return status;
    return mplan_partition_check_wishes(options, partitioner_of(options), err);
}

/* Whether any map starts at the set. */
static bool leads_from(const mplan_mesh *mesh, int32_t set)
{
    for (int32_t m = 0; m < mesh->n_maps; m++)
        if (mesh->maps[m].from == set)
            return true;
    return false;
}

/* Graph files are read as nodes, edges and edges_nodes: their nodes are what is cut. */
static bool is_graph(const mplan_mesh *mesh)
{
    return mesh->n_maps == 1 && mesh->maps[0].arity == 2 &&
           strcmp(mesh->maps[0].name, "edges_nodes") == 0;
}

/* c->out->set: the set to cut, derived if it is a derived one. */
static mplan_status find_set(cutting *c, mplan_error *err)
{
    const char *over = c->options->over;
    mplan_mesh *mesh = c->mesh;
    mplan_status status = over ? mplan_mesh_derive(mesh, over, c->context, err) : MPLAN_OK;
    if (status)
        return status;
    int32_t set = mplan_mesh_find_set(mesh, over ? over : "cells");
    if (!over && mesh->n_maps > 0 && (set < 0 || !leads_from(mesh, set)))
        set = is_graph(mesh) ? mesh->maps[0].to : mesh->maps[0].from;
    if (set < 0)
        return over ? mplan_fail(err, MPLAN_ERR_ARGUMENT, "'%s' is a map, not a set", over)
                    : mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no cells and no map");
    c->out->set = set;
    c->out->n_elements = mesh->sets[set].size;
    return MPLAN_OK;
}

/* The map by which elements are neighbours where none is named; -1 without one. */
static int32_t default_map(const cutting *c)
{
    const mplan_mesh *mesh = c->mesh;
    const char *set = mesh->sets[c->out->set].name;
    char name[128];
    snprintf(name, sizeof name, "%s_%s", set, strcmp(set, "cells") ? "cells" : "nodes");
    int32_t map = mplan_mesh_find_map(mesh, name);
    for (int32_t m = 0; m < mesh->n_maps && map < 0; m++)
        if (mesh->maps[m].from == c->out->set)
            map = m;
    for (int32_t m = 0; m < mesh->n_maps && map < 0; m++)
        if (mesh->maps[m].to == c->out->set)
            map = m;
    return map;
}

/* c->maps: those that were named, else to nodes, cells or whatever the set leads
 * to first. */
static mplan_status find_maps(cutting *c, mplan_error *err)
{
    const mplan_partition_options *options = c->options;
    const char *set = c->mesh->sets[c->out->set].name;
    int32_t n = options->n_maps > 0 ? options->n_maps : 1;
    c->maps = mplan_alloc(n, sizeof *c->maps, err);
    if (!c->maps)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < options->n_maps; i++) {
        mplan_status status = mplan_mesh_derive(c->mesh, options->maps[i], c->context, err);
        if (status)
            return status;
        int32_t map = mplan_mesh_find_map(c->mesh, options->maps[i]);
        if (map < 0 ||
            (c->mesh->maps[map].from != c->out->set && c->mesh->maps[map].to != c->out->set))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT, "'%s' is not a map from %s or to it",
                              options->maps[i], set);
    }
    if (options->n_maps == 0) {
        int32_t map = default_map(c);
        if (map < 0)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "no map refers to %s: it is unknown which of them are neighbours", set);
        c->maps[c->n_maps++] = mplan_mesh_map(c->mesh, map);
    }
    /* deriving moves the list of maps: views are taken when all are there */
    for (int32_t i = 0; i < options->n_maps; i++)
        c->maps[c->n_maps++] = mplan_mesh_map(c->mesh,
                                              mplan_mesh_find_map(c->mesh, options->maps[i]));
    for (int32_t i = 0; i < c->n_maps; i++) {
        c->self = c->self || (c->maps[i].to == c->out->set && c->maps[i].from == c->out->set);
        c->rows = c->rows || c->maps[i].from != c->out->set;
    }
    if ((c->self || c->rows) && c->n_maps > 1)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a map to %s is a graph and cannot be combined with another map", set);
    return MPLAN_OK;
}

/* c->edges, where there are weights of edges: the map to the set, or for shared faces the one of the faces. */
static mplan_status find_edges(cutting *c, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (!c->options->n_edge_weights)
        return MPLAN_OK;
    if (c->out->graph == MPLAN_GRAPH_FACES) {
        status = mplan_mesh_derive(c->mesh, "faces_cells", c->context, err);
        int32_t map = status ? -1 : mplan_mesh_find_map(c->mesh, "faces_cells");
        if (map >= 0)
            c->edges = mplan_mesh_map(c->mesh, map);
        /* deriving moved the list of maps */
        for (int32_t i = 0; i < c->n_maps && !status; i++)
            c->maps[i] = mplan_mesh_map(c->mesh, mplan_mesh_find_map(c->mesh, c->maps[i].name));
    } else if (c->rows) {
        c->edges = c->maps[0];
    }
    return status;
}

/* The graph of neighbours. Partitioners that do not need it have it made as well: edge cut and
 * communication volume are measured by it. HUB: rows, or lists of a point's elements, that are
 * longer join neighbours in the row only. */
static mplan_status make_graph(cutting *c, mplan_error *err)
{
    mplan_partition *out = c->out;
    bool cells = c->mesh->cell_type && out->set == mplan_mesh_find_set(c->mesh, "cells");
    out->graph = c->options->graph;
    if (out->graph == MPLAN_GRAPH_FACES && !cells)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "only cells of a mesh have a graph of shared faces, not %s",
                          c->mesh->sets[out->set].name);
    if (out->graph == MPLAN_GRAPH_AUTO)
        out->graph = cells && c->options->n_maps == 0 && c->options->common == 0
                         ? MPLAN_GRAPH_FACES
                         : MPLAN_GRAPH_POINTS;
    mplan_status status = find_edges(c, err);
    if (status)
        return status;
    mplan_progress(c->context, "graph", 0, 1);
    if (out->graph == MPLAN_GRAPH_FACES)
        return mplan_graph_of_cells(c->mesh, c->context, &c->graph, err);
    if (c->options->common > 0 && (c->self || c->rows || c->n_maps > 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "neighbours by common points need one map from %s",
                          c->mesh->sets[out->set].name);
    if (c->options->common > 1)
        return mplan_graph_of_common(&c->maps[0], c->options->common, &c->graph, err);
    if (c->self)
        return mplan_graph_of_map(c->maps, 1, &c->graph, c->context, err);
    if (c->rows)
        return mplan_graph_of_points(c->maps, 1, HUB, &c->graph, c->context, err);
    return mplan_graph_of_elements(c->maps, c->n_maps, HUB, &c->graph, err);
}

/* --- cutting ----------------------------------------------------------------------- */

/* order[i]: the element at place i along a Hilbert curve. */
static mplan_status along_curve(cutting *c, int32_t **order, mplan_error *err)
{
    int64_t n = c->out->n_elements;
    int32_t dimension;
    const double *xyz = NULL;
    bool owned = false;
    int32_t *place = NULL;
    mplan_status status = mplan_centroids(c->mesh, c->out->set, &dimension, &xyz, &owned,
                                          c->context, err);
    if (!status && !xyz)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "the hilbert partitioner needs coordinates of %s or of a set that a "
                            "map leads to",
                            c->mesh->sets[c->out->set].name);
    if (!status && !(place = mplan_alloc(n, sizeof *place, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_order_hilbert(n, dimension, xyz, place, c->context, err);
    if (owned)
        free((void *)(uintptr_t)xyz);
    if (!status)
        status = mplan_table_invert(n, place, n, order, c->context, err);
    free(place);
    return status;
}

/* part by METIS or SCOTCH, as it answered, to be repaired by the caller. ufactor: allowed
 * imbalance in thousandths. */
static mplan_status by_foreign(cutting *c, int64_t n_parts, int32_t ufactor, mplan_error *err)
{
    if (c->out->partitioner == MPLAN_PARTITIONER_METIS)
        return mplan_partition_metis(&c->graph, n_parts, ufactor, c->options->seed, &c->wishes,
                                     c->out->part, c->context, err);
    return mplan_partition_scotch(&c->graph, n_parts, ufactor / 1000.0, c->options->seed,
                                  &c->wishes, c->out->part, c->context, err);
}

/* Parts that METIS and SCOTCH leave empty are refilled (out->moved elements move), as far as there are vertices: elements, or
 * groups of them. */
static mplan_status cut_graph_into(cutting *c, mplan_error *err)
{
    mplan_partition *out = c->out;
    const mplan_partition_options *options = c->options;
    const mplan_together together = {options->n_together, options->together_columns,
                                     options->together};
    const mplan_cut_into_options how = {.partitioner = out->partitioner,
                                        .n_parts = (int32_t)out->n_parts,
                                        .imbalance = options->imbalance,
                                        .seed = options->seed,
                                        .wishes = &c->wishes,
                                        .together = options->n_together ? &together : NULL,
                                        .together_file = options->files.together,
                                        .set = c->mesh->sets[out->set].name};
    return mplan_partition_into(&c->graph, &how, out->part, &out->moved, c->context, err);
}

/* Part ids that elements have are below this: of fewer elements than parts, each is a part, and the last parts are empty. */
static int64_t n_used(const mplan_partition *out)
{
    return out->n_parts < out->n_elements ? out->n_parts : out->n_elements;
}

/* Runs have n * p / n_parts as bounds, so that sizes differ by one at most. */
static mplan_status cut_into(cutting *c, mplan_error *err)
{
    mplan_partition *out = c->out;
    const mplan_partition_options *options = c->options;
    int64_t n = out->n_elements;
    out->n_parts = options->n_parts;
    if (out->partitioner != MPLAN_PARTITIONER_HILBERT && out->partitioner != MPLAN_PARTITIONER_NONE)
        return cut_graph_into(c, err);
    int32_t *order = NULL;
    mplan_status status = MPLAN_OK;
    if (out->partitioner == MPLAN_PARTITIONER_HILBERT)
        status = along_curve(c, &order, err);
    for (int64_t i = 0; i < n && !status; i++)
        out->part[order ? order[i] : i] = (int32_t)(i * n_used(out) / n);
    free(order);
    return status;
}

/* The rows of a graph, as a map of its vertices to themselves. */
static mplan_map map_of_graph(const mplan_csr *graph)
{
    mplan_map map = {"neighbours", 0, 0, 0, graph->n, graph->n, graph->offsets, graph->neighbours};
    return map;
}

/* Points count for the hard limit of 16-bit local ids only. With c->rows the rows of the graph
 * take the place of the map, which leads to the elements and not from them. */
static mplan_block_limits limits_of(cutting *c)
{
    if (c->rows)
        c->maps[0] = map_of_graph(&c->graph);
    mplan_block_limits limits = {.block_size = c->options->block_size,
                                 .max_points = MPLAN_LOCAL_MOST,
                                 .shared_bytes = INT64_MAX,
                                 .n_maps = c->n_maps,
                                 .maps = c->maps};
    return limits;
}

/* n_parts follows from the block size. */
static mplan_status by_native(cutting *c, const mplan_block_limits *limits, mplan_error *err)
{
    mplan_native_options options = {.effort = c->options->effort, .fill = c->options->fill};
    mplan_native_finder finder;
    mplan_status status = mplan_centroid_finder(c->mesh, c->out->set, &options.dimension, &finder,
                                                err);
    options.finder = finder.find ? &finder : NULL;
    if (!status)
        status = mplan_partition_native(c->out->n_elements, limits, &options, c->out->part,
                                        &c->out->n_parts, NULL, c->context, err);
    mplan_centroid_finder_free(&finder);
    return status;
}

/* Parts of at most block_size elements; all but native are audited and repaired to keep that.
 * out->n_parts follows. */
static mplan_status cut_by_size(cutting *c, mplan_error *err)
{
    mplan_partition *out = c->out;
    mplan_block_limits limits = limits_of(c);
    int64_t n_parts;
    int32_t ufactor, *order = NULL;
    mplan_status status;
    switch (out->partitioner) {
    case MPLAN_PARTITIONER_NATIVE: return by_native(c, &limits, err);
    case MPLAN_PARTITIONER_METIS:
    case MPLAN_PARTITIONER_SCOTCH:
        mplan_partition_figures(out->n_elements, c->options->block_size, c->options->imbalance,
                                &n_parts, &ufactor);
        status = by_foreign(c, n_parts, ufactor, err);
        return !status ? mplan_partition_repair(out->n_elements, NULL, &c->graph, &limits, n_parts,
                                                out->part, &out->n_parts, &out->moved, err)
                       : status;
    case MPLAN_PARTITIONER_HILBERT: status = along_curve(c, &order, err); break;
    default: status = MPLAN_OK; break;
    }
    if (!status)
        status = mplan_partition_runs(out->n_elements, order, &limits, out->part, &out->n_parts, err);
    free(order);
    return status;
}

/* --- figures ----------------------------------------------------------------------- */

/* Edges, edges cut, and for each element the number of other parts among its
 * neighbours. seen: one per part. */
static mplan_status measure_graph(cutting *c, mplan_error *err)
{
    mplan_partition *out = c->out;
    const mplan_csr *graph = &c->graph;
    int32_t *seen = mplan_alloc(n_used(out), sizeof *seen, err);
    if (!seen)
        return MPLAN_ERR_MEMORY;
    memset(seen, 0xff, (size_t)n_used(out) * sizeof *seen);
    for (int64_t v = 0; v < graph->n; v++) {
        int32_t own = out->part[v];
        for (int64_t i = graph->offsets[v]; i < graph->offsets[v + 1]; i++) {
            int32_t other = out->part[graph->neighbours[i]];
            out->edge_cut += other != own;
            out->volume += other != own && seen[other] != v;
            if (other != own)
                seen[other] = (int32_t)v;
        }
    }
    out->edges = graph->offsets[graph->n] / 2;
    out->edge_cut /= 2; /* both ends were counted */
    free(seen);
    return MPLAN_OK;
}

/* Distinct (part, point) pairs of the maps to one set, in the order of the points. */
static mplan_status measure_points(cutting *c, int32_t first, mplan_error *err)
{
    mplan_partition *out = c->out;
    int64_t n_points = c->maps[first].n_points;
    int32_t n_same = 0;
    mplan_transpose *back = mplan_alloc_zero(c->n_maps, sizeof *back, err);
    int32_t *seen = mplan_alloc(n_used(out), sizeof *seen, err);
    mplan_status status = back && seen ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t m = first; m < c->n_maps && !status; m++)
        if (c->maps[m].to == c->maps[first].to)
            status = mplan_map_transpose(&c->maps[m], false, &back[n_same++], err);
    if (!status)
        memset(seen, 0xff, (size_t)n_used(out) * sizeof *seen);
    for (int64_t p = 0; p < n_points && !status; p++) {
        int64_t parts = 0;
        for (int32_t k = 0; k < n_same; k++)
            for (int64_t i = back[k].offsets[p]; i < back[k].offsets[p + 1]; i++) {
                int32_t part = out->part[back[k].elements[i]];
                parts += seen[part] != p;
                seen[part] = (int32_t)p;
                out->entries++;
            }
        out->pairs += parts;
        out->shared_points += parts > 1;
    }
    for (int32_t k = 0; k < n_same; k++)
        mplan_transpose_free(&back[k]);
    free(back);
    free(seen);
    return status;
}

/* Sizes of the parts, then what graph and maps tell; each to-set is measured once, at the first
 * map that leads to it. */
static mplan_status measure(cutting *c, mplan_error *err)
{
    mplan_partition *out = c->out;
    const int64_t used = n_used(out);
    int64_t full = 0;
    int64_t *size = mplan_alloc_zero(used, sizeof *size, err);
    if (!size)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < out->n_elements; e++)
        size[out->part[e]]++;
    out->size_min = out->n_parts > used ? 0 : out->n_elements;
    for (int64_t p = 0; p < used; p++) {
        full += size[p] > 0;
        out->size_min = size[p] < out->size_min ? size[p] : out->size_min;
        out->size_max = size[p] > out->size_max ? size[p] : out->size_max;
    }
    free(size);
    if (out->n_parts > full && c->options->n_parts > 0)
        mplan_warn(c->context, "empty parts: %lld of %lld", (long long)(out->n_parts - full),
                   (long long)out->n_parts);
    mplan_status status = measure_graph(c, err);
    if (!status)
        status = mplan_partition_measure_weights(c->options, out, err);
    for (int32_t m = 0; m < c->n_maps && !status && !c->self && !c->rows; m++) {
        bool first = true;
        for (int32_t k = 0; k < m; k++)
            first = first && c->maps[k].to != c->maps[m].to;
        if (first)
            status = measure_points(c, m, err);
    }
    return status;
}

/* --- the call ---------------------------------------------------------------------- */

/* In the order in which each step may rely on the one before. */
static mplan_status cut(cutting *c, mplan_error *err)
{
    mplan_partition *out = c->out;
    mplan_status status = find_set(c, err);
    if (!status)
        status = find_maps(c, err);
    if (!status)
        status = make_graph(c, err);
    if (status)
        return status;
    out->partitioner = partitioner_of(c->options);
    status = mplan_partition_make_wishes(c->options, c->mesh->sets[out->set].name, &c->graph,
                                         c->edges.name ? &c->edges : NULL, &c->wishes, c->context,
                                         err);
    if (status)
        return status;
    out->part = mplan_alloc(out->n_elements, sizeof *out->part, err);
    if (!out->part)
        return MPLAN_ERR_MEMORY;
    mplan_progress(c->context, "partition", 0, 1);
    status = c->options->n_parts > 0 ? cut_into(c, err) : cut_by_size(c, err);
    return !status ? measure(c, err) : status;
}

/* NULL is accepted. */
void mplan_partition_free(mplan_partition *partition)
{
    if (partition) {
        free(partition->part);
        free(partition->weight_imbalance);
    }
    free(partition);
}

/* c.wishes and c.graph live until the parts are made; c.out->part has a part for each element
 * of the set that is divided. *partition is set only after success. */
mplan_status mplan_mesh_partition(mplan_mesh *mesh, const mplan_partition_options *options,
                                  const mplan_context *context, mplan_partition **partition,
                                  mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(partition);
    mplan_partition_options own = MPLAN_PARTITION_OPTIONS_INIT;
    cutting c = {.mesh = mesh, .options = &own, .context = context};
    mplan_status status = mplan_options_take(&own, options, "partition options", err);
    if (!status)
        status = check_options(&own, err);
    if (!status)
        status = mplan_mesh_check_memory(mesh, context, err);
    if (status)
        return status;
    c.out = mplan_alloc_zero(1, sizeof *c.out, err);
    if (!c.out)
        return MPLAN_ERR_MEMORY;
    mplan_threaded threaded;
    c.context = mplan_threaded_open(context, &threaded);
    status = cut(&c, err);
    mplan_threaded_close(&threaded);
    mplan_partition_free_wishes(&c.wishes);
    mplan_csr_free(&c.graph);
    free(c.maps);
    if (!status)
        *partition = c.out;
    else
        mplan_partition_free(c.out);
    return status;
}
