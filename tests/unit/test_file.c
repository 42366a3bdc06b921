/* SPDX-License-Identifier: Apache-2.0 */
/* test_file.c - input files: read by ranges into memory of one's own, whatever becomes of them */
#include "support_test.h"
#include "support_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

/* Bytes that differ wherever two ranges could be taken for one another. */
static void fill(uint8_t *bytes, size_t n)
{
    uint64_t seed = 5;
    for (size_t i = 0; i < n; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        bytes[i] = (uint8_t)(seed >> 56);
    }
}

static void file_opens_what_is_there(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file = {0};
    mplan_file_close(&file);
    uint8_t bytes[10000];
    fill(bytes, sizeof bytes);
    write_file(in_folder("full"), bytes, sizeof bytes);
    write_file(in_folder("empty"), bytes, 0);
    assert_done(mplan_file_open(in_folder("full"), NULL, &file, &err), &err);
    assert_int_equal((uintptr_t)file.data % 4096, 0);
    mplan_file_close(&file);
    assert_null(file.data);
    assert_holds(in_folder("full"), bytes, sizeof bytes);
    assert_done(mplan_file_open(in_folder("empty"), NULL, &file, &err), &err);
    assert_non_null(file.data);
    assert_int_equal(file.size, 0);
    mplan_file_close(&file);
}

static void file_refuses_what_is_not(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file;
    assert_refused(mplan_file_open(in_folder("none"), NULL, &file, &err), MPLAN_ERR_NO_INPUT, &err,
                   "none: No such file");
    assert_refused(mplan_file_open(test_folder(), NULL, &file, &err), MPLAN_ERR_NO_INPUT, &err,
                   "folder");
    assert_refused(mplan_file_open("", NULL, &file, &err), MPLAN_ERR_NO_INPUT, &err, "No such file");
    if (geteuid() != 0) {
        write_file(in_folder("locked"), "x", 1);
        chmod(in_folder("locked"), 0);
        assert_refused(mplan_file_open(in_folder("locked"), NULL, &file, &err), MPLAN_ERR_NO_INPUT,
                       &err, "ermission");
    }
}

/* Longer than the first room, so that it must grow. */
static void file_reads_a_pipe(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file;
    size_t n = 5000011;
    uint8_t *bytes = malloc(n);
    fill(bytes, n);
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    pid_t writer = fork();
    if (writer == 0) {
        FILE *pipe = fopen(in_folder("pipe"), "wb");
        bool whole = pipe && fwrite(bytes, 1, n, pipe) == n && fclose(pipe) == 0;
        _exit(!whole);
    }
    assert_done(mplan_file_open(in_folder("pipe"), NULL, &file, &err), &err);
    waitpid(writer, NULL, 0);
    assert_int_equal(file.size, n);
    assert_memory_equal(file.data, bytes, n);
    assert_int_equal((uintptr_t)file.data % 4096, 0);
    mplan_file_close(&file);
    free(bytes);
}

/* A file that somebody changes once it has been read: `cancelled` is asked then. */
typedef struct meddler {
    const char *path;
    enum { CUT, WRITE, WRITE_AND_SET_BACK, CHMOD_ONCE, LINGER, GO_ON } what;
    int calls;
} meddler;

/* Until the times of a file that is written now differ from those of one that was written before: they go by ticks, of
 * 1 ms to 2 s. */
static void wait_for_the_clock(void)
{
    struct stat first, now;
    char path[400]; /* not in_folder's, which would take the place of the caller's */
    snprintf(path, sizeof path, "%s/clock", test_folder());
    write_file(path, "", 0);
    assert_int_equal(stat(path, &first), 0);
    do {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        write_file(path, "1", 1);
        assert_int_equal(stat(path, &now), 0);
    } while (now.st_ctim.tv_sec == first.st_ctim.tv_sec &&
             now.st_ctim.tv_nsec == first.st_ctim.tv_nsec);
}

static void set_back(const char *path)
{
    const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool meddle(void *user)
{
    meddler *m = user;
    if (m->calls++ > 0 && (m->what == CUT || m->what == CHMOD_ONCE))
        return false;
    wait_for_the_clock();
    if (m->what == CUT)
        assert_int_equal(truncate(m->path, (off_t)33 << 20), 0);
    if (m->what == CHMOD_ONCE)
        assert_int_equal(chmod(m->path, 0600), 0);
    if (m->what == WRITE || m->what == WRITE_AND_SET_BACK) {
        int fd = open(m->path, O_WRONLY);
        assert_int_equal(pwrite(fd, "new", 3, 5), 3);
        close(fd);
    }
    if (m->what == WRITE_AND_SET_BACK)
        set_back(m->path);
    return m->what == LINGER && m->calls > 2;
}

/* 40 MiB: more than is read between two questions. */
static mplan_status open_meddled(int what, mplan_file *file, int *calls, mplan_error *err)
{
    meddler m = {in_folder("meddled"), what, 0};
    write_file(m.path, "0123456789", 10);
    assert_int_equal(truncate(m.path, (off_t)40 << 20), 0);
    set_back(m.path);
    wait_for_the_clock();
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.threads = 1;
    context.cancelled = meddle;
    context.user = &m;
    mplan_status status = mplan_file_open(m.path, &context, file, err);
    *calls = m.calls;
    return status;
}

static void file_that_changes_is_refused(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file = {0};
    int calls;
    const char *why = "meddled: changed while it was read";
    assert_refused(open_meddled(CUT, &file, &calls, &err), MPLAN_ERR_IO, &err, why);
    assert_refused(open_meddled(WRITE, &file, &calls, &err), MPLAN_ERR_IO, &err, why);
    assert_refused(open_meddled(WRITE_AND_SET_BACK, &file, &calls, &err), MPLAN_ERR_IO, &err, why);
    assert_int_equal(calls, 6); /* three times two ranges */
    assert_null(file.data);
    assert_done(open_meddled(CHMOD_ONCE, &file, &calls, &err), &err);
    assert_int_equal(file.size, 40 << 20);
    assert_int_equal(calls, 4); /* it was read again */
    mplan_file_close(&file);
    assert_done(open_meddled(GO_ON, &file, &calls, &err), &err);
    assert_int_equal(calls, 2);
    assert_memory_equal(file.data, "0123456789", 11);
    mplan_file_close(&file);
}

static void file_stays_as_it_was_read(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file;
    uint8_t bytes[10000];
    fill(bytes, sizeof bytes);
    const char *path = in_folder("kept");
    write_file(path, bytes, sizeof bytes);
    assert_done(mplan_file_open(path, NULL, &file, &err), &err);
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, "new", 3, 0), 3);
    assert_int_equal(ftruncate(fd, 3), 0);
    close(fd);
    assert_memory_equal(file.data, bytes, sizeof bytes);
    mplan_file_close(&file);
}

