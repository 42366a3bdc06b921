/* order_sets.c - one stored order for every set of the plan
 *
 * The primary loop decides: its to-set is renumbered, its elements go
 * lexicographic by their points and are cut into blocks; elements are stored by
 * block, points by the blocks that touch them. Every other set follows the sets
 * that maps join it with. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/adjacency.h"
#include "order/order.h"
#include "pipeline/pipeline.h"

enum { WIDE_ROW = 128 };

/* n entries, the caller's; NULL without memory. */
static int32_t *identity(int64_t n, mplan_error *err)
{
    int32_t *order = mplan_alloc(n, sizeof *order, err);
    for (int64_t i = 0; order && i < n; i++)
        order[i] = (int32_t)i;
    return order;
}

/* Position in the loop's maps of the one that decides: the first incremented
 * arg, else the first written, else the first with a map. -1 without maps. */
static int32_t deciding_map(const planning_loop *loop)
{
    int32_t best = -1, best_rank = -1;
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        if (loop->arg_map[a] < 0)
            continue;
        mplan_access access = loop->loop->args[a].access;
        int32_t rank = access == MPLAN_INC ? 2 : access == MPLAN_READ ? 0 : 1;
        if (rank > best_rank) {
            best = loop->arg_map[a];
            best_rank = rank;
        }
    }
    return best;
}

/* The maps of a loop that lead to a planning set, as the mesh has them. */
static int32_t maps_to(const planning *plan, const planning_loop *loop, int32_t set,
                       mplan_map *maps)
{
    int32_t n = 0;
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (plan->maps[loop->maps[m]].to == set)
            maps[n++] = mplan_planning_mesh_map(plan, loop->maps[m]);
    return n;
}

/* *done: whether there are coordinates to order by. */
static mplan_status along_curve(planning *plan, int32_t set, int32_t *order, bool *done,
                                mplan_error *err)
{
    int32_t dimension;
    const double *xyz = NULL;
    bool owned = false;
    mplan_status status = mplan_planning_coordinates(plan, set, &dimension, &xyz, &owned, err);
    *done = status == MPLAN_OK && xyz;
    if (*done)
        status = mplan_order_hilbert(plan->sets[set].size, dimension, xyz, order, err);
    if (owned)
        free((void *)(uintptr_t)xyz);
    return status;
}

/* order: out, one per point of the maps. */
static mplan_status by_graph(planning *plan, mplan_renumber method, const mplan_map *maps,
                             int32_t n_maps, int32_t *order, mplan_error *err)
{
    mplan_csr graph = {0};
    mplan_status status = mplan_graph_of_points(maps, n_maps, WIDE_ROW, &graph, err);
    if (status == MPLAN_OK)
        status = mplan_order_graph(method, &graph, order, plan->context, err);
    mplan_csr_free(&graph);
    return status;
}

/* Renumbers by coordinates where AUTO finds that they follow the mesh, else by the graph. Where coordinates are
 * there and AUTO or the native partitioner would follow them, plan->curve_share says how well. */
static mplan_status renumber_by(planning *plan, mplan_renumber *method, int32_t set,
                                const mplan_map *maps, int32_t n_maps, int32_t *order,
                                mplan_error *err)
{
    bool automatic = *method == MPLAN_RENUMBER_AUTO, curve = *method == MPLAN_RENUMBER_HILBERT;
    bool looks = automatic || plan->options->partitioner == MPLAN_PARTITIONER_NATIVE, done = false;
    mplan_status status = MPLAN_OK;
    if (looks || curve)
        status = along_curve(plan, set, order, &done, err);
    if (status == MPLAN_OK && curve && !done)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "renumbering by hilbert needs coordinates of %s",
                          mplan_mesh_set(plan->mesh, plan->sets[set].mesh_set).name);
    if (status == MPLAN_OK && looks && done)
        status = mplan_planning_curve_share(maps, n_maps, order, plan->context, &plan->curve_share,
                                            err);
    if (automatic)
        *method = done && plan->curve_share >= MPLAN_SHARE_FOR_ORDER ? MPLAN_RENUMBER_HILBERT
                                                                     : MPLAN_RENUMBER_AGGLOMERATE;
    if (status == MPLAN_OK && *method != MPLAN_RENUMBER_HILBERT)
        status = by_graph(plan, *method, maps, n_maps, order, err);
    return status;
}

