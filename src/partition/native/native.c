/* SPDX-License-Identifier: Apache-2.0 */
/* native.c - meshplan's own partitioner
 *
 * table (all maps as one) -> a first cut (native_grid.h: tiles of a grid; else greedy graph
 * growing with exact sizes, side by side in regions of large tables) -> cut (elements and
 * points renumbered by it, which block each is in) -> pieces of grown blocks joined to their neighbours (scraps, balance) -> Lloyd relaxation by coordinates (lloyd),
 * in the metric of each block, so that long and flat cells count as round ones do (metric); without coordinates passes that only smooth
 * -> refinement passes over matchings of neighbouring blocks (match), each pair split anew now
 * and then (split; flow: along a cheapest border) and refined along its border (pair, fm), read from lists of points that
 * blocks keep where rows are long (lists). Small tables are cut several times, and groups of
 * blocks of the best cut are cut anew (regroup). The cost is the weight of the distinct (block,
 * point) pairs. Nothing is a graph of elements: the cost is what the blocks load. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_first.h"
#include "partition/native/native_order.h"
#include "partition/native/native_places.h"
#include "partition/native/native_refine.h"
#include "partition/native/native_regroup.h"
#include "partition/native/native_schedule.h"
#include "partition/native/native_weigh.h"

/* elements of a piece for a thread; elements of a table that is cut TRIALS times; starts of growth where blocks are few */
enum { ELEMENTS = 1 << 14, FEW_ELEMENTS = 10000, TRIALS = 6, STARTS = 4 };
#define FULL 0.995 /* a fill above it is taken at its word */

/* Blocks to aim at: filled as asked, of sizes as equal as can be, at least n / S and at most n.
 * Rounding must not cost more than 1% where little was to be left free: elements move between
 * blocks only where some have room, but an extra block costs all of its own points. */
static int64_t wanted_blocks(int64_t n, int32_t block_size, double fill)
{
    int64_t least = n / block_size + (n % block_size != 0);
    int64_t most = least + (least / 100 > 1 ? least / 100 : 1);
    double size = block_size * fill, wanted = size >= 1 ? (double)n / size : (double)n;
    int64_t blocks = (int64_t)wanted + (wanted > (double)(int64_t)wanted);
    if (fill >= 0.99 && blocks > most)
        blocks = most;
    while (fill >= 0.99 && blocks > least && (double)n < 0.99 * block_size * (double)blocks)
        blocks--;
    blocks = blocks < least ? least : blocks;
    return blocks < n ? blocks : n;
}

/* --- the whole ---------------------------------------------------------------------- */

/* sequence[i]: the caller's element that is number i of the first cut; number: new number by
 * block. */
typedef struct element_work {
    const int32_t *number, *sequence;
    const native_where *where;
    int32_t *block;
} element_work;

/* Elements [begin, end): old numbers of blocks become new ones. */
static void renumber_elements(void *data, int thread, int64_t begin, int64_t end)
{
    const element_work *work = data;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        work->block[e] = work->number[work->block[e]];
}

/* From the order of the first cut to the caller's elements. */
static void bring_back(void *data, int thread, int64_t begin, int64_t end)
{
    const element_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->block[work->sequence[i]] = work->where[i].block;
}

/* Numbers blocks by first element. */
static mplan_status number_blocks(int64_t n, int64_t n_blocks, int32_t *block, mplan_team *team,
                                  mplan_error *err)
{
    int32_t next = 0, *number = mplan_alloc(n_blocks, sizeof *number, err);
    if (!number)
        return MPLAN_ERR_MEMORY;
    memset(number, 0xff, (size_t)n_blocks * sizeof *number);
    for (int64_t e = 0; e < n && next < n_blocks; e++)
        if (number[block[e]] < 0)
            number[block[e]] = next++;
    element_work work = {.number = number, .block = block};
    mplan_for(team, n, ELEMENTS, renumber_elements, &work);
    free(number);
    return MPLAN_OK;
}

/* A cut of the whole table, one of several that are tried. */
typedef struct native_trial {
    native_aim aim;
    bool relaxes;     /* Lloyd relaxation, where there are coordinates */
    int32_t *block;   /* out: of each element, as the caller numbers them */
    int64_t n_blocks; /* out */
    int64_t weight; /* out: of the points that blocks touch, but for those of very many elements */
    bool weighs;    /* whether the weight is asked for */
    mplan_block_origin origin;
} native_trial;

