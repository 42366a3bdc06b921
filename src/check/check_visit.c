/* SPDX-License-Identifier: Apache-2.0 */
/* check_visit.c - replays the events of a visit, stage by stage, in linear time
 *
 * SCHEDULE of formats/plan-format.md. What is in one stage may run in any order, so a launch may only touch what arrived in stages before, and
 * nothing that comes out meanwhile. It is proved that
 * - each entry of each step runs each slab once, in order, and behind all that it conflicts with;
 * - each slab of each stream enters and leaves its window once a visit, and is there whenever a launch touches it;
 * - windows never hold two slabs in one place, not even of this visit and the next, which begins `period` stages later;
 * - events are those that shifts and segments say.
 *
 * The order of positions inside a stage is not proved, because nothing depends on it: launches run as the events are listed, and check_order holds for
 * each of them at its place in the list. So a launch never comes, there or in a later stage, behind one of a later position that it conflicts with: that
 * one would have been refused, as it must find all conflicting slabs of the earlier position run. Positions further apart are joined by
 * conflicts about the same dat, from writer to writer, and slabs of a position run in order. Two streams of launches (exec/steps.c) rest on that, not on the order of positions. */
#include <stdlib.h>
#include <string.h>

#include "check/check_slabs.h"

/* A stream at the begin of a stage: slabs [left, entered) are in its window. Both only grow, from 0 to the number of
 * slabs; a slab is in the window from the stage in which it enters to the one in which it leaves. */
typedef struct stream_state {
    int32_t entered, left;
} stream_state;

/* State of every stream at every stage of the visit, stage 0 before it begins; rows of `state` are stages. */
typedef struct visit_replay {
    const mplan_slab_proof *proof;
    const mplan_plan *plan;
    int32_t n_stages;
    stream_state *state; /* n_stages + 1 times n_streams */
    int32_t *run;        /* steps x n_step: slabs that each entry of each step has run */
    int32_t *coming;     /* n_streams: slabs that have come out when this stage is over */
    int64_t *first;      /* n_step + 1: conflicts of entry i as the later one are first[i] ... */
} visit_replay;

/* The dat of a stream, or what kind of array it is, for messages. */
static const char *name_of(const visit_replay *replay, int32_t s)
{
    const mplan_plan_stream *stream = &replay->plan->streams[s];
    return stream->arg >= 0 ? replay->plan->loops[stream->loop].args[stream->arg].dat
                            : mplan_kind_label((uint32_t)stream->kind);
}

static bool is_resident(const visit_replay *replay, int32_t s)
{
    return replay->plan->streams[s].ways == MPLAN_STREAM_RESIDENT;
}

/* Whether what leaves the window goes back to the host: at each visit, or at the last one. All else is dropped. */
static bool comes_out(const visit_replay *replay, int32_t s)
{
    return replay->plan->streams[s].ways & (MPLAN_STREAM_OUT | MPLAN_STREAM_LAST);
}

/* --- launches ---------------------------------------------------------------------------------- */

/* Reach of an entry's accesses to the dat of an arg of `loop`. */
static int32_t reach_of(const visit_replay *replay, int32_t entry, const char *dat)
{
    const mplan_slab_proof *proof = replay->proof;
    for (int64_t t = proof->begin[entry]; t < proof->begin[entry + 1]; t++) {
        const mplan_plan_stream *stream = &replay->plan->streams[proof->touch[t].stream];
        if (stream->arg >= 0 &&
            strcmp(replay->plan->loops[stream->loop].args[stream->arg].dat, dat) == 0)
            return proof->touch[t].reach;
    }
    return 0; /* not reached: each dat of a conflict has a stream */
}

/* Slabs up to `end` of position t (step x n_step + entry) come behind all that they conflict with: those
 * entries have run all slabs that touch a member which these touch, too, which are those up to both reaches
 * beyond `end`. A conflict with the repetition before is one with a position of the step before; the first
 * step of a visit has none. */
static mplan_status check_order(const visit_replay *replay, int64_t t, int32_t end, mplan_error *err)
{
    const mplan_plan *plan = replay->plan;
    const int32_t n = plan->n_step, later = (int32_t)(t % n), slabs = replay->proof->visit->slabs;
    for (int64_t c = replay->first[later]; c < replay->first[later + 1]; c++) {
        const mplan_step_conflict *conflict = &plan->conflicts[c];
        if (plan->loops[plan->step[later].loop].args[conflict->arg].map == MPLAN_MAP_GLOBAL)
            continue; /* no launch changes a global: it has its value when the visit ends */
        const int64_t before = t - later + conflict->earlier - (conflict->repeat ? n : 0);
        const char *dat = plan->loops[plan->step[later].loop].args[conflict->arg].dat;
        const int64_t due = (int64_t)end + reach_of(replay, later, dat) +
                            reach_of(replay, conflict->earlier, dat);
        if (before >= 0 && replay->run[before] < (due < slabs ? due : slabs))
            return MPLAN_DISPROVED(err,
                                   "step %d of the visit: entry %d (%s) runs slabs before %d, but entry "
                                   "%d, which it conflicts with about %s, has run only those before %d; it "
                                   "must be %d behind",
                                   (int)(t / n), (int)later, plan->loops[plan->step[later].loop].name,
                                   (int)end, (int)conflict->earlier, dat, (int)replay->run[before],
                                   (int)(due - end));
    }
    return MPLAN_OK;
}

