/* SPDX-License-Identifier: Apache-2.0 */
/* test_threads_turns.c - pieces of loops that wait for pieces before them */
#include "support_test.h"
#include "support_threads.h"

enum { PIECES = 3000, CHAINS = 5 };

/* Piece i goes on with the sum of chain i % CHAINS, behind the piece before it there; sums depend on the order. */
typedef struct chains {
    int32_t done[CHAINS];
    uint64_t sum[CHAINS];
    atomic_bool stop;
    int32_t stops_at, given_up;
} chains;

static void go_on(void *data, int thread, int64_t begin, int64_t end)
{
    chains *all = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const int64_t chain = i % CHAINS;
        const int32_t turn = (int32_t)(i / CHAINS);
        if (i == all->stops_at) { /* its turn is never told */
            atomic_store(&all->stop, true);
            return;
        }
        if (!mplan_await(&all->done[chain], turn, &all->stop)) {
            mplan_poke(&all->given_up, 1);
            return;
        }
        all->sum[chain] = all->sum[chain] * 31 + (uint64_t)i;
        mplan_tell(&all->done[chain], turn + 1);
    }
}

static void turns_are_kept(void **state)
{
    static const int numbers[] = {1, 2, 3, 7, 16};
    uint64_t right[CHAINS] = {0};
    (void)state;
    for (int64_t i = 0; i < PIECES; i++)
        right[i % CHAINS] = right[i % CHAINS] * 31 + (uint64_t)i;
    for (int k = 0; k < 5; k++)
        for (int round = 0; round < 20; round++) {
            mplan_team team;
            chains all = {.stops_at = -1};
            support_team_open(&team, numbers[k]);
            mplan_for(&team, PIECES, 1, go_on, &all);
            mplan_team_close(&team);
            assert_memory_equal(all.sum, right, sizeof right);
            assert_int_equal(all.given_up, 0);
        }
}

/* Who waits for what never comes is told to stop. */
static void waiting_ends(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        mplan_team team;
        chains all = {.stops_at = 7};
        support_team_open(&team, 4);
        mplan_for(&team, PIECES, 1, go_on, &all);
        mplan_team_close(&team);
        assert_int_equal(all.done[7 % CHAINS], 7 / CHAINS);
        assert_int_equal(mplan_team_threads(&team) > 1 ? all.given_up : 1, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_kept),
        cmocka_unit_test(waiting_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
