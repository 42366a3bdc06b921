/* SPDX-License-Identifier: Apache-2.0 */
/* support_run_parts.c - the loops of support_steps.h in parts */
#include "support_run_parts.h"

#include "support_test.h"

/* By code that shares nothing with the planner. */
void support_steps_prove(const char *path, mplan_mesh *mesh)
{
    mplan_error err;
    mplan_bundle *bundle;
    assert_done(mplan_bundle_open(path, NULL, &bundle, &err), &err);
    const mplan_parts_source source = mplan_bundle_source(bundle);
    assert_done(mplan_parts_verify(&source, mesh, -1, NULL, &err), &err);
    mplan_bundle_free(bundle);
}

void support_steps_bundle(const char *path, support_steps *test, const mplan_plan_options *options,
                          const mplan_parts_options *how, int32_t threads)
{
    mplan_error err;
    mplan_parts *parts;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = threads;
    assert_done(mplan_parts_create(test->mesh, N_LOOPS, test->loops, options, how, &context, &parts,
                                   &err),
                &err);
    assert_done(mplan_parts_write(parts, path, NULL, &context, NULL, &err), &err);
    mplan_parts_free(parts);
    support_steps_prove(path, test->mesh);
}

void support_steps_in_parts(const char *path, const support_steps *test, int32_t ranks,
                            mplan_executor executor, bool overlap, steps_result *r,
                            mplan_exchange_figures *figures)
{
    mplan_error err;
    mplan_bundle *bundle;
    mplan_exec *exec;
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_rank_options how = MPLAN_RANK_OPTIONS_INIT;
    options.executor = executor;
    how.ranks = ranks;
    how.poison = true;
    how.overlap = overlap;
    assert_done(mplan_bundle_open(path, NULL, &bundle, &err), &err);
    assert_done(mplan_exec_open_part(bundle, NULL, &options, &how, &exec, &err), &err);
    support_steps_run(test, exec, 0, r);
    if (figures)
        assert_done(mplan_exec_exchanged(exec, figures, &err), &err);
    mplan_exec_close(exec);
    mplan_bundle_free(bundle);
}
