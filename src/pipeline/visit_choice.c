/* SPDX-License-Identifier: Apache-2.0 */
/* visit_choice.c - steps and segments of a visit, and the windows that they need
 *
 * A stage takes as long as the slowest of what runs in it: T = max(time of the link, steps x T1 + launches x (time of a launch) + a
 * tenth of the link's), where T1 is a step in the device's memory: while bytes come and go kernels are slower, on an H100 by 8 to 13 % in five
 * meshes of 60 million and more (tools/gpu/RESULTS.md). The link takes bytes / rate for the way with more of them; its rate is that of one way where at
 * most half as many go back, that of both ways at once where as many do, and between the two the time grows with what goes back; where a visit begins later than every `segments`
 * stages, the device waits for a segment to come in.
 *
 * With two streams of launches (exec/steps.c) what a launch costs beyond its work is hidden where the other half of the steps has work then,
 * at most as much as that is: two launches, one of either half, take twice their work, or once their work and what a launch costs. While a segment
 * comes in only one half has launches, because the segment takes places that the later half has just left; so it is the time beyond the link's in which
 * both have. Where a visit waits, its first segment has no later half beside it, its last no first half. Airfoil of 16 million cells within a
 * quarter, 16 steps: 4,332 us by this with 4.5 us a launch, 4,291 measured (one stream: 4,656 and 4,801); hexes of 64 million, 24 steps:
 * 10,503 and 10,393 (one: 10,546 and 10,394).
 *
 * Rates are those of the device's profile where it was measured (meshplan device). Else: an
 * H200 on PCIe 5 moves 50.7 GB/s each way at once (an H100 50.6 to 52.9), and a launch of a range costs 6 us, measured; other links are
 * scaled from the rates of their generation, and not measured. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "pipeline/visit.h"

enum { SEGMENTS_MOST = 64, EVENTS_MOST = 1 << 24 };
/* CUDA maps memory in pieces of 2 MiB. Where the limit is below SMALL_LIMIT the plan is for tests on the host, and windows
 * are finer. */
enum { WINDOW = 2 << 20, SMALL_WINDOW = 64 << 10, SMALL_LIMIT = 256 << 20 };

/* Seconds that a launch of a range costs beyond its work. */
static double launch_seconds(const mplan_device *device)
{
    return device->launch > 0 ? device->launch : device->warp == 1 ? 1e-6 : 6e-6;
}

