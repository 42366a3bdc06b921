/* SPDX-License-Identifier: Apache-2.0 */
/* exec_visit.c - opening the visit of a plan: windows for its streams
 *
 * formats/plan-format.md, VISIT. steps.c runs it. */
#include "exec/exec_visit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* Else the windows are memory of the host, of the same sizes (host_window.c), so that tests meet the same schedule. */
static bool on_device(const mplan_exec *exec)
{
    return exec->executor == MPLAN_EXECUTOR_CUDA;
}

/* --- what streams are --------------------------------------------------------------------- */

/* Bytes before each border of an array's stream. */
static mplan_status measure_array(mplan_exec *exec, visit_stream *stream, mplan_error *err)
{
    const mplan_plan *plan = exec->plan;
    const mplan_plan_stream *record = stream->record;
    static const int32_t small[] = {MPLAN_KIND_OWNER_OFFSETS, MPLAN_KIND_OWNER_BASE,
                                    MPLAN_KIND_OWNER_ESCAPE_OFFSETS, MPLAN_KIND_OWNER_ESCAPES,
                                    MPLAN_KIND_OWNER_PLAIN};
    mplan_slab_use use = {.arg = -1, .kind = record->kind, .map = record->map};
    const mplan_array *array = mplan_slab_array(plan, record->loop, record->kind, record->map);
    if (!array)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "the plan lacks the table %s",
                          mplan_kind_name((uint32_t)record->kind));
    stream->array = array->data;
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        if (record->kind == small[i])
            return MPLAN_OK;
    use.set = record->map >= 0 ? plan->maps[record->map].from
                               : mplan_slab_rows_of(plan, record->loop);
    stream->at = mplan_alloc((int64_t)plan->visit.slabs + 1, sizeof *stream->at, err);
    if (!stream->at)
        return MPLAN_ERR_MEMORY;
    for (int32_t b = 0; b <= plan->visit.slabs; b++)
        stream->at[b] = mplan_slab_array_at(plan, record->loop, &use,
                                            exec->visit->offsets[use.set][b]);
    return MPLAN_OK;
}

/* The same of a dat's, whose layout is the plan's. */
static mplan_status measure_dat(mplan_exec *exec, visit_stream *stream, mplan_error *err)
{
    const mplan_plan *plan = exec->plan;
    mplan_slab_place place;
    mplan_status status = mplan_slab_place_of(plan, stream->record->loop, stream->record->arg,
                                              &place, err);
    if (status)
        return status;
    const int64_t *offsets = exec->visit->offsets[place.set];
    stream->planes = place.planes;
    stream->at = mplan_alloc((int64_t)plan->visit.slabs + 1, sizeof *stream->at, err);
    if (!stream->at)
        return MPLAN_ERR_MEMORY;
    for (int32_t b = 0; b <= plan->visit.slabs; b++)
        stream->at[b] = offsets[b] == plan->sets[place.set].storage_size ? place.whole
                                                                         : offsets[b] * place.member;
    stream->store_plane = stream->at[plan->visit.slabs];
    return MPLAN_OK;
}

/* --- windows ---------------------------------------------------------------------------------- */

/* Addresses for all planes of a stream, each of whole windows. A window is filled with ones: freed slabs are NaN. */
static mplan_status make_window(mplan_exec *exec, visit_stream *stream, mplan_error *err)
{
    const int64_t all = stream->at[exec->visit->record->slabs];
    stream->window = stream->record->window / stream->planes;
    if (stream->window < 1)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "a stream of the plan has no window");
    const int64_t times = (all + stream->window - 1) / stream->window;
    stream->plane = (times > 0 ? times : 1) * stream->window;
    if (on_device(exec)) {
        void *base = NULL;
        mplan_status status = mplan_gpu_window_make(exec->device, stream->plane, stream->window,
                                                    stream->planes, &base, &stream->handle, err);
        stream->base = base;
        return status;
    }
    void *base = NULL;
    mplan_status status = mplan_host_window_make(stream->plane, stream->window, stream->planes,
                                                 &base, err);
    stream->base = base;
    for (int32_t p = 0; p < stream->planes && !status; p++)
        memset(stream->base + p * stream->plane, 0xff, (size_t)stream->window);
    return status;
}

