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
#include "partition/cut_into.h"
#include "parts/parts.h"
#include "pipeline/partition_wishes.h"

enum {
    HUB = 512
}; /* rows, and lists of elements, that are longer join neighbours in the row only */

/* Parts that may be more than the members: enough for any trial of a small mesh. Each costs a plan and 64 KiB of the bundle. */
enum { MOST_EMPTY_PARTS = 1024 };

mplan_status mplan_parts_check_number(const planning *p, int32_t set, int64_t n_parts,
                                      mplan_error *err)
{
    assert(p && set >= 0 && set < p->n_sets);
    const int64_t n = p->sets[set].size;
    if (n_parts <= n || n_parts <= MOST_EMPTY_PARTS)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "set %s, which is cut, has %lld members: %lld parts are too many (up to %d may be more than the "
                      "members)",
                      mplan_mesh_set(p->mesh, p->sets[set].mesh_set).name, (long long)n,
                      (long long)n_parts, (int)MOST_EMPTY_PARTS);
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
    mplan_status status = mplan_parts_check_number(p, parts->cut, parts->n_parts, err);
    if (status)
        return status;
    parts->how = "file";
    memcpy(parts->owner[parts->cut], options->part, (size_t)n * sizeof *options->part);
    return MPLAN_OK;
}

/* What is asked of the cut, as `partition` is asked for it. */
static mplan_partition_options asked_of(const mplan_parts_options *options, int32_t n_parts)
{
    mplan_partition_options asked = MPLAN_PARTITION_OPTIONS_INIT;
    asked.n_parts = n_parts;
    asked.weights_of = options->weights_of;
    asked.n_weights = options->n_weights;
    asked.n_weight_rows = options->n_weight_rows;
    asked.weights = options->weights;
    asked.n_together = options->n_together;
    asked.together_columns = options->together_columns;
    asked.together = options->together;
    asked.files = options->files;
    return asked;
}

static mplan_partitioner partitioner_of(const mplan_parts_options *options)
{
    return options->partitioner == MPLAN_PARTITIONER_AUTO ? MPLAN_PARTITIONER_NATIVE
                                                          : options->partitioner;
}

mplan_status mplan_parts_check_wishes(const mplan_parts_options *options, mplan_error *err)
{
    assert(options);
    const mplan_partition_options asked = asked_of(options,
                                                   options->n_parts > 0 ? options->n_parts : 1);
    if (options->part && mplan_partition_has_wishes(&asked))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "weights, and what stays together, are for parts that are cut, not for given ones");
    return mplan_partition_check_wishes(&asked, partitioner_of(options), err);
}

/* Cuts the graph of the set, for nodes first where there are any. */
static mplan_status cut_graph(mplan_parts *parts, const mplan_parts_options *options,
                              const mplan_context *context, mplan_error *err)
{
    const planning *p = &parts->whole.p;
    const char *name = p->mesh->sets[p->sets[parts->cut].mesh_set].name;
    mplan_partition_options asked = asked_of(options, parts->n_parts);
    int64_t *layers = NULL;
    const mplan_together together = {options->n_together, options->together_columns,
                                     options->together};
    mplan_csr graph = {0};
    mplan_cut_wishes wishes = {.n_constraints = 0};
    const mplan_cut_into_options how = {.partitioner = partitioner_of(options),
                                        .n_parts = parts->n_parts,
                                        .nodes = options->nodes,
                                        .imbalance = options->imbalance,
                                        .seed = options->seed,
                                        .wishes = &wishes,
                                        .together = options->n_together ? &together : NULL,
                                        .together_file = options->files.together,
                                        .set = name};
    mplan_status status = make_graph(parts, &graph, context, err);
    if (!status && !asked.n_weights)
        status = mplan_parts_layer_weights(parts, &layers, err);
    if (layers) {
        asked.weights_of = name;
        asked.n_weights = 1;
        asked.n_weight_rows = graph.n;
        asked.weights = layers;
    }
    if (!status)
        status = mplan_partition_make_wishes(&asked, name, &graph, NULL, &wishes, context, err);
    if (!status)
        status = mplan_partition_into(&graph, &how, parts->owner[parts->cut], NULL, context, err);
    mplan_partition_free_wishes(&wishes);
    free(layers);
    mplan_csr_free(&graph);
    return status;
}

mplan_status mplan_parts_cut(mplan_parts *parts, const mplan_parts_options *options,
                             const mplan_context *context, mplan_error *err)
{
    assert(parts && options && parts->owner);
    const planning *p = &parts->whole.p;
    parts->cut = mplan_parts_cut_of(p);
    parts->n_parts = options->n_parts;
    parts->how = options->partitioner == MPLAN_PARTITIONER_METIS    ? "metis"
                 : options->partitioner == MPLAN_PARTITIONER_SCOTCH ? "scotch"
                                                                    : "native";
    parts->owner[parts->cut] = mplan_alloc(p->sets[parts->cut].size, sizeof **parts->owner, err);
    if (!parts->owner[parts->cut])
        return MPLAN_ERR_MEMORY;
    if (options->part)
        return mplan_fail_of_file(err, take_parts(parts, options, err), options->files.part);
    mplan_status status = mplan_parts_check_number(p, parts->cut, parts->n_parts, err);
    return status ? status : cut_graph(parts, options, context, err);
}
