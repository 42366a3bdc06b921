/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_rules.c - what the records of a plan must agree on
 *
 * The same rules guard writer and reader, so that whatever is read can be
 * indexed without further thought. Byte positions are those of the record
 * tables in formats/plan-format.md. */
#include <stdlib.h>

#include "base/memory.h"
#include "plan/packed.h"
#include "plan/strategies.h"
#include "planfile/planfile_layout.h"
#include "planfile/planfile_rules.h"

/* Members of a set, places of a stored order and blocks stay below 2^31. */
#define MOST INT64_C(2147483646)

#define BROKEN(kind_, row_, at_, ...) return mplan_fault_set(fault, kind_, row_, at_, __VA_ARGS__)

/* Both ends are included. */
static bool in_range(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

/* Sizes, orders and metrics of a set. Here as in all check_* below: the first field
 * that cannot be is a fault, with its byte. */
static mplan_status check_set(const mplan_plan_set *set, int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_SETS;
    if (!in_range(set->size, 0, MOST))
        BROKEN(kind, row, 16, "set %lld cannot have %lld members", (long long)row,
               (long long)set->size);
    if (!in_range(set->storage_size, set->size, MOST))
        BROKEN(kind, row, 24, "set %lld of %lld members cannot have %lld places", (long long)row,
               (long long)set->size, (long long)set->storage_size);
    if (set->renumber == MPLAN_RENUMBER_AUTO || (unsigned)set->renumber >= MPLAN_N_RENUMBERS)
        BROKEN(kind, row, 32, "set %lld has an unknown renumbering", (long long)row);
    for (int i = 0; i < 3; i++) {
        if (set->bandwidth[i] < -1)
            BROKEN(kind, row, 40 + 8 * i, "a bandwidth of set %lld is negative", (long long)row);
        if (set->profile[i] < -1)
            BROKEN(kind, row, 64 + 8 * i, "a profile of set %lld is negative", (long long)row);
    }
    return MPLAN_OK;
}

/* Of sets that are groups', in the order of their records: the parent may be a set of the plan, but
 * not the set itself, and has at least as many members. */
static mplan_status check_groups(const mplan_plan *plan, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_GROUPS;
    int64_t row = 0;
    for (int32_t s = 0; s < plan->n_sets; s++) {
        const mplan_plan_set *set = &plan->sets[s];
        if (!mplan_plan_set_is_group(set))
            continue;
        if (!in_range(set->parent_set, -1, plan->n_sets - 1) || set->parent_set == s)
            BROKEN(kind, row, 12, "the parent of set %d cannot be set %d", (int)s,
                   (int)set->parent_set);
        if (!in_range(set->parent_size, set->size, MOST))
            BROKEN(kind, row, 16, "set %d of %lld members cannot be a part of one of %lld", (int)s,
                   (long long)set->size, (long long)set->parent_size);
        row++;
    }
    return MPLAN_OK;
}

/* Sets must exist; arity and number of entries must fit. The product of places and arity is
 * below 2^62: both are below 2^31. */
static mplan_status check_map(const mplan_plan *plan, int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_MAPS;
    const mplan_plan_map *map = &plan->maps[row];
    if (!in_range(map->from, 0, plan->n_sets - 1))
        BROKEN(kind, row, 8, "the from-set of map %lld does not exist", (long long)row);
    if (!in_range(map->to, 0, plan->n_sets - 1))
        BROKEN(kind, row, 12, "the to-set of map %lld does not exist", (long long)row);
    if (map->arity < 0)
        BROKEN(kind, row, 16, "the arity of map %lld is too large", (long long)row);
    int64_t fixed = plan->sets[map->from].storage_size * (int64_t)map->arity;
    if (map->n_entries < 0 || (map->arity > 0 && map->n_entries != fixed))
        BROKEN(kind, row, 24, "map %lld cannot have %lld entries", (long long)row,
               (long long)map->n_entries);
    return MPLAN_OK;
}

/* The map must leave the loop's set; row: number of the arg in the whole file. */
static mplan_status check_arg(const mplan_plan *plan, const mplan_plan_loop *loop,
                              const mplan_plan_arg *arg, int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_ARGS;
    if (arg->map != MPLAN_MAP_GLOBAL && !in_range(arg->map, -1, plan->n_maps - 1))
        BROKEN(kind, row, 8, "the map of arg %lld does not exist", (long long)row);
    if (arg->map >= 0 && plan->maps[arg->map].from != loop->set)
        BROKEN(kind, row, 8, "arg %lld has a map that does not start at the set of the loop",
               (long long)row);
    if ((unsigned)arg->access > MPLAN_INC_MAX)
        BROKEN(kind, row, 12, "arg %lld has an unknown access", (long long)row);
    if (arg->dim < 1)
        BROKEN(kind, row, 16, "the dim of arg %lld is out of range", (long long)row);
    if (!mplan_type_size(arg->type))
        BROKEN(kind, row, 20, "arg %lld has an unknown type", (long long)row);
    if ((unsigned)arg->none > MPLAN_NONE_SPLIT)
        BROKEN(kind, row, 24, "arg %lld has an unknown rule for entries of -1", (long long)row);
    if ((unsigned)arg->layout >= MPLAN_N_LAYOUTS)
        BROKEN(kind, row, 28, "arg %lld has an unknown layout", (long long)row);
    return MPLAN_OK;
}

/* What block-gather and owner-gather add to a variant. */
static mplan_status check_gathering(const mplan_plan *plan, const mplan_plan_loop *loop,
                                    const mplan_plan_variant *variant, int64_t row,
                                    mplan_fault *fault, mplan_error *err)
{
    const uint32_t kind = MPLAN_KIND_VARIANTS;
    bool blocks = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS);
    bool owners = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS);
    if (owners && variant->block_set >= 0)
        BROKEN(kind, row, 24, "variant %lld gathers by owner, but has a block set", (long long)row);
    if (variant->partial_sums < 0)
        BROKEN(kind, row, 72, "a count of variant %lld is negative", (long long)row);
    if ((unsigned)variant->sums >= MPLAN_N_SUMS || (variant->sums && !blocks))
        BROKEN(kind, row, 80, "variant %lld has unknown sums", (long long)row);
    if ((unsigned)variant->encoding >= MPLAN_N_ENCODINGS ||
        (variant->encoding != MPLAN_ENCODING_NONE) != owners)
        BROKEN(kind, row, 84, "variant %lld does not have an encoding of its strategy",
               (long long)row);
    if (!in_range(variant->width, 0, owners ? MPLAN_OWNER_WIDTH_MOST : 0))
        BROKEN(kind, row, 88, "the width of variant %lld is out of range", (long long)row);
    if (variant->window != 0 &&
        !(owners && variant->window == MPLAN_OWNER_WINDOW && variant->width == 0))
        BROKEN(kind, row, 92, "the window of variant %lld is out of range", (long long)row);
    if (!blocks && !owners)
        return MPLAN_OK;
    mplan_increments increments;
    int32_t *maps = mplan_alloc(loop->n_args, sizeof *maps, err);
    if (!maps)
        return MPLAN_ERR_MEMORY;
    bool gathers = mplan_plan_gathers(plan, loop, maps, &increments);
    free(maps);
    if (!gathers)
        BROKEN(kind, row, 8, "variant %lld gathers, but its loop does not", (long long)row);
    return MPLAN_OK;
}

