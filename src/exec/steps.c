/* SPDX-License-Identifier: Apache-2.0 */
/* steps.c - the step of a plan, again and again: launch by launch, or as visits of all slabs
 *
 * With a visit the events of the plan's schedule are followed. Visits begin `period` stages one after the other, so that the data of
 * the next one come in while this one ends. On the host what enters does so before anything else in a stage, and
 * slabs that have left are filled with ones (NaN): a schedule in which a launch comes too early or too late, or a slab leaves too
 * soon, gives other numbers.
 *
 * With two streams of launches, the first half of a visit's steps goes on with stage j + 1 while the later half is in stage j. That changes
 * no bit. Take a launch of the first half in stage j + 1 and a launch of the later half in stage j. If both access a member and one of them
 * writes it, the launch of the earlier step must come first. The schedule has it second, and is proved (check_visit.c: in the order of
 * the events, whatever their positions are), so there is no such member. What the first half finds in its windows came in at stage j or before, and what comes in at stage j has waited for all launches of
 * stage j - 1. Launches of two visits find other slabs in other places, since a slab does not come in again before it has left, and what
 * never moves is never written. On the host the first half of stage j + 1 runs before the later half of stage j, as early as a device can have it.
 */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "exec/exec_visit.h"
#include "exec/globals.h"

/* What all stages of a call need. */
typedef struct step_run {
    mplan_exec *exec;
    const mplan_exec_entry *entries;
    int32_t n_entries;
    int64_t n_steps, n_visits;
    int64_t group; /* without a visit: steps that globals with lag wait for */
    bool apart;    /* later launches of a visit have a stream of their own */
} step_run;

/* Launches of a stage of a visit; FIRST and LATER are the halves of its steps. */
typedef enum launch_part { ALL_LAUNCHES, FIRST_LAUNCHES, LATER_LAUNCHES } launch_part;

/* Else all is done in order on the host. */
static bool on_device(const step_run *run)
{
    return run->exec->executor == MPLAN_EXECUTOR_CUDA;
}

/* --- globals that change late ------------------------------------------------------------- */

/* Entry i has lag: the plan's step is that of the run (compare_step). */
static bool has_lag(const step_run *run, int32_t i)
{
    return run->exec->plan && mplan_plan_get_lag(run->exec->plan, i);
}

/* Behind the last step of a visit, or of a group: globals of entries with lag become what the elements brought in that step. */
static mplan_status take_lagged(const step_run *run, void *stream, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < run->n_entries && !status; i++)
        if (has_lag(run, i))
            status = mplan_exec_take_lagged(run->entries[i].bound, stream, err);
    return status;
}

/* --- what goes in and out ---------------------------------------------------------------- */

/* Store of a stream: members of a dat, or an array of the plan. */
static char *store_of(const step_run *run, const visit_stream *stream)
{
    if (stream->dat >= 0)
        return run->exec->dats[stream->dat].data;
    return (char *)(uintptr_t)stream->array; /* arrays are only read */
}

/* What a walk over moves does with them. */
typedef enum move_turn {
    TAKE_OUT = false, /* of mplan_ring_add */
    TAKE_IN = true,
    READ_AHEAD
} move_turn;
typedef struct moves_ahead {
    int64_t skip; /* of mplan_ring_ahead */
    bool more;
} moves_ahead;

/* Slabs [first, end) of a plane go in or out by pieces; of a file, run by run. ahead: of READ_AHEAD. */
static mplan_status stage_piece(const step_run *run, const visit_stream *stream, int32_t plane,
                                int32_t first, int32_t end, move_turn turn, moves_ahead *ahead,
                                mplan_error *err)
{
    mplan_ring *ring = run->exec->visit->ring;
    mplan_status status = MPLAN_OK;
    for (int32_t s = first, next; s < end && !status; s = next) {
        next = stream->file_at ? stream->file_end[s] : end;
        const int64_t begin = stream->at[s];
        mplan_ring_move move = {.bytes = stream->at[next] - begin};
        if (stream->file_at)
            move = mplan_exec_visit_home(run->exec, stream, plane, s);
        else
            move.home = store_of(run, stream) + plane * stream->store_plane + begin;
        move.window = stream->base + plane * stream->plane + begin;
        move.turn = stream->window - begin % stream->window;
        if (move.bytes > 0)
            status = turn == READ_AHEAD
                         ? mplan_ring_ahead(ring, &move, &ahead->skip, &ahead->more, err)
                         : mplan_ring_add(ring, turn == TAKE_IN, &move, err);
    }
    return status;
}

