/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_step.c - how long a step of a bundle's loops takes on a number of ranks
 *
 * A launch on the whole mesh takes what the cost model says of it (mplan_plan_forecast): work, which parts share by what they run
 * of it, and the launch itself, which each part has for itself. A loop that reads halos which are out of date begins with an
 * exchange; what needs no halo runs beside it:
 *
 *     step = sum over launches of  max(inner, wait + bytes / rate) + join + outer      with overlap
 *                                  wait + bytes / rate + all                           without, and where all needs halos
 *                                  max(all, wait + bytes / rate) + join                inside the kernel of the loop
 *
 * and parts of one rank run one after the other. Launches by colours, and by block-gather with other sums than partial ones, are not
 * cut (exec/launch.c), so all of them waits. Which halos are out of date follows from the step (bundle_halos.h). The second of
 * two steps is counted, so that dats which no loop changes cost nothing; with rings, where a step need not be as the one before,
 * the mean of so many as are a multiple of most periods. */
#include "cli/bundle_step.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bundle_halos.h"
#include "cli/message.h"
#include "cli/step_exchanges.h"

enum { RINGED_STEPS = 60 };

/* peer-inside, peer and nccl: airfoil with 2.88 million edges on two H100 (tools/gpu/RESULTS.md, "Parts on two GPUs"), one row for each
 * constant, so that they say nothing of other machines; the message of peer is from four rows of four H100 (ranks with several
 * neighbours), that of nccl assumed; the rate is the study's copy between two of them. */
static const cli_link LINKS[] = {
    {"peer-inside", "fitted to 2 and 4 H100 of one host", 16.7e-6, 6.7e-6, 0, 385e9, true},
    {"peer", "fitted to 2 and 4 H100 of one host", 16.7e-6, 5.1e-6, 5e-6, 385e9, false},
    {"nccl", "fitted to two H100 of one host", 26e-6, 14.1e-6, 2e-6, 385e9, false},
    {"mpi", "assumed: messages through the host by PCIe 4, not measured", 50e-6, 15e-6, 3e-6, 12e9,
     false},
};

const cli_link *cli_link_get(int32_t i)
{
    return i >= 0 && i < (int32_t)(sizeof LINKS / sizeof *LINKS) ? &LINKS[i] : NULL;
}

/* --- the step ----------------------------------------------------------------------------- */

/* Whether elements of the loop run in every part that has a point of theirs. */
static bool changes_points(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

/* --- what a launch costs -------------------------------------------------------------------- */

/* Seconds. work: of the whole mesh; least: that the shortest kernel takes; launch: of each. */
typedef struct cost {
    double work, least, launch;
    bool by_points; /* a part's share is that of the points that it owns, else of the elements that it runs */
    bool all_places; /* colours run halos, too */
    bool in_one; /* what needs no halo is not run before the rest, as sums would come in another order */
    int32_t set; /* of these points or elements */
} cost;

static double launch_seconds(const cost *c, double share)
{
    const double work = c->work * share;
    return share <= 0 ? 0 : c->launch + (work > c->least ? work : c->least);
}

static const mplan_plan_variant *default_of(const mplan_plan_loop *loop)
{
    return &loop->variants[loop->default_variant];
}

/* Sums over a dat that holds zeros are stored, not added: owner-gather does not read it; what else needs zeros writes them
 * in a launch of its own. Returns the seconds that this changes. */
static double of_clearing(const mplan_plan *plan, const mplan_plan_loop *loop, int32_t arg,
                          const mplan_forecast *forecast)
{
    const mplan_plan_arg *cleared = &loop->args[arg];
    const int32_t set = cleared->map >= 0 ? mplan_plan_get_map(plan, cleared->map)->to : loop->set;
    const double bytes = (double)mplan_plan_get_set(plan, set)->part.total * cleared->dim *
                         (double)mplan_type_size(cleared->type) / forecast->copy_rate;
    return default_of(loop)->strategy == MPLAN_STRATEGY_OWNER_GATHER ? -bytes
                                                                     : bytes + forecast->launch;
}

/* The set whose members are shared: points of owner-gather, else elements. */
static mplan_status cost_of(const mplan_plan *plan, const cli_step_entry *e,
                            const mplan_forecast *forecast, cost *out, mplan_error *err)
{
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, e->loop);
    const mplan_forecast_loop *of = &forecast->loops[e->loop];
    const mplan_strategy strategy = default_of(loop)->strategy;
    const double seconds = of->seconds[strategy];
    *out = (cost){.launch = forecast->launch, .set = loop->set};
    if (!isfinite(seconds))
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "info: --device: the cost model has no time of loop %s by %s", loop->name,
                        mplan_strategy_name(strategy));
    out->work = seconds - out->launch;
    out->least = of->bounds[strategy][MPLAN_N_RATES] - out->launch;
    if (e->clears >= 0)
        out->work += of_clearing(plan, loop, e->clears, forecast);
    out->work = out->work > 0 ? out->work : 0;
    out->least = out->least > 0 ? out->least : 0;
    const bool coloured = strategy == MPLAN_STRATEGY_BLOCK_COLOUR ||
                          strategy == MPLAN_STRATEGY_GLOBAL_COLOUR,
               gathers = strategy == MPLAN_STRATEGY_BLOCK_GATHER;
    out->all_places = coloured;
    out->in_one = strategy == MPLAN_STRATEGY_GLOBAL_COLOUR ||
                  (changes_points(loop) &&
                   (coloured || (gathers && default_of(loop)->sums != MPLAN_SUMS_PARTIAL)));
    for (int32_t a = loop->n_args - 1; a >= 0 && strategy == MPLAN_STRATEGY_OWNER_GATHER; a--)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ) {
            out->by_points = true;
            out->set = mplan_plan_get_map(plan, loop->args[a].map)->to;
        }
    return MPLAN_OK;
}

