/* SPDX-License-Identifier: Apache-2.0 */
/* step_block_tables.c - how each loop is cut into blocks, and what that costs
 *
 * The primary loop's blocks are runs of the stored order by construction. Any
 * other loop compares runs of the stored order with a partition of its own,
 * reached through a stored sequence, and keeps the one with fewer distinct
 * (block, point) pairs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "order/order.h"
#include "pipeline/partition_loop.h"
#include "pipeline/steps.h"
#include "tables/tables.h"

/* A cut under trial: what its blocks touch, per target of the loop. */
typedef struct cut_trial {
    planning_blocks blocks;
    bool borrowed;              /* blocks belong to an earlier block set */
    bool partitioned;           /* the partitioner made them; else plain runs */
    int32_t block_set;          /* that one; -1: a new one */
    mplan_block_points *points; /* per target */
    int64_t pairs, shared_bytes_max, points_max;
} cut_trial;

/* The stored views of the loop's maps to a planning set: how many, maps[i] the view and which[i]
 * the planning map. Both have room for n_maps of the loop. */
static int32_t stored_maps_to(const planning *p, const planning_loop *loop, int32_t target,
                              mplan_map *maps, int32_t *which)
{
    int32_t n = 0;
    for (int32_t m = 0; m < loop->n_maps; m++)
        if (p->maps[loop->maps[m]].to == target) {
            which[n] = loop->maps[m];
            maps[n++] = mplan_planning_stored_map(p, loop->maps[m]);
        }
    return n;
}

/* trial->points: one per target set of the loop. Blocks that belong to another
 * block set are borrowed. */
static void trial_free(const planning *p, const planning_loop *loop, cut_trial *trial)
{
    for (int32_t t = 0; trial->points && t < loop->n_targets; t++) {
        int32_t n_maps = 0;
        for (int32_t m = 0; m < loop->n_maps; m++)
            n_maps += p->maps[loop->maps[m]].to == loop->targets[t];
        mplan_table_block_points_free(&trial->points[t], n_maps);
    }
    free(trial->points);
    if (!trial->borrowed) {
        free(trial->blocks.offsets);
        free(trial->blocks.sequence);
    }
}

/* What block b stages, by the definition of formats/plan-format.md, section 7. */
static int64_t staged_bytes(const planning_loop *loop, const cut_trial *trial, int64_t b)
{
    int64_t bytes = 0;
    for (int32_t d = 0; d < loop->n_dats; d++) {
        int32_t t = 0;
        while (loop->targets[t] != loop->dats[d].set)
            t++;
        const int64_t *offsets = trial->points[t].offsets;
        int64_t dat = (offsets[b + 1] - offsets[b]) * loop->dats[d].point_bytes;
        bytes += (dat + 15) / 16 * 16;
    }
    return bytes;
}

/* Makes the tables of a cut for every to-set of the loop (trial->points) and adds up its (block,
 * point) pairs, the most points of a set and the most bytes that a block of it has.
 * MPLAN_ERR_ARGUMENT where a block touches more points than local ids can name. What was made
 * before a failure is trial_free's. */
static mplan_status try_cut(const planning *p, const planning_loop *loop, cut_trial *trial,
                            mplan_error *err)
{
    const planning_blocks *blocks = &trial->blocks;
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    int32_t *which = mplan_alloc(loop->n_maps, sizeof *which, err);
    trial->points = mplan_alloc_zero(loop->n_targets, sizeof *trial->points, err);
    mplan_status status = maps && which && trial->points ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t t = 0; t < loop->n_targets && !status; t++) {
        int32_t n_maps = stored_maps_to(p, loop, loop->targets[t], maps, which);
        status = mplan_table_block_points(maps, n_maps, blocks->n_blocks, blocks->offsets,
                                          blocks->sequence, &trial->points[t], p->context, err);
        if (status)
            break;
        const int64_t *offsets = trial->points[t].offsets;
        trial->pairs += offsets[blocks->n_blocks];
        for (int64_t b = 0; b < blocks->n_blocks; b++)
            if (offsets[b + 1] - offsets[b] > trial->points_max)
                trial->points_max = offsets[b + 1] - offsets[b];
    }
    for (int64_t b = 0; b < blocks->n_blocks && !status; b++) {
        int64_t bytes = staged_bytes(loop, trial, b);
        trial->shared_bytes_max = bytes > trial->shared_bytes_max ? bytes : trial->shared_bytes_max;
    }
    free(maps);
    free(which);
    return status;
}

