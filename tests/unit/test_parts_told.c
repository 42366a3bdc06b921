/* SPDX-License-Identifier: Apache-2.0 */
/* test_parts_told.c - ranks that are processes, one of which fails at any place: none waits for ever (support_told.h) */
#include "support_told_meeting.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_process_waits_for_ever)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
