/* SPDX-License-Identifier: Apache-2.0 */
/* run_figures.c - what one run of an application gave: a line, a JSON object */
#include "cli/run_figures.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/plan_figures.h"
#include "cli/results.h"

/* The one that the plan has, or where none could be made, the one that was asked for. */
static const char *strategy_of(const cli_run *run)
{
    if (run->loop)
        return mplan_strategy_name(run->loop->variants[run->variant].strategy);
    return run->strategy == MPLAN_N_STRATEGIES ? "auto" : mplan_strategy_name(run->strategy);
}

/* Columns are as wide as the figures of meshes of 10^9 elements; names of strategies are shorter
 * than 14 letters. */
void cli_run_print_head(void)
{
    printf("%-14s %-8s %-8s %5s %8s %13s %8s %6s %9s %s\n", "strategy", "sums", "encoding", "S",
           "threads", "microseconds", "GB/s", "copy", "error", "equal bits");
}

/* "-" where a figure is not known. */
static void print_real(int width, int digits, double value, bool known)
{
    if (known)
        printf(" %*.*f", width, digits, value);
    else
        printf(" %*s", width, "-");
}

/* rms[k]: of airfoil after 100, 200, 500 and 1,000 time steps; 0: not reached. */
static void print_residuals(const mplan_app_result *result)
{
    static const int after[4] = {100, 200, 500, 1000};
    for (int k = 0; k < 4; k++)
        if (result->rms[k] != 0)
            printf("  residual after %d iterations: %.12e\n", after[k], result->rms[k]);
    if (result->residual != 0)
        printf("  residual after the last: %.12e\n", result->residual);
}

/* What ranks exchanged, and who really moved it. */
static void print_ranks(const cli_run *run)
{
    const mplan_app_result *result = &run->result;
    if (result->ranks == 0)
        return;
    printf("  %d parts on %d %s (%s): %lld exchanges, %lld messages, %lld bytes sent, %lld copied within "
           "ranks",
           (int)result->parts, (int)result->ranks, result->ranks == 1 ? "rank" : "ranks",
           result->transport, (long long)result->exchanges, (long long)result->messages,
           (long long)result->message_bytes, (long long)result->copied_bytes);
    if (result->exchange_steps > 1)
        printf(", in %d steps", (int)result->exchange_steps);
    if (result->inside_exchanges > 0)
        printf("; %lld exchanges inside loops", (long long)result->inside_exchanges);
    if (run->efficiency > 0)
        printf("; efficiency %.1f%%", 100 * run->efficiency);
    printf("\n");
}

/* Steps of a visit: those of the plan, which is the first part's, or fewer where another part has fewer. */
static int32_t steps_made(const cli_run *run, const mplan_plan_visit *visit)
{
    return run->result.visit_steps > 0 ? run->result.visit_steps : visit->steps;
}

/* The visit of a plan for a limited device memory: what was predicted beside what was measured. */
static void print_visit(const cli_run *run)
{
    const mplan_plan_visit *visit = mplan_plan_get_visit(run->plan);
    const mplan_app_result *result = &run->result;
    if (!visit && run->asked && run->asked->device_memory > 0)
        printf("  within %.1f MiB, %d steps a visit, %d segments (0: chosen):\n",
               (double)run->asked->device_memory / (1 << 20), (int)run->asked->steps_per_visit,
               (int)run->asked->segments);
    if (!visit)
        return;
    printf("  %d steps a visit, %d segments of %d slabs: windows %.1f MiB of %.1f, dats on the host %.1f MiB",
           (int)steps_made(run, visit), (int)visit->segments, (int)visit->slabs,
           (double)visit->peak_bytes / (1 << 20), (double)visit->device_memory / (1 << 20),
           (double)visit->host_bytes / (1 << 20));
    if (visit->in_core_ns > 0)
        printf("; predicted %.3f", (double)visit->predicted_ns / (double)visit->in_core_ns);
    if (result->microseconds > 0 && result->in_memory_microseconds > 0)
        printf(", measured %.3f times the %.2f us in memory",
               result->microseconds / result->in_memory_microseconds, result->in_memory_microseconds);
    if (run->launch_streams && result->launch_streams)
        printf("; launch streams: %d", (int)result->launch_streams);
    printf("%s\n", result->same_in_memory ? "; same bits" : "");
}

/* Printed and flushed row by row, since a run may take minutes. "-" where a figure is not known:
 * no time was taken (--repeats 0), nothing was compared (--no-check), or the variant failed
 * before its result. */