/* What format 1.2 adds to a variant. The granule has one value so
 * far. Entries lie entry by entry in windows16 with rows of a width only. Launch bounds are of the variant's threads, of strategies whose kernels have some. Slices of loops with layers have 32 rows: other tables are counted by them. */
static mplan_status check_variant2(const mplan_plan_loop *loop, const mplan_plan_variant *variant,
                                   int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_VARIANTS2;
    const bool bounded = variant->bound_threads || variant->bound_blocks;
    bool owners = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS);
    bool rows = mplan_strategy_has(variant->strategy, MPLAN_TRAITS_ROWS);
    if (!in_range(variant->sums_order, 0, rows ? MPLAN_N_SUMS_ORDERS - 1 : 0))
        BROKEN(kind, row, 0, "variant %lld does not have an order of sums of its strategy",
               (long long)row);
    if (variant->slice_rows &&
        !(owners && !loop->layering && variant->slice_rows == MPLAN_OWNER_WIDE_SLICE))
        BROKEN(kind, row, 4, "the slices of variant %lld cannot have %d rows", (long long)row,
               (int)variant->slice_rows);
    if (bounded && (!mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS | MPLAN_TRAIT_RECORDS) ||
                    loop->layering || variant->bound_threads != variant->threads))
        BROKEN(kind, row, 12, "variant %lld has launch bounds that are not those of its threads",
               (long long)row);
    if (bounded && !in_range(variant->bound_blocks, 1, MPLAN_MOST_BOUND_BLOCKS))
        BROKEN(kind, row, 16, "variant %lld has launch bounds of %d thread blocks", (long long)row,
               (int)variant->bound_blocks);
    if (!in_range(variant->entry_layout, 0,
                  variant->encoding == MPLAN_ENCODING_WINDOWS16 && variant->width > 0))
        BROKEN(kind, row, 8, "variant %lld has a layout of entries that its encoding has not",
               (long long)row);
    if (variant->granule)
        BROKEN(kind, row, 20, "variant %lld has a value that no version has yet", (long long)row);
    if (variant->round && (!mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS) ||
                           loop->layering || !in_range(variant->round, 1, variant->block_limit - 1)))
        BROKEN(kind, row, 60, "variant %lld has rounds of %d elements, which its blocks cannot have",
               (long long)row, (int)variant->round);
    if (!in_range(variant->runner_up, 0, MPLAN_N_STRATEGIES))
        BROKEN(kind, row, 24, "the runner-up of variant %lld is an unknown strategy", (long long)row);
    if ((unsigned)variant->reason >= MPLAN_N_REASONS)
        BROKEN(kind, row, 28, "variant %lld has an unknown reason", (long long)row);
    if (variant->predicted_ns < 0 || variant->runner_up_ns < 0)
        BROKEN(kind, row, variant->predicted_ns < 0 ? 32 : 40,
               "a predicted time of variant %lld is negative", (long long)row);
    return MPLAN_OK;
}

