/* SPDX-License-Identifier: Apache-2.0 */
/* check_records.c - names, ranges and references of a plan's records
 *
 * Everything later indexes by these numbers, so they come first. What cannot
 * be proved is only bounded: calls, flops, threads, elements per thread, the
 * method of renumbering and the measures of the renumbered order. */
#include <stdlib.h>
#include <string.h>

#include "check/check.h"

#define BLOCK_LIMIT_MAX 1024
#define FIGURE_MAX (INT32_MAX - 1) /* of an origin */

/* A name and the index of its record. */
typedef struct named {
    const char *name;
    int32_t index;
} named;

/* By name, then index, so that the message names the lower one first. */
static int compare_named(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : x->index - y->index;
}

/* Names must be there and differ. `list` is reordered. */
static mplan_status check_names(const char *what, int32_t n, named *list, mplan_error *err)
{
    for (int32_t i = 0; i < n; i++)
        if (!list[i].name || !*list[i].name)
            return MPLAN_DISPROVED(err, "%s %d has no name", what, (int)i);
    qsort(list, (size_t)n, sizeof *list, compare_named);
    for (int32_t i = 1; i < n; i++)
        if (strcmp(list[i - 1].name, list[i].name) == 0)
            return MPLAN_DISPROVED(err, "%ss %d and %d are both named %s", what,
                                   (int)list[i - 1].index, (int)list[i].index, list[i].name);
    return MPLAN_OK;
}

/* list: scratch for the names of one kind at a time, which must be distinct. */
static mplan_status check_all_names(const mplan_plan *plan, mplan_error *err)
{
    named *list = mplan_alloc((int64_t)plan->n_sets + plan->n_maps + plan->n_loops, sizeof *list,
                              err);
    if (!list)
        return MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < plan->n_sets; i++)
        list[i] = (named){plan->sets[i].name, i};
    mplan_status status = check_names("set", plan->n_sets, list, err);
    if (!status) {
        for (int32_t i = 0; i < plan->n_maps; i++)
            list[i] = (named){plan->maps[i].name, i};
        status = check_names("map", plan->n_maps, list, err);
    }
    if (!status) {
        for (int32_t i = 0; i < plan->n_loops; i++)
            list[i] = (named){plan->loops[i].name, i};
        status = check_names("loop", plan->n_loops, list, err);
    }
    free(list);
    return status;
}

/* Here as in all check_* of records below: the first value that cannot be is named. */
static mplan_status check_set(const mplan_plan_set *set, mplan_error *err)
{
    static const char *const orders[] = {"input", "renumbered", "stored"};
    if (set->size < 0 || set->storage_size < set->size || set->storage_size > INT32_MAX)
        return MPLAN_DISPROVED(err,
                               "set %s: size %" PRId64 " and storage size %" PRId64 " do not "
                               "match",
                               set->name, set->size, set->storage_size);
    if (set->renumber == MPLAN_RENUMBER_AUTO || (unsigned)set->renumber >= MPLAN_N_RENUMBERS)
        return MPLAN_DISPROVED(err, "set %s: there is no renumbering %d", set->name,
                               (int)set->renumber);
    for (int i = 0; i < 3; i++)
        if (set->bandwidth[i] < -1 || set->profile[i] < -1 ||
            (set->bandwidth[i] < 0) != (set->profile[i] < 0))
            return MPLAN_DISPROVED(err,
                                   "set %s: bandwidth %" PRId64 " and profile %" PRId64
                                   " of the %s order are impossible",
                                   set->name, set->bandwidth[i], set->profile[i], orders[i]);
    if (set->kept && set->profile[1] < set->profile[0])
        return MPLAN_DISPROVED(err,
                               "set %s: the input order was kept as the better one, but its "
                               "profile is %" PRId64 " and the renumbered one %" PRId64,
                               set->name, set->profile[0], set->profile[1]);
    return MPLAN_OK;
}

/* Sets exist, shape is possible, and fixed rows have as many entries as they must: storage_size x arity, as holes have
 * rows too. How many a ragged map (arity 0) has is only bounded here; its offsets are proved in check_maps.c. */
