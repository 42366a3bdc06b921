/* SPDX-License-Identifier: Apache-2.0 */
/* plan_report.c - a plan as text */
#include "cli/plan_bounds.h"
#include "cli/plan_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/plan_visit.h"

/* A row per set, then a sentence for each set that is a group of another one. */
static mplan_status report_sets(const mplan_plan *plan, mplan_error *err)
{
    static const char *const heads[] = {"set", "size", "stored", "renumber"};
    cli_table table = {.columns = 4};
    for (int i = 0; i < 4; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        cli_table_cell(&table, "%s", set->name);
        cli_table_int(&table, set->size);
        cli_table_int(&table, set->storage_size);
        cli_table_cell(&table, "%s%s", mplan_renumber_name(set->renumber),
                       set->kept ? " (input kept)" : "");
    }
    mplan_status status = cli_table_print(&table, "  ", "lrrl", err);
    for (int32_t s = 0; s < mplan_plan_n_sets(plan) && !status; s++) {
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        if (set->parent[0])
            printf("  %s: a group of %lld of the %lld %s\n", cli_shown(set->name),
                   (long long)set->size, (long long)set->parent_size, cli_shown(set->parent));
    }
    return status;
}

/* figure: three numbers, as the mesh came, renumbered and as stored; -1: not measured, and no
 * row. */
static void order_row(cli_table *table, const char *set, const char *name, const int64_t *figure)
{
    if (figure[0] < 0 && figure[1] < 0 && figure[2] < 0)
        return;
    cli_table_cell(table, "%s of %s", name, set);
    for (int i = 0; i < 3; i++)
        cli_table_int(table, figure[i]);
}

/* Bandwidth and profile of the sets that were renumbered. */
static mplan_status report_orders(const mplan_plan *plan, mplan_error *err)
{
    static const char *const heads[] = {"order", "in the mesh", "renumbered", "stored"};
    cli_table table = {.columns = 4};
    for (int i = 0; i < 4; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        order_row(&table, set->name, "bandwidth", set->bandwidth);
        order_row(&table, set->name, "profile", set->profile);
    }
    return cli_table_print(&table, "  ", "lrrr", err);
}

/* "ragged" stands for an arity of 0: rows of several lengths, whose entries are counted. */
static mplan_status report_maps(const mplan_plan *plan, mplan_error *err)
{
    cli_table table = {.columns = 5};
    cli_table_cell(&table, "map");
    cli_table_cell(&table, "from");
    cli_table_cell(&table, "to");
    cli_table_cell(&table, "arity");
    cli_table_cell(&table, "entries");
    for (int32_t m = 0; m < mplan_plan_n_maps(plan); m++) {
        const mplan_plan_map *map = mplan_plan_get_map(plan, m);
        cli_table_cell(&table, "%s", map->name);
        cli_table_cell(&table, "%s", mplan_plan_get_set(plan, map->from)->name);
        cli_table_cell(&table, "%s", mplan_plan_get_set(plan, map->to)->name);
        if (map->arity)
            cli_table_int(&table, map->arity);
        else
            cli_table_cell(&table, "ragged");
        cli_table_int(&table, map->n_entries);
    }
    return cli_table_print(&table, "  ", "lllrr", err);
}

/* One layout each, in the order in which the loops name them. */
static void report_layouts(const mplan_plan *plan)
{
    int32_t n = 0;
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < loop->n_args; a++)
            if (cli_plan_names_first(plan, l, a))
                printf("%s%s %s", n++ ? ", " : "  layouts: ", cli_shown(loop->args[a].dat),
                       mplan_layout_name(loop->args[a].layout));
    }
    if (n)
        printf("\n");
}

/* Sets with layers, and what each dat with levels has, in the order in which the loops name them. */
static void report_layers(const mplan_plan *plan)
{
    int32_t n = 0;
    for (int32_t s = 0; s < mplan_plan_n_sets(plan); s++) {
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        if (!set->layers)
            continue;
        printf("%s%s %d", n++ ? ", " : "  layers: ", cli_shown(set->name), (int)set->layers);
        if (set->layers_ranged)
            printf(" (lowest column %d%s", (int)set->layers_least, set->layers_masked ? ", " : ")");
        if (set->layers_masked)
            printf("%s%lld there by a mask)", set->layers_ranged ? "" : " (",
                   (long long)cli_plan_layers_there(plan, s));
    }
    if (n)
        printf("\n");
    n = 0;
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < loop->n_args; a++) {
            const mplan_arg_layers *layers = &loop->args[a].layers;
            if (!layers->levels || !cli_plan_names_first(plan, l, a))
                continue;
            printf("%s%s %d", n++ ? ", " : "  levels: ", cli_shown(loop->args[a].dat),
                   (int)layers->levels);
            if (layers->columns)
                printf(" (by %s)", layers->columns == MPLAN_COLUMNS_OWNER ? "owner" : "point");
        }
    }
    if (n)
        printf("\n");
}

