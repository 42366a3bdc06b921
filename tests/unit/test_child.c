/* SPDX-License-Identifier: Apache-2.0 */
/* test_child.c - programs of libexec: found, spawned, limited, and heard without being believed */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/child_place.h"
#include "base/shared_memory.h"
#include "support_test.h"

/* What a context heard. */
typedef struct heard {
    int warnings, progress, asked;
    char warning[64];
} heard;

static void on_warning(void *user, const char *text)
{
    heard *h = user;
    h->warnings++;
    snprintf(h->warning, sizeof h->warning, "%s", text);
}

static void on_progress(void *user, const char *stage, int64_t done, int64_t total)
{
    (void)stage;
    (void)done;
    (void)total;
    ((heard *)user)->progress++;
}

static bool after_some_asking(void *user)
{
    return ++((heard *)user)->asked > 5;
}

static mplan_status run_child(mplan_child *child, const char *work, const char *word,
                              const mplan_context *context, mplan_error *err)
{
    const char *const words[] = {work, word, NULL};
    child->program = "meshplan-errands";
    child->name = "worker";
    child->words = words;
    if (!child->input)
        child->input = -1;
    if (!child->answer)
        child->answer = -1;
    return mplan_child_run(child, context, err);
}

static mplan_status run(const char *work, const char *word, mplan_error *err)
{
    mplan_child child = {0};
    return run_child(&child, work, word, NULL, err);
}

static mplan_status run_reader(const char *work, const char *word, mplan_error *err)
{
    mplan_child child = {.path = "a.nc", .cpu_seconds = 1, .memory = 64 << 20};
    return run_child(&child, work, word, NULL, err);
}

static void child_gives_its_result(void **state)
{
    (void)state;
    mplan_error err;
    heard h = {0};
    size_t bytes;
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = on_warning;
    context.progress = on_progress;
    context.user = &h;
    mplan_child child = {.memory = 1 << 20};
    assert_done(mplan_shared_create(0, &child.answer, &err), &err);
    assert_done(run_child(&child, "answer", NULL, &context, &err), &err);
    assert_done(mplan_shared_seal(child.answer, &bytes, &err), &err);
    assert_int_equal(bytes, sizeof(int64_t));
    const int64_t *data = mplan_shared_map(child.answer, bytes, &err);
    assert_non_null(data);
    assert_int_equal(*data, 42);
    mplan_shared_unmap(data, bytes);
    assert_true(write(child.answer, &bytes, 1) < 0); /* sealed */
    close(child.answer);
    assert_int_equal(h.warnings, 1);
    assert_string_equal(h.warning, "a warning");
    assert_true(h.progress >= 1);
    int fd;
    assert_int_equal(mplan_shared_create(SIZE_MAX, &fd, &err), MPLAN_ERR_MEMORY);
    assert_int_equal(fd, -1);
}

static void child_failures_are_told_apart(void **state)
{
    (void)state;
    mplan_error err;
    assert_refused(run("leave", "3", &err), MPLAN_ERR_PARTITIONER, &err,
                   "worker failed with status 3: the reason");
    assert_refused(run("leave", "0", &err), MPLAN_ERR_PARTITIONER, &err,
                   "worker ended without an answer: the reason");
    assert_refused(run("signal", "6", &err), MPLAN_ERR_PARTITIONER, &err, "worker ended by signal 6");
    assert_refused(run("signal", "11", &err), MPLAN_ERR_PARTITIONER, &err,
                   "worker ended by signal 11");
    assert_refused(run("signal", "9", &err), MPLAN_ERR_MEMORY, &err, "worker was killed");
    assert_refused(run("lines", NULL, &err), MPLAN_ERR_PARTITIONER, &err, "status 1: no end");
    assert_int_equal(run("leave", "3", NULL), MPLAN_ERR_PARTITIONER);
    assert_refused(run_reader("leave", "3", &err), MPLAN_ERR_CORRUPT, &err,
                   "a.nc: damaged: worker failed with status 3 while reading it: the reason");
    assert_refused(run_reader("signal", "11", &err), MPLAN_ERR_CORRUPT, &err,
                   "a.nc: damaged: worker ended by signal 11 while reading it");
    assert_refused(run_reader("spin", NULL, &err), MPLAN_ERR_CORRUPT, &err,
                   "a.nc: damaged: worker used more than 1 seconds of the processor while reading it");
}

