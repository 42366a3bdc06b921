/* SPDX-License-Identifier: Apache-2.0 */
/* plan_visit.c - the visit of a plan for a limited device memory, in words, as JSON and as a picture */
#include "cli/plan_visit.h"

#include <stdio.h>
#include <string.h>

#include "cli/message.h"

enum { COLUMNS = 64, ROWS = 40 };

/* Slower than in memory by more than this is said plainly. */
#define SLOW 1.25

/* --- the picture ------------------------------------------------------------------------------- */

/* Marks of slabs [first, end) in a row; a mark goes before those with lower places in `order`. */
static void draw(char *row, int32_t n_slabs, int32_t first, int32_t end, char mark)
{
    static const char order[] = " .<>#";
    const int64_t begin = (int64_t)first * COLUMNS / n_slabs;
    const int64_t stop = ((int64_t)end * COLUMNS + n_slabs - 1) / n_slabs;
    for (int64_t c = begin; c < stop; c++)
        if (strchr(order, mark) > strchr(order, row[c]))
            row[c] = mark;
}

/* A row of `stage` for what enters (>), is there (.), runs (#) and leaves (<) of the first stream that moves. */
static void draw_stage(const mplan_plan_visit *visit, const mplan_event *event, int64_t n,
                       int32_t stream, int32_t stage, char *row)
{
    int32_t now = -1, entered = 0, left = 0;
    memset(row, ' ', COLUMNS);
    row[COLUMNS] = '\0';
    for (int64_t e = 0; e < n && now <= stage; e++) {
        now += event[e].kind == MPLAN_EVENT_STAGE;
        const bool own = event[e].index == stream, here = now == stage;
        if (event[e].kind == MPLAN_EVENT_IN && own && now < stage)
            entered = event[e].end;
        if ((event[e].kind == MPLAN_EVENT_OUT || event[e].kind == MPLAN_EVENT_FREE) && own &&
            now < stage)
            left = event[e].end;
        if (here && event[e].kind == MPLAN_EVENT_STAGE)
            draw(row, visit->slabs, left, entered, '.');
        if (here && event[e].kind == MPLAN_EVENT_LAUNCH)
            draw(row, visit->slabs, event[e].first, event[e].end, '#');
        if (here && event[e].kind == MPLAN_EVENT_IN && own)
            draw(row, visit->slabs, event[e].first, event[e].end, '>');
        if (here && event[e].kind == MPLAN_EVENT_OUT && own)
            draw(row, visit->slabs, event[e].first, event[e].end, '<');
    }
}

/* Time goes down, slabs from left to right; of many stages some. */
static void report_picture(const mplan_plan *plan, const mplan_plan_visit *visit)
{
    const mplan_key key = MPLAN_KEY_INIT(MPLAN_KIND_SCHEDULE);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    const int32_t stages = visit->segments + 2, every = (stages + ROWS - 1) / ROWS;
    int32_t stream = 0;
    while (stream < mplan_plan_n_streams(plan) &&
           !(mplan_plan_get_stream(plan, stream)->ways & (MPLAN_STREAM_OUT | MPLAN_STREAM_LAST)))
        stream++;
    if (!array || array->cols != 4 || stream == mplan_plan_n_streams(plan))
        return;
    const mplan_plan_stream *about = mplan_plan_get_stream(plan, stream);
    printf("  stages, and slabs from left to right: # runs, of dat %s > comes in, . is there, < comes out\n",
           cli_shown(mplan_plan_get_loop(plan, about->loop)->args[about->arg].dat));
    for (int32_t j = 0; j < stages; j += every) {
        char row[COLUMNS + 1];
        draw_stage(visit, array->data, array->rows, stream, j, row);
        printf("  %4d |%s|\n", (int)j, row);
    }
}

/* --- words ---------------------------------------------------------------------------------------- */

/* In units of 2^20 bytes, as the report says them. */
static double mega(int64_t bytes)
{
    return (double)bytes / (1 << 20);
}

/* Of dats and arrays that go through the device, or stay there. */
static int64_t all_bytes(const mplan_plan *plan)
{
    int64_t bytes = 0;
    for (int32_t s = 0; s < mplan_plan_n_streams(plan); s++)
        bytes += mplan_plan_get_stream(plan, s)->bytes;
    return bytes;
}