/* --- ranks ------------------------------------------------------------------------------------- */

/* Whether the loop goes by maps. */
static bool uses_maps(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0)
            return true;
    return false;
}

/* The share of part p in a launch: all of it, or only what needs no halo. whole: halos are run, too. */
static double share_of(const cli_bundle_figures *figures, const mplan_plan_loop *loop,
                       const cost *c, int32_t p, bool whole, bool inner)
{
    const cli_bundle_part *part = &figures->part[(int64_t)p * figures->n_sets + c->set];
    const int64_t total = figures->sets[c->set].total;
    const int64_t n = inner && c->in_one                      ? 0
                      : inner && whole && !uses_maps(loop)    ? part->owned
                      : inner                                 ? part->inner
                      : whole || c->all_places                ? part->size
                      : !c->by_points && changes_points(loop) ? part->executed
                                                              : part->owned;
    return total > 0 ? (double)n / (double)total : 0;
}

/* Messages of one exchange: of a rank, beside rows that its own parts copy from one another. *join: what work cannot hide of
 * messages of other ranks. */
static double exchange_seconds(const cli_bundle_figures *figures, int32_t r, const int64_t *bytes,
                               const cli_link *link, double copy_rate, double launch, double *join)
{
    double in = 0, out = 0, inside = 0;
    int32_t senders = 0;
    for (int32_t s = 0; s < figures->n_sets; s++) {
        const cli_bundle_flow *flow = &figures->flow[(int64_t)r * figures->n_sets + s];
        in += (double)flow->received * (double)bytes[s];
        out += (double)flow->sent * (double)bytes[s];
        inside += (double)flow->inside * (double)bytes[s];
        senders = bytes[s] > 0 && flow->senders > senders ? flow->senders : senders;
    }
    double seconds = inside > 0 ? 2 * launch + 2 * inside / copy_rate : 0;
    *join = in + out > 0 ? link->join : 0;
    if (in + out > 0)
        seconds += link->wait + link->message * (senders > 1 ? senders - 1 : 0) +
                   (in > out ? in : out) / link->rate;
    return seconds;
}

/* By the link, or by that behind it where the loop cannot have messages inside. */
static const cli_link *way_of(const cli_link *link, bool inside)
{
    return link->inside && !inside ? link + 1 : link;
}

