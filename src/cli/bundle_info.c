/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_info.c - `info BUNDLE`: its parts, and what ranks would exchange */
#include "cli/bundle_info.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/bundle_figures.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/part_sets.h"
#include "cli/results.h"

static int64_t n_messages(const cli_bundle_figures *figures)
{
    int64_t n = 0;
    for (int32_t r = 0; r < figures->ranks; r++)
        n += figures->rank[r].messages;
    return n;
}

static int64_t n_step_messages(const cli_bundle_figures *figures)
{
    int64_t n = 0;
    for (int32_t r = 0; r < figures->ranks; r++)
        n += figures->rank[r].step_messages;
    return n;
}

/* --- text ------------------------------------------------------------------------------- */

static void print_worst(const char *what, const cli_bundle_worst *worst)
{
    printf("  most %s: rank %d, %" PRId64, what, (int)worst->rank, worst->most);
    if (isfinite(worst->imbalance))
        printf(", max/mean %.4f", worst->imbalance);
    printf("\n");
}

/* In units of 2^20 bytes. */
static double mega(int64_t bytes)
{
    return (double)bytes / (1 << 20);
}

/* Visits, where device memory is limited. */
static void print_visit(const cli_bundle_visit *visit)
{
    if (visit->steps == 0)
        return;
    printf("  limited device memory: %d to %d slabs, windows of a part up to %.1f MiB, limit %.1f MiB; %d %s from one "
           "exchange to the next\n",
           (int)visit->slabs_least, (int)visit->slabs_most, mega(visit->peak_most),
           mega(visit->device_memory), (int)visit->steps, visit->steps == 1 ? "step" : "steps");
    printf("  visits of all parts move %.1f MiB in and %.1f MiB out; dats in memory of the host %.1f MiB\n",
           mega(visit->in_bytes), mega(visit->out_bytes), mega(visit->host_bytes));
}

/* What travels again in every step, or, with rings, in so many steps. */
static void print_step(const cli_bundle_figures *figures)
{
    const cli_bundle_worst bytes = cli_bundle_most_step_bytes(figures);
    const int32_t steps = figures->step.steps, n = figures->step.n;
    printf("  ");
    if (steps == 1)
        printf("a step");
    else
        printf("%d steps", (int)steps);
    printf(": %d %s, %" PRId64 " messages, %" PRId64 " bytes\n", (int)n,
           n == 1 ? "exchange" : "exchanges", n_step_messages(figures), bytes.sum);
    if (bytes.sum > 0)
        print_worst("bytes of it", &bytes);
}

/* A dat a line: what an exchange is of. */
static mplan_status report_dats(const cli_bundle_figures *figures, mplan_error *err)
{
    cli_table table = {.columns = 5};
    const char *const heads[] = {"dat", "set", "bytes of one", "bytes of all", "exchanged"};
    for (int32_t i = 0; i < table.columns; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t d = 0; d < figures->n_dats; d++) {
        const cli_bundle_dat *dat = &figures->dats[d];
        cli_table_cell(&table, "%s", dat->name);
        cli_table_cell(&table, "%s", figures->sets[dat->set].name);
        cli_table_int(&table, dat->bytes);
        cli_table_int(&table, dat->received);
        cli_table_cell(&table, "%s", dat->written ? "after it is written" : "no loop here writes it");
    }
    return cli_table_print(&table, "  ", "llrrl", err);
}

