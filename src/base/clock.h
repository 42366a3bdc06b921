/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - seconds that have passed and seconds that were computed */
#ifndef MPLAN_CLOCK_H
#define MPLAN_CLOCK_H

/* Seconds since an arbitrary moment; never goes back. */
double mplan_clock(void);
/* User seconds of this process and of its children that have ended. */
double mplan_clock_cpu(void);

#endif