/* Blocks of the first cut, refined: the trial's block and weight. */
static mplan_status refine_first(native_table *table, const mplan_footprint *footprint,
                                 const mplan_native_options *options, const native_first *first,
                                 native_trial *trial, const mplan_context *context, mplan_error *err)
{
    native_cut refined = {0};
    mplan_team *team = mplan_team_of(context);
    mplan_status status = mplan_native_order(table->n, first->sequence, first->offsets,
                                             first->n_blocks, context, err);
    if (!status)
        status = mplan_native_table_renumber(table, first->sequence, context, err);
    if (!status)
        status = mplan_native_cut_create(table, footprint, first->n_blocks, first->offsets,
                                         &refined, context, err);
    if (!status)
        status = mplan_native_refine(&refined, first, options, trial->relaxes, trial->block,
                                     context, err);
    element_work work = {.sequence = first->sequence, .where = refined.where, .block = trial->block};
    mplan_for(team, !status ? table->n : 0, ELEMENTS, bring_back, &work);
    if (!status && trial->weighs)
        trial->weight = mplan_native_cut_weight(&refined, team);
    mplan_native_cut_free(&refined);
    return status;
}

/* The table is renumbered on the way. */
static mplan_status cut_once(native_table *table, mplan_footprint *footprint,
                             const mplan_native_options *options, native_trial *trial,
                             const mplan_context *context, mplan_error *err)
{
    native_first first = {.sequence = mplan_alloc(table->n, sizeof *first.sequence, err)};
    mplan_status status = MPLAN_ERR_MEMORY;
    trial->aim.starts.mends = trial->relaxes && mplan_native_mends_seams(table, options->effort,
                                                                         native_have_places(options));
    if (first.sequence)
        status = mplan_native_first_cut(table, footprint, options, &trial->aim,
                                        mplan_partition_native, &first, context, err);
    first.settled = first.settled || mplan_native_is_growing_enough(table, options->effort);
    if (!status && !first.settled)
        status = refine_first(table, footprint, options, &first, trial, context, err);
    for (int64_t b = 0; b < first.n_blocks && !status && first.settled; b++)
        for (int64_t i = first.offsets[b]; i < first.offsets[b + 1]; i++)
            trial->block[first.sequence[i]] = (int32_t)b;
    if (!status && first.settled && trial->weighs)
        status = mplan_native_weigh(table, footprint, first.sequence, first.n_blocks, first.offsets,
                                    &trial->weight, context, err);
    trial->n_blocks = first.n_blocks;
    trial->origin = first.origin;
    trial->origin.refined = !first.settled && first.n_blocks > 1;
    free(first.offsets);
    free(first.sequence);
    return status;
}

/* Blocks to grow. Few blocks that are nearly full exchange hardly any elements: there are up to 3 % more, as many
 * as METIS makes with its usual imbalance, unless they are asked to be full. */
static int64_t grown_blocks(int64_t n, int32_t block_size, double fill, int64_t wanted)
{
    int64_t more = (n * 103 + 100 * (int64_t)block_size - 1) / (100 * (int64_t)block_size);
    bool may = mplan_native_are_few(n, block_size) && fill >= 0.99 && fill <= FULL;
    return may && more > wanted ? more : wanted;
}

/* Elements of a tile in trial k: every other one has no tiles; others have smaller ones, with which the last of a
 * column or of a stack may be less of a scrap. */
static int32_t tile_of(const mplan_native_options *options, int64_t n, int64_t wanted,
                       int32_t block_size, int32_t k)
{
    int32_t most = options->fill < 0.99 ? (int32_t)(block_size * options->fill) : block_size;
    int32_t even = wanted > 0 ? (int32_t)((n + wanted - 1) / wanted) : most;
    int32_t tile = k % 2 == 1 ? 0
                   : k == 2   ? (int32_t)(100 * (int64_t)most / 103)
                   : k == 4   ? even
                              : most;
    return tile < most ? tile : most;
}

/* Number k of several: growth begins elsewhere in each, every other one is not relaxed, every fourth has no more
 * blocks than the fill needs. */
static native_trial trial_of(const mplan_native_options *options, int64_t n, int32_t block_size,
                             int32_t k)
{
    int64_t wanted = wanted_blocks(n, block_size, options->fill);
    bool few = mplan_native_are_few(n, block_size) && options->effort != MPLAN_EFFORT_FAST;
    int64_t grown = few && k % 4 < 3 ? grown_blocks(n, block_size, options->fill, wanted) : wanted;
    native_starts starts = {n * k / TRIALS, few && n >= FEW_ELEMENTS ? STARTS : 1, false};
    return (native_trial){.aim = {.tiles = wanted,
                                  .grown = grown,
                                  .tile = tile_of(options, n, wanted, block_size, k),
                                  .starts = starts},
                          .relaxes = k % 2 == 0};
}