/* Bytes per second between host and device, of one way; see the head for what was measured. */
double mplan_visit_link_rate(const mplan_device *device)
{
    assert(device);
    if (device->link > 0)
        return device->link;
    static const struct {
        const char *name;
        double rate;
    } links[] = {{"h200", 50.7e9}, {"h100", 50.7e9}, {"b200", 50.7e9},  {"gb200", 200e9},
                 {"a100", 24e9},   {"l40s", 24e9},   {"rtx4090", 24e9}, {"rtx5090", 50e9},
                 {"v100", 12e9},   {"p100", 12e9},   {"mi300x", 50e9},  {"cpu", 5e9}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (strcmp(links[i].name, device->name) == 0)
            return links[i].rate;
    return 24e9;
}

/* unit > 0. */
static int64_t round_up(int64_t bytes, int64_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Streams whose slabs go back to the host. */
static bool comes_out(const visit_stream *stream)
{
    return stream->record.ways & (MPLAN_STREAM_OUT | MPLAN_STREAM_LAST);
}

/* --- what streams are, before steps and segments are known ------------------------------------- */

/* Ways of a stream: what is written comes out, but for what every visit writes before it reads it, which comes out once. */
static uint32_t ways_of(const visit_stream *stream)
{
    if (!stream->at)
        return MPLAN_STREAM_RESIDENT;
    if (!stream->written)
        return MPLAN_STREAM_IN;
    return stream->whole ? MPLAN_STREAM_LAST : MPLAN_STREAM_IN | MPLAN_STREAM_OUT;
}

/* enters and leaves of every stream for so many steps: from the first access to the last one. */
static void find_ends(visit_plan *visit, int32_t steps)
{
    const int32_t last = (steps - 1) * visit->step_shift;
    for (int32_t s = 0; s < visit->n_streams; s++) {
        visit->streams[s].record.enters = INT32_MAX;
        visit->streams[s].record.leaves = INT32_MIN;
    }
    for (int32_t i = 0; i < visit->plan->n_step; i++)
        for (int64_t u = visit->begin[i]; u < visit->begin[i + 1]; u++) {
            mplan_plan_stream *record = &visit->streams[visit->use[u].stream].record;
            const int32_t enters = visit->shift[i] - visit->use[u].reach;
            const int32_t leaves = visit->shift[i] + last + visit->use[u].reach;
            record->enters = enters < record->enters ? enters : record->enters;
            record->leaves = leaves > record->leaves ? leaves : record->leaves;
        }
    for (int32_t s = 0; s < visit->n_streams; s++)
        if (!visit->streams[s].at)
            visit->streams[s].record.enters = visit->streams[s].record.leaves = 0;
}

/* --- windows ---------------------------------------------------------------------------------------- */

/* Slabs [*first, *end) of a stream that are in its window at stage j, those that come in and out meanwhile included. */
static void span_at(const visit_plan *visit, const visit_choice *choice, const visit_stream *stream,
                    int32_t j, int32_t *first, int32_t *end)
{
    *first = mplan_visit_left(visit, choice, stream, comes_out(stream) ? j - 2 : j - 1);
    *end = mplan_visit_entered(visit, choice, stream, j + 1);
}

/* Bytes of the window of a plane: the most that is there at a time, stretched so that a whole number of windows ends just
 * behind the last slab; then the next visit may begin where this one ends. */
static int64_t window_of(const visit_plan *visit, const visit_choice *choice,
                         const visit_stream *stream)
{
    const int64_t all = stream->at[visit->plan->visit.slabs];
    int64_t most = 1;
    for (int32_t j = 0; j < choice->segments + 2; j++) {
        int32_t first, end;
        span_at(visit, choice, stream, j, &first, &end);
        const int64_t bytes = stream->at[end] - stream->at[first];
        most = bytes > most ? bytes : most;
    }
    most = round_up(most, visit->unit);
    if (most >= all)
        return round_up(all > 0 ? all : 1, visit->unit);
    const int64_t times = all / most;
    return round_up((all + times - 1) / times, visit->unit);
}

/* Whether bytes [a, a + n) and [b, b + m) share a place of a window. n, m: at most the window. */
static bool share_place(int64_t window, int64_t a, int64_t n, int64_t b, int64_t m)
{
    if (n == 0 || m == 0)
        return false;
    const int64_t gap = ((b - a) % window + window) % window; /* from a to the next place of b */
    return gap < n || gap + m > window;
}

/* Whether the next visit may begin `period` stages after this one: its slabs have room, and have come out. */
static bool may_follow(const visit_plan *visit, const visit_choice *choice, int32_t period)
{
    for (int32_t s = 0; s < visit->n_streams; s++) {
        const visit_stream *stream = &visit->streams[s];
        if (stream->record.ways & MPLAN_STREAM_RESIDENT)
            continue;
        for (int32_t j = period; j < choice->segments + 2; j++) {
            int32_t first, end, next_first, next_end;
            span_at(visit, choice, stream, j, &first, &end);
            span_at(visit, choice, stream, j - period, &next_first, &next_end);
            if (next_end > first ||
                share_place(stream->record.window / stream->planes, stream->at[first],
                            stream->at[end] - stream->at[first], stream->at[next_first],
                            stream->at[next_end] - stream->at[next_first]))
                return false;
        }
    }
    return true;
}

/* --- one choice of steps and segments ------------------------------------------------------------ */

/* Borders between segments, such that they move about as many bytes each. false: fewer slabs than segments. */
static bool place_borders(const visit_plan *visit, visit_choice *choice)
{
    const int32_t n = visit->plan->visit.slabs, count = choice->segments;
    if (count > n)
        return false;
    double all = 0;
    for (int32_t s = 0; s < visit->n_streams; s++)
        if (visit->streams[s].at)
            all += (double)visit->streams[s].record.bytes;
    int32_t slab = 0;
    choice->border[0] = 0;
    for (int32_t v = 1; v < count; v++) {
        for (slab = choice->border[v - 1] + 1; slab < n - (count - v); slab++) {
            double before = 0;
            for (int32_t s = 0; s < visit->n_streams; s++)
                if (visit->streams[s].at)
                    before += (double)(visit->streams[s].at[slab] * visit->streams[s].planes);
            if (before >= all * v / count)
                break;
        }
        choice->border[v] = slab;
    }
    choice->border[count] = n;
    return true;
}

/* Static streams stay on the device whole while memory is left, those first that need least beyond their windows. Returns the
 * bytes of all. */
static int64_t keep_static(visit_plan *visit, int64_t peak)
{
    for (;;) {
        visit_stream *best = NULL;
        double least = HUGE_VAL;
        for (int32_t s = 0; s < visit->n_streams; s++) {
            visit_stream *stream = &visit->streams[s];
            const double more = (double)(stream->record.bytes - stream->record.window) /
                                (double)(stream->record.bytes + 1);
            if (stream->record.ways == MPLAN_STREAM_IN && more < least &&
                peak - stream->record.window + stream->record.bytes <=
                    visit->plan->visit.device_memory) {
                best = stream;
                least = more;
            }
        }
        if (!best)
            return peak;
        peak += best->record.bytes - best->record.window;
        best->record.ways = MPLAN_STREAM_RESIDENT;
        best->record.window = best->record.bytes;
    }
}

/* Bytes that a visit moves in and out, and those of its last one. */
static void count_bytes(const visit_plan *visit, mplan_plan_visit *out)
{
    out->in_bytes = out->out_bytes = out->last_bytes = out->host_bytes = 0;
    for (int32_t s = 0; s < visit->n_streams; s++) {
        const mplan_plan_stream *record = &visit->streams[s].record;
        out->in_bytes += record->ways & MPLAN_STREAM_IN ? record->bytes : 0;
        out->out_bytes += record->ways & MPLAN_STREAM_OUT ? record->bytes : 0;
        out->last_bytes += record->ways & MPLAN_STREAM_LAST ? record->bytes : 0;
        out->host_bytes += record->arg >= 0 ? record->bytes : 0;
    }
}

/* Seconds by which kernels are slower for each second in which the link moves bytes: the memory has both. */
static const double KERNELS_BESIDE_COPIES = 0.1;

/* Seconds that the link needs for the bytes of a visit; see the head. */
static double link_seconds(const visit_plan *visit, const mplan_plan_visit *bytes)
{
    const double most = (double)(bytes->in_bytes > bytes->out_bytes ? bytes->in_bytes
                                                                    : bytes->out_bytes);
    const double least = (double)(bytes->in_bytes > bytes->out_bytes ? bytes->out_bytes
                                                                     : bytes->in_bytes);
    const double beyond = 2 * least > most ? (2 * least - most) / most : 0; /* 0: half; 1: as many */
    return most * ((1 - beyond) / visit->link_rate + beyond / visit->link_both);
}

/* Whether the later half of the steps has launches in a stream of its own (exec/steps.c): not where a loop has layers or a global with
 * lag, nor where one stream is asked for; on the host halves take turns, and nothing is hidden. */
static bool has_two_streams(const visit_plan *visit, int32_t steps)
{
    const mplan_plan *plan = visit->plan;
    bool two = visit->asked->launch_streams != 1 && visit->device->warp != 1 &&
               (int64_t)steps * plan->n_step > 1;
    for (int32_t i = 0; i < plan->n_step; i++)
        two = two && plan->loops[plan->step[i].loop].layering == 0 && !mplan_plan_get_lag(plan, i);
    return two;
}

/* Seconds of a visit; link: those that the link needs. See the head. */
static double visit_seconds(const visit_plan *visit, const visit_choice *choice, int64_t launches,
                            double link)
{
    const double beside = visit->device->warp == 1 ? 0 : KERNELS_BESIDE_COPIES * link;
    const double work = choice->steps * visit->step_seconds + beside;
    const double gaps = (double)launches * visit->launch;
    /* stages in which a segment only comes in */
    const int32_t waits = choice->period - choice->segments;
    const double one = work + gaps;
    double both = 0; /* of the time of one stream, in which the other half has launches, too */
    if (has_two_streams(visit, choice->steps) && one > link)
        both = (one - link) * (waits > 0 ? 1 - 1.0 / choice->segments : 1);
    const double there = both * fmax(work / one, 0.5);
    return fmax(one - both + there, link) + link * waits / choice->segments;
}

/* Windows, memory and time of the steps and segments of `choice`. false: fewer slabs than segments, or too many
 * events. */
static bool try_choice(visit_plan *visit, visit_choice *choice)
{
    const int64_t launches = (int64_t)choice->steps * visit->plan->n_step * choice->segments;
    mplan_plan_visit bytes;
    if (launches > EVENTS_MOST || !place_borders(visit, choice))
        return false;
    find_ends(visit, choice->steps);
    choice->peak = mplan_slab_kept_bytes(visit->plan);
    for (int32_t s = 0; s < visit->n_streams; s++) {
        visit_stream *stream = &visit->streams[s];
        stream->record.ways = (int32_t)ways_of(stream);
        stream->record.window = stream->at ? window_of(visit, choice, stream) * stream->planes
                                           : stream->record.bytes;
        choice->peak += stream->record.window;
    }
    if (choice->peak <= visit->plan->visit.device_memory)
        choice->peak = keep_static(visit, choice->peak);
    choice->period = choice->segments;
    while (!may_follow(visit, choice, choice->period))
        choice->period++;
    count_bytes(visit, &bytes);
    choice->seconds = visit_seconds(visit, choice, launches, link_seconds(visit, &bytes)) /
                      choice->steps;
    return true;
}

/* --- the best ------------------------------------------------------------------------------------- */

/* Why no choice serves. peak: the least that a choice needs; 0: none was possible. */
static mplan_status refuse(const visit_plan *visit, int64_t peak, mplan_error *err)
{
    const mplan_plan_options *asked = visit->asked;
    const mplan_plan_visit *own = &visit->plan->visit;
    const int32_t segments = asked->segments ? asked->segments : 2;
    const int32_t steps = asked->steps_per_visit ? asked->steps_per_visit : 1;
    if (peak == 0 && segments > own->slabs)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the %s has %d %s, which is too few for %d segments",
                          mplan_plan_is_part(visit->plan) ? "mesh of a part" : "mesh",
                          (int)own->slabs, own->slabs == 1 ? "slab" : "slabs", (int)segments);
    if (peak == 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a visit of %d %s in %d segments has %lld launches, more than the %d that it may have",
                          (int)steps, steps == 1 ? "step" : "steps", (int)segments,
                          (long long)steps * visit->plan->n_step * segments, (int)EVENTS_MOST);
    return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                      "device-memory of %lld bytes is too little: a visit of %d slabs needs %lld or more%s",
                      (long long)own->device_memory, (int)own->slabs, (long long)peak,
                      asked->steps_per_visit || asked->segments
                          ? "; steps-per-visit and segments that are chosen may need less"
                          : "; larger meshes have more slabs, and need a smaller part of their data");
}

