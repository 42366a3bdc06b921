/* SPDX-License-Identifier: Apache-2.0 */
/* plan_json.c - a plan as JSON; the keys are a contract: add, never rename */
#include "cli/plan_bounds.h"
#include "cli/plan_figures.h"
#include "cli/plan_visit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Figures of a set's points, one key each in the JSON of a block set. */
typedef enum figure {
    FIGURE_REUSE,
    FIGURE_SHARED_POINTS,
    FIGURE_POINTS,
    FIGURE_LINES,
    FIGURE_LINES_IDEAL,
    N_FIGURES
} figure;

/* -1 stands for "does not apply" in a plan's records. */
static void int_or_null(cli_json *json, const char *key, int64_t value)
{
    if (value < 0)
        cli_json_null(json, key);
    else
        cli_json_int(json, key, value);
}

/* "size" counts members, "storage_size" positions, holes among them; three figures of bandwidth
 * and profile: as the mesh came, renumbered, and as stored after blocks were cut. */
static void set_json(cli_json *json, const mplan_plan *plan, int32_t s)
{
    const mplan_plan_set *set = mplan_plan_get_set(plan, s);
    static const char *const order[3] = {"input", "renumbered", "stored"};
    char key[32];
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", set->name);
    cli_json_int(json, "size", set->size);
    cli_json_int(json, "storage_size", set->storage_size);
    if (set->layers) {
        cli_json_int(json, "layers", set->layers);
        cli_json_int(json, "layers_least", set->layers_least);
        if (set->layers_masked)
            cli_json_int(json, "layers_there", cli_plan_layers_there(plan, s));
    }
    cli_json_text(json, "split", set->split[0] ? set->split : NULL);
    if (set->parent[0]) {
        cli_json_open(json, "group_of", '{');
        cli_json_text(json, "set", set->parent);
        cli_json_int(json, "size", set->parent_size);
        cli_json_close(json, '}');
    }
    cli_json_open(json, "renumber", '{');
    cli_json_text(json, "method", mplan_renumber_name(set->renumber));
    cli_json_bool(json, "kept", set->kept);
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "bandwidth_%s", order[i]);
        int_or_null(json, key, set->bandwidth[i]);
    }
    for (int i = 0; i < 3; i++) {
        snprintf(key, sizeof key, "profile_%s", order[i]);
        int_or_null(json, key, set->profile[i]);
    }
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

/* One figure for each set that the loop touches. */
static void point_json(cli_json *json, const cli_point_figures *points, figure which)
{
    switch (which) {
    case FIGURE_REUSE: cli_json_real(json, points->set, points->reuse); break;
    case FIGURE_SHARED_POINTS: cli_json_real(json, points->set, points->shared_points); break;
    case FIGURE_POINTS:
        cli_json_open(json, points->set, '{');
        cli_json_real(json, "mean", points->points_mean);
        cli_json_int(json, "max", points->points_max);
        cli_json_close(json, '}');
        break;
    case FIGURE_LINES: cli_json_real(json, points->set, points->lines); break;
    default: cli_json_real(json, points->set, points->lines_ideal);
    }
}