/* Values in their ranges, and what the strategy needs: block set, threads, encodings. counts:
 * fields of 8 bytes from byte 32 of the record on. */
static mplan_status check_variant(const mplan_plan *plan, const mplan_plan_loop *loop,
                                  const mplan_plan_variant *variant, int64_t row,
                                  mplan_fault *fault, mplan_error *err)
{
    const uint32_t kind = MPLAN_KIND_VARIANTS;
    const int64_t counts[5] = {variant->shared_bytes_max, variant->block_colours,
                               variant->thread_colours_max, variant->thread_colours_total,
                               variant->global_colours};
    if ((unsigned)variant->strategy >= MPLAN_N_STRATEGIES)
        BROKEN(kind, row, 8, "variant %lld has an unknown strategy", (long long)row);
    if (variant->block_limit < 0)
        BROKEN(kind, row, 12, "the block limit of variant %lld is out of range", (long long)row);
    if (variant->threads < 0)
        BROKEN(kind, row, 16, "the threads of variant %lld are out of range", (long long)row);
    if (variant->elements_per_thread < 0)
        BROKEN(kind, row, 20, "the elements per thread of variant %lld are out of range",
               (long long)row);
    if (!in_range(variant->block_set, -1, plan->n_block_sets - 1) ||
        (variant->block_set >= 0 && plan->block_sets[variant->block_set].set != loop->set))
        BROKEN(kind, row, 24, "variant %lld does not have a block set of the set of its loop",
               (long long)row);
    if (mplan_strategy_has(variant->strategy, MPLAN_TRAIT_BLOCKS) && variant->block_set < 0)
        BROKEN(kind, row, 24, "variant %lld runs blocks, but has no block set", (long long)row);
    for (int i = 0; i < 5; i++)
        if (counts[i] < 0)
            BROKEN(kind, row, 32 + 8 * i, "a count of variant %lld is negative", (long long)row);
    if (variant->block_colours > MOST)
        BROKEN(kind, row, 40, "variant %lld has too many block colours", (long long)row);
    if (variant->global_colours > MOST)
        BROKEN(kind, row, 64, "variant %lld has too many colours", (long long)row);
    mplan_status status = check_variant2(loop, variant, row, fault);
    if (status)
        return status;
    return check_gathering(plan, loop, variant, row, fault, err);
}

