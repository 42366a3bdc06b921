/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_snapshot.c - dats come back as they were, and every bit of them counts */
#include "support_exec.h"
#include "support_plan.h"
#include "support_test.h"

#include "apps/snapshot.h"

static mplan_plan *small_plan(uint64_t *seed, mplan_mesh **mesh)
{
    const support_exec_case *test = support_exec_find("knots");
    support_exec_loop request;
    support_plan_options options = {4, true, false, false};
    support_exec_request(test, &request);
    for (;;) {
        *mesh = test->make(seed);
        bool small = true; /* the naive planner takes no more than 64 */
        for (int32_t s = 0; s < mplan_mesh_n_sets(*mesh); s++)
            small = small && mplan_mesh_set(*mesh, s).size < 56;
        mplan_plan *plan = small ? support_plan(*mesh, 1, &request.loop, &options, seed) : NULL;
        if (plan && mplan_plan_get_set(plan, 0)->storage_size > 1)
            return plan;
        mplan_plan_free(plan);
        mplan_mesh_free(*mesh);
    }
}

/* A step that changes nothing the first time, then one bit of a dat (bit -1: none). */
typedef struct one_bit {
    const mplan_exec *exec;
    int32_t dat;
    int64_t bit, times;
} one_bit;

static mplan_status flip(void *user, mplan_error *err)
{
    one_bit *step = user;
    unsigned char *bytes = step->exec->dats[step->dat].data;
    (void)err;
    if (step->times++ > 0 && step->bit >= 0)
        bytes[step->bit / 8] ^= (unsigned char)(1 << step->bit % 8);
    return MPLAN_OK;
}

/* Whether the results of two steps from the same start are told to be equal. */
static bool are_equal(const mplan_exec_snapshot *start, mplan_status (*step)(void *, mplan_error *),
                      void *user)
{
    mplan_error err;
    bool equal = true;
    assert_done(mplan_exec_repeat(start, 2, step, user, &equal, &err), &err);
    return equal;
}

/* Bytes of a dat of 1 or 5 bytes a member: its last word is not full. */
static void test_every_bit(void **state)
{
    (void)state;
    uint64_t seed = 3;
    mplan_error err;
    for (int round = 0; round < 8; round++) {
        mplan_mesh *mesh;
        mplan_plan *plan = small_plan(&seed, &mesh);
        mplan_exec *exec = support_exec_open(plan, (mplan_executor)(round % 3), 0);
        mplan_exec_snapshot *start = NULL;
        assert_done(mplan_exec_declare(exec, "a", "a", 1 + round % 5, MPLAN_TYPE_U8,
                                       MPLAN_LAYOUT_AOS, &err),
                    &err);
        assert_done(mplan_exec_declare(exec, "b", "a", 1, MPLAN_TYPE_F64, MPLAN_LAYOUT_AOS, &err),
                    &err);
        int64_t before = mplan_exec_bytes(exec);
        assert_done(mplan_exec_snapshot_take(exec, &start, &err), &err);
        for (int32_t d = 0; d < exec->n_dats; d++) {
            int64_t n = exec->dats[d].storage_size * exec->dats[d].dim *
                        (int64_t)mplan_type_size(exec->dats[d].type);
            for (int64_t bit = -1; bit < 8 * n; bit++) {
                one_bit step = {exec, d, bit, 0};
                assert_int_equal(are_equal(start, flip, &step), bit < 0);
            }
        }
        mplan_exec_snapshot_free(start);
        assert_int_equal(mplan_exec_bytes(exec), before);
        mplan_exec_close(exec);
        mplan_plan_free(plan);
        mplan_mesh_free(mesh);
    }
}

/* A 1 in the first place, then in the second. */
static mplan_status move_one(void *user, mplan_error *err)
{
    one_bit *step = user;
    double *numbers = step->exec->dats[0].data;
    (void)err;
    numbers[0] = step->times == 0;
    numbers[1] = step->times++ > 0;
    return MPLAN_OK;
}

/* Equal words that change places change the number. */
static void test_places(void **state)
{
    (void)state;
    uint64_t seed = 5;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan = small_plan(&seed, &mesh);
    mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_SERIAL, 0);
    mplan_exec_snapshot *start = NULL;
    assert_done(mplan_exec_declare(exec, "b", "a", 1, MPLAN_TYPE_F64, MPLAN_LAYOUT_AOS, &err), &err);
    assert_done(mplan_exec_snapshot_take(exec, &start, &err), &err);
    one_bit step = {.exec = exec};
    assert_false(are_equal(start, move_one, &step));
    mplan_exec_snapshot_free(start);
    mplan_exec_close(exec);
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

/* A step that changes a bit at its seventh time, or never. */
typedef struct counted_step {
    mplan_exec *exec;
    int64_t times, bad;
} counted_step;

static mplan_status count(void *user, mplan_error *err)
{
    counted_step *step = user;
    double *numbers = step->exec->dats[0].data;
    (void)err;
    numbers[0] += step->times == step->bad ? 2 : 1;
    step->times++;
    return MPLAN_OK;
}

static void test_repeat(void **state)
{
    (void)state;
    static const int64_t bad[] = {-1, 0, 6, 499, 500, 1199};
    uint64_t seed = 7;
    mplan_error err;
    mplan_mesh *mesh;
    mplan_plan *plan = small_plan(&seed, &mesh);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mplan_exec *exec = support_exec_open(plan, MPLAN_EXECUTOR_SERIAL, 0);
        mplan_exec_snapshot *start = NULL;
        counted_step step = {exec, 0, bad[k]};
        bool equal = true;
        assert_done(mplan_exec_declare(exec, "b", "a", 1, MPLAN_TYPE_F64, MPLAN_LAYOUT_AOS, &err),
                    &err);
        assert_done(mplan_exec_snapshot_take(exec, &start, &err), &err);
        assert_done(mplan_exec_repeat(start, 1200, count, &step, &equal, &err), &err);
        assert_int_equal(step.times, 1200);
        assert_int_equal(equal, bad[k] < 0);
        mplan_exec_snapshot_free(start);
        mplan_exec_close(exec);
    }
    mplan_plan_free(plan);
    mplan_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