static mplan_status report_ranks(const cli_bundle_figures *figures, mplan_error *err)
{
    const cli_bundle_worst owned = cli_bundle_most_owned(figures),
                           bytes = cli_bundle_most_bytes(figures);
    cli_table table = {.columns = 10};
    const char *const heads[] = {"rank",       "parts",    "owned", "border",        "halo",
                                 "neighbours", "messages", "bytes", "step messages", "step bytes"};
    printf("%d %s, %s of each, and one exchange of all dats below: %" PRId64 " messages, %" PRId64
           " bytes\n",
           (int)figures->ranks, figures->ranks == 1 ? "rank" : "ranks",
           figures->n_sets ? cli_shown(figures->sets[figures->cut].name) : "members",
           n_messages(figures), bytes.sum);
    for (int32_t i = 0; i < table.columns; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t r = 0; r < figures->ranks; r++) {
        const cli_bundle_rank *rank = &figures->rank[r];
        const int first = (int)figures->first_part[r], last = (int)figures->first_part[r + 1] - 1;
        cli_table_int(&table, r);
        if (first == last)
            cli_table_cell(&table, "%d", first);
        else
            cli_table_cell(&table, "%d-%d", first, last);
        cli_table_int(&table, rank->owned);
        cli_table_int(&table, rank->border);
        cli_table_int(&table, rank->halo);
        cli_table_int(&table, rank->neighbours);
        cli_table_int(&table, rank->messages);
        cli_table_int(&table, rank->bytes);
        cli_table_int(&table, rank->step_messages);
        cli_table_int(&table, rank->step_bytes);
    }
    mplan_status status = cli_table_print(&table, "  ", "rrrrrrrrrr", err);
    if (status)
        return status;
    print_worst("owned", &owned);
    print_worst("bytes", &bytes);
    print_step(figures);
    return report_dats(figures, err);
}

static mplan_status report(const char *path, const mplan_bundle *bundle,
                           const cli_bundle_figures *figures, const cli_bundle_outlook *outlook,
                           mplan_error *err)
{
    cli_table table;
    printf("%s: bundle of %d parts, cut by %s, %" PRId64 " bytes\n", cli_shown(path),
           (int)figures->n_parts, mplan_bundle_how(bundle), figures->bytes);
    cli_part_sets_head(&table);
    for (int32_t s = 0; s < figures->n_sets; s++)
        cli_part_sets_row(&table, &figures->sets[s], figures->n_parts);
    mplan_status status = cli_part_sets_print(&table, err);
    if (!status)
        cli_part_sets_twice(figures->sets, figures->n_sets, figures->rings);
    if (!status)
        print_visit(&figures->visit);
    if (status || figures->ranks == 0)
        return status;
    status = report_ranks(figures, err);
    return status ? status : cli_bundle_outlook_report(figures, outlook, err);
}

/* --- JSON ------------------------------------------------------------------------------- */

static void worst_json(cli_json *json, const char *key, const cli_bundle_worst *worst)
{
    cli_json_open(json, key, '{');
    cli_json_int(json, "rank", worst->rank);
    cli_json_int(json, "most", worst->most);
    cli_json_real(json, "imbalance", worst->imbalance);
    cli_json_close(json, '}');
}

/* Key "visit", where device memory is limited. */
static void visit_json(cli_json *json, const cli_bundle_visit *visit)
{
    if (visit->steps == 0)
        return;
    cli_json_open(json, "visit", '{');
    cli_json_int(json, "steps", visit->steps);
    cli_json_int(json, "slabs_least", visit->slabs_least);
    cli_json_int(json, "slabs_most", visit->slabs_most);
    cli_json_int(json, "device_memory", visit->device_memory);
    cli_json_int(json, "peak_bytes_most", visit->peak_most);
    cli_json_int(json, "in_bytes", visit->in_bytes);
    cli_json_int(json, "out_bytes", visit->out_bytes);
    cli_json_int(json, "host_bytes", visit->host_bytes);
    cli_json_close(json, '}');
}