void cli_run_print(const cli_run *run)
{
    const mplan_app_result *result = &run->result;
    const mplan_plan_variant *v = run->loop ? &run->loop->variants[run->variant] : NULL;
    bool timed = result->microseconds > 0,
         blocks = v && (mplan_strategy_traits(v->strategy) & MPLAN_TRAIT_RECORDS);
    char text[64] = "-";
    printf("%-14s %-8s", strategy_of(run), blocks ? mplan_sums_name(v->sums) : "-");
    printf(" %-8s", v && (mplan_strategy_traits(v->strategy) & MPLAN_TRAIT_OWNERS)
                        ? mplan_encoding_name(v->encoding)
                        : "-");
    print_real(5, 0, v ? v->block_limit : 0, v && v->block_limit > 0);
    if (v)
        snprintf(text, sizeof text, "%dx%d%s", v->threads, v->elements_per_thread,
                 v->round ? "r" : "");
    printf(" %8s", text);
    print_real(13, 2, result->microseconds, timed);
    print_real(8, 1, result->bandwidth * 1e-9, timed);
    if (timed && result->copy_rate > 0)
        printf(" %5.1f%%", 100 * result->bandwidth / result->copy_rate);
    else
        printf(" %6s", "-");
    if (result->error >= 0)
        printf(" %9.1e", result->error);
    else
        printf(" %9s", "-");
    printf(" %s\n", run->status && result->error < 0 ? "-" : result->equal_bits ? "yes" : "no");
    print_visit(run);
    print_residuals(result);
    print_ranks(run);
    if (run->reason)
        printf("  %s\n", cli_shown(run->reason));
    fflush(stdout);
}

/* What the blocks of a variant reach, and what made them; nothing for variants without blocks.
 * run->loop must be a loop of run->plan. */
static void block_json(cli_json *json, const cli_run *run)
{
    int32_t loop = 0, set;
    while (mplan_plan_get_loop(run->plan, loop) != run->loop)
        loop++;
    set = cli_plan_block_set_of(run->plan, loop, run->variant);
    if (run->loop->variants[run->variant].block_set < 0 || set < 0)
        return;
    cli_json_text(json, "partitioner",
                  mplan_partitioner_name(mplan_plan_get_block_set(run->plan, set)->partitioner));
    cli_point_figures points;
    for (int figure = 0; figure < 2; figure++) {
        cli_json_open(json, figure ? "lines_per_block" : "reuse", '{');
        for (int32_t i = 0; i < mplan_plan_n_metrics(run->plan); i++)
            if (cli_plan_points(run->plan, i, loop, set, &points))
                cli_json_real(json, points.set, figure ? points.lines : points.reuse);
        cli_json_close(json, '}');
    }
}

/* Colours of the kinds that the variant has. */
static void colours_json(cli_json *json, const mplan_plan *plan, const mplan_plan_variant *v)
{
    const uint32_t traits = mplan_strategy_traits(v->strategy);
    if (traits & MPLAN_TRAIT_GLOBAL_COLOURS)
        cli_json_int(json, "global_colours", v->global_colours);
    if ((traits & MPLAN_TRAIT_THREAD_COLOURS) || cli_plan_sums_by_colour(v))
        cli_json_int(json, "block_colours", v->block_colours);
    if (traits & MPLAN_TRAIT_THREAD_COLOURS)
        cli_json_real(json, "thread_colours_mean", cli_plan_thread_colours_mean(plan, v));
}

/* Keys of a variant that ran, or was to: as in `plan`'s JSON where they are the same figure. */
static void variant_json(cli_json *json, const cli_run *run)
{
    const mplan_plan_variant *v = &run->loop->variants[run->variant];
    cli_json_int(json, "variant", run->variant);
    cli_json_text(json, "loop", run->loop->name);
    cli_json_text(json, "sums",
                  mplan_strategy_traits(v->strategy) & MPLAN_TRAIT_RECORDS ? mplan_sums_name(v->sums)
                                                                           : NULL);
    cli_json_text(json, "encoding",
                  mplan_strategy_traits(v->strategy) & MPLAN_TRAIT_OWNERS
                      ? mplan_encoding_name(v->encoding)
                      : NULL);
    cli_json_int(json, "block_limit", v->block_limit);
    cli_json_int(json, "threads", v->threads);
    cli_json_int(json, "elements_per_thread", v->elements_per_thread);
    if (v->round)
        cli_json_int(json, "round", v->round);
    const mplan_plan_set *set = mplan_plan_get_set(run->plan, run->loop->set);
    cli_json_int(json, "elements", set->part.parts > 0 ? set->part.total : set->size);
    cli_json_bool(json, "deterministic", v->deterministic);
    block_json(json, run);
    colours_json(json, run->plan, v);
}

/* "error" is the largest difference from a run in the mesh's own order, as the application
 * measures it; negative in the result: not compared. Times are of a launch, of airfoil of a time
 * step. */