/* What there is to say of a strategy besides its name. */
static const char *detail_of(const mplan_plan_variant *variant)
{
    if (mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_RECORDS)
        return mplan_sums_name(variant->sums);
    if (mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_OWNERS)
        return mplan_encoding_name(variant->encoding);
    return "";
}

/* Three cells: block colours, thread colours at most and on average, global colours; "-" for
 * those that the strategy does not have. */
static void colour_cells(cli_table *table, const mplan_plan *plan, const mplan_plan_variant *variant)
{
    bool blocks = mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_THREAD_COLOURS;
    bool summed = cli_plan_sums_by_colour(variant);
    bool global = mplan_strategy_traits(variant->strategy) & MPLAN_TRAIT_GLOBAL_COLOURS;
    cli_table_int(table, blocks || summed ? variant->block_colours : -1);
    double mean = cli_plan_thread_colours_mean(plan, variant);
    if (blocks && isfinite(mean))
        cli_table_cell(table, "%lld, mean %.2f", (long long)variant->thread_colours_max, mean);
    else
        cli_table_cell(table, "-");
    cli_table_int(table, global ? variant->global_colours : -1);
}

/* Sums in the order of the mesh give equal bits in all plans of it. */
static const char *promise_of(const mplan_plan_variant *variant)
{
    if (variant->sums_order == MPLAN_SUMS_ORDER_MESH)
        return "equal bits in every plan";
    if (variant->sums_order == MPLAN_SUMS_ORDER_COLUMN)
        return "equal bits, sums by column";
    return variant->deterministic ? "equal bits" : "-";
}

/* A row for each strategy of the loop, as `plan` decided; block sets are named by "#" and their
 * index, as in the heads of blocks below. */
static mplan_status report_variants(const mplan_plan *plan, const mplan_plan_loop *loop,
                                    mplan_error *err)
{
    static const char *const heads[] = {"strategy",       "threads",       "promises",
                                        "blocks",         "shared bytes",  "block colours",
                                        "thread colours", "global colours"};
    cli_table table = {.columns = 8};
    for (int i = 0; i < 8; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t v = 0; v < loop->n_variants; v++) {
        const mplan_plan_variant *variant = &loop->variants[v];
        const char *detail = detail_of(variant);
        char rounds[32] = "";
        if (variant->round)
            snprintf(rounds, sizeof rounds, ", rounds of %d", (int)variant->round);
        cli_table_cell(&table, "%s%s%s%s%s", mplan_strategy_name(variant->strategy),
                       detail[0] ? ", " : "", detail, rounds,
                       v == loop->default_variant ? " (default)" : "");
        cli_table_int(&table, variant->threads);
        cli_table_cell(&table, "%s", promise_of(variant));
        if (variant->block_set < 0)
            cli_table_cell(&table, "-");
        else
            cli_table_cell(&table, "#%d", (int)variant->block_set);
        cli_table_int(&table, variant->block_set < 0 ? -1 : variant->shared_bytes_max);
        colour_cells(&table, plan, variant);
    }
    cli_table_hide_unknown(&table);
    return cli_table_print(&table, "  ", "lrlrrrrr", err);
}

/* Indented more than other tables: it belongs to the block set above it. */
static mplan_status report_points(const mplan_plan *plan, int32_t loop, int32_t block_set,
                                  mplan_error *err)
{
    static const char *const heads[] = {"touches", "reuse",       "shared", "points/block",
                                        "max",     "lines/block", "ideal"};
    cli_table table = {.columns = 7};
    for (int i = 0; i < 7; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
        cli_point_figures points;
        if (!cli_plan_points(plan, i, loop, block_set, &points))
            continue;
        cli_table_cell(&table, "%s", points.set);
        cli_table_real(&table, 4, points.reuse);
        cli_table_real(&table, 4, points.shared_points);
        cli_table_real(&table, 1, points.points_mean);
        cli_table_int(&table, points.points_max);
        cli_table_real(&table, 1, points.lines);
        cli_table_real(&table, 1, points.lines_ideal);
    }
    return cli_table_print(&table, "    ", "lrrrrrr", err);
}

