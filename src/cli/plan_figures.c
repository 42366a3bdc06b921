/* SPDX-License-Identifier: Apache-2.0 */
/* plan_figures.c - what a plan is worth: figures from its metrics and offsets */
#include "cli/plan_figures.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* NaN, which JSON writes as null and tables as "-", where there is nothing to divide by. */
static double ratio(int64_t a, int64_t b)
{
    return b ? (double)a / (double)b : (double)NAN;
}

/* NULL where the plan stores none of this kind for the block set. */
static const mplan_array *block_set_array(const mplan_plan *plan, mplan_kind kind, int32_t block_set)
{
    mplan_key key = MPLAN_KEY_INIT(kind);
    key.block_set = (uint32_t)block_set;
    return mplan_plan_find_array(plan, &key);
}

/* Where runs are cut out of an order with holes, positions of -1 are not elements. storage_size
 * entries; NULL when every position is an element, or where the plan's array is not what it
 * should be. */
static const int32_t *order_with_holes(const mplan_plan *plan, const mplan_plan_block_set *block_set)
{
    const mplan_plan_set *set = mplan_plan_get_set(plan, block_set->set);
    if (block_set->sequence || set->storage_size == set->size)
        return NULL;
    mplan_key key = MPLAN_KEY_INIT(MPLAN_KIND_OLD_OF_NEW);
    key.set = (uint32_t)block_set->set;
    const mplan_array *order = mplan_plan_find_array(plan, &key);
    bool sound = order && order->type == MPLAN_TYPE_I32 && order->rows == set->storage_size;
    return sound ? order->data : NULL;
}

/* value in [0, most]: offsets of a plan that nobody proved may be anything. */
static int64_t within(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value > most ? most : value;
}

/* Trusts nothing: the plan of `info` may be one that `verify` would disprove. Where offsets run
 * backwards or out of the set, elements of a block may be counted as fewer than none, and the
 * block as empty. Reads every offset, and with holes every position of blocks that do not
 * overlap once. */
static void count_blocks(const mplan_plan *plan, int32_t index, cli_block_figures *figures)
{
    const mplan_plan_block_set *block_set = mplan_plan_get_block_set(plan, index);
    const mplan_array *array = block_set_array(plan, MPLAN_KIND_BLOCK_OFFSETS, index);
    if (!array || array->type != MPLAN_TYPE_I64 || array->rows != block_set->n_blocks + 1)
        return;
    const int64_t *offset = array->data;
    const int32_t *order = order_with_holes(plan, block_set);
    int64_t positions = mplan_plan_get_set(plan, block_set->set)->storage_size;
    for (int64_t b = 0; b < block_set->n_blocks; b++) {
        int64_t begin = within(offset[b], positions), end = within(offset[b + 1], positions);
        int64_t elements = end - begin;
        for (int64_t p = begin; order && p < end; p++)
            elements -= order[p] < 0;
        figures->empty += elements <= 0;
        figures->over_limit += elements > block_set->block_limit;
    }
}

/* block_set must be an index of the plan's. over_limit and empty are 0 for a sound plan. */
cli_block_figures cli_plan_blocks(const mplan_plan *plan, int32_t block_set)
{
    const mplan_plan_block_set *record = mplan_plan_get_block_set(plan, block_set);
    int64_t elements = mplan_plan_get_set(plan, record->set)->size;
    cli_block_figures figures = {
        .blocks = record->n_blocks,
        .block_min = record->block_min,
        .block_max = record->block_max,
        .block_mean = ratio(elements, record->n_blocks),
        .fill = ratio(elements, record->n_blocks * record->block_limit),
    };
    count_blocks(plan, block_set, &figures);
    return figures;
}

/* Metrics number i, if they are of this loop and block set: a record counts what all blocks
 * touch of one set, so that dividing by blocks gives the mean of one. figures is set only where
 * true is returned. */
bool cli_plan_points(const mplan_plan *plan, int32_t i, int32_t loop, int32_t block_set,
                     cli_point_figures *figures)
{
    const mplan_block_metrics *metrics = mplan_plan_get_metrics(plan, i);
    if (metrics->loop != loop || metrics->block_set != block_set)
        return false;
    int64_t blocks = mplan_plan_get_block_set(plan, block_set)->n_blocks;
    const mplan_plan_set *set = mplan_plan_get_set(plan, metrics->set);
    *figures = (cli_point_figures){
        .set = set->name,
        .reuse = ratio(metrics->entries, metrics->pairs),
        .shared_points = ratio(metrics->shared_points, set->size),
        .points_mean = ratio(metrics->pairs, blocks),
        .points_max = metrics->points_max,
        .lines = ratio(metrics->lines, blocks),
        .lines_ideal = ratio(metrics->lines_ideal, blocks),
    };
    return true;
}

