/* SPDX-License-Identifier: Apache-2.0 */
/* test_written_once.c - writes and updates through maps that lead to each point at most once
 *
 * The planner finds such maps, every strategy that runs an element once may run them, and owner-gather what is only
 * written, the file says it, and a plan that says it of a map with a point twice is disproved. Against the loop written by hand. */
#include <stdlib.h>

#include "exec/meshplan_kernel.h"

#include "plan/plan.h"
#include "planfile/planfile_layout.h"
#include "support_planfile.h"
#include "support_test.h"
#include "toss_kernels.h"

#include "exec/meshplan_exec.h"

enum { CELLS = 301, CORNERS = 4 * CELLS + 9, POINTS = 97 };

/* A cell writes its corners, updates a number of each, and adds to points that it shares. */
#define SPLIT_ARGS(MAPPED, DIRECT, OPPOSITE)       \
    DIRECT(own, 1, f64, READ)                      \
    MAPPED(force, cells_corners, 4, 2, f64, WRITE) \
    MAPPED(count, cells_corners, 4, 1, f64, RW)    \
    MAPPED(sum, cells_points, 2, 1, f64, INC)
MPLAN_VIEWS(split, SPLIT_ARGS)
MPLAN_FN void split(split_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int k = 0; k < 4; k++) {
        v->force[k][0] = v->own[0] + k;
        v->force[k][1] = v->own[0] * k + v->count[k][0];
        v->count[k][0] += 1;
    }
    v->sum[0][0] = v->own[0];
    v->sum[1][0] = -2 * v->own[0];
}
MPLAN_KERNEL(split, SPLIT_ARGS, mplan_no_parameters)

/* The same without increments: nothing to gather. */
#define FILL_ARGS(MAPPED, DIRECT, OPPOSITE) \
    DIRECT(own, 1, f64, READ)               \
    MAPPED(force, cells_corners, 4, 2, f64, WRITE)
MPLAN_VIEWS(fill, FILL_ARGS)
MPLAN_FN void fill(fill_views *v, const mplan_no_parameters *p)
{
    (void)p;
    for (int k = 0; k < 4; k++) {
        v->force[k][0] = v->own[0] + k;
        v->force[k][1] = v->own[0] * k;
    }
}
MPLAN_KERNEL(fill, FILL_ARGS, mplan_no_parameters)

typedef struct tables {
    int32_t corners[4 * CELLS], points[2 * CELLS];
    double own[CELLS], count[CORNERS];
} tables;

/* Of plans with owner-gather; NONE: as the planner chooses. */
static mplan_encoding asked = MPLAN_ENCODING_NONE;

/* Corners are numbered at random; some belong to no cell, some cells lack a corner. twice: two cells share one; whole: no
 * cell lacks any. */
static mplan_mesh *make_as(tables *t, bool twice, bool whole)
{
    mplan_error err;
    mplan_mesh *mesh;
    uint64_t seed = 7;
    int32_t number[CORNERS];
    for (int32_t i = 0; i < CORNERS; i++)
        number[i] = i;
    for (int32_t i = CORNERS - 1; i > 0; i--) {
        const int32_t k = (int32_t)support_random(&seed, (uint64_t)i + 1), kept = number[i];
        number[i] = number[k];
        number[k] = kept;
    }
    for (int32_t i = 0; i < 4 * CELLS; i++)
        t->corners[i] = i % 37 == 5 && !whole ? -1 : number[i];
    if (twice)
        t->corners[4 * 200] = t->corners[3];
    for (int32_t i = 0; i < 2 * CELLS; i++)
        t->points[i] = (int32_t)support_random(&seed, POINTS);
    for (int32_t i = 0; i < CELLS; i++)
        t->own[i] = (double)support_random(&seed, 100);
    for (int32_t i = 0; i < CORNERS; i++)
        t->count[i] = (double)support_random(&seed, 50);
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", CELLS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "corners", CORNERS, NULL, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "points", POINTS, NULL, &err), &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_corners", 0, 1, 4, NULL, t->corners, NULL, &err),
                &err);
    assert_done(mplan_mesh_add_map(mesh, "cells_points", 0, 2, 2, NULL, t->points, NULL, &err), &err);
    return mesh;
}

static mplan_mesh *make(tables *t, bool twice)
{
    return make_as(t, twice, false);
}