/* Bytes [begin, end) of a plane go in or out; a device's copy stays inside a window. */
static mplan_status copy_piece(const step_run *run, const visit_stream *stream, int32_t plane,
                               int64_t begin, int64_t end, bool in, mplan_error *err)
{
    char *window = stream->base + plane * stream->plane;
    char *store = store_of(run, stream) + plane * stream->store_plane;
    mplan_status status = MPLAN_OK;
    if (!on_device(run)) {
        memcpy(in ? window + begin : store + begin, in ? store + begin : window + begin,
               (size_t)(end - begin));
        return MPLAN_OK;
    }
    while (begin < end && !status) {
        const int64_t next = (begin / stream->window + 1) * stream->window;
        const int64_t stop = next < end ? next : end;
        status = mplan_gpu_pipe_copy(run->exec->visit->pipe, in, window + begin, store + begin,
                                     stop - begin, err);
        begin = stop;
    }
    return status;
}

/* Slabs of a stream that have left are NaN on the host. */
static void poison(const step_run *run, const visit_stream *stream, const mplan_event *event)
{
    for (int32_t p = 0; p < stream->planes && !on_device(run); p++)
        memset(stream->base + p * stream->plane + stream->at[event->first], 0xff,
               (size_t)(stream->at[event->end] - stream->at[event->first]));
}

/* One event other than a launch. last: of the last visit, which brings out what others need not. */
static mplan_status move(const step_run *run, const mplan_event *event, bool last, mplan_error *err)
{
    const visit_stream *stream = &run->exec->visit->streams[event->index];
    const int32_t ways = stream->record->ways;
    const bool in = event->kind == MPLAN_EVENT_IN && (ways & MPLAN_STREAM_IN);
    const bool out = event->kind == MPLAN_EVENT_OUT &&
                     ((ways & MPLAN_STREAM_OUT) || (last && (ways & MPLAN_STREAM_LAST)));
    mplan_status status = MPLAN_OK;
    if (event->kind == MPLAN_EVENT_IN) /* before its data: a slab that is still needed there is lost */
        poison(run, stream, event);
    for (int32_t p = 0; p < stream->planes && (in || out) && !status; p++)
        status = stream->staged ? stage_piece(run, stream, p, event->first, event->end,
                                              in ? TAKE_IN : TAKE_OUT, NULL, err)
                                : copy_piece(run, stream, p, stream->at[event->first],
                                             stream->at[event->end], in, err);
    if (event->kind != MPLAN_EVENT_IN)
        poison(run, stream, event);
    return status;
}

/* --- launches ---------------------------------------------------------------------------------- */

/* The arg whose dat an entry sets to zero; -1: none. */
static int32_t clear_of(const step_run *run, int32_t entry)
{
    return mplan_plan_get_clear(run->exec->plan, entry);
}

/* Slabs [first, end) of a dat are zero in its window, as a launch with layers adds to what is there: with owner-gather what they hold is of
 * rows that it runs. */