static void dats_json(cli_json *json, const cli_bundle_figures *figures)
{
    cli_json_open(json, "dats", '[');
    for (int32_t d = 0; d < figures->n_dats; d++) {
        const cli_bundle_dat *dat = &figures->dats[d];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", dat->name);
        cli_json_text(json, "set", figures->sets[dat->set].name);
        cli_json_int(json, "member_bytes", dat->bytes);
        cli_json_int(json, "message_bytes", dat->received);
        cli_json_bool(json, "written", dat->written);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* The keys of `--ranks`. */
static void ranks_json(cli_json *json, const cli_bundle_figures *figures)
{
    const cli_bundle_worst owned = cli_bundle_most_owned(figures),
                           bytes = cli_bundle_most_bytes(figures);
    cli_json_text(json, "set", figures->n_sets ? figures->sets[figures->cut].name : NULL);
    cli_json_open(json, "ranks", '[');
    for (int32_t r = 0; r < figures->ranks; r++) {
        const cli_bundle_rank *rank = &figures->rank[r];
        cli_json_open(json, NULL, '{');
        cli_json_int(json, "rank", r);
        cli_json_int(json, "first_part", figures->first_part[r]);
        cli_json_int(json, "end_part", figures->first_part[r + 1]);
        cli_json_int(json, "owned", rank->owned);
        cli_json_int(json, "border", rank->border);
        cli_json_int(json, "halo", rank->halo);
        cli_json_int(json, "received", rank->received);
        cli_json_int(json, "neighbours", rank->neighbours);
        cli_json_int(json, "messages", rank->messages);
        cli_json_int(json, "message_bytes", rank->bytes);
        cli_json_int(json, "step_messages", rank->step_messages);
        cli_json_int(json, "step_bytes", rank->step_bytes);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_int(json, "messages", n_messages(figures));
    cli_json_int(json, "message_bytes", bytes.sum);
    cli_json_open(json, "exchanged", '{');
    cli_json_int(json, "exchange_steps", figures->step.steps);
    cli_json_int(json, "exchanges", figures->step.n);
    cli_json_int(json, "messages", n_step_messages(figures));
    cli_json_int(json, "message_bytes", cli_bundle_most_step_bytes(figures).sum);
    cli_json_close(json, '}');
    worst_json(json, "worst_owned", &owned);
    worst_json(json, "worst_bytes", &bytes);
    dats_json(json, figures);
}

static mplan_status write_json(const cli_call *call, const char *path, const mplan_bundle *bundle,
                               const cli_bundle_figures *figures, const cli_bundle_outlook *outlook,
                               mplan_error *err)
{
    cli_json json = {0};
    cli_results_open(&json, call);
    cli_json_text(&json, "file", path);
    cli_json_int(&json, "bytes", figures->bytes);
    cli_json_int(&json, "parts", figures->n_parts);
    cli_json_text(&json, "cut_by", mplan_bundle_how(bundle));
    if (figures->rings > 0)
        cli_json_int(&json, "rings", figures->rings);
    visit_json(&json, &figures->visit);
    cli_json_open(&json, "sets", '[');
    for (int32_t s = 0; s < figures->n_sets; s++)
        cli_part_sets_json(&json, &figures->sets[s], figures->n_parts);
    cli_json_close(&json, ']');
    if (figures->ranks > 0)
        ranks_json(&json, figures);
    cli_bundle_outlook_json(&json, figures, outlook);
    return cli_results_write(&json, call, MPLAN_OK, NULL, err);
}

mplan_status cli_bundle_info(const cli_call *call, const char *path, const cli_bundle_wish *wish,
                             mplan_error *err)
{
    mplan_bundle *bundle = NULL;
    cli_bundle_figures figures = {0};
    cli_bundle_outlook outlook = {.priced = false};
    mplan_status status = mplan_bundle_open(path, call->context, &bundle, err);
    if (!status)
        status = cli_bundle_figures_create(bundle, wish->ranks, call->context, &figures, err);
    if (!status)
        status = cli_bundle_outlook_create(bundle, &figures, wish, call->context, &outlook, err);
    if (!status && call->report)
        status = report(path, bundle, &figures, &outlook, err);
    if (!status && call->json)
        status = write_json(call, path, bundle, &figures, &outlook, err);
    cli_bundle_outlook_free(&outlook);
    cli_bundle_figures_free(&figures);
    mplan_bundle_free(bundle);
    return status;
}