static mplan_status plan_for(mplan_mesh *mesh, const mplan_kernel *kernel, int n_strategies,
                             const mplan_strategy *strategies, mplan_plan **plan, mplan_error *err)
{
    mplan_arg args[MPLAN_MAX_ARGS];
    mplan_loop loop;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    assert_done(mplan_kernel_loop(kernel, "cells", args, &loop, err), err);
    for (int a = 0; a < loop.n_args; a++)
        if (args[a].map)
            args[a].none = MPLAN_NONE_SKIP;
    options.block_size = 32;
    options.encoding = asked;
    options.n_strategies = n_strategies;
    for (int s = 0; s < n_strategies; s++)
        options.strategies[s] = strategies[s];
    return mplan_plan_create(mesh, 1, &loop, &options, NULL, plan, err);
}

static const mplan_strategy once_each[] = {MPLAN_STRATEGY_GLOBAL_COLOUR,
                                           MPLAN_STRATEGY_BLOCK_COLOUR, MPLAN_STRATEGY_TWO_STEP,
                                           MPLAN_STRATEGY_ATOMIC, MPLAN_STRATEGY_BLOCK_GATHER};
enum { N_ONCE_EACH = sizeof once_each / sizeof *once_each };

/* One launch of a variant, against the loop by hand: whole numbers, so that sums are exact. */
static void run(const tables *t, const mplan_plan *plan, int32_t variant, mplan_executor executor)
{
    static double force[2 * CORNERS], count[CORNERS], sum[POINTS];
    static double due_force[2 * CORNERS], due_count[CORNERS], due_sum[POINTS];
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec_loop *bound;
    mplan_exec *exec;
    mplan_error err;
    options.executor = executor;
    options.threads = 3;
    memset(due_force, 0, sizeof due_force);
    memset(due_sum, 0, sizeof due_sum);
    memcpy(due_count, t->count, sizeof due_count);
    for (int32_t c = 0; c < CELLS; c++) {
        for (int32_t k = 0; k < 4; k++) {
            const int32_t corner = t->corners[4 * c + k];
            if (corner < 0)
                continue;
            due_force[2 * corner] = t->own[c] + k;
            due_force[2 * corner + 1] = t->own[c] * k + due_count[corner];
            due_count[corner] += 1;
        }
        due_sum[t->points[2 * c]] += t->own[c];
        due_sum[t->points[2 * c + 1]] -= 2 * t->own[c];
    }
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "own", t->own, CELLS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_upload(exec, "count", t->count, CORNERS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind(exec, "split", variant, &split_host, &bound, &err), &err);
    assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
    assert_done(mplan_exec_download(exec, "force", force, CORNERS, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "count", count, CORNERS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", sum, POINTS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_memory_equal(force, due_force, sizeof force);
    assert_memory_equal(count, due_count, sizeof count);
    assert_memory_equal(sum, due_sum, sizeof sum);
    mplan_exec_close(exec);
}

static void every_strategy_that_runs_once(void **state)
{
    static tables t;
    mplan_error err;
    mplan_plan *plan;
    (void)state;
    mplan_mesh *mesh = make(&t, false);
    assert_done(plan_for(mesh, &split_host, N_ONCE_EACH, once_each, &plan, &err), &err);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    assert_int_equal(plan->loops[0].args[1].once, 1);
    assert_int_equal(plan->loops[0].args[2].once, 1);
    assert_int_equal(plan->loops[0].args[3].once, 0);
    for (int32_t v = 0; v < N_ONCE_EACH; v++)
        for (int e = 0; e < MPLAN_EXECUTOR_CUDA; e++)
            run(&t, plan, v, (mplan_executor)e);
    mplan_plan_free(plan);
    const mplan_strategy owner = MPLAN_STRATEGY_OWNER_GATHER;
    assert_refused(plan_for(mesh, &split_host, 1, &owner, &plan, &err), MPLAN_ERR_ARGUMENT, &err,
                   "dat count is updated (rw) through map cells_corners (arg 2)");
    mplan_mesh_free(mesh);
}

/* One launch of the loop that only writes and adds. */
static void run_toss(const tables *t, const mplan_plan *plan, mplan_executor executor)
{
    static double force[2 * CORNERS], sum[POINTS], due_force[2 * CORNERS], due_sum[POINTS];
    mplan_exec_options options = MPLAN_EXEC_OPTIONS_INIT;
    mplan_exec_loop *bound;
    mplan_exec *exec;
    mplan_error err;
    options.executor = executor;
    options.threads = 3;
    memset(due_force, 0, sizeof due_force);
    memset(due_sum, 0, sizeof due_sum);
    for (int32_t c = 0; c < CELLS; c++) {
        for (int32_t k = 0; k < 4; k++) {
            const int32_t corner = t->corners[4 * c + k];
            due_force[corner < 0 ? 0 : 2 * corner] += corner < 0 ? 0 : t->own[c] + k;
            due_force[corner < 0 ? 1 : 2 * corner + 1] += corner < 0 ? 0 : t->own[c] * k;
        }
        due_sum[t->points[2 * c]] += t->own[c];
        due_sum[t->points[2 * c + 1]] -= 2 * t->own[c];
    }
    assert_done(mplan_exec_open(plan, &options, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_done(mplan_exec_upload(exec, "own", t->own, CELLS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_bind(exec, "toss", 0, &toss_host, &bound, &err), &err);
    assert_done(mplan_exec_launch(exec, bound, NULL, NULL, &err), &err);
    assert_done(mplan_exec_download(exec, "force", force, CORNERS, 2, MPLAN_TYPE_F64, &err), &err);
    assert_done(mplan_exec_download(exec, "sum", sum, POINTS, 1, MPLAN_TYPE_F64, &err), &err);
    assert_memory_equal(force, due_force, sizeof force);
    assert_memory_equal(sum, due_sum, sizeof sum);
    mplan_exec_close(exec);
}

/* All strategies, owner-gather by every encoding: corners that lack, and (windows16 needs them all) none that does. A plan
 * that would update them under owner-gather, or write by the map of the sums, is refused by the proof and when bound. */
static void what_is_only_written_beside_sums(void **state)
{
    static tables t;
    mplan_error err;
    mplan_plan *plan;
    (void)state;
    for (int whole = 0; whole < 2; whole++)
        for (int s = 0; s < MPLAN_N_STRATEGIES; s++)
            for (int encoding = 0; encoding < (s == MPLAN_STRATEGY_OWNER_GATHER ? 4 : 1); encoding++) {
                static const mplan_encoding encodings[] = {
                    MPLAN_ENCODING_NONE, MPLAN_ENCODING_INDEX32, MPLAN_ENCODING_INDEX16,
                    MPLAN_ENCODING_WINDOWS16};
                const mplan_strategy strategy = (mplan_strategy)s;
                mplan_mesh *mesh = make_as(&t, false, whole);
                asked = encodings[encoding];
                if (asked == MPLAN_ENCODING_WINDOWS16 && !whole) {
                    assert_refused(plan_for(mesh, &toss_host, 1, &strategy, &plan, &err),
                                   MPLAN_ERR_ARGUMENT, &err, "windows16");
                    mplan_mesh_free(mesh);
                    continue;
                }
                assert_done(plan_for(mesh, &toss_host, 1, &strategy, &plan, &err), &err);
                assert_int_equal(plan->loops[0].variants[0].strategy, s);
                assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
                for (int e = 0; e < MPLAN_EXECUTOR_CUDA; e++)
                    run_toss(&t, plan, (mplan_executor)e);
                mplan_plan_free(plan);
                mplan_mesh_free(mesh);
            }
    asked = MPLAN_ENCODING_NONE;
}

static void owner_gather_updates_nothing(void **state)
{
    static tables t;
    static const mplan_strategy owner = MPLAN_STRATEGY_OWNER_GATHER;
    mplan_error err;
    mplan_plan *plan;
    mplan_exec *exec;
    mplan_exec_loop *bound;
    (void)state;
    mplan_mesh *mesh = make(&t, false);
    assert_done(plan_for(mesh, &toss_host, 1, &owner, &plan, &err), &err);
    mplan_plan_arg *args = (mplan_plan_arg *)(uintptr_t)plan->loops[0].args;
    args[1].access = MPLAN_RW;
    assert_refused(mplan_plan_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "is updated through a map, but owner-gather");
    assert_done(mplan_exec_open(plan, NULL, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_int_not_equal(mplan_exec_bind(exec, "toss", 0, &toss_host, &bound, &err), MPLAN_OK);
    mplan_exec_close(exec);
    args[1].access = MPLAN_WRITE;
    args[1].once = 0; /* then it would need colours */
    assert_refused(mplan_plan_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "is written through a map, which is safe only with colours");
    assert_done(mplan_exec_open(plan, NULL, &exec, &err), &err);
    assert_done(mplan_exec_declare_all(exec, &err), &err);
    assert_refused(mplan_exec_bind(exec, "toss", 0, &toss_host, &bound, &err),
                   MPLAN_ERR_UNSUPPORTED, &err, "only colours separate the elements");
    mplan_exec_close(exec);
    args[1].once = 1;
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* A map with one point twice needs colours, as before; the file then has nothing of it. */
static void once_more_is_not_once(void **state)
{
    static tables t;
    static const mplan_strategy colour = MPLAN_STRATEGY_GLOBAL_COLOUR, atomic = MPLAN_STRATEGY_ATOMIC;
    mplan_error err;
    mplan_plan *plan;
    (void)state;
    mplan_mesh *mesh = make(&t, true);
    assert_refused(plan_for(mesh, &split_host, 1, &atomic, &plan, &err), MPLAN_ERR_ARGUMENT, &err,
                   "only colours separate them");
    assert_done(plan_for(mesh, &split_host, 1, &colour, &plan, &err), &err);
    assert_int_equal(plan->loops[0].args[1].once, 0);
    assert_false(mplan_plan_has_args2(plan));
    mplan_plan_arg *args = (mplan_plan_arg *)(uintptr_t)plan->loops[0].args;
    args[1].once = 1;
    assert_refused(mplan_plan_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "writes points once, but map cells_corners leads to point");
    args[1].once = 0;
    args[0].once = 1;
    assert_refused(mplan_plan_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED, &err,
                   "does not write through a map");
    args[0].once = 0;
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* Without increments there is nothing to gather: one launch, with equal bits. */
static void nothing_to_gather(void **state)
{
    static tables t;
    mplan_error err;
    mplan_plan *plan;
    (void)state;
    mplan_mesh *mesh = make(&t, false);
    assert_done(plan_for(mesh, &fill_host, 0, NULL, &plan, &err), &err);
    assert_int_equal(plan->loops[0].variants[0].strategy, MPLAN_STRATEGY_ATOMIC);
    assert_true(plan->loops[0].variants[0].deterministic);
    assert_done(mplan_plan_verify(plan, mesh, NULL, &err), &err);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* The file keeps it, behind a bit that readers must know; every bit of the field counts. */
static void the_file_says_so(void **state)
{
    static tables t;
    static const mplan_strategy atomic = MPLAN_STRATEGY_ATOMIC;
    mplan_error err;
    mplan_plan *plan, *again;
    size_t size;
    (void)state;
    mplan_mesh *mesh = make(&t, false);
    assert_done(plan_for(mesh, &fill_host, 1, &atomic, &plan, &err), &err);
    uint8_t *bytes = support_file_bytes(plan, false, 1, &size);
    assert_true(support_load64(bytes + MPLAN_AT_MUST_KNOW) & MPLAN_MUST_KNOW_ARGS2);
    assert_done(mplan_plan_read_borrowed(bytes, size, "once", NULL, &again, &err), &err);
    assert_int_equal(again->loops[0].args[0].once, 0);
    assert_int_equal(again->loops[0].args[1].once, 1);
    mplan_plan_free(again);
    support_file file = support_file_split(bytes, size);
    support_section *section = &file.sections[support_file_find(&file, MPLAN_KIND_ARGS2)];
    for (size_t at = 0; at < 128; at++)
        for (int bit = 0; bit < 8; bit++) {
            section->data[at] ^= (uint8_t)(1 << bit);
            size_t joined_size;
            uint8_t *joined = support_file_join(&file, &joined_size);
            mplan_status status = mplan_plan_read_borrowed(joined, joined_size, "once", NULL,
                                                           &again, &err);
            if (!status) {
                status = mplan_plan_verify(again, NULL, NULL, &err);
                mplan_plan_free(again);
            }
            if (!status)
                fail_msg("byte %zu, bit %d: nobody sees it", at, bit);
            free(joined);
            section->data[at] ^= (uint8_t)(1 << bit);
        }
    support_file_free(&file);
    free(bytes);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_that_runs_once),
        cmocka_unit_test(what_is_only_written_beside_sums),
        cmocka_unit_test(owner_gather_updates_nothing),
        cmocka_unit_test(once_more_is_not_once),
        cmocka_unit_test(nothing_to_gather),
        cmocka_unit_test(the_file_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
