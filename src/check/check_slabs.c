/* SPDX-License-Identifier: Apache-2.0 */
/* check_slabs.c - slabs of a plan for a limited device memory, and its visit
 *
 * VISIT of formats/plan-format.md. First the borders: of every row of every map, each point lies in the element's slab or beside it, and where
 * owners compute the elements of a set, an element and all points lie in one slab, or in two that follow each other. Then the streams (check_streams.c) and the events (check_visit.c). */
#include "check/check_slabs.h"

#include <stdlib.h>
#include <string.h>

/* --- borders -------------------------------------------------------------------------------- */

/* At multiples of what the slabs of a set begin: where it has the rows of a loop by owners these are in slices. */
static int64_t granule_of(const mplan_slab_proof *proof, int32_t s)
{
    const mplan_plan *plan = proof->plan;
    for (int32_t i = 0; i < plan->n_step; i++) {
        const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
        for (int32_t a = 0; a < loop->n_args; a++)
            if (mplan_strategy_has(loop->variants[loop->default_variant].strategy,
                                   MPLAN_TRAIT_OWNERS) &&
                loop->args[a].map >= 0 && mplan_access_adds(loop->args[a].access) &&
                plan->maps[loop->args[a].map].to == s)
                return proof->visit->granule;
    }
    return 4;
}

/* Slabs of set s ascend from 0 to the end, at such multiples. */
static mplan_status check_borders(const mplan_slab_proof *proof, int32_t s, mplan_error *err)
{
    const int64_t *offsets = proof->offsets[s], size = proof->plan->sets[s].storage_size;
    const int32_t n = proof->visit->slabs;
    const int64_t granule = granule_of(proof, s);
    if (offsets[0] != 0 || offsets[n] != size)
        return MPLAN_DISPROVED(err, "SLAB_OFFSETS of set %s does not lead from 0 to %" PRId64,
                               proof->plan->sets[s].name, size);
    for (int32_t b = 0; b < n; b++) {
        if (offsets[b + 1] < offsets[b])
            return MPLAN_DISPROVED(err, "SLAB_OFFSETS of set %s: slab %d ends before it begins",
                                   proof->plan->sets[s].name, (int)b);
        if (offsets[b + 1] < size && offsets[b + 1] % granule != 0)
            return MPLAN_DISPROVED(err,
                                   "SLAB_OFFSETS of set %s: slab %d does not end at a multiple of %d",
                                   proof->plan->sets[s].name, (int)b, (int)granule);
    }
    return MPLAN_OK;
}

/* SLAB_PIECES of set s, where it has them: they ascend within each slab. */
static mplan_status check_pieces(const mplan_slab_proof *proof, int32_t s, mplan_error *err)
{
    enum { BORDERS = 15 };
    const mplan_key key = mplan_key_of_set(MPLAN_KIND_SLAB_PIECES, s);
    const mplan_array *array = mplan_plan_find_array(proof->plan, &key);
    const int32_t *begin = array ? array->data : NULL;
    const int64_t *offsets = proof->offsets[s];
    for (int32_t b = 0; begin && b < proof->visit->slabs; b++) {
        int64_t before = 0;
        for (int k = 0; k < BORDERS; k++) {
            const int64_t at = begin[(int64_t)b * BORDERS + k];
            if (at < before || at > offsets[b + 1] - offsets[b])
                return MPLAN_DISPROVED(err,
                                       "SLAB_PIECES of set %s: piece %d of slab %d cannot begin at %" PRId64,
                                       proof->plan->sets[s].name, k + 1, (int)b, at);
            before = at;
        }
    }
    return MPLAN_OK;
}

/* The slab of each member of a set; NULL without memory. */
static int32_t *slabs_of_members(const mplan_slab_proof *proof, int32_t s, mplan_error *err)
{
    const int64_t n = proof->plan->sets[s].storage_size;
    int32_t *slab = mplan_alloc(n, sizeof *slab, err), now = 0;
    for (int64_t i = 0; i < n && slab; i++) {
        while (proof->offsets[s][now + 1] <= i)
            now++;
        slab[i] = now;
    }
    return slab;
}

