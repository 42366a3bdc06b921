/* SPDX-License-Identifier: Apache-2.0 */
/* check_choices.c - variants and block sets are those that the request leads to
 *
 * Sections 4 (VARIANTS, BLOCK_SETS) and 11 of formats/plan-format.md. Where the request leaves a
 * strategy, a block size or sums open, any that the records agree on are as good; what follows from
 * them is proved. */
#include "check/check_request.h"

#include <string.h>

enum { USUAL_BLOCK_SIZE = 256, WARP = 32, OWNER_THREADS = 128, FEW_COLUMNS = 4 };

/* Bytes that a block may stage: as asked, else what the device has. */
static int64_t limit_of_bytes(const mplan_asked *asked)
{
    return asked->shared_bytes ? asked->shared_bytes : asked->device_bytes;
}

/* Points of a set that a block may touch. */
static int64_t limit_of_points(const mplan_asked *asked)
{
    return asked->max_points ? asked->max_points : MPLAN_CHECK_MOST_LOCAL;
}

/* The one block limit of a plan: as asked, else the usual one where strategies were asked for, else that of the first
 * block set, or variant, as any size is as good that all of them have. */
static int64_t limit_of_blocks(const mplan_plan *plan, const mplan_asked *asked)
{
    if (asked->block_size)
        return asked->block_size;
    if (asked->n_strategies)
        return USUAL_BLOCK_SIZE;
    return plan->n_block_sets ? plan->block_sets[0].block_limit
                              : plan->loops[0].variants[0].block_limit;
}

/* --- variants --- */

/* Threads of a thread block where the request does not say how many. */
static int64_t usual_threads(const mplan_check *check, int32_t l, const mplan_plan_variant *variant)
{
    const mplan_check_loop *loop = &check->loops[l];
    int64_t all = (variant->block_limit + WARP - 1) / WARP * WARP, columns = 0;
    for (int32_t m = 0; m < loop->n_maps; m++)
        columns += loop->written[m] ? check->plan->maps[loop->maps[m]].arity : 0;
    int64_t most = columns >= FEW_COLUMNS ? 256 : 128;
    if (mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS))
        return OWNER_THREADS;
    if (variant->round)
        return variant->round;
    return mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS) && all > most ? most : all;
}

/* What was asked of variant v of a loop; MPLAN_N_STRATEGIES: left open. */
static mplan_strategy asked_strategy(const mplan_check *check, const mplan_asked *asked, int32_t l,
                                     int32_t v)
{
    if (!asked->n_strategies)
        return mplan_check_writes(check, l) ? MPLAN_N_STRATEGIES : MPLAN_STRATEGY_ATOMIC;
    mplan_strategy strategy = asked->strategies[v];
    bool gathers = mplan_strategy_has(strategy, MPLAN_TRAITS_GATHER);
    return gathers && !mplan_check_writes(check, l) ? MPLAN_STRATEGY_ATOMIC : strategy;
}

/* Whether a loop sums or writes through a map, so that the order of its elements shows. */
static bool order_shows(const mplan_plan_loop *loop)
{
    bool shows = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        shows = shows ||
                (arg->map >= 0 && !arg->once &&
                 (arg->access == MPLAN_WRITE || arg->access == MPLAN_RW || arg->access == MPLAN_INC));
    }
    return shows;
}

/* Whether a variant's sums have equal bits each time: all but atomic adds do. */
static bool gives_equal_bits(const mplan_check *check, int32_t l, const mplan_plan_variant *variant)
{
    bool atomic = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_ATOMIC) ||
                  (mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS) &&
                   variant->sums == MPLAN_SUMS_ATOMIC);
    return !atomic || !order_shows(&check->plan->loops[l]);
}

/* The block set that variants of a loop run: its own, else any over its set. */
static bool is_block_set_of(const mplan_plan *plan, int32_t l, const mplan_plan_variant *variant)
{
    bool runs_blocks = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_BLOCKS);
    if (!runs_blocks || variant->block_set < 0)
        return !runs_blocks && variant->block_set < 0;
    for (int32_t b = 0; b < plan->n_block_sets; b++)
        if (plan->block_sets[b].loop == l)
            return variant->block_set == b;
    return true;
}

/* The order of sums that follows from the request: of variants that keep rows, where there is
 * something to add. */
static mplan_sums_order order_due(const mplan_check *check, const mplan_asked *asked, int32_t l,
                                  const mplan_plan_variant *variant)
{
    bool rows = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_SLOT_LISTS | MPLAN_TRAIT_OWNERS);
    return rows && mplan_check_writes(check, l) ? asked->sums_order : MPLAN_SUMS_ORDER_STORED;
}

