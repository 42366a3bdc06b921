/* SPDX-License-Identifier: Apache-2.0 */
/* exec_parts_graph.c - steps of an executor of parts, captured with their exchanges: a graph for each device
 *
 * A graph exchanges what it found out of date when it was captured, so it must find no less out of date than any replay does:
 * dats that some loop of the plan changes count as out of date then; those that none changes are exchanged before. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "exec/ranks/exec_parts.h"

/* Whether a loop of the plan changes the dat. */
static bool is_changed(const mplan_exec_parts *parts, int32_t d)
{
    const mplan_plan *plan = parts->here[0].plan;
    const mplan_exec_dat *dat = &mplan_exec_parts_exec(parts, 0)->dats[d];
    for (int32_t l = 0; l < mplan_plan_n_loops(plan); l++) {
        const mplan_plan_loop *loop = mplan_plan_get_loop(plan, l);
        for (int32_t a = 0; a < loop->n_args; a++)
            if (loop->args[a].access != MPLAN_READ && strcmp(loop->args[a].dat, dat->name) == 0)
                return true;
    }
    return false;
}

/* Halos of dats that no loop changes. */
static mplan_status exchange_constants(mplan_exec_parts *parts, void *stream, mplan_error *err)
{
    int32_t n = 0;
    for (int32_t d = 0; d < parts->n_states; d++)
        if (!is_changed(parts, d) && mplan_exec_parts_is_stale(parts, d))
            parts->list[n++] = d;
    parts->early = false;
    mplan_status status = mplan_exec_parts_begin_exchange(parts, parts->list, n, stream, err);
    if (!status && n > 0)
        status = mplan_exec_parts_end_exchange(parts, stream, err);
    return status;
}

/* Halos of all dats that a loop changes are out of date. */
static void forget_halos(mplan_exec_parts *parts)
{
    for (int32_t d = 0; d < parts->n_states; d++)
        if (is_changed(parts, d))
            parts->states[d].times = -1;
}

/* --- capture --------------------------------------------------------------------------- */

/* What is captured: the caller's function, which launches on exec. */
typedef struct recording {
    mplan_exec *exec;
    mplan_status (*record)(void *user, void *stream, mplan_error *err);
    void *user;
} recording;

/* What it clears and nothing takes is zeroed by the graph. */
static mplan_status record_and_settle(void *user, void *stream, mplan_error *err)
{
    const recording *tape = user;
    const mplan_exec_parts *parts = tape->exec->parts;
    mplan_status status = tape->record(tape->user, stream, err);
    for (int32_t i = 0; i < parts->n_here && !status; i++) {
        status = mplan_exec_use(mplan_exec_parts_exec(parts, i), err);
        if (!status)
            status = mplan_exec_settle_in_stream(mplan_exec_parts_exec(parts, i),
                                                 mplan_exec_parts_stream(parts, i, stream), err);
    }
    return status;
}

/* The device of graph i, and the stream of it. */
static mplan_status use_lane(const mplan_exec_parts *parts, int32_t i, void **stream, mplan_error *err)
{
    const int32_t rank = mplan_exec_parts_first_rank(parts) + i;
    const int32_t first = parts->lanes ? parts->first_part[rank] - parts->here[0].part : 0;
    *stream = mplan_exec_parts_stream(parts, first, *stream);
    return mplan_exec_use(mplan_exec_parts_exec(parts, first), err);
}

/* All streams are captured side by side, by one thread; each is ended, also after a failure. */
static mplan_status capture_lanes(mplan_exec_parts *parts, recording *tape, mplan_parts_graph *made,
                                  mplan_error *err)
{
    void *stream = NULL;
    int32_t begun = 0;
    mplan_status status = MPLAN_OK;
    for (; begun < made->n && !status; begun += !status) {
        status = use_lane(parts, begun, &stream, err);
        if (!status)
            status = mplan_gpu_capture_begin(stream, err);
    }
    if (!status) {
        stream = NULL;
        status = use_lane(parts, 0, &stream, err);
    }
    if (!status)
        status = record_and_settle(tape, stream, err);
    for (int32_t i = 0; i < begun; i++) {
        const bool failed = status != MPLAN_OK;
        mplan_status ended = use_lane(parts, i, &stream, failed ? NULL : err);
        if (!ended)
            ended = mplan_gpu_capture_end(stream, &made->graph[i], failed ? NULL : err);
        status = failed ? status : ended;
    }
    for (int32_t i = 0; i < begun; i++) { /* not before all captures have ended */
        const bool failed = status != MPLAN_OK;
        void *captured = made->graph[i];
        made->graph[i] = NULL;
        mplan_status ready = use_lane(parts, i, &stream, failed ? NULL : err);
        if (!ready)
            ready = mplan_gpu_graph_make(captured, failed ? NULL : &made->graph[i],
                                         failed ? NULL : err);
        status = failed ? status : ready;
    }
    return status;
}

