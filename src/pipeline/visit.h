/* SPDX-License-Identifier: Apache-2.0 */
/* visit.h - a visit while it is planned: what its parts know of one another */
#ifndef MPLAN_PIPELINE_VISIT_H
#define MPLAN_PIPELINE_VISIT_H

#include "pipeline/part_plan.h"
#include "pipeline/planning.h"
#include "plan/slab_uses.h"

/* Steps of a visit that are looked at; more may be asked for. */
enum { MPLAN_VISIT_STEPS_MOST = 256 };

/* A stream, and where the slabs begin in it. */
typedef struct visit_stream {
    mplan_plan_stream record;
    mplan_slab_use use; /* the first */
    int32_t planes; /* parts of the dat that lie apart (mplan_slab_place_of), each with a window of its own; else 1 */
    int64_t *at; /* slabs + 1: bytes of a plane before each border; NULL: no slabs */
    bool written;
    bool whole; /* the first use of a step writes all of it, and does not read it */
} visit_stream;

/* What an entry of the step does with a stream. */
typedef struct visit_use {
    int32_t stream, reach;
    bool reads, writes;
} visit_use;

/* A schedule that is looked at. */
typedef struct visit_choice {
    int32_t steps, segments, period;
    int32_t *border; /* segments + 1: slabs */
    double seconds;  /* of a step */
    int64_t peak;
} visit_choice;

typedef struct visit_plan {
    mplan_plan *plan;                /* with slabs, not sealed */
    const mplan_plan_options *asked; /* device_memory, steps_per_visit, segments and launch_streams count */
    const mplan_device *device;
    int32_t n_streams;
    visit_stream *streams;
    int64_t *begin; /* n_step + 1: the uses of entry i are use[begin[i]] ... */
    visit_use *use;
    int32_t *shift;         /* n_step */
    int32_t step_shift;     /* of a step behind the one before */
    int32_t most_steps;     /* of a visit: in a part those that one exchange of halos serves */
    mplan_visit_wish *wish; /* of a part: steps that all parts are to have; NULL: none */
    double step_seconds;
    double link_rate; /* bytes per second one way, while at most half as many go the other way */
    double link_both; /* bytes per second each way, while as many go the other way */
    double launch;    /* seconds that a launch costs beyond its work */
    int64_t unit;     /* windows are multiples of it */
} visit_plan;

/* visit_choice.c: bytes per second between host and device, of one way while at most half as many go the other way. */
double mplan_visit_link_rate(const mplan_device *device);
/* visit_borders.c: slabs of a stream that have arrived when the segments before v are in, and those that have left when the launches of the
 * segments before v are done. */
int32_t mplan_visit_entered(const visit_plan *visit, const visit_choice *choice,
                            const visit_stream *stream, int32_t v);
int32_t mplan_visit_left(const visit_plan *visit, const visit_choice *choice,
                         const visit_stream *stream, int32_t v);
/* Slabs that position t of the steps (step x entries + entry) has run then. */
int32_t mplan_visit_run(const visit_plan *visit, const visit_choice *choice, int64_t t, int32_t v);

/* visit_choice.c: the steps and segments that are given or fastest by the model; the records of streams and plan->visit are
 * complete then. choice->border is the caller's. */
mplan_status mplan_visit_choose(visit_plan *visit, visit_choice *choice, mplan_error *err);

/* visit.c: shifts of the step's entries, streams, segments and events of the plan, and plan->visit. step_seconds, asked and device
 * are set. */
mplan_status mplan_visit_make(visit_plan *visit, mplan_error *err);

#endif
