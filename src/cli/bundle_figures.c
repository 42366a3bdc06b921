/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_figures.c - what is in a bundle, and what a number of ranks would exchange
 *
 * What arrives at a rank is counted from the imports of its parts, which make its messages; members that are counted
 * once for a rank from the exports, where the lists of parts of one rank follow one another. */
#include "cli/bundle_figures.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/part_sets.h"

/* Stamps of the rank whose parts are read: near[r] where it has a halo of r, or r of it; sends[r] where r sends it a
 * message; both hold 1 + the number of the rank. */
typedef struct rank_reader {
    cli_bundle_figures *figures;
    const mplan_plan *plan;
    int32_t part, rank;
    int32_t *near, *sends;
    int32_t *flows; /* a stamp for each other rank and set: members of the set come from it */
    int32_t *taker; /* of each owned member of the cut set: the last rank that has it in a halo; -1: none */
    int64_t *in; /* by dat of figures->step: bytes of messages that the rank gets when its halo travels */
    bool *used; /* n_sets: a dat that is exchanged is on the set */
} rank_reader;

static mplan_status no_memory(mplan_error *err)
{
    return cli_fail(err, MPLAN_ERR_MEMORY, "info: out of memory");
}

/* The rank that has part p. */
static int32_t rank_of(const cli_bundle_figures *figures, int32_t p)
{
    int32_t low = 0, high = figures->ranks;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (figures->first_part[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --- dats that are exchanged ------------------------------------------------------------- */

static bool is_written(const mplan_plan *plan, const char *dat)
{
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < loop->n_args; a++)
            if (loop->args[a].access != MPLAN_READ && !strcmp(loop->args[a].dat, dat))
                return true;
    }
    return false;
}

/* Whether elements of the loop run in every part that has a point of theirs. */
static bool runs_halo(const mplan_plan_loop *loop)
{
    for (int32_t a = 0; a < loop->n_args; a++)
        if (loop->args[a].map >= 0 && loop->args[a].access != MPLAN_READ)
            return true;
    return false;
}

/* Whether the halo of the arg's dat is brought up to date before the loop: it is read through a map, or directly by
 * elements of the halo; the latter counts only where a loop writes the dat. */
static bool is_exchanged(const mplan_plan *plan, const mplan_plan_loop *loop,
                         const mplan_plan_arg *arg)
{
    if ((arg->access != MPLAN_READ && arg->access != MPLAN_RW) || arg->map == MPLAN_MAP_GLOBAL)
        return false;
    return arg->map >= 0 || (runs_halo(loop) && is_written(plan, arg->dat));
}

/* Each dat once; the plans of all parts have the same loops. */
static mplan_status add_dat(cli_bundle_figures *figures, const mplan_plan *plan,
                            const mplan_plan_loop *loop, const mplan_plan_arg *arg, mplan_error *err)
{
    for (int32_t d = 0; d < figures->n_dats; d++)
        if (!strcmp(figures->dats[d].name, arg->dat))
            return MPLAN_OK;
    cli_bundle_dat *dats = realloc(figures->dats, ((size_t)figures->n_dats + 1) * sizeof *dats);
    if (!dats)
        return no_memory(err);
    figures->dats = dats;
    cli_bundle_dat *dat = &dats[figures->n_dats];
    *dat = (cli_bundle_dat){.name = strdup(arg->dat),
                            .set = arg->map >= 0 ? mplan_plan_get_map(plan, arg->map)->to : loop->set,
                            .bytes = (arg->layers.levels ? arg->layers.levels : 1) * arg->dim *
                                     (int64_t)mplan_type_size(arg->type),
                            .written = is_written(plan, arg->dat)};
    if (!dat->name)
        return no_memory(err);
    figures->n_dats++;
    return MPLAN_OK;
}

/* The dats, and where no set was cut the one whose members are counted. */
static mplan_status list_dats(cli_bundle_figures *figures, const mplan_plan *plan, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t l = 0; l < mplan_plan_n_loops(plan) && !status; l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        if (figures->cut < 0 && loop->primary)
            figures->cut = loop->set;
        for (int32_t a = 0; a < loop->n_args && !status; a++)
            if (is_exchanged(plan, loop, &loop->args[a]))
                status = add_dat(figures, plan, loop, &loop->args[a], err);
    }
    figures->cut = figures->cut < 0 ? 0 : figures->cut;
    return status;
}

/* --- one part ------------------------------------------------------------------------------ */

/* Lists of a plan whose numbers do not fit. */
static mplan_status wrong_list(const rank_reader *at, int32_t set, mplan_error *err)
{
    return cli_fail(err, MPLAN_ERR_CORRUPT,
                    "part %d: the halo lists of set %s lead out of the set; meshplan verify says more",
                    (int)at->part, at->figures->sets[set].name);
}