static mplan_status zero_slabs(const step_run *run, int32_t dat, int32_t first, int32_t end,
                               mplan_error *err)
{
    const mplan_exec_visit *visit = run->exec->visit;
    const visit_stream *stream = visit->streams;
    mplan_status status = MPLAN_OK;
    while (stream->dat != dat)
        stream++;
    assert(stream < visit->streams + visit->n_streams && stream->base);
    for (int32_t p = 0; p < stream->planes && !status; p++) {
        char *window = stream->base + p * stream->plane;
        const int64_t stop = stream->at[end];
        if (!on_device(run)) {
            memset(window + stream->at[first], 0, (size_t)(stop - stream->at[first]));
            continue;
        }
        for (int64_t at = stream->at[first], next; at < stop && !status; at = next) {
            next = (at / stream->window + 1) * stream->window;
            next = next < stop ? next : stop;
            status = mplan_gpu_clear(window + at, next - at, mplan_gpu_pipe_stream(visit->pipe), err);
        }
    }
    return status;
}

/* Of the two halves of the entries of all steps of a visit. */
static bool is_later(const step_run *run, const mplan_event *event)
{
    return run->apart && event->index >= run->exec->visit->record->steps * run->n_entries / 2;
}

/* Loop and slab of an event of the schedule; its index counts entries of all steps of a visit. */
static mplan_status launch_event(const step_run *run, const mplan_event *event, int64_t steps,
                                 void *stream, mplan_error *err)
{
    mplan_exec_visit *visit = run->exec->visit;
    const int32_t i = event->index % run->n_entries;
    const mplan_exec_entry *entry = &run->entries[i];
    if (event->index / run->n_entries >= steps) /* the last visit may be a short one */
        return MPLAN_OK;
    const int32_t set = mplan_slab_rows_of(run->exec->plan, entry->bound->l);
    const int32_t *pieces = visit->pieces[set];
    const mplan_slab_rows rows = {event->end - event->first, visit->offsets[set] + event->first,
                                  pieces ? pieces + (int64_t)event->first * (MPLAN_SLAB_PIECES - 1)
                                         : NULL};
    const int32_t clear = clear_of(run, i);
    if (entry->bound->layers && clear >= 0) {
        mplan_status status = zero_slabs(run, entry->bound->dat[clear], event->first, event->end,
                                         err);
        if (status)
            return status;
    }
    return mplan_exec_launch_slabs(run->exec, entry->bound, &rows, entry->parameters, clear, stream,
                                   err);
}

/* --- stages ---------------------------------------------------------------------------------------- */

/* Launches of stage j of visit u. On a device a later one waits for all first ones that the schedule has before it, in whichever order of
 * the halves. */
static mplan_status take_launches(const step_run *run, int64_t u, int32_t j, launch_part part,
                                  mplan_error *err)
{
    const mplan_exec_visit *visit = run->exec->visit;
    const int64_t k = visit->record->steps, left = run->n_steps - u * k;
    void *stream = NULL;
    bool joined = false;
    mplan_status status = MPLAN_OK;
    for (int64_t e = visit->stage[j] + 1; e < visit->stage[j + 1] && !status; e++) {
        const mplan_event *event = &visit->event[e];
        const bool later = is_later(run, event);
        if (event->kind != MPLAN_EVENT_LAUNCH || part == (later ? FIRST_LAUNCHES : LATER_LAUNCHES))
            continue;
        if (visit->pipe && !later)
            stream = mplan_gpu_pipe_stream(visit->pipe);
        else if (visit->pipe && !joined)
            status = mplan_gpu_pipe_later(visit->pipe, &stream, err);
        joined = later;
        if (!status)
            status = launch_event(run, event, left < k ? left : k, stream, err);
    }
    return status;
}

/* Events of one kind, other than launches, in stage j of visit u. */
static mplan_status take_moves(const step_run *run, int64_t u, int32_t j, int32_t kind,
                               mplan_error *err)
{
    const mplan_exec_visit *visit = run->exec->visit;
    mplan_status status = MPLAN_OK;
    for (int64_t e = visit->stage[j] + 1; e < visit->stage[j + 1] && !status; e++)
        if (visit->event[e].kind == kind)
            status = move(run, &visit->event[e], u == run->n_visits - 1, err);
    return status;
}