/* Memory of the plan's from which a device can copy while it computes; else pieces that it can copy from are filled from it. */
static void pin_array(const mplan_exec *exec, visit_stream *stream)
{
    const int64_t bytes = stream->record->bytes;
    stream->registered = on_device(exec) && !exec->visit->unpinned && bytes > 0 &&
                         mplan_gpu_host_register(stream->array, bytes);
    stream->staged = !stream->registered && (on_device(exec) || exec->visit->unpinned);
}

/* Stream s of the plan: a dat of an arg, or an array of a loop's tables. dat and uploaded are -1 until a dat is
 * declared and its first slab has come. */
static mplan_status open_stream(mplan_exec *exec, int32_t s, mplan_error *err)
{
    visit_stream *stream = &exec->visit->streams[s];
    stream->record = &exec->plan->streams[s];
    stream->planes = 1;
    stream->dat = -1;
    stream->uploaded = -1;
    stream->file = -1;
    mplan_status status = stream->record->arg >= 0 ? measure_dat(exec, stream, err)
                                                   : measure_array(exec, stream, err);
    if (status || stream->record->ways == MPLAN_STREAM_RESIDENT)
        return status;
    if (!stream->at)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "stream %d of the plan has no slabs", (int)s);
    status = make_window(exec, stream, err);
    if (!status && stream->array)
        pin_array(exec, stream);
    return status;
}

/* --- the visit ----------------------------------------------------------------------------------- */

/* Where each stage begins. Numbers of slabs and streams are looked at here: launches and copies use them. */
static mplan_status read_events(mplan_exec *exec, mplan_error *err)
{
    mplan_exec_visit *visit = exec->visit;
    const mplan_plan *plan = exec->plan;
    const mplan_plan_visit *record = visit->record;
    const mplan_key key = mplan_key_of_plan(MPLAN_KIND_SCHEDULE);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    const int64_t positions = (int64_t)record->steps * plan->n_step;
    int32_t stages = 0;
    bool good = array != NULL && array->cols == 4;
    visit->event = good ? array->data : NULL;
    visit->n_stages = record->segments + 2;
    visit->stage = mplan_alloc((int64_t)visit->n_stages + 1, sizeof *visit->stage, err);
    if (!visit->stage)
        return MPLAN_ERR_MEMORY;
    for (int64_t e = 0; good && e < array->rows; e++) {
        const mplan_event *event = &visit->event[e];
        const int64_t most = event->kind == MPLAN_EVENT_STAGE    ? visit->n_stages
                             : event->kind == MPLAN_EVENT_LAUNCH ? positions
                                                                 : visit->n_streams;
        good = event->kind >= MPLAN_EVENT_STAGE && event->kind <= MPLAN_EVENT_FREE &&
               event->index >= 0 && event->index < most && event->first >= 0 &&
               event->first <= event->end && event->end <= record->slabs &&
               (e > 0 || event->kind == MPLAN_EVENT_STAGE);
        if (good && event->kind == MPLAN_EVENT_STAGE) {
            good = event->index == stages;
            visit->stage[stages++] = e;
        } else if (good && event->kind != MPLAN_EVENT_LAUNCH)
            good = visit->streams[event->index].base != NULL;
    }
    if (!good || stages != visit->n_stages)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "the schedule of the plan is damaged");
    visit->stage[stages] = array->rows;
    return MPLAN_OK;
}

/* SLAB_OFFSETS ascend from 0 to the set's places; where rows have slices these are whole. */
static mplan_status read_offsets(mplan_exec *exec, int32_t set, mplan_error *err)
{
    const mplan_plan *plan = exec->plan;
    int64_t rows = 0;
    const int64_t *offsets = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_SLAB_OFFSETS, set),
                                             MPLAN_TYPE_I64, &rows);
    const int64_t slice = mplan_slab_has_slices(plan, set) ? 32 : MPLAN_SLAB_LEAST;
    bool good = offsets && rows == (int64_t)plan->visit.slabs + 1 && offsets[0] == 0 &&
                offsets[plan->visit.slabs] == plan->sets[set].storage_size;
    for (int32_t b = 0; good && b < plan->visit.slabs; b++)
        good = offsets[b] <= offsets[b + 1] &&
               (offsets[b + 1] % slice == 0 || offsets[b + 1] == plan->sets[set].storage_size);
    if (!good)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "the slabs of set %s are damaged",
                          plan->sets[set].name);
    exec->visit->offsets[set] = offsets;
    return MPLAN_OK;
}