/* r: a rank that is another, with which this one has a halo of some set. */
static void meet(rank_reader *at, int32_t r)
{
    at->figures->rank[at->rank].neighbours += at->near[r] != at->rank + 1;
    at->near[r] = at->rank + 1;
}

/* In a message the rows of a dat that go from one part to another begin at a multiple of 16 bytes. */
static int64_t padded(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* n members of a set come from a part of rank `from`. */
static void add_flow(rank_reader *at, int32_t set, int32_t from, int64_t n)
{
    const int32_t n_sets = at->figures->n_sets;
    cli_bundle_flow *here = &at->figures->flow[(int64_t)at->rank * n_sets + set];
    int32_t *stamp = &at->flows[(int64_t)from * n_sets + set];
    if (from == at->rank || n == 0) {
        here->inside += n;
        return;
    }
    here->received += n;
    at->figures->flow[(int64_t)from * n_sets + set].sent += n;
    here->senders += *stamp != at->rank + 1;
    *stamp = at->rank + 1;
}

/* What other ranks send of a set. */
static mplan_status add_imports(rank_reader *at, int32_t set, mplan_error *err)
{
    cli_bundle_figures *figures = at->figures;
    cli_bundle_rank *rank = &figures->rank[at->rank];
    const mplan_plan_set *about = mplan_plan_get_set(at->plan, set);
    for (int32_t i = 0; i < about->part.imports; i++) {
        const mplan_part_import in = mplan_plan_part_import(at->plan, set, i);
        const int64_t executed = in.execute[1] - in.execute[0], read = in.read[1] - in.read[0];
        if (in.part < 0 || in.part >= figures->n_parts || executed < 0 || executed > about->size ||
            read < 0 || read > about->size)
            return wrong_list(at, set, err);
        const int32_t from = rank_of(figures, in.part);
        add_flow(at, set, from, executed + read);
        if (from == at->rank || executed + read == 0)
            continue;
        meet(at, from);
        for (int32_t d = 0; d < figures->step.n_dats; d++)
            if (figures->step.dat[d].set == set)
                at->in[d] += padded((executed + read) * figures->step.dat[d].bytes);
        if (set == figures->cut)
            rank->received += executed + read;
        if (!at->used[set])
            continue;
        rank->messages += at->sends[from] != at->rank + 1;
        at->sends[from] = at->rank + 1;
        for (int32_t d = 0; d < figures->n_dats; d++) {
            const int64_t bytes = padded((executed + read) * figures->dats[d].bytes);
            if (figures->dats[d].set != set)
                continue;
            rank->bytes += bytes;
            figures->dats[d].received += bytes;
        }
    }
    return MPLAN_OK;
}

/* Counts members of one list of the cut set that rank `to` has not taken before. */
static mplan_status take(rank_reader *at, const mplan_part_list *out, int32_t to, mplan_error *err)
{
    const int32_t cut = at->figures->cut;
    const int64_t owned = mplan_plan_get_set(at->plan, cut)->part.owned;
    for (int64_t m = 0; m < out->n; m++) {
        if (out->index[m] < 0 || out->index[m] >= owned)
            return wrong_list(at, cut, err);
        int32_t *taker = &at->taker[out->index[m]];
        at->figures->rank[at->rank].border += *taker < 0;
        at->figures->rank[to].halo += *taker != to;
        *taker = to;
    }
    return MPLAN_OK;
}

/* What goes to other ranks. Parts, and so ranks, ascend. */
static mplan_status add_exports(rank_reader *at, int32_t set, mplan_error *err)
{
    const mplan_part_set *about = &mplan_plan_get_set(at->plan, set)->part;
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0, last = -1; i < about->exports && !status; i++) {
        const mplan_part_list out = mplan_plan_part_export(at->plan, set, i);
        if (out.part <= last || out.part >= at->figures->n_parts)
            return wrong_list(at, set, err);
        last = out.part;
        const int32_t to = rank_of(at->figures, out.part);
        if (to == at->rank || out.n == 0)
            continue;
        meet(at, to);
        if (set == at->figures->cut)
            status = take(at, &out, to, err);
    }
    return status;
}

/* What the part at hand brings to its rank. */
static mplan_status add_ranks(rank_reader *at, mplan_error *err)
{
    const int64_t owned = mplan_plan_get_set(at->plan, at->figures->cut)->part.owned;
    at->figures->rank[at->rank].owned += owned;
    at->taker = malloc(((size_t)owned + 1) * sizeof *at->taker);
    mplan_status status = at->taker ? MPLAN_OK : no_memory(err);
    for (int64_t m = 0; m < owned && !status; m++)
        at->taker[m] = -1;
    for (int32_t s = 0; s < at->figures->n_sets && !status; s++) {
        const mplan_part_set *part = &mplan_plan_get_set(at->plan, s)->part;
        at->figures->part[(int64_t)at->part * at->figures->n_sets + s] = (cli_bundle_part){
            part->owned, part->inner, part->executed, mplan_plan_get_set(at->plan, s)->size};
        status = add_imports(at, s, err);
        if (!status)
            status = add_exports(at, s, err);
    }
    free(at->taker);
    at->taker = NULL;
    return status;
}

