/* SPDX-License-Identifier: Apache-2.0 */
/* plan_bounds.c - figures of a plan beside what they can be held against */
#include "cli/plan_bounds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/message.h"
#include "cli/plan_figures.h"

/* first[l]: where the variants of loop l begin in bounds->variants, n_loops + 1 entries, the
 * last of which is the number of all variants. All arrays have an entry more than they need, so
 * that none is empty. */
static mplan_status make_room(const mplan_plan *plan, cli_plan_bounds *bounds, mplan_error *err)
{
    int32_t n_loops = mplan_plan_n_loops(plan), n_metrics = mplan_plan_n_metrics(plan), n = 0,
            n_sectors = 0;
    for (int32_t l = 0; l < n_loops; l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        n += loop->n_variants;
        n_sectors += loop->n_variants * loop->n_args;
    }
    bounds->variants = calloc((size_t)n + 1, sizeof *bounds->variants);
    bounds->first = calloc((size_t)n_loops + 1, sizeof *bounds->first);
    bounds->reuse = calloc((size_t)n_metrics + 1, sizeof *bounds->reuse);
    bounds->tiles = calloc((size_t)n_metrics + 1, sizeof *bounds->tiles);
    bounds->lanes = calloc((size_t)n + 1, sizeof *bounds->lanes);
    bounds->sectors = calloc((size_t)n_sectors + 1, sizeof *bounds->sectors);
    bounds->first_sector = calloc((size_t)n + 1, sizeof *bounds->first_sector);
    if (!bounds->variants || !bounds->first || !bounds->reuse || !bounds->tiles || !bounds->lanes ||
        !bounds->sectors || !bounds->first_sector)
        return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    for (int32_t l = 0; l < n_loops; l++)
        bounds->first[l + 1] = bounds->first[l] + mplan_plan_get_loop(plan, l)->n_variants;
    return MPLAN_OK;
}

/* Bounds and loads of variant v of loop l. at: where its sectors begin; behind them on return. */
static mplan_status look_at_variant(const mplan_plan *plan, int32_t l, int32_t v, int32_t *at,
                                    cli_plan_bounds *bounds, const mplan_context *context,
                                    mplan_error *err)
{
    const int32_t i = bounds->first[l] + v;
    mplan_status status = mplan_plan_variant_bounds(plan, l, v, &bounds->variants[i], context, err);
    if (!status)
        status = mplan_plan_variant_loads(plan, l, v, &bounds->lanes[i], &bounds->sectors[*at], err);
    bounds->first_sector[i] = *at;
    *at += mplan_plan_get_loop(plan, l)->n_args;
    return status;
}

/* Every bound of the plan at once. The library goes through the maps of each loop for them:
 * linear in entries, but not for nothing, so that callers ask only where somebody reads them.
 * Nothing is to be released after a failure. */
mplan_status cli_plan_bounds_create(const mplan_plan *plan, cli_plan_bounds *bounds,
                                    const mplan_context *context, mplan_error *err)
{
    *bounds = (cli_plan_bounds){0};
    mplan_status status = make_room(plan, bounds, err);
    int32_t at = 0;
    for (int32_t l = 0; l < mplan_plan_n_loops(plan) && !status; l++)
        for (int32_t v = 0; v < mplan_plan_get_loop(plan, l)->n_variants && !status; v++)
            status = look_at_variant(plan, l, v, &at, bounds, context, err);
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan) && !status; i++)
        status = mplan_plan_reuse_bound(plan, i, &bounds->reuse[i], &bounds->tiles[i], err);
    if (status)
        cli_plan_bounds_free(bounds);
    return status;
}

/* tiles: the array is ours, the texts are the library's. */
void cli_plan_bounds_free(cli_plan_bounds *bounds)
{
    free(bounds->variants);
    free(bounds->first);
    free(bounds->reuse);
    free(bounds->lanes);
    free(bounds->sectors);
    free(bounds->first_sector);
    free((void *)bounds->tiles);
    *bounds = (cli_plan_bounds){0};
}

/* loop and variant must be in range; entry first[loop] + variant. */
double cli_bounds_lanes(const cli_plan_bounds *bounds, int32_t loop, int32_t variant)
{
    return bounds->lanes[bounds->first[loop] + variant];
}

/* A number for each arg of the loop, of memory that bounds owns. */
const double *cli_bounds_sectors(const cli_plan_bounds *bounds, int32_t loop, int32_t variant)
{
    return bounds->sectors + bounds->first_sector[bounds->first[loop] + variant];
}

/* Both must be in range: a loop of the plan and a variant of it. */
const mplan_variant_bounds *cli_bounds_of(const cli_plan_bounds *bounds, int32_t loop, int32_t variant)
{
    return &bounds->variants[bounds->first[loop] + variant];
}

/* Elements / block limit, rounded up: no cut of the set can do with fewer. block_limit is at
 * least 1 in every plan that could be read. */
int64_t cli_blocks_bound(const mplan_plan *plan, int32_t block_set)
{
    const mplan_plan_block_set *record = mplan_plan_get_block_set(plan, block_set);
    int64_t elements = mplan_plan_get_set(plan, record->set)->size;
    return (elements + record->block_limit - 1) / record->block_limit;
}

/* value / the variant's blocks; NaN where it has none, or where value is -1: not known. */
static double share_of_blocks(const mplan_plan *plan, const mplan_plan_variant *variant, int64_t value)
{
    if (value < 0 || variant->block_set < 0)
        return (double)NAN;
    int64_t blocks = mplan_plan_get_block_set(plan, variant->block_set)->n_blocks;
    return blocks ? (double)value / (double)blocks : (double)NAN;
}