/* Turns the block of every stored element into offsets and a sequence, which is
 * dropped when it is the stored order itself. */
static mplan_status cut_from_blocks(int64_t n, const int32_t *block, int64_t n_blocks,
                                    planning_blocks *out, const mplan_context *context,
                                    mplan_error *err)
{
    int32_t *place = mplan_alloc(n, sizeof *place, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    out->n_blocks = n_blocks;
    out->offsets = mplan_alloc_zero(n_blocks + 1, sizeof *out->offsets, err);
    if (!place || !out->offsets)
        goto done;
    status = mplan_order_by_block(n, block, n_blocks, NULL, place, context, err);
    for (int64_t e = 0; e < n && !status; e++)
        out->offsets[block[e] + 1]++;
    for (int64_t b = 0; b < n_blocks && !status; b++)
        out->offsets[b + 1] += out->offsets[b];
    bool same = true;
    for (int64_t e = 0; e < n && same; e++)
        same = place[e] == (int32_t)e;
    if (!status && !same)
        status = mplan_table_invert(n, place, n, &out->sequence, context, err);
done:
    free(place);
    return status;
}

/* *maps: the loop's maps under the stored orders, in the order of loop->maps;
 * the array is the caller's. */
static mplan_status all_stored_maps(const planning *p, const planning_loop *loop, mplan_map **maps,
                                    mplan_error *err)
{
    *maps = mplan_alloc(loop->n_maps, sizeof **maps, err);
    for (int32_t m = 0; *maps && m < loop->n_maps; m++)
        (*maps)[m] = mplan_planning_stored_map(p, loop->maps[m]);
    return *maps ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Cuts the stored order into runs, or (`own`) by the partitioner, whose numbering is the stored
 * order: block[e] is by stored element. Time of the partitioner counts as partition, not as
 * tables. */
static mplan_status make_cut(planning *p, const planning_loop *loop, bool own, planning_blocks *out,
                             mplan_error *err)
{
    int64_t n = p->sets[loop->set].size, n_blocks = 0;
    mplan_map *maps = NULL;
    int32_t *block = mplan_alloc(n, sizeof *block, err);
    mplan_status status = block ? all_stored_maps(p, loop, &maps, err) : MPLAN_ERR_MEMORY;
    double start = mplan_clock();
    if (!status && own) {
        const planning_numbered of = {
            .maps = maps, .n = n, .element_order = p->sets[loop->set].new_of_old};
        status = mplan_planning_partition(p, loop, &of, block, &n_blocks, &out->origin, err);
        p->times.partition += mplan_clock() - start;
    } else if (!status) {
        status = mplan_planning_runs(p, loop, maps, n, block, &n_blocks, err);
    }
    if (!status)
        status = cut_from_blocks(n, block, n_blocks, out, p->context, err);
    free(maps);
    free(block);
    return status;
}

/* Whether blocks made for another loop keep this loop's limits of points and bytes; elements
 * they keep, since S is the plan's. */
static bool within_limits(const planning *p, const planning_loop *loop, const cut_trial *trial)
{
    mplan_block_limits limits = mplan_planning_limits(p, loop, NULL);
    return trial->points_max <= limits.max_points && trial->shared_bytes_max <= limits.shared_bytes;
}

/* Two loops that touch the same points of the same elements need one cut: same set, equal sets
 * of maps (neither list has a map twice). */
static bool same_maps(const planning_loop *a, const planning_loop *b)
{
    if (a->set != b->set || a->n_maps != b->n_maps)
        return false;
    for (int32_t m = 0; m < a->n_maps; m++) {
        bool found = false;
        for (int32_t k = 0; k < b->n_maps; k++)
            found = found || a->maps[m] == b->maps[k];
        if (!found)
            return false;
    }
    return true;
}

/* An earlier cut of the same set that keeps the loop's limits: made for a loop
 * with the same maps (`same`), or else into runs. *out stays without points when
 * there is none. */
static mplan_status try_earlier(planning *p, const planning_loop *loop, bool same, cut_trial *out,
                                mplan_error *err)
{
    for (int32_t c = 0; c < p->n_cuts; c++) {
        const mplan_plan_block_set *record = &p->plan->block_sets[c];
        if (record->set != loop->set ||
            (same ? !same_maps(loop, &p->loops[record->loop]) : p->cuts[c].sequence != NULL))
            continue;
        cut_trial earlier = {.blocks = p->cuts[c], .borrowed = true, .block_set = c};
        mplan_status status = try_cut(p, loop, &earlier, err);
        if (!status && within_limits(p, loop, &earlier)) {
            *out = earlier;
            return MPLAN_OK;
        }
        trial_free(p, loop, &earlier);
        if (status && status != MPLAN_ERR_ARGUMENT)
            return status; /* more points than local ids is only a reason to cut anew */
    }
    return MPLAN_OK;
}

/* The best cut of a loop that is not the primary one, by distinct (block, point) pairs; equal
 * counts keep runs, which need no sequence. *alternative: pairs of the cut that was compared and
 * not taken, untouched or -1 where none was. */
static mplan_status choose_cut(planning *p, const planning_loop *loop, cut_trial *out,
                               int64_t *alternative, mplan_error *err)
{
    const planning_loop *primary = &p->loops[p->primary];
    /* a sequence scatters the elements' own data, for which block-gather pays most */
    bool wanted = mplan_strategy_has(loop->strategies[0], MPLAN_TRAIT_THREAD_COLOURS) ||
                  p->asked->partitioner != MPLAN_PARTITIONER_AUTO;
    bool own_worth = wanted && loop->n_maps > 0 && !same_maps(loop, primary) &&
                     p->options->partitioner != MPLAN_PARTITIONER_NONE;
    cut_trial runs = {.block_set = -1}, own = {.block_set = -1, .partitioned = true};
    mplan_status status = try_earlier(p, loop, true, &runs, err);
    if (!status && runs.points) {
        *out = runs; /* which was compared when it was made */
        return MPLAN_OK;
    }
    if (!status)
        status = try_earlier(p, loop, false, &runs, err);
    if (!status && !runs.points) {
        status = make_cut(p, loop, false, &runs.blocks, err);
        if (!status)
            status = try_cut(p, loop, &runs, err);
    }
    if (!status && own_worth) {
        status = make_cut(p, loop, true, &own.blocks, err);
        if (!status)
            status = try_cut(p, loop, &own, err);
    }
    if (status) {
        trial_free(p, loop, &runs);
        trial_free(p, loop, &own);
        return status;
    }
    bool take_own = own_worth && own.pairs < runs.pairs;
    *alternative = !own_worth ? -1 : take_own ? runs.pairs : own.pairs;
    *out = take_own ? own : runs;
    trial_free(p, loop, take_own ? &runs : &own);
    return MPLAN_OK;
}

/* Gives a new cut to the plan; its arrays stay readable through plan->cuts. */
static mplan_status add_block_set(planning *p, int32_t l, cut_trial *trial, int64_t alternative,
                                  mplan_error *err)
{
    planning_loop *loop = &p->loops[l];
    planning_blocks *blocks = &trial->blocks;
    mplan_block_limits limits = mplan_planning_limits(p, loop, NULL);
    int64_t n = p->sets[loop->set].size;
    mplan_plan_block_set record = {.set = loop->set,
                                   .loop = l,
                                   .n_blocks = blocks->n_blocks,
                                   .block_limit = limits.block_size,
                                   .sequence = blocks->sequence != NULL,
                                   .partitioner = trial->partitioned ? p->options->partitioner
                                                                     : MPLAN_PARTITIONER_NONE,
                                   .block_min = blocks->n_blocks ? INT64_MAX : 0,
                                   .max_points = limits.max_points,
                                   .shared_bytes = limits.shared_bytes,
                                   .alternative_pairs = alternative,
                                   .origin = blocks->origin};
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        int64_t size = blocks->offsets[b + 1] - blocks->offsets[b];
        record.block_min = size < record.block_min ? size : record.block_min;
        record.block_max = size > record.block_max ? size : record.block_max;
    }
    planning_blocks *cuts = mplan_realloc(p->cuts, p->n_cuts + 1, sizeof *cuts, err);
    if (!cuts)
        return MPLAN_ERR_MEMORY;
    p->cuts = cuts;
    mplan_status status = mplan_plan_add_block_set(p->plan, &record, err);
    if (status)
        return status;
    cuts[p->n_cuts] = *blocks;
    trial->borrowed = true;
    trial->block_set = p->n_cuts++;
    status = mplan_plan_take_array(p->plan,
                                   mplan_key_of_block_set(MPLAN_KIND_BLOCK_OFFSETS, trial->block_set),
                                   MPLAN_TYPE_I64, blocks->n_blocks + 1, 1, blocks->offsets, err);
    if (!blocks->sequence)
        return status;
    if (status) {
        free(blocks->sequence);
        return status;
    }
    return mplan_plan_take_array(p->plan,
                                 mplan_key_of_block_set(MPLAN_KIND_BLOCK_SEQUENCE, trial->block_set),
                                 MPLAN_TYPE_I32, n, 1, blocks->sequence, err);
}

enum { LINE = 4, BLOCKS = 64, ENTRIES = 1 << 16 }; /* points of a line; of a piece */

/* What is counted of blocks side by side. seen[p]: bit 0 where a block lists stored point p, bit 1 where several do. */
typedef struct point_measure {
    const mplan_block_points *points;
    uint8_t *seen;
    bool by_one; /* one thread looks */
    int64_t lines, shared;
} point_measure;

/* Sees a point once more; whether it was seen once before. */
static bool is_second(const point_measure *in, int32_t point)
{
    uint8_t *seen = &in->seen[point];
    if (in->by_one) {
        const bool second = *seen == 1;
        *seen |= (uint8_t)(*seen ? 2 : 1);
        return second;
    }
    if (__atomic_load_n(seen, __ATOMIC_RELAXED) & 2)
        return false;
    return (__atomic_fetch_or(seen, 1, __ATOMIC_RELAXED) & 1) &&
           !(__atomic_fetch_or(seen, 2, __ATOMIC_RELAXED) & 2);
}

/* Blocks [begin, end). A block's list ascends, so a line (LINE points of 8 bytes, one sector) is counted where it differs
 * from the one before. */
static void measure_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    point_measure *in = data;
    const mplan_block_points *points = in->points;
    int64_t lines = 0, shared = 0;
    (void)thread;
    for (int64_t b = begin; b < end; b++) {
        int32_t last = -1;
        for (int64_t i = points->offsets[b]; i < points->offsets[b + 1]; i++) {
            int32_t line = points->points[i] / LINE;
            lines += line != last;
            last = line;
            shared += is_second(in, points->points[i]);
        }
    }
    mplan_add(&in->lines, lines);
    mplan_add(&in->shared, shared);
}