/* Order of the to-set that the partitioner's input is made from. The input
 * order is kept where its profile is not larger. */
static mplan_status renumber(planning *plan, int32_t target, const mplan_map *maps,
                             int32_t n_maps, int32_t *order, mplan_error *err)
{
    planning_set *set = &plan->sets[target];
    set->renumber = plan->options->renumber;
    mplan_status status =
        mplan_order_measure(maps, n_maps, NULL, &set->bandwidth[0], &set->profile[0], err);
    if (status == MPLAN_OK && set->renumber != MPLAN_RENUMBER_NONE) {
        status = renumber_by(plan, &set->renumber, target, maps, n_maps, order, err);
        if (status == MPLAN_OK)
            status = mplan_order_measure(maps, n_maps, order, &set->bandwidth[1], &set->profile[1],
                                         err);
        set->kept = plan->options->keep_better && set->profile[1] >= set->profile[0];
    }
    if (status == MPLAN_OK && (set->renumber == MPLAN_RENUMBER_NONE || set->kept))
        for (int64_t i = 0; i < set->size; i++)
            order[i] = (int32_t)i;
    return status;
}

/* The loop's maps with elements renumbered (and points of `target` too). */
typedef struct renumbered_maps {
    int32_t n;
    mplan_map *maps;
} renumbered_maps;

static void renumbered_free(renumbered_maps *out)
{
    for (int32_t m = 0; out->maps && m < out->n; m++) {
        free((void *)(uintptr_t)out->maps[m].offsets);
        free((void *)(uintptr_t)out->maps[m].values);
    }
    free(out->maps);
}

/* The loop's maps under the renumbering: out->maps[m] own their entries. target:
 * the set that is renumbered by point_order; element_order: of the loop's set. */
static mplan_status renumber_maps(planning *plan, const planning_loop *loop,
                                  const int32_t *element_order, int32_t target,
                                  const int32_t *point_order, renumbered_maps *out,
                                  mplan_error *err)
{
    *out = (renumbered_maps){loop->n_maps, NULL};
    out->maps = mplan_alloc_zero(loop->n_maps, sizeof *out->maps, err);
    if (!out->maps)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < loop->n_maps && status == MPLAN_OK; m++) {
        mplan_map map = mplan_planning_mesh_map(plan, loop->maps[m]);
        bool own = map.to == loop->set, renumbered = map.to == target;
        int32_t *same = own || renumbered ? NULL : identity(map.n_points, err);
        const int32_t *points = own ? element_order : renumbered ? point_order : same;
        int64_t *offsets = NULL;
        int32_t *values = NULL;
        status = points ? mplan_table_reorder_map(&map, element_order, map.n_rows, points,
                                                  &offsets, &values, plan->context, err)
                        : MPLAN_ERR_MEMORY;
        free(same);
        map.offsets = offsets;
        map.values = values;
        out->maps[m] = map;
    }
    return status;
}

/* Stores the blocks of the primary loop as offsets over its stored order. */
static mplan_status keep_blocks(planning *plan, int64_t n, const int32_t *block, int64_t n_blocks,
                                mplan_block_origin origin, mplan_error *err)
{
    int64_t *offsets = mplan_alloc_zero(n_blocks + 1, sizeof *offsets, err);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < n; e++)
        offsets[block[e] + 1]++;
    for (int64_t b = 0; b < n_blocks; b++)
        offsets[b + 1] += offsets[b];
    plan->primary_blocks = (planning_blocks){n_blocks, offsets, NULL, origin};
    return MPLAN_OK;
}

/* Cuts the primary loop's elements into blocks. element_order: their order
 * before, replaced by the stored one. block: the block of every member. */
static mplan_status cut_primary(planning *plan, const planning_loop *loop, int32_t target,
                                const int32_t *point_order, int32_t *element_order,
                                int32_t *block, mplan_error *err)
{
    int64_t n = plan->sets[loop->set].size, n_blocks = 0;
    renumbered_maps maps = {0, NULL};
    mplan_block_origin origin;
    int32_t *place = NULL;
    int32_t *part = mplan_alloc(n, sizeof *part, err);
    mplan_status status = part ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (status == MPLAN_OK)
        status = renumber_maps(plan, loop, element_order, target, point_order, &maps, err);
    if (status == MPLAN_OK)
        status = mplan_planning_partition(plan, loop, maps.maps, element_order, part, &n_blocks,
                                          &origin, err);
    renumbered_free(&maps);
    if (status == MPLAN_OK)
        status = keep_blocks(plan, n, part, n_blocks, origin, err);
    if (status != MPLAN_OK)
        goto done;
    status = MPLAN_ERR_MEMORY;
    place = mplan_alloc(n, sizeof *place, err);
    if (!place)
        goto done;
    status = mplan_order_by_block(n, part, n_blocks, NULL, place, err);
    for (int64_t e = 0; e < n && status == MPLAN_OK; e++) {
        block[e] = part[element_order[e]];
        element_order[e] = place[element_order[e]];
    }
done:
    free(part);
    free(place);
    return status;
}

