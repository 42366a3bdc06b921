/* SPDX-License-Identifier: Apache-2.0 */
/* harness.h - what both ways to run an application share */
#ifndef MPLAN_EXEC_HARNESS_H
#define MPLAN_EXEC_HARNESS_H

#include "apps/app_data.h"
#include "apps/app_time.h"

/* Most copies of all dats that are launched in turn: meshes below 6 MiB stay warm. */
#define MPLAN_APP_MAX_COPIES 64

/* Variant of a plan's loop that the options mean, -1 where it does not have it; and
 * whether that variant promises equal bits. */
int32_t mplan_app_variant(const mplan_plan *plan, const char *loop, int32_t wanted,
                          bool *deterministic);
/* The loop's device or host kernel; MPLAN_ERR_UNSUPPORTED without CUDA. */
mplan_status mplan_app_kernel(const mplan_app_loop *loop, mplan_executor executor,
                              const mplan_kernel **kernel, mplan_error *err);
/* Opens an executor with all dats declared and uploaded. */
mplan_status mplan_app_open(const mplan_plan *plan, const mplan_app_options *options,
                            const mplan_app_data *data, mplan_exec **exec, mplan_error *err);
/* Binds loop i. */
mplan_status mplan_app_bind(const mplan_app *app, int32_t i, const mplan_plan *plan,
                            const mplan_app_options *options, mplan_exec *exec,
                            mplan_exec_loop **bound, mplan_error *err);
/* Whether the variants of all n loops promise equal bits: then so does a step of them. */
bool mplan_app_all_deterministic(const mplan_plan *plan, const mplan_app_loop *loops, int32_t n,
                                 const mplan_app_options *options);
/* The request of an application, its data on this mesh, and whether the plan is of this mesh. Also
 * after a failure the caller releases both: mplan_app_data_free, mplan_app_request_free. */
mplan_status mplan_app_set_up(const mplan_app *app, const mplan_mesh *mesh, const mplan_plan *plan,
                              mplan_loop **request, int32_t *n_loops, mplan_app_data *data,
                              mplan_error *err);
/* After mplan_app_data_begin and the same work on the reference: `from_start` twice, which uploads the data, works and
 * waits. The first result against the reference, the second against the first. */
mplan_status mplan_app_check_twice(mplan_app_data *data, mplan_exec *exec,
                                   mplan_status (*from_start)(void *user, mplan_error *err),
                                   void *user, mplan_app_result *result, mplan_error *err);
/* How many copies of data with so many useful bytes a GPU's cache does not hold, at most MPLAN_APP_MAX_COPIES; 1 on a
 * host. *n_launches: how many launches on them in turn are timed together. */
int32_t mplan_app_cold_copies(mplan_executor executor, double useful_bytes, int32_t *n_launches);
/* Microseconds of a step, the median of options->repeats times n_steps of them, the copy rate in the same run, and
 * bytes a second: result->useful_bytes are those of a step. Without repeats nothing is done. */
mplan_status mplan_app_measure(mplan_exec *exec, const mplan_app_options *options,
                               mplan_app_step step, void *user, int32_t n_steps,
                               mplan_app_result *result, mplan_error *err);
/* Time steps that are timed together: a GPU does several between two looks at the clock. */
int32_t mplan_app_timed_steps(mplan_executor executor);
/* MPLAN_ERR_DISPROVED when the result breaks the tolerance or a promise. */
mplan_status mplan_app_judge(const mplan_app *app, bool deterministic,
                             const mplan_app_result *result, mplan_error *err);

#endif
