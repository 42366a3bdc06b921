/* SPDX-License-Identifier: Apache-2.0 */
/* report_visit.c - the schedule of a plan for a limited device memory: time against slabs
 *
 * Stages go down, slabs from left to right. Each stage has the slabs of one stream that come in, are there and come out, and those that
 * each position of the visit's steps runs, as a line for each, later ones lower. */
#include "view/report.h"

#include <assert.h>

#include "base/error.h"

enum { WIDE = 720, MOST_STAGES = 48, TALL = 14, MOST_LINES = 4000 };

/* What is drawn of the plan.
 * event: n of them; each stage begins with one of kind MPLAN_EVENT_STAGE, which carries its number. */
typedef struct visit_picture {
    mplan_page *page;
    const mplan_plan_visit *visit;
    const mplan_event *event;
    int64_t n;
    int32_t stream;    /* the first that comes in and out */
    int64_t positions; /* launches of a stage */
    int32_t every;     /* of so many stages one is drawn */
} visit_picture;

/* Slabs [first, end) as a bar of class `fill`, `top` below the stage's begin. */
static void bar(const visit_picture *p, int32_t stage, int32_t first, int32_t end, double top,
                double height, const char *fill)
{
    const double slab = (double)WIDE / p->visit->slabs;
    if (first < end)
        mplan_page_print(p->page,
                         "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                         fill, slab * first, TALL * (stage / p->every) + top, slab * (end - first),
                         height);
}

/* Events [at, end) of a stage; entered and left: slabs of the stream before it.
 * One in `thin` positions is drawn, so that a picture has about MOST_LINES lines at most. */
static void draw_stage(const visit_picture *p, int64_t at, int64_t end, int32_t stage,
                       int32_t entered, int32_t left)
{
    const int64_t thin = p->positions / (MOST_LINES / MOST_STAGES) + 1;
    bar(p, stage, left, entered, 0, TALL - 1, "k9");
    for (int64_t e = at; e < end; e++) {
        const mplan_event *event = &p->event[e];
        if (event->kind == MPLAN_EVENT_LAUNCH && event->index % thin == 0)
            bar(p, stage, event->first, event->end,
                (TALL - 1) * (double)event->index / (double)p->positions,
                (TALL - 1) * (double)thin / (double)p->positions, "k0");
        else if (event->kind == MPLAN_EVENT_IN && event->index == p->stream)
            bar(p, stage, event->first, event->end, 0, TALL - 1, "k2");
        else if (event->kind == MPLAN_EVENT_OUT && event->index == p->stream)
            bar(p, stage, event->first, event->end, 0, TALL - 1, "k1");
    }
}

/* Stage by stage: events [at + 1, end) belong to the stage that begins at `at`. entered and left: how many slabs of
 * the stream came in and went out before it. */
static void draw(const visit_picture *p)
{
    int32_t entered = 0, left = 0;
    for (int64_t at = 0; at < p->n;) {
        const int32_t stage = p->event[at].index;
        int64_t end = at + 1;
        while (end < p->n && p->event[end].kind != MPLAN_EVENT_STAGE)
            end++;
        if (stage % p->every == 0)
            draw_stage(p, at + 1, end, stage, entered, left);
        for (int64_t e = at + 1; e < end; e++) {
            const mplan_event *event = &p->event[e];
            if (event->index != p->stream || event->kind == MPLAN_EVENT_LAUNCH)
                continue;
            if (event->kind == MPLAN_EVENT_IN)
                entered = event->end;
            else
                left = event->end;
        }
        at = end;
    }
}

/* What the picture is of, and what the model says. */
static void write_words(mplan_page *page, const mplan_plan_visit *visit)
{
    const double mega = 1.0 / (1 << 20);
    mplan_page_print(page,
                     "<p>A visit takes %d slabs through the device in %d segments and makes %d steps on the way. Windows have "
                     "%.1f MiB of the %.1f MiB allowed; dats have %.1f MiB in memory of the host. A visit moves %.1f MiB in and "
                     "%.1f MiB out.</p>\n",
                     (int)visit->slabs, (int)visit->segments, (int)visit->steps,
                     (double)visit->peak_bytes * mega, (double)visit->device_memory * mega,
                     (double)visit->host_bytes * mega, (double)visit->in_bytes * mega,
                     (double)visit->out_bytes * mega);
    if (visit->in_core_ns > 0)
        mplan_page_print(page,
                         "<p>Predicted: %.1f us a step, %.2f times as long as with all data on the device.</p>\n",
                         1e-3 * (double)visit->predicted_ns,
                         (double)visit->predicted_ns / (double)visit->in_core_ns);
}

/* Nothing for plans without slabs. The stream that is drawn is the first that leaves the device at some time; where
 * there is none, the section has words only. */
void mplan_report_visit(mplan_page *page, const mplan_plan *plan)
{
    assert(page && plan);
    const mplan_plan_visit *visit = &plan->visit;
    const mplan_key key = mplan_key_of_plan(MPLAN_KIND_SCHEDULE);
    const mplan_array *array = mplan_plan_find_array(plan, &key);
    const int32_t stages = visit->segments + 2;
    if (!mplan_plan_has_slabs(plan) || !array)
        return;
    visit_picture p = {page,
                       visit,
                       array->data,
                       array->rows,
                       0,
                       (int64_t)visit->steps * plan->n_step,
                       (stages - 1) / MOST_STAGES + 1};
    while (p.stream < plan->n_streams &&
           !(plan->streams[p.stream].ways & (MPLAN_STREAM_OUT | MPLAN_STREAM_LAST)))
        p.stream++;
    mplan_page_print(page, "<section>\n<h2>Limited device memory</h2>\n");
    write_words(page, visit);
    if (p.stream < plan->n_streams) {
        const mplan_plan_stream *stream = &plan->streams[p.stream];
        mplan_page_picture(page, WIDE, TALL * (int64_t)((stages + p.every - 1) / p.every), WIDE,
                           "The schedule of a visit",
                           "Stages from top to bottom, slabs from left to right");
        draw(&p);
        mplan_page_picture_end(page,
                               "Stages from top to bottom, slabs from left to right: what runs, and of one dat what comes in, is "
                               "there, and comes out");
        mplan_page_print(page, "<p class=\"soft\">Grey: slabs of dat ");
        mplan_page_text(page, plan->loops[stream->loop].args[stream->arg].dat);
        mplan_page_print(page,
                         " that are on the device; green: those that come in; orange: those that come out; blue: slabs that run, a "
                         "line for each loop of each step.</p>\n");
    }
    mplan_page_print(page, "</section>\n");
}