/* Visits whose stages come with stage `at` of all: two at most, because a period is not shorter than half of the stages. */
static int64_t first_visit(const step_run *run, int64_t at)
{
    const mplan_exec_visit *visit = run->exec->visit;
    const int64_t first = at / visit->record->period;
    return first > 0 && at - (first - 1) * visit->record->period < visit->n_stages ? first - 1
                                                                                   : first;
}
static int64_t end_visits(const step_run *run, int64_t at)
{
    const int64_t next = at / run->exec->visit->record->period + 1;
    return next < run->n_visits ? next : run->n_visits;
}

/* Events of visit u in stage `at` of all; none behind its last stage. */
static int64_t first_event(const step_run *run, int64_t u, int64_t at)
{
    const mplan_exec_visit *visit = run->exec->visit;
    const int64_t j = at - u * visit->record->period;
    return visit->stage[j < visit->n_stages ? j : visit->n_stages];
}
static int64_t end_events(const step_run *run, int64_t u, int64_t at)
{
    const mplan_exec_visit *visit = run->exec->visit;
    const int64_t j = at - u * visit->record->period;
    return visit->stage[j < visit->n_stages ? j + 1 : visit->n_stages];
}

/* Slabs that go in by pieces. */
static mplan_status read_event(const step_run *run, const mplan_event *event, moves_ahead *ahead,
                               mplan_error *err)
{
    const visit_stream *stream = &run->exec->visit->streams[event->index];
    mplan_status status = MPLAN_OK;
    if (!stream->staged || !(stream->record->ways & MPLAN_STREAM_IN))
        return MPLAN_OK;
    for (int32_t p = 0; p < stream->planes && ahead->more && !status; p++)
        status = stage_piece(run, stream, p, event->first, event->end, READ_AHEAD, ahead, err);
    return status;
}

/* What goes in by pieces in stage `at`, the next one, begins to be read, as far as there are free pieces. All that comes out before is in the
 * ring. */
static mplan_status read_ahead(const step_run *run, int64_t at, mplan_error *err)
{
    const mplan_exec_visit *visit = run->exec->visit;
    moves_ahead ahead = {mplan_ring_read_ahead(visit->ring), true};
    mplan_status status = MPLAN_OK;
    for (int64_t u = first_visit(run, at); u < end_visits(run, at); u++)
        for (int64_t e = first_event(run, u, at); e < end_events(run, u, at) && !status; e++)
            if (visit->event[e].kind == MPLAN_EVENT_IN)
                status = read_event(run, &visit->event[e], &ahead, err);
    return status;
}

/* All that goes in by pieces in stage `at` has gone, to a window or to the device's stream. Where a device computes meanwhile, the next stage
 * is read as pieces become free, since what comes out in this one was added. */
static mplan_status send_in(const step_run *run, int64_t at, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (bool all = false; !all && !status;) {
        if (on_device(run))
            status = read_ahead(run, at + 1, err);
        if (!status)
            status = mplan_ring_go(run->exec->visit->ring, &all, err);
    }
    return status;
}

/* A visit that had its last launches in stage `at` is followed by one whose first launches come behind it, since a period is not
 * shorter than the segments are many: globals change between them. */
static mplan_status end_visit(const step_run *run, int64_t at, mplan_error *err)
{
    const mplan_exec_visit *visit = run->exec->visit;
    const int64_t since = at - visit->record->segments, period = visit->record->period;
    if (since < 0 || since % period != 0 || since / period >= run->n_visits)
        return MPLAN_OK;
    return take_lagged(run, visit->pipe ? mplan_gpu_pipe_stream(visit->pipe) : NULL, err);
}

/* Events of one kind in stage `at` of all visits; part: of launches. */
static mplan_status take_kind(const step_run *run, int64_t at, int32_t kind, launch_part part,
                              mplan_error *err)
{
    const mplan_exec_visit *visit = run->exec->visit;
    const int64_t period = visit->record->period;
    mplan_status status = MPLAN_OK;
    for (int64_t u = first_visit(run, at); u < end_visits(run, at) && !status; u++) {
        const int64_t j = at - u * period;
        if (j < visit->n_stages)
            status = kind == MPLAN_EVENT_LAUNCH ? take_launches(run, u, (int32_t)j, part, err)
                                                : take_moves(run, u, (int32_t)j, kind, err);
    }
    return status;
}