/* Set, variants, number of calls. */
static mplan_status check_loop(const mplan_plan *plan, int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_LOOPS;
    const mplan_plan_loop *loop = &plan->loops[row];
    if (!in_range(loop->set, 0, plan->n_sets - 1))
        BROKEN(kind, row, 8, "the set of loop %lld does not exist", (long long)row);
    if (loop->n_variants < 1)
        BROKEN(kind, row, 20, "loop %lld has no variant", (long long)row);
    if (!in_range(loop->default_variant, 0, loop->n_variants - 1))
        BROKEN(kind, row, 24, "the default of loop %lld is not one of its variants", (long long)row);
    if (loop->calls < 1)
        BROKEN(kind, row, 32, "loop %lld cannot have %lld calls", (long long)row,
               (long long)loop->calls);
    if (loop->flops < 0)
        BROKEN(kind, row, 40, "the flops of loop %lld are negative", (long long)row);
    return MPLAN_OK;
}

/* At most one loop is primary, and where there are loops, one is. Args are counted through all
 * loops, as their records are. */
static mplan_status check_loops(const mplan_plan *plan, mplan_fault *fault)
{
    int64_t arg = 0, primaries = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; !status && l < plan->n_loops; l++) {
        const mplan_plan_loop *loop = &plan->loops[l];
        primaries += loop->primary;
        if (primaries > 1)
            BROKEN(MPLAN_KIND_LOOPS, l, 12, "a second loop is primary");
        status = check_loop(plan, l, fault);
        for (int32_t a = 0; !status && a < loop->n_args; a++)
            status = check_arg(plan, loop, &loop->args[a], arg++, fault);
    }
    if (!status && plan->n_loops > 0 && primaries == 0)
        BROKEN(MPLAN_KIND_LOOPS, 0, 12, "no loop is primary");
    return status;
}

/* How blocks were made must fit the partitioner that made them. found: a structure was found in
 * the mesh, so that it has an extent and patches, at least 1 each; 0 otherwise. */
static mplan_status check_origin(const mplan_plan_block_set *blocks, int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_ORIGINS;
    const mplan_block_origin *o = &blocks->origin;
    bool found = o->origin > MPLAN_ORIGIN_GROWN;
    if ((unsigned)o->origin >= MPLAN_N_ORIGINS)
        BROKEN(kind, row, 0, "block set %lld has an unknown origin", (long long)row);
    if (o->origin != MPLAN_ORIGIN_OTHER && blocks->partitioner != MPLAN_PARTITIONER_NATIVE)
        BROKEN(kind, row, 0, "block set %lld has the origin of another partitioner", (long long)row);
    if (o->refined && o->origin == MPLAN_ORIGIN_OTHER)
        BROKEN(kind, row, 4, "block set %lld of unknown origin was refined", (long long)row);
    for (int i = 0; i < 3; i++)
        if (!in_range(o->extent[i], found, found ? MOST : 0))
            BROKEN(kind, row, 8 + 4 * i,
                   "an extent of the origin of block set %lld is out of range", (long long)row);
    if (!in_range(o->patches, found, found ? MOST : 0))
        BROKEN(kind, row, 20, "the patches of the origin of block set %lld are out of range",
               (long long)row);
    if (!in_range(o->largest, found, found ? MOST : 0))
        BROKEN(kind, row, 24, "the largest patch of the origin of block set %lld is out of range",
               (long long)row);
    return MPLAN_OK;
}

