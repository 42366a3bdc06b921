/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_outlook.c - what `info BUNDLE --ranks` says with --price and --device: the price of the cut, the time of a step */
#include "cli/bundle_outlook.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/message.h"

/* The mesh is put together once for both. */
mplan_status cli_bundle_outlook_create(const mplan_bundle *bundle, const cli_bundle_figures *figures,
                                       const cli_bundle_wish *wish, const mplan_context *context,
                                       cli_bundle_outlook *out, mplan_error *err)
{
    assert(bundle && figures && wish && out);
    *out = (cli_bundle_outlook){.priced = false};
    if (!wish->price && !wish->device)
        return MPLAN_OK;
    if (wish->device && figures->visit.steps > 0)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "info: --device: parts with a limited device memory cannot be forecast");
    const char *device = wish->device && wish->device[0] ? wish->device : NULL;
    cli_bundle_mesh mesh = {0};
    mplan_status status = cli_bundle_mesh_create(bundle, wish->price ? "--price" : "--device",
                                                 context, &mesh, err);
    if (!status && wish->price)
        status = cli_bundle_price_create(bundle, figures, &mesh, context, &out->price, err);
    if (!status && wish->device)
        status = cli_bundle_step_create(figures, &mesh, device, wish->link, context, &out->step, err);
    out->priced = wish->price;
    out->timed = wish->device != NULL;
    cli_bundle_mesh_free(&mesh);
    return status;
}

void cli_bundle_outlook_free(cli_bundle_outlook *outlook)
{
    assert(outlook);
    cli_bundle_step_free(&outlook->step);
}

/* NAN: there is nothing to compare with. */
static double more(double own, double other)
{
    return other > 0 ? 100 * (own / other - 1) : NAN;
}

/* Of a number of ranks that work for `seconds` each what one device needs. */
static double efficiency(const cli_bundle_step *step, double seconds, int32_t ranks)
{
    return seconds > 0 ? 100 * step->one / (seconds * ranks) : NAN;
}

/* --- text --------------------------------------------------------------------------------- */

static mplan_status report_price(const cli_bundle_figures *figures, const cli_bundle_price *price,
                                 mplan_error *err)
{
    const cli_price_cut *const cuts[] = {&price->grouped, &price->direct};
    cli_table table = {.columns = 4};
    const char *const heads[] = {"cut into", "halo", "max/mean", "more halo, %"};
    printf("price of %d parts on %d %s, against a cut for them by %s:\n", (int)figures->n_parts,
           (int)figures->ranks, figures->ranks == 1 ? "rank" : "ranks", price->how);
    for (int32_t i = 0; i < table.columns; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int i = 0; i < 2; i++) {
        cli_table_cell(&table, "%d", (int)(i ? figures->ranks : figures->n_parts));
        cli_table_int(&table, cuts[i]->halo);
        cli_table_real(&table, 4, cuts[i]->imbalance);
        cli_table_real(&table, 1,
                       i ? NAN : more((double)price->grouped.halo, (double)price->direct.halo));
    }
    return cli_table_print(&table, "  ", "rrrr", err);
}

static mplan_status report_links(const cli_bundle_figures *figures, const cli_bundle_step *step,
                                 mplan_error *err)
{
    cli_table table = {.columns = 6};
    const char *const heads[] = {"link",          "us",         "us without overlap",
                                 "efficiency, %", "worst rank", "numbers are"};
    for (int32_t i = 0; i < table.columns; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t k = 0; k < CLI_LINKS; k++) {
        const cli_step_link *by = &step->links[k];
        cli_table_cell(&table, "%s", by->link->name);
        cli_table_real(&table, 1, 1e6 * by->step);
        cli_table_real(&table, 1, 1e6 * by->plain);
        cli_table_real(&table, 1, efficiency(step, by->step, figures->ranks));
        cli_table_int(&table, by->worst);
        cli_table_cell(&table, "%s", by->link->source);
    }
    return cli_table_print(&table, "  ", "lrrrrl", err);
}

