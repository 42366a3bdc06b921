/* SPDX-License-Identifier: Apache-2.0 */
#include "support_exec_frame.h"

#include <stdlib.h>

mplan_mesh *support_frame_mesh(int32_t n_sets, const support_frame_set *sets, int32_t n_maps,
                               const support_frame_map *maps)
{
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    for (int32_t s = 0; s < n_sets; s++)
        assert_done(mplan_mesh_add_set(mesh, sets[s].name, sets[s].size, NULL, &err), &err);
    for (int32_t m = 0; m < n_maps; m++)
        assert_done(mplan_mesh_add_map(mesh, maps[m].name, maps[m].from, maps[m].to, maps[m].arity,
                                       maps[m].offsets, maps[m].values, NULL, &err),
                    &err);
    return mesh;
}

mplan_plan *support_frame_plan(mplan_mesh *mesh, const mplan_kernel *kernel, bool skips,
                               const mplan_plan_options *options)
{
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan *plan;
    mplan_error err;
    mplan_plan_options own = *options;
    assert_done(mplan_kernel_loop(kernel, "cells", args, &loop, &err), &err);
    for (int32_t a = 0; a < loop.n_args; a++)
        args[a].none = args[a].map && skips ? MPLAN_NONE_SKIP : MPLAN_NONE_REFUSE;
    for (int s = 0; s < MPLAN_N_STRATEGIES && options->n_strategies == 0; s++)
        own.strategies[own.n_strategies++] = (mplan_strategy)s;
    if (support_races_only()) /* what is planned is too small for several threads */
        own.partitioner = MPLAN_PARTITIONER_NONE;
    assert_done(mplan_plan_create(mesh, 1, &loop, &own, NULL, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    return plan;
}

mplan_exec *support_frame_open(const mplan_plan *plan, mplan_executor executor)
{
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec *exec;
    mplan_error err;
    options.executor = executor;
    options.threads = 2;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    return exec;
}

void support_frame_launch(mplan_exec *exec, const mplan_kernel *kernel, int32_t variant)
{
    mplan_exec_loop *bound;
    mplan_error err;
    assert_done(mplan_exec_bind(exec, kernel->name, variant, kernel, &bound, &err), &err);
    assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
}

void support_frame_expect(mplan_exec *exec, const char *dat, int64_t n, int32_t dim,
                          mplan_type type, const void *due)
{
    const size_t bytes = (size_t)n * (size_t)dim * mplan_type_size(type);
    void *found = malloc(bytes);
    mplan_error err;
    assert_done(mplan_exec_download(exec, dat, found, n, dim, type, &err), &err);
    if (memcmp(found, due, bytes))
        fail_msg("%s has other bits", dat);
    free(found);
}

void support_frame_everywhere(const mplan_plan *plan, int32_t n,
                              void (*run)(const mplan_plan *plan, int32_t variant,
                                          mplan_executor executor, const void *user),
                              const void *user)
{
    for (int32_t v = 0; v < n; v++)
        for (int e = support_races_only() ? MPLAN_EXECUTOR_OPENMP : MPLAN_EXECUTOR_SERIAL;
             e <= MPLAN_EXECUTOR_OPENMP; e++)
            run(plan, v, (mplan_executor)e, user);
}
