/* SPDX-License-Identifier: Apache-2.0 */
/* test_check_prove.c - parts run once each, the first failure is the one that is told, marks do not run over,
 * progress ends where it is due */
#include "support_check.h"

#include "support_cases.h"

enum { MOST = 16400 };
static struct counted {
    int times[MOST];
    int64_t n, bad; /* parts; the only one that fails */
    bool outside;
} counted;

static mplan_status count_part(void *proof, int64_t part, int thread, mplan_error *err)
{
    struct counted *all = proof;
    (void)thread;
    if (part < 0 || part >= all->n)
        all->outside = true;
    else
        all->times[part]++;
    return part == all->bad || part == all->bad + 3 ? MPLAN_DISPROVED(err, "part %d", (int)part)
                                                    : MPLAN_OK;
}

static bool asked_to_stop(void *user)
{
    return *(int *)user > 0;
}

/* Runs of parts are 8,192 long. */
static void each_part_runs_once(void **state)
{
    static const int64_t sizes[] = {0, 1, 15, 16, 17, 8190, 8191, 8192, 8193, 16383, 16384, 16385};
    (void)state;
    for (int with_team = 0; with_team < 2; with_team++) {
        int stop = 0;
        mplan_context context = {.struct_size = sizeof context,
                                 .threads = 1 + 2 * with_team,
                                 .cancelled = asked_to_stop,
                                 .user = &stop};
        mplan_threaded threaded;
        const mplan_context *opened = mplan_threaded_open(&context, &threaded);
        mplan_check check = {.context = opened, .team = mplan_team_of(opened)};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            mplan_error err;
            counted = (struct counted){.n = sizes[i], .bad = -9};
            assert_done(mplan_check_each(&check, sizes[i], count_part, &counted, &err), &err);
            assert_false(counted.outside);
            for (int64_t p = 0; p < sizes[i]; p++)
                assert_int_equal(counted.times[p], 1);
            for (int64_t bad = sizes[i] - 4; bad < sizes[i]; bad++) {
                char reason[32];
                if (bad < 0)
                    continue;
                counted = (struct counted){.n = sizes[i], .bad = bad};
                snprintf(reason, sizeof reason, "part %d", (int)bad);
                assert_refused(mplan_check_each(&check, sizes[i], count_part, &counted, &err),
                               MPLAN_ERR_DISPROVED, &err, reason);
            }
            stop = 1;
            counted = (struct counted){.n = sizes[i], .bad = -9};
            assert_int_equal(mplan_check_each(&check, sizes[i], count_part, &counted, &err),
                             sizes[i] ? MPLAN_ERR_INTERRUPTED : MPLAN_OK);
            assert_int_equal(counted.times[0], 0);
            stop = 0;
        }
        mplan_threaded_close(&threaded);
    }
}

static void marks_are_the_callers(void **state)
{
    mplan_check check = {.n_marks = 10};
    mplan_error err;
    uint32_t first = 7;
    (void)state;
    assert_done(mplan_check_marks(&check, 10, &first, &err), &err);
    assert_int_equal(first, 0);
    assert_non_null(check.mark);
    for (int i = 0; i < 10; i++)
        assert_int_equal(check.mark[i], 0);
    assert_done(mplan_check_marks(&check, 4, &first, &err), &err);
    assert_int_equal(first, 10);
    check.mark[3] = 14;
    check.last_mark = UINT32_MAX - 5;
    assert_done(mplan_check_marks(&check, 5, &first, &err), &err);
    assert_int_equal(first, UINT32_MAX - 5);
    assert_int_equal(check.last_mark, UINT32_MAX);
    assert_int_equal(check.mark[3], 14);
    assert_done(mplan_check_marks(&check, 1, &first, &err), &err);
    assert_int_equal(first, 0);
    assert_int_equal(check.last_mark, 1);
    assert_int_equal(check.mark[3], 0);
    free(check.mark);
}

typedef struct steps {
    int64_t n, last, total;
    bool wrong; /* not one more than before, or of another number */
} steps;

static void count_steps(void *user, const char *stage, int64_t done, int64_t total)
{
    steps *all = user;
    if (strcmp(stage, "check") != 0)
        return;
    all->wrong = all->wrong || done != all->last + 1 || (all->n && total != all->total);
    all->last = done;
    all->total = total;
    all->n++;
}

/* Plans of the naive planner are right, but nobody asked for them. */
static void progress_ends_and_the_request_counts(void **state)
{
    mplan_mesh *mesh = support_fixed_mesh();
    mplan_plan *plan = support_fixed_plan(mesh);
    steps all = {.last = -1};
    mplan_context context = {
        .struct_size = sizeof context, .threads = 1, .progress = count_steps, .user = &all};
    mplan_error err;
    (void)state;
    assert_done(mplan_check_prove(plan, mesh, false, &context, &err), &err);
    assert_false(all.wrong);
    assert_true(all.n > 10);
    assert_int_equal(all.last, all.total);
    assert_int_equal(mplan_check_prove(plan, mesh, true, NULL, &err), MPLAN_ERR_DISPROVED);
    assert_int_equal(mplan_plan_verify(plan, NULL, NULL, &err), MPLAN_ERR_DISPROVED);
    plan->sealed = false;
    assert_refused(mplan_check_prove(plan, mesh, false, NULL, &err), MPLAN_ERR_ARGUMENT, &err,
                   "still being built");
    plan->sealed = true;
    /* the first proof that fails ends it */
    all = (steps){.last = -1};
    plan->sets[0].size = -1;
    assert_refused(mplan_check_prove(plan, mesh, false, &context, &err), MPLAN_ERR_DISPROVED, &err,
                   "size -1");
    assert_int_equal(all.n, 1);
    plan->sets[0].size = 14;
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_runs_once),
        cmocka_unit_test(marks_are_the_callers),
        cmocka_unit_test(progress_ends_and_the_request_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