/* The same keys for variants and block sets; null without a block set. */
static void block_json(cli_json *json, const mplan_plan *plan, const cli_plan_bounds *bounds,
                       int32_t loop, int32_t block_set)
{
    static const char *const names[] = {"blocks",     "block_min", "block_mean", "block_max",
                                        "over_limit", "empty",     "fill",       "blocks_bound"};
    static const char *const keys[N_FIGURES] = {"reuse", "shared_points", "points_per_block",
                                                "lines_per_block", "lines_ideal"};
    if (block_set < 0) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            cli_json_null(json, names[i]);
        for (int i = 0; i < N_FIGURES; i++)
            cli_json_null(json, keys[i]);
        cli_json_null(json, "reuse_bound");
        return;
    }
    cli_block_figures blocks = cli_plan_blocks(plan, block_set);
    cli_json_int(json, "blocks", blocks.blocks);
    cli_json_int(json, "block_min", blocks.block_min);
    cli_json_real(json, "block_mean", blocks.block_mean);
    cli_json_int(json, "block_max", blocks.block_max);
    cli_json_int(json, "over_limit", blocks.over_limit);
    cli_json_int(json, "empty", blocks.empty);
    cli_json_real(json, "fill", blocks.fill);
    cli_json_int(json, "blocks_bound", cli_blocks_bound(plan, block_set));
    for (int which = 0; which < N_FIGURES; which++) {
        cli_json_open(json, keys[which], '{');
        for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
            cli_point_figures points;
            if (cli_plan_points(plan, i, loop, block_set, &points))
                point_json(json, &points, (figure)which);
        }
        cli_json_close(json, '}');
    }
    cli_json_open(json, "reuse_bound", '{');
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
        cli_point_figures points;
        if (cli_plan_points(plan, i, loop, block_set, &points))
            cli_json_real(json, points.set, bounds->reuse[i]);
    }
    cli_json_close(json, '}');
}

/* What only the gathering strategies have. */
static void gather_json(cli_json *json, const mplan_plan_variant *variant)
{
    bool blocks = mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_RECORDS;
    bool owner = mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_OWNERS;
    bool partial = blocks && variant->sums == MPLAN_SUMS_PARTIAL;
    cli_json_text(json, "sums", blocks ? mplan_sums_name(variant->sums) : NULL);
    int_or_null(json, "partial_sums", partial ? variant->partial_sums : -1);
    cli_json_text(json, "encoding", owner ? mplan_encoding_name(variant->encoding) : NULL);
    int_or_null(json, "width", owner ? variant->width : -1);
    int_or_null(json, "window", owner ? variant->window : -1);
    if (variant->sums_order != MPLAN_SUMS_ORDER_STORED) /* since format 1.2 */
        cli_json_text(json, "sums_order", mplan_sums_order_name(variant->sums_order));
    if (variant->slice_rows)
        cli_json_int(json, "slice_rows", variant->slice_rows);
    if (variant->entry_layout)
        cli_json_text(json, "entry_layout", "entries");
    if (variant->bound_blocks)
        cli_json_int(json, "bound_blocks", variant->bound_blocks);
    if (variant->round)
        cli_json_int(json, "round", variant->round);
}

/* Microseconds by the cost model, where it chose the strategy; keys are there always. */
static void view_json(cli_json *json, const mplan_plan_variant *variant)
{
    const bool said = variant->predicted_ns > 0, next = variant->runner_up > 0;
    cli_json_real(json, "predicted_us", said ? 1e-3 * (double)variant->predicted_ns : NAN);
    cli_json_text(json, "runner_up",
                  next ? mplan_strategy_name((mplan_strategy)(variant->runner_up - 1)) : NULL);
    cli_json_real(json, "runner_up_us", next ? 1e-3 * (double)variant->runner_up_ns : NAN);
    cli_json_text(json, "reason", mplan_choice_reason_name(variant->reason));
    cli_json_open(json, "predictions_us", '{');
    for (int s = 0; s < MPLAN_N_PREDICTED && said; s++) /* null: cannot run the loop */
        cli_json_real(json, mplan_strategy_name((mplan_strategy)s),
                      variant->permille[s]
                          ? 1e-6 * (double)variant->predicted_ns * variant->permille[s]
                          : NAN);
    cli_json_close(json, '}');
}

/* How warps load, by the tables; no arg that is read through a map: no key in the object. The first arg that reads a
 * dat stands for it. */
static void loads_json(cli_json *json, const mplan_plan_loop *loop, const cli_plan_bounds *bounds,
                       int32_t l, int32_t v)
{
    const double *sectors = cli_bounds_sectors(bounds, l, v);
    cli_json_real(json, "lanes_per_warp", cli_bounds_lanes(bounds, l, v));
    cli_json_open(json, "sectors_per_request", '{');
    for (int32_t a = 0; a < loop->n_args; a++)
        if (cli_plan_shows_sectors(loop, sectors, a))
            cli_json_real(json, loop->args[a].dat, sectors[a]);
    cli_json_close(json, '}');
}