static mplan_status check_map(const mplan_plan *plan, const mplan_plan_map *map, mplan_error *err)
{
    if (map->from < 0 || map->from >= plan->n_sets || map->to < 0 || map->to >= plan->n_sets)
        return MPLAN_DISPROVED(err, "map %s leads from set %d to set %d of %d sets", map->name,
                               (int)map->from, (int)map->to, (int)plan->n_sets);
    if (map->arity < 0 || map->n_entries < 0)
        return MPLAN_DISPROVED(err, "map %s: arity %d and %" PRId64 " entries are impossible",
                               map->name, (int)map->arity, map->n_entries);
    int64_t entries = plan->sets[map->from].storage_size * map->arity;
    if (map->arity && map->n_entries != entries)
        return MPLAN_DISPROVED(err, "map %s has %" PRId64 " entries instead of %" PRId64, map->name,
                               map->n_entries, entries);
    return MPLAN_OK;
}

/* The map leads from the loop's set, and access, type and dim are possible. */
static mplan_status check_arg(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t index,
                              mplan_error *err)
{
    const mplan_plan_arg *arg = &loop->args[index];
    const char *wrong = NULL;
    if (!arg->dat || !*arg->dat)
        wrong = "has no dat";
    else if ((arg->map < -1 && arg->map != MPLAN_MAP_GLOBAL) || arg->map >= plan->n_maps)
        wrong = "goes through a map that does not exist";
    else if (arg->map >= 0 && plan->maps[arg->map].from != loop->set)
        wrong = "goes through a map that does not lead from the loop's set";
    else if ((unsigned)arg->access > MPLAN_INC_MAX)
        wrong = "has an unknown access";
    else if (arg->dim < 1)
        wrong = "has a dim below 1";
    else if (mplan_type_size(arg->type) == 0)
        wrong = "has an unknown type";
    else if ((unsigned)arg->none > MPLAN_NONE_SPLIT)
        wrong = "has an unknown rule for entries of -1";
    else if ((unsigned)arg->layout >= MPLAN_N_LAYOUTS)
        wrong = "has an unknown layout";
    else if (arg->once != 0 && (arg->once != 1 || arg->map < 0 ||
                                (arg->access != MPLAN_WRITE && arg->access != MPLAN_RW)))
        wrong = "writes points once, but does not write through a map";
    return wrong ? MPLAN_DISPROVED(err, "loop %s: arg %d %s", loop->name, (int)index, wrong)
                 : MPLAN_OK;
}

/* Whether any arg sums or writes through a map: min, max and what is written once do not depend on the order of
 * elements. */
static bool writes_through_maps(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access >= MPLAN_WRITE &&
            loop->args[a].access <= MPLAN_INC && !loop->args[a].once)
            return true;
    return false;
}

/* What strategies count, and may promise. */
static const char *fault_of_counts(const mplan_plan *plan, const mplan_plan_loop *loop,
                                   const mplan_plan_variant *variant)
{
    bool by_thread = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_THREAD_COLOURS);
    bool gathers = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS);
    bool by_block = by_thread || (gathers && variant->sums == MPLAN_SUMS_COLOUR);
    int64_t n_blocks = by_block ? plan->block_sets[variant->block_set].n_blocks : 0;
    bool global = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_GLOBAL_COLOURS);
    if (variant->deterministic && mplan_strategy_has(variant->strategy, MPLAN_TRAIT_ATOMIC) &&
        writes_through_maps(loop))
        return "promises equal bits, but atomic additions do not give them";
    if (variant->deterministic && gathers && variant->sums == MPLAN_SUMS_ATOMIC &&
        writes_through_maps(loop))
        return "promises equal bits, but atomic additions do not give them";
    if ((!by_block && variant->block_colours) ||
        (!by_thread && (variant->thread_colours_max || variant->thread_colours_total)))
        return "has numbers of colours of blocks and threads, but no such colours";
    if (variant->block_colours < 0 || variant->block_colours > n_blocks)
        return "has more block colours than blocks";
    if (variant->global_colours < 0 ||
        variant->global_colours > (global ? plan->sets[loop->set].size : 0))
        return global ? "has more colours than elements"
                      : "has a number of global colours, but no global colours";
    return NULL;
}