/* What slabs [first, end) of an entry touch is in the windows since the stage before, and stays. */
static mplan_status check_there(const visit_replay *replay, int32_t entry, int32_t stage,
                                int32_t first, int32_t end, mplan_error *err)
{
    const mplan_slab_proof *proof = replay->proof;
    const int32_t slabs = proof->visit->slabs, n = replay->plan->n_streams;
    for (int64_t k = proof->begin[entry]; k < proof->begin[entry + 1]; k++) {
        const mplan_slab_touch *touch = &proof->touch[k];
        const stream_state *state = &replay->state[(int64_t)stage * n + touch->stream];
        const int32_t low = first - touch->reach < 0 ? 0 : first - touch->reach;
        const int32_t high = end + touch->reach > slabs ? slabs : end + touch->reach;
        if (is_resident(replay, touch->stream))
            continue;
        if (high > state->entered)
            return MPLAN_DISPROVED(err,
                                   "stage %d: entry %d (%s) needs slab %d of %s, which has not arrived",
                                   (int)stage, (int)entry,
                                   replay->plan->loops[replay->plan->step[entry].loop].name,
                                   (int)high - 1, name_of(replay, touch->stream));
        if (low < replay->coming[touch->stream])
            return MPLAN_DISPROVED(err, "stage %d: entry %d (%s) needs slab %d of %s, which has left",
                                   (int)stage, (int)entry,
                                   replay->plan->loops[replay->plan->step[entry].loop].name,
                                   (int)low, name_of(replay, touch->stream));
    }
    return MPLAN_OK;
}

/* Runs slabs [first, end) of position `index`: the ones behind those it has run, in an order and with data that are
 * proved here. Where it must end is asked last, as in check_due. by: slabs that the position is behind, by its entry's
 * shift and its step's. */
static mplan_status take_launch(const visit_replay *replay, const mplan_event *event, int32_t stage,
                                mplan_error *err)
{
    const mplan_plan *plan = replay->plan;
    const int64_t t = event->index, n = plan->n_step;
    if (t < 0 || t >= n * replay->proof->visit->steps)
        return MPLAN_DISPROVED(err,
                               "stage %d launches entry %" PRId64 " of the visit, which has %" PRId64,
                               (int)stage, t, n * replay->proof->visit->steps);
    const int64_t by = plan->step[t % n].shift + t / n * replay->proof->visit->step_shift;
    if (event->first != replay->run[t])
        return MPLAN_DISPROVED(err,
                               "stage %d: step %d, entry %d runs slab %d when it has run those before %d",
                               (int)stage, (int)(t / n), (int)(t % n), (int)event->first,
                               (int)replay->run[t]);
    mplan_status status = check_order(replay, t, event->end, err);
    if (!status)
        status = check_there(replay, (int32_t)(t % n), stage, event->first, event->end, err);
    if (!status && event->end != mplan_slab_moved(replay->proof, stage, by))
        status = MPLAN_DISPROVED(err,
                                 "stage %d: step %d, entry %d runs slabs before %d, not %d as its shift says",
                                 (int)stage, (int)(t / n), (int)(t % n), (int)event->end,
                                 (int)mplan_slab_moved(replay->proof, stage, by));
    if (!status)
        replay->run[t] = event->end;
    return status;
}

/* --- what moves -------------------------------------------------------------------------------- */

/* Slabs enter, or leave at the end of the stage: those behind the ones before. */
static mplan_status take_move(const visit_replay *replay, const mplan_event *event, int32_t stage,
                              mplan_error *err)
{
    const int32_t n = replay->plan->n_streams, s = event->index;
    if (s < 0 || s >= n || is_resident(replay, s))
        return MPLAN_DISPROVED(err, "stage %d moves stream %d, which does not move", (int)stage,
                               (int)s);
    stream_state *state = &replay->state[(int64_t)(stage + 1) * n + s];
    const bool enters = event->kind == MPLAN_EVENT_IN, out = event->kind == MPLAN_EVENT_OUT;
    if (!enters && out != comes_out(replay, s))
        return MPLAN_DISPROVED(err, "stage %d: slabs of %s %s", (int)stage, name_of(replay, s),
                               out ? "come out, though nothing writes them"
                                   : "leave without coming out");
    int32_t *at = enters ? &state->entered : &state->left;
    if (event->first != *at || event->end <= *at)
        return MPLAN_DISPROVED(err, "stage %d: slabs %d to %d of %s %s, but the next one is %d",
                               (int)stage, (int)event->first, (int)event->end - 1,
                               name_of(replay, s), enters ? "enter" : "leave", (int)*at);
    *at = event->end;
    return MPLAN_OK;
}

