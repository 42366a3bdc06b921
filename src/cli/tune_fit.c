/* SPDX-License-Identifier: Apache-2.0 */
/* tune_fit.c - a device's profile from what `tune` measured
 *
 * The model's time is the largest of what each rate of the device allows (a roofline of several roofs); a record keeps
 * these bounds of each plan. Rates are searched one after the other, each on a grid of 2 percent, until none moves:
 * the sum of |log(predicted / measured)| falls with every move, so that it ends. Absolute values, not squares: the
 * model is off by a factor of two for some strategies, and these must not decide about all others. */
#include "cli/tune_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_flat.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/results.h"
#include "cli/tune_record.h"

/* A rate may become so many times as large or small: GRID ^ +-STEPS. */
static const double GRID = 1.02;
enum { STEPS = 80, MOST_ROUNDS = 50 };

/* One plan: seconds that each rate allows, what no rate changes, and what was measured. */
typedef struct point {
    double bound[MPLAN_N_RATES], fixed, measured;
} point;

/* One point for each plan that was measured. */
typedef struct points {
    point *item;
    int32_t n, capacity;
    bool sums; /* the model adds what the rates allow */
} points;

/* --- reading ------------------------------------------------------------------------- */

/* Takes candidate i of a record. *more: false past the last. */
static mplan_status take_candidate(const cli_flat *flat, int i, points *all, bool *more,
                                   mplan_error *err)
{
    char key[96];
    point one = {.measured = 0};
    snprintf(key, sizeof key, "candidates.%d.strategy", i);
    *more = cli_flat_text(flat, key) != NULL;
    snprintf(key, sizeof key, "candidates.%d.microseconds", i);
    one.measured = 1e-6 * cli_flat_number(flat, key, 0);
    snprintf(key, sizeof key, "candidates.%d.bounds_us.none", i);
    one.fixed = 1e-6 * cli_flat_number(flat, key, -1);
    bool whole = *more && one.measured > 0 && one.fixed >= 0;
    for (int r = 0; r < MPLAN_N_RATES; r++) {
        snprintf(key, sizeof key, "candidates.%d.bounds_us.%s", i, mplan_rate_name((mplan_rate)r));
        one.bound[r] = 1e-6 * cli_flat_number(flat, key, -1);
        whole = whole && isfinite(one.bound[r]) && one.bound[r] >= one.fixed;
    }
    if (!whole)
        return MPLAN_OK;
    if (all->n == all->capacity) {
        const int32_t capacity = 2 * all->capacity + 64;
        point *grown = realloc(all->item, (size_t)capacity * sizeof *grown);
        if (!grown)
            return cli_fail(err, MPLAN_ERR_MEMORY, "out of memory");
        all->item = grown;
        all->capacity = capacity;
    }
    all->item[all->n++] = one;
    return MPLAN_OK;
}

/* The first text of a key fixes it, others must be equal. */
static mplan_status same_text(const cli_flat *flat, const char *key, const char *path, char *text,
                              size_t size, mplan_error *err)
{
    const char *found = cli_flat_text(flat, key);
    if (!found || !*found)
        return MPLAN_OK;
    if (*text && strcmp(text, found) != 0)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "%s: has records of %s and of %s; rates can be fitted to one machine and one profile",
                        path, text, found);
    snprintf(text, size, "%s", found);
    return MPLAN_OK;
}

/* All candidates of one line of results, of the one profile and machine that the first line names. */
static mplan_status take_record(const cli_flat *flat, const char *path, cli_fit *fit, points *all,
                                mplan_error *err)
{
    bool more = true;
    mplan_status status = same_text(flat, "profile", path, fit->profile, sizeof fit->profile, err);
    if (!status)
        status = same_text(flat, "machine.name", path, fit->machine, sizeof fit->machine, err);
    for (int i = 0; more && !status; i++)
        status = take_candidate(flat, i, all, &more, err);
    return status;
}

