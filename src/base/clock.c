/* SPDX-License-Identifier: Apache-2.0 */
/* clock.c - seconds that have passed and seconds that were computed */
#include "base/clock.h"

#include <sys/resource.h>
#include <time.h>

/* Seconds since some moment; 0 where there is no such clock. */
double mplan_clock(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now))
        return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of all threads, and of children that have ended. */
double mplan_clock_cpu(void)
{
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) || getrusage(RUSAGE_CHILDREN, &children))
        return 0;
    return (double)(self.ru_utime.tv_sec + children.ru_utime.tv_sec) +
           1e-6 * (double)(self.ru_utime.tv_usec + children.ru_utime.tv_usec);
}
