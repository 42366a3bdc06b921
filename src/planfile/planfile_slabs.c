/* SPDX-License-Identifier: Apache-2.0 */
/* planfile_slabs.c - what the records of a visit and its streams must agree on with the others
 *
 * Section 4 of formats/plan-format.md, VISIT and STREAMS. Whoever reads a plan may use the numbers as indices then; `verify`
 * proves that the schedule works. */
#include "planfile/planfile_layout.h"

#define BROKEN(kind_, row_, at_, ...) return mplan_fault_set(fault, kind_, row_, at_, __VA_ARGS__)

enum {
    /* Bytes of the members of the record VISIT, for the place in messages. */
    AT_SLABS = 0,
    AT_GRANULE = 4,
    AT_STEPS = 8,
    AT_SEGMENTS = 12,
    AT_SHIFT = 16,
    AT_PERIOD = 20,
    AT_MEMORY = 24
};
enum {
    /* Likewise of STREAMS. */
    AT_LOOP = 0,
    AT_ARG = 4,
    AT_KIND = 8,
    AT_MAP = 12,
    AT_WAYS = 16,
    AT_BYTES = 32,
    AT_WINDOW = 40
};
/* The largest numbers that the format has for a visit, as those of a request. */
enum { STEPS_MOST = 4096, SEGMENTS_MOST = 4096 };

/* What must hold of the one record VISIT by itself. A period is as long as the segments, or up to two stages longer
 * where arrivals and departures need stages of their own. */
static mplan_status check_visit(const mplan_plan *plan, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_VISIT;
    const mplan_plan_visit *visit = &plan->visit;
    const int64_t bytes[] = {visit->device_memory, visit->peak_bytes, visit->in_bytes,
                             visit->out_bytes,     visit->last_bytes, visit->host_bytes,
                             visit->predicted_ns,  visit->in_core_ns};
    if (plan->n_step == 0)
        BROKEN(kind, 0, AT_SLABS, "there is a visit, but no step");
    if (visit->granule < 32 || visit->granule % 32 != 0)
        BROKEN(kind, 0, AT_GRANULE, "slabs cannot begin at multiples of %d", (int)visit->granule);
    if (visit->steps < 1 || visit->steps > STEPS_MOST)
        BROKEN(kind, 0, AT_STEPS, "a visit cannot have %d steps", (int)visit->steps);
    if (visit->segments < 2 || visit->segments > SEGMENTS_MOST || visit->segments > visit->slabs)
        BROKEN(kind, 0, AT_SEGMENTS, "%d slabs cannot be taken in %d segments", (int)visit->slabs,
               (int)visit->segments);
    if (visit->step_shift < 0)
        BROKEN(kind, 0, AT_SHIFT, "a step cannot be %d slabs behind", (int)visit->step_shift);
    if (visit->period < visit->segments || visit->period > visit->segments + 2)
        BROKEN(kind, 0, AT_PERIOD, "%d segments cannot have a period of %d stages",
               (int)visit->segments, (int)visit->period);
    for (int i = 0; i < 8; i++)
        if (bytes[i] < 0)
            BROKEN(kind, 0, AT_MEMORY + 8 * i, "a number of the visit is negative");
    return MPLAN_OK;
}

/* A dat by an arg of a loop, or an array of a map or of a loop's default variant. Exactly one of: arg >= 0 with a loop
 * and kind 0; map >= 0 with loop -1 and kind MAP_VALUES; neither, with a loop and a kind of owner-gather. */
static mplan_status check_stream(const mplan_plan *plan, int32_t i, mplan_fault *fault)
{
    const uint32_t kind = MPLAN_KIND_STREAMS;
    const mplan_plan_stream *stream = &plan->streams[i];
    const bool dat = stream->arg >= 0, map = stream->map >= 0;
    if (stream->loop < -1 || stream->loop >= plan->n_loops || (stream->loop == -1) != map)
        BROKEN(kind, i, AT_LOOP, "the loop of stream %d does not exist", (int)i);
    if (stream->arg < -1 ||
        (dat && (map || stream->arg >= plan->loops[stream->loop].n_args ||
                 plan->loops[stream->loop].args[stream->arg].map == MPLAN_MAP_GLOBAL)))
        BROKEN(kind, i, AT_ARG, "the arg of stream %d does not exist, or is of a global", (int)i);
    if (dat   ? stream->kind != 0
        : map ? stream->kind != MPLAN_KIND_MAP_VALUES
              : stream->kind < MPLAN_KIND_OWNER_OFFSETS || stream->kind > MPLAN_KIND_OWNER_PLAIN)
        BROKEN(kind, i, AT_KIND, "stream %d is of an array that cannot be one", (int)i);
    if (stream->map < -1 || stream->map >= plan->n_maps)
        BROKEN(kind, i, AT_MAP, "the map of stream %d does not exist", (int)i);
    if (stream->ways != MPLAN_STREAM_IN && stream->ways != (MPLAN_STREAM_IN | MPLAN_STREAM_OUT) &&
        stream->ways != MPLAN_STREAM_LAST && stream->ways != MPLAN_STREAM_RESIDENT)
        BROKEN(kind, i, AT_WAYS, "stream %d has unknown ways", (int)i);
    if (stream->bytes < 0)
        BROKEN(kind, i, AT_BYTES, "stream %d has less than no bytes", (int)i);
    if (stream->window < 0)
        BROKEN(kind, i, AT_WINDOW, "stream %d has a window of less than no bytes", (int)i);
    return MPLAN_OK;
}

/* What the reader proves of slabs without their arrays; check_slabs.c and check_visit.c replay the schedule. */
mplan_status mplan_rules_slabs(const mplan_plan *plan, mplan_fault *fault)
{
    mplan_status status = mplan_plan_has_slabs(plan) ? check_visit(plan, fault) : MPLAN_OK;
    for (int32_t i = 0; i < plan->n_streams && !status; i++)
        status = check_stream(plan, i, fault);
    return status;
}
