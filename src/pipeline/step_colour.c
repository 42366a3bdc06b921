/* SPDX-License-Identifier: Apache-2.0 */
/* step_colour.c - the colours of global-colour and block-colour, and of block-gather where it adds by them
 *
 * Strategies of Sulyok et al. 2019, section 3: global colours, and two-level colours. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "colour/colour.h"
#include "pipeline/conflict_maps.h"
#include "pipeline/predictions.h"
#include "pipeline/steps.h"
#include "plan/packed.h"

enum { MOST_LAUNCHES = 65535 };

/* Lists by colour go to the plan under two keys: offsets, n_colours + 1, and list, the n members
 * sorted by colour, ascending within one. colour: by member, stays the caller's. */
static mplan_status take_lists(planning *p, mplan_kind offsets_kind, mplan_kind list_kind,
                               int32_t loop, int32_t variant, int64_t n, const int32_t *colour,
                               int32_t n_colours, mplan_error *err)
{
    int64_t *offsets = mplan_alloc((int64_t)n_colours + 1, sizeof *offsets, err);
    int32_t *list = offsets ? mplan_alloc(n, sizeof *list, err) : NULL;
    if (!list) {
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    mplan_colour_lists(n, colour, n_colours, offsets, list);
    mplan_status status = mplan_plan_take_array(p->plan,
                                                mplan_key_of_variant(offsets_kind, loop, variant),
                                                MPLAN_TYPE_I64, (int64_t)n_colours + 1, 1, offsets,
                                                err);
    if (status) {
        free(list);
        return status;
    }
    return mplan_plan_take_array(p->plan, mplan_key_of_variant(list_kind, loop, variant),
                                 MPLAN_TYPE_I32, n, 1, list, err);
}

/* Refuses a point of so many elements that their launches, one a colour, would
 * never be worth it, and the colouring would take hours. */
static mplan_status refuse_hub(const planning *p, const planning_loop *loop, const mplan_map *map,
                               mplan_error *err)
{
    int32_t *last = mplan_alloc_zero(map->n_points, sizeof *last, err);
    int32_t *elements = mplan_alloc_zero(map->n_points, sizeof *elements, err);
    mplan_status status = last && elements ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int32_t hub = -1;
    for (int64_t e = 0; e < map->n_rows && !status; e++) {
        int32_t n;
        const int32_t *point = mplan_map_row(map, e, &n);
        for (int32_t k = 0; k < n; k++)
            if (point[k] >= 0 && last[point[k]] != (int32_t)e + 1) {
                last[point[k]] = (int32_t)e + 1;
                if (++elements[point[k]] > MOST_LAUNCHES)
                    hub = point[k];
            }
    }
    if (hub >= 0) {
        const int32_t *new_of_old = p->sets[map->to].new_of_old;
        int64_t old = 0;
        while (new_of_old[old] != hub)
            old++;
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "loop %s: %d elements touch point %lld through map %s; "
                            "global-colour would need a launch for each of them, and is limited "
                            "to %d",
                            loop->loop->name, (int)elements[hub], (long long)old, map->name,
                            MOST_LAUNCHES);
    }
    free(last);
    free(elements);
    return status;
}

/* A point of very many elements would need as many colours: it is refused by
 * name. */
static mplan_status add_global_colours(planning *p, int32_t l, int32_t v,
                                       const conflict_maps *conflict, mplan_plan_variant *record,
                                       mplan_error *err)
{
    int64_t n = p->sets[p->loops[l].set].size;
    int32_t n_colours = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < conflict->n_maps && !status; m++)
        status = refuse_hub(p, &p->loops[l], &conflict->maps[m], err);
    if (status)
        return status;
    int32_t *colour = mplan_alloc(n, sizeof *colour, err);
    if (!colour)
        return MPLAN_ERR_MEMORY;
    status = mplan_colour_elements(conflict->maps, conflict->n_maps, NULL, n, colour, &n_colours,
                                   p->context, err);
    if (!status)
        status = take_lists(p, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, MPLAN_KIND_GLOBAL_LAUNCH, l, v, n,
                            colour, n_colours, err);
    if (status) {
        free(colour);
        return status;
    }
    record->global_colours = n_colours;
    return mplan_plan_take_array(p->plan, mplan_key_of_variant(MPLAN_KIND_GLOBAL_COLOURS, l, v),
                                 MPLAN_TYPE_I32, n, 1, colour, err);
}

/* Colours of the elements within each block (colour, by stored element) and how many each block
 * needs (per_block), which bound the phases of its kernel. blocks: of the variant's block set. */
static mplan_status add_thread_colours(planning *p, int32_t l, int32_t v,
                                       const conflict_maps *conflict, const planning_blocks *blocks,
                                       mplan_plan_variant *record, mplan_error *err)
{
    int64_t n = p->sets[p->loops[l].set].size;
    uint16_t *colour = mplan_alloc(n, sizeof *colour, err);
    uint16_t *per_block = mplan_alloc(blocks->n_blocks, sizeof *per_block, err);
    mplan_status status = colour && per_block ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_colour_threads(conflict->maps, conflict->n_maps, blocks->n_blocks,
                                      blocks->offsets, blocks->sequence, colour, per_block,
                                      p->context, err);
    if (status) {
        free(colour);
        free(per_block);
        return status;
    }
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        record->thread_colours_total += per_block[b];
        if (per_block[b] > record->thread_colours_max)
            record->thread_colours_max = per_block[b];
    }
    status = mplan_plan_take_array(p->plan, mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, l, v),
                                   MPLAN_TYPE_U16, n, 1, colour, err);
    if (status) {
        free(per_block);
        return status;
    }
    return mplan_plan_take_array(p->plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, l, v),
                                 MPLAN_TYPE_U16, blocks->n_blocks, 1, per_block, err);
}

