/* SPDX-License-Identifier: Apache-2.0 */
/* test_output_faults.c - the writer of all outputs when each of its system calls fails
 *
 * The calls go through counters (the linker's --wrap). Whatever fails, an output is as it was or whole, no temporary
 * file is left, no descriptor is lost, and success means that the new one is there. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "support_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_output.h"
#include "base/folder_output.h"

enum call {
    CALL_OPENAT,
    CALL_WRITE,
    CALL_FSYNC,
    CALL_CLOSE,
    CALL_LINKAT,
    CALL_RENAMEAT,
    CALL_MKDIRAT,
    N_CALLS
};
static const char *const names[] = {"openat", "write",    "fsync",  "close",
                                    "linkat", "renameat", "mkdirat"};

static struct {
    bool on;
    bool without_unnamed; /* as a file system that knows no O_TMPFILE */
    enum call call;
    int number, left, code;
    bool reached;
} fault;

static bool fails(enum call call)
{
    if (!fault.on || fault.call != call || --fault.left != 0)
        return false;
    fault.reached = true;
    errno = fault.code;
    return true;
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
    if ((flags & O_TMPFILE) == O_TMPFILE && fault.without_unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return fails(CALL_OPENAT) ? -1 : __real_openat(folder, path, flags, 0666);
}

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
    return fails(CALL_WRITE) ? -1 : __real_write(fd, data, size);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    return fails(CALL_FSYNC) ? -1 : __real_fsync(fd);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int result = __real_close(fd);
    return fails(CALL_CLOSE) ? -1 : result;
}

int __real_linkat(int from, const char *path, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *path, int to, const char *name, int flags);
int __wrap_linkat(int from, const char *path, int to, const char *name, int flags)
{
    return fails(CALL_LINKAT) ? -1 : __real_linkat(from, path, to, name, flags);
}

int __real_renameat(int from, const char *path, int to, const char *name);
int __wrap_renameat(int from, const char *path, int to, const char *name);
int __wrap_renameat(int from, const char *path, int to, const char *name)
{
    return fails(CALL_RENAMEAT) ? -1 : __real_renameat(from, path, to, name);
}

int __real_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_mkdirat(int folder, const char *name, mode_t mode)
{
    return fails(CALL_MKDIRAT) ? -1 : __real_mkdirat(folder, name, mode);
}

/* --- what is there ------------------------------------------------------------------ */

static char here[64];

