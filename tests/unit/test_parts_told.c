/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_told.c - ranks that are processes, one of which fails at any place: none waits for ever (support_told.h) */
#include "support_told_meeting.h"

#include "exec/ranks/exec_parts_direct.h"

#include <sys/wait.h>
#include <unistd.h>

/* Each allocation of the library in one of them, and each call of their transport. */
static void no_process_waits_for_ever(void **state)
{
    (void)state;
    static told_all of;
    char name[64];
    snprintf(name, sizeof name, "test_parts_told.%ld", (long)getpid());
    told_prepare(&of, name);
    for (int i = 0; i < 3; i++) {
        const int32_t ranks = i < 2 ? 2 + i
                                    : RING_PARTS; /* not all of these get messages from rank 1 */
        meeting *way = meeting_open(ranks), *aside = meeting_open(ranks);
        int failed = 0;
        fflush(NULL);
        for (int32_t r = 0; r < ranks; r++) {
            const pid_t child = meeting_fork();
            assert_true(child >= 0);
            if (child == 0) {
                alarm(TOLD_FOR_EVER);
                _exit(told_rank(way, aside, r, &of, true, 1));
            }
        }
        for (int32_t r = 0; r < ranks; r++) {
            int how = 1;
            assert_true(wait(&how) > 0);
            failed += how != 0;
        }
        assert_int_equal(failed, 0);
        meeting_close(way);
        meeting_close(aside);
    }
    told_end(&of);
}

/* --- more ranks than there is room for without memory ------------------------------------------- */

enum { MANY = 5000 };

/* What the transport of rank 1 of many was asked. */
typedef struct many_asked {
    int gathers, told;
    mplan_status status;
    char reason[64];
} many_asked;

static mplan_status many_gather(void *user, const void *mine, int64_t bytes, void *all,
                                mplan_error *err)
{
    many_asked *asked = user;
    (void)err;
    asked->gathers++;
    memset(all, 0, (size_t)(bytes * MANY));
    memcpy((char *)all + bytes, mine, (size_t)bytes);
    return MPLAN_OK;
}

static void many_tell(void *user, mplan_status status, const char *reason)
{
    many_asked *asked = user;
    asked->told++;
    asked->status = status;
    snprintf(asked->reason, sizeof asked->reason, "%s", reason);
}

static mplan_status many_told(void *user, mplan_error *err)
{
    (void)user, (void)err;
    return MPLAN_OK;
}

/* Others wait in the gather that this rank cannot begin: it tells them. */
static void one_of_many_tells_that_it_has_no_memory(void **state)
{
    (void)state;
    for (int refuses = 0; refuses < 2; refuses++) {
        many_asked asked = {0};
        mplan_exec_parts parts = {.rank = 1, .ranks = MANY};
        mplan_error err = {MPLAN_OK, ""};
        parts.transport = (mplan_transport){.user = &asked,
                                            .rank = 1,
                                            .ranks = MANY,
                                            .all_gather = many_gather,
                                            .tell = many_tell,
                                            .told = many_told};
        support_memory = (support_memory_state){
            .armed = refuses, .left = 1, .live = support_memory.live};
        const mplan_status status = mplan_exec_parts_open_together(&parts, MPLAN_OK, false, &err);
        support_memory.armed = false;
        assert_int_equal(status, refuses ? MPLAN_ERR_MEMORY : MPLAN_OK);
        assert_int_equal(asked.gathers, refuses ? 0 : 2);
        assert_int_equal(asked.told, refuses);
        if (refuses) {
            assert_int_equal(asked.status, MPLAN_ERR_MEMORY);
            assert_non_null(strstr(asked.reason, "out of memory"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_of_many_tells_that_it_has_no_memory),
                                       cmocka_unit_test(no_process_waits_for_ever)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
