/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_orders.c - an order for every set of a mesh, without a loop
 *
 * One set is renumbered, the others follow it as the sets of a plan follow those of
 * its primary loop (step_order.c). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "base/threads.h"
#include "mesh/derive.h"
#include "mesh/mesh.h"
#include "order/order.h"
#include "pipeline/centroids.h"
#include "pipeline/option_values.h"
#include "pipeline/sample_orders.h"

enum { WIDE_ROW = 128 };

/* What says which members of the set are neighbours: rows of maps, or a graph. */
typedef struct ordering {
    const mplan_mesh *mesh;
    const mplan_context *context;
    mplan_orders *orders;
    mplan_map *maps;
    int32_t n_maps;  /* 0: the graph */
    mplan_csr graph; /* with maps: made when a method needs it */
} ordering;

/* Whether the file brought the map and both of its sets: what is derived from the cells follows
 * them, and orders nothing. */
static bool is_own(const mplan_mesh *mesh, int32_t map)
{
    const mplan_mesh_map_data *data = &mesh->maps[map];
    return !data->derived && !mesh->sets[data->from].derived && !mesh->sets[data->to].derived;
}

/* *set: the set to renumber: by name, else nodes, else the to-set of the first
 * map of the mesh's own. */
static mplan_status find_target(const mplan_mesh *mesh, const char *name, int32_t *set,
                                mplan_error *err)
{
    *set = mplan_mesh_find_set(mesh, name ? name : "nodes");
    for (int32_t m = 0; m < mesh->n_maps && *set < 0 && !name; m++)
        if (is_own(mesh, m))
            *set = mesh->maps[m].to;
    if (*set < 0)
        return name ? mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no set '%s'", name)
                    : mplan_fail(err, MPLAN_ERR_ARGUMENT, "the mesh has no map to renumber by");
    if (mesh->sets[*set].derived)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "set '%s' is derived from the cells and cannot be renumbered separately",
                          name);
    return MPLAN_OK;
}

/* What says which members of the set are neighbours: maps from other sets (o->maps), else a map
 * of the set to itself, else the cells' faces; the last two as o->graph, with n_maps 0. */
static mplan_status find_neighbours(ordering *o, mplan_error *err)
{
    const mplan_mesh *mesh = o->mesh;
    int32_t set = o->orders->set, own = -1;
    o->maps = mplan_alloc(mesh->n_maps, sizeof *o->maps, err);
    if (!o->maps)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        if (mesh->maps[m].to != set || !is_own(mesh, m))
            continue;
        if (mesh->maps[m].from != set)
            o->maps[o->n_maps++] = mplan_mesh_map(mesh, m);
        else if (own < 0)
            own = m;
    }
    if (o->n_maps > 0)
        return MPLAN_OK;
    if (own >= 0) {
        mplan_map map = mplan_mesh_map(mesh, own);
        return mplan_graph_of_map(&map, 1, &o->graph, o->context, err);
    }
    if (mesh->cell_type && set == mplan_mesh_find_set(mesh, "cells"))
        return mplan_graph_of_cells(mesh, o->context, &o->graph, err);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "no map of the mesh leads to %s: it is unknown which of them are neighbours",
                      mesh->sets[set].name);
}

/* which: 0 for the input order, 1 for the new one. */
static mplan_status measure(const ordering *o, const int32_t *new_of_old, int32_t which,
                            mplan_error *err)
{
    int64_t *bandwidth = &o->orders->bandwidth[which], *profile = &o->orders->profile[which];
    if (o->n_maps > 0)
        return mplan_order_measure(o->maps, o->n_maps, new_of_old, bandwidth, profile, o->context,
                                   err);
    mplan_order_measure_graph(&o->graph, new_of_old, bandwidth, profile);
    return MPLAN_OK;
}

/* The graph as a map: a row for each pair of neighbours. *pairs: 2 a row, the caller's afterwards. */
static mplan_status map_of_graph(const mplan_csr *graph, mplan_map *map, int32_t **pairs,
                                 mplan_error *err)
{
    int64_t n = 0;
    *pairs = mplan_alloc(graph->offsets[graph->n], sizeof **pairs, err);
    if (!*pairs)
        return MPLAN_ERR_MEMORY;
    for (int64_t v = 0; v < graph->n; v++)
        for (int64_t k = graph->offsets[v]; k < graph->offsets[v + 1]; k++)
            if (graph->neighbours[k] > v) {
                (*pairs)[n++] = (int32_t)v;
                (*pairs)[n++] = graph->neighbours[k];
            }
    *map = (mplan_map){"pairs", 0, 1, 2, n / 2, graph->n, NULL, *pairs};
    return MPLAN_OK;
}