/* What is captured moves nothing: figures go to the graph, halos stay as they are. */
static mplan_status capture(mplan_exec_parts *parts, recording *tape, mplan_exec_graph *made,
                            mplan_error *err)
{
    mplan_exec *first = mplan_exec_parts_exec(parts, 0);
    mplan_parts_graph *own = made->parts;
    const mplan_parts_graph before = {.exchanges = parts->exchanges,
                                      .messages = parts->messages,
                                      .bytes = parts->bytes,
                                      .copied = parts->copied,
                                      .inside = parts->inside};
    for (int32_t d = 0; d < made->n_dats; d++)
        made->times[d] = first->dats[d].times;
    forget_halos(parts);
    parts->capturing = true;
    mplan_status status = parts->lanes
                              ? capture_lanes(parts, tape, own, err)
                              : mplan_gpu_capture(record_and_settle, tape, &own->graph[0], err);
    parts->capturing = false;
    parts->open = false; /* of an exchange that failed */
    if (!status)
        status = mplan_exec_parts_tables_upload(parts, err);
    for (int32_t d = 0; d < made->n_dats; d++) {
        made->times[d] = first->dats[d].times - made->times[d];
        own->level[d] = mplan_exec_parts_level(parts, d);
    }
    forget_halos(parts);
    own->exchanges = parts->exchanges - before.exchanges;
    own->messages = parts->messages - before.messages;
    own->bytes = parts->bytes - before.bytes;
    own->copied = parts->copied - before.copied;
    own->inside = parts->inside - before.inside;
    parts->exchanges = before.exchanges;
    parts->messages = before.messages;
    parts->bytes = before.bytes;
    parts->copied = before.copied;
    parts->inside = before.inside;
    return status;
}

/* Everything that launches would make on the way is there before. */
static mplan_status prepare(mplan_exec_parts *parts, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        status = mplan_exec_settle_all(mplan_exec_parts_exec(parts, i), err);
    status = mplan_exec_parts_reserve(parts, status, err);
    if (!status)
        status = exchange_constants(parts, NULL, err);
    for (int32_t i = 0; i < parts->n_here && !status; i++)
        status = mplan_exec_wait(mplan_exec_parts_exec(parts, i), err);
    return status ? status : mplan_exec_parts_peer_check(parts, err);
}

/* record is called once, while the streams of all lanes are captured side by side: a graph for each. Nothing runs but
 * what prepares it; halos of dats that the steps only read are exchanged before. Transports that cannot be captured,
 * and changes of globals, are refused. */
mplan_status mplan_exec_parts_capture(mplan_exec *exec,
                                      mplan_status (*record)(void *user, void *stream,
                                                             mplan_error *err),
                                      void *user, mplan_exec_graph **graph, mplan_error *err)
{
    assert(exec && record && graph);
    mplan_exec_parts *parts = exec->parts;
    if (exec->executor != MPLAN_EXECUTOR_CUDA)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "executor %s cannot capture graphs; only cuda can",
                          mplan_executor_name(exec->executor));
    if (parts->rank >= 0 && !parts->direct && !(parts->transport.can & MPLAN_TRANSPORT_CAPTURE))
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "steps over the transport %s cannot be captured into graphs",
                          parts->transport.name);
    if (parts->open)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "an exchange has begun and has not ended");
    mplan_status status = prepare(parts, err);
    if (status)
        return status;
    mplan_exec_graph *made = mplan_alloc_zero(1, sizeof *made, err);
    mplan_parts_graph *own = made ? mplan_alloc_zero(1, sizeof *own, err) : NULL;
    if (!own) {
        free(made);
        return MPLAN_ERR_MEMORY;
    }
    made->exec = exec;
    made->parts = own;
    made->n_dats = parts->n_states;
    made->times = mplan_alloc_zero(made->n_dats, sizeof *made->times, err);
    own->n = parts->lanes ? mplan_exec_parts_end_rank(parts) - mplan_exec_parts_first_rank(parts) : 1;
    own->graph = mplan_alloc_zero(own->n, sizeof *own->graph, err);
    own->level = mplan_alloc_zero(made->n_dats, sizeof *own->level, err);
    own->rooms = parts->rooms_made;
    status = made->times && own->graph && own->level ? MPLAN_OK : MPLAN_ERR_MEMORY;
    recording tape = {exec, record, user};
    if (!status)
        status = capture(parts, &tape, made, err);
    if (status)
        mplan_exec_parts_graph_free(made);
    else
        *graph = made;
    return status;
}