/* SLAB_PIECES ascend in each slab, where the set has them. */
static mplan_status read_pieces(mplan_exec *exec, int32_t set, mplan_error *err)
{
    enum { BORDERS = MPLAN_SLAB_PIECES - 1 };
    const mplan_plan *plan = exec->plan;
    const int64_t *offsets = exec->visit->offsets[set];
    int64_t rows = 0;
    const int32_t *begin = mplan_plan_data(plan, mplan_key_of_set(MPLAN_KIND_SLAB_PIECES, set),
                                           MPLAN_TYPE_I32, &rows);
    bool good = !begin || rows == plan->visit.slabs;
    for (int64_t b = 0; good && begin && b < rows; b++) {
        int64_t before = 0;
        for (int k = 0; good && k < BORDERS; before = begin[b * BORDERS + k], k++)
            good = begin[b * BORDERS + k] >= before;
        good = good && before <= offsets[b + 1] - offsets[b];
    }
    if (!good)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "the pieces of slabs of set %s are damaged",
                          plan->sets[set].name);
    exec->visit->pieces[set] = begin;
    return MPLAN_OK;
}

/* The plan says what it needs at most; a larger limit than it was made for changes nothing. */
static mplan_status check_limit(const mplan_exec *exec, int64_t device_memory, mplan_error *err)
{
    const mplan_plan_visit *record = mplan_plan_get_visit(exec->plan);
    if (!record)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the plan was not made for a limited device memory (--device-memory)");
    if (record->peak_bytes > device_memory)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the plan needs %lld bytes of the device, more than the %lld that are allowed",
                          (long long)record->peak_bytes, (long long)device_memory);
    if (exec->executor == MPLAN_EXECUTOR_SERIAL)
        return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                          "executor serial keeps all dats in memory; host, openmp and cuda can do with less");
    return MPLAN_OK;
}

/* Before any dat is declared. The windows of all streams are made here, once. */
mplan_status mplan_exec_open_visit(mplan_exec *exec, const mplan_exec_options *options,
                                   mplan_error *err)
{
    assert(exec && !exec->visit && options && options->device_memory > 0);
    mplan_status status = check_limit(exec, options->device_memory, err);
    if (status)
        return status;
    mplan_exec_visit *visit = mplan_alloc_zero(1, sizeof *visit, err);
    if (!visit)
        return MPLAN_ERR_MEMORY;
    exec->visit = visit;
    visit->record = mplan_plan_get_visit(exec->plan);
    visit->n_streams = mplan_plan_n_streams(exec->plan);
    visit->unpinned = options->unpinned;
    visit->launch_streams = options->launch_streams;
    visit->streams = mplan_alloc_zero(visit->n_streams, sizeof *visit->streams, err);
    visit->offsets = mplan_alloc_zero(exec->plan->n_sets, sizeof *visit->offsets, err);
    visit->pieces = mplan_alloc_zero(exec->plan->n_sets, sizeof *visit->pieces, err);
    status = visit->streams && visit->offsets && visit->pieces ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && options->store)
        status = mplan_store_open(options->store, &visit->store, err);
    for (int32_t s = 0; s < exec->plan->n_sets && !status; s++)
        status = read_offsets(exec, s, err);
    for (int32_t s = 0; s < exec->plan->n_sets && !status; s++)
        status = read_pieces(exec, s, err);
    for (int32_t s = 0; s < visit->n_streams && !status; s++)
        status = open_stream(exec, s, err);
    if (!status)
        status = read_events(exec, err);
    if (!status && on_device(exec))
        status = mplan_gpu_pipe_make(&visit->pipe, err);
    if (!status) /* what is kept beside the streams is counted where it is allocated */
        exec->bytes += visit->record->peak_bytes - mplan_slab_kept_bytes(exec->plan);
    return status;
}