/* Launches that come with stage `at`. A device has streams for both halves; without one the first half is a stage ahead. */
static mplan_status launch_stage(const step_run *run, int64_t at, mplan_error *err)
{
    if (!run->apart || on_device(run))
        return take_kind(run, at, MPLAN_EVENT_LAUNCH, ALL_LAUNCHES, err);
    mplan_status status = take_kind(run, at + 1, MPLAN_EVENT_LAUNCH, FIRST_LAUNCHES, err);
    return !status ? take_kind(run, at, MPLAN_EVENT_LAUNCH, LATER_LAUNCHES, err) : status;
}

/* Stage `at` of all visits. Where threads fill pieces for a device, it has its launches before that, and computes meanwhile; on the host
 * the next stage is read, and this one written, while loops run. */
static mplan_status take_stage(const step_run *run, int64_t at, mplan_error *err)
{
    static const int32_t orders[][4] = {
        {MPLAN_EVENT_IN, MPLAN_EVENT_OUT, MPLAN_EVENT_LAUNCH, MPLAN_EVENT_FREE},
        {MPLAN_EVENT_LAUNCH, MPLAN_EVENT_OUT, MPLAN_EVENT_IN, MPLAN_EVENT_FREE}};
    const int32_t *order = orders[on_device(run) && run->exec->visit->ring];
    const mplan_exec_visit *visit = run->exec->visit;
    mplan_status status = visit->pipe ? mplan_gpu_pipe_stage(visit->pipe, err) : MPLAN_OK;
    for (size_t k = 0; k < sizeof *orders / sizeof **orders && !status; k++) {
        status = order[k] == MPLAN_EVENT_LAUNCH ? launch_stage(run, at, err)
                                                : take_kind(run, at, order[k], ALL_LAUNCHES, err);
        if (!status && visit->ring && order[k] == MPLAN_EVENT_IN)
            status = send_in(run, at, err);
        if (!status && visit->ring && order[k] == MPLAN_EVENT_OUT && !on_device(run))
            status = read_ahead(run, at + 1, err);
    }
    return !status ? end_visit(run, at, err) : status;
}

/* Dats that stay on the device go there when they have changed. */
static mplan_status upload_residents(const step_run *run, mplan_error *err)
{
    mplan_exec_visit *visit = run->exec->visit;
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < visit->n_streams && !status; s++) {
        visit_stream *stream = &visit->streams[s];
        if (!stream->resident)
            continue;
        const mplan_exec_dat *dat = &run->exec->dats[stream->dat];
        if (stream->uploaded != dat->times || dat->open)
            status = mplan_gpu_upload(stream->resident, dat->data, mplan_exec_dat_bytes(dat), err);
        stream->uploaded = dat->times;
    }
    return status;
}

/* Whether the later half of a visit has launches in a stream of its own. Not where a loop has layers, whose dats are cleared in the
 * stream of the first half, or a global with lag, whose sums stay on the device from launch to launch. Where dats go through a ring, only if
 * it is asked for: that was not run on a device. */
static bool runs_apart(const step_run *run)
{
    const mplan_exec_visit *visit = run->exec->visit;
    bool apart = visit->launch_streams == 2 || (visit->launch_streams == 0 && !visit->ring);
    apart = apart && (int64_t)visit->record->steps * run->n_entries > 1; /* else one half has all */
    for (int32_t i = 0; i < run->n_entries; i++)
        apart = apart && !run->entries[i].bound->layers && !has_lag(run, i);
    return apart;
}