/* A loop that could run over the stored order or over a sequence of its own
 * had both tried. */
static void report_alternative(const mplan_plan *plan, int32_t index)
{
    const mplan_plan_block_set *record = mplan_plan_get_block_set(plan, index);
    int64_t pairs = 0;
    if (record->alternative_pairs < 0)
        return;
    for (int32_t i = 0; i < mplan_plan_n_metrics(plan); i++) {
        const mplan_block_metrics *metrics = mplan_plan_get_metrics(plan, i);
        if (metrics->block_set == index && metrics->loop == record->loop)
            pairs = metrics->pairs < INT64_MAX - pairs ? pairs + metrics->pairs
                                                       : INT64_MAX; /* nobody proved it */
    }
    printf("    %lld pairs of block and point; %s would have %lld\n", (long long)pairs,
           record->sequence ? "runs of the stored order" : "a sequence of their own",
           (long long)record->alternative_pairs);
}

/* Nothing where the method was not recorded. */
static void report_origin(const mplan_plan *plan, int32_t index)
{
    char text[192];
    mplan_block_origin_text(&mplan_plan_get_block_set(plan, index)->origin, text, sizeof text);
    if (text[0])
        printf("    %s\n", text);
}

/* Sizes, then what blocks touch. */
static mplan_status report_blocks(const mplan_plan *plan, int32_t loop, int32_t index,
                                  mplan_error *err)
{
    const mplan_plan_block_set *record = mplan_plan_get_block_set(plan, index);
    cli_block_figures blocks = cli_plan_blocks(plan, index);
    printf("  blocks #%d (partitioner %s, runs of %s): %lld of at most %d elements (%lld to %lld",
           (int)index, mplan_partitioner_name(record->partitioner),
           record->sequence ? "a sequence of their own" : "the stored order",
           (long long)blocks.blocks, (int)record->block_limit, (long long)blocks.block_min,
           (long long)blocks.block_max);
    if (blocks.blocks)
        printf(", mean %.1f, fill %.4f", blocks.block_mean, blocks.fill);
    printf(")\n");
    if (blocks.over_limit || blocks.empty)
        printf("  %lld blocks are over the limit, %lld are empty\n", (long long)blocks.over_limit,
               (long long)blocks.empty);
    report_origin(plan, index);
    report_alternative(plan, index);
    return report_points(plan, loop, index, err);
}

/* How warps of the chosen variant load, beside what the cost model said of it. */
static void report_loads(const mplan_plan_loop *loop, const cli_plan_bounds *bounds, int32_t index)
{
    const double lanes = cli_bounds_lanes(bounds, index, loop->default_variant),
                 *sectors = cli_bounds_sectors(bounds, index, loop->default_variant);
    int32_t n = 0;
    if (!isfinite(lanes))
        return;
    printf("  by its tables: %.1f lanes a warp", lanes);
    for (int32_t a = 0; a < loop->n_args; a++)
        if (cli_plan_shows_sectors(loop, sectors, a))
            printf("%s %s %.1f", n++ ? "," : ", sectors a request:", cli_shown(loop->args[a].dat),
                   sectors[a]);
    printf("\n");
}

/* What the cost model said when it chose: all strategies that can run the loop, the fastest first. */
static void report_view(const mplan_plan_loop *loop, const cli_plan_bounds *bounds, int32_t index)
{
    const mplan_plan_variant *own = &loop->variants[loop->default_variant];
    const char *reason = mplan_choice_reason_name(own->reason);
    bool told[MPLAN_N_PREDICTED] = {false};
    if (!reason)
        return;
    printf("  by the cost model, microseconds on %s:", cli_shown(own->device));
    for (int n = 0; n < MPLAN_N_PREDICTED; n++) {
        int next = -1;
        for (int s = 0; s < MPLAN_N_PREDICTED; s++)
            if (!told[s] && own->permille[s] && (next < 0 || own->permille[s] < own->permille[next]))
                next = s;
        if (next < 0)
            break;
        told[next] = true;
        printf("%s%s %s %s%.1f", n ? "," : "", n == 3 ? "\n   " : "",
               mplan_strategy_name((mplan_strategy)next), own->permille[next] == 65535 ? "over " : "",
               1e-6 * (double)own->predicted_ns * own->permille[next]);
    }
    printf("\n  chosen: %s, %s", mplan_strategy_name(own->strategy), reason);
    if (own->runner_up > 0)
        printf("; runner-up: %s, %.1f", mplan_strategy_name((mplan_strategy)(own->runner_up - 1)),
               1e-3 * (double)own->runner_up_ns);
    printf("\n");
    report_loads(loop, bounds, index);
}

