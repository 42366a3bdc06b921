/* SPDX-License-Identifier: Apache-2.0 */
/* plan_forecast.c - what `plan --dry-run` says: choices, why, and what they would take */
#include "cli/plan_forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether the plan would have the strategy. */
static bool is_planned(const mplan_forecast_loop *loop, int strategy)
{
    for (int32_t s = 0; s < loop->n_strategies; s++)
        if ((int)loop->strategies[s] == strategy)
            return true;
    return false;
}

/* Why a strategy is, or is not, in the plan. A faster one that was not chosen cannot give what was
 * asked for: equal bits, or an order of sums. */
static const char *reason(const mplan_forecast *forecast, const mplan_forecast_loop *loop, int s)
{
    if (is_planned(loop, s))
        return forecast->chosen ? "chosen by the cost model" : "named";
    if (!isfinite(loop->seconds[s]))
        return "cannot run this loop";
    if (!forecast->chosen || !loop->n_strategies)
        return "not named";
    return loop->seconds[s] < loop->seconds[loop->strategies[0]]
               ? "sums in another order than asked for"
               : "slower";
}

/* A row for each strategy that there is. */
static mplan_status report_loop(const mplan_forecast *forecast, const mplan_forecast_loop *loop,
                                mplan_error *err)
{
    static const char *const heads[] = {"strategy", "microseconds", "in the plan", "why"};
    cli_table table = {.columns = 4};
    printf("loop %s over %lld %s, a launch on the %s by the cost model\n", cli_shown(loop->loop),
           (long long)loop->elements, cli_shown(loop->over), forecast->device);
    for (int i = 0; i < 4; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int s = 0; s < MPLAN_N_STRATEGIES; s++) {
        bool first = loop->n_strategies && (int)loop->strategies[0] == s;
        cli_table_cell(&table, "%s", mplan_strategy_name((mplan_strategy)s));
        cli_table_real(&table, 1, 1e6 * loop->seconds[s]);
        cli_table_cell(&table, "%s", first ? "yes, default" : is_planned(loop, s) ? "yes" : "no");
        cli_table_cell(&table, "%s", reason(forecast, loop, s));
    }
    return cli_table_print(&table, "  ", "lrll", err);
}

/* The request is text of whole lines. */
static void report_request(const char *request)
{
    printf("request\n");
    while (*request) {
        char line[512];
        size_t length = strcspn(request, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, request);
        printf("  %s\n", cli_shown(line));
        request += length + (request[length] == '\n');
    }
}

/* Sizes are rounded as estimates are: plans to a tenth of a megabyte, memory up to the next
 * whole one. */
mplan_status cli_forecast_report(const mplan_forecast *forecast, const char *output, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    printf("%s: would be a plan of about %.1f MB, made in about %.0f MB of memory; nothing is written\n",
           output ? cli_shown(output) : "the output", 1e-6 * (double)forecast->plan_bytes,
           ceil(1e-6 * (double)forecast->memory_bytes));
    printf("blocks of at most %d elements, partitioner %s, renumbering %s, point order %s\n",
           (int)forecast->block_size, mplan_partitioner_name(forecast->partitioner),
           mplan_renumber_name(forecast->renumber), mplan_point_order_name(forecast->point_order));
    for (int32_t l = 0; l < forecast->n_loops && !status; l++)
        status = report_loop(forecast, &forecast->loops[l], err);
    if (!status)
        report_request(forecast->request);
    return status;
}

/* The object of `plan --dry-run`. Times of a loop are by strategy, for the whole loop on the
 * device that is named; those of strategies that cannot run it are null. */
void cli_forecast_json(cli_json *json, const mplan_forecast *forecast, const char *output)
{
    cli_json_text(json, "plan", output);
    cli_json_bool(json, "dry_run", true);
    cli_json_int(json, "plan_bytes_estimate", forecast->plan_bytes);
    cli_json_int(json, "memory_bytes_estimate", forecast->memory_bytes);
    cli_json_int(json, "block_size", forecast->block_size);
    cli_json_text(json, "partitioner", mplan_partitioner_name(forecast->partitioner));
    cli_json_text(json, "renumber", mplan_renumber_name(forecast->renumber));
    cli_json_text(json, "point_order", mplan_point_order_name(forecast->point_order));
    cli_json_text(json, "device", forecast->device);
    cli_json_open(json, "loops", '[');
    for (int32_t l = 0; l < forecast->n_loops; l++) {
        const mplan_forecast_loop *loop = &forecast->loops[l];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", loop->loop);
        cli_json_text(json, "set", loop->over);
        cli_json_int(json, "elements", loop->elements);
        cli_json_open(json, "strategies", '[');
        for (int32_t s = 0; s < loop->n_strategies; s++)
            cli_json_text(json, NULL, mplan_strategy_name(loop->strategies[s]));
        cli_json_close(json, ']');
        cli_json_open(json, "seconds", '{'); /* null: cannot run the loop */
        for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
            cli_json_real(json, mplan_strategy_name((mplan_strategy)s), loop->seconds[s]);
        cli_json_close(json, '}');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_text(json, "request", forecast->request);
}