/* Whether the order, along a curve through xyz, follows the mesh as well as agglomerate does, or does so by coordinates that the mesh's
 * edges stretch: then it becomes that. */
static mplan_status curve_follows(ordering *o, int32_t dimension, const double *xyz, int32_t *order,
                                  bool *follows, mplan_error *err)
{
    mplan_map map;
    const mplan_map *maps = o->maps;
    int32_t *pairs = NULL, n_maps = o->n_maps;
    mplan_status status = MPLAN_OK;
    if (n_maps == 0) {
        status = map_of_graph(&o->graph, &map, &pairs, err);
        maps = &map;
        n_maps = 1;
    }
    if (!status)
        status = mplan_planning_curve_follows(maps, n_maps, dimension, xyz, order, follows,
                                              o->context, err);
    free(pairs);
    return status;
}

/* By hilbert, where there are coordinates and, if they are sampled, these follow the mesh; *done says whether. */
static mplan_status along_curve(ordering *o, bool sampled, int32_t *order, bool *done,
                                mplan_error *err)
{
    int32_t dimension;
    const double *xyz = NULL;
    bool owned = false;
    mplan_status status = mplan_centroids(o->mesh, o->orders->set, &dimension, &xyz, &owned,
                                          o->context, err);
    *done = xyz != NULL;
    if (!status && xyz)
        status = mplan_order_hilbert(o->mesh->sets[o->orders->set].size, dimension, xyz, order,
                                     o->context, err);
    if (!status && xyz && sampled)
        status = curve_follows(o, dimension, xyz, order, done, err);
    if (owned)
        free((void *)(uintptr_t)xyz);
    return status;
}

/* The graph of points that share a row. */
static mplan_status by_graph(ordering *o, int32_t *order, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    if (o->n_maps > 0)
        status = mplan_graph_of_points(o->maps, o->n_maps, WIDE_ROW, &o->graph, o->context, err);
    if (!status)
        status = mplan_order_graph(o->orders->renumber, &o->graph, order, o->context, err);
    return status;
}

/* Members stay where they are. */
static void keep_order(int32_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
}

/* Fills the order of the set and its figures before and after; `kept` where the input order
 * stays since it is not worse. AUTO takes the curve through coordinates, as they are or stretched, unless a
 * sample says that it cuts the mesh badly. */
static mplan_status renumber(ordering *o, const mplan_orders_options *options, int32_t *order,
                             mplan_error *err)
{
    mplan_orders *out = o->orders;
    int64_t n = o->mesh->sets[out->set].size;
    mplan_status status = measure(o, NULL, 0, err);
    bool done = false;
    out->renumber = options->renumber;
    if (!status && (out->renumber == MPLAN_RENUMBER_HILBERT || out->renumber == MPLAN_RENUMBER_AUTO)) {
        const bool automatic = out->renumber == MPLAN_RENUMBER_AUTO;
        status = along_curve(o, automatic, order, &done, err);
        if (!status && !done && out->renumber == MPLAN_RENUMBER_HILBERT)
            status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                                "renumbering by hilbert needs coordinates of %s",
                                o->mesh->sets[out->set].name);
        if (automatic)
            out->renumber = done ? MPLAN_RENUMBER_HILBERT : MPLAN_RENUMBER_AGGLOMERATE;
    }
    if (out->renumber == MPLAN_RENUMBER_NONE)
        keep_order(order, n);
    else if (!status && !done)
        status = by_graph(o, order, err);
    if (!status)
        status = measure(o, order, 1, err);
    if (!status && out->renumber != MPLAN_RENUMBER_NONE && options->keep_better &&
        out->profile[1] >= out->profile[0]) {
        out->kept = true;
        out->bandwidth[1] = out->bandwidth[0];
        out->profile[1] = out->profile[0];
        keep_order(order, n);
    }
    return status;
}

