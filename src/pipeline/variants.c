/* variants.c - a loop under every strategy that was asked for
 *
 * Strategies of Sulyok et al. 2019, section 3 (global colours, two-level
 * colours, atomics) and the temporary array with a gather of LULESH; the gathering
 * strategies are in gathering.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "colour/colour.h"
#include "pipeline/pipeline.h"

enum { MOST_LAUNCHES = 65535 };

static void conflict_free(conflict_maps *conflict)
{
    free(conflict->maps);
    free(conflict->which);
}

/* out->maps: those that the loop writes through, out->which: their numbers in
 * the plan. */
static mplan_status conflict_of(const planning *plan, const planning_loop *loop, conflict_maps *out,
                                mplan_error *err)
{
    *out = (conflict_maps){0, mplan_alloc(loop->n_maps, sizeof *out->maps, err),
                      mplan_alloc(loop->n_maps, sizeof *out->which, err)};
    if (!out->maps || !out->which)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (loop->map_written[m]) {
            out->which[out->n_maps] = loop->maps[m];
            out->maps[out->n_maps++] = mplan_planning_stored_map(plan, loop->maps[m]);
        }
    return MPLAN_OK;
}

/* Lists by colour go to the plan under two keys. */
static mplan_status take_lists(planning *plan, mplan_kind offsets_kind, mplan_kind list_kind,
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
    mplan_status status =
        mplan_plan_take_array(plan->plan, mplan_key_of_variant(offsets_kind, loop, variant),
                              MPLAN_TYPE_I64, (int64_t)n_colours + 1, 1, offsets, err);
    if (status != MPLAN_OK) {
        free(list);
        return status;
    }
    return mplan_plan_take_array(plan->plan, mplan_key_of_variant(list_kind, loop, variant),
                                 MPLAN_TYPE_I32, n, 1, list, err);
}

/* Refuses a point of so many elements that their launches, one a colour, would
 * never be worth it, and the colouring would take hours. */
static mplan_status refuse_hub(const planning *plan, const planning_loop *loop,
                               const mplan_map *map, mplan_error *err)
{
    int32_t *last = mplan_alloc_zero(map->n_points, sizeof *last, err);
    int32_t *elements = mplan_alloc_zero(map->n_points, sizeof *elements, err);
    mplan_status status = last && elements ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int32_t hub = -1;
    for (int64_t e = 0; e < map->n_rows && status == MPLAN_OK; e++) {
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
        const int32_t *new_of_old = plan->sets[map->to].new_of_old;
        int64_t old = 0;
        while (new_of_old[old] != hub)
            old++;
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "loop %s: %d elements touch point %lld through map %s; global-colour "
                            "would need a launch for each, and is limited to %d",
                            loop->loop->name, (int)elements[hub], (long long)old, map->name,
                            MOST_LAUNCHES);
    }
    free(last);
    free(elements);
    return status;
}

/* A point of very many elements would need as many colours: it is refused by
 * name. */
static mplan_status add_global_colours(planning *plan, int32_t l, int32_t v,
                                       const conflict_maps *conflict, mplan_plan_variant *record,
                                       mplan_error *err)
{
    int64_t n = plan->sets[plan->loops[l].set].size;
    int32_t n_colours = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < conflict->n_maps && status == MPLAN_OK; m++)
        status = refuse_hub(plan, &plan->loops[l], &conflict->maps[m], err);
    if (status != MPLAN_OK)
        return status;
    int32_t *colour = mplan_alloc(n, sizeof *colour, err);
    if (!colour)
        return MPLAN_ERR_MEMORY;
    status = mplan_colour_elements(conflict->maps, conflict->n_maps, NULL, n, colour, &n_colours,
                                   err);
    if (status == MPLAN_OK)
        status = take_lists(plan, MPLAN_KIND_GLOBAL_LAUNCH_OFFSETS, MPLAN_KIND_GLOBAL_LAUNCH, l, v,
                            n, colour, n_colours, err);
    if (status != MPLAN_OK) {
        free(colour);
        return status;
    }
    record->global_colours = n_colours;
    return mplan_plan_take_array(plan->plan,
                                 mplan_key_of_variant(MPLAN_KIND_GLOBAL_COLOURS, l, v),
                                 MPLAN_TYPE_I32, n, 1, colour, err);
}

