/* SPDX-License-Identifier: Apache-2.0 */
/* test_late_stop.c - a process that never looks whether it shall stop ends within a second, and leaves nothing half done */
#include "support_test.h"
#include "support_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary.h"
#include "cli/signals.h"

static int count_entries(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n - 2; /* "." and ".." */
}

/* What a command has open that writes a file with a temporary name, a folder with files, and one that is whole. */
static void open_all(void)
{
    char name[MPLAN_TEMPORARY_BYTES], path[128];
    bool made = !mplan_temporary_name(name, NULL) && open(name, O_WRONLY | O_CREAT, 0666) >= 0 &&
                open("whole.mplan", O_WRONLY | O_CREAT, 0666) >= 0;
    made = made && !mplan_temporary_name(name, NULL) && mkdir(name, 0777) == 0 &&
           open(name, O_RDONLY | O_DIRECTORY) >= 0;
    for (int i = 0; i < 300 && made; i++) {
        snprintf(path, sizeof path, "%s/member-of-the-folder-%d", name, i);
        int fd = open(path, O_WRONLY | O_CREAT, 0666);
        made = fd >= 0 && close(fd) == 0;
    }
    if (!made)
        _exit(1);
}

/* How a child ends that gets the signal and goes on for ever. */
static int outcome_of(int number)
{
    int outcome = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (chdir(test_folder()))
            _exit(1);
        signal(number, SIG_DFL); /* a shell that starts the tests behind its back has SIGINT ignored */
        cli_catch_signals();
        open_all();
        raise(number);
        for (;;)
            continue;
    }
    assert_int_equal(waitpid(child, &outcome, 0), child); /* after 0.8 s where nothing else runs */
    return outcome;
}

static void what_does_not_stop_is_ended(void **state)
{
    (void)state;
    int outcome = outcome_of(SIGTERM);
    assert_true(WIFEXITED(outcome));
    assert_int_equal(WEXITSTATUS(outcome), 75);
    assert_int_equal(count_entries(test_folder()), 1);
    outcome = outcome_of(SIGINT);
    assert_true(WIFSIGNALED(outcome));
    assert_int_equal(WTERMSIG(outcome), SIGINT);
    assert_int_equal(count_entries(test_folder()), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_does_not_stop_is_ended, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