/* The ring is made when steps need it first, and is gone behind a failure, which leaves pieces in it. */
static mplan_status open_ring(const step_run *run, mplan_error *err)
{
    mplan_exec_visit *visit = run->exec->visit;
    bool staged = false;
    for (int32_t s = 0; s < visit->n_streams; s++)
        staged = staged || (visit->streams[s].staged && visit->streams[s].base);
    if (!staged || visit->ring)
        return MPLAN_OK;
    return mplan_ring_make(visit->store, visit->pipe, run->exec->team, &visit->ring, err);
}

/* Visits overlap: the next one begins `period` stages after the one before, so that the device does not wait for the
 * last slabs to go home. */
static mplan_status run_visits(step_run *run, mplan_error *err)
{
    mplan_exec_visit *visit = run->exec->visit;
    const int64_t k = visit->record->steps;
    run->n_visits = (run->n_steps + k - 1) / k;
    mplan_status status = mplan_exec_use(run->exec, err);
    for (int32_t i = 0; i < run->n_entries && !status; i++)
        status = mplan_exec_check_resident(run->entries[i].bound, err);
    if (!status &&
        on_device(run)) /* streams of the pipe do not wait for others, in which globals may have been set */
        status = mplan_gpu_wait(err);
    if (!status)
        status = open_ring(run, err);
    run->apart = runs_apart(run);
    visit->ran_streams = run->apart ? 2 : 1;
    if (!status)
        status = upload_residents(run, err);
    const int64_t stages = (run->n_visits - 1) * visit->record->period + visit->n_stages;
    for (int64_t at = 0; at < stages && !status; at++)
        status = take_stage(run, at, err);
    if (!status && visit->ring)
        status = mplan_ring_end(visit->ring, err);
    for (int32_t i = 0; i < run->n_entries; i++)
        mplan_exec_mark_written(run->entries[i].bound);
    if (visit->pipe) {
        mplan_status waited = mplan_gpu_pipe_wait(visit->pipe, status ? NULL : err);
        status = status ? status : waited;
    }
    if (status) {
        mplan_ring_free(visit->ring);
        visit->ring = NULL;
    }
    return status;
}

/* --- the call --------------------------------------------------------------------------------------- */

/* Entry by entry, all in memory. Globals of entries with lag change behind each group of steps. */
static mplan_status run_plainly(const step_run *run, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int64_t s = 0; s < run->n_steps && !status; s++) {
        for (int32_t i = 0; i < run->n_entries && !status; i++) {
            const mplan_exec_entry *entry = &run->entries[i];
            if (entry->clear)
                status = mplan_exec_clear(run->exec, entry->clear, NULL, err);
            entry->bound->lags = has_lag(run, i);
            if (!status)
                status = mplan_exec_launch(run->exec, entry->bound, entry->parameters, NULL, err);
            entry->bound->lags = false;
        }
        if (!status && ((s + 1) % run->group == 0 || s + 1 == run->n_steps))
            status = take_lagged(run, NULL, err);
    }
    return !status ? mplan_exec_wait(run->exec, err) : status;
}

/* The entries against the step of the plan, whose schedule is to be followed. */
static mplan_status compare_step(const step_run *run, mplan_error *err)
{
    const mplan_plan *plan = run->exec->plan;
    if (run->n_entries != plan->n_step)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "the plan's step has %d entries, not %d",
                          (int)plan->n_step, (int)run->n_entries);
    for (int32_t i = 0; i < plan->n_step; i++) {
        const mplan_exec_entry *entry = &run->entries[i];
        const mplan_plan_loop *loop = &plan->loops[plan->step[i].loop];
        const char *clear = plan->step[i].clear ? loop->args[plan->step[i].clear - 1].dat : NULL;
        if (entry->bound->l != plan->step[i].loop)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "entry %d of the plan's step is loop %s, not %s", (int)i, loop->name,
                              entry->bound->loop->name);
        if (clear ? !entry->clear || strcmp(clear, entry->clear) != 0 : entry->clear != NULL)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "entry %d of the plan's step (%s) sets %s to zero first, not %s",
                              (int)i, loop->name, clear ? clear : "nothing",
                              entry->clear ? entry->clear : "nothing");
    }
    return MPLAN_OK;
}