/* Adds a launch of a loop to what rank r takes. bytes NULL: it needs no halo. inside: its kernel may exchange itself. */
static void add_launch(const cli_bundle_figures *figures, const mplan_plan_loop *loop,
                       const cost *c, const mplan_forecast *forecast, const int64_t *bytes,
                       bool whole, bool inside, const cli_link *link, int32_t r, cli_step_rank *rank)
{
    const cli_link *way = way_of(link, inside), *apart = way_of(link, false);
    double all = 0, inner = 0, outer = 0, join = 0;
    for (int32_t p = figures->first_part[r]; p < figures->first_part[r + 1]; p++) {
        const double share = share_of(figures, loop, c, p, whole, false),
                     near = fmin(share, share_of(figures, loop, c, p, whole, true));
        all += launch_seconds(c, share);
        inner += launch_seconds(c, near);
        outer += launch_seconds(c, share - near);
        rank->launches += share > 0;
    }
    rank->compute += all;
    const double after = bytes ? exchange_seconds(figures, r, bytes, apart, forecast->copy_rate,
                                                  forecast->launch, &join)
                               : 0;
    const double exchange = bytes ? exchange_seconds(figures, r, bytes, way, forecast->copy_rate,
                                                     forecast->launch, &join)
                                  : 0;
    rank->exchange += exchange;
    rank->plain += after + all; /* without overlap nothing is inside */
    rank->step += exchange > 0 && way->inside ? fmax(all, exchange) + join
                  : exchange > 0 && inner > 0 ? fmax(inner, exchange) + join + outer
                                              : exchange + all;
}

/* Whether kernels of a launch exchange what travels: a part for each rank, a loop that changes none of it, in one launch. */
static bool goes_inside(const cli_bundle_figures *figures, const cli_halos *halos,
                        const mplan_plan_loop *loop, const cost *c)
{
    bool can = figures->ranks == figures->n_parts && !c->in_one && !c->all_places;
    for (int32_t d = 0; d < halos->n && can; d++)
        for (int32_t a = 0; a < loop->n_args && halos->dat[d].travels && can; a++)
            can = loop->args[a].access == MPLAN_READ ||
                  strcmp(loop->args[a].dat, halos->dat[d].name) != 0;
    return can;
}

/* What the forecast is made of; the same for all links. */
typedef struct outlook {
    const cli_bundle_figures *figures;
    const cli_bundle_mesh *mesh;
    int32_t n;
    const cli_step_entry *list;
    const cost *costs;
    const mplan_forecast *forecast;
    cli_halos *halos;
    int64_t *bytes; /* by set */
} outlook;

/* One step by one link, of all ranks, is added to `rank`. Returns its exchanges. */
static int32_t run_step(const outlook *of, const cli_link *link, cli_step_rank *rank)
{
    int32_t exchanges = 0;
    for (int32_t i = 0; i < of->n; i++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(of->mesh->plan, of->list[i].loop);
        bool whole;
        const bool any = cli_halos_launch(of->halos, of->list[i].loop, of->list[i].clears,
                                          of->bytes, &whole);
        const bool inside = any && goes_inside(of->figures, of->halos, loop, &of->costs[i]);
        exchanges += any;
        for (int32_t r = 0; r < of->figures->ranks; r++)
            add_launch(of->figures, loop, &of->costs[i], of->forecast, any ? of->bytes : NULL,
                       whole, inside, link, r, &rank[r]);
    }
    return exchanges;
}

/* The slowest rank, with overlap and without. */
static cli_step_link slowest(const cli_link *link, const cli_step_rank *rank, int32_t ranks)
{
    cli_step_link out = {.link = link};
    for (int32_t r = 0; r < ranks; r++) {
        out.worst = rank[r].step > out.step ? r : out.worst;
        out.step = fmax(out.step, rank[r].step);
        out.plain = fmax(out.plain, rank[r].plain);
    }
    return out;
}

/* Every link, the chosen one last, so that `rank` is of it. The first step is not counted, as dats that no loop changes are
 * exchanged there. */
