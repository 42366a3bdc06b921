/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_halos.c - which halos the launches of a step exchange
 *
 * Without rings a dat that a loop changes is out of date until the next loop that reads it in halos. With rings a halo is right up
 * to a ring (meshplan-parts(7)): an exchange makes all of it right, and each loop that goes by maps leaves one ring less. It is
 * the rule of exec/ranks/exec_parts_rings.c, written once more for plans that nobody runs; a test compares the two. */
#include "cli/bundle_halos.h"

#include <assert.h>
#include <string.h>

static bool reads(const mplan_plan_arg *arg)
{
    return arg->access == MPLAN_READ || arg->access == MPLAN_RW;
}

/* What was there counts for the result. */
static bool takes(const mplan_plan_arg *arg)
{
    return arg->map >= 0 || arg->access != MPLAN_WRITE;
}

/* Whether elements of the loop run in every part that has a point of theirs. */
static bool adds(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

/* The dat of an arg; NULL: a global, or one too many. */
static cli_halo_dat *dat_of(cli_halos *all, const mplan_plan_arg *arg)
{
    for (int32_t d = 0; d < all->n && arg->map != MPLAN_MAP_GLOBAL; d++)
        if (!strcmp(all->dat[d].name, arg->dat))
            return &all->dat[d];
    return NULL;
}

/* Whether the loop reads a dat in halos, or makes of it something that is spread. */
static bool is_spread_by(cli_halos *all, const mplan_plan_loop *loop, const cli_halo_dat *dat)
{
    bool used = false, in_halo = false, makes = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        const cli_halo_dat *own = dat_of(all, arg);
        used = used || (own == dat && takes(arg));
        in_halo = in_halo || (own == dat && reads(arg) && (arg->map >= 0 || adds(loop)));
        makes = makes || (own && own->spreads && arg->access != MPLAN_READ);
    }
    return in_halo || (used && makes);
}

/* The dats of a loop that are not there yet. */
static void add_dats(cli_halos *all, const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        cli_halo_dat *dat = dat_of(all, arg);
        if (!dat && arg->map != MPLAN_MAP_GLOBAL && all->n < CLI_HALO_DATS) {
            dat = &all->dat[all->n++];
            *dat = (cli_halo_dat){.name = arg->dat,
                                  .set = arg->map >= 0 ? mplan_plan_get_map(all->plan, arg->map)->to
                                                       : loop->set,
                                  .level = all->rings + 1,
                                  .bytes = (arg->layers.levels ? arg->layers.levels : 1) *
                                           arg->dim * (int64_t)mplan_type_size(arg->type)};
        }
        if (dat && arg->access != MPLAN_READ)
            dat->changed = true;
    }
}

void cli_halos_open(const mplan_plan *plan, int32_t rings, cli_halos *all)
{
    assert(plan && all && rings >= 0);
    *all = (cli_halos){.plan = plan, .rings = rings};
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++)
        add_dats(all, mplan_plan_get_loop(plan, l));
    for (bool grown = true; grown;) {
        grown = false;
        for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++)
            for (int32_t d = 0; d < all->n; d++)
                if (!all->dat[d].spreads &&
                    is_spread_by(all, mplan_plan_get_loop(plan, l), &all->dat[d]))
                    grown = all->dat[d].spreads = true;
    }
}

/* The highest ring up to which results can be right; -1: not even what parts own. exchanged: all halos of its dats are. */
static int32_t level_of(cli_halos *all, const mplan_plan_loop *loop, bool exchanged)
{
    const int32_t most = all->rings + 1;
    int32_t level = adds(loop) ? all->rings - 1 : most;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        const cli_halo_dat *dat = dat_of(all, arg);
        if (!dat)
            continue;
        const int32_t v = exchanged ? most : dat->level;
        const bool in_halo = arg->map >= 0 || adds(loop);
        int32_t by = !takes(arg)    ? most
                     : dat->changed ? v - (reads(arg) && in_halo)
                     : v == most    ? most
                     : in_halo      ? -1
                                    : 0;
        by = arg->map >= 0 && by > all->rings ? all->rings : by;
        level = by < level ? by : level;
    }
    return level;
}

/* Whether the loop begins a chain: nothing of what it reads of changed dats is right in halos, and its results matter there. */
static bool begins_chain(cli_halos *all, const mplan_plan_loop *loop)
{
    bool lost = false, kept = false, spreads = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        const cli_halo_dat *dat = dat_of(all, arg);
        if (!dat)
            continue;
        lost = lost || (reads(arg) && dat->changed && dat->level == 0);
        kept = kept || (reads(arg) && dat->changed && dat->level > 0);
        spreads = spreads || (arg->access != MPLAN_READ && dat->spreads);
    }
    return lost && !kept && spreads;
}

/* Whether an arg's halo travels before the loop, where halos do at all. */
static bool travels(const cli_halos *all, const mplan_plan_loop *loop, const mplan_plan_arg *arg)
{
    return all->rings > 0 ? takes(arg) : reads(arg) && (arg->map >= 0 || adds(loop));
}

bool cli_halos_launch(cli_halos *all, int32_t loop_number, int32_t clears, int64_t *bytes, bool *whole)
{
    assert(all && bytes && whole);
    const mplan_plan_loop *loop = mplan_plan_get_loop(all->plan, loop_number);
    cli_halo_dat *cleared = clears >= 0 ? dat_of(all, &loop->args[clears]) : NULL;
    bool any = false;
    if (cleared && all->rings > 0)
        cleared->level = all->rings + 1;
    const bool due = all->rings == 0 || level_of(all, loop, false) < 0 || begins_chain(all, loop);
    memset(bytes, 0, (size_t)mplan_plan_n_sets(all->plan) * sizeof *bytes);
    for (int32_t d = 0; d < all->n; d++)
        all->dat[d].travels = false;
    for (int32_t a = 0; a < loop->n_args && due; a++) {
        cli_halo_dat *dat = dat_of(all, &loop->args[a]);
        if (!dat || dat->level > all->rings || !travels(all, loop, &loop->args[a]))
            continue;
        bytes[dat->set] += dat->bytes;
        dat->level = all->rings + 1;
        any = dat->travels = true;
    }
    const int32_t level = all->rings > 0 ? level_of(all, loop, false) : 0;
    for (int32_t a = 0; a < loop->n_args; a++) {
        cli_halo_dat *dat = dat_of(all, &loop->args[a]);
        if (dat && loop->args[a].access != MPLAN_READ)
            dat->level = level;
    }
    *whole = level > 0;
    return any;
}