/* The slab before which streams enter or leave in a stage is that which segments say. Asked for last, so that what a wrong one
 * breaks is named first. */
static mplan_status check_due(const visit_replay *replay, const mplan_event *event, int32_t stage,
                              mplan_error *err)
{
    if (event->kind == MPLAN_EVENT_LAUNCH || event->kind == MPLAN_EVENT_STAGE)
        return MPLAN_OK;
    const mplan_plan_stream *stream = &replay->plan->streams[event->index];
    const bool enters = event->kind == MPLAN_EVENT_IN, out = event->kind == MPLAN_EVENT_OUT;
    const int32_t v = enters ? stage + 1 : out ? stage - 1 : stage;
    const int32_t due = mplan_slab_moved(replay->proof, v, enters ? stream->enters : stream->leaves);
    if (event->end == due)
        return MPLAN_OK;
    return MPLAN_DISPROVED(err, "stage %d: slabs of %s before %d %s, not those before %d",
                           (int)stage, name_of(replay, event->index), (int)event->end,
                           enters ? "enter" : "leave", (int)due);
}

/* Whether [a, a + n) and [b, b + m) have a place of the window in common. */
static bool collide(int64_t window, int64_t a, int64_t n, int64_t b, int64_t m)
{
    if (n <= 0 || m <= 0)
        return false;
    const int64_t gap = (b % window - a % window + window) % window;
    return gap < n || gap + m > window;
}

/* In stage j the windows hold what was there and what comes in, also of the visit before, which is `period` stages
 * ahead. Its slabs must have come out before they go in again. */
static mplan_status check_windows(const visit_replay *replay, int32_t j, mplan_error *err)
{
    const mplan_slab_proof *proof = replay->proof;
    const int32_t n = replay->plan->n_streams, period = proof->visit->period;
    for (int32_t s = 0; s < n; s++) {
        const stream_state *now = &replay->state[(int64_t)j * n + s];
        const int32_t end = replay->state[(int64_t)(j + 1) * n + s].entered;
        const int64_t *at = proof->at[s];
        if (is_resident(replay, s))
            continue;
        const int64_t window = replay->plan->streams[s].window / proof->planes[s];
        if (at[end] - at[now->left] > window)
            return MPLAN_DISPROVED(err,
                                   "stage %d: %s needs %" PRId64 " bytes of its window of %" PRId64,
                                   (int)j, name_of(replay, s), at[end] - at[now->left], window);
        if (j + period >= replay->n_stages)
            continue;
        const stream_state *old = &replay->state[(int64_t)(j + period) * n + s];
        const int32_t old_end = replay->state[(int64_t)(j + period + 1) * n + s].entered;
        if (end > old->left || collide(window, at[old->left], at[old_end] - at[old->left],
                                       at[now->left], at[end] - at[now->left]))
            return MPLAN_DISPROVED(err,
                                   "stage %d of a visit: %s still needs the place of slabs of the visit before",
                                   (int)j, name_of(replay, s));
    }
    return MPLAN_OK;
}

/* --- the replay --------------------------------------------------------------------------------- */

/* The events of a stage are event[*at] ... up to the next stage. What moves comes first: launches
 * must not depend on the order. */
static mplan_status take_stage(visit_replay *replay, int32_t stage, int64_t *at, mplan_error *err)
{
    const mplan_slab_proof *proof = replay->proof;
    const int32_t n = replay->plan->n_streams;
    const mplan_event *event = proof->event;
    int64_t end = *at + 1;
    mplan_status status = MPLAN_OK;
    if (*at >= proof->n_events || event[*at].kind != MPLAN_EVENT_STAGE ||
        event[*at].index != stage || event[*at].first != 0 || event[*at].end != 0)
        return MPLAN_DISPROVED(err, "SCHEDULE: event %" PRId64 " does not begin stage %d", *at,
                               (int)stage);
    memcpy(replay->state + (int64_t)(stage + 1) * n, replay->state + (int64_t)stage * n,
           (size_t)n * sizeof *replay->state);
    for (; end < proof->n_events && event[end].kind != MPLAN_EVENT_STAGE && !status; end++) {
        if (event[end].kind < MPLAN_EVENT_IN || event[end].kind > MPLAN_EVENT_FREE)
            status = MPLAN_DISPROVED(err, "SCHEDULE: event %" PRId64 " is of an unknown kind", end);
        else if (event[end].kind != MPLAN_EVENT_LAUNCH)
            status = take_move(replay, &event[end], stage, err);
    }
    for (int32_t s = 0; s < n; s++) /* what comes out is not there; what only leaves is, up to the end */
        replay->coming[s] = replay->state[(int64_t)(stage + comes_out(replay, s)) * n + s].left;
    for (int64_t e = *at + 1; e < end && !status; e++)
        if (event[e].kind == MPLAN_EVENT_LAUNCH)
            status = take_launch(replay, &event[e], stage, err);
    *at = end;
    return status;
}