/* Only strategies that keep rows have an order of sums, and two-step variants of a loop, whose
 * lists they share, the same one. */
static bool is_order_of(const mplan_plan_loop *loop, int32_t index)
{
    const mplan_plan_variant *variant = &loop->variants[index];
    const bool rows = mplan_strategy_has(variant->strategy,
                                         MPLAN_TRAIT_SLOT_LISTS | MPLAN_TRAIT_OWNERS);
    if ((unsigned)variant->sums_order >= MPLAN_N_SUMS_ORDERS || (!rows && variant->sums_order))
        return false;
    for (int32_t v = 0; v < index; v++)
        if (loop->variants[v].strategy == variant->strategy &&
            loop->variants[v].sums_order != variant->sums_order &&
            mplan_strategy_has(variant->strategy, MPLAN_TRAIT_SLOT_LISTS))
            return false;
    return true;
}

/* Launch bounds: none, or of the variant's threads, at most 32 thread blocks, where its kernels have some. */
static bool has_fitting_bounds(const mplan_plan_loop *loop, const mplan_plan_variant *variant)
{
    if (!variant->bound_threads && !variant->bound_blocks)
        return true;
    return loop->layering == MPLAN_LAYERING_NONE && variant->bound_threads == variant->threads &&
           variant->bound_blocks >= 1 && variant->bound_blocks <= 32 &&
           (variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER ||
            variant->strategy == MPLAN_STRATEGY_OWNER_GATHER);
}

/* Slices of 64 rows are those of owner-gather, of loops without layers. */
static bool has_wide_slices(const mplan_plan_loop *loop, const mplan_plan_variant *variant)
{
    return variant->slice_rows == 64 && loop->layering == MPLAN_LAYERING_NONE &&
           mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS);
}

/* Rounds: none, or of fewer elements than blocks may have, of block-gather in loops without layers. */
static bool has_fitting_round(const mplan_plan_loop *loop, const mplan_plan_variant *variant)
{
    return variant->round == 0 || (variant->round > 0 && variant->round < variant->block_limit &&
                                   variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER &&
                                   loop->layering == MPLAN_LAYERING_NONE);
}

/* Strategy, block set, threads and promises fit one another. */
static mplan_status check_variant(const mplan_plan *plan, const mplan_plan_loop *loop,
                                  int32_t index, mplan_error *err)
{
    const mplan_plan_variant *variant = &loop->variants[index];
    const mplan_plan_block_set *block_set = NULL;
    const char *wrong = NULL;
    if (variant->block_set >= 0 && variant->block_set < plan->n_block_sets)
        block_set = &plan->block_sets[variant->block_set];
    if ((unsigned)variant->strategy >= MPLAN_N_STRATEGIES)
        wrong = "has an unknown strategy";
    else if (variant->block_set != -1 && !block_set)
        wrong = "refers to a block set that does not exist";
    else if (!block_set && mplan_strategy_has(variant->strategy, MPLAN_TRAIT_BLOCKS))
        wrong = "has no block set";
    else if (block_set && mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS))
        wrong = "gathers by owner and refers to a block set";
    else if ((unsigned)variant->sums >= MPLAN_N_SUMS ||
             (unsigned)variant->encoding >= MPLAN_N_ENCODINGS)
        wrong = "has unknown sums or an unknown encoding";
    else if (block_set && block_set->set != loop->set)
        wrong = "refers to blocks of a set that is not that of the loop";
    else if (block_set && block_set->block_limit != variant->block_limit)
        wrong = "has a block limit that is not that of its block set";
    else if (variant->block_limit < 0 || variant->block_limit > BLOCK_LIMIT_MAX)
        wrong = "has a block limit that is not in 0 to 1024";
    else if (variant->threads < 1 || variant->elements_per_thread < 1)
        wrong = "has no threads, or none with elements";
    else if (!is_order_of(loop, index))
        wrong = "has an order of sums that its strategy does not have, or that another two-step "
                "variant does not";
    else if (variant->slice_rows && !has_wide_slices(loop, variant))
        wrong = "has slices of another number of rows than 32, or 64 of owner-gather without layers";
    else if (!has_fitting_bounds(loop, variant))
        wrong = "has launch bounds without a kernel that has some, or of other threads than its own";
    else if (!has_fitting_round(loop, variant))
        wrong = "has rounds that its blocks cannot have";
    else if (variant->entry_layout &&
             (variant->entry_layout != 1 || variant->encoding != MPLAN_ENCODING_WINDOWS16 ||
              variant->width == 0))
        wrong = "has a layout of entries that is not of its encoding";
    else if (variant->granule || variant->runner_up < 0 ||
             variant->runner_up > MPLAN_N_STRATEGIES || variant->predicted_ns < 0 ||
             variant->runner_up_ns < 0 || (unsigned)variant->reason >= MPLAN_N_REASONS)
        wrong = "has values in VARIANTS2 that no version has yet";
    else
        wrong = fault_of_counts(plan, loop, variant);
    return wrong ? MPLAN_DISPROVED(err, "loop %s, variant %d %s", loop->name, (int)index, wrong)
                 : MPLAN_OK;
}

