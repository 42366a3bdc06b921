/* SPDX-License-Identifier: Apache-2.0 */
/* harness.h - what both ways to run an application share */
#ifndef MPLAN_EXEC_HARNESS_H
#define MPLAN_EXEC_HARNESS_H

#include "apps/app_data.h"
#include "apps/app_time.h"
#include "apps/layers_app.h"

/* Variant of a plan's loop that the options mean, -1 where it does not have it; and
 * whether that variant promises equal bits. */
int32_t mplan_app_variant(const mplan_plan *plan, const char *loop, int32_t wanted,
                          bool *deterministic);
/* The loop's device or host kernel; MPLAN_ERR_UNSUPPORTED without CUDA. */
mplan_status mplan_app_kernel(const mplan_app_loop *loop, mplan_executor executor,
                              const mplan_kernel **kernel, mplan_error *err);
/* The same of loop i of an application with layers. */
mplan_status mplan_app_layer_kernel(const mplan_app *app, int32_t i, mplan_executor executor,
                                    const mplan_layer_kernel **kernel, mplan_error *err);
/* Opens an executor with all dats declared and uploaded. */
mplan_status mplan_app_open(const mplan_plan *plan, const mplan_app_options *options,
                            const mplan_app_data *data, mplan_exec **exec, mplan_error *err);
mplan_status mplan_app_open_large(const mplan_plan *plan, const mplan_app_options *options,
                                  mplan_app_data *data, mplan_exec **exec, mplan_error *err);
/* Binds loop i. */
mplan_status mplan_app_bind(const mplan_app *app, int32_t i, const mplan_plan *plan,
                            const mplan_app_options *options, mplan_exec *exec,
                            mplan_exec_loop **bound, mplan_error *err);
/* Of an executor of parts: dats of the set that the loop sums to count as changed, as in a time step, so that the next launch
 * brings their halos. Nothing for others. */
void mplan_app_change_summed(mplan_exec *exec, const mplan_plan_loop *loop, const mplan_plan *plan);
/* Runs a step of a bundle, with rings as many as make a period, and takes down what is exchanged; of one plan: nothing. */
mplan_status mplan_app_count_exchange(mplan_exec *exec, const mplan_app_options *options,
                                      mplan_status (*step)(void *user, int32_t i, void *stream,
                                                           mplan_error *err),
                                      void *user, mplan_app_result *result, mplan_error *err);
/* MPLAN_ERR_DISPROVED when the result breaks the tolerance or a promise. */
mplan_status mplan_app_judge(const mplan_app *app, bool deterministic,
                             const mplan_app_result *result, mplan_error *err);

/* On a device launches go in turn to copies of all data, as many as together are three times as large as the second-level
 * cache of any device known, so that a small mesh does not stay in it; meshes below 6 MiB do. On the host one copy. */
enum { MPLAN_APP_MOST_COPIES = 64 };
int32_t mplan_app_cold_copies(mplan_executor executor, double useful_bytes);
/* Launches that are measured together: all copies equally often, on a device at least 16. */
int32_t mplan_app_cold_launches(mplan_executor executor, int32_t n_copies);
/* Microseconds, copy rate and bandwidth of the result, whose useful bytes are known. step: launches on the next copy. */
mplan_status mplan_app_measure(mplan_exec *exec, mplan_executor executor, mplan_app_step step,
                               void *user, int32_t n_launches, int32_t repeats,
                               mplan_app_result *result, mplan_error *err);

/* A visit of parts that go through windows, with the exchange before it. */
mplan_status mplan_app_visit_once(mplan_exec *exec, const mplan_exec_entry *entries,
                                  int32_t n_entries, mplan_error *err);
/* The entries of a step one after the other, all dats in memory. */
mplan_status mplan_app_step_once(mplan_exec *exec, const mplan_exec_entry *entries,
                                 int32_t n_entries, void *stream, mplan_error *err);
/* Where device memory is limited: steps of more than a visit give the bits of the same steps in memory, else result->equal_bits
 * is false. entries: bound to exec, their parameters and clears. On a device the steps in memory are timed, too; one that has no room for
 * all dats compares nothing. Without a limit: nothing. */
mplan_status mplan_app_same_in_memory(const mplan_app *app, const mplan_plan *plan,
                                      const mplan_app_options *options,
                                      const mplan_exec_entry *entries, int32_t n_entries,
                                      mplan_app_data *data, mplan_exec *exec,
                                      mplan_app_result *result, mplan_error *err);
/* Median microseconds of a step of visits that follow visits; on the host of one visit. */
mplan_status mplan_app_time_visits(const mplan_app_options *options, mplan_exec *exec,
                                   const mplan_plan *plan, const mplan_exec_entry *entries,
                                   int32_t n_entries, double *microseconds, mplan_error *err);

#endif
