/* SPDX-License-Identifier: Apache-2.0 */
/* visit.c - what a visit takes through the device, how far each entry must stay behind, and its events
 *
 * Time skewing (Wonnacott, IPDPS 2000; McCalpin and Wonnacott 1999) over slabs in the place of rows of a grid. Entry t of
 * the steps of a visit runs, with segment v, the slabs from border(v) - shift(t) to border(v + 1) - shift(t). It may where each
 * entry that it conflicts with is so far ahead: shift(later) >= shift(earlier) + reach(earlier) + reach(later), because the members of
 * slab s belong to slabs s - reach to s + reach of the rows that access them. So each loop runs once for each element and
 * step, on what it has when all data are in the device. Streams enter and leave in the same way. */
#include "pipeline/visit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pipeline/cost_layers.h"
#include "pipeline/loop_shape.h"
#include "pipeline/slabs.h"
#include "plan/ring_steps.h"

/* --- streams ------------------------------------------------------------------------------ */

/* Whether a stream is that of a use of loop l. */
static bool is_of(const mplan_plan *plan, const visit_stream *stream, int32_t l,
                  const mplan_slab_use *use)
{
    const mplan_plan_stream *record = &stream->record;
    if (use->arg >= 0)
        return record->arg >= 0 && strcmp(plan->loops[record->loop].args[record->arg].dat,
                                          plan->loops[l].args[use->arg].dat) == 0;
    if (record->arg >= 0 || record->kind != use->kind || record->map != use->map)
        return false;
    return use->map >= 0 || record->loop == l;
}

/* Where the slabs begin in a new stream, and how long it is. */
static mplan_status measure_stream(visit_plan *visit, visit_stream *stream, mplan_error *err)
{
    const mplan_plan *plan = visit->plan;
    const mplan_slab_use *use = &stream->use;
    const int32_t n = plan->visit.slabs, l = stream->record.loop;
    stream->planes = 1;
    if (use->set < 0) {
        const mplan_array *array = mplan_slab_array(plan, l, use->kind, use->map);
        stream->record.bytes = array->rows * array->cols * (int64_t)mplan_type_size(array->type);
        return MPLAN_OK;
    }
    const int64_t *offsets = mplan_plan_data(plan,
                                             mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS, use->set),
                                             MPLAN_TYPE_I64, NULL);
    const int64_t all = plan->sets[use->set].storage_size;
    mplan_slab_place place = {.planes = 1};
    mplan_status status = use->arg >= 0 ? mplan_slab_place_of(plan, l, use->arg, &place, err)
                                        : MPLAN_OK;
    stream->planes = place.planes;
    stream->at = status ? NULL : mplan_alloc((int64_t)n + 1, sizeof *stream->at, err);
    if (!stream->at)
        return status ? status : MPLAN_ERR_MEMORY;
    for (int32_t s = 0; s <= n; s++)
        stream->at[s] = use->arg < 0        ? mplan_slab_array_at(plan, l, use, offsets[s])
                        : offsets[s] == all ? place.whole
                                            : offsets[s] * place.member;
    stream->record.bytes = stream->at[n] * stream->planes;
    return MPLAN_OK;
}

/* The stream of a use of entry i, which may be new; notes what the entry does with it. */
static mplan_status take_use(visit_plan *visit, int32_t i, const mplan_slab_use *use,
                             visit_use *out, mplan_error *err)
{
    const int32_t l = visit->plan->step[i].loop;
    int32_t s = 0;
    mplan_status status = MPLAN_OK;
    while (s < visit->n_streams && !is_of(visit->plan, &visit->streams[s], l, use))
        s++;
    visit_stream *stream = &visit->streams[s];
    if (s == visit->n_streams) {
        *stream = (visit_stream){.record = {.loop = use->map >= 0 ? -1 : l,
                                            .arg = use->arg,
                                            .kind = use->kind,
                                            .map = use->map},
                                 .use = *use,
                                 .whole = use->whole && !use->reads};
        visit->n_streams++;
        stream->record.loop = l; /* measured as of this loop */
        status = measure_stream(visit, stream, err);
        if (use->map >= 0)
            stream->record.loop = -1;
    }
    stream->written = stream->written || use->writes;
    *out = (visit_use){s, use->reach, use->reads, use->writes};
    return status;
}

