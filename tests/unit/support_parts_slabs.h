/* SPDX-License-Identifier: Apache-2.0 */
/* support_parts_slabs.h - bundles of airfoil whose parts have slabs, and steps by them */
#ifndef MPLAN_SUPPORT_PARTS_SLABS_H
#define MPLAN_SUPPORT_PARTS_SLABS_H

#include "support_limited.h"

#include "exec/ranks/exec_parts.h"
#include "mesh/mesh.h"

enum { NUMBERS = 14 }; /* of a cell */

/* bytes 0: without a limit, and so without slabs. The status of planning. */
static inline mplan_status make_bundle(limited *of, const char *path, int32_t n_parts, int64_t bytes,
                                       int32_t steps, int32_t rings, mplan_sums_order order)
{
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_parts_options how = MPLAN_PARTS_OPTIONS_INIT;
    mplan_parts *parts = NULL;
    options.n_step = of->n_step;
    options.step = of->step;
    options.step_clears = of->step + of->n_step;
    options.device_memory = bytes;
    options.steps_per_visit = steps;
    options.rings = rings;
    options.sums_order = order;
    if (!bytes) {
        options.n_strategies = 1;
        options.strategies[0] = MPLAN_STRATEGY_OWNER_GATHER;
    }
    how.n_parts = n_parts;
    mplan_status status = mplan_parts_create(of->mesh, of->n_loops, of->loops, &options, &how, NULL,
                                             &parts, &of->err);
    if (!status)
        status = mplan_parts_write(parts, path, NULL, NULL, NULL, &of->err);
    mplan_parts_free(parts);
    return status;
}

static inline mplan_bundle *open_bundle(limited *of, const char *path)
{
    mplan_bundle *bundle;
    assert_done(mplan_bundle_open(path, NULL, &bundle, &of->err), &of->err);
    return bundle;
}

/* --- steps --------------------------------------------------------------------------------------- */

/* No flow is at rest, so that whatever is computed from other data is seen. */
static inline void upload(limited *of, mplan_exec *exec, const char *dat, const char *set, int32_t dim)
{
    const int64_t n = dim * mplan_mesh_set(of->mesh, mplan_mesh_find_set(of->mesh, set)).size;
    double *rows = malloc((size_t)n * sizeof *rows);
    uint64_t seed = 88172645463325252u;
    assert_non_null(rows);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        rows[i] = (i % dim == 3              ? 3
                   : dim == 4 && i % dim > 0 ? 0
                                             : 1) +
                  0.25 * (double)(seed >> 11) * 0x1p-53;
    }
    assert_done(mplan_exec_upload(exec, dat, rows, n / dim, dim, MPLAN_TYPE_F64, &of->err), &of->err);
    free(rows);
}

static const mplan_airfoil_parameters parameters = {1.4, 0.4, 0.9, 0.05, 1, {1, 0.5, 0, 3}};

/* Bound, with random numbers; entries: of the step. */
static inline void fill(limited *of, mplan_exec *exec, mplan_exec_entry *entries)
{
    mplan_exec_loop *bound[8];
    assert_done(mplan_exec_declare_all(exec, &of->err), &of->err);
    upload(of, exec, "q", "cells", 4);
    upload(of, exec, "x", "nodes", 2);
    for (int32_t l = 0; l < of->n_loops; l++)
        assert_done(mplan_exec_bind(exec, of->loops[l].name, -1, of->app->loops[l].host, &bound[l],
                                    &of->err),
                    &of->err);
    for (int32_t i = 0; i < of->n_step; i++)
        entries[i] = (mplan_exec_entry){bound[of->step[i]], &parameters, of->app->step[i].clear};
}

/* All numbers of cells behind n steps, in two calls; to be freed. */
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

#endif
