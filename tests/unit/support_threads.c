/* SPDX-License-Identifier: Apache-2.0 */
/* support_threads.c - teams of any number of threads, whatever the machine has */
#include "support_threads.h"

void support_team_open(mplan_team *team, int threads)
{
    mplan_team_open(team, threads);
    team->wanted = threads; /* as if there were so many processors */
}

const mplan_context *support_threaded_open(const mplan_context *context, mplan_threaded *own,
                                           int threads)
{
    const mplan_context *made = mplan_threaded_open(context, own);
    own->team->asked = own->team->wanted = threads;
    return made;
}