/* Rows of a slice that VARIANTS2 must have: the usual number is not written down. */
static int32_t slice_rows_due(const mplan_asked *asked, const mplan_plan_variant *variant)
{
    return asked->slice_rows == 64 && mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS) ? 64
                                                                                                : 0;
}

/* Elements of a thread where there are no blocks to be shared by threads: strategies that go through the elements of
 * loops without layers compute as many as were asked for. */
static int64_t elements_due(const mplan_check *check, const mplan_asked *asked, int32_t l,
                            const mplan_plan_variant *variant)
{
    const bool goes_through = mplan_strategy_has(variant->strategy,
                                                 MPLAN_TRAIT_GLOBAL_COLOURS | MPLAN_TRAIT_ATOMIC);
    return goes_through && !check->plan->loops[l].layering && asked->elements_per_thread
               ? asked->elements_per_thread
               : 1;
}

/* Thread blocks of the launch bounds: of the strategies whose kernels have some, in loops without layers. */
static int64_t bound_due(const mplan_check *check, const mplan_asked *asked, int32_t l,
                         const mplan_plan_variant *variant)
{
    const bool gathers = variant->strategy == MPLAN_STRATEGY_BLOCK_GATHER ||
                         variant->strategy == MPLAN_STRATEGY_OWNER_GATHER;
    return gathers && !check->plan->loops[l].layering ? asked->bound_blocks : 0;
}

/* Elements of a round that follow from the request; with strategies that were left open, any. */
static int64_t round_due(const mplan_check *check, const mplan_asked *asked, int32_t l,
                         const mplan_plan_variant *variant)
{
    if (!asked->round && !asked->n_strategies)
        return variant->round;
    return mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS) &&
                   !check->plan->loops[l].layering && asked->round < variant->block_limit
               ? asked->round
               : 0;
}

/* What in the variant does not follow from the request, as the end of a sentence, or
 * NULL. */
static const char *wrong_variant(const mplan_check *check, const mplan_asked *asked, int32_t l,
                                 int32_t v)
{
    const mplan_plan_variant *variant = &check->plan->loops[l].variants[v];
    mplan_strategy strategy = asked_strategy(check, asked, l, v);
    bool by_block = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_RECORDS);
    int64_t all = ((int64_t)variant->block_limit + WARP - 1) / WARP * WARP;
    int64_t each = variant->block_set >= 0 ? (all + variant->threads - 1) / variant->threads
                                           : elements_due(check, asked, l, variant);
    if (strategy != MPLAN_N_STRATEGIES && variant->strategy != strategy)
        return "does not have the requested strategy";
    if (!variant->device || strcmp(variant->device, asked->device) != 0)
        return "is not for the requested device";
    if (variant->block_limit != limit_of_blocks(check->plan, asked))
        return "does not have the requested block limit";
    if (!is_block_set_of(check->plan, l, variant))
        return "refers to blocks of another loop, or to blocks that it does not run";
    if (variant->threads !=
        (asked->block_threads ? asked->block_threads : usual_threads(check, l, variant)))
        return "does not have the threads that follow from the request";
    if (variant->elements_per_thread != each)
        return "does not have the elements per thread that follow from the request";
    if (variant->bound_blocks != bound_due(check, asked, l, variant) ||
        variant->bound_threads != (variant->bound_blocks ? variant->threads : 0))
        return "does not have the launch bounds that follow from the request";
    if (variant->round != round_due(check, asked, l, variant))
        return "does not have the rounds that follow from the request";
    if (variant->entry_layout !=
        (asked->by_entry && variant->width > 0 && variant->encoding == MPLAN_ENCODING_WINDOWS16 &&
         !check->plan->loops[l].layering))
        return "does not have the layout of entries that follows from the request";
    if (variant->deterministic != gives_equal_bits(check, l, variant))
        return variant->deterministic ? "promises equal bits, but atomic additions do not give "
                                        "them"
                                      : "gives equal bits, but does not promise them";
    if (!asked->n_strategies && !asked->nondeterministic && !variant->deterministic)
        return "does not give equal bits, but the request requires them";
    if (by_block && asked->n_strategies && variant->sums != asked->sums)
        return "does not have the requested sums";
    if (mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS) &&
        asked->encoding != MPLAN_ENCODING_NONE && variant->encoding != asked->encoding)
        return "does not have the requested encoding";
    if (variant->sums_order != order_due(check, asked, l, variant))
        return "does not have the requested order of sums";
    if (variant->slice_rows != slice_rows_due(asked, variant))
        return "does not have slices of the requested number of rows";
    if (asked->sums_order == MPLAN_SUMS_ORDER_MESH && mplan_check_writes(check, l) &&
        !mplan_strategy_has(variant->strategy, MPLAN_TRAIT_SLOT_LISTS | MPLAN_TRAIT_OWNERS))
        return "does not add in the order of the mesh, as the request requires";
    if (variant->shared_bytes_max > limit_of_bytes(asked))
        return "stages more bytes than a block may";
    return NULL;
}