int32_t mplan_visit_choice_steps(int32_t k)
{
    /* between powers of two: where twice the steps do not fit, some more may take the link out of the way */
    static const int32_t steps[MPLAN_VISIT_CHOICES] = {
        1,  2,  3,  4,  5,  6,  7,  8,  10,  12,  14,  16,  20,  24,
        28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, MPLAN_VISIT_STEPS_MOST};
    assert(k >= 0 && k < MPLAN_VISIT_CHOICES);
    return steps[k];
}

/* Takes a choice that fits over where it is faster than the best so far; the border stays. */
static void take_faster(const visit_choice *other, visit_choice *best)
{
    if (other->seconds < 0.999 * best->seconds)
        *best = (visit_choice){other->steps, other->segments, other->period,
                               best->border, other->seconds,  other->peak};
}

/* The fastest of all that fit; equal ones: the first, which has fewer steps, then fewer segments. Those of the wish come before. Segments of
 * equally many steps are compared with one another only: so they are the same whether the steps were chosen, asked for or wished. */
static mplan_status search(visit_plan *visit, visit_choice *trial, visit_choice *best,
                           mplan_error *err)
{
    static const int32_t segments[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,           13,
                                       14, 15, 16, 18, 20, 22, 24, 28, 32, 48, SEGMENTS_MOST};
    const mplan_plan_options *asked = visit->asked;
    mplan_visit_wish *wish = visit->wish;
    visit_choice wished = {.seconds = HUGE_VAL};
    int64_t least = 0;
    best->seconds = HUGE_VAL;
    for (int32_t k = 0; k < MPLAN_VISIT_CHOICES; k++) {
        visit_choice own = {.seconds = HUGE_VAL};
        for (size_t g = 0; g < sizeof segments / sizeof *segments; g++) {
            trial->steps = asked->steps_per_visit ? asked->steps_per_visit
                                                  : mplan_visit_choice_steps(k);
            trial->segments = asked->segments ? asked->segments : segments[g];
            if ((asked->steps_per_visit && k > 0) || (asked->segments && g > 0) ||
                trial->steps > visit->most_steps || !try_choice(visit, trial))
                continue;
            least = !least || trial->peak < least ? trial->peak : least;
            if (trial->peak > visit->plan->visit.device_memory)
                continue;
            take_faster(trial, &own);
        }
        take_faster(&own, best);
        if (wish)
            wish->seconds[k] = own.seconds;
        if (wish && own.steps == wish->steps)
            wished = own;
    }
    if (wished.seconds < HUGE_VAL) {
        wished.border = best->border;
        *best = wished;
    }
    return best->seconds < HUGE_VAL ? MPLAN_OK : refuse(visit, least, err);
}