/* visit->streams and visit->use, entry by entry. */
static mplan_status collect_streams(visit_plan *visit, mplan_error *err)
{
    const mplan_plan *plan = visit->plan;
    int64_t most = 0;
    for (int32_t i = 0; i < plan->n_step; i++)
        most += mplan_slab_uses_most(&plan->loops[plan->step[i].loop]);
    visit->begin = mplan_alloc_zero((int64_t)plan->n_step + 1, sizeof *visit->begin, err);
    visit->use = mplan_alloc(most, sizeof *visit->use, err);
    visit->streams = mplan_alloc_zero(most, sizeof *visit->streams, err);
    mplan_slab_use *uses = mplan_alloc(most, sizeof *uses, err);
    mplan_status status = visit->begin && visit->use && visit->streams && uses ? MPLAN_OK
                                                                               : MPLAN_ERR_MEMORY;
    for (int32_t i = 0; i < plan->n_step && !status; i++) {
        const int32_t n = mplan_slab_uses(plan, plan->step[i].loop, plan->step[i].clear - 1, uses);
        for (int32_t u = 0; u < n && !status; u++)
            status = take_use(visit, i, &uses[u], &visit->use[visit->begin[i] + u], err);
        visit->begin[i + 1] = visit->begin[i] + n;
    }
    free(uses);
    return status;
}

/* --- shifts ---------------------------------------------------------------------------------- */

/* How far accesses to a stream have come: the most of shift + reach of those that wrote and that read it so far. */
typedef struct visit_front {
    int32_t wrote, read;
} visit_front;

/* The least shift of entry i behind all entries before it, and what its accesses add to the fronts. own: its shift, -1: the
 * least is taken. Returns the least. */
static int32_t pass_entry(const visit_plan *visit, int32_t i, int32_t own, visit_front *front)
{
    int32_t least = 0;
    for (int64_t u = visit->begin[i]; u < visit->begin[i + 1]; u++) {
        const visit_use *use = &visit->use[u];
        const visit_front *at = &front[use->stream];
        const int32_t after = use->writes && at->read > at->wrote ? at->read : at->wrote;
        least = after + use->reach > least ? after + use->reach : least;
    }
    const int32_t shift = own < 0 ? least : own;
    for (int64_t u = visit->begin[i]; u < visit->begin[i + 1]; u++) {
        const visit_use *use = &visit->use[u];
        visit_front *at = &front[use->stream];
        const int32_t upto = shift + use->reach;
        if (use->writes)
            at->wrote = upto > at->wrote ? upto : at->wrote;
        else
            at->read = upto > at->read ? upto : at->read;
    }
    return least;
}

/* Shifts by the longest path of conflicts, and how far a step must be behind the one before, so that its entries are behind
 * those that they conflict with there. Accesses that only read have no conflict: a front that nothing wrote stays far ahead. */