/* Holes are for sets that are gathered from alone: no loop runs over them, and
 * no map leaves them. */
static bool may_have_holes(const planning *plan, int32_t set)
{
    for (int32_t l = 0; l < plan->n_loops; l++)
        if (plan->loops[l].set == set)
            return false;
    for (int32_t m = 0; m < plan->n_maps; m++)
        if (plan->maps[m].from == set)
            return false;
    return true;
}

/* Points of one to-set of the primary loop by the blocks that touch them. */
static mplan_status order_target(planning *plan, const planning_loop *loop, int32_t target,
                                 const int32_t *block, const int32_t *element_order,
                                 int32_t *renumbered, mplan_error *err)
{
    planning_set *set = &plan->sets[target];
    mplan_point_order wanted = plan->options->point_order;
    int64_t storage = set->size;
    bool padded = wanted == MPLAN_POINTS_PADDED && may_have_holes(plan, target);
    bool in_lines = wanted == MPLAN_POINTS_LINES || wanted == MPLAN_POINTS_PADDED;
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    int32_t *order = mplan_alloc(set->size, sizeof *order, err);
    int32_t *earlier = NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    if (!maps || !order)
        goto done;
    status = MPLAN_OK;
    int32_t n_maps = maps_to(plan, loop, target, maps);
    if (!renumbered) {
        earlier = mplan_alloc(set->size, sizeof *earlier, err);
        status = earlier ? mplan_order_first_touch(&maps[0], element_order, earlier, err)
                         : MPLAN_ERR_MEMORY;
    }
    const int32_t *before = renumbered ? renumbered : earlier;
    if (status == MPLAN_OK && wanted == MPLAN_POINTS_RENUMBERED)
        memcpy(order, before, (size_t)set->size * sizeof *order);
    else if (status == MPLAN_OK && in_lines)
        status = mplan_order_points_in_lines(maps, n_maps, block, padded, before, order, &storage,
                                             err);
    else if (status == MPLAN_OK)
        status = mplan_order_points(maps, n_maps, block, wanted == MPLAN_POINTS_COUNT, before,
                                    order, err);
    if (status == MPLAN_OK) {
        set->new_of_old = order;
        set->storage = storage;
        order = NULL;
    }
done:
    free(maps);
    free(order);
    free(earlier);
    return status;
}

