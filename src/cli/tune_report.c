/* SPDX-License-Identifier: Apache-2.0 */
/* tune_report.c - what was measured, as a table for people */
#include "cli/tune_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/results.h"

/* The layouts of the dats of the loop: one word, or "mixed". */
static const char *layouts_of(const mplan_plan_loop *loop)
{
    const char *word = NULL;
    for (int32_t a = 0; a < loop->n_args; a++) {
        if (loop->args[a].map == MPLAN_MAP_GLOBAL)
            continue;
        const char *own = mplan_layout_name(loop->args[a].layout);
        if (word && strcmp(word, own))
            return "mixed";
        word = own;
    }
    return word ? word : "-";
}

/* A row of the table: what tells plan i from others, and its times, all in microseconds
 * (predicted is in seconds). "-": unknown, or not measured. Spread: how far below and above the
 * median the rounds were, in percent. */
static void add_row(cli_table *table, const cli_tuning *tuning, int32_t i)
{
    const cli_candidate *one = &tuning->list[i];
    const mplan_plan_variant *v = cli_candidate_variant(one, tuning->subject);
    const uint32_t traits = v ? mplan_strategy_traits(v->strategy) : 0;
    const mplan_tune_result *result = &one->result;
    cli_table_cell(table, "%s", v ? mplan_strategy_name(v->strategy) : "-");
    cli_table_int(table, v && (traits & MPLAN_TRAIT_BLOCKS) ? v->block_limit : -1);
    cli_table_cell(table, "%s",
                   traits & MPLAN_TRAIT_RECORDS  ? mplan_sums_name(v->sums)
                   : v && v->entry_layout        ? "windows16/e"
                   : traits & MPLAN_TRAIT_OWNERS ? mplan_encoding_name(v->encoding)
                                                 : "-");
    char bounds[32] = "";
    if (v && v->bound_blocks) /* 128x1/8: eight blocks of 128 threads on a multiprocessor */
        snprintf(bounds, sizeof bounds, "/%d", (int)v->bound_blocks);
    if (v) /* 128x4r: four rounds of 128 threads */
        cli_table_cell(table, "%dx%d%s%s", (int)v->threads, (int)v->elements_per_thread,
                       v->round ? "r" : "", bounds);
    else
        cli_table_cell(table, "-");
    cli_table_cell(table, "%s", layouts_of(mplan_plan_get_loop(one->plan, tuning->subject->loop)));
    cli_table_real(table, 1, one->predicted > 0 ? 1e6 * one->predicted : HUGE_VAL);
    cli_table_real(table, 1, result->status ? HUGE_VAL : result->median);
    if (result->status)
        cli_table_cell(table, "-");
    else
        cli_table_cell(table, "-%.0f +%.0f", 100 * (1 - result->least / result->median),
                       100 * (result->most / result->median - 1));
    cli_table_int(table, i == 0 || result->status ? -1 : result->wins);
    cli_table_cell(table, "%s", !v || v->deterministic ? "yes" : "no");
    cli_table_cell(table, "%s%s%s", i == 0 ? "default" : "",
                   i == 0 && i == tuning->best ? ", " : "", i == tuning->best ? "best" : "");
}

/* The table, plans that were not measured (numbered from 1, as rows are), and the regret: the
 * time of the default over that of the best, 1 where the default is best. */
mplan_status cli_tuning_report(const cli_tuning *tuning, const char *output, mplan_error *err)
{
    static const char *const heads[] = {"strategy", "S",        "tables", "threads",
                                        "layouts",  "model us", "us",     "spread %",
                                        "wins",     "bits",     ""};
    cli_table table = {.columns = 11};
    const cli_candidate *base = &tuning->list[0], *best = &tuning->list[tuning->best];
    printf("loop %s on %s (%s)\n", tuning->subject->loops[tuning->subject->loop].name,
           cli_shown(tuning->machine.name), tuning->executor);
    for (int i = 0; i < 11; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t i = 0; i < tuning->n; i++)
        add_row(&table, tuning, i);
    mplan_status status = cli_table_print(&table, "  ", "lrlrlrrrrll", err);
    for (int32_t i = 0; i < tuning->n && !status; i++)
        if (tuning->list[i].result.status)
            printf("  plan %d was not measured: %s\n", (int)i + 1,
                   cli_shown(tuning->list[i].result.reason));
    if (!tuning->subject->bounds)
        printf("  launch bounds were not measured: only kernels on a GPU have some\n");
    if (tuning->dropped)
        printf("  %d rounds did not count: the clock of the device changed\n", (int)tuning->dropped);
    if (!status && !base->result.status)
        printf("default %.1f us, best %.1f us, regret %.3f\n", base->result.median,
               best->result.median, base->result.median / best->result.median);
    if (!status && output)
        printf("appended to %s\n", cli_shown(output));
    return status;
}