/* The number of steps and segments with the least predicted time among those that fit into the device memory, or those
 * that are asked for. *choice is set only then. */
mplan_status mplan_visit_choose(visit_plan *visit, visit_choice *choice, mplan_error *err)
{
    assert(visit && choice && !choice->border);
    const mplan_plan_options *asked = visit->asked;
    mplan_plan_visit *out = &visit->plan->visit;
    const int32_t most = asked->segments > SEGMENTS_MOST ? asked->segments : SEGMENTS_MOST;
    visit_choice trial = {.border = mplan_alloc((int64_t)most + 1, sizeof *trial.border, err)};
    if (!trial.border)
        return MPLAN_ERR_MEMORY;
    out->device_memory = asked->device_memory;
    visit->unit = asked->device_memory < SMALL_LIMIT ? SMALL_WINDOW : WINDOW;
    visit->link_rate = mplan_visit_link_rate(visit->device);
    visit->link_both = visit->device->link_both > 0 ? visit->device->link_both : visit->link_rate;
    visit->launch = launch_seconds(visit->device);
    mplan_status status = search(visit, &trial, choice, err);
    if (!status) { /* once more, so that streams and borders are its own */
        trial.steps = choice->steps;
        trial.segments = choice->segments;
        try_choice(visit, &trial);
        *choice = trial;
        trial.border = NULL;
        out->steps = choice->steps;
        out->segments = choice->segments;
        out->period = choice->period;
        out->step_shift = visit->step_shift;
        out->peak_bytes = choice->peak;
        out->in_core_ns = (int64_t)(1e9 * visit->step_seconds);
        out->predicted_ns = (int64_t)(1e9 * choice->seconds);
        count_bytes(visit, out);
    }
    free(trial.border);
    return status;
}
