/* SPDX-License-Identifier: Apache-2.0 */
/* test_step.c - conflicts of a step: against every pair of entries, and each change of them refused */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "pipeline/loop_conflicts.h"
#include "support_test.h"

enum { LOOPS = 4, ARGS = 4, DATS = 5, MOST = 7 };

/* Loops of random args; mapped ones go through map 0, which nobody looks up here. */
static mplan_plan *random_plan(uint64_t *seed)
{
    static const char *const names[DATS] = {"a", "b", "c", "d", "e"};
    static const mplan_access accesses[] = {MPLAN_READ, MPLAN_WRITE, MPLAN_RW, MPLAN_INC};
    mplan_plan *plan;
    mplan_error err;
    assert_done(mplan_plan_new(&plan, &err), &err);
    for (int l = 0; l < LOOPS; l++) {
        mplan_plan_arg args[ARGS];
        mplan_plan_loop loop = {.name = "loop", .calls = 1, .args = args};
        loop.n_args = (int32_t)support_random(seed, ARGS + 1);
        for (int a = 0; a < loop.n_args; a++)
            args[a] = (mplan_plan_arg){.dat = names[support_random(seed, DATS)],
                                       .map = (int32_t)support_random(seed, 2) - 1,
                                       .access = accesses[support_random(seed, 4)],
                                       .dim = 1,
                                       .type = MPLAN_TYPE_F64};
        assert_done(mplan_plan_add_loop(plan, &loop, &err), &err);
    }
    return plan;
}

/* What all args of an entry's loop that name a dat do: bits 1 read, 2 write, 4 other than inc, 8
 * and 16 ways; 0: nothing. *first: the first of these args. */
static int use_of(const mplan_plan *plan, int32_t entry, const char *dat, int32_t *first)
{
    const mplan_plan_loop *loop = &plan->loops[plan->step[entry].loop];
    int use = 0;
    *first = -1;
    for (int32_t a = 0; a < loop->n_args; a++) {
        const mplan_plan_arg *arg = &loop->args[a];
        if (strcmp(arg->dat, dat) != 0)
            continue;
        *first = *first < 0 ? a : *first;
        use |= (arg->access != MPLAN_WRITE) | (arg->access != MPLAN_READ) << 1 |
               (arg->access != MPLAN_INC) << 2 | (arg->map < 0 ? 8 : 16);
    }
    return use;
}

/* Whether an entry at a place in time of three repetitions writes a dat. */
static bool writes(const mplan_plan *plan, int32_t place, const char *dat)
{
    int32_t first;
    return use_of(plan, place % plan->n_step, dat, &first) & 2;
}

/* Conflicts of the entry at `later` with the one `back` places before it, as the format says. */
static int32_t pair(const mplan_plan *plan, int32_t later, int32_t back, const char *dat,
                    mplan_step_conflict *out)
{
    const int32_t n = plan->n_step, at = later + n, earlier = at - back;
    int32_t arg, other;
    const int mine = use_of(plan, later, dat, &arg), theirs = use_of(plan, earlier % n, dat, &other);
    if (!theirs || !((mine | theirs) & 2))
        return 0;
    for (int32_t between = earlier + 1; between < at; between++)
        if (writes(plan, between, dat))
            return 0;
    uint32_t kinds = 8;
    if ((mine | theirs) & 4)
        kinds = (uint32_t)((theirs & 2 && mine & 1) | (theirs & 1 && mine & 2) << 1 |
                           (theirs & 2 && mine & 2) << 2);
    *out = (mplan_step_conflict){
        earlier % n, later, earlier < n, kinds, (uint32_t)theirs >> 3, (uint32_t)mine >> 3, arg};
    return 1;
}

/* All of them; returns how many. */
static int32_t reference(const mplan_plan *plan, mplan_step_conflict *out)
{
    int32_t n = 0, first;
    for (int32_t later = 0; later < plan->n_step; later++) {
        const mplan_plan_loop *loop = &plan->loops[plan->step[later].loop];
        for (int32_t a = 0; a < loop->n_args; a++) {
            use_of(plan, later, loop->args[a].dat, &first);
            for (int32_t back = plan->n_step; back > 0 && first == a; back--)
                n += pair(plan, later, back, loop->args[a].dat, &out[n]);
        }
    }
    return n;
}

static mplan_status proved(const mplan_plan *plan)
{
    mplan_check check = {.plan = plan};
    mplan_error err;
    return mplan_check_step(&check, &err);
}

/* Each field of one conflict, by one. */
static void every_change_is_refused(mplan_plan *plan)
{
    for (int32_t c = 0; c < plan->n_conflicts; c++) {
        const mplan_step_conflict kept = plan->conflicts[c];
        for (size_t at = 0; at < sizeof kept; at += 4)
            for (int by = -1; by <= 1; by += 2) {
                int32_t value;
                char *field = (char *)&plan->conflicts[c] + at;
                memcpy(&value, field, 4);
                value += by;
                memcpy(field, &value, 4);
                assert_int_equal(proved(plan), MPLAN_ERR_DISPROVED);
                plan->conflicts[c] = kept;
            }
    }
    const mplan_step_conflict more = {0};
    mplan_error err;
    if (plan->n_conflicts > 0) {
        plan->n_conflicts--;
        assert_int_equal(proved(plan), MPLAN_ERR_DISPROVED);
        plan->n_conflicts++;
    }
    assert_done(mplan_plan_add_conflict(plan, &more, &err), &err);
    assert_int_equal(proved(plan), MPLAN_ERR_DISPROVED);
}

