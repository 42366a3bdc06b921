/* SPDX-License-Identifier: Apache-2.0 */
/* loop_shape.c - what the cost model has to know of a loop, from its args and maps
 *
 * Sizes and valences come from the mesh's own maps: they do not depend on any order. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "pipeline/loop_shape.h"
#include "pipeline/mesh_facts.h"
#include "pipeline/partition_loop.h"
#include "pipeline/side_by_side.h"

/* Whether an earlier arg of the loop names the same dat. */
static bool named_before(const mplan_loop *loop, int32_t arg)
{
    for (int32_t a = 0; a < arg; a++)
        if (strcmp(loop->args[a].dat, loop->args[arg].dat) == 0)
            return true;
    return false;
}

/* Bytes of one member's row of the dat. */
static double bytes_of(const mplan_arg *arg)
{
    return arg->dim * (double)mplan_type_size(arg->type);
}

/* Slots of a map of planning, a mean where it is ragged. */
static double slots_of(const planning *p, int32_t map)
{
    const int32_t arity = mplan_planning_mesh_map(p, map).arity;
    const int64_t rows = p->sets[p->maps[map].from].size;
    if (arity)
        return arity;
    return rows > 0 ? (double)mplan_planning_entries(p, map) / (double)rows : 0;
}

/* The planning set that the loop increments, else the one it writes through a map; the
 * first of several; -1 without. Says, too, whether the loop gathers. */
static int32_t incremented_set(const planning *p, const planning_loop *loop, mplan_loop_shape *shape)
{
    int32_t set = -1;
    bool alone = true, incremented = false;
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        mplan_access access = loop->loop->args[a].access;
        if (loop->arg_map[a] < 0 || access == MPLAN_READ)
            continue;
        alone = alone && (!loop->arg_once[a] || mplan_planning_writes_beside(loop, a));
        if (loop->arg_once[a]) /* no two elements meet there */
            continue;
        const planning_map *map = &p->maps[loop->arg_map[a]];
        bool fixed = mplan_planning_mesh_map(p, loop->arg_map[a]).arity > 0;
        alone = alone && mplan_access_adds(access) && fixed && (set < 0 || set == map->to);
        incremented = true;
        set = set < 0 ? map->to : set;
    }
    shape->conflicts = incremented;
    shape->writes = mplan_planning_needs_colours(loop);
    shape->gathers = incremented && alone;
    return set;
}

/* Columns, entries and valences of the maps to the incremented set (-1: none, and only
 * other_slots is filled). Ragged maps count their mean slots, rounded up. *all_touch: every
 * element has an entry in one of the maps that the loop writes by. */
static mplan_status measure_maps(const planning *p, const planning_loop *loop, int32_t set,
                                 mplan_loop_shape *shape, bool *all_touch, mplan_error *err)
{
    double columns = 0, local = 0;
    int32_t n = 0;
    int32_t *written = mplan_alloc(loop->n_maps, sizeof *written, err);
    if (!written)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < loop->n_maps; m++) {
        const double slots = slots_of(p, loop->maps[m]);
        if (p->maps[loop->maps[m]].to != set) {
            shape->other_slots += slots;
            continue;
        }
        local += slots;
        if (!loop->map_written[m])
            continue;
        columns += slots;
        written[n++] = loop->maps[m];
    }
    mplan_reach reach = {0};
    mplan_status status = n > 0 ? mplan_planning_reach(p, n, written, &reach, err) : MPLAN_OK;
    free(written);
    shape->entries = reach.entries;
    shape->active = reach.points;
    shape->valence_max = reach.valence_max;
    shape->apart = reach.apart && n == 1;
    shape->columns = (int32_t)(columns + 0.999);
    shape->local_columns = (int32_t)(local + 0.999);
    *all_touch = reach.all;
    return status;
}

/* Whether owner-gather may run the loop; it writes direct results of elements where they have
 * a point. */
static bool recomputes(const planning_loop *loop, bool all_touch)
{
    bool writes = false;
    for (int32_t a = 0; a < loop->loop->n_args; a++)
        writes = writes || ((loop->arg_map[a] < 0 || loop->arg_once[a]) &&
                            loop->loop->args[a].access != MPLAN_READ);
    return mplan_planning_may_run(loop, MPLAN_STRATEGY_OWNER_GATHER) && (!writes || all_touch);
}

/* Members of the set of a map that a loop reaches at most. */
static double reached(const planning *p, int32_t map)
{
    const double entries = (double)mplan_planning_entries(p, map),
                 points = (double)p->sets[p->maps[map].to].size;
    return entries < points ? entries : points;
}

/* set: the one that is incremented, -1 if none. A dat that an earlier arg names
 * is loaded once. */
