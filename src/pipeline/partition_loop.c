/* SPDX-License-Identifier: Apache-2.0 */
/* partition_loop.c - cuts the elements of one loop into blocks
 *
 * With METIS and SCOTCH by the recipe of Sulyok et al. 2019, section 4.2: a k-way partition for parts
 * somewhat smaller than the block limit, so that the imbalance the partitioner
 * is allowed still keeps the limit; what breaks it all the same is repaired. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "mesh/adjacency.h"
#include "mesh/mesh.h"
#include "order/order.h"
#include "partition/partition.h"
#include "pipeline/centroids.h"
#include "pipeline/partition_loop.h"
#include "pipeline/sample_orders.h"
#include "pipeline/side_by_side.h"
#include "plan/packed.h"
#include "plan/strategies.h"
#include "tables/tables.h"

enum { HUB = 512 };

/* Limits of the request, else those of the device. maps: one per map of the
 * loop, must outlive the limits. */
mplan_block_limits mplan_planning_limits(const planning *p, const planning_loop *loop,
                                         const mplan_map *maps)
{
    assert(p && loop);
    const mplan_plan_options *options = p->options;
    mplan_block_limits limits = {
        .block_size = options->block_size,
        .max_points = options->max_points ? options->max_points : MPLAN_LOCAL_MOST,
        .shared_bytes = options->shared_bytes ? options->shared_bytes : p->device.shared_bytes,
        .n_maps = loop->n_maps,
        .n_dats = loop->n_dats,
        .maps = maps,
        .dats = loop->dats};
    return limits;
}

/* Whether the loop runs over the mesh's cells as they were read: only then does "cells_cells"
 * speak of its elements. A mesh whose cells or nodes were split has no types of cells any more,
 * and no faces to derive. */
static bool is_cells(const planning *p, const planning_loop *loop)
{
    int32_t mesh_set = p->sets[loop->set].mesh_set;
    return mplan_mesh_cell_types(p->mesh) && mplan_mesh_find_set(p->mesh, "cells") == mesh_set;
}

/* Cells that share a face, in the numbering at hand: rows and entries of cells_cells both go by
 * element_order. */
static mplan_status face_graph(planning *p, const int32_t *element_order, mplan_csr *graph,
                               mplan_error *err)
{
    int64_t *offsets = NULL;
    int32_t *values = NULL;
    mplan_status status = mplan_mesh_derive(p->mesh, "cells_cells", p->context, err);
    if (status)
        return status;
    mplan_map map = mplan_mesh_map(p->mesh, mplan_mesh_find_map(p->mesh, "cells_cells"));
    status = mplan_table_reorder_map(&map, element_order, map.n_rows, element_order, &offsets,
                                     &values, p->context, err);
    if (!status) {
        map.offsets = offsets;
        map.values = values;
        status = mplan_graph_of_map(&map, 1, graph, p->context, err);
    }
    free(offsets);
    free(values);
    return status;
}

/* The graph that METIS and SCOTCH cut: shared points, or shared faces of cells.
 * element_order: new number per element. */
static mplan_status element_graph(planning *p, const planning_loop *loop, const mplan_map *maps,
                                  const int32_t *element_order, mplan_csr *graph, mplan_error *err)
{
    bool cells = is_cells(p, loop);
    if (p->options->graph == MPLAN_GRAPH_FACES && !cells)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: only loops over the whole cells of a mesh have a graph of "
                          "shared faces; use --graph points",
                          loop->loop->name);
    if (cells && p->options->graph != MPLAN_GRAPH_POINTS)
        return face_graph(p, element_order, graph, err);
    return mplan_graph_of_elements(maps, loop->n_maps, HUB, graph, err);
}

/* Runs along a Hilbert curve through the elements. along[e]: place on the curve of the mesh's
 * element e; order[i]: the element at place i, as it is numbered here, which is what runs are
 * taken of; those numbered n and more are left out. block: out, by numbered element. */
static mplan_status hilbert_runs(planning *p, const planning_loop *loop,
                                 const mplan_block_limits *limits, int64_t n,
                                 const int32_t *element_order, int32_t *block, int64_t *n_blocks,
                                 mplan_error *err)
{
    const int64_t all = p->sets[loop->set].size;
    int32_t dimension;
    const double *xyz = NULL;
    bool owned = false;
    int32_t *along = NULL, *order = NULL;
    mplan_status status = mplan_planning_coordinates(p, loop->set, &dimension, &xyz, &owned, err);
    if (!status && !xyz)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "loop %s: the hilbert partitioner needs coordinates of %s or of a set "
                            "that a map leads to",
                            loop->loop->name,
                            mplan_mesh_set(p->mesh, p->sets[loop->set].mesh_set).name);
    if (status)
        goto done;
    status = MPLAN_ERR_MEMORY;
    along = mplan_alloc(all, sizeof *along, err);
    if (!along)
        goto done;
    status = mplan_order_hilbert(all, dimension, xyz, along, p->context, err);
    if (owned)
        free((void *)(uintptr_t)xyz);
    owned = false;
    if (status)
        goto done;
    order = mplan_alloc(all, sizeof *order, err);
    if (!order) {
        status = MPLAN_ERR_MEMORY;
        goto done;
    }
    for (int64_t e = 0; e < all; e++)
        order[along[e]] = element_order[e];
    for (int64_t i = 0, kept = 0; i < all && n < all; i++)
        if (order[i] < n)
            order[kept++] = order[i];
    free(along);
    along = NULL;
    status = mplan_partition_runs(n, order, limits, block, n_blocks, err);
