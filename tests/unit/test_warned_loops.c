/* SPDX-License-Identifier: Apache-2.0 */
/* test_warned_loops.c - the planner warns of a loop exactly where no executor runs any kernel that fits it */
#include "support_test.h"

#include "exec/meshplan_exec.h"
#include "exec/meshplan_kernel.h"
#include "plan/plan.h"

enum { MOST = MPLAN_MAX_ARGS + 1, WAYS = 3, ACCESSES = 4 };
static const char *const maps[WAYS] = {NULL, "pairs", "rows"}; /* directly, of an arity, ragged */

static int n_warnings;

static void hear(void *user, const char *text)
{
    (void)user;
    n_warnings += strstr(text, "no executor can run loop loop: ") != NULL;
}

static void never_run(const mplan_host_call *call, int64_t begin, int64_t end)
{
    (void)call;
    (void)begin;
    (void)end;
}

/* Four elements, six points; rows have one to three entries. */
static mplan_mesh *tables(void)
{
    static const int32_t pairs[] = {0, 1, 1, 2, 3, 4, 4, 5}, rows[] = {0, 1, 2, 2, 3, 4, 5};
    static const int64_t offsets[] = {0, 1, 3, 4, 7};
    int32_t elements, points;
    mplan_mesh *mesh;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "elements", 4, &elements, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", 6, &points, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "pairs", elements, points, 2, NULL, pairs, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "rows", elements, points, 0, offsets, rows, NULL, &err),
                &err);
    return mesh;
}

/* Whether a kernel with the args of the plan's loop can be bound to any of its variants; rows of the ragged map are at
 * most as long as it says. */
static bool some_executor_runs(const mplan_plan *plan)
{
    mplan_error err;
    mplan_exec *exec;
    mplan_kernel_arg args[MOST];
    const mplan_plan_loop *loop = mplan_plan_get_loop(plan, 0);
    bool runs = false;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        const mplan_plan_map *map = mplan_plan_get_map(plan, arg->map);
        args[a] = (mplan_kernel_arg){.dat = arg->dat,
                                     .map = map ? map->name : "",
                                     .arity = !map         ? 1
                                              : map->arity ? map->arity
                                                           : 3,
                                     .dim = arg->dim,
                                     .type = arg->type,
                                     .access = arg->access,
                                     .ragged = map && map->arity == 0};
    }
    const mplan_kernel kernel = {
        .name = "kernel", .n_args = loop->n_args, .args = args, .run = never_run};
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    options.executor = MPLAN_EXECUTOR_HOST;
    options.threads = 1;
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    for (int32_t v = 0; v < loop->n_variants; v++) {
        mplan_exec_loop *bound;
        runs = runs || !mplan_exec_bind(exec, "loop", v, &kernel, &bound, &err);
    }
    mplan_exec_close(exec);
    return runs;
}

/* A loop over a mesh, where it can be planned: it is warned of, or some executor runs it. */
static void planned_and_run(mplan_mesh *mesh, int32_t n_args, const mplan_arg *args, int *warned,
                            int *run)
{
    const mplan_context context = {.struct_size = sizeof context, .threads = 1, .warning = hear};
    const mplan_loop loop = {"loop", "elements", true, 1, 0, n_args, args};
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_plan *plan;
    mplan_error err;
    options.partitioner = MPLAN_PARTITIONER_NONE;
    n_warnings = 0;
    if (mplan_plan_create(mesh, 1, &loop, &options, &context, &plan, &err))
        return;
    const bool runs = some_executor_runs(plan);
    if (n_warnings != !runs)
        fail_msg("%d args, the first %s by %s: %s, but %s", (int)n_args,
                 mplan_access_name(args[0].access), args[0].map ? args[0].map : "none",
                 n_warnings ? "warned of" : "not warned of", runs ? "it runs" : "it does not run");
    *warned += !runs;
    *run += runs;
    mplan_plan_free(plan);
}

/* All pairs of args by all ways, and loops of many args. */
static void warnings_and_executors_agree(void **state)
{
    (void)state;
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h", "i",
                                            "j", "k", "l", "m", "n", "o", "p", "q"};
    mplan_mesh *mesh = tables();
    int warned = 0, run = 0;
    for (int i = 0; i < WAYS * ACCESSES * WAYS * ACCESSES; i++) {
        const int x = i / (WAYS * ACCESSES), y = i % (WAYS * ACCESSES);
        const mplan_arg args[] = {{"x", maps[x / ACCESSES], (mplan_access)(x % ACCESSES), 1,
                                   MPLAN_TYPE_F64, MPLAN_NONE_REFUSE},
                                  {"y", maps[y / ACCESSES], (mplan_access)(y % ACCESSES), 2,
                                   MPLAN_TYPE_F32, MPLAN_NONE_REFUSE}};
        planned_and_run(mesh, 2, args, &warned, &run);
    }
    for (int32_t n = MPLAN_MAX_ARGS - 1; n <= MOST; n++) {
        mplan_arg args[MOST];
        for (int32_t a = 0; a < n; a++)
            args[a] = (mplan_arg){names[a], maps[a % 2],    MPLAN_READ,
                                  1,        MPLAN_TYPE_I32, MPLAN_NONE_REFUSE};
        planned_and_run(mesh, n, args, &warned, &run);
    }
    assert_true(warned > 0);
    assert_true(run > 0);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_and_executors_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
