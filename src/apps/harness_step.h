/* SPDX-License-Identifier: Apache-2.0 */
/* harness_step.h - runs applications that make steps of several loops
 *
 * An application writes its step once, as calls of mplan_app_play: these launch bound loops of an executor, or run
 * the loops on the reference, in the mesh's own order and without a plan. */
#ifndef MPLAN_EXEC_HARNESS_STEP_H
#define MPLAN_EXEC_HARNESS_STEP_H

#include "apps/harness.h"

#define MPLAN_APP_MAX_LOOPS 16
#define MPLAN_APP_MAX_ENTRIES 16

/* An application while it runs. Rows of `data` are in the mesh's order. */
typedef struct mplan_app_stepper {
    const mplan_app *app;
    const mplan_mesh *mesh;
    const mplan_plan *plan;
    const mplan_app_options *options;
    const mplan_loop *request; /* app->n_loops */
    int32_t layers;            /* of each column; 0: it has none */
    mplan_app_data data;
    mplan_exec *exec;
    mplan_exec_loop *bound[MPLAN_APP_MAX_LOOPS];
    mplan_exec_entry entries[MPLAN_APP_MAX_ENTRIES]; /* app->n_step, bound */
    bool plainly;                                    /* loops run on the reference */
    void *stream;                                    /* that the loops are launched in */
    int32_t kind; /* of the start: 0 of the run itself, others of what is proved */
} mplan_app_stepper;

/* What an application of several loops brings. */
struct mplan_app_steps {
    /* Fills the rows that no step changes; once. */
    mplan_status (*geometry)(mplan_app_stepper *run, mplan_error *err);
    /* Fills the others for run->kind; rows that are written first hold NaN bytes already. */
    void (*start)(mplan_app_stepper *run);
    /* A time step, by mplan_app_play and mplan_app_put. NULL: the entries of the application, all with its parameters; only such
     * steps can be made with a limited device memory. */
    mplan_status (*step)(mplan_app_stepper *run, mplan_error *err);
    /* What must hold whatever the loops compute: MPLAN_ERR_DISPROVED. By mplan_app_steps and mplan_app_fetch. */
    mplan_status (*prove)(mplan_app_stepper *run, mplan_error *err);
};

double *mplan_app_rows(mplan_app_stepper *run, const char *dat);
float *mplan_app_rows_f32(mplan_app_stepper *run, const char *dat);
int64_t mplan_app_members(mplan_app_stepper *run, const char *dat); /* times levels */

/* Loop i with parameters of its kernel's type. */
mplan_status mplan_app_play(mplan_app_stepper *run, int32_t i, const void *parameters,
                            mplan_error *err);
/* Sets a global. */
mplan_status mplan_app_put(mplan_app_stepper *run, const char *dat, const void *value,
                           mplan_error *err);

/* n steps of the executor from the start of a kind. */
mplan_status mplan_app_steps_from(mplan_app_stepper *run, int32_t kind, int64_t n, mplan_error *err);
/* Rows of a dat as the executor has them, in the mesh's order; to be freed. */
mplan_status mplan_app_fetch(mplan_app_stepper *run, const char *dat, void **rows, mplan_error *err);
/* The sum of n terms, compensated so that its own rounding does not show. */
double mplan_app_whole(const double *terms, int64_t n);

#endif