done:
    if (owned)
        free((void *)(uintptr_t)xyz);
    free(along);
    free(order);
    return status;
}

/* Asks for parts somewhat below the block size, as the paper does, and has them repaired. The
 * graph is in the numbering of element_order, so METIS and SCOTCH see the renumbered mesh.
 * block: out, one per numbered element. */
static mplan_status graph_parts(planning *p, const planning_loop *loop, const mplan_map *maps,
                                const mplan_block_limits *limits, int64_t n,
                                const int32_t *element_order, int32_t *block, int64_t *n_blocks,
                                mplan_error *err)
{
    const mplan_plan_options *options = p->options;
    int64_t n_parts, moved;
    int32_t ufactor;
    mplan_csr graph = {0};
    mplan_partition_figures(n, options->block_size, options->imbalance, &n_parts, &ufactor);
    double start = mplan_clock(), cpu = mplan_clock_cpu();
    mplan_status status = element_graph(p, loop, maps, element_order, &graph, err);
    p->times.graph += mplan_clock() - start;
    p->times.graph_cpu += mplan_clock_cpu() - cpu;
    if (!status && options->partitioner == MPLAN_PARTITIONER_METIS)
        status = mplan_partition_metis(&graph, n_parts, ufactor, options->seed, NULL, block,
                                       p->context, err);
    else if (!status)
        status = mplan_partition_scotch(&graph, n_parts, ufactor / 1000.0, options->seed, NULL,
                                        block, p->context, err);
    if (!status)
        status = mplan_partition_repair(n, NULL, &graph, limits, n_parts, block, n_blocks, &moved,
                                        err);
    mplan_csr_free(&graph);
    return status;
}

/* Maps and whether they have been dropped. */
typedef struct lent_maps {
    const planning_numbered *of;
    bool dropped;
} lent_maps;

static void drop_maps(void *data)
{
    lent_maps *lent = data;
    lent->of->drop(lent->of->owner);
    lent->dropped = true;
}

/* Blocks by the native partitioner, which decides block by block whether coordinates follow the mesh. */
static mplan_status native_blocks(planning *p, const planning_loop *loop,
                                  const mplan_block_limits *limits, lent_maps *lent, int32_t *block,
                                  int64_t *n_blocks, mplan_block_origin *origin, mplan_error *err)
{
    mplan_native_options options = {.effort = p->options->effort,
                                    .fill = p->options->fill,
                                    .release = lent->of->drop ? drop_maps : NULL,
                                    .release_data = lent};
    const int64_t n = lent->of->n;
    mplan_native_finder finder;
    mplan_status status = mplan_centroid_finder(p->mesh, p->sets[loop->set].mesh_set,
                                                &options.dimension, &finder, err);
    finder.element = lent->of->element_order;
    finder.n_elements = n;
    options.finder = finder.find ? &finder : NULL;
    if (!status)
        status = mplan_partition_native(n, limits, &options, block, n_blocks, origin, p->context,
                                        err);
    mplan_centroid_finder_free(&finder);
    return status;
}

bool mplan_planning_runs_blocks(const planning_loop *loop)
{
    assert(loop);
    bool written = false;
    for (int32_t m = 0; m < loop->n_maps; m++)
        written = written || loop->map_written[m];
    for (int32_t s = 0; s < loop->n_strategies; s++)
        if (mplan_strategy_has(loop->strategies[s], MPLAN_TRAIT_BLOCKS) &&
            (written || !mplan_strategy_has(loop->strategies[s], MPLAN_TRAITS_GATHER)))
            return true;
    return false;
}

/* The loop's maps as the mesh has them; the array is the caller's. */
static mplan_map *maps_of_mesh(const planning *p, const planning_loop *loop, mplan_error *err)
{
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    for (int32_t m = 0; maps && m < loop->n_maps; m++)
        maps[m] = mplan_planning_mesh_map(p, loop->maps[m]);
    return maps;
}

mplan_status mplan_planning_without_blocks(const planning *p, const planning_loop *loop, bool *none,
                                           mplan_error *err)
{
    assert(p && loop && none);
    int64_t element = -1;
    *none = false;
    if (mplan_planning_runs_blocks(loop) || loop->n_maps == 0)
        return MPLAN_OK;
    mplan_map *maps = maps_of_mesh(p, loop, err);
    mplan_block_limits limits = mplan_planning_limits(p, loop, maps);
    mplan_status status = maps ? mplan_partition_find_large(p->sets[loop->set].size, &limits,
                                                            &element, err)
                               : MPLAN_ERR_MEMORY;
    free(maps);
    *none = element >= 0;
    return status;
}