/* -1 if the loop has none. */
int32_t cli_plan_block_set_of(const mplan_plan *plan, int32_t loop, int32_t variant)
{
    int32_t own = mplan_plan_get_loop(plan, loop)->variants[variant].block_set;
    if (own >= 0)
        return own;
    for (int32_t i = 0; i < mplan_plan_n_block_sets(plan); i++) {
        if (mplan_plan_get_block_set(plan, i)->loop == loop)
            return i;
    }
    return -1;
}

/* Blocks that only the stored order follows are run by nobody. */
bool cli_plan_runs_by(const mplan_plan *plan, int32_t loop, int32_t block_set)
{
    const mplan_plan_loop *record = mplan_plan_get_loop(plan, loop);
    for (int32_t v = 0; v < record->n_variants; v++) {
        if (record->variants[v].block_set == block_set)
            return true;
    }
    return false;
}

/* A block set made for another loop counts where a variant of this one runs by it: loops over
 * one set share blocks. */
bool cli_plan_pairs(const mplan_plan *plan, int32_t loop, int32_t block_set)
{
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
        const mplan_block_metrics *metrics = mplan_plan_get_metrics(plan, i);
        if (metrics->loop == loop && metrics->block_set == block_set)
            return true;
    }
    return cli_plan_runs_by(plan, loop, block_set) ||
           mplan_plan_get_block_set(plan, block_set)->loop == loop;
}

/* Over the blocks of the variant; NaN where it has no colours of threads or no blocks. */
double cli_plan_thread_colours_mean(const mplan_plan *plan, const mplan_plan_variant *variant)
{
    if (!(mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_THREAD_COLOURS) ||
        variant->block_set < 0)
        return (double)NAN;
    return ratio(variant->thread_colours_total,
                 mplan_plan_get_block_set(plan, variant->block_set)->n_blocks);
}

bool cli_plan_can_join(const mplan_plan *plan, int32_t i)
{
    const int32_t n = mplan_plan_n_step(plan), next = i + 1 < n ? i + 1 : 0;
    assert(i >= 0 && i < n);
    const mplan_plan_loop *one = mplan_plan_get_loop(plan, mplan_plan_get_step(plan, i)),
                          *other = mplan_plan_get_loop(plan, mplan_plan_get_step(plan, next));
    if (n < 2 || one->set != other->set || one->layering != other->layering)
        return false;
    for (int32_t c = 0; c < mplan_plan_n_conflicts(plan); c++) {
        const mplan_step_conflict *conflict = mplan_plan_get_conflict(plan, c);
        if (conflict->earlier == i && conflict->later == next &&
            (conflict->repeat != 0) == (next == 0) &&
            (conflict->earlier_ways | conflict->later_ways) != MPLAN_WAY_DIRECT)
            return false;
    }
    return true;
}

int64_t cli_plan_layers_there(const mplan_plan *plan, int32_t set)
{
    mplan_key key = MPLAN_KEY_INIT(MPLAN_KIND_LAYER_MASK);
    key.set = (uint32_t)set;
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    const int32_t *mask = array ? array->data : NULL;
    int64_t there = 0;
    if (!mask)
        return -1;
    for (int64_t i = 0; i < array->rows * array->cols; i++)
        for (uint32_t bits = (uint32_t)mask[i]; bits; bits &= bits - 1)
            there++;
    return there;
}

/* Whether no arg before it names the same dat: loops before, then args before it in its own
 * loop. Quadratic in args, of which a plan has some tens. */
bool cli_plan_names_first(const mplan_plan *plan, int32_t loop, int32_t arg)
{
    const char *dat = mplan_plan_get_loop(plan, loop)->args[arg].dat;
    for (int32_t l = 0; l <= loop; l++) {
        const mplan_plan_loop *earlier = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < (l == loop ? arg : earlier->n_args); a++)
            if (!strcmp(earlier->args[a].dat, dat))
                return false;
    }
    return true;
}

/* sectors: a number for each arg of the loop, NaN where not known. A dat is shown once: at its first arg that has a
 * number. */
bool cli_plan_shows_sectors(const mplan_plan_loop *loop, const double *sectors, int32_t arg)
{
    for (int32_t a = 0; a < arg; a++)
        if (isfinite(sectors[a]) && !strcmp(loop->args[a].dat, loop->args[arg].dat))
            return false;
    return isfinite(sectors[arg]);
}

/* The request is text of whole lines; "strategy auto" is one of them and can be in no name,
 * since names hold no line ends. */
bool cli_plan_was_chosen(const mplan_plan *plan)
{
    return strstr(mplan_plan_request(plan), "\nstrategy auto\n") != NULL;
}

/* Whether blocks add their records colour by colour, so that colours are worth a figure. */
bool cli_plan_sums_by_colour(const mplan_plan_variant *variant)
{
    return (mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_RECORDS) &&
           variant->sums == MPLAN_SUMS_COLOUR;
}