static void run_links(const outlook *of, cli_bundle_step *out)
{
    const int32_t ranks = of->figures->ranks, steps = of->figures->rings > 0 ? RINGED_STEPS : 1;
    for (int32_t i = 1; i <= CLI_LINKS; i++) {
        const int32_t k = (out->chosen + i) % CLI_LINKS;
        int32_t exchanges = 0;
        cli_halos_open(of->mesh->plan, of->figures->rings, of->halos);
        run_step(of, cli_link_get(k), out->rank);
        memset(out->rank, 0, (size_t)ranks * sizeof *out->rank);
        for (int32_t step = 0; step < steps; step++)
            exchanges += run_step(of, cli_link_get(k), out->rank);
        for (int32_t r = 0; r < ranks; r++) {
            cli_step_rank *rank = &out->rank[r];
            rank->launches /= steps;
            rank->compute /= steps;
            rank->exchange /= steps;
            rank->step /= steps;
            rank->plain /= steps;
        }
        out->exchanges = (double)exchanges / steps;
        out->links[k] = slowest(cli_link_get(k), out->rank, ranks);
    }
}

/* --- all of it ----------------------------------------------------------------------------------- */

static mplan_status choose_link(const char *name, int32_t *chosen, mplan_error *err)
{
    for (int32_t i = 0; name && i < CLI_LINKS; i++)
        if (!strcmp(cli_link_get(i)->name, name)) {
            *chosen = i;
            return MPLAN_OK;
        }
    *chosen = 0;
    return name ? cli_fail(err, MPLAN_ERR_ARGUMENT,
                           "info: --link: must be peer-inside, peer, nccl or mpi, not %s", name)
                : MPLAN_OK;
}

/* What the model says of the loops on the whole mesh, with the blocks and sums of the plans. */
static mplan_status ask_model(const cli_bundle_mesh *mesh, const char *device,
                              const mplan_context *context, mplan_forecast **forecast,
                              mplan_error *err)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    for (int32_t l = 0; l < mesh->n_loops; l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(mesh->plan, l);
        const mplan_plan_variant *variant = default_of(loop);
        if (!loop->primary)
            continue;
        options.block_size = variant->block_limit;
        options.device = device ? device : variant->device;
    }
    return mplan_plan_forecast(mesh->mesh, mesh->n_loops, mesh->loops, &options, context, forecast,
                               err);
}

mplan_status cli_bundle_step_create(const cli_bundle_figures *figures, const cli_bundle_mesh *mesh,
                                    const char *device, const char *link,
                                    const mplan_context *context, cli_bundle_step *out,
                                    mplan_error *err)
{
    assert(figures && figures->ranks > 0 && mesh && mesh->mesh && out);
    *out = (cli_bundle_step){.chosen = 0};
    mplan_forecast *forecast = NULL;
    cli_step_entry *list = malloc(CLI_STEP_ENTRIES * sizeof *list);
    cost *costs = calloc(CLI_STEP_ENTRIES, sizeof *costs);
    cli_halos *halos = calloc(1, sizeof *halos);
    int64_t *bytes = calloc((size_t)figures->n_sets + 1, sizeof *bytes);
    out->rank = calloc((size_t)figures->ranks, sizeof *out->rank);
    mplan_status status = choose_link(link, &out->chosen, err);
    if (!status && (!list || !costs || !halos || !bytes || !out->rank))
        status = cli_fail(err, MPLAN_ERR_MEMORY, "info: out of memory");
    if (!status)
        status = ask_model(mesh, device, context, &forecast, err);
    out->entries = status ? 0 : cli_step_entries(mesh->plan, list);
    for (int32_t i = 0; i < out->entries && !status; i++) {
        status = cost_of(mesh->plan, &list[i], forecast, &costs[i], err);
        out->one += launch_seconds(&costs[i], 1);
    }
    if (!status) {
        memcpy(out->device, forecast->device, sizeof out->device);
        const outlook of = {figures, mesh, out->entries, list, costs, forecast, halos, bytes};
        run_links(&of, out);
    }
    mplan_forecast_free(forecast);
    free(list);
    free(costs);
    free(halos);
    free(bytes);
    return status;
}

void cli_bundle_step_free(cli_bundle_step *step)
{
    assert(step);
    free(step->rank);
    *step = (cli_bundle_step){.rank = NULL};
}