static mplan_status report_step(const cli_bundle_figures *figures, const cli_bundle_step *step,
                                mplan_error *err)
{
    printf("forecast of a step on %s: %d launches of loops, %.3g with an exchange; the mesh without "
           "parts on one device: %.1f us\n",
           step->device, (int)step->entries, step->exchanges, 1e6 * step->one);
    mplan_status status = report_links(figures, step, err);
    if (status)
        return status;
    cli_table table = {.columns = 6};
    const char *const heads[] = {"rank",          "kernels", "computes, us",
                                 "exchanges, us", "us",      "us without overlap"};
    printf("  ranks by %s:\n", cli_link_get(step->chosen)->name);
    for (int32_t i = 0; i < table.columns; i++)
        cli_table_cell(&table, "%s", heads[i]);
    for (int32_t r = 0; r < figures->ranks; r++) {
        const cli_step_rank *rank = &step->rank[r];
        cli_table_int(&table, r);
        cli_table_int(&table, rank->launches);
        cli_table_real(&table, 1, 1e6 * rank->compute);
        cli_table_real(&table, 1, 1e6 * rank->exchange);
        cli_table_real(&table, 1, 1e6 * rank->step);
        cli_table_real(&table, 1, 1e6 * rank->plain);
    }
    return cli_table_print(&table, "  ", "rrrrrr", err);
}

mplan_status cli_bundle_outlook_report(const cli_bundle_figures *figures,
                                       const cli_bundle_outlook *outlook, mplan_error *err)
{
    assert(figures && outlook);
    mplan_status status = outlook->priced ? report_price(figures, &outlook->price, err) : MPLAN_OK;
    return status || !outlook->timed ? status : report_step(figures, &outlook->step, err);
}

/* --- JSON ----------------------------------------------------------------------------------- */

static void cut_json(cli_json *json, const char *key, const cli_price_cut *cut)
{
    cli_json_open(json, key, '{');
    cli_json_int(json, "halo", cut->halo);
    cli_json_real(json, "imbalance", cut->imbalance);
    cli_json_close(json, '}');
}

static void links_json(cli_json *json, const cli_bundle_figures *figures, const cli_bundle_step *step)
{
    cli_json_open(json, "links", '[');
    for (int32_t k = 0; k < CLI_LINKS; k++) {
        const cli_step_link *by = &step->links[k];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "link", by->link->name);
        cli_json_text(json, "source", by->link->source);
        cli_json_real(json, "step_us", 1e6 * by->step);
        cli_json_real(json, "no_overlap_us", 1e6 * by->plain);
        cli_json_real(json, "efficiency", efficiency(step, by->step, figures->ranks) / 100);
        cli_json_int(json, "worst_rank", by->worst);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void step_json(cli_json *json, const cli_bundle_figures *figures, const cli_bundle_step *step)
{
    cli_json_open(json, "step", '{');
    cli_json_text(json, "device", step->device);
    cli_json_int(json, "launches", step->entries);
    if (figures->rings > 0)
        cli_json_real(json, "exchanges", step->exchanges);
    else
        cli_json_int(json, "exchanges", (int64_t)step->exchanges);
    cli_json_real(json, "one_device_us", 1e6 * step->one);
    links_json(json, figures, step);
    cli_json_text(json, "link", cli_link_get(step->chosen)->name);
    cli_json_open(json, "ranks", '[');
    for (int32_t r = 0; r < figures->ranks; r++) {
        const cli_step_rank *rank = &step->rank[r];
        cli_json_open(json, NULL, '{');
        cli_json_int(json, "rank", r);
        cli_json_int(json, "kernels", rank->launches);
        cli_json_real(json, "compute_us", 1e6 * rank->compute);
        cli_json_real(json, "exchange_us", 1e6 * rank->exchange);
        cli_json_real(json, "step_us", 1e6 * rank->step);
        cli_json_real(json, "no_overlap_us", 1e6 * rank->plain);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

void cli_bundle_outlook_json(cli_json *json, const cli_bundle_figures *figures,
                             const cli_bundle_outlook *outlook)
{
    assert(json && figures && outlook);
    if (outlook->priced) {
        cli_json_open(json, "price", '{');
        cli_json_text(json, "by", outlook->price.how);
        cut_json(json, "grouped", &outlook->price.grouped);
        cut_json(json, "direct", &outlook->price.direct);
        cli_json_close(json, '}');
    }
    if (outlook->timed)
        step_json(json, figures, &outlook->step);
}