/* Several ranges, read by several threads. */
static void file_of_many_ranges(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file;
    size_t n = ((size_t)50 << 20) + 17;
    uint8_t *bytes = malloc(n);
    fill(bytes, n);
    write_file(in_folder("large"), bytes, n);
    for (int threads = 0; threads < 4; threads++) {
        mplan_context context = MPLAN_CONTEXT_INIT;
        context.threads = threads;
        assert_done(mplan_file_open(in_folder("large"), &context, &file, &err), &err);
        assert_int_equal(file.size, n);
        assert_memory_equal(file.data, bytes, n);
        mplan_file_close(&file);
    }
    free(bytes);
}

static void file_is_sealed(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file;
    size_t sizes[] = {0, 1, 4096, ((size_t)20 << 20) + 5};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *bytes = malloc(sizes[i] + 1);
        int fd = -1, again = -1;
        struct stat about;
        fill(bytes, sizes[i]);
        write_file(in_folder("open"), bytes, sizes[i]);
        assert_done(mplan_file_open(in_folder("open"), NULL, &file, &err), &err);
        assert_done(mplan_file_seal(&file, &fd, &err), &err);
        assert_done(mplan_file_seal(&file, &again, &err), &err);
        assert_int_equal(fd, again);
        assert_memory_equal(file.data, bytes, sizes[i]);
        assert_int_equal(fstat(fd, &about), 0);
        assert_int_equal(about.st_size, sizes[i]);
        assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
        assert_int_equal(write(fd, "x", 1), -1);
        assert_int_equal(ftruncate(fd, 100), sizes[i] == 100 ? 0 : -1);
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        mplan_file_forget(&file, 0, sizes[i]);
        assert_memory_equal(file.data, bytes, sizes[i]);
        mplan_file_close(&file);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        free(bytes);
    }
}

static void file_forgets_whole_pages(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = 4 * page;
    uint8_t *bytes = malloc(n);
    memset(bytes, 7, n);
    write_file(in_folder("four"), bytes, n);
    assert_done(mplan_file_open(in_folder("four"), NULL, &file, &err), &err);
    mplan_file_forget(&file, 1, 2 * page + 1);
    assert_int_equal(file.data[page - 1], 7);
    assert_int_equal(file.data[page], 0);
    assert_int_equal(file.data[2 * page - 1], 0);
    assert_int_equal(file.data[2 * page], 7);
    mplan_file_close(&file);
    free(bytes);
}

/* Nobody ever writes into the pipe; the second question ends it. */
static void file_of_a_silent_pipe_is_cancelled(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file = {0};
    meddler m = {NULL, LINGER, 0};
    mplan_context context = MPLAN_CONTEXT_INIT;
    context.cancelled = meddle;
    context.user = &m;
    assert_int_equal(mkfifo(in_folder("silent"), 0600), 0);
    assert_refused(mplan_file_open(in_folder("silent"), &context, &file, &err),
                   MPLAN_ERR_INTERRUPTED, &err, "interrupted");
    assert_null(file.data);
}

static void file_larger_than_the_memory(void **state)
{
    (void)state;
    mplan_error err;
    mplan_file file = {0};
    mplan_context context = MPLAN_CONTEXT_INIT;
    uint8_t bytes[1000] = {0};
    write_file(in_folder("thousand"), bytes, sizeof bytes);
    context.max_memory = 999;
    assert_refused(mplan_file_open(in_folder("thousand"), &context, &file, &err), MPLAN_ERR_MEMORY,
                   &err, "thousand: the file is larger than the memory that may be used (999 bytes)");
    context.max_memory = 1000;
    assert_done(mplan_file_open(in_folder("thousand"), &context, &file, &err), &err);
    mplan_file_close(&file);
}

#define IN_FOLDER(test_) cmocka_unit_test_setup_teardown(test_, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(file_opens_what_is_there),
        IN_FOLDER(file_refuses_what_is_not),
        IN_FOLDER(file_reads_a_pipe),
        IN_FOLDER(file_that_changes_is_refused),
        IN_FOLDER(file_stays_as_it_was_read),
        IN_FOLDER(file_of_many_ranges),
        IN_FOLDER(file_is_sealed),
        IN_FOLDER(file_forgets_whole_pages),
        IN_FOLDER(file_of_a_silent_pipe_is_cancelled),
        IN_FOLDER(file_larger_than_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