static mplan_status find_shifts(visit_plan *visit, mplan_error *err)
{
    const int32_t n = visit->plan->n_step;
    visit->shift = mplan_alloc(n, sizeof *visit->shift, err);
    visit_front *front = mplan_alloc(visit->n_streams, sizeof *front, err);
    if (!visit->shift || !front) {
        free(front);
        return MPLAN_ERR_MEMORY;
    }
    for (int32_t s = 0; s < visit->n_streams; s++)
        front[s] = (visit_front){-1000000, -1000000};
    for (int32_t i = 0; i < n; i++)
        visit->shift[i] = pass_entry(visit, i, -1, front);
    for (int32_t i = 0; i < n; i++) {
        /* fronts of the step before stay: what this step adds is not behind them by more than they allow */
        const int32_t behind = pass_entry(visit, i, visit->shift[i], front) - visit->shift[i];
        visit->step_shift = behind > visit->step_shift ? behind : visit->step_shift;
    }
    free(front);
    return MPLAN_OK;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Events of no slabs are left out; stages are not. */
static mplan_status push(mplan_vector *events, int32_t kind, int64_t index, int32_t first,
                         int32_t end, mplan_error *err)
{
    const mplan_event event = {kind, (int32_t)index, first, end};
    if (kind != MPLAN_EVENT_STAGE && first >= end)
        return MPLAN_OK;
    return mplan_vector_push(events, &event, err);
}

/* Streams that move in a stage: what comes in with segment `in`, leaves with the launches of `run` and comes out with
 * those of `out`. */
static mplan_status move_streams(const visit_plan *visit, const visit_choice *choice, int32_t kind,
                                 int32_t v, mplan_vector *events, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < visit->n_streams && !status && v >= 0 && v < choice->segments; s++) {
        const visit_stream *stream = &visit->streams[s];
        const bool out = stream->record.ways & (MPLAN_STREAM_OUT | MPLAN_STREAM_LAST);
        if ((stream->record.ways & MPLAN_STREAM_RESIDENT) || (kind == MPLAN_EVENT_OUT && !out) ||
            (kind == MPLAN_EVENT_FREE && out))
            continue;
        status = kind == MPLAN_EVENT_IN
                     ? push(events, kind, s, mplan_visit_entered(visit, choice, stream, v),
                            mplan_visit_entered(visit, choice, stream, v + 1), err)
                     : push(events, kind, s, mplan_visit_left(visit, choice, stream, v),
                            mplan_visit_left(visit, choice, stream, v + 1), err);
    }
    return status;
}

/* Stage j: segment j comes in, j - 1 is computed, and what j - 2 is done with comes out. */
static mplan_status make_events(const visit_plan *visit, const visit_choice *choice,
                                mplan_vector *events, mplan_error *err)
{
    const int64_t positions = (int64_t)choice->steps * visit->plan->n_step;
    mplan_status status = MPLAN_OK;
    for (int32_t j = 0; j < choice->segments + 2 && !status; j++) {
        status = push(events, MPLAN_EVENT_STAGE, j, 0, 0, err);
        if (!status)
            status = move_streams(visit, choice, MPLAN_EVENT_IN, j, events, err);
        for (int64_t t = 0; t < positions && !status && j > 0 && j <= choice->segments; t++)
            status = push(events, MPLAN_EVENT_LAUNCH, t, mplan_visit_run(visit, choice, t, j - 1),
                          mplan_visit_run(visit, choice, t, j), err);
        if (!status)
            status = move_streams(visit, choice, MPLAN_EVENT_OUT, j - 2, events, err);
        if (!status)
            status = move_streams(visit, choice, MPLAN_EVENT_FREE, j - 1, events, err);
    }
    return status;
}

/* --- the whole ---------------------------------------------------------------------------------- */

/* Seconds of a loop with layers. */
static mplan_status predict_layers(const planning *p, const planning_loop *loop,
                                   mplan_strategy strategy, double *seconds, mplan_error *err)
{
    mplan_layers_shape shape;
    mplan_status status = mplan_planning_layers_shape(p, loop, &shape, err);
    if (!status)
        *seconds = mplan_cost_layers_seconds(&shape, &p->device, strategy);
    return status;
}

/* Seconds of a step in the device's memory, by the cost model. */
static mplan_status predict_step(const planning *p, visit_plan *visit, mplan_error *err)
{
    const mplan_plan *plan = visit->plan;
    for (int32_t i = 0; i < plan->n_step; i++) {
        const planning_loop *loop = &p->loops[plan->step[i].loop];
        const mplan_plan_loop *record = &plan->loops[plan->step[i].loop];
        const mplan_strategy strategy = record->variants[record->default_variant].strategy;
        mplan_loop_shape shape;
        double seconds = 0;
        mplan_status status = loop->layering ? predict_layers(p, loop, strategy, &seconds, err)
                                             : mplan_planning_shape(p, loop, &shape, err);
        if (!status && !loop->layering)
            seconds = mplan_cost_seconds(&shape, &p->device, strategy, loop->sums,
                                         p->options->block_size);
        if (status)
            return status;
        visit->step_seconds += seconds;
    }
    return MPLAN_OK;
}

