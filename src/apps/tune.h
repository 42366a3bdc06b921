/* SPDX-License-Identifier: Apache-2.0 */
/* tune.h - a loop to tune: its kernels, its data, and what one launch must make of them */
#ifndef MPLAN_APPS_TUNE_H
#define MPLAN_APPS_TUNE_H

#include "apps/app_data.h"

/* app.loops points to `own`, so that the struct must not be copied. data has rows for every dat that the loop's
 * args name. */
struct mplan_tune {
    mplan_app app;      /* of one loop: own */
    mplan_app_loop own; /* kernels; device NULL where there is none */
    const mplan_mesh *mesh;
    const mplan_loop *request; /* of that loop */
    mplan_app_data data;       /* rows at first, and the reference after one launch */
    void *object;              /* of dlopen; NULL: an application's */
    uint64_t kernel_hash;
};

/* Fills tune->data.reference by the host's kernel over the mesh's own maps. MPLAN_ERR_ARGUMENT where it holds a number
 * that is none: then no result could be judged. */
mplan_status mplan_tune_refer(mplan_tune *tune, mplan_error *err);

/* The rows of dats that are read from files of a folder; others keep what they have. */
mplan_status mplan_tune_read_data(const char *folder, const mplan_context *context,
                                  mplan_app_data *data, mplan_error *err);

/* One launch under a plan, in a process of its own: result->status, reason, error and bytes are set. A failure of the
 * trial itself (no process, no pipe) is the call's. */
mplan_status mplan_tune_try(const mplan_tune *tune, const mplan_tune_options *options,
                            const mplan_plan *plan, const mplan_context *context,
                            mplan_tune_result *result, mplan_error *err);

/* The largest error that is taken. */
double mplan_tune_tolerance(const mplan_tune *tune, const mplan_tune_options *options);

/* Opens the plan with all dats and binds the loop's default variant. *exec: to be closed, only set after success. */
mplan_status mplan_tune_open(const mplan_tune *tune, const mplan_exec_options *options,
                             const mplan_plan *plan, mplan_exec **exec, mplan_exec_loop **bound,
                             mplan_error *err);

#endif