/* The set, its loop, the limits. */
static mplan_status check_block_set(const mplan_plan *plan, int64_t row, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_BLOCK_SETS;
    const mplan_plan_block_set *blocks = &plan->block_sets[row];
    if (!in_range(blocks->set, 0, plan->n_sets - 1))
        BROKEN(kind, row, 0, "the set of block set %lld does not exist", (long long)row);
    if (!in_range(blocks->loop, 0, plan->n_loops - 1) || plan->loops[blocks->loop].set != blocks->set)
        BROKEN(kind, row, 4, "block set %lld was not made for a loop over its set", (long long)row);
    if (!in_range(blocks->block_limit, 1, 1024))
        BROKEN(kind, row, 8, "the block limit of block set %lld must be 1 to 1024", (long long)row);
    if ((unsigned)blocks->partitioner >= MPLAN_N_PARTITIONERS)
        BROKEN(kind, row, 16, "block set %lld has an unknown partitioner", (long long)row);
    if (!in_range(blocks->max_points, 0, MPLAN_LOCAL_MOST))
        BROKEN(kind, row, 20, "the limit of points of block set %lld exceeds 65535", (long long)row);
    if (blocks->shared_bytes < 0)
        BROKEN(kind, row, 24, "the limit of bytes of block set %lld is negative", (long long)row);
    if (!in_range(blocks->n_blocks, 0, plan->sets[blocks->set].size))
        BROKEN(kind, row, 32, "block set %lld cannot have %lld blocks", (long long)row,
               (long long)blocks->n_blocks);
    if (blocks->alternative_pairs < -1)
        BROKEN(kind, row, 56, "the pairs of the alternative of block set %lld are negative",
               (long long)row);
    if (!in_range(blocks->block_min, 0, blocks->block_limit))
        BROKEN(kind, row, 40, "the smallest block of block set %lld is out of range", (long long)row);
    if (!in_range(blocks->block_max, blocks->block_min, blocks->block_limit))
        BROKEN(kind, row, 48, "the largest block of block set %lld is out of range", (long long)row);
    return check_origin(blocks, row, fault);
}

/* Behind the block sets, which variants refer to. Variants are counted through all loops, as
 * their records are. */
static mplan_status check_variants(const mplan_plan *plan, mplan_fault *fault, mplan_error *err)
{
    int64_t variant = 0;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; !status && l < plan->n_loops; l++)
        for (int32_t v = 0; !status && v < plan->loops[l].n_variants; v++)
            status = check_variant(plan, &plan->loops[l], &plan->loops[l].variants[v], variant++,
                                   fault, err);
    return status;
}

/* No count is negative, and no block has more points than 16-bit local ids can name. */
static mplan_status check_metrics(const mplan_plan *plan, int64_t row, mplan_fault *fault)
{
    const mplan_block_metrics *m = &plan->metrics[row];
    const int64_t counts[6] = {m->entries,    m->pairs, m->shared_points,
                               m->points_max, m->lines, m->lines_ideal};
    for (int i = 0; i < 6; i++)
        if (counts[i] < 0)
            BROKEN(MPLAN_KIND_BLOCK_METRICS, row, 16 + 8 * i, "a metric is negative");
    if (m->points_max > MPLAN_LOCAL_MOST)
        BROKEN(MPLAN_KIND_BLOCK_METRICS, row, 40, "a block has more than 65535 points");
    return MPLAN_OK;
}

/* --- what belongs to a loop --- */

/* A loop and one of its maps, sets or block sets. */
typedef struct pair {
    int32_t loop, value;
} pair;

/* Loop first. Differences of numbers from 0 and up do not overflow. */
static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    return x->loop != y->loop ? x->loop - y->loop : x->value - y->value;
}

/* Distinct pairs in ascending order, and where the values of each loop begin: counted per loop
 * at offsets[l + 1] first, then summed. Loops are in [0, n_loops). */
static mplan_status finish_lists(mplan_vector *pairs, int32_t n_loops, mplan_loop_lists *lists,
                                 mplan_error *err)
{
    const pair *from = pairs->data;
    lists->offsets = mplan_alloc_zero((int64_t)n_loops + 1, sizeof *lists->offsets, err);
    lists->values = mplan_alloc(pairs->count, sizeof *lists->values, err);
    if (!lists->offsets || !lists->values)
        return MPLAN_ERR_MEMORY;
    if (pairs->data)
        qsort(pairs->data, (size_t)pairs->count, sizeof *from, compare_pairs);
    int64_t n = 0;
    pair last = {-1, -1}; /* no loop */
    for (int64_t i = 0; i < pairs->count; i++) {
        if (compare_pairs(&last, &from[i]) == 0)
            continue;
        last = from[i];
        lists->values[n++] = from[i].value;
        lists->offsets[from[i].loop + 1]++;
    }
    for (int32_t l = 0; l < n_loops; l++)
        lists->offsets[l + 1] += lists->offsets[l];
    return MPLAN_OK;
}