/* Colours and, for each colour, the list of its blocks. */
static mplan_status add_block_colours(planning *p, int32_t l, int32_t v,
                                      const conflict_maps *conflict, const planning_blocks *blocks,
                                      mplan_plan_variant *record, mplan_error *err)
{
    int32_t n_colours = 0;
    int32_t *colour = mplan_alloc(blocks->n_blocks, sizeof *colour, err);
    if (!colour)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_colour_blocks(conflict->maps, conflict->n_maps, blocks->n_blocks,
                                              blocks->offsets, blocks->sequence, colour, &n_colours,
                                              p->context, err);
    if (!status)
        status = take_lists(p, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH, l, v,
                            blocks->n_blocks, colour, n_colours, err);
    if (status) {
        free(colour);
        return status;
    }
    record->block_colours = n_colours;
    return mplan_plan_take_array(p->plan, mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, l, v),
                                 MPLAN_TYPE_I32, blocks->n_blocks, 1, colour, err);
}

/* Whether what comes to a point depends on the order in which it comes: sums round, the last of several
 * writes stays, the least and the greatest are what they are, and so is what is written once. */
static bool order_counts(const planning_loop *loop)
{
    for (int32_t a = 0; a < loop->loop->n_args; a++) {
        const mplan_access access = loop->loop->args[a].access;
        if (loop->arg_map[a] >= 0 && access != MPLAN_READ && access != MPLAN_INC_MIN &&
            access != MPLAN_INC_MAX && !loop->arg_once[a])
            return true;
    }
    return false;
}

/* What every strategy's record begins with. A loop that writes through no map has nothing to gather: one
 * launch of atomic does it. */
static mplan_plan_variant begin_variant(const planning *p, const planning_loop *loop, int32_t v,
                                        const conflict_maps *conflict)
{
    mplan_strategy strategy = loop->strategies[v];
    bool gathers = mplan_strategy_has(strategy, MPLAN_TRAITS_GATHER);
    if (gathers && conflict->n_maps == 0)
        strategy = MPLAN_STRATEGY_ATOMIC;
    mplan_plan_variant record = {
        .strategy = strategy,
        .block_limit = p->options->block_size,
        .block_set = -1,
        .deterministic = mplan_variant_is_deterministic(strategy, loop->sums, order_counts(loop)),
        .device = p->device.name};
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_BLOCKS))
        record.block_set = loop->block_set;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_THREAD_COLOURS))
        record.shared_bytes_max = loop->shared_bytes_max;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS))
        record.sums = loop->sums;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_RECORDS) && !loop->layering &&
        loop->round < record.block_limit)
        record.round = loop->round;
    if (mplan_strategy_has(strategy, MPLAN_TRAITS_ROWS) && conflict->n_maps > 0)
        record.sums_order = p->options->sums_order;
    if (mplan_strategy_has(strategy, MPLAN_TRAIT_OWNERS) &&
        p->options->slice_rows == MPLAN_OWNER_WIDE_SLICE)
        record.slice_rows = MPLAN_OWNER_WIDE_SLICE;
    mplan_planning_state_view(loop, &record);
    return record;
}

/* Which colours a variant needs is said by its strategy's row (plan/strategies.c); block-gather
 * has block colours where its sums are added by them. */
static mplan_status colour_variant(planning *p, int32_t l, int32_t v, const conflict_maps *conflict,
                                   mplan_error *err)
{
    mplan_plan_variant *record = &p->loops[l].variants[v];
    const planning_blocks *blocks = record->block_set >= 0 ? &p->cuts[record->block_set] : NULL;
    mplan_status status = MPLAN_OK;
    if (mplan_strategy_has(record->strategy, MPLAN_TRAIT_GLOBAL_COLOURS))
        return add_global_colours(p, l, v, conflict, record, err);
    if (mplan_strategy_has(record->strategy, MPLAN_TRAIT_THREAD_COLOURS))
        status = add_thread_colours(p, l, v, conflict, blocks, record, err);
    if (!status && mplan_variant_colours_blocks(record))
        status = add_block_colours(p, l, v, conflict, blocks, record, err);
    return status;
}

/* After it loop->variants holds a record for every strategy, complete but for threads and what
 * step_pack.c adds. */
mplan_status mplan_step_colour(planning *p, mplan_error *err)
{
    assert(p && p->plan);
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < p->n_loops && !status; l++) {
        planning_loop *loop = &p->loops[l];
        conflict_maps conflict;
        status = mplan_conflict_maps_of(p, loop, &conflict, err);
        loop->variants = mplan_alloc(loop->n_strategies, sizeof *loop->variants, err);
        if (!loop->variants)
            status = MPLAN_ERR_MEMORY;
        for (int32_t v = 0; v < loop->n_strategies && !status; v++) {
            loop->variants[v] = begin_variant(p, loop, v, &conflict);
            status = colour_variant(p, l, v, &conflict, err);
        }
        mplan_conflict_maps_free(&conflict);
    }
    return status;
}
