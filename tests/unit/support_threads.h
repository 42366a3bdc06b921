/* SPDX-License-Identifier: Apache-2.0 */
/* support_threads.h - teams of any number of threads, whatever the machine has */
#ifndef MPLAN_SUPPORT_THREADS_H
#define MPLAN_SUPPORT_THREADS_H

#include "base/threads.h"

/* A team of exactly so many threads; mplan_team_close releases it. */
void support_team_open(mplan_team *team, int threads);
/* The context (NULL: none) with such a team, as public calls hand it on; mplan_threaded_close
 * releases it. */
const mplan_context *support_threaded_open(const mplan_context *context, mplan_threaded *own,
                                           int threads);

#endif