/* One variant for each strategy that was asked for, in that order; the first is the
 * default. */
static mplan_status check_loop_choices(const mplan_check *check, const mplan_asked *asked,
                                       int32_t l, mplan_error *err)
{
    const mplan_plan_loop *loop = &check->plan->loops[l];
    int32_t n = asked->n_strategies ? asked->n_strategies : 1;
    if (loop->n_variants != n || loop->default_variant != 0)
        return MPLAN_DISPROVED(err,
                               "loop %s has %d variants, of which %d is the default, but the "
                               "request gives %d, and the first is the default",
                               loop->name, (int)loop->n_variants, (int)loop->default_variant, (int)n);
    for (int32_t v = 0; v < n; v++) {
        const char *wrong = wrong_variant(check, asked, l, v);
        if (wrong)
            return MPLAN_DISPROVED(err, "loop %s, variant %d %s", loop->name, (int)v, wrong);
    }
    return MPLAN_OK;
}

/* --- block sets --- */

/* Lists of maps ascend, so that equal sets are equal lists. */
static bool same_maps(const mplan_check_loop *a, const mplan_check_loop *b)
{
    return a->n_maps == b->n_maps &&
           memcmp(a->maps, b->maps, (size_t)a->n_maps * sizeof *a->maps) == 0;
}

/* (block, point) pairs of a block set and the loop that it was made for. */
static int64_t pairs_of(const mplan_plan *plan, int32_t b)
{
    int64_t pairs = 0;
    for (int32_t i = 0; i < plan->n_metrics; i++)
        if (plan->metrics[i].block_set == b && plan->metrics[i].loop == plan->block_sets[b].loop)
            pairs += plan->metrics[i].pairs;
    return pairs;
}

/* Whether the planner had to make a cut for loop l and compare it with runs of the stored order: the loop has maps,
 * not the same set and maps as the primary loop, and a partitioner cuts: one that was asked for or, with auto, the
 * native one where the first strategy of the loop has thread colours. */
static bool is_compared(const mplan_check *check, const mplan_asked *asked, int32_t l)
{
    const mplan_check_loop *loop = &check->loops[l], *primary = &check->loops[asked->primary];
    bool same_set = check->plan->loops[l].set == check->plan->loops[asked->primary].set;
    return loop->n_maps > 0 && !(same_set && same_maps(loop, primary)) &&
           asked->cut_by != MPLAN_PARTITIONER_NONE &&
           (asked->partitioner != MPLAN_PARTITIONER_AUTO ||
            mplan_strategy_has(mplan_check_first_strategy(check, asked, l),
                               MPLAN_TRAIT_THREAD_COLOURS));
}

/* The number of block sets of the primary loop, which come first. */
static int32_t primary_cuts(const mplan_plan *plan, const mplan_asked *asked)
{
    return plan->n_block_sets > 0 && plan->block_sets[0].loop == asked->primary;
}

/* The primary loop has blocks, unless nothing runs them and an element of it is larger than a block may be. */
static mplan_status check_primary_blocks(const mplan_check *check, const mplan_asked *asked,
                                         mplan_error *err)
{
    const mplan_plan_loop *loop = &check->plan->loops[asked->primary];
    bool runs = false, large = false;
    if (primary_cuts(check->plan, asked))
        return MPLAN_OK;
    for (int32_t v = 0; v < loop->n_variants; v++)
        runs = runs || loop->variants[v].block_set >= 0;
    mplan_status status = runs ? MPLAN_OK
                               : mplan_check_large(check, asked->primary, limit_of_points(asked),
                                                   limit_of_bytes(asked), &large, err);
    if (status || large)
        return status;
    return MPLAN_DISPROVED(err, "the primary loop has no blocks, which come first, although %s",
                           runs ? "a variant of it runs some"
                                : "no element of it is larger than a block may be");
}