/* Fills pairs, shared points, lines and the largest list of metrics->set. */
static mplan_status measure_points(const planning *p, const planning_blocks *blocks,
                                   const mplan_block_points *points, mplan_block_metrics *metrics,
                                   mplan_error *err)
{
    mplan_team *team = mplan_team_of(p->context);
    point_measure in = {points, mplan_alloc_zero(p->sets[metrics->set].storage, 1, err),
                        mplan_team_threads(team) == 1, 0, 0};
    if (!in.seen)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, blocks->n_blocks, BLOCKS, measure_blocks, &in);
    metrics->lines = in.lines;
    metrics->shared_points = in.shared;
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        int64_t n = points->offsets[b + 1] - points->offsets[b];
        metrics->lines_ideal += (n + LINE - 1) / LINE;
        metrics->points_max = n > metrics->points_max ? n : metrics->points_max;
    }
    metrics->pairs = points->offsets[blocks->n_blocks];
    free(in.seen);
    return MPLAN_OK;
}

/* How many of entries [begin, end) name a point. */
static int64_t count_named(void *data, int thread, int64_t begin, int64_t end)
{
    const int32_t *values = data;
    int64_t named = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        named += values[i] >= 0;
    return named;
}

/* Metrics and tables of one target; the tables go to the plan. */
static mplan_status add_target(planning *p, int32_t l, const cut_trial *trial, int32_t t,
                               mplan_error *err)
{
    const planning_loop *loop = &p->loops[l];
    int32_t set = loop->targets[t], block_set = trial->block_set;
    mplan_block_points *points = &trial->points[t];
    mplan_block_metrics metrics = {.loop = l, .block_set = block_set, .set = set};
    mplan_map *maps = mplan_alloc(loop->n_maps, sizeof *maps, err);
    int32_t *which = mplan_alloc(loop->n_maps, sizeof *which, err);
    mplan_status status = maps && which ? measure_points(p, &trial->blocks, points, &metrics, err)
                                        : MPLAN_ERR_MEMORY;
    int32_t n_maps = !status ? stored_maps_to(p, loop, set, maps, which) : 0;
    for (int32_t m = 0; m < n_maps; m++)
        metrics.entries += mplan_for_sum(mplan_team_of(p->context), mplan_map_entries(&maps[m]),
                                         ENTRIES, count_named, (void *)(uintptr_t)maps[m].values);
    if (!status)
        status = mplan_plan_add_metrics(p->plan, &metrics, err);
    for (int32_t m = 0; m < n_maps && !status; m++) {
        int64_t entries = mplan_map_entries(&maps[m]);
        bool fixed = maps[m].arity > 0;
        uint16_t *local = points->local[m];
        points->local[m] = NULL;
        status = mplan_plan_take_array(p->plan, mplan_key_of_block_local(block_set, l, which[m]),
                                       MPLAN_TYPE_U16, fixed ? maps[m].n_rows : entries,
                                       fixed ? maps[m].arity : 1, local, err);
    }
    free(maps);
    free(which);
    if (status)
        return status;
    int32_t *list = points->points;
    points->points = NULL;
    status = mplan_plan_take_array(p->plan,
                                   mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINTS, block_set, l,
                                                             set),
                                   MPLAN_TYPE_I32, metrics.pairs, 1, list, err);
    if (status)
        return status;
    int64_t *offsets = points->offsets;
    points->offsets = NULL;
    return mplan_plan_take_array(p->plan,
                                 mplan_key_of_block_points(MPLAN_KIND_BLOCK_POINT_OFFSETS,
                                                           block_set, l, set),
                                 MPLAN_TYPE_I64, trial->blocks.n_blocks + 1, 1, offsets, err);
}