static void child_runs_out_of_memory(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__
    skip(); /* sanitizers reserve terabytes */
#else
    mplan_error err;
    assert_refused(run_reader("memory", NULL, &err), MPLAN_ERR_MEMORY, &err, "");
    assert_refused(run_reader("memory", "crash", &err), MPLAN_ERR_MEMORY, &err,
                   "a.nc: worker ran out of memory");
#endif
}

/* A verdict about a plan, or success, is not for a program to claim. */
static void child_cannot_claim_anything(void **state)
{
    (void)state;
    mplan_error err;
    for (int status = MPLAN_OK + 1; status <= MPLAN_ERR_INTERNAL + 3; status++) {
        char word[16];
        snprintf(word, sizeof word, "%d", status);
        mplan_status found = run("claim", word, &err);
        assert_int_not_equal(found, MPLAN_OK);
        assert_int_not_equal(found, MPLAN_ERR_DISPROVED);
        assert_int_not_equal(found, MPLAN_ERR_DIFFERENT);
        assert_int_not_equal(found, MPLAN_ERR_OTHER_MESH);
        assert_true(found <= MPLAN_ERR_INTERNAL);
    }
    for (int i = 1; i <= 60; i++) {
        char word[16];
        snprintf(word, sizeof word, "%d", i);
        assert_int_not_equal(run_reader("babble", word, &err), MPLAN_OK);
    }
}

static void child_stands_alone(void **state)
{
    (void)state;
    mplan_error err;
    int open_files[300];
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old[2];
    sigset_t all, before;
    setenv("HOME", "/", 1);
    for (int i = 0; i < 300; i++)
        open_files[i] = open("/dev/null", O_RDONLY);
    sigaction(SIGTERM, &ignore, &old[0]);
    sigaction(SIGPIPE, &ignore, &old[1]);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    assert_done(run("look", NULL, &err), &err);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGTERM, &old[0], NULL);
    sigaction(SIGPIPE, &old[1], NULL);
    for (int i = 0; i < 300; i++)
        close(open_files[i]);
}

static void child_is_ended_when_cancelled(void **state)
{
    (void)state;
    mplan_error err;
    heard h = {0};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = after_some_asking;
    context.user = &h;
    mplan_child child = {0};
    /* the child would wait for ever: to come back is what is tried */
    assert_refused(run_child(&child, "wait", NULL, &context, &err), MPLAN_ERR_INTERRUPTED, &err,
                   "interrupted");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
}

static void child_that_stands_still_is_ended(void **state)
{
    (void)state;
    mplan_error err;
    mplan_child child = {.path = "a.nc", .idle_seconds = 1};
    assert_refused(run_child(&child, "wait", NULL, NULL, &err), MPLAN_ERR_CORRUPT, &err,
                   "a.nc: damaged: worker made no progress for 1 seconds");
}

/* Callers that ignore SIGCHLD, or wait for every child, leave nothing to wait for. */
static void callers_may_ignore_children(void **state)
{
    (void)state;
    mplan_error err;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    sigaction(SIGCHLD, &ignore, &old);
    for (int i = 0; i < 5; i++) {
        assert_done(run("look", NULL, &err), &err);
        assert_refused(run("signal", "11", &err), MPLAN_ERR_PARTITIONER, &err,
                       "worker ended by signal 11");
        assert_int_equal(run("leave", "3", &err), MPLAN_ERR_PARTITIONER);
    }
    heard h = {0};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = after_some_asking;
    context.user = &h;
    mplan_child child = {0};
    assert_int_equal(run_child(&child, "wait", NULL, &context, &err), MPLAN_ERR_INTERRUPTED);
    sigaction(SIGCHLD, &old, NULL);
}