/* Those that can take the loop all the same, as the end of a sentence. */
static void name_others(const planning *p, const planning_loop *loop, char *text, size_t size)
{
    const char *why;
    size_t used = 0;
    text[0] = 0;
    for (int s = 0; s < MPLAN_N_STRATEGIES && used < size; s++) {
        const mplan_strategy other = (mplan_strategy)s;
        if (mplan_strategy_has(other, MPLAN_TRAIT_BLOCKS) || !mplan_planning_may_run(loop, other) ||
            (mplan_strategy_has(other, MPLAN_TRAITS_GATHER) && !mplan_planning_gathers(p, loop, &why)))
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 used ? ", " : "; strategies without blocks can take it: ",
                                 mplan_strategy_name(other));
    }
}

/* A cut that failed named an element in a numbering that no one outside knows:
 * when a single element breaks a limit, says which of the file's it is. */
static mplan_status name_breaker(const planning *p, const planning_loop *loop, mplan_status failure,
                                 mplan_error *err)
{
    const int32_t set = p->sets[loop->set].mesh_set;
    const int64_t *ids = mplan_mesh_global_ids(p->mesh, set);
    int64_t element = -1;
    mplan_map *maps = maps_of_mesh(p, loop, err);
    if (!maps)
        return MPLAN_ERR_MEMORY;
    mplan_block_limits limits = mplan_planning_limits(p, loop, maps);
    mplan_status status = mplan_partition_find_large(p->sets[loop->set].size, &limits, &element, err);
    if (!status && element >= 0) {
        mplan_error why = {MPLAN_OK, ""};
        char others[160];
        name_others(p, loop, others, sizeof others);
        status = mplan_partition_refuse_large(&limits, element, ids ? ids[element] : element, &why);
        status = mplan_fail(err, status, "loop %.60s over %.50s%s%.300s: %s%s", loop->loop->name,
                            loop->loop->over, p->mesh->source ? " of " : "",
                            p->mesh->source ? p->mesh->source : "", why.text, others);
    } else if (!status) {
        status = failure;
    }
    free(maps);
    return status;
}

/* Blocks are runs of the renumbered order; an element that breaks a limit by
 * itself is named as the user knows it. */
mplan_status mplan_planning_runs(const planning *p, const planning_loop *loop, const mplan_map *maps,
                                 int64_t n, int32_t *block, int64_t *n_blocks, mplan_error *err)
{
    assert(p && loop && maps && block && n_blocks);
    mplan_block_limits limits = mplan_planning_limits(p, loop, maps);
    mplan_status status = mplan_partition_runs(n, NULL, &limits, block, n_blocks, err);
    return status == MPLAN_ERR_ARGUMENT ? name_breaker(p, loop, status, err) : status;
}

/* block: out, block per renumbered element; *origin: how they were made. */
mplan_status mplan_planning_partition(planning *p, const planning_loop *loop,
                                      const planning_numbered *of, int32_t *block, int64_t *n_blocks,
                                      mplan_block_origin *origin, mplan_error *err)
{
    assert(p && loop && of && of->maps && of->element_order && !of->drop == !of->restore && block &&
           n_blocks && origin);
    const mplan_map *maps = of->maps;
    const int64_t n = of->n;
    lent_maps lent = {of, false};
    mplan_block_limits limits = mplan_planning_limits(p, loop, maps);
    *origin = (mplan_block_origin){.origin = MPLAN_ORIGIN_OTHER};
    if (p->options->partitioner == MPLAN_PARTITIONER_NONE || loop->n_maps == 0)
        return mplan_planning_runs(p, loop, maps, n, block, n_blocks, err);
    mplan_status status;
    double cpu = mplan_clock_cpu();
    if (p->options->partitioner == MPLAN_PARTITIONER_NATIVE)
        status = native_blocks(p, loop, &limits, &lent, block, n_blocks, origin, err);
    else if (p->options->partitioner == MPLAN_PARTITIONER_HILBERT)
        status = hilbert_runs(p, loop, &limits, n, of->element_order, block, n_blocks, err);
    else
        status = graph_parts(p, loop, maps, &limits, n, of->element_order, block, n_blocks, err);
    p->times.partition_cpu += mplan_clock_cpu() - cpu;
    if (!status && lent.dropped)
        status = of->restore(of->owner, err);
    if (!status && p->options->partitioner != MPLAN_PARTITIONER_HILBERT)
        status = mplan_order_blocks(maps, loop->n_maps, *n_blocks, block, p->context, err);
    return status == MPLAN_ERR_ARGUMENT ? name_breaker(p, loop, status, err) : status;
}
