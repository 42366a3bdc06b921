/* SPDX-License-Identifier: Apache-2.0 */
/* step_renumber.c - the order that the primary loop's blocks are made from
 *
 * The set that its deciding map leads to is renumbered; its elements go lexicographic by their points. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/adjacency.h"
#include "order/order.h"
#include "pipeline/centroids.h"
#include "pipeline/part_plan.h"
#include "pipeline/sample_orders.h"
#include "pipeline/slabs.h"
#include "pipeline/steps.h"

/* CROWDED: entries of a point */
enum { WIDE_ROW = 128, CROWDED = 12 };

/* The planning map whose to-set is renumbered: that of the first incremented arg, else of the
 * first written one, else of the first with a map. -1 without maps. */
static int32_t deciding_map(const planning_loop *loop)
{
    int32_t best = -1, best_rank = -1;
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        if (loop->arg_map[a] < 0)
            continue;
        mplan_access access = loop->loop->args[a].access;
        int32_t rank = mplan_access_adds(access) ? 2 : access == MPLAN_READ ? 0 : 1;
        if (rank > best_rank) {
            best = loop->arg_map[a];
            best_rank = rank;
        }
    }
    return best;
}

int32_t mplan_planning_renumbered(const planning *p)
{
    assert(p);
    const int32_t map = p->n_loops > 0 ? deciding_map(&p->loops[p->primary]) : -1;
    return map < 0 ? -1 : p->maps[map].to;
}

/* How a set goes along a curve. */
typedef struct curve_choice {
    const mplan_map *maps;
    int32_t n_maps;
    bool sampled;       /* a sample says whether coordinates follow the mesh; otherwise they do */
    bool done, follows; /* out: there are coordinates; the order follows the mesh */
} curve_choice;

/* By the coordinates as they are, or, where those mislead, as the mesh's edges stretch them. */
static mplan_status along_curve(planning *p, int32_t set, curve_choice *choice, int32_t *order,
                                mplan_error *err)
{
    int32_t dimension;
    const double *xyz = NULL;
    bool owned = false;
    mplan_status status = mplan_planning_coordinates(p, set, &dimension, &xyz, &owned, err);
    choice->done = !status && xyz;
    if (choice->done)
        status = mplan_order_hilbert(p->sets[set].size, dimension, xyz, order, p->context, err);
    choice->follows = true;
    if (!status && choice->done && choice->sampled)
        status = mplan_planning_curve_follows(choice->maps, choice->n_maps, dimension, xyz, order,
                                              &choice->follows, p->context, err);
    if (owned)
        free((void *)(uintptr_t)xyz);
    return status;
}

/* order: out, new number by member. WIDE_ROW: rows of more points join neighbours in the row
 * only, not all with all, which would have the square of their length in edges. */
static mplan_status by_graph(planning *p, mplan_renumber method, const mplan_map *maps,
                             int32_t n_maps, int32_t *order, mplan_error *err)
{
    mplan_csr graph = {0};
    mplan_status status = method == MPLAN_RENUMBER_AGGLOMERATE &&
                                  mplan_planning_names_all_round(maps, n_maps)
                              ? mplan_graph_of_map(maps, n_maps, &graph, p->context, err)
                              : mplan_graph_of_points(maps, n_maps, WIDE_ROW, &graph, p->context,
                                                      err);
    if (!status)
        status = mplan_order_graph(method, &graph, order, p->context, err);
    mplan_csr_free(&graph);
    return status;
}

/* Whether the primary loop walks long rows first (owner-gather of nodes of tets). Neighbouring lanes of a warp had better be
 * neighbours in space then: along the curve edgefv takes 224 us where 262 along clusters, fescatter 1046 and 1248, although
 * clusters touch fewer points by block. */
static bool walks_long_rows(const planning *p, const mplan_map *maps, int32_t n_maps)
{
    int64_t entries = 0;
    for (int32_t m = 0; m < n_maps; m++)
        entries += mplan_map_entries(&maps[m]);
    return n_maps > 0 && entries > CROWDED * maps[0].n_points &&
           mplan_strategy_has(p->loops[p->primary].strategies[0], MPLAN_TRAIT_OWNERS);
}