/* The pipe goes first, since it copies between the windows. */
void mplan_exec_close_visit(mplan_exec *exec)
{
    assert(exec);
    mplan_exec_visit *visit = exec->visit;
    if (!visit)
        return;
    mplan_ring_free(visit->ring);
    if (visit->pipe)
        mplan_gpu_pipe_free(visit->pipe);
    for (int32_t s = 0; visit->streams && s < visit->n_streams; s++) {
        visit_stream *stream = &visit->streams[s];
        if (stream->registered)
            mplan_gpu_host_unregister(stream->array);
        if (stream->pinned)
            mplan_gpu_host_unregister(stream->pinned);
        if (stream->resident)
            mplan_gpu_free(stream->resident);
        if (stream->handle)
            mplan_gpu_window_free(stream->handle);
        else if (stream->base)
            mplan_host_window_free(stream->base, stream->plane * stream->planes);
        free(stream->at);
        free(stream->file_at);
        free(stream->file_end);
    }
    mplan_store_close(visit->store);
    free(visit->streams);
    free(visit->offsets);
    free(visit->pieces);
    free(visit->stage);
    free(visit);
    exec->visit = NULL;
}

/* --- what binding asks ------------------------------------------------------------------------ */

/* The stream that moves a dat of this name: all args of it have one. NULL: no loop of the step names it. */
static visit_stream *stream_of(const mplan_exec *exec, const char *name)
{
    for (int32_t s = 0; s < exec->visit->n_streams; s++) {
        visit_stream *stream = &exec->visit->streams[s];
        const mplan_plan_stream *record = stream->record;
        if (record->arg >= 0 &&
            strcmp(exec->plan->loops[record->loop].args[record->arg].dat, name) == 0)
            return stream;
    }
    return NULL;
}

/* Runs of slabs of a stream: borders between them are those at which events of the schedule begin or end, so that what a stage moves is a
 * few long pieces of the file, however thin slabs are. */
static mplan_status find_runs(const mplan_exec *exec, visit_stream *stream, mplan_error *err)
{
    const mplan_exec_visit *visit = exec->visit;
    const int32_t n = visit->record->slabs, own = (int32_t)(stream - visit->streams);
    bool *border = mplan_alloc_zero((int64_t)n + 1, sizeof *border, err);
    free(stream->file_end);
    stream->file_end = mplan_alloc(n, sizeof *stream->file_end, err);
    if (!border || !stream->file_end) {
        free(border);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t e = 0; e < visit->stage[visit->n_stages]; e++) {
        const mplan_event *event = &visit->event[e];
        if (event->kind != MPLAN_EVENT_STAGE && event->kind != MPLAN_EVENT_LAUNCH &&
            event->index == own)
            border[event->first] = border[event->end] = true;
    }
    for (int32_t s = n - 1, end = n; s >= 0; end = border[s] ? s : end, s--)
        stream->file_end[s] = end;
    free(border);
    return MPLAN_OK;
}

/* A range of the store in which every run of slabs of every plane begins at a unit, so that no two runs share one. */
static mplan_status reserve_file(mplan_exec *exec, visit_stream *stream, mplan_error *err)
{
    const int32_t n = exec->visit->record->slabs;
    mplan_status status = find_runs(exec, stream, err);
    stream->file_at = status ? NULL : mplan_alloc((int64_t)n + 1, sizeof *stream->file_at, err);
    if (!stream->file_at)
        return MPLAN_ERR_MEMORY;
    stream->file_at[0] = 0;
    for (int32_t s = 0; s < n; s++) {
        const int64_t next = stream->file_at[s] + stream->at[s + 1] - stream->at[s];
        stream->file_at[s + 1] = stream->file_end[s] == s + 1 ? mplan_store_whole(next) : next;
    }
    return mplan_store_reserve(exec->visit->store, stream->file_at[n] * stream->planes,
                               &stream->file, err);
}