/* Streams, borders and events become the plan's; shifts are those of the step's entries. */
static mplan_status store(visit_plan *visit, visit_choice *choice, mplan_error *err)
{
    mplan_plan *plan = visit->plan;
    mplan_vector events = MPLAN_VECTOR_INIT(sizeof(mplan_event));
    mplan_status status = make_events(visit, choice, &events, err);
    for (int32_t s = 0; s < visit->n_streams && !status; s++)
        status = mplan_plan_add_stream(plan, &visit->streams[s].record, err);
    for (int32_t i = 0; i < plan->n_step && !status; i++)
        plan->step[i].shift = visit->shift[i];
    if (!status) {
        int32_t *border = choice->border;
        choice->border = NULL;
        status = mplan_plan_take_array(plan, mplan_key_of_plan(MPLAN_KIND_SEGMENTS), MPLAN_TYPE_I32,
                                       (int64_t)choice->segments + 1, 1, border, err);
    }
    if (!status) {
        const int64_t n = events.count;
        status = mplan_plan_take_array(plan, mplan_key_of_plan(MPLAN_KIND_SCHEDULE), MPLAN_TYPE_I32,
                                       n, 4, mplan_vector_take(&events), err);
    }
    free(events.data);
    return status;
}

/* Sums are stored in place of added where a dat is cleared: only owner-gather gives each point one sum. */
static mplan_status refuse_clears(const mplan_plan *plan, mplan_error *err)
{
    for (int32_t i = 0; i < plan->n_step; i++) {
        const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
        if (plan->step[i].clear &&
            !mplan_strategy_has(loop->variants[loop->default_variant].strategy, MPLAN_TRAIT_OWNERS))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "the step sets dat %s to zero before loop %s, which must have owner-gather "
                              "as its default variant where device-memory is limited",
                              loop->args[plan->step[i].clear - 1].dat, loop->name);
    }
    return MPLAN_OK;
}

/* In a part a visit goes from one exchange of halos to the next, and so do all steps that are asked for (whole_plan.c). */
static mplan_status limit_steps(visit_plan *visit, mplan_error *err)
{
    mplan_ring_entry *entries = NULL;
    mplan_ring_steps steps;
    visit->most_steps = INT32_MAX;
    if (!mplan_plan_is_part(visit->plan))
        return MPLAN_OK;
    mplan_status status = mplan_ring_steps_of_plan(visit->plan, &entries, &steps, err);
    if (!status)
        visit->most_steps = mplan_ring_steps_count(&steps, visit->asked->rings,
                                                   visit->asked->steps_per_visit
                                                       ? visit->asked->steps_per_visit
                                                       : MPLAN_VISIT_STEPS_MOST);
    mplan_ring_steps_close(&steps);
    free(entries);
    return status;
}

/* Streams first, then the choice of steps and segments, then the schedule of it. */
mplan_status mplan_visit_make(visit_plan *visit, mplan_error *err)
{
    assert(visit && visit->plan && visit->plan->visit.slabs > 0 && visit->asked && visit->device);
    visit_choice choice = {0};
    mplan_status status = refuse_clears(visit->plan, err);
    if (!status)
        status = limit_steps(visit, err);
    if (!status)
        status = collect_streams(visit, err);
    if (!status)
        status = find_shifts(visit, err);
    if (!status)
        status = mplan_visit_choose(visit, &choice, err);
    if (!status)
        status = store(visit, &choice, err);
    for (int32_t s = 0; s < visit->n_streams; s++)
        free(visit->streams[s].at);
    free(visit->streams);
    free(visit->begin);
    free(visit->use);
    free(visit->shift);
    free(choice.border);
    return status;
}

mplan_status mplan_planning_visit(planning *p, mplan_error *err)
{
    assert(p && p->plan && p->plan->visit.slabs > 0);
    visit_plan visit = {.plan = p->plan,
                        .asked = p->asked,
                        .device = &p->device,
                        .wish = p->part ? p->part->visit : NULL};
    mplan_status status = predict_step(p, &visit, err);
    /* as the plan keeps it: another visit begins with that */
    visit.step_seconds = 1e-9 * (double)(int64_t)(1e9 * visit.step_seconds);
    return !status ? mplan_visit_make(&visit, err) : status;
}
