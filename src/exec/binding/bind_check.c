/* SPDX-License-Identifier: Apache-2.0 */
/* bind_check.c - every index in the tables of a variant stays inside what it indexes
 *
 * Plan files are checked for their shape when they are read, and what their tables say is
 * proved by `meshplan verify`, which not everybody runs. The host executor and kernels follow
 * indices without looking; so binding looks once, at the tables that this variant's
 * launches read (bind_check.h lists them). A wrong table may still give wrong sums, never
 * an access elsewhere. */
#include <assert.h>

#include "exec/binding/bind_check.h"

#include "base/error.h"

/* Places of a set, holes included: what its indices must stay below. */
static int64_t places(const mplan_bind_check *check, int32_t set)
{
    return mplan_plan_get_set(check->plan, set)->storage_size;
}

/* --- maps ------------------------------------------------------------------------- */

/* Each map once, with -1 allowed: whether there are any decides which kernel
 * runs. */
static mplan_status check_maps(const mplan_bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        if (loop->args[a].map >= 0 && check->bound->first_of_map[a] == a)
            status = mplan_bind_ids(check,
                                    mplan_key_of_map(MPLAN_KIND_MAP_VALUES, loop->args[a].map), -1,
                                    places(check,
                                           mplan_plan_get_map(check->plan, loop->args[a].map)->to));
    return status;
}

/* Rows of ragged maps stay inside their map, and have no more entries than the kernel takes. */
static mplan_status check_ragged(const mplan_bind_check *check, int32_t a)
{
    const mplan_exec_loop *bound = check->bound;
    const mplan_plan_map *map = mplan_plan_get_map(check->plan, bound->loop->args[a].map);
    const mplan_key key = mplan_key_of_map(MPLAN_KIND_MAP_OFFSETS, bound->loop->args[a].map);
    int64_t n = 0, longest = 0;
    mplan_status status = mplan_bind_offsets(check, key, map->n_entries, INT64_MAX);
    const int64_t *offsets = status ? NULL : mplan_bind_find(check, key, MPLAN_TYPE_I64, &n);
    for (int64_t e = 0; offsets && e + 1 < n; e++)
        longest = offsets[e + 1] - offsets[e] > longest ? offsets[e + 1] - offsets[e] : longest;
    if (offsets && longest > bound->kernel->args[a].arity)
        return mplan_fail(check->err, MPLAN_ERR_UNSUPPORTED,
                          "loop %s, arg %s: map %s has a row of %lld entries, the kernel takes %d",
                          bound->loop->name, bound->loop->args[a].dat, map->name,
                          (long long)longest, (int)bound->kernel->args[a].arity);
    return status;
}

/* Whether every slot of every element has a point. Holes are not elements: what reads rows
 * without a look at -1 passes over them, or is led to none (bind_check_owner.c). */
static bool complete_maps(const mplan_bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const int32_t m = loop->args[a].map;
        int64_t n = 0;
        if (m < 0 || check->bound->first_of_map[a] != a)
            continue;
        const int32_t arity = mplan_plan_get_map(check->plan, m)->arity;
        if (arity == 0)
            return false; /* short rows have slots without a point */
        const int32_t *slots = mplan_bind_find(check, mplan_key_of_map(MPLAN_KIND_MAP_VALUES, m),
                                               MPLAN_TYPE_I32, &n);
        for (int64_t i = 0; i < n; i++)
            if (slots[i] < 0 && !mplan_bind_is_hole(check, i / arity))
                return false;
    }
    return true;
}

/* --- block-colour ------------------------------------------------------------------- */

/* *colours: one per position, below the block's number of colours. */
static mplan_status check_thread_colours(const mplan_bind_check *check,
                                         const mplan_bind_blocks *blocks, const uint16_t **colours)
{
    const mplan_key key = mplan_bind_variant_key(check, MPLAN_KIND_THREAD_COLOURS);
    const mplan_key count_key = mplan_bind_variant_key(check, MPLAN_KIND_BLOCK_THREAD_COLOURS);
    int64_t rows;
    const uint16_t *colour = mplan_bind_find(check, key, MPLAN_TYPE_U16, &rows);
    const uint16_t *count = mplan_bind_find(check, count_key, MPLAN_TYPE_U16, &rows);
    if (!colour || !count)
        return MPLAN_ERR_CORRUPT;
    for (int64_t k = 0; k < blocks->n; k++) {
        if (count[k] > blocks->offsets[k + 1] - blocks->offsets[k])
            return mplan_bind_wrong(check, count_key, k);
        for (int64_t i = blocks->offsets[k]; i < blocks->offsets[k + 1]; i++)
            if (colour[i] != MPLAN_NONE16 &&
                (colour[i] >= count[k] || mplan_bind_is_hole(check, mplan_bind_element(blocks, i))))
                return mplan_bind_wrong(check, key, i);
    }
    *colours = colour;
    return MPLAN_OK;
}

