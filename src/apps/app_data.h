/* SPDX-License-Identifier: Apache-2.0 */
/* app_data.h - the dats of an application, and what they must become
 *
 * Rows are in the mesh's order. The reference is computed from the mesh only, by the
 * host's kernels over its maps in its own order: it shares no order and no table
 * with the plan that is tested. */
#ifndef MPLAN_EXEC_APP_DATA_H
#define MPLAN_EXEC_APP_DATA_H

#include "apps/app.h"

#define MPLAN_APP_MAX_DATS 24
#define MPLAN_APP_GLOBAL (-2) /* in the place of a set: a global, one row */

/* A dat of an application: members times levels rows of dim numbers in the mesh's order,
 * and what a run without a plan makes of them. */
typedef struct mplan_app_dat {
    const char *name;
    int32_t set; /* of the mesh */
    int64_t members;
    int32_t levels; /* rows of each member, one behind the other; 1 without layers */
    int32_t dim;
    mplan_type type;
    mplan_access first; /* access of the first loop that names it */
    bool changed;       /* by any loop */
    void *rows;         /* at first; NaN bytes where the first access writes */
    void *reference;    /* NULL until mplan_app_data_begin */
    void *kept;         /* of an earlier run, for equal bits; NULL */
} mplan_app_dat;

/* The dats of all loops of an application, each once. */
typedef struct mplan_app_data {
    int32_t n;
    mplan_app_dat dat[MPLAN_APP_MAX_DATS];
} mplan_app_data;

/* Dats of the loops of a request, zero. Maps must exist in the mesh. To be freed after a failure, too. layers: of each column,
 * of an application with layers; else 0. */
mplan_status mplan_app_data_create(const mplan_app *app, const mplan_mesh *mesh,
                                   const mplan_loop *request, int32_t layers, mplan_app_data *data,
                                   mplan_error *err);
void mplan_app_data_free(mplan_app_data *data);
mplan_app_dat *mplan_app_data_find(mplan_app_data *data, const char *name);
int64_t mplan_app_dat_rows(const mplan_app_dat *dat);
int64_t mplan_app_dat_bytes(const mplan_app_dat *dat);

/* Fills rows by the application's ranges; dats that are first written get NaN bytes. */
void mplan_app_data_random(const mplan_app *app, uint64_t seed, mplan_app_data *data);

/* The reference of changed dats becomes their rows. */
mplan_status mplan_app_data_begin(mplan_app_data *data, mplan_error *err);
/* Zeroes the reference of a changed dat. */
void mplan_app_data_clear(mplan_app_data *data, const char *name);
/* Runs loop i of the application on the reference. */
void mplan_app_data_step(const mplan_app *app, int32_t i, const mplan_loop *request,
                         const mplan_mesh *mesh, const void *parameters, mplan_app_data *data);

mplan_status mplan_app_dat_upload(const mplan_app_dat *dat, mplan_exec *exec, mplan_error *err);
mplan_status mplan_app_data_upload(const mplan_app_data *data, mplan_exec *exec, mplan_error *err);
/* Largest ||a - b|| / ||b|| over the changed dats; infinite where a number is none. */
mplan_status mplan_app_data_compare(const mplan_app_data *data, mplan_exec *exec, double *error,
                                    uint64_t *bits, mplan_error *err);
/* Keeps the changed dats the first time, else says whether they have the same bits. */
mplan_status mplan_app_data_same(mplan_app_data *data, mplan_exec *exec, bool *same,
                                 mplan_error *err);

/* The plan must be for sets of these sizes: MPLAN_ERR_OTHER_MESH. */
mplan_status mplan_app_data_fits(const mplan_app_data *data, const mplan_mesh *mesh,
                                 const mplan_plan *plan, mplan_error *err);

/* The first changed dat whose reference holds a number that is none, or is infinite; NULL: all are finite. */
const char *mplan_app_data_not_finite(const mplan_app_data *data);

/* Bytes that a loop moves at least: each dat once, twice when it is incremented or rw,
 * each map once in 32 bits. */
double mplan_app_useful_bytes(const mplan_loop *loop, const mplan_mesh *mesh);
/* The same where dats have levels, which come from `data`. */
double mplan_app_data_useful_bytes(const mplan_app_data *data, const mplan_loop *loop,
                                   const mplan_mesh *mesh);

/* --- applications with layers (app_data_layers.c) ------------------------------------- */

/* *layers: of each column in a plan of the application, 0 without layers. MPLAN_ERR_ARGUMENT where the plan's loops have no layers, or
 * not those of the application. */
mplan_status mplan_app_layers_of(const mplan_app *app, const mplan_plan *plan, int32_t *layers,
                                 mplan_error *err);
/* As mplan_app_data_step, for a loop with so many layers. */
void mplan_app_data_step_layers(const mplan_app *app, int32_t i, const mplan_loop *request,
                                const mplan_mesh *mesh, int32_t layers, const void *parameters,
                                mplan_app_data *data);

#endif