static void result_json(cli_json *json, const cli_run *run)
{
    const mplan_app_result *result = &run->result;
    bool timed = result->microseconds > 0;
    if (timed)
        cli_json_real(json, "microseconds", result->microseconds);
    else
        cli_json_null(json, "microseconds");
    cli_json_real(json, "useful_bytes", result->useful_bytes);
    if (timed) {
        cli_json_real(json, "bandwidth", result->bandwidth);
        cli_json_real(json, "copy_rate", result->copy_rate);
        cli_json_real(json, "share_of_copy", result->bandwidth / result->copy_rate);
    }
    if (result->error >= 0)
        cli_json_real(json, "error", result->error);
    else
        cli_json_null(json, "error");
    if (run->status && result->error < 0)
        cli_json_null(json, "equal_bits");
    else
        cli_json_bool(json, "equal_bits", result->equal_bits);
    char bits[32];
    snprintf(bits, sizeof bits, "%016" PRIx64, result->bits);
    cli_json_text(json, "result_bits", result->error >= 0 ? bits : NULL);
    if (result->residual != 0) {
        cli_json_real(json, "residual", result->residual);
        cli_json_open(json, "rms", '[');
        for (int k = 0; k < 4; k++)
            if (result->rms[k] != 0)
                cli_json_real(json, NULL, result->rms[k]);
        cli_json_close(json, ']');
    }
}

/* Of one launch or time step, or a period of them, between all ranks. */
static void ranks_json(cli_json *json, const cli_run *run)
{
    const mplan_app_result *result = &run->result;
    if (result->ranks == 0)
        return;
    cli_json_int(json, "ranks", result->ranks);
    cli_json_int(json, "parts", result->parts);
    cli_json_text(json, "transport", result->transport);
    cli_json_int(json, "exchanges", result->exchanges);
    cli_json_int(json, "messages", result->messages);
    cli_json_int(json, "message_bytes", result->message_bytes);
    cli_json_int(json, "copied_bytes", result->copied_bytes);
    cli_json_int(json, "exchange_steps", result->exchange_steps);
    cli_json_int(json, "inside_exchanges", result->inside_exchanges);
    if (run->efficiency > 0)
        cli_json_real(json, "efficiency", run->efficiency);
    else
        cli_json_null(json, "efficiency");
}

/* Limit, schedule and times of a run with a limited device memory. */
static void visit_json(cli_json *json, const cli_run *run)
{
    const mplan_plan_visit *visit = mplan_plan_get_visit(run->plan);
    const mplan_app_result *result = &run->result;
    int64_t data = 0, dats_in = 0;
    if (!visit)
        return;
    for (int32_t s = 0; s < mplan_plan_n_streams(run->plan); s++) {
        const mplan_plan_stream *stream = mplan_plan_get_stream(run->plan, s);
        data += stream->bytes;
        dats_in += stream->arg >= 0 && (stream->ways & MPLAN_STREAM_IN) ? stream->bytes : 0;
    }
    cli_json_int(json, "data_bytes", data);
    cli_json_int(json, "device_memory", visit->device_memory);
    cli_json_int(json, "steps_per_visit", steps_made(run, visit));
    cli_json_int(json, "segments", visit->segments);
    cli_json_int(json, "period", visit->period);
    cli_json_int(json, "launches",
                 (int64_t)steps_made(run, visit) * mplan_plan_n_step(run->plan) * visit->segments);
    cli_json_int(json, "slabs", visit->slabs);
    cli_json_int(json, "peak_bytes", visit->peak_bytes);
    cli_json_int(json, "in_bytes", visit->in_bytes);
    cli_json_int(json, "dats_in_bytes", dats_in);
    cli_json_int(json, "out_bytes", visit->out_bytes);
    cli_json_int(json, "host_bytes", visit->host_bytes);
    cli_json_real(json, "predicted_microseconds", 1e-3 * (double)visit->predicted_ns);
    cli_json_real(json, "predicted_in_memory_microseconds", 1e-3 * (double)visit->in_core_ns);
    if (result->in_memory_microseconds > 0)
        cli_json_real(json, "in_memory_microseconds", result->in_memory_microseconds);
    cli_json_bool(json, "same_in_memory", result->same_in_memory);
    if (result->launch_streams)
        cli_json_int(json, "launch_streams", result->launch_streams);
}

/* Memory that is missing shows when the lines are written. */
void cli_run_json(cli_json *lines, const cli_call *call, const cli_run *run)
{
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "application", run->app);
    cli_json_text(&json, "mesh", run->mesh);
    cli_json_text(&json, "executor", run->executor);
    cli_json_text(&json, "strategy", strategy_of(run));
    if (run->loop)
        variant_json(&json, run);
    cli_json_real(&json, "plan_s", run->plan_seconds);
    result_json(&json, run);
    ranks_json(&json, run);
    visit_json(&json, run);
    cli_json_text(&json, "status", mplan_status_name(run->status));
    cli_json_text(&json, "reason", run->reason);
    cli_json_close(&json, '}');
    cli_json_line(lines, &json);
    cli_json_free(&json);
}