/* blocks: of the variant's block set. */
static mplan_status add_thread_colours(planning *plan, int32_t l, int32_t v,
                                       const conflict_maps *conflict, const planning_blocks *blocks,
                                       mplan_plan_variant *record, mplan_error *err)
{
    int64_t n = plan->sets[plan->loops[l].set].size;
    uint16_t *colour = mplan_alloc(n, sizeof *colour, err);
    uint16_t *per_block = mplan_alloc(blocks->n_blocks, sizeof *per_block, err);
    mplan_status status = colour && per_block ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (status == MPLAN_OK)
        status = mplan_colour_threads(conflict->maps, conflict->n_maps, blocks->n_blocks,
                                      blocks->offsets, blocks->sequence, colour, per_block,
                                      plan->context, err);
    if (status != MPLAN_OK) {
        free(colour);
        free(per_block);
        return status;
    }
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        record->thread_colours_total += per_block[b];
        if (per_block[b] > record->thread_colours_max)
            record->thread_colours_max = per_block[b];
    }
    status = mplan_plan_take_array(plan->plan,
                                   mplan_key_of_variant(MPLAN_KIND_THREAD_COLOURS, l, v),
                                   MPLAN_TYPE_U16, n, 1, colour, err);
    if (status != MPLAN_OK) {
        free(per_block);
        return status;
    }
    return mplan_plan_take_array(plan->plan,
                                 mplan_key_of_variant(MPLAN_KIND_BLOCK_THREAD_COLOURS, l, v),
                                 MPLAN_TYPE_U16, blocks->n_blocks, 1, per_block, err);
}

/* Colours and, for each colour, the list of its blocks. */
mplan_status mplan_planning_block_colours(planning *plan, int32_t l, int32_t v,
                                          const conflict_maps *conflict,
                                          const planning_blocks *blocks,
                                          mplan_plan_variant *record, mplan_error *err)
{
    int32_t n_colours = 0;
    int32_t *colour = mplan_alloc(blocks->n_blocks, sizeof *colour, err);
    if (!colour)
        return MPLAN_ERR_MEMORY;
    mplan_status status = mplan_colour_blocks(conflict->maps, conflict->n_maps, blocks->n_blocks,
                                              blocks->offsets, blocks->sequence, colour,
                                              &n_colours, err);
    if (status == MPLAN_OK)
        status = take_lists(plan, MPLAN_KIND_BLOCK_LAUNCH_OFFSETS, MPLAN_KIND_BLOCK_LAUNCH, l, v,
                            blocks->n_blocks, colour, n_colours, err);
    if (status != MPLAN_OK) {
        free(colour);
        return status;
    }
    record->block_colours = n_colours;
    return mplan_plan_take_array(plan->plan,
                                 mplan_key_of_variant(MPLAN_KIND_BLOCK_COLOURS, l, v),
                                 MPLAN_TYPE_I32, blocks->n_blocks, 1, colour, err);
}

/* For each map that is written through: slots by point. Shared by all variants
 * of the loop. */
static mplan_status add_gather(planning *plan, int32_t l, const conflict_maps *conflict,
                               mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < conflict->n_maps && status == MPLAN_OK; m++) {
        int64_t *offsets, *slots;
        int32_t map = conflict->which[m];
        status = mplan_table_gather(&conflict->maps[m], &offsets, &slots, err);
        if (status != MPLAN_OK)
            return status;
        int64_t n_points = conflict->maps[m].n_points, n_slots = offsets[n_points];
        status = mplan_plan_take_array(plan->plan,
                                       mplan_key_of_gather(MPLAN_KIND_GATHER_OFFSETS, l, map),
                                       MPLAN_TYPE_I64, n_points + 1, 1, offsets, err);
        if (status != MPLAN_OK)
            free(slots);
        else
            status = mplan_plan_take_array(plan->plan,
                                           mplan_key_of_gather(MPLAN_KIND_GATHER_SLOTS, l, map),
                                           MPLAN_TYPE_I64, n_slots, 1, slots, err);
    }
    return status;
}