/* Only the primary loop shows it: blocks that no strategy runs are in the plan for its order. */
static bool lacks_blocks(const mplan_plan *plan, int32_t index)
{
    bool lacks = mplan_plan_get_loop(plan, index)->primary;
    for (int32_t i = 0; i < mplan_plan_n_block_sets(plan); i++)
        lacks = lacks && mplan_plan_get_block_set(plan, i)->loop != index;
    return lacks;
}

/* Variants, then each block set that they run by, then figures beside bounds. Nothing of blocks
 * that the plan keeps for its order only. */
static mplan_status report_loop(const mplan_plan *plan, const cli_plan_bounds *bounds,
                                int32_t index, mplan_error *err)
{
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, index);
    const char *layers = loop->layering == MPLAN_LAYERING_LAYERS    ? ", by layers"
                         : loop->layering == MPLAN_LAYERING_COLUMNS ? ", by columns"
                                                                    : "";
    printf("loop %s over %s%s%s%s\n", cli_shown(loop->name),
           cli_shown(mplan_plan_get_set(plan, loop->set)->name), layers,
           loop->primary ? " (primary)" : "",
           !cli_plan_was_chosen(plan) ? "" : ", strategy by the cost model");
    mplan_status status = report_variants(plan, loop, err);
    if (!status && lacks_blocks(plan, index))
        puts("  no blocks: an element is larger than a block may be");
    if (!status)
        report_view(loop, bounds, index);
    for (int32_t i = 0; !status && i < mplan_plan_n_block_sets(plan); i++) {
        if (cli_plan_runs_by(plan, index, i))
            status = report_blocks(plan, index, i, err);
    }
    return status ? status : cli_bounds_report(plan, bounds, index, err);
}

/* Entries of the step that could be one loop with the entry behind them. */
static void report_joins(const mplan_plan *plan)
{
    const int32_t n = mplan_plan_n_step(plan);
    bool first = true;
    for (int32_t i = 0; i < n; i++) {
        if (!cli_plan_can_join(plan, i))
            continue;
        printf("%s %s with %s", first ? "  could be one loop:" : ",",
               cli_shown(mplan_plan_get_loop(plan, mplan_plan_get_step(plan, i))->name),
               cli_shown(mplan_plan_get_loop(plan, mplan_plan_get_step(plan, (i + 1) % n))->name));
        if (i + 1 == n)
            printf(" of the next step");
        first = false;
    }
    if (!first)
        printf("\n");
}

/* The loops of the step, how many of its entries must stay in order and why, and which could be one. */
static void report_step(const mplan_plan *plan)
{
    int64_t n = mplan_plan_n_conflicts(plan), kinds[4] = {0}, repeated = 0, direct = 0;
    if (mplan_plan_n_step(plan) == 0)
        return;
    printf("step of %d loops:", (int)mplan_plan_n_step(plan));
    for (int32_t i = 0; i < mplan_plan_n_step(plan); i++)
        printf("%s %s%s", i ? "," : "",
               cli_shown(mplan_plan_get_loop(plan, mplan_plan_get_step(plan, i))->name),
               mplan_plan_get_lag(plan, i) ? " (lag 1)" : "");
    for (int32_t i = 0; i < n; i++) {
        const mplan_step_conflict *conflict = mplan_plan_get_conflict(plan, i);
        for (int k = 0; k < 4; k++)
            kinds[k] += conflict->kinds >> k & 1;
        repeated += conflict->repeat;
        direct += conflict->earlier_ways == MPLAN_WAY_DIRECT &&
                  conflict->later_ways == MPLAN_WAY_DIRECT;
    }
    printf("\n  conflicts: %lld (flow %lld, anti %lld, output %lld, sums %lld); %lld with the step "
           "before, %lld of dats that both access only directly\n",
           (long long)n, (long long)kinds[0], (long long)kinds[1], (long long)kinds[2],
           (long long)kinds[3], (long long)repeated, (long long)direct);
    report_joins(plan);
}