/* Rows of one set: what each of them lies in. */
typedef struct span_proof {
    const mplan_slab_proof *proof;
    int32_t set;
    bool owned;     /* a loop of the step runs over the set by owner-gather */
    int32_t **slab; /* of each set, by member */
} span_proof;

/* Owners touch, from a point, the other points of its elements. */
static bool is_owned(const mplan_plan *plan, int32_t set)
{
    for (int32_t i = 0; i < plan->n_step; i++) {
        const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
        if (loop->set == set &&
            mplan_strategy_has(loop->variants[loop->default_variant].strategy, MPLAN_TRAIT_OWNERS))
            return true;
    }
    return false;
}

/* Elements of one run: element and points of all maps that leave the set. */
static mplan_status check_span_run(void *data, int64_t part, int thread, mplan_error *err)
{
    const span_proof *span = data;
    const mplan_check *check = span->proof->check;
    const mplan_plan *plan = span->proof->plan;
    const int64_t end = mplan_check_run_end(part, plan->sets[span->set].storage_size);
    (void)thread;
    for (int64_t e = part * MPLAN_CHECK_RUN; e < end; e++) {
        const int32_t own = span->slab[span->set][e];
        int32_t least = own, most = own;
        for (int32_t m = 0; m < plan->n_maps; m++) {
            int32_t n;
            if (plan->maps[m].from != span->set)
                continue;
            const int32_t *row = mplan_map_row(&check->maps[m], e, &n);
            for (int32_t k = 0; k < n; k++) {
                if (row[k] < 0)
                    continue;
                const int32_t slab = span->slab[plan->maps[m].to][row[k]];
                least = slab < least ? slab : least;
                most = slab > most ? slab : most;
            }
        }
        if (span->owned ? most - least > 1 : most - own > 1 || own - least > 1)
            return MPLAN_DISPROVED(err,
                                   "element %" PRId64
                                   " of set %s and its points lie in slabs %d to %d, "
                                   "which are not neighbours",
                                   e, plan->sets[span->set].name, (int)least, (int)most);
    }
    return MPLAN_OK;
}

/* The slabs of an element of a set and of its points by all maps. slab[s][i]: the slab of
 * the member stored at i of set s. Runs of MPLAN_CHECK_RUN elements are looked at side by side. */
static mplan_status check_spans(const mplan_slab_proof *proof, mplan_error *err)
{
    const mplan_plan *plan = proof->plan;
    span_proof span = {proof, 0, false, mplan_alloc_zero(plan->n_sets, sizeof *span.slab, err)};
    mplan_status status = span.slab ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        span.slab[s] = slabs_of_members(proof, s, err);
        status = span.slab[s] ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    for (span.set = 0; span.set < plan->n_sets && !status; span.set++) {
        span.owned = is_owned(plan, span.set);
        status = mplan_check_each(proof->check, mplan_check_runs(plan->sets[span.set].storage_size),
                                  check_span_run, &span, err);
    }
    for (int32_t s = 0; s < plan->n_sets && span.slab; s++)
        free(span.slab[s]);
    free(span.slab);
    return status;
}

/* --- the visit's own numbers -------------------------------------------------------------- */

/* Each segment has slabs, and all slabs are in one. */
static mplan_status check_segments(const mplan_slab_proof *proof, mplan_error *err)
{
    const int32_t n = proof->visit->segments;
    if (proof->segment[0] != 0 || proof->segment[n] != proof->visit->slabs)
        return MPLAN_DISPROVED(err, "SEGMENTS does not lead from 0 to %d", (int)proof->visit->slabs);
    for (int32_t v = 0; v < n; v++)
        if (proof->segment[v + 1] <= proof->segment[v])
            return MPLAN_DISPROVED(err, "SEGMENTS: segment %d has no slab", (int)v);
    return MPLAN_OK;
}

