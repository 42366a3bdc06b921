/* SPDX-License-Identifier: Apache-2.0 */
/* app_time.h - how long a step takes
 *
 * On CUDA a step is recorded into a graph as many times as the caller says and the
 * graph is replayed; elsewhere the clock is read around the calls. */
#ifndef MPLAN_EXEC_APP_TIME_H
#define MPLAN_EXEC_APP_TIME_H

#include "apps/app.h"

/* Launches step number i in a stream. */
typedef mplan_status (*mplan_app_step)(void *user, int32_t i, void *stream, mplan_error *err);

/* A step that is timed again and again, between other work. Filled by mplan_app_timer_open, which runs the step
 * once, so that it is warm. */
typedef struct mplan_app_timer {
    mplan_exec *exec;
    mplan_exec_graph *graph; /* of n_steps steps; NULL on the host */
    mplan_app_step step;
    void *user;
    int32_t n_steps;
} mplan_app_timer;
mplan_status mplan_app_timer_open(mplan_app_timer *timer, mplan_executor executor, mplan_error *err);
/* Microseconds of one step: n_steps of them are run and measured together. */
mplan_status mplan_app_timer_once(const mplan_app_timer *timer, double *microseconds,
                                  mplan_error *err);
void mplan_app_timer_close(mplan_app_timer *timer);

/* The median of n numbers above 0, which are sorted. */
double mplan_app_median(double *numbers, int32_t n);

/* Median microseconds of one step, over `repeats` times n_steps of them, after a
 * first time that does not count. */
mplan_status mplan_app_time(mplan_exec *exec, mplan_executor executor, mplan_app_step step,
                            void *user, int32_t n_steps, int32_t repeats, double *microseconds,
                            mplan_error *err);

#endif