static void add_mapped_bytes(const planning *p, const planning_loop *loop, int32_t a, int32_t set,
                             mplan_loop_shape *shape)
{
    const mplan_arg *arg = &loop->loop->args[a];
    const int32_t map = loop->arg_map[a];
    double bytes = bytes_of(arg),
           passes = arg->access == MPLAN_READ || arg->access == MPLAN_WRITE ? 1 : 2;
    bool again = named_before(loop->loop, a);
    if (arg->access != MPLAN_READ && !loop->arg_once[a])
        shape->added_numbers += arg->dim * slots_of(p, map) *
                                (mplan_type_size(arg->type) < sizeof(double) ? 0.5 : 1);
    if (p->maps[map].to != set ||
        loop->arg_once[a]) { /* what is written once is neither staged nor summed */
        shape->other_row += bytes * slots_of(p, map);
        shape->other_bytes += again ? 0 : passes * bytes * reached(p, map);
    } else if (!again && arg->access == MPLAN_READ) {
        shape->point_bytes += bytes;
    } else if (!again) {
        shape->increment_bytes += bytes;
    }
}

/* Bytes, numbers and precision of all args. Where the request does not give flops, two are
 * assumed for every number that an element touches; without any f64 they count half, since f32
 * units run twice as fast. */
static void measure_args(const planning *p, const planning_loop *loop, int32_t set,
                         mplan_loop_shape *shape)
{
    double numbers = 0;
    bool wide = false;
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        const mplan_arg *arg = &loop->loop->args[a];
        wide = wide || arg->type == MPLAN_TYPE_F64;
        if (loop->arg_map[a] >= 0) {
            numbers += arg->dim * slots_of(p, loop->arg_map[a]);
            add_mapped_bytes(p, loop, a, set, shape);
            continue;
        }
        if (loop->arg_map[a] == MPLAN_MAP_GLOBAL && arg->access == MPLAN_READ)
            continue; /* one row for all elements */
        numbers += arg->dim;
        if (arg->access != MPLAN_WRITE)
            shape->direct_read += bytes_of(arg);
        if (arg->access != MPLAN_READ)
            shape->direct_written += bytes_of(arg);
    }
    shape->flops = loop->loop->flops > 0 ? (double)loop->loop->flops : 2 * numbers;
    shape->flops *= wide ? 1 : 0.5;
}

/* 2 or 3: of the cells; else of coordinates; else guessed, since points of volume meshes have
 * many elements around them, or elements more than four points. */
static int32_t dimension_of(const planning *p, const mplan_loop_shape *shape)
{
    int32_t dimension = mplan_mesh_dimension(p->mesh);
    for (int32_t s = 0; s < mplan_mesh_n_sets(p->mesh) && dimension == 0; s++)
        mplan_mesh_coordinates(p->mesh, s, &dimension);
    if (dimension == 0)
        dimension = shape->columns > 4 || shape->entries > 6 * shape->active ? 3 : 2;
    return dimension == 3 ? 3 : 2;
}

/* Whether the longest rows of all maps, if one element had them, break the limits of a block. No element does where they do not. */
static bool may_be_large(const planning *p, const planning_loop *loop)
{
    const mplan_block_limits limits = mplan_planning_limits(p, loop, NULL);
    int64_t left = limits.shared_bytes;
    bool large = false;
    for (int32_t t = 0; t < loop->n_targets; t++) {
        const int64_t most = p->sets[loop->targets[t]].size;
        int64_t points = 0;
        for (int32_t m = 0; m < loop->n_maps; m++)
            if (p->maps[loop->maps[m]].to == loop->targets[t])
                points += mplan_planning_longest(p, loop->maps[m]);
        points = points < most ? points : most;
        large = large || points > limits.max_points;
        for (int32_t d = 0; d < loop->n_dats && !large; d++) {
            const int64_t each = loop->dats[d].set == loop->targets[t] ? loop->dats[d].point_bytes
                                                                       : 0;
            large = each > 0 && points > left / each;
            left -= large ? 0
                          : (points * each + 15) / 16 * 16; /* may be below 0 by what is rounded up */
        }
    }
    return large || left < 0;
}

/* What the cost model needs to know of a loop; distances are those of the mesh's
 * order, which renumbering improves. */
mplan_status mplan_planning_shape(const planning *p, const planning_loop *loop,
                                  mplan_loop_shape *shape, mplan_error *err)
{
    assert(p && loop && shape);
    *shape = (mplan_loop_shape){.elements = p->sets[loop->set].size,
                                .shared_bytes = p->options->shared_bytes ? p->options->shared_bytes
                                                                         : p->device.shared_bytes};
    int32_t set = incremented_set(p, loop, shape);
    bool all_touch = false;
    mplan_status status = measure_maps(p, loop, set, shape, &all_touch, err);
    if (status)
        return status;
    shape->large = may_be_large(p, loop);
    shape->points = set >= 0 ? p->sets[set].size : 0;
    shape->recomputes = shape->gathers && recomputes(loop, all_touch);
    shape->dimension = dimension_of(p, shape);
    shape->apart = shape->apart && shape->gathers && shape->columns == shape->local_columns;
    shape->round = p->options->block_round;
    /* where threads are asked for, they may be fewer than a round has elements, and kernels would sum by lists */
    shape->open_round = p->options->n_strategies == 0 && p->options->block_threads == 0 &&
                        shape->round == 0;
    measure_args(p, loop, set, shape);
    return MPLAN_OK;
}