/* Also of lists that were never made, if they are NULL. */
void mplan_loop_lists_free(mplan_loop_lists *lists)
{
    free(lists->offsets);
    free(lists->values);
    *lists = (mplan_loop_lists){NULL, NULL};
}

/* Pairs (loop, map) or (loop, set of the map), with repeats. */
static mplan_status push_args(const mplan_plan *plan, mplan_loop_list which, mplan_vector *pairs,
                              mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < plan->n_loops; l++) {
        for (int32_t a = 0; !status && a < plan->loops[l].n_args; a++) {
            const mplan_plan_arg *arg = &plan->loops[l].args[a];
            if (arg->map < 0 ||
                (which == MPLAN_LOOP_WRITTEN_MAPS && (arg->access == MPLAN_READ || arg->once)))
                continue;
            pair p = {l, which == MPLAN_LOOP_SETS ? plan->maps[arg->map].to : arg->map};
            status = mplan_vector_push(pairs, &p, err);
        }
    }
    return status;
}

/* Pairs (loop, block set) of block sets made for the loop and of those that its
 * variants use. */
static mplan_status push_block_sets(const mplan_plan *plan, mplan_vector *pairs, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t b = 0; !status && b < plan->n_block_sets; b++) {
        pair p = {plan->block_sets[b].loop, b};
        status = mplan_vector_push(pairs, &p, err);
    }
    for (int32_t l = 0; l < plan->n_loops; l++) {
        for (int32_t v = 0; !status && v < plan->loops[l].n_variants; v++) {
            pair p = {l, plan->loops[l].variants[v].block_set};
            if (p.value >= 0)
                status = mplan_vector_push(pairs, &p, err);
        }
    }
    return status;
}

/* For each loop the distinct values, ascending. *lists is owned by the caller, also after
 * a failure. */
mplan_status mplan_loop_lists_make(const mplan_plan *plan, mplan_loop_list which,
                                   mplan_loop_lists *lists, mplan_error *err)
{
    mplan_vector pairs = MPLAN_VECTOR_INIT(sizeof(pair));
    *lists = (mplan_loop_lists){NULL, NULL};
    mplan_status status = which == MPLAN_LOOP_BLOCK_SETS ? push_block_sets(plan, &pairs, err)
                                                         : push_args(plan, which, &pairs, err);
    if (!status)
        status = finish_lists(&pairs, plan->n_loops, lists, err);
    free(pairs.data);
    return status;
}

/* The metrics must be those of every (loop, block set of the loop, to-set of its maps),
 * ascending: so the readers of a plan can count on each of them, and on no more. The product is
 * walked only as far as there are metrics. */
static mplan_status check_metrics_complete(const mplan_plan *plan, const mplan_loop_lists *blocks,
                                           const mplan_loop_lists *sets, mplan_fault *fault)
{
    int64_t row = 0;
    for (int32_t l = 0; l < plan->n_loops; l++) {
        int64_t n_sets = sets->offsets[l + 1] - sets->offsets[l], last = blocks->offsets[l + 1];
        for (int64_t b = blocks->offsets[l]; b < last; b++) {
            for (int64_t s = 0; s < n_sets; s++, row++) {
                int32_t set = sets->values[sets->offsets[l] + s];
                const mplan_block_metrics *m = row < plan->n_metrics ? &plan->metrics[row] : NULL;
                if (!m || m->loop != l || m->block_set != blocks->values[b] || m->set != set)
                    BROKEN(MPLAN_KIND_BLOCK_METRICS, row, 0,
                           "expected the metrics of loop %d, block set %d and set %d", l,
                           blocks->values[b], set);
            }
        }
    }
    if (row < plan->n_metrics)
        BROKEN(MPLAN_KIND_BLOCK_METRICS, row, 0, "no loop needs these metrics");
    return MPLAN_OK;
}

/* Entries of the step are loops; conflicts are of its entries, and of an arg of the later one's
 * loop. */