/* Where a device computes: pinned memory as long as the system gives it. Dats that stay on the device have a copy in memory, too. */
mplan_status mplan_exec_visit_allocate(mplan_exec *exec, mplan_exec_dat *dat, mplan_error *err)
{
    assert(exec && exec->visit && dat && !dat->data);
    visit_stream *stream = stream_of(exec, dat->name);
    const bool moves = stream && stream->base;
    dat->stored = moves && exec->visit->store;
    dat->plain = exec->visit->unpinned;
    if (moves)
        stream->staged = dat->stored || dat->plain;
    if (dat->stored)
        return stream->file_at ? MPLAN_OK : reserve_file(exec, stream, err);
    if (on_device(exec) && !dat->plain) {
        if (mplan_gpu_host_alloc(mplan_exec_dat_bytes(dat), &dat->data, NULL) == MPLAN_OK)
            return MPLAN_OK;
        dat->data = NULL;
        dat->plain = true;
        if (moves)
            stream->staged = true;
    }
    dat->data = mplan_alloc_aligned(dat->storage_size * dat->dim, mplan_type_size(dat->type), err);
    return dat->data ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Joins a declared dat to the stream that moves it. */
mplan_status mplan_exec_visit_dat(mplan_exec *exec, int32_t dat, mplan_error *err)
{
    assert(exec && exec->visit && dat >= 0 && dat < exec->n_dats);
    mplan_exec_dat *own = &exec->dats[dat];
    visit_stream *stream = stream_of(exec, own->name);
    if (!stream)
        return MPLAN_OK;
    const mplan_plan_loop *loop = &exec->plan->loops[stream->record->loop];
    if (own->layout != loop->args[stream->record->arg].layout)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "dat %s must have the layout that the plan advises: its windows are made for it",
                          own->name);
    mplan_status status = MPLAN_OK;
    stream->dat = dat;
    if (!stream->base && on_device(exec))
        status = mplan_gpu_alloc(mplan_exec_dat_bytes(own), &stream->resident, err);
    own->window = stream->base       ? (void *)stream->base
                  : stream->resident ? stream->resident
                                     : own->data;
    own->window_plane = stream->base && stream->planes > 1
                            ? stream->plane / (int64_t)mplan_type_size(own->type)
                            : 0;
    return status;
}

/* Streams that stay on the device are uploaded again, as the dat has changed. */
void *mplan_exec_visit_adopt(mplan_exec *exec, int32_t dat)
{
    assert(exec && exec->visit && dat >= 0 && dat < exec->n_dats);
    mplan_exec_dat *own = &exec->dats[dat];
    visit_stream *stream = stream_of(exec, own->name);
    own->stored = false;
    if (!stream)
        return own->data;
    if (stream->pinned)
        mplan_gpu_host_unregister(stream->pinned);
    stream->pinned = NULL;
    free(stream->file_at);
    free(stream->file_end);
    stream->file_at = NULL;
    stream->file_end = NULL;
    stream->uploaded = -1;
    if (!stream->base && !stream->resident)
        own->window = own->data; /* of the host */
    if (!stream->base || !own->data)
        return own->window;
    if (on_device(exec) && !exec->visit->unpinned && mplan_exec_dat_bytes(own) > 0 &&
        mplan_gpu_host_register(own->data, mplan_exec_dat_bytes(own)))
        stream->pinned = own->data;
    stream->staged = !stream->pinned && (on_device(exec) || exec->visit->unpinned);
    return own->window;
}

/* Where kernels find an array of tables that is streamed: as if all of it were on the device (window.h); NULL: it is
 * not streamed. */
const void *mplan_exec_visit_array(const mplan_exec *exec, const mplan_key *key)
{
    assert(exec && key);
    for (int32_t s = 0; exec->visit && s < exec->visit->n_streams; s++) {
        const visit_stream *stream = &exec->visit->streams[s];
        const mplan_plan_stream *record = stream->record;
        if (record->arg >= 0 || !stream->base)
            continue;
        const mplan_array *array = mplan_slab_array(exec->plan, record->loop, record->kind,
                                                    record->map);
        if (array && mplan_key_compare(&array->key, key) == 0)
            return stream->base;
    }
    return NULL;
}

/* Only loops of the plan's step can run within a visit. */
mplan_status mplan_exec_visit_loop(const mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound && bound->exec->visit);
    const mplan_plan *plan = bound->exec->plan;
    bool found = false;
    for (int32_t i = 0; i < plan->n_step; i++)
        found = found || plan->step[i].loop == bound->l;
    if (!found)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s is not of the step of the plan, so its data are not on the device",
                          bound->loop->name);
    if (bound->v != bound->loop->default_variant)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "loop %s: the schedule of the plan is that of its default variant",
                          bound->loop->name);
    return MPLAN_OK;
}