/* Set, counts, default variant. */
static mplan_status check_loop(const mplan_plan *plan, const mplan_plan_loop *loop, mplan_error *err)
{
    if (loop->set < 0 || loop->set >= plan->n_sets)
        return MPLAN_DISPROVED(err, "loop %s runs over set %d of %d sets", loop->name,
                               (int)loop->set, (int)plan->n_sets);
    if (loop->calls < 1 || loop->flops < 0)
        return MPLAN_DISPROVED(err,
                               "loop %s: %" PRId64 " calls of %" PRId64 " flops are "
                               "impossible",
                               loop->name, loop->calls, loop->flops);
    if (loop->default_variant < 0 || loop->default_variant >= loop->n_variants)
        return MPLAN_DISPROVED(err, "loop %s: default variant %d of %d variants", loop->name,
                               (int)loop->default_variant, (int)loop->n_variants);
    mplan_status status = MPLAN_OK;
    for (int32_t a = 0; a < loop->n_args && !status; a++)
        status = check_arg(plan, loop, a, err);
    return status;
}

/* One loop is primary if there are any. */
static mplan_status check_primary(const mplan_plan *plan, mplan_error *err)
{
    int32_t primary = -1;
    for (int32_t l = 0; l < plan->n_loops; l++) {
        if (!plan->loops[l].primary)
            continue;
        if (primary >= 0)
            return MPLAN_DISPROVED(err, "loops %s and %s are both primary",
                                   plan->loops[primary].name, plan->loops[l].name);
        primary = l;
    }
    if (plan->n_loops > 0 && primary < 0)
        return MPLAN_DISPROVED(err, "no loop is primary");
    return MPLAN_OK;
}

/* Whether so many elements, at least one, were cut into blocks at once: all of the set; in a part those that it owns may be cut
 * before those of its halo. Plans that are not parts own 0. */
static bool were_cut(const mplan_plan_set *set, int64_t n)
{
    return n == set->size || n == set->part.owned;
}

/* What is recorded of it, as far as it can be wrong by itself: figures that no partitioner could
 * have found. Products are compared as doubles, which do not overflow. */
