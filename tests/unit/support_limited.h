/* SPDX-License-Identifier: Apache-2.0 */
/* support_limited.h - plans of airfoil and others for a limited device memory, and steps by them */
#ifndef MPLAN_SUPPORT_LIMITED_H
#define MPLAN_SUPPORT_LIMITED_H

#include <stdlib.h>
#include <string.h>

#include "apps/airfoil.h"
#include "apps/app.h"
#include "mesh/mesh.h"
#include "plan/plan.h"
#include "support_test.h"

/* A mesh, airfoil's or flux3d's loops, and a plan of them. */
typedef struct limited {
    mplan_mesh *mesh;
    const mplan_app *app;
    mplan_loop *loops;
    int32_t n_loops, n_step, *step;
    mplan_plan *plan;
    mplan_error err;
} limited;

static inline void make_mesh(limited *of, mplan_shape shape, int64_t x, int64_t y, int64_t z,
                             bool shuffle)
{
    mplan_generate_options wanted = MPLAN_GENERATE_OPTIONS_INIT;
    wanted.shape = shape;
    wanted.size[0] = x;
    wanted.size[1] = y;
    wanted.size[2] = z;
    wanted.shuffle = shuffle;
    wanted.seed = 5;
    assert_done(mplan_mesh_generate(&wanted, NULL, &of->mesh, &of->err), &of->err);
    assert_done(mplan_app_prepare(of->app, of->mesh, NULL, &of->err), &of->err);
    assert_done(mplan_app_request(of->app, of->mesh, &of->loops, &of->n_loops, &of->err), &of->err);
    assert_done(mplan_app_time_step(of->app, of->loops, &of->step, &of->n_step, &of->err), &of->err);
}

/* steps, segments, streams: 0 leaves them open. The status of planning. */
static inline mplan_status make_plan_of(limited *of, int64_t bytes, int32_t steps, int32_t segments,
                                        int32_t streams, const char *device)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    options.n_step = of->n_step;
    options.step = of->step;
    options.step_clears = of->step + of->n_step;
    options.device_memory = bytes;
    options.steps_per_visit = steps;
    options.segments = segments;
    options.launch_streams = streams;
    options.device = device;
    return mplan_plan_create(of->mesh, of->n_loops, of->loops, &options, NULL, &of->plan, &of->err);
}

static inline mplan_status make_plan(limited *of, int64_t bytes, int32_t steps, int32_t segments)
{
    return make_plan_of(of, bytes, steps, segments, 0, "h200");
}

static inline void close_all(limited *of)
{
    mplan_plan_free(of->plan);
    mplan_app_request_free(of->loops, of->n_loops);
    free(of->step);
    mplan_mesh_free(of->mesh);
}

enum { NUMBERS = 14 }; /* of a cell, in all its dats */

static const mplan_airfoil_parameters parameters = {1.4, 0.4, 0.9, 0.05, 1, {1, 0.5, 0, 3}};

/* Numbers around 1, and coordinates: no flow is at rest, so that whatever is computed from other data is seen. */
static inline void upload_random(limited *of, mplan_exec *exec, const char *dat, const char *set,
                                 int32_t dim)
{
    const int64_t n = dim * mplan_mesh_set(of->mesh, mplan_mesh_find_set(of->mesh, set)).size;
    double *rows = malloc((size_t)n * sizeof *rows);
    uint64_t seed = 88172645463325252u;
    assert_non_null(rows);
    for (int64_t i = 0; i < n; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        rows[i] = (i % dim == 3              ? 3
                   : dim == 4 && i % dim > 0 ? 0
                                             : 1) +
                  0.25 * (double)(seed >> 11) * 0x1p-53;
    }
    assert_done(mplan_exec_upload(exec, dat, rows, n / dim, dim, MPLAN_TYPE_F64, &of->err), &of->err);
    free(rows);
}

/* All dats declared, with random numbers, and all loops bound; entries: of the step. */
static inline void fill(limited *of, mplan_exec *exec, mplan_exec_entry *entries)
{
    mplan_exec_loop *bound[8];
    assert_done(mplan_exec_declare_all(exec, &of->err), &of->err);
    upload_random(of, exec, "q", "cells", 4);
    upload_random(of, exec, "x", "nodes", 2);
    for (int32_t l = 0; l < of->n_loops; l++)
        assert_done(mplan_exec_bind(exec, of->loops[l].name, -1, of->app->loops[l].host, &bound[l],
                                    &of->err),
                    &of->err);
    for (int32_t i = 0; i < of->n_step; i++)
        entries[i] = (mplan_exec_entry){bound[of->step[i]], &parameters, of->app->step[i].clear};
}

/* All numbers of cells behind n steps, in two calls, each of which ends with visits of its own; to be freed. */
static inline double *take_numbers(limited *of, mplan_exec *exec, const mplan_exec_entry *entries,
                                   int64_t n)
{
    static const struct {
        const char *name;
        int32_t dim;
    } dats[] = {{"q", 4}, {"qold", 4}, {"adt", 1}, {"res", 4}, {"rms", 1}};
    const int64_t cells = mplan_mesh_set(of->mesh, mplan_mesh_find_set(of->mesh, "cells")).size;
    assert_done(mplan_exec_steps(exec, entries, of->n_step, n / 2, &of->err), &of->err);
    assert_done(mplan_exec_steps(exec, entries, of->n_step, n - n / 2, &of->err), &of->err);
    double *all = malloc((size_t)(NUMBERS * cells) * sizeof *all), *at = all;
    assert_non_null(all);
    for (size_t d = 0; d < sizeof dats / sizeof *dats; at += dats[d++].dim * cells)
        assert_done(mplan_exec_download(exec, dats[d].name, at, cells, dats[d].dim, MPLAN_TYPE_F64,
                                        &of->err),
                    &of->err);
    return all;
}

/* An executor of of->plan with all that, and the entries of the step. */
static inline mplan_exec *open_random(limited *of, const mplan_exec_options *options,
                                      mplan_exec_entry *entries)
{
    mplan_exec *exec = NULL;
    assert_done(mplan_exec_open(of->plan, options, &exec, &of->err), &of->err);
    fill(of, exec, entries);
    return exec;
}

/* All numbers of cells behind so many steps; to be freed. */
static inline double *steps_of(limited *of, const mplan_exec_options *options, int64_t n_steps,
                               int64_t *n_numbers)
{
    mplan_exec_entry entries[16];
    mplan_exec *exec = open_random(of, options, entries);
    double *all = take_numbers(of, exec, entries, n_steps);
    *n_numbers = NUMBERS * mplan_mesh_set(of->mesh, mplan_mesh_find_set(of->mesh, "cells")).size;
    mplan_exec_close(exec);
    return all;
}

/* Whether steps by each of n options give the bits of steps in memory, which are made once. */
static inline bool same_as_in_memory(limited *of, const mplan_exec_options *options, int n_options)
{
    mplan_exec_options memory = MPLAN_EXEC_OPTIONS_INIT;
    int64_t n, m, steps = 2 * of->plan->visit.steps + 3;
    memory.executor = MPLAN_EXECUTOR_HOST;
    double *whole = steps_of(of, &memory, steps, &n);
    bool equal = true;
    for (int64_t i = 0; i < n; i++)
        assert_true(whole[i] - whole[i] == 0); /* finite */
    for (int k = 0; k < n_options; k++) {
        double *limits = steps_of(of, &options[k], steps, &m);
        equal = equal && n == m && memcmp(whole, limits, (size_t)n * sizeof *whole) == 0;
        free(limits);
    }
    free(whole);
    return equal;
}

#endif