/* A map that joins a set without an order with one that has one: from it before to it. */
static int32_t joining_map(const ordering *o, bool *leads_from)
{
    for (int pass = 0; pass < 2; pass++)
        for (int32_t m = 0; m < o->mesh->n_maps; m++) {
            const mplan_mesh_map_data *map = &o->mesh->maps[m];
            if (!is_own(o->mesh, m))
                continue;
            bool from = o->orders->new_of_old[map->from], to = o->orders->new_of_old[map->to];
            *leads_from = pass == 0;
            if (pass == 0 ? !from && to : from && !to)
                return m;
        }
    return -1;
}

/* Sets that a map joins to one that is ordered, until there are none: from-sets
 * by their points, to-sets by first touch. */
static mplan_status order_others(ordering *o, mplan_error *err)
{
    int32_t **new_of_old = o->orders->new_of_old;
    bool leads_from;
    for (int32_t m; (m = joining_map(o, &leads_from)) >= 0;) {
        mplan_map map = mplan_mesh_map(o->mesh, m);
        int32_t set = leads_from ? map.from : map.to;
        int32_t *order = mplan_alloc(o->mesh->sets[set].size, sizeof *order, err);
        if (!order)
            return MPLAN_ERR_MEMORY;
        mplan_status status = leads_from
                                  ? mplan_order_elements(&map, new_of_old[map.to], order,
                                                         o->context, err)
                                  : mplan_order_first_touch(&map, new_of_old[map.from], order, err);
        if (!status)
            status = mplan_interrupted(o->context, err);
        if (status) {
            free(order);
            return status;
        }
        new_of_old[set] = order;
    }
    for (int32_t s = 0; s < o->mesh->n_sets; s++) {
        if (new_of_old[s] || o->mesh->sets[s].derived)
            continue;
        new_of_old[s] = mplan_alloc(o->mesh->sets[s].size, sizeof *new_of_old[s], err);
        if (!new_of_old[s])
            return MPLAN_ERR_MEMORY;
        keep_order(new_of_old[s], o->mesh->sets[s].size);
    }
    return MPLAN_OK;
}

/* NULL is accepted, and orders that were made in part. */
void mplan_orders_free(mplan_orders *orders)
{
    if (!orders)
        return;
    for (int32_t s = 0; s < orders->n_sets && orders->new_of_old; s++)
        free(orders->new_of_old[s]);
    free(orders->new_of_old);
    free(orders);
}

/* orders->new_of_old: one order per set of the mesh, NULL for those that stay. */
static mplan_status fill(ordering *o, const mplan_orders_options *options, mplan_error *err)
{
    mplan_orders *out = o->orders;
    out->n_sets = o->mesh->n_sets;
    out->new_of_old = mplan_alloc_zero(out->n_sets, sizeof *out->new_of_old, err);
    if (!out->new_of_old)
        return MPLAN_ERR_MEMORY;
    mplan_status status = find_target(o->mesh, options->set, &out->set, err);
    if (status)
        return status;
    int32_t *order = mplan_alloc(o->mesh->sets[out->set].size, sizeof *order, err);
    if (!order)
        return MPLAN_ERR_MEMORY;
    out->new_of_old[out->set] = order;
    mplan_progress(o->context, "renumber", 0, 1);
    status = find_neighbours(o, err);
    if (!status)
        status = renumber(o, options, order, err);
    mplan_csr_free(&o->graph);
    mplan_progress(o->context, "order", 0, 1);
    return !status ? order_others(o, err) : status;
}

/* One order for each set of the mesh, without a plan: the same renumbering as planning, then
 * first touch. *orders is set only after success. */
mplan_status mplan_mesh_orders(const mplan_mesh *mesh, const mplan_orders_options *options,
                               const mplan_context *context, mplan_orders **orders, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(orders);
    mplan_orders_options own = MPLAN_ORDERS_OPTIONS_INIT;
    mplan_status status = mplan_options_take(&own, options, "orders options", err);
    if (status)
        return status;
    options = &own;
    status = mplan_plan_option_check(mplan_plan_option_named("renumber"), &options->renumber, err);
    if (!status)
        status = mplan_mesh_check_memory(mesh, context, err);
    if (status)
        return status;
    ordering o = {.mesh = mesh, .context = context};
    o.orders = mplan_alloc_zero(1, sizeof *o.orders, err);
    if (!o.orders)
        return MPLAN_ERR_MEMORY;
    mplan_threaded threaded;
    o.context = mplan_threaded_open(context, &threaded);
    status = fill(&o, options, err);
    mplan_threaded_close(&threaded);
    free(o.maps);
    if (!status)
        *orders = o.orders;
    else
        mplan_orders_free(o.orders);
    return status;
}