static int entries_of(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n - 2;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The bytes of a small file, "" where there is none. */
static const char *text_of(const char *path)
{
    static char text[400];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* --- one output ----------------------------------------------------------------------- */

#define NEW_TEXT "the new text"

static mplan_status accept(int folder, const char *path, mplan_error *err)
{
    (void)folder, (void)path, (void)err;
    return MPLAN_OK;
}

static mplan_status write_file(mplan_error *err)
{
    return mplan_file_write("target", NEW_TEXT, strlen(NEW_TEXT), NULL, err);
}

static mplan_status write_folder(mplan_error *err)
{
    mplan_folder_output *folder = NULL;
    mplan_output *output = NULL;
    mplan_status status = mplan_folder_output_open("target/", accept, NULL, &folder, err);
    for (int i = 0; i < 2 && !status; i++) {
        status = mplan_folder_output_file(folder, i ? "b" : "a", &output, err);
        if (!status)
            status = mplan_output_write(output, NEW_TEXT, strlen(NEW_TEXT), err);
        if (!status)
            status = mplan_output_commit(output, err);
        else
            mplan_output_abort(output);
        output = NULL;
    }
    if (!status)
        return mplan_folder_output_commit(folder, err);
    mplan_folder_output_abort(folder);
    return status;
}

static void prepare(bool folder, bool exists)
{
    (void)unlink("target/a");
    (void)unlink("target/b");
    (void)rmdir("target");
    (void)unlink("target");
    if (exists && folder) {
        assert_int_equal(mkdir("target", 0750), 0);
        put("target/a", "old");
    } else if (exists) {
        put("target", "old");
    }
}

/* Old, or new and whole; *is_new: which. */
static void assert_whole(bool folder, bool exists, bool *is_new)
{
    char text[400];
    strcpy(text, text_of(folder ? "target/a" : "target"));
    *is_new = strcmp(text, NEW_TEXT) == 0;
    if (!*is_new)
        assert_string_equal(text, exists ? "old" : "");
    if (folder)
        assert_string_equal(text_of("target/b"), *is_new ? NEW_TEXT : "");
    if (entries_of(".") != (*is_new || exists ? 1 : 0))
        fail_msg("%s, %s: %d names after %s number %d failed with %d", folder ? "folder" : "file",
                 exists ? "replaced" : "new", entries_of("."), names[fault.call], fault.number,
                 fault.code);
}

/* Whether the k-th call was reached. */
static bool run_with_fault(bool folder, bool exists, enum call call, int k, int code)
{
    mplan_error err = {MPLAN_OK, ""};
    prepare(folder, exists);
    int descriptors = entries_of("/proc/self/fd");
    fault.call = call;
    fault.number = fault.left = k;
    fault.code = code;
    fault.reached = false;
    fault.on = true;
    mplan_status status = folder ? write_folder(&err) : write_file(&err);
    fault.on = false;
    bool is_new;
    assert_whole(folder, exists, &is_new);
    assert_int_equal(entries_of("/proc/self/fd"), descriptors);
    if (!status)
        assert_true(is_new);
    else
        assert_true(status == MPLAN_ERR_CREATE || status == MPLAN_ERR_IO);
    if (status && (call == CALL_WRITE || call == CALL_FSYNC || call == CALL_CLOSE))
        assert_int_equal(status, MPLAN_ERR_IO);
    if (status && is_new && call != CALL_FSYNC)
        fail_msg("%s %d: it is there, but '%s'", names[call], k, err.text);
    if (call == CALL_WRITE && fault.reached)
        assert_int_equal(status, code == EINTR ? MPLAN_OK : MPLAN_ERR_IO);
    return fault.reached;
}

static void no_fault_tears_an_output(void **state)
{
    (void)state;
    static const int codes[] = {EIO, ENOSPC, EDQUOT, EINTR};
    int reached[N_CALLS] = {0};
    for (int variant = 0; variant < 8; variant++) {
        bool folder = variant & 1, exists = variant & 2;
        fault.without_unnamed = variant & 4;
        for (int call = 0; call < N_CALLS; call++)
            for (size_t c = 0; c < sizeof codes / sizeof *codes; c++)
                for (int k = 1; run_with_fault(folder, exists, (enum call)call, k, codes[c]); k++)
                    reached[call]++;
    }
    fault.without_unnamed = false;
    for (int call = 0; call < N_CALLS; call++)
        assert_true(reached[call] > 0);
    prepare(false, false);
}

/* A name is on the disk only when its folder is: a file of its own is synced, and then its folder, new or
 * replaced, and a failure there is an error although the new file is there. */
static void folders_are_synced(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        const bool exists = variant & 1;
        mplan_error err = {MPLAN_OK, ""};
        fault.without_unnamed = variant & 2;
        prepare(false, exists);
        fault.call = CALL_FSYNC;
        fault.number = fault.left = 2;
        fault.code = EIO;
        fault.reached = false;
        fault.on = true;
        assert_refused(write_file(&err), MPLAN_ERR_IO, &err, "its folder cannot be synced");
        fault.on = false;
        assert_true(fault.reached);
        assert_string_equal(text_of("target"), NEW_TEXT);
    }
    fault.without_unnamed = false;
    prepare(false, false);
}

/* --- limits ----------------------------------------------------------------------------- */

static void no_limit_of_size_tears_an_output(void **state)
{
    (void)state;
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (int variant = 0; variant < 4; variant++) {
        bool folder = variant & 1, exists = variant & 2, is_new;
        for (rlim_t bytes = 0; bytes <= strlen(NEW_TEXT); bytes++) {
            mplan_error err;
            prepare(folder, exists);
            limit = before;
            limit.rlim_cur = bytes;
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
            mplan_status status = folder ? write_folder(&err) : write_file(&err);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
            assert_int_equal(status, bytes < strlen(NEW_TEXT) ? MPLAN_ERR_IO : MPLAN_OK);
            assert_whole(folder, exists, &is_new);
            assert_int_equal(is_new, status == MPLAN_OK);
        }
    }
    signal(SIGXFSZ, SIG_DFL);
    prepare(false, false);
}

static void a_folder_keeps_its_mode(void **state)
{
    (void)state;
    mplan_error err;
    struct stat about;
    prepare(true, true);
    assert_done(write_folder(&err), &err);
    assert_int_equal(stat("target", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0750);
    prepare(true, false);
}

/* Another folder takes the place of the one that was looked at: it stays, and nothing else does. */
static void a_folder_that_came_meanwhile_stays(void **state)
{
    (void)state;
    mplan_error err;
    mplan_folder_output *folder = NULL;
    struct stat before, after;
    prepare(true, true);
    assert_done(mplan_folder_output_open("target", accept, NULL, &folder, &err), &err);
    assert_int_equal(rename("target", "aside"), 0);
    assert_int_equal(mkdir("target", 0750), 0);
    assert_int_equal(stat("target", &before), 0);
    assert_refused(mplan_folder_output_commit(folder, &err), MPLAN_ERR_CREATE, &err,
                   "another process changed it meanwhile");
    assert_int_equal(stat("target", &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(rmdir("target"), 0);
    assert_int_equal(rename("aside", "target"), 0);
    prepare(true, false);
}

static int enter(void **state)
{
    (void)state;
    strcpy(here, "/tmp/meshplan-test-XXXXXX");
    return mkdtemp(here) && chdir(here) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    prepare(false, false);
    return chdir("/") == 0 ? rmdir(here) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fault_tears_an_output),
        cmocka_unit_test(folders_are_synced),
        cmocka_unit_test(no_limit_of_size_tears_an_output),
        cmocka_unit_test(a_folder_keeps_its_mode),
        cmocka_unit_test(a_folder_that_came_meanwhile_stays),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