/* Which loops slabs can run: by rows of owner-gather or by elements, without globals that change at once, ragged maps and holes; matrices
 * by owner only by rows. */
static const char *wrong_loop(const mplan_plan *plan, const mplan_step_entry *entry, int32_t granule)
{
    const mplan_plan_loop *loop = &plan->loops[entry->loop];
    const mplan_plan_variant *variant = &loop->variants[loop->default_variant];
    const bool owners = mplan_strategy_has(variant->strategy, MPLAN_TRAIT_OWNERS);
    if (!owners && !mplan_strategy_has(variant->strategy, MPLAN_TRAIT_ATOMIC))
        return "is not run by rows or elements";
    if (variant->slice_rows > 32)
        return "has slices of 64 rows";
    if (entry->clear && !owners)
        return "sets a dat to zero, but is not run by rows";
    if (plan->sets[loop->set].storage_size != plan->sets[loop->set].size)
        return "has holes in the order of its set";
    if (owners && variant->window > 0 && granule % variant->window != 0)
        return "has windows that slabs would cut";
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (arg->map == MPLAN_MAP_GLOBAL && arg->access != MPLAN_READ && !entry->lag)
            return "changes a global without lag";
        if (arg->map >= 0 && plan->maps[arg->map].arity == 0)
            return "has a ragged map";
        if (arg->map >= 0 && mplan_access_adds(arg->access) && owners &&
            plan->sets[plan->maps[arg->map].to].storage_size !=
                plan->sets[plan->maps[arg->map].to].size)
            return "has holes in the order of its rows";
        if (mplan_slab_by_owner(arg) && (!owners || !mplan_slab_increment(loop)))
            return "has a matrix by owner, but is not run by rows";
    }
    return NULL;
}

/* A plan without slabs has no streams either. What an array holds is used only after its proof: borders before
 * the slabs of members, segments and streams before the events. check_args.c and check_step.c must have proved
 * the step. */
mplan_status mplan_check_slabs(mplan_check *check, mplan_error *err)
{
    const mplan_plan *plan = check->plan;
    mplan_slab_proof proof = {.check = check, .plan = plan, .visit = &plan->visit};
    if (plan->visit.slabs == 0)
        return plan->n_streams ? MPLAN_DISPROVED(err, "the plan has streams, but no visit")
                               : MPLAN_OK;
    for (int32_t i = 0; i < plan->n_step; i++) {
        const char *wrong = wrong_loop(plan, &plan->step[i], plan->visit.granule);
        if (wrong)
            return MPLAN_DISPROVED(err, "loop %s of the visit %s",
                                   plan->loops[plan->step[i].loop].name, wrong);
    }
    proof.offsets = mplan_alloc(plan->n_sets, sizeof *proof.offsets, err);
    mplan_status status = proof.offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s < plan->n_sets && !status; s++) {
        proof.offsets[s] = mplan_check_data(check, mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS, s));
        status = check_borders(&proof, s, err);
        if (!status)
            status = check_pieces(&proof, s, err);
    }
    if (!status)
        status = check_spans(&proof, err);
    if (!status) {
        const mplan_key key = mplan_key_of_plan(MPLAN_KIND_SCHEDULE);
        proof.segment = mplan_check_data(check, mplan_key_of_plan(MPLAN_KIND_SEGMENTS));
        proof.event = mplan_check_data(check, key);
        proof.n_events = mplan_plan_find_array(plan, &key)->rows;
        status = check_segments(&proof, err);
    }
    if (!status)
        status = mplan_check_streams(&proof, err);
    if (!status)
        status = mplan_check_events(&proof, err);
    for (int32_t s = 0; s < plan->n_streams && proof.at; s++)
        free(proof.at[s]);
    free(proof.at);
    free(proof.planes);
    free(proof.written);
    free(proof.begin);
    free(proof.touch);
    free(proof.offsets);
    return status;
}
