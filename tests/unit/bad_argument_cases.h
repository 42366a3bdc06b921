/* SPDX-License-Identifier: Apache-2.0 */
/* bad_argument_cases.h - a row for each argument of a public function that may be bad
 *
 * A row names the function and the argument; tests/package/bad_arguments.py holds the rows of all test_bad_*.c
 * against both headers, so that no function or argument is without one. */
#ifndef MPLAN_BAD_ARGUMENT_CASES_H
#define MPLAN_BAD_ARGUMENT_CASES_H

#include "support_folder.h"
#include "support_test.h"

#include "apps/app.h"
#include "exec/meshplan_exec.h"

/* The call, without its last argument err, is refused and its sentence holds `part`. */
#define REFUSED_AS(function, argument, part, ...) \
    check_refused(#function, function(__VA_ARGS__, cleared()), #argument, part)
#define REFUSED(function, argument, ...) REFUSED_AS(function, argument, #argument, __VA_ARGS__)
#define HARMLESS(function, argument, condition)                                 \
    do {                                                                        \
        if (!(condition))                                                       \
            fail_msg("%s with a bad %s: %s", #function, #argument, #condition); \
    } while (0)

static mplan_error error;
static const int32_t bad[] = {-1, INT32_MAX};
static const int32_t far[] = {INT32_MIN, INT32_MAX}; /* -1 is "auto" in some enumerations */

static inline mplan_error *cleared(void)
{
    memset(&error, 0, sizeof error);
    return &error;
}

static inline void check_refused(const char *function, mplan_status status, const char *argument,
                                 const char *part)
{
    if (status != MPLAN_ERR_ARGUMENT || error.status != status || !strstr(error.text, part))
        fail_msg("%s with a bad %s: status %d, '%s'", function, argument, (int)status, error.text);
}

/* What the calls are made with, all of it valid. */
static struct {
    mplan_mesh *mesh;
    mplan_plan *plan;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    const mplan_app *app;
    const char *dat, *loop;
    mplan_loop *loops;
    int32_t n_loops;
} all;

static inline int make_all(void **state)
{
    (void)state;
    mplan_generate_options options = MPLAN_GENERATE_OPTIONS_INIT;
    options.size[0] = options.size[1] = 4;
    assert_done(mplan_mesh_generate(&options, NULL, &all.mesh, &error), &error);
    all.app = mplan_app_find("res_calc");
    assert_done(mplan_app_request(all.app, all.mesh, &all.loops, &all.n_loops, &error), &error);
    assert_done(mplan_plan_create(all.mesh, all.n_loops, all.loops, NULL, NULL, &all.plan, &error),
                &error);
    mplan_exec_options host = MPLAN_EXEC_OPTIONS_INIT;
    assert_done(mplan_exec_open(all.plan, &host, &all.exec, &error), &error);
    assert_done(mplan_exec_declare_all(all.exec, &error), &error);
    all.loop = all.loops[0].name;
    all.dat = all.loops[0].args[0].dat;
    assert_done(mplan_exec_bind(all.exec, all.loop, -1, all.app->loops[0].host, &all.bound, &error),
                &error);
    return 0;
}

static inline int free_all(void **state)
{
    (void)state;
    mplan_exec_close(all.exec);
    mplan_plan_free(all.plan);
    mplan_app_request_free(all.loops, all.n_loops);
    mplan_mesh_free(all.mesh);
    return 0;
}

#endif