/* Nothing for a plan without limited device memory. */
void cli_plan_visit_report(const mplan_plan *plan)
{
    const mplan_plan_visit *visit = mplan_plan_get_visit(plan);
    if (!visit)
        return;
    printf("limited device memory: %d slabs in %d segments, %d steps on the way of each, one step %d slabs behind the other\n",
           (int)visit->slabs, (int)visit->segments, (int)visit->steps, (int)visit->step_shift);
    printf("  windows of %.1f MiB, limit %.1f MiB; dats in memory of the host %.1f MiB\n",
           mega(visit->peak_bytes), mega(visit->device_memory), mega(visit->host_bytes));
    printf("  a visit moves %.1f MiB in and %.1f MiB out, the last one %.1f MiB more; it begins every %d stages\n",
           mega(visit->in_bytes), mega(visit->out_bytes), mega(visit->last_bytes),
           (int)visit->period);
    if (visit->in_core_ns > 0) {
        const double ratio = (double)visit->predicted_ns / (double)visit->in_core_ns;
        printf("  predicted: %.1f us a step, %.2f times as long as with all data on the device (%.1f us)%s\n",
               (double)visit->predicted_ns * 1e-3, ratio, (double)visit->in_core_ns * 1e-3,
               ratio > SLOW ? "; this is slow" : "");
    }
    if (all_bytes(plan) <= visit->device_memory)
        printf("  all that goes through the device, %.1f MiB, is no more than the limit: without a limit a plan needs no schedule\n",
               mega(all_bytes(plan)));
    report_picture(plan, visit);
}

/* --- JSON -------------------------------------------------------------------------------------------- */

/* A dat's stream has loop and arg, a map's has map; what a stream lacks is null. */
static void stream_json(cli_json *json, const mplan_plan *plan, const mplan_plan_stream *stream)
{
    static const struct {
        int32_t way;
        const char *word;
    } ways[] = {{MPLAN_STREAM_IN, "in"},
                {MPLAN_STREAM_IN | MPLAN_STREAM_OUT, "in and out"},
                {MPLAN_STREAM_LAST, "out at last"},
                {MPLAN_STREAM_RESIDENT, "resident"}};
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "dat",
                  stream->arg < 0 ? NULL
                                  : mplan_plan_get_loop(plan, stream->loop)->args[stream->arg].dat);
    cli_json_text(json, "map", stream->map < 0 ? NULL : mplan_plan_get_map(plan, stream->map)->name);
    cli_json_text(json, "loop",
                  stream->loop < 0 ? NULL : mplan_plan_get_loop(plan, stream->loop)->name);
    cli_json_int(json, "kind", stream->kind);
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        if (ways[w].way == stream->ways)
            cli_json_text(json, "ways", ways[w].word);
    cli_json_int(json, "enters", stream->enters);
    cli_json_int(json, "leaves", stream->leaves);
    cli_json_int(json, "bytes", stream->bytes);
    cli_json_int(json, "window", stream->window);
    cli_json_close(json, '}');
}

/* Keys "visit" and "streams", in an object that is open; none for a plan without a visit. */
void cli_plan_visit_json(cli_json *json, const mplan_plan *plan)
{
    const mplan_plan_visit *visit = mplan_plan_get_visit(plan);
    if (!visit)
        return;
    cli_json_open(json, "visit", '{');
    cli_json_int(json, "slabs", visit->slabs);
    cli_json_int(json, "granule", visit->granule);
    cli_json_int(json, "steps", visit->steps);
    cli_json_int(json, "segments", visit->segments);
    cli_json_int(json, "step_shift", visit->step_shift);
    cli_json_int(json, "period", visit->period);
    cli_json_int(json, "device_memory", visit->device_memory);
    cli_json_int(json, "peak_bytes", visit->peak_bytes);
    cli_json_int(json, "in_bytes", visit->in_bytes);
    cli_json_int(json, "out_bytes", visit->out_bytes);
    cli_json_int(json, "last_bytes", visit->last_bytes);
    cli_json_int(json, "host_bytes", visit->host_bytes);
    cli_json_int(json, "predicted_ns", visit->predicted_ns);
    cli_json_int(json, "in_core_ns", visit->in_core_ns);
    cli_json_open(json, "shifts", '[');
    for (int32_t i = 0; i < mplan_plan_n_step(plan); i++)
        cli_json_int(json, NULL, mplan_plan_get_shift(plan, i));
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_open(json, "streams", '[');
    for (int32_t s = 0; s < mplan_plan_n_streams(plan); s++)
        stream_json(json, plan, mplan_plan_get_stream(plan, s));
    cli_json_close(json, ']');
}