/* The cut of the primary loop, which has nothing to be compared with. */
static const char *wrong_primary_cut(const mplan_check *check, const mplan_asked *asked,
                                     const mplan_plan_block_set *set)
{
    bool maps = check->loops[asked->primary].n_maps > 0;
    if (set->partitioner != (maps ? asked->cut_by : MPLAN_PARTITIONER_NONE))
        return "was not made by the requested partitioner";
    if (set->sequence)
        return "is of the primary loop and does not follow the stored order";
    return set->alternative_pairs >= 0 ? "is of the primary loop and has an alternative" : NULL;
}

/* As wrong_variant, for block sets after that of the primary loop, which comes first. */
static const char *wrong_later_cut(const mplan_check *check, const mplan_asked *asked, int32_t b)
{
    const mplan_plan_block_set *set = &check->plan->block_sets[b];
    bool own = set->partitioner != MPLAN_PARTITIONER_NONE,
         compared = is_compared(check, asked, set->loop);
    if (set->loop == asked->primary ||
        (b > primary_cuts(check->plan, asked) && set->loop <= set[-1].loop))
        return "was made for a loop that already has one, or is out of order";
    if (own && (!compared || set->partitioner != asked->cut_by))
        return "was not made by the requested partitioner";
    if (set->sequence && !own)
        return "consists of runs of the stored order, but has a sequence";
    if (compared != (set->alternative_pairs >= 0))
        return compared ? "has no alternative, but two cuts were compared"
                        : "has an alternative, but there was only one cut";
    if (own && set->alternative_pairs <= pairs_of(check->plan, b))
        return "was kept, but runs of the stored order are not worse";
    return NULL;
}

/* As wrong_variant, for what all block sets have in common. */
static const char *wrong_block_set(const mplan_check *check, const mplan_asked *asked, int32_t b)
{
    const mplan_plan_block_set *set = &check->plan->block_sets[b];
    if (set->block_limit != limit_of_blocks(check->plan, asked))
        return "does not have the requested block limit";
    if (set->max_points != limit_of_points(asked))
        return "does not have the requested limit of points";
    if (set->partitioner == MPLAN_PARTITIONER_NATIVE && set->origin.origin == MPLAN_ORIGIN_OTHER &&
        !check->plan->no_origins)
        return "was made by the native partitioner, but has no origin";
    if (set->shared_bytes != limit_of_bytes(asked))
        return "does not have the requested limit of shared bytes, or that of the device";
    return b < primary_cuts(check->plan, asked) ? wrong_primary_cut(check, asked, set)
                                                : wrong_later_cut(check, asked, b);
}

/* The partitioner, where it was left open: native when it made any blocks, else none. */
static mplan_partitioner find_cut_by(const mplan_plan *plan, const mplan_asked *asked)
{
    mplan_partitioner found = MPLAN_PARTITIONER_NONE;
    if (asked->partitioner != MPLAN_PARTITIONER_AUTO)
        return asked->partitioner;
    for (int32_t b = 0; b < plan->n_block_sets; b++)
        if (plan->block_sets[b].partitioner == MPLAN_PARTITIONER_NATIVE)
            found = MPLAN_PARTITIONER_NATIVE;
    return found;
}

/* The set that the deciding map leads to: of the first arg that increments through one, else of
 * the first that writes, else of the first that reads. */
static int32_t find_target(const mplan_plan *plan, const mplan_plan_loop *loop)
{
    int32_t best = -1, best_rank = -1;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        int32_t rank = mplan_access_adds(arg->access) ? 2 : arg->access != MPLAN_READ;
        if (arg->map >= 0 && rank > best_rank) {
            best = plan->maps[arg->map].to;
            best_rank = rank;
        }
    }
    return best;
}

/* Completes *asked by what the plan says of its loops before it compares. */
mplan_status mplan_check_choices(const mplan_check *check, mplan_asked *asked, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < plan->n_loops; l++)
        if (plan->loops[l].primary)
            asked->primary = l;
    if (asked->primary < 0)
        return MPLAN_DISPROVED(err, "the plan has no loops");
    asked->target = find_target(plan, &plan->loops[asked->primary]);
    asked->cut_by = find_cut_by(plan, asked);
    status = check_primary_blocks(check, asked, err);
    if (status)
        return status;
    for (int32_t b = 0; b < plan->n_block_sets; b++) {
        const char *wrong = wrong_block_set(check, asked, b);
        if (wrong)
            return MPLAN_DISPROVED(err, "block set %d %s", (int)b, wrong);
    }
    for (int32_t l = 0; l < plan->n_loops && !status; l++)
        status = check_loop_choices(check, asked, l, err);
    return status;
}