/* Renumbers by coordinates where AUTO finds that they follow the mesh, else by the graph. */
static mplan_status renumber_by(planning *p, mplan_renumber *method, int32_t set,
                                const mplan_map *maps, int32_t n_maps, int32_t *order,
                                mplan_error *err)
{
    const bool automatic = *method == MPLAN_RENUMBER_AUTO, curve = *method == MPLAN_RENUMBER_HILBERT;
    curve_choice choice = {
        .maps = maps, .n_maps = n_maps, .sampled = automatic && !walks_long_rows(p, maps, n_maps)};
    mplan_status status = MPLAN_OK;
    if (automatic || curve)
        status = along_curve(p, set, &choice, order, err);
    if (!status && curve && !choice.done)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "renumbering by hilbert needs coordinates of %s",
                          mplan_mesh_set(p->mesh, p->sets[set].mesh_set).name);
    if (automatic)
        *method = choice.done && choice.follows ? MPLAN_RENUMBER_HILBERT : MPLAN_RENUMBER_AGGLOMERATE;
    if (!status && *method != MPLAN_RENUMBER_HILBERT)
        status = by_graph(p, *method, maps, n_maps, order, err);
    return status;
}

/* Order of the to-set that the partitioner's input is made from, and its figures before and
 * after. With --keep-order better the input order is kept where the new profile is not smaller;
 * `kept` says so. maps: the loop's maps to that set. order: out, new number by member. */
static mplan_status renumber(planning *p, int32_t target, const mplan_map *maps, int32_t n_maps,
                             int32_t *order, mplan_error *err)
{
    planning_set *set = &p->sets[target];
    set->renumber = p->options->renumber;
    mplan_status status = mplan_order_measure(maps, n_maps, NULL, &set->bandwidth[0],
                                              &set->profile[0], p->context, err);
    if (!status && set->renumber != MPLAN_RENUMBER_NONE) {
        status = renumber_by(p, &set->renumber, target, maps, n_maps, order, err);
        if (!status && p->asked->device_memory > 0)
            status = mplan_planning_level_order(p, order, err);
        if (!status)
            status = mplan_order_measure(maps, n_maps, order, &set->bandwidth[1], &set->profile[1],
                                         p->context, err);
        set->kept = p->options->keep_better && set->profile[1] >= set->profile[0];
    }
    if (!status && (set->renumber == MPLAN_RENUMBER_NONE || set->kept))
        for (int64_t i = 0; i < set->size; i++)
            order[i] = (int32_t)i;
    return status;
}

/* out->elements: new number by element, lexicographic by the new numbers of its points in `map`.
 * Where the loop runs over the renumbered set, elements are the points. With renumbering off
 * they stay as they are. */
static mplan_status sort_elements(const planning *p, int32_t set, int32_t map,
                                  planning_numbering *out, mplan_error *err)
{
    int32_t target = out->target;
    int64_t n = p->sets[set].size;
    if (target == set)
        memcpy(out->elements, out->points, (size_t)n * sizeof *out->elements);
    else if (p->sets[target].renumber != MPLAN_RENUMBER_NONE) {
        mplan_map view = mplan_planning_mesh_map(p, map);
        return mplan_order_elements(&view, out->points, out->elements, p->context, err);
    }
    return MPLAN_OK;
}

/* After it numbering.elements is a permutation of the loop's set (the identity at first), and
 * numbering.points one of the target where there is a target. In a part without slabs the elements of the halo come last. */
mplan_status mplan_step_renumber(planning *p, mplan_error *err)
{
    assert(p && !p->numbering.elements);
    const planning_loop *loop = &p->loops[p->primary];
    planning_numbering *out = &p->numbering;
    int64_t n = p->sets[loop->set].size;
    int32_t deciding = deciding_map(loop);
    out->target = deciding < 0 ? -1 : p->maps[deciding].to;
    out->elements = mplan_alloc(n, sizeof *out->elements, err);
    if (!out->elements)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; e < n; e++)
        out->elements[e] = (int32_t)e;
    const bool runs = p->options->partitioner == MPLAN_PARTITIONER_NONE;
    const bool by_group = mplan_planning_goes_by_group(p);
    if (out->target < 0)
        return by_group ? mplan_planning_own_first(p, true, err) : MPLAN_OK;
    out->points = mplan_alloc(p->sets[out->target].size, sizeof *out->points, err);
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    mplan_status status = out->points && maps ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status) {
        int32_t n_maps = mplan_planning_maps_to(p, loop, out->target, maps);
        status = renumber(p, out->target, maps, n_maps, out->points, err);
    }
    if (!status)
        status = sort_elements(p, loop->set, deciding, out, err);
    if (!status && by_group)
        status = mplan_planning_own_first(p, runs, err);
    free(maps);
    return status;
}