/* Lines that are not whole are skipped, as by `plan --tuned`. */
static mplan_status read_points(const char *path, const mplan_context *context, cli_fit *fit,
                                points *all, mplan_error *err)
{
    char *text = NULL;
    size_t size = 0;
    mplan_status status = cli_records_read(path, context, &text, &size, err);
    for (size_t at = 0; at < size && !status;) {
        const size_t length = strcspn(text + at, "\n");
        cli_flat flat;
        if (cli_flat_read(text + at, length, &flat)) {
            status = take_record(&flat, path, fit, all, err);
            cli_flat_free(&flat);
        }
        at += length + 1;
    }
    free(text);
    if (!status && all->n == 0)
        status = cli_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: has no measured plan with the bounds of its prediction; run `meshplan tune` of this "
                          "version",
                          path);
    return status;
}

/* --- fitting ------------------------------------------------------------------------- */

/* The model's seconds where rate r is factor[r] times as large; *rate: the one that takes longest. A core of the host
 * does one thing after the other (cost_host.c). */
static double predicted(const points *all, int32_t i, const double *factor, int *rate)
{
    const point *one = &all->item[i];
    double most = -1, sum = one->fixed;
    for (int r = 0; r < MPLAN_N_RATES; r++) {
        const double seconds = (one->bound[r] - one->fixed) / factor[r];
        sum += seconds;
        if (seconds > most) {
            most = seconds;
            *rate = r;
        }
    }
    return all->sums ? sum : one->fixed + most;
}

/* Mean |log(predicted / measured)|; bounded: counts by rate, added to. NULL: not asked. */
static double mean_off(const points *all, const double *factor, int32_t *bounded)
{
    double sum = 0;
    for (int32_t i = 0; i < all->n; i++) {
        int rate = 0;
        sum += fabs(log(predicted(all, i, factor, &rate) / all->item[i].measured));
        if (bounded)
            bounded[rate]++;
    }
    return sum / all->n;
}

/* The best of the grid for rate r, other factors kept. Of equals the nearest to 1, so that a rate that bounds nothing
 * stays as it is. */
static bool move_rate(const points *all, double *factor, int r)
{
    const double before = factor[r];
    double best = before, least = mean_off(all, factor, NULL);
    for (int k = -STEPS; k <= STEPS; k++) {
        factor[r] = pow(GRID, k);
        const double off = mean_off(all, factor, NULL);
        if (off < least - 1e-12 || (off < least + 1e-12 && fabs(log(factor[r])) < fabs(log(best)))) {
            least = fmin(off, least);
            best = factor[r];
        }
    }
    factor[r] = best;
    return best != before;
}

/* fit->before: the profile that was used for the predictions. */
static mplan_status find_profile(const char *path, cli_fit *fit, mplan_error *err)
{
    for (int32_t i = 0; mplan_device_get(i, &fit->before) == MPLAN_OK; i++)
        if (!strcmp(fit->before.name, fit->profile))
            return MPLAN_OK;
    return cli_fail(err, MPLAN_ERR_ARGUMENT,
                    "%s: was measured with the profile %s, which is not one of those built in",
                    path, fit->profile);
}

/* *fit: rates before and after, and by how much predictions are off. */
mplan_status cli_tune_fit(const char *path, const mplan_context *context, cli_fit *fit,
                          mplan_error *err)
{
    points all = {0};
    double factor[MPLAN_N_RATES];
    *fit = (cli_fit){.n_plans = 0};
    mplan_status status = read_points(path, context, fit, &all, err);
    if (!status)
        status = find_profile(path, fit, err);
    if (!status) {
        bool moved = true;
        for (int r = 0; r < MPLAN_N_RATES; r++)
            factor[r] = 1;
        fit->n_plans = all.n;
        all.sums = fit->before.warp == 1;
        fit->off_before = exp(mean_off(&all, factor, NULL));
        for (int round = 0; round < MOST_ROUNDS && moved; round++) {
            moved = false;
            for (int r = 0; r < MPLAN_N_RATES; r++)
                moved = move_rate(&all, factor, r) || moved;
        }
        fit->off_after = exp(mean_off(&all, factor, fit->bounded));
        fit->after = fit->before;
        for (int r = 0; r < MPLAN_N_RATES; r++)
            *mplan_device_rate(&fit->after, (mplan_rate)r) *= factor[r];
    }
    free(all.item);
    return status;
}