/* The library's bound is a sum over all blocks, since each has its own. */
double cli_thread_colours_bound(const mplan_plan *plan, const mplan_plan_variant *variant,
                                const mplan_variant_bounds *bounds)
{
    return share_of_blocks(plan, variant, bounds->thread_colours_total);
}

/* A share in [0, 1]. */
double cli_thread_blocks_at_bound(const mplan_plan *plan, const mplan_plan_variant *variant,
                                  const mplan_variant_bounds *bounds)
{
    return share_of_blocks(plan, variant, bounds->thread_blocks_at_bound);
}

/* --- the table ------------------------------------------------------------------- */

/* How far the figure is above its bound, in percent: `more` is the larger of both where all is
 * well. For reuse, which should be large, the caller gives the bound as `more`. */
static void gap_cell(cli_table *table, double more, double less)
{
    if (less > 0 && isfinite(more))
        cli_table_cell(table, "%.1f%%", 100 * (more / less - 1));
    else
        cli_table_cell(table, "-");
}

/* A row for a figure that is counted; none where there is no bound (-1). of: what the figure is
 * of; what: how the bound comes about. */
static void count_row(cli_table *table, const char *figure, const char *of, int64_t here,
                      int64_t bound, const char *what)
{
    if (bound < 0)
        return;
    cli_table_cell(table, "%s", figure);
    cli_table_cell(table, "%s", of);
    cli_table_int(table, here);
    cli_table_int(table, bound);
    gap_cell(table, (double)here, (double)bound);
    cli_table_cell(table, "%s", what);
}

/* Blocks, then reuse and lines of each set that the loop touches by these blocks. Reuse has a
 * row only where an ideal tile is known (bounds->reuse), lines only where there are blocks. */
static void block_rows(cli_table *table, const mplan_plan *plan, const cli_plan_bounds *bounds,
                       int32_t loop, int32_t block_set)
{
    char of[96];
    const mplan_plan_block_set *record = mplan_plan_get_block_set(plan, block_set);
    snprintf(of, sizeof of, "blocks #%d", (int)block_set);
    count_row(table, "blocks", of, record->n_blocks, cli_blocks_bound(plan, block_set),
              "elements / block limit");
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
        cli_point_figures points;
        if (!cli_plan_points(plan, i, loop, block_set, &points))
            continue;
        if (isfinite(bounds->reuse[i]) && isfinite(points.reuse)) {
            cli_table_cell(table, "reuse");
            cli_table_cell(table, "%s of #%d", points.set, (int)block_set);
            cli_table_real(table, 4, points.reuse);
            cli_table_real(table, 4, bounds->reuse[i]);
            gap_cell(table, bounds->reuse[i], points.reuse);
            cli_table_cell(table, "full blocks that are %s", bounds->tiles[i]);
        }
        if (!isfinite(points.lines))
            continue;
        cli_table_cell(table, "lines/block");
        cli_table_cell(table, "%s of #%d", points.set, (int)block_set);
        cli_table_real(table, 1, points.lines);
        cli_table_real(table, 1, points.lines_ideal);
        gap_cell(table, points.lines, points.lines_ideal);
        cli_table_cell(table, "points / 4 of each block");
    }
}

/* Bounds of colours are degrees: elements that share a point have colours of their own, so that
 * the largest number at one point is a bound below. Whether it can be reached at all is not
 * known (it is the clique bound of graph colouring). */
static void colour_rows(cli_table *table, const mplan_plan *plan, const mplan_plan_variant *variant,
                        const mplan_variant_bounds *bounds)
{
    const char *of = mplan_strategy_name(variant->strategy);
    double mean = cli_thread_colours_bound(plan, variant, bounds);
    count_row(table, "block colours", of, variant->block_colours, bounds->block_colours,
              "most blocks at a point");
    count_row(table, "thread colours, max", of, variant->thread_colours_max,
              bounds->thread_colours_max, "most elements of a block at a point");
    if (isfinite(mean)) {
        cli_table_cell(table, "thread colours, mean");
        cli_table_cell(table, "%s", of);
        cli_table_real(table, 2, cli_plan_thread_colours_mean(plan, variant));
        cli_table_real(table, 2, mean);
        gap_cell(table, cli_plan_thread_colours_mean(plan, variant), mean);
        cli_table_cell(table, "bound reached by %.1f%% of the blocks",
                       100 * cli_thread_blocks_at_bound(plan, variant, bounds));
    }
    count_row(table, "global colours", of, variant->global_colours, bounds->global_colours,
              "most elements at a point");
}

/* Each figure beside its bound and the gap. */
mplan_status cli_bounds_report(const mplan_plan *plan, const cli_plan_bounds *bounds, int32_t loop,
                               mplan_error *err)
{
    static const char *const heads[] = {"figure", "of", "here", "bound", "gap", "the bound"};
    const mplan_plan_loop *record = mplan_plan_get_loop(plan, loop);
    cli_table table = {.columns = 6};
    for (int i = 0; i < 6; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t i = 0; i < mplan_plan_n_block_sets(plan); i++)
        if (cli_plan_runs_by(plan, loop, i))
            block_rows(&table, plan, bounds, loop, i);
    for (int32_t v = 0; v < record->n_variants; v++)
        colour_rows(&table, plan, &record->variants[v], cli_bounds_of(bounds, loop, v));
    return cli_table_print(&table, "  ", "llrrrl", err);
}
