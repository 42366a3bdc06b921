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

/* Median microseconds of one step, over `repeats` times n_steps of them, after a
 * first time that does not count. */
mplan_status mplan_app_time(mplan_exec *exec, mplan_executor executor, mplan_app_step step,
                            void *user, int32_t n_steps, int32_t repeats, double *microseconds,
                            mplan_error *err);

#endif
