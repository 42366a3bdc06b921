/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_sleep.h - ranks of tests over MPI sleep while they wait; a program with it exports sched_yield (tests/CMakeLists.txt) */
#ifndef MPLAN_RANKS_SLEEP_H
#define MPLAN_RANKS_SLEEP_H

#include <time.h>

/* Ranks that wait for others sleep: Open MPI yields in the place of it, which takes a processor from those that are waited for where
 * these are more than there are processors, and lets the rank wait for its turn behind all other programs. */
__attribute__((visibility("default"))) int sched_yield(void);
int sched_yield(void)
{
    const struct timespec moment = {0, 20000};
    return nanosleep(&moment, NULL);
}

#endif