static const char *wrong_origin(const mplan_plan *plan, const mplan_plan_block_set *set)
{
    int64_t size = plan->sets[set->set].size;
    const mplan_block_origin *o = &set->origin;
    bool found = o->origin > MPLAN_ORIGIN_GROWN;
    double room = (double)o->extent[0] * o->extent[1] * o->extent[2];
    if ((unsigned)o->origin >= MPLAN_N_ORIGINS)
        return "has an unknown origin";
    if (o->origin != MPLAN_ORIGIN_OTHER && set->partitioner != MPLAN_PARTITIONER_NATIVE)
        return "has the origin of another partitioner";
    if (o->refined && o->origin == MPLAN_ORIGIN_OTHER)
        return "of unknown origin was refined";
    if (!found && (o->extent[0] || o->extent[1] || o->extent[2] || o->patches || o->largest))
        return "has figures, but its origin has none";
    if (found && (o->extent[0] < 1 || o->extent[1] < 1 || o->extent[2] < 1 || o->patches < 1 ||
                  o->largest < 1))
        return "has no figures, but its origin needs them";
    for (int i = 0; i < 3; i++)
        if (o->extent[i] > FIGURE_MAX || o->patches > FIGURE_MAX || o->largest > FIGURE_MAX)
            return "has a figure of its origin that is too large";
    if (found && o->origin != MPLAN_ORIGIN_LAYERS &&
        (o->extent[0] < o->extent[1] || o->extent[1] < o->extent[2]))
        return "has extents that do not descend";
    if (found && o->origin != MPLAN_ORIGIN_LAYERS && (double)o->largest > room)
        return "has a patch that is larger than its extent";
    if (o->origin == MPLAN_ORIGIN_LAYERS &&
        (o->patches != 1 || !were_cut(&plan->sets[set->set], o->largest) ||
         (double)o->extent[0] * o->extent[2] < (double)o->largest || o->extent[0] > o->largest))
        return "has layers that do not match its elements";
    if ((o->origin == MPLAN_ORIGIN_QUADS || o->origin == MPLAN_ORIGIN_HEXES) &&
        (o->largest > size || o->patches > size))
        return "has a patch of more elements than there are";
    return NULL;
}

/* Set, loop, limits and counts. */
static mplan_status check_block_set(const mplan_plan *plan, int32_t index, mplan_error *err)
{
    const mplan_plan_block_set *set = &plan->block_sets[index];
    const char *wrong = NULL;
    if (set->set < 0 || set->set >= plan->n_sets)
        wrong = "cuts a set that does not exist";
    else if (set->loop < 0 || set->loop >= plan->n_loops)
        wrong = "was made for a loop that does not exist";
    else if (plan->loops[set->loop].set != set->set)
        wrong = "was made for a loop over another set";
    else if (set->n_blocks < 0 || set->n_blocks > plan->sets[set->set].size)
        wrong = "has more blocks than elements";
    else if (set->block_limit < 1 || set->block_limit > BLOCK_LIMIT_MAX)
        wrong = "has a block limit that is not in 1 to 1024";
    else if (set->max_points < 1 || set->max_points > MPLAN_CHECK_MOST_LOCAL)
        wrong = "has a limit of points that is not in 1 to 65535";
    else if (set->shared_bytes < 0)
        wrong = "has a negative limit of shared bytes";
    else if ((unsigned)set->partitioner >= MPLAN_N_PARTITIONERS)
        wrong = "has an unknown partitioner";
    else if (set->alternative_pairs < -1)
        wrong = "has an alternative of negative cost";
    else
        wrong = wrong_origin(plan, set);
    return wrong ? MPLAN_DISPROVED(err, "block set %d %s", (int)index, wrong) : MPLAN_OK;
}

/* Proves what records say of one another before any array is read: names, sizes, and that every
 * number of a set, map or block set exists. Later proofs use these numbers as indices without
 * looking at them again. */
mplan_status mplan_check_records(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = check_all_names(plan, err);
    for (int32_t i = 0; i < plan->n_sets && !status; i++)
        status = check_set(&plan->sets[i], err);
    for (int32_t i = 0; i < plan->n_maps && !status; i++)
        status = check_map(plan, &plan->maps[i], err);
    for (int32_t i = 0; i < plan->n_loops && !status; i++)
        status = check_loop(plan, &plan->loops[i], err);
    for (int32_t i = 0; i < plan->n_block_sets && !status; i++)
        status = check_block_set(plan, i, err);
    for (int32_t l = 0; l < plan->n_loops; l++)
        for (int32_t v = 0; v < plan->loops[l].n_variants && !status; v++)
            status = check_variant(plan, &plan->loops[l], v, err);
    return !status ? check_primary(plan, err) : status;
}