/* Orders the sets of the primary loop. */
static mplan_status order_primary(planning *plan, mplan_error *err)
{
    const planning_loop *loop = &plan->loops[plan->primary];
    planning_set *from = &plan->sets[loop->set];
    int32_t deciding = deciding_map(loop);
    int32_t target = deciding < 0 ? -1 : plan->maps[deciding].to;
    int32_t *point_order = NULL, *block = NULL;
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    int32_t *element_order = identity(from->size, err);
    mplan_status status = maps && element_order ? MPLAN_OK : MPLAN_ERR_MEMORY;
    double start = mplan_planning_clock();
    if (status == MPLAN_OK && target >= 0) {
        int32_t n_maps = maps_to(plan, loop, target, maps);
        point_order = mplan_alloc(plan->sets[target].size, sizeof *point_order, err);
        status = point_order ? renumber(plan, target, maps, n_maps, point_order, err)
                             : MPLAN_ERR_MEMORY;
        if (status == MPLAN_OK && target == loop->set)
            memcpy(element_order, point_order, (size_t)from->size * sizeof *element_order);
        else if (status == MPLAN_OK && plan->sets[target].renumber != MPLAN_RENUMBER_NONE) {
            mplan_map map = mplan_planning_mesh_map(plan, deciding);
            status = mplan_order_elements(&map, point_order, element_order, err);
        }
    }
    plan->times.order += mplan_planning_clock() - start;
    if (status == MPLAN_OK)
        status = mplan_interrupted(plan->context, err);
    if (status != MPLAN_OK)
        goto done;
    status = MPLAN_ERR_MEMORY;
    start = mplan_planning_clock();
    block = mplan_alloc(from->size, sizeof *block, err);
    if (!block)
        goto done;
    mplan_progress(plan->context, "partition", 0, 1);
    status = cut_primary(plan, loop, target, point_order, element_order, block, err);
    plan->times.partition += mplan_planning_clock() - start;
    start = mplan_planning_clock();
    mplan_progress(plan->context, "order", 0, 1);
    for (int32_t t = 0; t < loop->n_targets && status == MPLAN_OK; t++)
        if (loop->targets[t] != loop->set)
            status = order_target(plan, loop, loop->targets[t], block, element_order,
                                  loop->targets[t] == target ? point_order : NULL, err);
    if (status == MPLAN_OK) {
        from->new_of_old = element_order;
        element_order = NULL;
        if (target >= 0) {
            int32_t n_maps = maps_to(plan, loop, target, maps);
            planning_set *set = &plan->sets[target];
            status = mplan_order_measure(maps, n_maps, set->new_of_old, &set->bandwidth[2],
                                         &set->profile[2], err);
        }
    }
    plan->times.order += mplan_planning_clock() - start;
done:
    free(maps);
    free(element_order);
    free(point_order);
    free(block);
    return status;
}

/* A map of the plan that joins an unordered set with an ordered one: as its
 * from-set (elements by their points) before as its to-set (first touch). */
static int32_t joining_map(const planning *plan, bool as_from)
{
    for (int32_t m = 0; m < plan->n_maps; m++) {
        const planning_map *map = &plan->maps[m];
        bool from_known = plan->sets[map->from].new_of_old, to_known = plan->sets[map->to].new_of_old;
        if (as_from ? !from_known && to_known : from_known && !to_known)
            return m;
    }
    return -1;
}

/* Sets that the primary loop does not touch, by maps that join them to ordered
 * ones; those that nothing joins keep the order of the input. */
static mplan_status order_others(planning *plan, mplan_error *err)
{
    for (;;) {
        bool as_from = true;
        int32_t m = joining_map(plan, true);
        if (m < 0) {
            as_from = false;
            m = joining_map(plan, false);
        }
        if (m < 0)
            break;
        mplan_map map = mplan_planning_mesh_map(plan, m);
        planning_set *set = &plan->sets[as_from ? map.from : map.to];
        int32_t *order = mplan_alloc(set->size, sizeof *order, err);
        if (!order)
            return MPLAN_ERR_MEMORY;
        mplan_status status =
            as_from ? mplan_order_elements(&map, plan->sets[map.to].new_of_old, order, err)
                    : mplan_order_first_touch(&map, plan->sets[map.from].new_of_old, order, err);
        if (status != MPLAN_OK) {
            free(order);
            return status;
        }
        set->new_of_old = order;
    }
    for (int32_t s = 0; s < plan->n_sets; s++)
        if (!plan->sets[s].new_of_old &&
            !(plan->sets[s].new_of_old = identity(plan->sets[s].size, err)))
            return MPLAN_ERR_MEMORY;
    return MPLAN_OK;
}

/* Afterwards every set has new_of_old, and plan->primary_blocks the blocks of
 * the primary loop. */
mplan_status mplan_planning_order(planning *plan, mplan_error *err)
{
    mplan_progress(plan->context, "renumber", 0, 1);
    mplan_status status = order_primary(plan, err);
    if (status != MPLAN_OK)
        return status;
    double start = mplan_planning_clock();
    status = order_others(plan, err);
    plan->times.order += mplan_planning_clock() - start;
    return status;
}

/* Maps under the stored orders, which the plan keeps. */
mplan_status mplan_planning_store_maps(planning *plan, mplan_error *err)
{
    for (int32_t m = 0; m < plan->n_maps; m++) {
        mplan_map map = mplan_planning_mesh_map(plan, m);
        mplan_status status = mplan_table_reorder_map(
            &map, plan->sets[map.from].new_of_old, plan->sets[map.from].size,
            plan->sets[map.to].new_of_old, &plan->maps[m].offsets, &plan->maps[m].values,
            plan->context, err);
        if (status != MPLAN_OK)
            return status;
    }
    return MPLAN_OK;
}