/* What leads out of the program: sockets, other programs, files, memory that can be run. */
static void child_is_shut_in(void **state)
{
    (void)state;
    static const char *const ways[] = {"socket", "fork", "exec", "write",
                                       "read",   "code", "kill", "trace"};
    mplan_error err;
    heard h = {0};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.warning = on_warning;
    context.user = &h;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        mplan_child child = {.memory = 64 << 20};
        assert_done(run_child(&child, "try", ways[i], &context, &err), &err);
    }
    assert_int_equal(h.warnings, 8);
    print_message("kernel offers: %s\n", h.warning);
}

/* Only what was handed over can be opened again. */
static void child_opens_its_input_alone(void **state)
{
    (void)state;
    static const char *const ways[] = {"socket", "fork", "exec", "write", "code"};
    mplan_error err;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        assert_done(run("try-open", ways[i], &err), &err);
}

static void missing_programs_are_named(void **state)
{
    (void)state;
    mplan_error err;
    char path[512], folder[] = "/tmp/meshplan-child-XXXXXX", link[64], other[64];
    assert_done(mplan_child_find("meshplan-errands", path, sizeof path, &err), &err);
    setenv("MPLAN_HELPER", "/nowhere/at/all", 1);
    assert_refused(run("look", NULL, &err), MPLAN_ERR_INTERNAL, &err, "/nowhere/at/all");
    assert_non_null(mkdtemp(folder));
    setenv("MPLAN_HELPER", folder, 1);
    assert_refused(run("look", NULL, &err), MPLAN_ERR_INTERNAL, &err, folder);
    snprintf(link, sizeof link, "%s/meshplan-errands", folder);
    assert_int_equal(symlink(path, link), 0);
    assert_done(run("look", NULL, &err), &err); /* a folder */
    setenv("MPLAN_HELPER", link, 1);
    assert_done(run("look", NULL, &err), &err); /* a program */
    snprintf(other, sizeof other, "%s/text", folder);
    int fd = open(other, O_WRONLY | O_CREAT, 0700);
    assert_int_equal(write(fd, "?", 1), 1);
    close(fd);
    setenv("MPLAN_HELPER", other, 1);
    assert_refused(run("look", NULL, &err), MPLAN_ERR_INTERNAL, &err, "cannot start");
    unsetenv("MPLAN_HELPER");
    unlink(link);
    unlink(other);
    rmdir(folder);
}

/* A program of the folder of libexec that ends with a code, as the loader ends those it cannot load. */
static void put_program(const char *folder, const char *name, int code)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
    assert_true(dprintf(fd, "#!/bin/sh\nexit %d\n", code) > 0);
    close(fd);
}

static mplan_status run_or_spare(const char *work, const char *word, mplan_error *err)
{
    mplan_child child = {.spare = "meshplan-spare"};
    return run_child(&child, work, word, NULL, err);
}