/* Places of the points of blocks, by one map of the loop. */
typedef struct local_table {
    const mplan_bind_check *check;
    const mplan_bind_blocks *blocks;
    const uint16_t *colours; /* of positions: those with MPLAN_NONE16 do not run */
    const uint16_t *local;
    const int64_t *begin; /* first point of each block */
    int32_t arity;
} local_table;

/* A place is that of a point of the block; MPLAN_NONE16 only where kernels look at it. */
static int64_t block_of_locals(const void *context, int64_t k)
{
    const local_table *table = context;
    const int64_t *offsets = table->blocks->offsets, n = table->begin[k + 1] - table->begin[k];
    const int64_t arity = table->arity;
    for (int64_t i = offsets[k]; i < offsets[k + 1]; i++) {
        bool none = !table->check->complete || table->colours[i] == MPLAN_NONE16;
        for (int64_t at = i * arity; at < (i + 1) * arity; at++)
            if (table->local[at] == MPLAN_NONE16 ? !none : table->local[at] >= n)
                return at;
    }
    return INT64_MAX;
}

/* Points of a block that are staged in shared memory, as launches are told. */
static int64_t most_points(const mplan_bind_check *check, int32_t set)
{
    int64_t most = 0;
    for (int32_t i = 0; i < mplan_plan_n_metrics(check->plan); i++) {
        const mplan_block_metrics *metrics = mplan_plan_get_metrics(check->plan, i);
        if (metrics->loop == check->bound->l && metrics->set == set &&
            metrics->block_set == check->bound->chosen->block_set)
            most = metrics->points_max;
    }
    return most;
}

/* Local ids lead into the block's list of points. */
static mplan_status check_locals(const mplan_bind_check *check, int32_t a,
                                 const mplan_bind_blocks *blocks, const uint16_t *colours)
{
    const mplan_plan_map *map = mplan_plan_get_map(check->plan, check->bound->loop->args[a].map);
    const int32_t l = check->bound->l, b = check->bound->chosen->block_set;
    const mplan_key begin_key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS, b, l,
                                                          map->to);
    const mplan_key points_key = mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, b, l, map->to);
    const mplan_key key = mplan_key_of_block_local(b, l, check->bound->loop->args[a].map);
    local_table table = {check, blocks, colours, NULL, NULL, map->arity};
    int64_t rows;
    mplan_status status = mplan_bind_ids(check, points_key, 0, places(check, map->to));
    if (!status)
        status = mplan_bind_offsets(check, begin_key,
                                    mplan_plan_find_array(check->plan, &points_key)->rows,
                                    most_points(check, map->to));
    if (status)
        return status;
    table.begin = mplan_bind_find(check, begin_key, MPLAN_TYPE_I64, &rows);
    table.local = mplan_bind_find(check, key, MPLAN_TYPE_U16, &rows);
    if (!table.local)
        return MPLAN_ERR_CORRUPT;
    int64_t bad = mplan_bind_first_wrong(check, blocks->n, block_of_locals, &table);
    return bad < INT64_MAX ? mplan_bind_wrong(check, key, bad) : MPLAN_OK;
}

/* Launch lists, thread colours, local ids. */
static mplan_status check_block_colour(const mplan_bind_check *check, const mplan_bind_blocks *blocks)
{
    const mplan_plan_loop *loop = check->bound->loop;
    const uint16_t *colours = NULL;
    mplan_status status = mplan_bind_launches(check, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS,
                                              MPLAN_KIND_BLOCK_LAUNCH, blocks->n);
    if (!status)
        status = check_thread_colours(check, blocks, &colours);
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        if (loop->args[a].map >= 0 && check->bound->first_of_map[a] == a &&
            !check->bound->kernel->args[a].ragged)
            status = check_locals(check, a, blocks, colours);
    return status;
}

/* --- two-step -------------------------------------------------------------------------- */

