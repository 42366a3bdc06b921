/* SPDX-License-Identifier: Apache-2.0 */
/* visit_borders.c - how far streams and entries of a visit are when a segment begins */
#include "pipeline/visit.h"

#include <assert.h>

/* Slabs before the first and behind the last are none. */
static int32_t clip(const visit_plan *visit, int64_t slab)
{
    const int32_t n = visit->plan->visit.slabs;
    return slab < 0 ? 0 : slab > n ? n : (int32_t)slab;
}

/* The border before segment v, moved; all slabs behind the last segment, none before the first. */
static int32_t moved(const visit_plan *visit, const visit_choice *choice, int32_t v, int64_t by)
{
    if (v <= 0)
        return 0;
    if (v >= choice->segments)
        return visit->plan->visit.slabs;
    return clip(visit, (int64_t)choice->border[v] - by);
}

/* Slabs of the stream that have arrived when the segments before v are in. */
int32_t mplan_visit_entered(const visit_plan *visit, const visit_choice *choice,
                            const visit_stream *stream, int32_t v)
{
    assert(visit && choice && stream);
    return moved(visit, choice, v, stream->record.enters);
}

/* Those that have left when the launches of the segments before v are done. */
int32_t mplan_visit_left(const visit_plan *visit, const visit_choice *choice,
                         const visit_stream *stream, int32_t v)
{
    assert(visit && choice && stream);
    return moved(visit, choice, v, stream->record.leaves);
}

/* t: step * n_step + entry. Later entries, and later steps, are further behind. */
int32_t mplan_visit_run(const visit_plan *visit, const visit_choice *choice, int64_t t, int32_t v)
{
    assert(visit && choice && t >= 0);
    const int32_t n = visit->plan->n_step;
    return moved(visit, choice, v, visit->shift[t % n] + t / n * visit->step_shift);
}