/* --- replays ---------------------------------------------------------------------------- */

/* All parts have launched what the graph holds. */
static void count(mplan_exec_parts *parts, const mplan_exec_graph *graph)
{
    const mplan_parts_graph *own = graph->parts;
    for (int32_t d = 0; d < graph->n_dats; d++) {
        for (int32_t i = 0; i < parts->n_here; i++)
            mplan_exec_parts_exec(parts, i)->dats[d].times += graph->times[d];
        if (is_changed(parts, d))
            mplan_exec_parts_set_level(parts, d, own->level[d]);
    }
    parts->exchanges += own->exchanges;
    parts->messages += own->messages;
    parts->bytes += own->bytes;
    parts->copied += own->copied;
    parts->inside += own->inside;
}

/* Before it: halos of dats that the graph only reads are brought up to date, since the graph has no exchange of them;
 * dats that are to be cleared are. A graph that would store into rooms that were released is refused. After it, halos count as the graph leaves them (`level`), and figures of exchanges
 * go up by what it holds. */
mplan_status mplan_exec_parts_replay(mplan_exec *exec, mplan_exec_graph *graph, void *stream,
                                     mplan_error *err)
{
    assert(exec && graph && graph->parts);
    mplan_exec_parts *parts = exec->parts;
    mplan_status status = mplan_exec_parts_check_stream(parts, stream, err);
    if (!status && parts->open)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "an exchange has begun and has not ended");
    if (!status)
        status = mplan_exec_parts_peer_check(parts, err);
    if (!status)
        status = exchange_constants(parts, stream, err);
    if (!status && graph->parts->rooms != parts->rooms_made)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT,
                            "dats were declared after steps were captured, and messages go elsewhere since: capture "
                            "the steps again");
    for (int32_t i = 0; i < parts->n_here && !status; i++) {
        status = mplan_exec_use(mplan_exec_parts_exec(parts, i), err);
        if (!status)
            status = mplan_exec_settle_in_stream(mplan_exec_parts_exec(parts, i),
                                                 mplan_exec_parts_stream(parts, i, stream), err);
    }
    if (!status)
        count(parts, graph);
    for (int32_t i = 0; i < graph->parts->n && !status; i++) {
        void *own = stream;
        status = use_lane(parts, i, &own, err);
        if (!status)
            status = mplan_gpu_replay(graph->parts->graph[i], own, err);
    }
    return status;
}

/* By the clock of the host, from when all devices are idle to when they are again. */
mplan_status mplan_exec_parts_time(mplan_exec *exec, mplan_exec_graph *graph, int32_t times,
                                   double *milliseconds, mplan_error *err)
{
    assert(exec && graph && milliseconds);
    mplan_status status = mplan_exec_parts_wait(exec, err);
    const double begin = mplan_clock();
    for (int32_t i = 0; i < times && !status; i++)
        status = mplan_exec_parts_replay(exec, graph, NULL, err);
    if (!status)
        status = mplan_exec_parts_wait(exec, err);
    *milliseconds = (mplan_clock() - begin) * 1e3;
    return status;
}

/* Also of what was captured halfway. */
void mplan_exec_parts_graph_free(mplan_exec_graph *graph)
{
    assert(graph && graph->parts);
    mplan_parts_graph *own = graph->parts;
    for (int32_t i = 0; own->graph && i < own->n; i++) {
        void *stream = NULL;
        if (own->graph[i] && use_lane(graph->exec->parts, i, &stream, NULL) == MPLAN_OK)
            mplan_gpu_graph_free(own->graph[i]);
    }
    free(own->graph);
    free(own->level);
    free(own);
    free(graph->times);
    free(graph);
}