static void conflicts_equal_the_reference(void **state)
{
    (void)state;
    uint64_t seed = 61;
    int64_t all = 0, kinds[9] = {0}, repeats = 0;
    mplan_error err;
    for (int i = 0; i < 3000; i++) {
        mplan_plan *plan = random_plan(&seed);
        mplan_step_conflict due[MOST * ARGS * MOST];
        int32_t step[MOST];
        mplan_plan_options asked = MPLAN_PLAN_OPTIONS_INIT;
        asked.n_step = (int32_t)support_random(&seed, MOST + 1);
        asked.step = step;
        for (int32_t s = 0; s < asked.n_step; s++)
            step[s] = (int32_t)support_random(&seed, LOOPS);
        planning p = {.plan = plan, .asked = &asked};
        assert_done(mplan_planning_step(&asked, LOOPS, &err), &err);
        assert_done(mplan_planning_conflicts(&p, &err), &err);
        assert_int_equal(plan->n_step, asked.n_step);
        assert_int_equal(plan->n_conflicts, reference(plan, due));
        for (int32_t c = 0; c < plan->n_conflicts; c++) {
            assert_memory_equal(&plan->conflicts[c], &due[c], sizeof *due);
            kinds[due[c].kinds]++;
            repeats += due[c].repeat;
        }
        all += plan->n_conflicts;
        assert_int_equal(proved(plan), MPLAN_OK);
        if (i % 10 == 0)
            every_change_is_refused(plan);
        mplan_plan_free(plan);
    }
    for (int k = 1; k <= 8; k++)
        assert_true(kinds[k] > 0 || k == 3 || k == 5 || k == 6);
    assert_true(repeats > 1000 && repeats < all - 1000);
}

static void steps_that_cannot_be(void **state)
{
    (void)state;
    const int32_t step[] = {0, 1, 2};
    mplan_error err;
    mplan_plan_options asked = MPLAN_PLAN_OPTIONS_INIT;
    asked.n_step = 3;
    assert_refused(mplan_planning_step(&asked, 3, &err), MPLAN_ERR_ARGUMENT, &err, "NULL");
    asked.step = step;
    assert_done(mplan_planning_step(&asked, 3, &err), &err);
    assert_refused(mplan_planning_step(&asked, 2, &err), MPLAN_ERR_ARGUMENT, &err,
                   "the step names loop 2, but there are 2 loops");
    for (int k = 0; k < 2; k++) {
        asked.n_step = k ? -1 : MPLAN_STEP_MOST + 1;
        assert_refused(mplan_planning_step(&asked, 3, &err), MPLAN_ERR_ARGUMENT, &err,
                       "a step has at most 4096 loops");
    }
}

/* Plans, forecasts and comparisons with a request refuse such steps alike, before they read them. */
static void steps_are_checked_by_all_who_take_them(void **state)
{
    (void)state;
    static const int32_t far[] = {0, 1};
    static const struct {
        int32_t n;
        const int32_t *step;
    } wrong[] = {{2, NULL}, {2, far}, {-1, far}};
    const mplan_arg arg = {"q", NULL, MPLAN_RW, 1, MPLAN_TYPE_F64, MPLAN_NONE_REFUSE};
    const mplan_loop loop = {"scale", "cells", true, 1, 0, 1, &arg};
    mplan_mesh *mesh;
    mplan_plan *plan, *other = NULL;
    mplan_forecast *forecast = NULL;
    mplan_error err;
    assert_done(mplan_mesh_create(&mesh, &err), &err);
    assert_done(mplan_mesh_add_set(mesh, "cells", 8, NULL, &err), &err);
    assert_done(mplan_plan_create(mesh, 1, &loop, NULL, NULL, &plan, &err), &err);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        mplan_plan_options asked = MPLAN_PLAN_OPTIONS_INIT;
        asked.n_step = wrong[i].n;
        asked.step = wrong[i].step;
        assert_refused(mplan_plan_create(mesh, 1, &loop, &asked, NULL, &other, &err),
                       MPLAN_ERR_ARGUMENT, &err, "step");
        assert_refused(mplan_plan_forecast(mesh, 1, &loop, &asked, NULL, &forecast, &err),
                       MPLAN_ERR_ARGUMENT, &err, "step");
        assert_refused(mplan_plan_compare_request(plan, mesh, 1, &loop, &asked, NULL, &err),
                       MPLAN_ERR_ARGUMENT, &err, "step");
        assert_null(other);
        assert_null(forecast);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conflicts_equal_the_reference),
                                       cmocka_unit_test(steps_that_cannot_be),
                                       cmocka_unit_test(steps_are_checked_by_all_who_take_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