/* Results that the points add, by the map of arg a. */
static mplan_status check_gather(const mplan_bind_check *check, int32_t a)
{
    const int32_t l = check->bound->l, map = check->bound->loop->args[a].map;
    const mplan_key key = mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, map);
    const int64_t most = mplan_plan_get_map(check->plan, map)->n_entries;
    int64_t n;
    const int64_t *slot = mplan_bind_find(check, key, MPLAN_TYPE_I64, &n);
    if (!slot)
        return MPLAN_ERR_CORRUPT;
    for (int64_t i = 0; i < n; i++)
        if (slot[i] < 0 || slot[i] >= most)
            return mplan_bind_wrong(check, key, i);
    return mplan_bind_offsets(check, mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, map), n,
                              INT64_MAX);
}

/* Gather lists of two-step. */
static mplan_status check_gathers(const mplan_bind_check *check)
{
    const mplan_plan_loop *loop = check->bound->loop;
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        if (mplan_exec_increments(loop, a))
            status = check_gather(check, a);
    return status;
}

/* --- all of a variant ------------------------------------------------------------------------ */

/* What the traits of the variant's strategy say that launches read; atomic has no tables. */
static mplan_status check_strategy(const mplan_bind_check *check, mplan_bind_blocks *blocks)
{
    const uint32_t traits = mplan_strategy_traits(check->bound->chosen->strategy);
    mplan_status status = MPLAN_OK;
    if (traits & MPLAN_TRAIT_BLOCKS)
        status = mplan_bind_open_blocks(check, blocks);
    if (!status && (traits & MPLAN_TRAIT_GLOBAL_COLOURS))
        status = mplan_bind_launches(check, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS,
                                     MPLAN_KIND_GLOBAL_LAUNCH, check->bound->call.n_elements);
    if (!status && (traits & MPLAN_TRAIT_THREAD_COLOURS))
        status = check_block_colour(check, blocks);
    if (!status && (traits & MPLAN_TRAIT_SLOT_LISTS))
        status = check_gathers(check);
    if (!status && (traits & MPLAN_TRAIT_RECORDS))
        status = mplan_bind_records(check, blocks);
    if (!status && (traits & MPLAN_TRAIT_OWNERS))
        status = mplan_bind_owners(check);
    return status;
}

/* *positions_max: elements of the largest block; *complete: no map has an entry
 * of -1. */
mplan_status mplan_exec_check_tables(const mplan_exec_loop *bound, int64_t *positions_max,
                                     bool *complete, mplan_error *err)
{
    assert(bound && positions_max && complete);
    const mplan_plan_variant *chosen = bound->chosen;
    const mplan_plan_set *set = mplan_plan_get_set(bound->exec->plan, bound->loop->set);
    mplan_bind_check check = {.bound = bound, .plan = bound->exec->plan, .err = err};
    mplan_bind_blocks blocks = {0};
    if (set->storage_size > set->size)
        check.old_of_new = mplan_plan_data(check.plan,
                                           mplan_key_of_set(MPLAN_KIND_OLD_OF_NEW, bound->loop->set),
                                           MPLAN_TYPE_I32, NULL);
    if (chosen->threads < 1 || chosen->elements_per_thread < 1)
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "variant %d of loop %s has %d threads of %d elements; meshplan verify says "
                          "more",
                          (int)bound->v, bound->loop->name, (int)chosen->threads,
                          (int)chosen->elements_per_thread);
    mplan_status status = check_maps(&check);
    for (int32_t a = 0; a < bound->loop->n_args && !status; a++)
        if (bound->kernel->args[a].ragged)
            status = check_ragged(&check, a);
    if (status)
        return status;
    *complete = check.complete = complete_maps(&check);
    if (bound->exec->executor != MPLAN_EXECUTOR_SERIAL)
        status = check_strategy(&check, &blocks);
    *positions_max = blocks.most;
    return status;
}

/* Rows of the caller go where new_of_old says. */
mplan_status mplan_exec_check_order(const mplan_exec *exec, int32_t set, mplan_error *err)
{
    assert(exec && set >= 0);
    const mplan_plan_set *record = mplan_plan_get_set(exec->plan, set);
    int64_t rows = 0;
    const int32_t *order = mplan_plan_data(exec->plan, mplan_key_of_set(MPLAN_KIND_NEW_OF_OLD, set),
                                           MPLAN_TYPE_I32, &rows);
    if (mplan_bind_leaves(order, rows, 0, (uint32_t)record->storage_size))
        return mplan_fail(err, MPLAN_ERR_CORRUPT,
                          "the table new_of_old of set %s in the plan has an entry outside the "
                          "set; meshplan verify says more",
                          record->name);
    return MPLAN_OK;
}
