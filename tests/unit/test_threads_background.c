/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks beside the calling thread: each is run once, before its end is told, whatever the number of threads. */
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/background.h"
#include "support_refused_threads.h"
#include "support_test.h"

enum { TASKS = 300 };

/* A task that writes its own number. */
typedef struct counted {
    mplan_task task;
    int64_t number, written;
    int runs;
} counted;

static atomic_int begun;

static void write_number(void *data)
{
    counted *own = data;
    atomic_fetch_add(&begun, 1);
    own->written = 3 * own->number + 1;
    own->runs++;
}

static void every_task_is_run_once(void **state)
{
    (void)state;
    mplan_error err;
    for (int threads = 1; threads <= 16; threads *= 2) {
        mplan_background *background = NULL;
        counted task[TASKS];
        assert_done(mplan_background_make(threads, &background, &err), &err);
        atomic_store(&begun, 0);
        for (int i = 0; i < TASKS; i++) {
            task[i] = (counted){.task = {.run = write_number, .data = &task[i]}, .number = i};
            mplan_background_add(background, &task[i].task);
            if (i % 3 == 0) { /* an earlier one is waited for while others are under way */
                mplan_background_wait(background, &task[i / 2].task);
                assert_true(mplan_background_done(background, &task[i / 2].task));
                assert_int_equal(task[i / 2].written, 3 * (i / 2) + 1);
            }
        }
        mplan_background_wait(background, &task[TASKS - 1].task);
        if (threads == 1) /* in the order in which they were added */
            assert_int_equal(atomic_load(&begun), TASKS);
        mplan_background_free(background); /* which waits for all */
        assert_int_equal(atomic_load(&begun), TASKS);
        for (int i = 0; i < TASKS; i++) {
            assert_int_equal(task[i].written, 3 * i + 1);
            assert_int_equal(task[i].runs, 1);
        }
    }
    mplan_background *unused = NULL;
    assert_done(mplan_background_make(4, &unused, &err), &err);
    mplan_background_free(unused);
    mplan_background_free(NULL);
}

/* The same tasks by fewer threads, or by none. */
static void threads_that_are_refused(void **state)
{
    for (support_may_make = 0; support_may_make <= 3; support_may_make++) {
        mplan_error err;
        mplan_background *background = NULL;
        counted task[20];
        support_made = 0;
        assert_done(mplan_background_make(8, &background, &err), &err);
        for (int i = 0; i < 20; i++) {
            task[i] = (counted){.task = {.run = write_number, .data = &task[i]}, .number = i};
            mplan_background_add(background, &task[i].task);
            assert_true(support_may_make > 0 || mplan_background_done(background, &task[i].task));
        }
        for (int i = 19; i >= 0; i--) {
            mplan_background_wait(background, &task[i].task);
            assert_int_equal(task[i].written, 3 * i + 1);
        }
        mplan_background_free(background);
        assert_true(support_made <= support_may_make);
    }
    support_may_make = -1;
    (void)state;
}

/* The child of a fork has no threads: tasks are done when they are added. */
static void after_a_fork(void **state)
{
    (void)state;
    mplan_error err;
    mplan_background *background = NULL;
    counted first = {.task = {.run = write_number, .data = &first}, .number = 1};
    assert_done(mplan_background_make(2, &background, &err), &err);
    mplan_background_add(background, &first.task);
    mplan_background_wait(background, &first.task);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        counted own = {.task = {.run = write_number, .data = &own}, .number = 2};
        mplan_background_add(background, &own.task);
        mplan_background_wait(background, &own.task);
        const bool done = mplan_background_done(background, &own.task) && own.written == 7;
        mplan_background_free(background);
        _exit(done ? 0 : 1);
    }
    int ended = -1;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    mplan_background_free(background);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_task_is_run_once),
                                       cmocka_unit_test(threads_that_are_refused),
                                       cmocka_unit_test(after_a_fork)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
