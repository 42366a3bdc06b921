/* SPDX-License-Identifier: Apache-2.0 */
/* tune_table.c - one loop by threads of a block and elements of a thread, beside the default
 *
 * What loops over grids are tuned by in OpenMP and OpenACC: threads of a block, and how many loops of a nest are
 * collapsed, which leaves a thread one cell or several. Each row is measured in turns with the default, in a process of
 * its own: large meshes leave no room for all plans at once. */
#include "cli/commands/tune_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"

const int32_t cli_table_threads[CLI_TABLE_THREADS] = {64, 128, 256, 512};
const int32_t cli_table_each[CLI_TABLE_EACH] = {1, 2, 4, 8};

/* Row e: plans of its cells are made of the default's, base, and freed here. */
static mplan_status measure_row(const cli_tune_subject *subject, const mplan_tune *tune,
                                const mplan_tune_options *how, const mplan_plan *base, int32_t e,
                                cli_tune_table *table, mplan_error *err)
{
    mplan_tune_varied *varied[CLI_TABLE_THREADS] = {NULL};
    const mplan_plan *plans[1 + CLI_TABLE_THREADS] = {base};
    int32_t dropped;
    mplan_status status = MPLAN_OK;
    for (int32_t t = 0; t < CLI_TABLE_THREADS && !status; t++) {
        status = mplan_tune_vary(base, subject->loop, cli_table_threads[t], cli_table_each[e],
                                 &varied[t], err);
        plans[1 + t] = status ? NULL : mplan_tune_varied_plan(varied[t]);
    }
    if (!status)
        status = mplan_tune_measure_apart(tune, how, subject->context, 1 + CLI_TABLE_THREADS, plans,
                                          table->result[e], &dropped, err);
    for (int32_t t = 0; t < CLI_TABLE_THREADS; t++)
        mplan_tune_varied_free(varied[t]);
    return status;
}

mplan_status cli_tune_table_measure(const cli_tune_subject *subject, const mplan_tune *tune,
                                    const mplan_tune_options *how, cli_tune_table *table,
                                    mplan_error *err)
{
    cli_candidate base = {.request = *subject->base};
    mplan_status status = mplan_plan_create(subject->mesh, subject->n_loops, subject->loops,
                                            subject->base, subject->context, &base.plan, err);
    const mplan_plan_variant *v = !status ? cli_candidate_variant(&base, subject) : NULL;
    if (v) {
        table->threads = v->threads;
        table->each = v->elements_per_thread;
    }
    for (int32_t e = 0; e < CLI_TABLE_EACH && !status; e++)
        status = measure_row(subject, tune, how, base.plan, e, table, err);
    cli_candidates_free(&base, 1);
    return status;
}

double cli_tune_table_regret(const cli_tune_table *table)
{
    double regret = NAN;
    for (int32_t e = 0; e < CLI_TABLE_EACH; e++) {
        const mplan_tune_result *base = &table->result[e][0];
        if (base->status)
            continue;
        regret = isnan(regret) ? 1 : regret;
        for (int32_t t = 1; t <= CLI_TABLE_THREADS; t++) {
            const mplan_tune_result *one = &table->result[e][t];
            if (!one->status && 4 * one->wins >= 3 * one->rounds)
                regret = fmax(regret, base->median / one->median);
        }
    }
    return regret;
}

/* --- what is said ------------------------------------------------------------------------ */

static void add_rows(cli_table *table, const cli_tune_table *of)
{
    for (int32_t e = 0; e < CLI_TABLE_EACH; e++) {
        cli_table_cell(table, "%s", e ? "" : of->mesh);
        if (e)
            cli_table_cell(table, "%s", "");
        else
            cli_table_int(table, of->elements);
        cli_table_int(table, cli_table_each[e]);
        for (int32_t k = 1; k <= 1 + CLI_TABLE_THREADS; k++) { /* the default last */
            const mplan_tune_result *one = &of->result[e][k % (1 + CLI_TABLE_THREADS)];
            cli_table_real(table, 1, one->status ? HUGE_VAL : one->median);
        }
    }
}

static void say_reasons(const cli_tune_table *of)
{
    for (int32_t e = 0; e < CLI_TABLE_EACH; e++)
        for (int32_t k = 0; k <= CLI_TABLE_THREADS; k++)
            if (of->result[e][k].status)
                printf("  %s, %d a thread, %s was not measured: %s\n", of->mesh,
                       (int)cli_table_each[e],
                       k == 0   ? "the default"
                       : k == 1 ? "64 threads"
                       : k == 2 ? "128 threads"
                       : k == 3 ? "256 threads"
                                : "512 threads",
                       cli_shown(of->result[e][k].reason));
}

mplan_status cli_tune_table_report(const cli_tune_table *tables, int32_t n, mplan_error *err)
{
    static const char *const heads[] = {"mesh", "cells", "a thread", "64",
                                        "128",  "256",   "512",      "default"};
    cli_table table = {.columns = 8};
    for (int32_t i = 0; i < table.columns; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t i = 0; i < n; i++)
        add_rows(&table, &tables[i]);
    mplan_status status = cli_table_print(&table, "  ", "lrrrrrrr", err);
    for (int32_t i = 0; i < n && !status; i++) {
        say_reasons(&tables[i]);
        printf("%s: default %d threads of %d, regret %.3f\n", tables[i].mesh,
               (int)tables[i].threads, (int)tables[i].each, cli_tune_table_regret(&tables[i]));
    }
    return status;
}

/* An object with what was measured of it, or why it was not. */
static void result_json(cli_json *json, const mplan_tune_result *one, int32_t threads, int32_t each)
{
    cli_json_open(json, NULL, '{');
    cli_json_int(json, "threads", threads);
    cli_json_int(json, "elements_per_thread", each);
    cli_json_text(json, "status", one->status ? "failed" : "done");
    if (one->status) {
        cli_json_text(json, "reason", one->reason);
    } else {
        cli_json_real(json, "microseconds", one->median);
        cli_json_real(json, "least_us", one->least);
        cli_json_real(json, "most_us", one->most);
        cli_json_int(json, "rounds", one->rounds);
        cli_json_int(json, "wins", one->wins);
        cli_json_real(json, "error", one->error);
    }
    cli_json_close(json, '}');
}

void cli_tune_table_json(cli_json *json, const cli_tune_table *tables, int32_t n)
{
    cli_json_open(json, "tables", '[');
    for (int32_t i = 0; i < n; i++) {
        const cli_tune_table *of = &tables[i];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "mesh", of->mesh);
        cli_json_int(json, "elements", of->elements);
        cli_json_real(json, "regret", cli_tune_table_regret(of));
        cli_json_open(json, "rows", '[');
        for (int32_t e = 0; e < CLI_TABLE_EACH; e++) {
            cli_json_open(json, NULL, '{');
            cli_json_open(json, "default", '[');
            result_json(json, &of->result[e][0], of->threads, of->each);
            cli_json_close(json, ']');
            cli_json_open(json, "cells", '[');
            for (int32_t t = 0; t < CLI_TABLE_THREADS; t++)
                result_json(json, &of->result[e][1 + t], cli_table_threads[t], cli_table_each[e]);
            cli_json_close(json, ']');
            cli_json_close(json, '}');
        }
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}