/* Threads of a thread block and what each of them does. block-gather: a loop of two slots
 * does best with a few elements a thread, one of four or more with as many threads as it
 * can have (tools/gpu/RESULTS.md). */
static void choose_threads(const mplan_plan_options *options, const conflict_maps *conflict,
                           mplan_plan_variant *record)
{
    int32_t all = (options->block_size + 31) / 32 * 32, columns = 0;
    for (int32_t m = 0; m < conflict->n_maps; m++)
        columns += conflict->maps[m].arity;
    int32_t most = columns >= 4 ? 256 : 128;
    record->threads = all;
    if (record->strategy == MPLAN_STRATEGY_BLOCK_GATHER)
        record->threads = all < most ? all : most;
    if (record->strategy == MPLAN_STRATEGY_OWNER_GATHER)
        record->threads = 128;
    if (options->block_threads > 0)
        record->threads = options->block_threads;
    record->elements_per_thread =
        record->block_set >= 0 ? (all + record->threads - 1) / record->threads : 1;
}

/* Tables of strategy number v. Loops that write through no map need nothing to
 * keep them apart. */
static mplan_status add_variant(planning *plan, int32_t l, int32_t v, int32_t block_set,
                                int64_t shared_bytes_max, const conflict_maps *conflict,
                                mplan_error *err)
{
    mplan_strategy strategy = plan->loops[l].strategies[v];
    bool gathers = strategy == MPLAN_STRATEGY_BLOCK_GATHER || strategy == MPLAN_STRATEGY_OWNER_GATHER;
    if (gathers && conflict->n_maps == 0) /* nothing to gather: one launch does it */
        strategy = MPLAN_STRATEGY_ATOMIC;
    mplan_plan_variant record = {.strategy = strategy,
                                 .block_limit = plan->options->block_size,
                                 .block_set = -1,
                                 .deterministic = strategy != MPLAN_STRATEGY_ATOMIC ||
                                                  conflict->n_maps == 0,
                                 .device = plan->device.name};
    mplan_status status = MPLAN_OK;
    const planning_blocks *blocks = block_set >= 0 ? &plan->cuts[block_set] : NULL;
    switch (strategy) {
    case MPLAN_STRATEGY_GLOBAL_COLOUR:
        status = add_global_colours(plan, l, v, conflict, &record, err);
        break;
    case MPLAN_STRATEGY_BLOCK_COLOUR:
        record.block_set = block_set;
        record.shared_bytes_max = shared_bytes_max;
        status = add_thread_colours(plan, l, v, conflict, blocks, &record, err);
        if (status == MPLAN_OK)
            status = mplan_planning_block_colours(plan, l, v, conflict, blocks, &record, err);
        break;
    case MPLAN_STRATEGY_TWO_STEP:
        status = add_gather(plan, l, conflict, err);
        break;
    case MPLAN_STRATEGY_BLOCK_GATHER:
        record.block_set = block_set;
        status = mplan_planning_block_gather(plan, l, v, conflict, blocks, &record, err);
        break;
    case MPLAN_STRATEGY_OWNER_GATHER:
        status = mplan_planning_owner_gather(plan, l, v, &record, err);
        break;
    default: /* atomic needs nothing but the order */
        break;
    }
    choose_threads(plan->options, conflict, &record);
    return status == MPLAN_OK ? mplan_plan_add_variant(plan->plan, l, &record, err) : status;
}

/* In the order in which strategies were asked for; the first is the default. */
mplan_status mplan_planning_variants(planning *plan, int32_t loop, int32_t block_set,
                                     int64_t shared_bytes_max, mplan_error *err)
{
    conflict_maps conflict;
    double start = mplan_planning_clock();
    mplan_status status = conflict_of(plan, &plan->loops[loop], &conflict, err);
    for (int32_t v = 0; v < plan->loops[loop].n_strategies && status == MPLAN_OK; v++)
        status = add_variant(plan, loop, v, block_set, shared_bytes_max, &conflict, err);
    conflict_free(&conflict);
    plan->times.colour += mplan_planning_clock() - start;
    return status;
}
