/* SPDX-License-Identifier: Apache-2.0 */
/* support_told_meeting.h - the ranks of support_told.h as processes or threads that meet (support_meeting.h) */
#ifndef MPLAN_SUPPORT_TOLD_MEETING_H
#define MPLAN_SUPPORT_TOLD_MEETING_H

#define MEETING_SLOT 65536
#include "support_meeting.h"

#include "support_told.h"

/* A rank's ends of two meetings: where it may fail, and where ranks say how it went. */
typedef struct told_guests {
    meeting_guest way, aside;
} told_guests;

/* The one that failed begins again, while all are aside. */
static inline void told_meet(void *user, mplan_transport *transport)
{
    told_guests *own = user;
    meeting_wait(&own->aside);
    if (own->way.rank == 0)
        meeting_begin_again(own->way.at);
    meeting_wait(&own->aside);
    *transport = meeting_transport(&own->way);
}

static inline void told_part(void *user)
{
    (void)user;
}

static inline void told_share(void *user, const told_said *mine, told_said *all)
{
    told_guests *own = user;
    (void)meeting_all_gather(&own->aside, mine, sizeof *mine, all, NULL);
}

/* All cases on one rank. 0: they went well. */
static inline int told_rank(meeting *way, meeting *aside, int32_t rank, const told_all *of,
                            bool memory, int64_t step)
{
    told_guests own = {{way, rank, way->ranks, NULL, NULL, 0},
                       {aside, rank, way->ranks, NULL, NULL, 0}};
    const told_world world = {rank, way->ranks, &own, told_meet, told_part, told_share};
    return told_all_cases(&world, of, memory, step) ? 0 : 1;
}

#endif