/* Messages of exchange e that the rank at hand gets: one from each rank that has a member of a halo which travels. */
static int64_t senders_of(const rank_reader *at, int32_t e)
{
    const cli_step_exchanges *step = &at->figures->step;
    int64_t n = 0;
    for (int32_t from = 0; from < at->figures->ranks; from++) {
        const int32_t *stamp = at->flows + (int64_t)from * at->figures->n_sets;
        bool sends = false;
        for (int32_t d = 0; d < step->n_dats && at->near[from] == at->rank + 1 && !sends; d++)
            sends = step->travels[(int64_t)e * step->n_dats + d] &&
                    stamp[step->dat[d].set] == at->rank + 1;
        n += sends;
    }
    return n;
}

/* What the rank at hand gets in a step, when its last part was read. */
static void add_step(rank_reader *at)
{
    const cli_step_exchanges *step = &at->figures->step;
    cli_bundle_rank *rank = &at->figures->rank[at->rank];
    for (int32_t e = 0; e < step->n; e++) {
        rank->step_messages += senders_of(at, e);
        for (int32_t d = 0; d < step->n_dats; d++)
            rank->step_bytes += step->travels[(int64_t)e * step->n_dats + d] ? at->in[d] : 0;
    }
    memset(at->in, 0, (size_t)step->n_dats * sizeof *at->in);
}

/* What all parts have in common, from the first of them. */
static mplan_status learn(rank_reader *at, mplan_error *err)
{
    cli_bundle_figures *figures = at->figures;
    mplan_status status = list_dats(figures, at->plan, err);
    if (!status && figures->ranks > 0)
        status = cli_step_exchanges_create(at->plan, figures->rings, &figures->step, err);
    at->in = calloc((size_t)figures->step.n_dats + 1, sizeof *at->in);
    return status || at->in ? status : no_memory(err);
}

/* The visit of the part at hand. */
static void take_visit(rank_reader *at)
{
    const mplan_plan_visit *own = mplan_plan_get_visit(at->plan);
    cli_bundle_visit *all = &at->figures->visit;
    if (!own)
        return;
    all->steps = all->steps == 0 || own->steps < all->steps ? own->steps : all->steps;
    all->slabs_least = all->slabs_least == 0 || own->slabs < all->slabs_least ? own->slabs
                                                                              : all->slabs_least;
    all->slabs_most = own->slabs > all->slabs_most ? own->slabs : all->slabs_most;
    all->peak_most = own->peak_bytes > all->peak_most ? own->peak_bytes : all->peak_most;
    all->device_memory = own->device_memory;
    all->in_bytes += own->in_bytes;
    all->out_bytes += own->out_bytes;
    all->host_bytes += own->host_bytes;
}

static mplan_status read_part(rank_reader *at, const mplan_bundle *bundle,
                              const mplan_context *context, mplan_error *err)
{
    cli_bundle_figures *figures = at->figures;
    mplan_plan *plan = NULL;
    mplan_status status = mplan_bundle_read_part(bundle, at->part, context, &plan, err);
    at->plan = plan;
    if (!status)
        take_visit(at);
    for (int32_t s = 0; s < figures->n_sets && !status; s++) {
        const mplan_plan_set *set = mplan_plan_get_set(plan, s);
        figures->sets[s].execute += set->part.executed - set->part.owned;
        figures->sets[s].read += set->size - set->part.executed;
    }
    if (!status && at->part == 0)
        status = learn(at, err);
    for (int32_t d = 0; d < figures->n_dats && !status; d++)
        at->used[figures->dats[d].set] = true;
    if (!status && figures->ranks > 0 && figures->n_sets > 0) {
        at->rank = rank_of(figures, at->part);
        status = add_ranks(at, err);
        if (at->part + 1 == figures->first_part[at->rank + 1] && !status)
            add_step(at);
    }
    mplan_plan_free(plan);
    return status;
}

/* All parts make as many steps between two exchanges. */
static void end_visit(cli_bundle_figures *figures)
{
    if (figures->visit.steps > 0 && figures->ranks > 0)
        figures->step.steps = figures->visit.steps;
}

/* --- all parts ------------------------------------------------------------------------------- */