/* The primary loop's blocks are given; another loop may share them, run over the
 * stored order, or have a partition of its own, whichever touches fewest points. */
static mplan_status add_loop_blocks(planning *p, int32_t l, mplan_error *err)
{
    planning_loop *loop = &p->loops[l];
    cut_trial chosen = {.block_set = -1};
    int64_t alternative = -1;
    bool none = false;
    mplan_status status = mplan_planning_without_blocks(p, loop, &none, err);
    if (status || none) {
        loop->block_set = -1;
        return status;
    }
    if (l == p->primary) {
        chosen.blocks = p->primary_blocks;
        chosen.partitioned = loop->n_maps > 0;
        p->primary_blocks = (planning_blocks){.n_blocks = 0};
        status = try_cut(p, loop, &chosen, err);
    } else {
        status = choose_cut(p, loop, &chosen, &alternative, err);
    }
    /* tables of another loop's blocks are there for variants only */
    bool with_tables = chosen.block_set < 0 || mplan_planning_runs_blocks(loop);
    if (!status && chosen.block_set < 0)
        status = add_block_set(p, l, &chosen, alternative, err);
    for (int32_t t = 0; t < loop->n_targets && !status && with_tables; t++)
        status = add_target(p, l, &chosen, t, err);
    loop->block_set = chosen.block_set;
    loop->shared_bytes_max = chosen.shared_bytes_max;
    trial_free(p, loop, &chosen);
    return status;
}

/* After it every loop has a block set, its own or another one's, or is without blocks (-1). */
mplan_status mplan_step_block_tables(planning *p, mplan_error *err)
{
    assert(p && p->plan && p->primary_blocks.offsets);
    /* the primary loop first: others may use its blocks */
    mplan_status status = add_loop_blocks(p, p->primary, err);
    for (int32_t l = 0; l < p->n_loops && !status; l++)
        if (l != p->primary)
            status = add_loop_blocks(p, l, err);
    return status;
}