/* A part of a small table, from one start. */
static mplan_status cut_part(native_part *part, mplan_footprint *footprint,
                             const mplan_native_options *options, const mplan_context *context,
                             mplan_error *err)
{
    mplan_native_options plain = *options;
    plain.coordinates = NULL;
    plain.finder = NULL;
    plain.effort = MPLAN_EFFORT_DEFAULT;
    native_trial trial = {.aim = {.grown = part->n_blocks, .starts = {part->first, 1, false}},
                          .block = part->block,
                          .weighs = true};
    mplan_status status = cut_once(&part->table, footprint, &plain, &trial, context, err);
    part->n_blocks = trial.n_blocks;
    part->weight = trial.weight;
    return status;
}

/* Small tables, cut several times: *best gets the cut of the least weight, of no more blocks than the first or
 * the 3 % that few blocks may be more. */
static mplan_status cut_often(const native_table *table, mplan_footprint *footprint,
                              const mplan_native_options *options, native_trial *best,
                              const mplan_context *context, mplan_error *err)
{
    int32_t size = footprint->limits->block_size, *block = best->block;
    int32_t *other = mplan_alloc(table->n, sizeof *other, err);
    mplan_status status = other ? MPLAN_OK : MPLAN_ERR_MEMORY;
    int64_t most = grown_blocks(table->n, size, options->fill, 0);
    for (int32_t k = 0; k < TRIALS && !status; k++) {
        native_table copy;
        native_trial next = trial_of(options, table->n, size, k);
        next.block = k == 0 ? block : other;
        next.weighs = true;
        status = mplan_native_table_copy(table, &copy, err);
        if (!status)
            status = cut_once(&copy, footprint, options, &next, context, err);
        mplan_native_table_free(&copy);
        if (status || (k > 0 && (next.weight >= best->weight || next.n_blocks > most)))
            continue;
        most = k == 0 && next.n_blocks > most ? next.n_blocks : most;
        if (k > 0)
            memcpy(block, other, (size_t)table->n * sizeof *block);
        *best = next;
    }
    best->block = block;
    free(other);
    native_table copy = {0};
    int64_t saved = 0;
    if (!status && best->n_blocks > 1)
        status = mplan_native_table_copy(table, &copy, err);
    if (!status && best->n_blocks > 1)
        status = mplan_native_regroup(&copy, footprint, options, cut_part, best->n_blocks, block,
                                      &saved, context, err);
    best->origin.refined = best->origin.refined || saved > 0;
    mplan_native_table_free(&copy);
    return status;
}

/* block: out, one per element; *n_blocks: out. The table is renumbered on the
 * way. */
static mplan_status cut(native_table *table, mplan_footprint *footprint,
                        const mplan_native_options *options, int32_t *block, int64_t *n_blocks,
                        mplan_block_origin *origin, const mplan_context *context, mplan_error *err)
{
    bool often = table->n < FEW_ELEMENTS && options->effort != MPLAN_EFFORT_FAST &&
                 table->n > footprint->limits->block_size;
    native_trial best = trial_of(options, table->n, footprint->limits->block_size, 0);
    best.block = block;
    mplan_native_options held = *options;
    double *found = NULL; /* several cuts do not look for them each */
    mplan_status status = MPLAN_OK;
    if (often && native_have_places(options) && !options->coordinates) {
        held.coordinates = found = mplan_native_find_all(table->n, options, context, err);
        status = found ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (!status)
        status = often ? cut_often(table, footprint, &held, &best, context, err)
                       : cut_once(table, footprint, options, &best, context, err);
    free(found);
    if (!status)
        status = number_blocks(table->n, best.n_blocks, block, mplan_team_of(context), err);
    if (!status)
        *n_blocks = best.n_blocks;
    *origin = best.origin;
    return status;
}

/* origin may be NULL. Results do not depend on the number of threads. The footprint refers to the maps of the limits, but
 * reads them only to name an element that breaks a limit, and none does where limits do not bind. */
mplan_status mplan_partition_native(int64_t n, const mplan_block_limits *limits,
                                    const mplan_native_options *options, int32_t *block,
                                    int64_t *n_blocks, mplan_block_origin *origin,
                                    const mplan_context *context, mplan_error *err)
{
    assert(limits && options && block && n_blocks && n >= 0);
    mplan_block_origin unasked;
    mplan_footprint footprint;
    native_table table = {0};
    if (!(options->fill > 0 && options->fill <= 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "fill must be above 0 and at most 1, not %g",
                          options->fill);
    mplan_status status = mplan_footprint_open(&footprint, limits, err);
    if (status)
        return status;
    status = mplan_native_table_create(&footprint, n, &table, context, err);
    if (!status && !table.limits_bind && options->release)
        options->release(options->release_data);
    if (!status && !table.limits_bind)
        mplan_footprint_drop_stamps(&footprint);
    if (!status)
        status = cut(&table, &footprint, options, block, n_blocks, origin ? origin : &unasked,
                     context, err);
    mplan_native_table_free(&table);
    mplan_footprint_close(&footprint);
    return status;
}