/* A profile as --device reads it, with what it comes from in its head. */
mplan_status cli_fit_text(const cli_fit *fit, char *text, size_t size, mplan_error *err)
{
    char name[32], body[1024];
    mplan_device before = fit->before, after = fit->after;
    size_t used = (size_t)
        snprintf(text, size,
                 "# Profile %s with its rates fitted to %d plans that were measured on %s.\n"
                 "# Predicted and measured times differ by a factor of %.3f (geometric mean; before the fit %.3f).\n",
                 fit->profile, (int)fit->n_plans, fit->machine, fit->off_after, fit->off_before);
    for (int r = 0; r < MPLAN_N_RATES && used < size; r++)
        used += (size_t)snprintf(text + used, size - used, "# %s: bounds %d plans%s, %.3g before\n",
                                 mplan_rate_name((mplan_rate)r), (int)fit->bounded[r],
                                 fit->bounded[r] ? "" : " and was not changed by them",
                                 *mplan_device_rate(&before, (mplan_rate)r));
    snprintf(name, sizeof name, "%.26s-fit", fit->profile);
    after.name = name;
    for (int r = 0; r < MPLAN_N_RATES; r++) { /* four digits say all that was measured */
        char number[32];
        snprintf(number, sizeof number, "%.3e", *mplan_device_rate(&after, (mplan_rate)r));
        *mplan_device_rate(&after, (mplan_rate)r) = strtod(number, NULL);
    }
    mplan_status status = mplan_device_text(&after, body, sizeof body, err);
    if (!status && used + strlen(body) >= size)
        status = cli_fail(err, MPLAN_ERR_INTERNAL, "the text of a profile is too long");
    if (!status)
        memcpy(text + used, body, strlen(body) + 1);
    return status;
}

/* --- what is said ---------------------------------------------------------------------- */

/* Keys are fixed. Rates are per second, before and after; plans: of how many the rate bounds the
 * prediction. off: how far predictions are from measurements, a factor of at least 1 (their
 * geometric mean). */
static void fit_json(cli_json *json, const cli_fit *fit)
{
    mplan_device before = fit->before, after = fit->after;
    cli_json_text(json, "profile", fit->profile);
    cli_json_text(json, "machine", fit->machine);
    cli_json_int(json, "plans", fit->n_plans);
    cli_json_real(json, "off_before", fit->off_before);
    cli_json_real(json, "off_after", fit->off_after);
    cli_json_open(json, "rates", '[');
    for (int r = 0; r < MPLAN_N_RATES; r++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", mplan_rate_name((mplan_rate)r));
        cli_json_real(json, "before", *mplan_device_rate(&before, (mplan_rate)r));
        cli_json_real(json, "after", *mplan_device_rate(&after, (mplan_rate)r));
        cli_json_int(json, "plans", fit->bounded[r]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* --fit: no loop, no mesh, only results. The profile goes to -o where that is given, and to the
 * report in any case; how well it fits is said in its comments. */
mplan_status cli_fit_profile(const cli_call *call, const char *records, const char *output,
                             mplan_error *err)
{
    cli_fit fit;
    char text[4096];
    mplan_status status = cli_files_input(call->files, records, err);
    if (!status)
        status = cli_files_output(call->files, output, err);
    if (!status)
        status = cli_tune_fit(records, call->context, &fit, err);
    if (!status)
        status = cli_fit_text(&fit, text, sizeof text, err);
    if (!status && output)
        status = mplan_file_write(output, text, strlen(text), call->context, err);
    if (status)
        return status;
    if (call->report)
        fputs(text, stdout);
    if (call->json) {
        cli_json json = {0};
        cli_results_open(&json, call);
        fit_json(&json, &fit);
        status = cli_results_write(&json, call, MPLAN_OK, NULL, err);
    }
    return status;
}