/* Whether an entry of the plan's step has lag. */
static bool any_lag(const mplan_exec *exec)
{
    bool any = false;
    for (int32_t i = 0; exec->plan && i < exec->plan->n_step; i++)
        any = any || mplan_plan_get_lag(exec->plan, i);
    return any;
}

/* The caller's function before step `done`. Other ranks, which may wait for this one in theirs or behind it, learn where it fails. */
static mplan_status call_before(mplan_exec_before *before, void *user, mplan_exec *exec,
                                int64_t done, mplan_error *err)
{
    mplan_error late;
    err = err ? err : &late;
    err->text[0] = '\0';
    const mplan_status status = before(user, exec, done, err);
    if (status && exec->parts)
        exec->calls->tell(exec, status, err);
    return status;
}

/* n_steps of a call; group: steps that globals with lag wait for where there is no visit. */
static mplan_status run_steps(mplan_exec *exec, const mplan_exec_entry *entries, int32_t n_entries,
                              int64_t n_steps, int64_t group, mplan_error *err)
{
    if (n_entries < 0 || n_steps < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there cannot be %d entries, or %lld steps",
                          (int)n_entries, (long long)n_steps);
    step_run run = {exec, entries, n_entries, n_steps, 0, group > 0 ? group : 1, false};
    for (int32_t i = 0; i < n_entries; i++)
        if (!entries[i].bound || (!exec->parts && entries[i].bound->exec != exec))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "entry %d of the step is not a loop that is bound to this executor",
                              (int)i);
    const bool visits = exec->parts && exec->calls->makes_visits(exec);
    if (!exec->visit && !any_lag(exec) && !visits)
        return run_plainly(&run, err);
    mplan_status status = compare_step(&run, err);
    if (status || n_steps == 0)
        return status;
    if (visits)
        return exec->calls->steps(exec, entries, n_entries, n_steps, err);
    return exec->visit ? run_visits(&run, err) : run_plainly(&run, err);
}

mplan_status mplan_exec_steps_lagged(mplan_exec *exec, const mplan_exec_entry *entries,
                                     int32_t n_entries, int64_t n_steps, int64_t every,
                                     mplan_exec_before *before, void *user, mplan_error *err)
{
    MPLAN_NEED(exec);
    if (!any_lag(exec))
        MPLAN_NEED(before);
    if (n_entries > 0)
        MPLAN_NEED(entries);
    if (every < 0 || n_steps < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there cannot be %lld steps, or %lld at a time",
                          (long long)n_steps, (long long)every);
    mplan_status status = MPLAN_OK;
    if (every == 0 && exec->parts) /* `before` may be of all ranks together */
        status = exec->calls->agree_visits(exec, err);
    if (every == 0)
        every = exec->visit                                      ? exec->visit->record->steps
                : exec->parts && exec->calls->makes_visits(exec) ? exec->calls->makes_visits(exec)
                                                                 : 1;
    for (int64_t done = 0, n; done < n_steps && !status; done += n) {
        n = every < n_steps - done ? every : n_steps - done;
        status = before ? call_before(before, user, exec, done, err) : MPLAN_OK;
        if (!status)
            status = run_steps(exec, entries, n_entries, n, n, err);
    }
    return status;
}

int32_t mplan_exec_launch_streams(const mplan_exec *exec)
{
    return exec && exec->visit ? exec->visit->ran_streams : 0;
}

/* Entries in the order of the plan's step, n_steps times. Without a visit they are launched one after the other; with
 * one, slab by slab, and all dats are whole in memory of the host at the end. */
mplan_status mplan_exec_steps(mplan_exec *exec, const mplan_exec_entry *entries, int32_t n_entries,
                              int64_t n_steps, mplan_error *err)
{
    MPLAN_NEED(exec);
    if (n_entries > 0)
        MPLAN_NEED(entries);
    return run_steps(exec, entries, n_entries, n_steps, 1, err);
}