/* Keys beside those of the figures; null where no bound is known. */
static void bounds_json(cli_json *json, const mplan_plan *plan, const mplan_plan_variant *variant,
                        const mplan_variant_bounds *bounds)
{
    int_or_null(json, "block_colours_bound", bounds->block_colours);
    int_or_null(json, "thread_colours_max_bound", bounds->thread_colours_max);
    cli_json_real(json, "thread_colours_mean_bound", cli_thread_colours_bound(plan, variant, bounds));
    cli_json_real(json, "thread_blocks_at_bound", cli_thread_blocks_at_bound(plan, variant, bounds));
    int_or_null(json, "global_colours_bound", bounds->global_colours);
}

/* Figures that a strategy does not have are null, never left out: readers need not ask which
 * strategy it is. */
static void variant_json(cli_json *json, const mplan_plan *plan, const cli_plan_bounds *bounds,
                         int32_t loop, int32_t v)
{
    const mplan_plan_variant *variant = &mplan_plan_get_loop(plan, loop)->variants[v];
    bool blocks = mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_THREAD_COLOURS;
    bool global = mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_GLOBAL_COLOURS;
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "strategy", mplan_strategy_name(variant->strategy));
    cli_json_bool(json, "deterministic", variant->deterministic);
    cli_json_text(json, "device", variant->device);
    cli_json_int(json, "threads", variant->threads);
    cli_json_int(json, "elements_per_thread", variant->elements_per_thread);
    cli_json_int(json, "block_limit", variant->block_limit);
    int_or_null(json, "block_set", variant->block_set);
    block_json(json, plan, bounds, loop, cli_plan_block_set_of(plan, loop, v));
    cli_json_int(json, "shared_bytes_max", variant->shared_bytes_max);
    bool summed = cli_plan_sums_by_colour(variant);
    int_or_null(json, "block_colours", blocks || summed ? variant->block_colours : -1);
    int_or_null(json, "thread_colours_max", blocks ? variant->thread_colours_max : -1);
    cli_json_real(json, "thread_colours_mean", cli_plan_thread_colours_mean(plan, variant));
    int_or_null(json, "global_colours", global ? variant->global_colours : -1);
    bounds_json(json, plan, variant, cli_bounds_of(bounds, loop, v));
    gather_json(json, variant);
    view_json(json, variant);
    loads_json(json, mplan_plan_get_loop(plan, loop), bounds, loop, v);
    cli_json_close(json, '}');
}

/* How the blocks came about: patches, the largest of them (elements) and the extent of a tile,
 * where a structure was found; "extent" is [] otherwise. */
