/* SPDX-License-Identifier: Apache-2.0 */
/* test_exec_told.c - ranks that are threads of one process, one of which fails: none waits for ever (support_told.h) */
#include "support_told_meeting.h"

#include <pthread.h>
#include <unistd.h>

support_memory_state support_memory; /* no allocation fails here: which thread's it is nobody knows */

/* A thread that is a rank. */
typedef struct rank_thread {
    pthread_t id;
    meeting *way, *aside;
    const told_all *of;
    int32_t rank;
    int failed;
} rank_thread;

static void *be_rank(void *data)
{
    rank_thread *own = data;
    own->failed = told_rank(own->way, own->aside, own->rank, own->of, false, 1);
    return NULL;
}

/* Each call of the transport of one of them, a function of the program, what is opened. */
static void no_thread_waits_for_ever(void **state)
{
    (void)state;
    static told_all of;
    char name[64];
    alarm(TOLD_FOR_EVER);
    snprintf(name, sizeof name, "test_exec_told.%ld", (long)getpid());
    told_prepare(&of, name);
    for (int32_t ranks = 2; ranks < 4; ranks++) {
        meeting *way = meeting_open(ranks), *aside = meeting_open(ranks);
        rank_thread rank[TOLD_MOST];
        for (int32_t r = 0; r < ranks; r++) {
            rank[r] = (rank_thread){.way = way, .aside = aside, .of = &of, .rank = r, .failed = 1};
            assert_int_equal(pthread_create(&rank[r].id, NULL, be_rank, &rank[r]), 0);
        }
        for (int32_t r = 0; r < ranks; r++)
            assert_int_equal(pthread_join(rank[r].id, NULL), 0);
        for (int32_t r = 0; r < ranks; r++)
            assert_int_equal(rank[r].failed, 0);
        meeting_close(way);
        meeting_close(aside);
    }
    told_end(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_thread_waits_for_ever)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