/* Sets and maps, then loop by loop. */
mplan_status cli_plan_report(const mplan_plan *plan, const cli_plan_bounds *bounds,
                             const cli_plan_file *file, mplan_error *err)
{
    char summary[512];
    mplan_fingerprints prints = mplan_plan_fingerprints(plan);
    mplan_plan_summary(plan, summary, sizeof summary);
    if (summary[0])
        printf("%s: %s\n", cli_shown(file->path), cli_shown(summary));
    printf("%s: plan, format %d.%d, %lld bytes\n", cli_shown(file->path), (int)file->major,
           (int)file->minor, (long long)file->bytes);
    printf("fingerprints: topology %016llx, coordinates %016llx, request %016llx\n",
           (unsigned long long)prints.topology, (unsigned long long)prints.coordinates,
           (unsigned long long)prints.request);
    mplan_status status = report_sets(plan, err);
    if (!status)
        status = report_orders(plan, err);
    if (!status)
        status = report_maps(plan, err);
    if (!status) {
        report_layouts(plan);
        report_layers(plan);
    }
    if (!status) {
        report_step(plan);
        cli_plan_visit_report(plan);
    }
    for (int32_t i = 0; !status && i < mplan_plan_n_loops(plan); i++)
        status = report_loop(plan, bounds, i, err);
    return status;
}

/* i: MPLAN_UNUSED, or an index that nobody proved; "-" for both. */
static const char *set_name(const mplan_plan *plan, uint32_t i)
{
    return i < (uint32_t)mplan_plan_n_sets(plan) ? mplan_plan_get_set(plan, (int32_t)i)->name : "-";
}

/* As set_name. */
static const char *map_name(const mplan_plan *plan, uint32_t i)
{
    return i < (uint32_t)mplan_plan_n_maps(plan) ? mplan_plan_get_map(plan, (int32_t)i)->name : "-";
}

/* As set_name. */
static const char *loop_name(const mplan_plan *plan, uint32_t i)
{
    return i < (uint32_t)mplan_plan_n_loops(plan) ? mplan_plan_get_loop(plan, (int32_t)i)->name : "-";
}

/* Six cells; kind is the number of formats/plan-format.md. */
static void key_cells(cli_table *table, const mplan_plan *plan, const mplan_key *key)
{
    cli_table_int(table, key->kind);
    cli_table_cell(table, "%s", set_name(plan, key->set));
    cli_table_cell(table, "%s", map_name(plan, key->map));
    cli_table_cell(table, "%s", loop_name(plan, key->loop));
    cli_table_int(table, key->variant == MPLAN_UNUSED ? -1 : (int64_t)key->variant);
    cli_table_int(table, key->block_set == MPLAN_UNUSED ? -1 : (int64_t)key->block_set);
}

/* Each line of text on its own, indented. What is not to be seen is escaped, but for the ends of
 * lines. line and shown hold the longest line there can be. */
static mplan_status print_lines(const char *text, mplan_error *err)
{
    size_t size = strlen(text) + 1;
    char *line = malloc(size), *shown = line ? malloc(4 * size) : NULL;
    while (shown && *text) {
        size_t length = strcspn(text, "\n");
        memcpy(line, text, length);
        line[length] = '\0';
        mplan_text_shown(line, shown, 4 * size);
        printf("  %s\n", shown);
        text += length + (text[length] == '\n');
    }
    free(line);
    mplan_status status = shown ? MPLAN_OK : cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
    free(shown);
    return status;
}

/* Without the arrays' contents: those are what `export` writes. */
mplan_status cli_plan_list_arrays(const mplan_plan *plan, mplan_error *err)
{
    static const char *const heads[] = {"kind",   "set",  "map",  "loop", "variant",
                                        "blocks", "type", "rows", "cols"};
    cli_table table = {.columns = 9};
    for (int i = 0; i < 9; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t i = 0; i < mplan_plan_n_arrays(plan); i++) {
        const mplan_array *array = mplan_plan_get_array(plan, i);
        key_cells(&table, plan, &array->key);
        cli_table_cell(&table, "%s", mplan_type_name(array->type));
        cli_table_int(&table, array->rows);
        cli_table_int(&table, array->cols);
    }
    printf("arrays\n");
    mplan_status status = cli_table_print(&table, "  ", "rlllrrlrr", err);
    printf("versions\n");
    if (!status)
        status = print_lines(mplan_plan_versions(plan), err);
    printf("request\n");
    return status ? status : print_lines(mplan_plan_request(plan), err);
}