/* When all is over: at is the number of events, each position has run all slabs, and each slab of what moves has
 * entered and left. Since both go on without gaps (take_launch, take_move), each was taken once. */
static mplan_status check_end(const visit_replay *replay, int64_t at, mplan_error *err)
{
    const mplan_slab_proof *proof = replay->proof;
    const int32_t n = replay->plan->n_streams, slabs = proof->visit->slabs;
    if (at < proof->n_events)
        return MPLAN_DISPROVED(err, "SCHEDULE: there are events behind the last stage");
    for (int64_t t = 0; t < (int64_t)proof->visit->steps * replay->plan->n_step; t++)
        if (replay->run[t] != slabs)
            return MPLAN_DISPROVED(err, "step %d, entry %d runs %d of %d slabs only",
                                   (int)(t / replay->plan->n_step), (int)(t % replay->plan->n_step),
                                   (int)replay->run[t], (int)slabs);
    for (int32_t s = 0; s < n; s++) {
        const stream_state *state = &replay->state[(int64_t)replay->n_stages * n + s];
        if (!is_resident(replay, s) && (state->entered != slabs || state->left != slabs))
            return MPLAN_DISPROVED(err, "slabs of %s enter up to %d and leave up to %d, not %d",
                                   name_of(replay, s), (int)state->entered, (int)state->left,
                                   (int)slabs);
    }
    return MPLAN_OK;
}

/* Memory for the replay, zeroed: nothing has run or entered. Conflicts ascend by their later entry (check_step.c), so
 * those of entry i are conflicts[first[i]] up to first[i + 1]. Stages are 0 to segments + 1: segment j enters in stage
 * j, runs in the next, and comes out in the one after it. */
static mplan_status open_replay(visit_replay *replay, mplan_error *err)
{
    const mplan_plan *plan = replay->plan;
    const int64_t positions = (int64_t)plan->visit.steps * plan->n_step;
    replay->n_stages = plan->visit.segments + 2;
    replay->state = mplan_alloc_zero(((int64_t)replay->n_stages + 1) * plan->n_streams,
                                     sizeof *replay->state, err);
    replay->run = mplan_alloc_zero(positions, sizeof *replay->run, err);
    replay->coming = mplan_alloc_zero(plan->n_streams, sizeof *replay->coming, err);
    replay->first = mplan_alloc_zero((int64_t)plan->n_step + 1, sizeof *replay->first, err);
    if (!replay->state || !replay->run || !replay->coming || !replay->first)
        return MPLAN_ERR_MEMORY;
    for (int32_t c = 0; c < plan->n_conflicts; c++)
        replay->first[plan->conflicts[c].later + 1]++;
    for (int32_t i = 0; i < plan->n_step; i++)
        replay->first[i + 1] += replay->first[i];
    return MPLAN_OK;
}

/* The replay needs the states of stages in order; windows are compared when the states of all stages are known, as the
 * visit before is `period` stages ahead. Time is linear in the events, in stages x streams, and for each launch in
 * what its entry touches and conflicts with. */
mplan_status mplan_check_events(const mplan_slab_proof *proof, mplan_error *err)
{
    visit_replay replay = {.proof = proof, .plan = proof->plan};
    int64_t at = 0;
    mplan_status status = open_replay(&replay, err);
    for (int32_t j = 0; j < replay.n_stages && !status; j++)
        status = take_stage(&replay, j, &at, err);
    if (!status)
        status = check_end(&replay, at, err);
    for (int32_t j = 0; j < replay.n_stages && !status; j++)
        status = check_windows(&replay, j, err);
    int32_t stage = -1;
    for (int64_t e = 0; e < proof->n_events && !status; e++) {
        stage += proof->event[e].kind == MPLAN_EVENT_STAGE;
        status = check_due(&replay, &proof->event[e], stage, err);
    }
    free(replay.state);
    free(replay.run);
    free(replay.coming);
    free(replay.first);
    return status;
}