/* What the manifest and the table say, and room for the rest. */
static mplan_status begin(const mplan_bundle *bundle, int32_t ranks, cli_bundle_figures *figures,
                          mplan_error *err)
{
    int64_t offset = 0, bytes = 0;
    *figures = (cli_bundle_figures){.n_parts = mplan_bundle_n_parts(bundle),
                                    .n_sets = mplan_bundle_n_sets(bundle),
                                    .cut = -1,
                                    .ranks = ranks};
    if (ranks > figures->n_parts)
        return cli_fail(err, MPLAN_ERR_ARGUMENT,
                        "info: --ranks: %d ranks cannot share the %d parts of the bundle",
                        (int)ranks, (int)figures->n_parts);
    figures->sets = calloc((size_t)figures->n_sets + 1, sizeof *figures->sets);
    figures->first_part = calloc((size_t)ranks + 1, sizeof *figures->first_part);
    figures->rank = calloc((size_t)ranks + 1, sizeof *figures->rank);
    const size_t n_sets = (size_t)figures->n_sets;
    figures->part = calloc((ranks > 0 ? (size_t)figures->n_parts : 0) * n_sets + 1,
                           sizeof *figures->part);
    figures->flow = calloc((size_t)ranks * n_sets + 1, sizeof *figures->flow);
    if (!figures->sets || !figures->first_part || !figures->rank || !figures->part || !figures->flow)
        return no_memory(err);
    for (int32_t r = 0; r <= ranks && ranks > 0; r++)
        figures->first_part[r] = (int32_t)((int64_t)r * figures->n_parts / ranks);
    for (int32_t s = 0; s < figures->n_sets; s++) {
        const mplan_bundle_set *set = mplan_bundle_get_set(bundle, s);
        figures->sets[s] = (mplan_parts_set){
            .name = set->name, .total = set->total, .cut = set->cut, .base = set->base};
        figures->cut = set->cut ? s : figures->cut;
    }
    mplan_status status = mplan_bundle_place(bundle, figures->n_parts - 1, &offset, &bytes, err);
    figures->bytes = offset + bytes; /* a bundle ends with its last plan */
    return status;
}

mplan_status cli_bundle_figures_create(const mplan_bundle *bundle, int32_t ranks,
                                       const mplan_context *context, cli_bundle_figures *figures,
                                       mplan_error *err)
{
    assert(bundle && figures && ranks >= 0);
    mplan_status status = begin(bundle, ranks, figures, err);
    figures->rings = cli_part_sets_rings(mplan_bundle_request(bundle));
    rank_reader at = {.figures = figures};
    at.near = calloc((size_t)ranks + 1, sizeof *at.near);
    at.sends = calloc((size_t)ranks + 1, sizeof *at.sends);
    at.flows = calloc((size_t)ranks * (size_t)figures->n_sets + 1, sizeof *at.flows);
    at.used = calloc((size_t)figures->n_sets + 1, sizeof *at.used);
    if (!status && (!at.near || !at.sends || !at.flows || !at.used))
        status = no_memory(err);
    for (; at.part < figures->n_parts && !status; at.part++)
        status = read_part(&at, bundle, context, err);
    end_visit(figures);
    free(at.near);
    free(at.sends);
    free(at.flows);
    free(at.used);
    free(at.in);
    return status;
}

void cli_bundle_figures_free(cli_bundle_figures *figures)
{
    for (int32_t d = 0; d < figures->n_dats; d++)
        free(figures->dats[d].name);
    free(figures->dats);
    free(figures->sets);
    free(figures->first_part);
    free(figures->rank);
    free(figures->part);
    free(figures->flow);
    cli_step_exchanges_free(&figures->step);
    *figures = (cli_bundle_figures){0};
}

/* --- the worst rank ---------------------------------------------------------------------------- */

/* place: of an int64_t in cli_bundle_rank. */
static cli_bundle_worst worst_of(const cli_bundle_figures *figures, size_t place)
{
    cli_bundle_worst worst = {0, -1, 0, NAN};
    for (int32_t r = 0; r < figures->ranks; r++) {
        int64_t value;
        memcpy(&value, (const char *)&figures->rank[r] + place, sizeof value);
        worst.sum += value;
        if (value > worst.most) {
            worst.most = value;
            worst.rank = r;
        }
    }
    if (worst.sum > 0)
        worst.imbalance = (double)worst.most * figures->ranks / (double)worst.sum;
    return worst;
}

cli_bundle_worst cli_bundle_most_owned(const cli_bundle_figures *figures)
{
    return worst_of(figures, offsetof(cli_bundle_rank, owned));
}

cli_bundle_worst cli_bundle_most_bytes(const cli_bundle_figures *figures)
{
    return worst_of(figures, offsetof(cli_bundle_rank, bytes));
}

cli_bundle_worst cli_bundle_most_step_bytes(const cli_bundle_figures *figures)
{
    return worst_of(figures, offsetof(cli_bundle_rank, step_bytes));
}