static void spares_are_run_where_the_first_cannot_be_loaded(void **state)
{
    (void)state;
    mplan_error err;
    char path[512], folder[] = "/tmp/meshplan-child-XXXXXX", first[64], spare[64];
    assert_done(mplan_child_find("meshplan-errands", path, sizeof path, &err), &err);
    assert_non_null(mkdtemp(folder));
    snprintf(first, sizeof first, "%s/meshplan-errands", folder);
    snprintf(spare, sizeof spare, "%s/meshplan-spare", folder);
    setenv("MPLAN_HELPER", folder, 1);
    put_program(folder, "meshplan-errands", 127);
    assert_refused(run_or_spare("look", NULL, &err), MPLAN_ERR_PARTITIONER, &err,
                   "worker failed with status 127"); /* there is no spare */
    assert_int_equal(symlink(path, spare), 0);
    assert_done(run_or_spare("look", NULL, &err), &err);
    assert_refused(run_or_spare("leave", "3", &err), MPLAN_ERR_PARTITIONER, &err,
                   "worker failed with status 3: the reason"); /* the spare's own */
    assert_refused(run("look", NULL, &err), MPLAN_ERR_PARTITIONER, &err,
                   "worker failed with status 127"); /* none is named */
    for (int code = 125; code < 129; code++) {       /* any other end is the first one's answer */
        char sentence[64];
        snprintf(sentence, sizeof sentence, "worker failed with status %d", code);
        put_program(folder, "meshplan-errands", code);
        if (code != 127)
            assert_refused(run_or_spare("look", NULL, &err), MPLAN_ERR_PARTITIONER, &err, sentence);
    }
    unlink(spare);
    put_program(folder, "meshplan-errands", 127);
    put_program(folder, "meshplan-spare", 127);
    assert_refused(run_or_spare("look", NULL, &err), MPLAN_ERR_PARTITIONER, &err,
                   "worker failed with status 127"); /* it has no spare itself */
    unsetenv("MPLAN_HELPER");
    unlink(first);
    unlink(spare);
    rmdir(folder);
}

static void *run_some(void *failed)
{
    mplan_error err;
    for (int i = 0; i < 10; i++)
        if (run("look", NULL, &err) || run("signal", "6", &err) != MPLAN_ERR_PARTITIONER)
            *(bool *)failed = true;
    return NULL;
}

static void threads_may_start_children_side_by_side(void **state)
{
    (void)state;
    pthread_t threads[4];
    bool failed[4] = {false};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_some, &failed[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_false(failed[i]);
    }
}

/* Memory that processes share is a file, for which the limit of file sizes holds. */
static void limit_of_file_sizes_is_named(void **state)
{
    (void)state;
    mplan_error err = {0};
    struct rlimit old, low;
    int fd = -1, fd_open = -1;
    static const char data[64];
    assert_done(mplan_shared_create(0, &fd_open, &err), &err);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = old;
    low.rlim_cur = 100;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    mplan_status created = mplan_shared_create(101, &fd, &err);
    mplan_error written_err = {0};
    mplan_status first = mplan_shared_write(fd_open, data, sizeof data, &written_err);
    mplan_status second = mplan_shared_write(fd_open, data, sizeof data, &written_err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, before);
    assert_int_equal(created, MPLAN_ERR_IO);
    assert_string_equal(err.text, "the limit of file sizes (ulimit -f) is too low: it holds for memory "
                                  "that processes share, too (101 bytes)");
    assert_int_equal(fd, -1);
    assert_int_equal(first, MPLAN_OK);
    assert_int_equal(second, MPLAN_ERR_IO);
    assert_string_equal(written_err.text,
                        "the limit of file sizes (ulimit -f) is too low: it holds for "
                        "memory that processes share, too (28 bytes)");
    close(fd_open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_of_file_sizes_is_named),
        cmocka_unit_test(child_gives_its_result),
        cmocka_unit_test(child_failures_are_told_apart),
        cmocka_unit_test(child_runs_out_of_memory),
        cmocka_unit_test(child_cannot_claim_anything),
        cmocka_unit_test(child_stands_alone),
        cmocka_unit_test(child_is_ended_when_cancelled),
        cmocka_unit_test(child_that_stands_still_is_ended),
        cmocka_unit_test(callers_may_ignore_children),
        cmocka_unit_test(child_is_shut_in),
        cmocka_unit_test(child_opens_its_input_alone),
        cmocka_unit_test(missing_programs_are_named),
        cmocka_unit_test(spares_are_run_where_the_first_cannot_be_loaded),
        cmocka_unit_test(threads_may_start_children_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
