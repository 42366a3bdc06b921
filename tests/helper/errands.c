/* SPDX-License-Identifier: Apache-2.0 */
/* errands.c - a program of libexec that misbehaves as it is told, for tests/unit/test_child.c
 *
 * It is linked to what every such program begins with (src/helper), so that limits are tried, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "helper/helper.h"

static mplan_status answer(int n, char **words, const mplan_context *context, mplan_error *err)
{
    const int64_t number = 42;
    (void)n;
    (void)words;
    (void)err;
    printf("on standard output");
    mplan_warn(context, "%s", "a warning");
    mplan_progress(context, "errand", 1, 2);
    if (write(MPLAN_CHILD_ANSWER, &number, sizeof number) != (ssize_t)sizeof number)
        return MPLAN_ERR_IO;
    close(STDERR_FILENO); /* ends its errors but not its work */
    return MPLAN_OK;
}

static mplan_status leave(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)context;
    (void)err;
    fprintf(stderr, "first line\nthe reason\n\n");
    _exit(n > 0 ? atoi(words[0]) : 0);
}

static mplan_status say_much(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)n;
    (void)words;
    (void)context;
    (void)err;
    for (int i = 0; i < 40000; i++) /* longer than a pipe holds */
        fprintf(stderr, "line %d\n", i);
    fprintf(stderr, "no end");
    _exit(1);
}

static mplan_status send_signal(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)context;
    raise(n > 0 ? atoi(words[0]) : SIGABRT);
    return mplan_fail(err, MPLAN_ERR_INTERNAL, "still there");
}

static mplan_status wait_long(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)n;
    (void)words;
    (void)context;
    (void)err;
    while (getppid() > 0)
        sleep(1000);
    return MPLAN_OK;
}

static mplan_status spin(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)n;
    (void)words;
    (void)context;
    (void)err;
    for (volatile unsigned long i = 1; i > 0; i++)
        ;
    return MPLAN_OK;
}

/* No handler, nothing blocked, nothing ignored; no descriptor but its own. */
static mplan_status look_around(int n, char **words, const mplan_context *context, mplan_error *err)
{
    static const int numbers[] = {SIGTERM, SIGINT, SIGCHLD, SIGPIPE, SIGHUP, SIGUSR1};
    sigset_t blocked;
    (void)n;
    (void)words;
    (void)context;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        sigaction(numbers[i], NULL, &now);
        if (now.sa_handler != SIG_DFL || sigismember(&blocked, numbers[i]))
            return mplan_fail(err, MPLAN_ERR_INTERNAL, "signal %d is not as it should be",
                              numbers[i]);
    }
    for (int fd = MPLAN_CHILD_WORDS + 1; fd < 1000; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            return mplan_fail(err, MPLAN_ERR_INTERNAL, "descriptor %d is open", fd);
    if (getpgrp() != getpid() || getenv("HOME"))
        return mplan_fail(err, MPLAN_ERR_INTERNAL,
                          "the process group or environment is the parent's");
    struct rlimit core;
    if (syscall(SYS_getrlimit, RLIMIT_CORE, &core) || core.rlim_cur)
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "it may dump core");
    return MPLAN_OK;
}

/* Takes memory until there is none; what a library makes of that is damage. */
static mplan_status take_memory(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)n;
    (void)context;
    for (int64_t taken = 0; taken < INT64_C(1) << 33; taken += 1 << 20) {
        char *volatile some = malloc(1 << 20); /* volatile: clang leaves out what nobody reads */
        if (!some && words[0])
            raise(SIGSEGV); /* as code that does not look */
        if (!some)
            return mplan_fail(err, MPLAN_ERR_CORRUPT, "the file cannot be read");
        memset(some, 1, 1 << 20);
    }
    return mplan_fail(err, MPLAN_ERR_INTERNAL, "there was memory for all");
}

/* True when a call that would lead out of the program is refused. */
static bool is_refused(const char *what)
{
    if (strcmp(what, "socket") == 0)
        return socket(AF_INET, SOCK_STREAM, 0) < 0 && socket(AF_UNIX, SOCK_DGRAM, 0) < 0;
    if (strcmp(what, "fork") == 0) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        return child < 0;
    }
    if (strcmp(what, "exec") == 0) {
        char *words[] = {NULL};
        return execve("/bin/true", words, words) < 0;
    }
    if (strcmp(what, "write") == 0)
        return open("/tmp", O_WRONLY | O_TMPFILE, 0600) < 0 &&
               open("meshplan-errand", O_WRONLY | O_CREAT, 0600) < 0;
    if (strcmp(what, "read") == 0)
        return open("/etc/passwd", O_RDONLY) < 0;
    if (strcmp(what, "code") == 0)
        return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
               MAP_FAILED;
    if (strcmp(what, "kill") == 0)
        return kill(getppid(), 0) < 0;
    if (strcmp(what, "trace") == 0)
        return syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0) < 0;
    return false;
}

static mplan_status try_out(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)context;
    const char *what = n > 0 ? words[0] : "";
    const char *sandbox = mplan_helper_sandbox();
    bool files = strstr(sandbox, "landlock") != NULL, calls = strstr(sandbox, "seccomp") != NULL;
    bool held = strcmp(what, "read") == 0 || strcmp(what, "write") == 0 ? files || calls : calls;
    mplan_warn(context, "%s", sandbox);
    if (held && !is_refused(what))
        return mplan_fail(err, MPLAN_ERR_INTERNAL, "%s was not refused under %s", what, sandbox);
    return MPLAN_OK;
}

/* Writes bytes where frames are expected. */
static mplan_status babble(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)context;
    (void)err;
    uint64_t state = n > 0 ? strtoull(words[0], NULL, 10) : 1;
    uint8_t bytes[512];
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(state >> 56);
    }
    if (state & 1 << 30) { /* a sound beginning */
        const mplan_child_frame frame = {.kind = "wpesd"[state >> 40 & 3],
                                         .length = (uint16_t)(state >> 50 & 31)};
        memcpy(bytes, &frame, 36);
    }
    for (int i = 0; i < 20; i++)
        (void)!write(MPLAN_CHILD_WORDS, bytes, sizeof bytes);
    return MPLAN_OK;
}

static mplan_status claim(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)context;
    return mplan_fail(err, (mplan_status)(n > 0 ? atoi(words[0]) : 0), "so it says");
}

const mplan_helper_work mplan_helper_works[] = {
    {"answer", MPLAN_NEEDS_NOTHING, true, answer},
    {"leave", MPLAN_NEEDS_NOTHING, false, leave},
    {"lines", MPLAN_NEEDS_NOTHING, false, say_much},
    {"signal", MPLAN_NEEDS_NOTHING, false, send_signal},
    {"wait", MPLAN_NEEDS_NOTHING, false, wait_long},
    {"spin", MPLAN_NEEDS_NOTHING, false, spin},
    {"look", MPLAN_NEEDS_NOTHING, false, look_around},
    {"memory", MPLAN_NEEDS_NOTHING, false, take_memory},
    {"try", MPLAN_NEEDS_NOTHING, false, try_out},
    {"try-open", MPLAN_NEEDS_TO_OPEN, false, try_out},
    {"babble", MPLAN_NEEDS_NOTHING, false, babble},
    {"claim", MPLAN_NEEDS_NOTHING, false, claim},
    {NULL, MPLAN_NEEDS_NOTHING, false, NULL},
};