static void origin_json(cli_json *json, const mplan_block_origin *origin)
{
    bool found = origin->patches > 0;
    cli_json_open(json, "origin", '{');
    cli_json_text(json, "method", mplan_origin_name(origin->origin));
    cli_json_bool(json, "refined", origin->refined);
    int_or_null(json, "patches", found ? origin->patches : -1);
    int_or_null(json, "largest", found ? origin->largest : -1);
    cli_json_open(json, "extent", '[');
    for (int i = 0; i < 3 && found; i++)
        cli_json_int(json, NULL, origin->extent[i]);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

/* Keys are fixed: added to, never renamed. */
static void block_set_json(cli_json *json, const mplan_plan *plan, const cli_plan_bounds *bounds,
                           int32_t loop, int32_t index)
{
    const mplan_plan_block_set *record = mplan_plan_get_block_set(plan, index);
    cli_json_open(json, NULL, '{');
    cli_json_int(json, "index", index);
    cli_json_text(json, "made_for", mplan_plan_get_loop(plan, record->loop)->name);
    cli_json_bool(json, "sequence", record->sequence);
    cli_json_text(json, "partitioner", mplan_partitioner_name(record->partitioner));
    cli_json_int(json, "block_limit", record->block_limit);
    cli_json_int(json, "max_points", record->max_points);
    cli_json_int(json, "shared_bytes", record->shared_bytes);
    int_or_null(json, "alternative_pairs", record->alternative_pairs);
    origin_json(json, &record->origin);
    block_json(json, plan, bounds, loop, index);
    cli_json_close(json, '}');
}

/* Of an arg whose dat has levels. */
static void levels_json(cli_json *json, const mplan_arg_layers *layers)
{
    if (!layers->levels)
        return;
    cli_json_open(json, "layers", '{');
    cli_json_int(json, "levels", layers->levels);
    cli_json_int(json, "stride", layers->stride);
    cli_json_int(json, "rows", layers->rows);
    cli_json_text(json, "columns", mplan_columns_name(layers->columns));
    cli_json_open(json, "slots", '[');
    for (int32_t k = 0; k < layers->n_slots; k++) {
        cli_json_open(json, NULL, '[');
        cli_json_int(json, NULL, layers->slots[k].of);
        cli_json_int(json, NULL, layers->slots[k].offset);
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

/* "map" is null for args without a map, "global" only said of globals, "default" an index of "variants". block_sets are those
 * that a variant of the loop uses or that metrics pair with it. */
static void loop_json(cli_json *json, const mplan_plan *plan, const cli_plan_bounds *bounds,
                      int32_t index)
{
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, index);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", loop->name);
    cli_json_text(json, "set", mplan_plan_get_set(plan, loop->set)->name);
    cli_json_bool(json, "primary", loop->primary);
    if (loop->layering)
        cli_json_text(json, "layered", mplan_layered_name(loop->layering));
    cli_json_int(json, "calls", loop->calls);
    cli_json_int(json, "flops", loop->flops);
    cli_json_open(json, "args", '[');
    for (int32_t i = 0; i < loop->n_args; i++) {
        const mplan_plan_arg *arg = &loop->args[i];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "dat", arg->dat);
        cli_json_text(json, "map", arg->map < 0 ? NULL : mplan_plan_get_map(plan, arg->map)->name);
        if (arg->map == MPLAN_MAP_GLOBAL)
            cli_json_bool(json, "global", true);
        cli_json_text(json, "access", mplan_access_name(arg->access));
        cli_json_int(json, "dim", arg->dim);
        cli_json_text(json, "type", mplan_type_name(arg->type));
        cli_json_text(json, "none", mplan_none_name(arg->none));
        cli_json_text(json, "layout", mplan_layout_name(arg->layout));
        levels_json(json, &arg->layers);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_int(json, "default", loop->default_variant);
    cli_json_open(json, "variants", '[');
    for (int32_t v = 0; v < loop->n_variants; v++)
        variant_json(json, plan, bounds, index, v);
    cli_json_close(json, ']');
    cli_json_open(json, "block_sets", '[');
    for (int32_t i = 0; i < mplan_plan_n_block_sets(plan); i++) {
        if (cli_plan_pairs(plan, index, i))
            block_set_json(json, plan, bounds, index, i);
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

/* Words of bits, in the order of the bits. */
static void words_json(cli_json *json, const char *key, uint32_t bits, const char *const *words)
{
    cli_json_open(json, key, '[');
    for (int k = 0; words[k]; k++)
        if (bits >> k & 1)
            cli_json_text(json, NULL, words[k]);
    cli_json_close(json, ']');
}

/* "lags": indices of entries whose globals change when a visit ends. "joinable": indices of entries that could be one loop with the entry behind them. "earlier" and "later" are indices of "step"; with "repeat" the earlier one is of the step before. */
static void step_json(cli_json *json, const mplan_plan *plan)
{
    static const char *const kinds[] = {"flow", "anti", "output", "sums", NULL}, *const ways[] = {
                                                                                     "direct",
                                                                                     "mapped", NULL};
    cli_json_open(json, "step", '[');
    for (int32_t i = 0; i < mplan_plan_n_step(plan); i++)
        cli_json_text(json, NULL, mplan_plan_get_loop(plan, mplan_plan_get_step(plan, i))->name);
    cli_json_close(json, ']');
    cli_json_open(json, "lags", '[');
    for (int32_t i = 0; i < mplan_plan_n_step(plan); i++)
        if (mplan_plan_get_lag(plan, i))
            cli_json_int(json, NULL, i);
    cli_json_close(json, ']');
    cli_json_open(json, "joinable", '[');
    for (int32_t i = 0; i < mplan_plan_n_step(plan); i++)
        if (cli_plan_can_join(plan, i))
            cli_json_int(json, NULL, i);
    cli_json_close(json, ']');
    cli_json_open(json, "conflicts", '[');
    for (int32_t i = 0; i < mplan_plan_n_conflicts(plan); i++) {
        const mplan_step_conflict *conflict = mplan_plan_get_conflict(plan, i);
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan,
                                                          mplan_plan_get_step(plan, conflict->later));
        cli_json_open(json, NULL, '{');
        cli_json_int(json, "earlier", conflict->earlier);
        cli_json_int(json, "later", conflict->later);
        cli_json_bool(json, "repeat", conflict->repeat);
        cli_json_text(json, "dat", loop->args[conflict->arg].dat);
        words_json(json, "kinds", conflict->kinds, kinds);
        words_json(json, "earlier_ways", conflict->earlier_ways, ways);
        words_json(json, "later_ways", conflict->later_ways, ways);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* lines: "name version" each, ended by line feeds, the last one perhaps not. Longer ones than
 * 127 bytes are cut; meshplan writes none. */
static void versions_json(cli_json *json, const char *lines)
{
    cli_json_open(json, "versions", '[');
    while (*lines) {
        char line[128];
        size_t length = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        cli_json_text(json, NULL, line);
        lines += length + (lines[length] == '\n');
    }
    cli_json_close(json, ']');
}

/* The object must be open; the caller may add keys of its own. bounds must be of this plan. */
void cli_plan_json(cli_json *json, const mplan_plan *plan, const cli_plan_bounds *bounds,
                   const cli_plan_file *file)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d", (int)file->major, (int)file->minor);
    mplan_fingerprints prints = mplan_plan_fingerprints(plan);
    cli_json_text(json, "plan", file->path);
    int_or_null(json, "bytes", file->bytes);
    cli_json_text(json, "format_version", version);
    cli_json_open(json, "fingerprints", '{');
    cli_json_hash(json, "topology", prints.topology);
    cli_json_hash(json, "coordinates", prints.coordinates);
    cli_json_hash(json, "request", prints.request);
    cli_json_close(json, '}');
    versions_json(json, mplan_plan_versions(plan));
    cli_json_open(json, "sets", '[');
    for (int32_t i = 0; i < mplan_plan_n_sets(plan); i++)
        set_json(json, plan, i);
    cli_json_close(json, ']');
    cli_json_open(json, "maps", '[');
    for (int32_t i = 0; i < mplan_plan_n_maps(plan); i++) {
        const mplan_plan_map *map = mplan_plan_get_map(plan, i);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", map->name);
        cli_json_text(json, "from", mplan_plan_get_set(plan, map->from)->name);
        cli_json_text(json, "to", mplan_plan_get_set(plan, map->to)->name);
        cli_json_int(json, "arity", map->arity);
        cli_json_int(json, "entries", map->n_entries);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    if (mplan_plan_n_step(plan) > 0)
        step_json(json, plan);
    cli_plan_visit_json(json, plan);
    cli_json_open(json, "loops", '[');
    for (int32_t i = 0; i < mplan_plan_n_loops(plan); i++)
        loop_json(json, plan, bounds, i);
    cli_json_close(json, ']');
}