static mplan_status check_step(const mplan_plan *plan, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_STEP_CONFLICTS;
    if (plan->n_step > MPLAN_STEP_MOST)
        BROKEN(MPLAN_KIND_STEP, MPLAN_STEP_MOST, 0, "a step has more than %d entries",
               MPLAN_STEP_MOST);
    for (int32_t i = 0; i < plan->n_step; i++)
        if (!in_range(plan->step[i].loop, 0, plan->n_loops - 1))
            BROKEN(MPLAN_KIND_STEP, i, 0, "the loop of entry %d of the step does not exist", (int)i);
    for (int32_t i = 0; i < plan->n_step; i++) {
        const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
        const int32_t clear = plan->step[i].clear;
        if (!in_range(clear, 0, loop->n_args) ||
            (clear > 0 && loop->args[clear - 1].access != MPLAN_INC))
            BROKEN(MPLAN_KIND_STEP, i, 8,
                   "entry %d of the step sets to zero what its loop does not increment", (int)i);
        if (!in_range(plan->step[i].lag, 0, 1))
            BROKEN(MPLAN_KIND_STEP, i, 12, "entry %d of the step cannot have a lag of %d", (int)i,
                   (int)plan->step[i].lag);
        if (!in_range(plan->step[i].shift, 0, plan->visit.slabs > 0 ? INT32_MAX : 0))
            BROKEN(MPLAN_KIND_STEP, i, 4,
                   "entry %d of the step has a shift, but there are no slabs", (int)i);
    }
    for (int32_t i = 0; i < plan->n_conflicts; i++) {
        const mplan_step_conflict *c = &plan->conflicts[i];
        if (!in_range(c->earlier, 0, plan->n_step - 1))
            BROKEN(kind, i, 0, "conflict %d is not of an entry of the step", (int)i);
        if (!in_range(c->later, 0, plan->n_step - 1))
            BROKEN(kind, i, 4, "conflict %d is not of an entry of the step", (int)i);
        if (!in_range(c->repeat, 0, 1))
            BROKEN(kind, i, 8, "conflict %d is between steps that do not follow each other", (int)i);
        if (!in_range(c->kinds, 1, MPLAN_CONFLICT_SUMS))
            BROKEN(kind, i, 12, "conflict %d is of an unknown kind", (int)i);
        if (!in_range(c->earlier_ways, 1, MPLAN_WAY_DIRECT | MPLAN_WAY_MAPPED | MPLAN_WAY_GLOBAL))
            BROKEN(kind, i, 16, "conflict %d has an unknown way", (int)i);
        if (!in_range(c->later_ways, 1, MPLAN_WAY_DIRECT | MPLAN_WAY_MAPPED | MPLAN_WAY_GLOBAL))
            BROKEN(kind, i, 20, "conflict %d has an unknown way", (int)i);
        if (!in_range(c->arg, 0, (int64_t)plan->loops[plan->step[c->later].loop].n_args - 1))
            BROKEN(kind, i, 24, "conflict %d is not of an arg of its loop", (int)i);
    }
    return MPLAN_OK;
}

/* Sets and maps before what refers to them: each check may rely on those before it. */
mplan_status mplan_rules_records(const mplan_plan *plan, mplan_fault *fault, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; !status && i < plan->n_sets; i++)
        status = check_set(&plan->sets[i], i, fault);
    if (!status)
        status = check_groups(plan, fault);
    if (!status)
        status = mplan_rules_parts(plan, fault);
    for (int32_t i = 0; !status && i < plan->n_maps; i++)
        status = check_map(plan, i, fault);
    if (!status)
        status = check_loops(plan, fault);
    if (!status)
        status = mplan_rules_layers(plan, fault);
    for (int32_t i = 0; !status && i < plan->n_block_sets; i++)
        status = check_block_set(plan, i, fault);
    if (!status)
        status = check_variants(plan, fault, err);
    for (int32_t i = 0; !status && i < plan->n_metrics; i++)
        status = check_metrics(plan, i, fault);
    if (!status)
        status = check_step(plan, fault);
    if (!status)
        status = mplan_rules_slabs(plan, fault);
    if (status)
        return status;
    mplan_loop_lists blocks = {NULL, NULL}, sets = {NULL, NULL};
    status = mplan_loop_lists_make(plan, MPLAN_LOOP_BLOCK_SETS, &blocks, err);
    if (!status)
        status = mplan_loop_lists_make(plan, MPLAN_LOOP_SETS, &sets, err);
    if (!status)
        status = check_metrics_complete(plan, &blocks, &sets, fault);
    mplan_loop_lists_free(&blocks);
    mplan_loop_lists_free(&sets);
    return status;
}
