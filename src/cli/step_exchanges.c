/* SPDX-License-Identifier: Apache-2.0 */
/* step_exchanges.c - which halos travel in a step of a bundle's loops, and how often
 *
 * The step is gone through again and again by the rule of bundle_halos.c, until all halos are as they were after an earlier one:
 * the steps between both come again. Where device memory is limited there is an exchange before each visit. */
#include "cli/step_exchanges.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"

enum { MOST_STEPS = 64 };

int32_t cli_step_entries(const mplan_plan *plan, cli_step_entry *list)
{
    assert(plan && list);
    int32_t n = mplan_plan_n_step(plan), n_loops = mplan_plan_n_loops(plan);
    for (int32_t i = 0; i < n && i < CLI_STEP_ENTRIES; i++)
        list[i] = (cli_step_entry){mplan_plan_get_step(plan, i), mplan_plan_get_clear(plan, i)};
    if (n > 0)
        return n < CLI_STEP_ENTRIES ? n : CLI_STEP_ENTRIES;
    bool more = true;
    for (int64_t round = 0; more && n < CLI_STEP_ENTRIES; round++) {
        more = false;
        for (int32_t l = 0; l < n_loops && n < CLI_STEP_ENTRIES; l++)
            if (mplan_plan_get_loop(plan, l)->calls > round) {
                list[n++] = (cli_step_entry){l, -1};
                more = true;
            }
    }
    return n;
}

/* Steps that are gone through. */
typedef struct walk {
    cli_halos halos;
    cli_step_entry list[CLI_STEP_ENTRIES];
    int32_t n_entries;
    int32_t n_steps;
    int32_t level[MOST_STEPS + 1][CLI_HALO_DATS]; /* of each dat, before the first step and after each */
    int32_t first[MOST_STEPS + 1];                /* exchanges before each step, and all */
    int64_t *bytes;                               /* by set; scratch */
} walk;

static void take_levels(walk *w)
{
    for (int32_t d = 0; d < w->halos.n; d++)
        w->level[w->n_steps][d] = w->halos.dat[d].level;
}

/* The last state before the newest that is like it; -1: none. */
static int32_t seen_before(const walk *w)
{
    const size_t bytes = (size_t)w->halos.n * sizeof w->level[0][0];
    for (int32_t k = w->n_steps - 1; k >= 0; k--)
        if (!memcmp(w->level[k], w->level[w->n_steps], bytes))
            return k;
    return -1;
}

/* One more exchange, of the dats that travel now. */
static mplan_status add_exchange(const walk *w, cli_step_exchanges *out, mplan_error *err)
{
    const size_t n_dats = (size_t)out->n_dats;
    bool *more = realloc(out->travels, ((size_t)out->n + 1) * (n_dats + 1) * sizeof *more);
    if (!more)
        return cli_fail(err, MPLAN_ERR_MEMORY, "info: out of memory");
    out->travels = more;
    for (size_t d = 0; d < n_dats; d++)
        more[(size_t)out->n * n_dats + d] = w->halos.dat[d].travels;
    out->n++;
    return MPLAN_OK;
}

static mplan_status go_one_step(walk *w, cli_step_exchanges *out, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    bool whole;
    w->first[w->n_steps] = out->n;
    for (int32_t i = 0; i < w->n_entries && !status; i++)
        if (cli_halos_launch(&w->halos, w->list[i].loop, w->list[i].clears, w->bytes, &whole))
            status = add_exchange(w, out, err);
    w->n_steps++;
    take_levels(w);
    return status;
}

/* Keeps the exchanges of the steps from `from` on. */
static void keep_period(const walk *w, int32_t from, cli_step_exchanges *out)
{
    const size_t row = (size_t)out->n_dats * sizeof *out->travels;
    out->steps = w->n_steps - from;
    out->n -= w->first[from];
    if (out->n > 0)
        memmove(out->travels, out->travels + (int64_t)w->first[from] * out->n_dats,
                (size_t)out->n * row);
}

/* Before a visit: all that loops change and that its step uses as it was before, at once. Other halos than these are not read. */
static mplan_status go_one_visit(walk *w, cli_step_exchanges *out, mplan_error *err)
{
    for (int32_t d = 0; d < w->halos.n; d++) {
        bool seen = false;
        w->halos.dat[d].travels = false;
        for (int32_t i = 0; i < w->n_entries && !seen; i++) {
            const mplan_plan_loop *loop = mplan_plan_get_loop(w->halos.plan, w->list[i].loop);
            const int32_t clears = w->list[i].clears;
            if (clears >= 0 && strcmp(loop->args[clears].dat, w->halos.dat[d].name) == 0)
                break;
            for (int32_t a = 0; a < loop->n_args; a++) {
                const mplan_plan_arg *arg = &loop->args[a];
                if (arg->map == MPLAN_MAP_GLOBAL || strcmp(arg->dat, w->halos.dat[d].name) != 0)
                    continue;
                seen = true;
                if (arg->map >= 0 || arg->access != MPLAN_WRITE)
                    w->halos.dat[d].travels = w->halos.dat[d].changed;
            }
        }
    }
    return add_exchange(w, out, err);
}

mplan_status cli_step_exchanges_create(const mplan_plan *plan, int32_t rings,
                                       cli_step_exchanges *out, mplan_error *err)
{
    assert(plan && rings >= 0 && out);
    *out = (cli_step_exchanges){.steps = 1};
    walk *w = calloc(1, sizeof *w);
    int32_t from = -1;
    mplan_status status = MPLAN_OK;
    if (w) {
        w->bytes = calloc((size_t)mplan_plan_n_sets(plan) + 1, sizeof *w->bytes);
        w->n_entries = cli_step_entries(plan, w->list);
        cli_halos_open(plan, rings, &w->halos);
        out->n_dats = w->halos.n;
        out->dat = calloc((size_t)out->n_dats + 1, sizeof *out->dat);
    }
    if (!w || !w->bytes || !out->dat)
        status = cli_fail(err, MPLAN_ERR_MEMORY, "info: out of memory");
    for (int32_t d = 0; d < out->n_dats && !status; d++)
        out->dat[d] = (cli_exchanged_dat){w->halos.dat[d].set, w->halos.dat[d].bytes};
    if (!status)
        take_levels(w);
    const mplan_plan_visit *visit = mplan_plan_get_visit(plan);
    if (!status && visit) {
        status = go_one_visit(w, out, err);
        out->steps = visit->steps;
    }
    while (!status && !visit && from < 0 && w->n_steps < MOST_STEPS) {
        status = go_one_step(w, out, err);
        from = seen_before(w);
    }
    if (!status && !visit)
        keep_period(w, from < 0 ? 0 : from, out);
    if (w)
        free(w->bytes);
    free(w);
    return status;
}

void cli_step_exchanges_free(cli_step_exchanges *exchanges)
{
    assert(exchanges);
    free(exchanges->dat);
    free(exchanges->travels);
    *exchanges = (cli_step_exchanges){0};
}
