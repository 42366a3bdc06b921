/* SPDX-License-Identifier: Apache-2.0 */
/* child.c - spawns a program of libexec and hears it out
 *
 * The child gets a process group of its own, so that an interrupt typed at the terminal reaches only
 * the parent, which then ends it. That it has ended is seen by the ends of its pipes as well as by
 * waitpid: callers may ignore SIGCHLD or wait for every child, and nothing is left to wait for then. */
#include "base/child.h"
#include "base/child_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child_words.h"
#include "base/error.h"

extern char **environ;

enum { LONGEST_WAIT_MS = 50, MOST_VARIABLES = 10, VARIABLE_ROOM = 4096 };

/* A program while it runs. Descriptors are -1 when they are closed. */
typedef struct running {
    const mplan_child *child;
    const mplan_context *context;
    pid_t pid;
    int handle;        /* pidfd; -1 where the kernel has none */
    int words, errors; /* ends of pipes; -1 once they have ended */
    bool ended, lost;  /* lost: somebody else has been told how it ended */
    int outcome;       /* of waitpid */
    mplan_child_words said;
    mplan_last_line line;
    struct timespec moved; /* when it last made progress */
    char sign[256];        /* of it: the kernel's counters of the process */
} running;

/* --- starting ----------------------------------------------------------------------------- */

/* *fd is -1 afterwards, so that it is closed once. */
static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* A pipe whose ends are none of the child's descriptors. */
static bool open_pipe(int ends[2])
{
    int made[2];
    ends[0] = ends[1] = -1;
    if (pipe(made))
        return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, MPLAN_CHILD_FIRST);
        close(made[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0)
        return true;
    shut(&ends[0]);
    shut(&ends[1]);
    return false;
}

/* Variables that say where libraries are, and what sanitizers look at. Libraries read others from
 * the environment, where to find plug-ins among them: they get none. */
static char **child_environment(char *room, size_t size, char *list[MOST_VARIABLES + 1])
{
    static const char *const kept[] = {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                       "QEMU_LD_PREFIX"};
    static char locale[] = "LC_ALL=C", locks[] = "HDF5_USE_FILE_LOCKING=FALSE",
                plugins[] = "HDF5_PLUGIN_PRELOAD=::";
    int n = 0;
    list[n++] = locale;
    list[n++] = locks;
    list[n++] = plugins;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const char *value = NULL;
        size_t length = strlen(kept[i]);
        for (char **at = environ; at && *at; at++)
            if (strncmp(*at, kept[i], length) == 0 && (*at)[length] == '=')
                value = *at;
        size_t bytes = value ? strlen(value) + 1 : 0;
        if (!value || bytes > size)
            continue;
        memcpy(room, value, bytes);
        list[n++] = room;
        room += bytes;
        size -= bytes;
    }
    list[n] = NULL;
    return list;
}

/* The child gets a process group of its own, default actions for all signals and an
 * empty signal mask. 0 or an errno. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failed = posix_spawnattr_setflags(attributes,
                                          (short)(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                                  POSIX_SPAWN_SETSIGMASK));
    failed = failed ? failed : posix_spawnattr_setpgroup(attributes, 0);
    failed = failed ? failed : posix_spawnattr_setsigdefault(attributes, &all);
    return failed ? failed : posix_spawnattr_setsigmask(attributes, &none);
}

/* Where its descriptors come from; all are 10 or more, so that none is overwritten. */
static int set_descriptors(posix_spawn_file_actions_t *actions, const mplan_child *child,
                           int errors, int words)
{
    int output = child->answer_is_output ? child->answer : -1;
    int failed = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed && output >= 0)
        failed = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO);
    else if (!failed)
        failed = posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO);
    if (!failed && child->input >= 0)
        failed = posix_spawn_file_actions_adddup2(actions, child->input, MPLAN_CHILD_INPUT);
    if (!failed && child->answer >= 0)
        failed = posix_spawn_file_actions_adddup2(actions, child->answer, MPLAN_CHILD_ANSWER);
    return failed ? failed : posix_spawn_file_actions_adddup2(actions, words, MPLAN_CHILD_WORDS);
}

/* NAME PARENT MEMORY SECONDS ANSWER WORD...: what helper.c reads. */
static int spawn(const mplan_child *child, const char *path, int errors, int words, pid_t *pid)
{
    char numbers[MPLAN_CHILD_ARGUMENTS - 2][24], room[VARIABLE_ROOM];
    char *variables[MOST_VARIABLES + 1], *arguments[MPLAN_CHILD_ARGUMENTS + MPLAN_CHILD_MOST];
    const int64_t limits[] = {getpid(), child->memory, child->cpu_seconds};
    int n = 0;
    arguments[n++] = (char *)(uintptr_t)path;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%lld", (long long)limits[i]);
        arguments[n++] = numbers[i];
    }
    for (int i = 0; i < MPLAN_CHILD_MOST && child->words[i]; i++)
        arguments[n++] = (char *)(uintptr_t)child->words[i];
    arguments[n] = NULL;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int failed = posix_spawnattr_init(&attributes);
    if (failed)
        return failed;
    failed = posix_spawn_file_actions_init(&actions);
    if (!failed) {
        failed = set_attributes(&attributes);
        if (!failed)
            failed = set_descriptors(&actions, child, errors, words);
        if (!failed)
            failed = posix_spawn(pid, path, &actions, &attributes, arguments,
                                 child_environment(room, sizeof room, variables));
        posix_spawn_file_actions_destroy(&actions);
    }
    posix_spawnattr_destroy(&attributes);
    return failed;
}

/* `code` is an errno; only lack of memory is told apart. */
static mplan_status fail_start(const char *path, int code, mplan_error *err)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", code);
    return mplan_fail(err, code == ENOMEM ? MPLAN_ERR_MEMORY : MPLAN_ERR_INTERNAL,
                      "the program %.600s cannot start: %s", path, reason);
}

/* A descriptor of the process, which unlike its number cannot come to mean another one;
 * -1 where the system has none. */
static int handle_of(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1;
#endif
}

/* Spawns the program with two pipes, one for its words and one for its error output.
 * After a failure no descriptor is left open. */
static mplan_status start(running *run, mplan_error *err)
{
    char path[PATH_MAX];
    int words[2], errors[2];
    mplan_status status = mplan_child_find(run->child->program, path, sizeof path, err);
    if (status)
        return status;
    if (!open_pipe(words))
        return fail_start(path, errno, err);
    if (!open_pipe(errors)) {
        status = fail_start(path, errno, err);
        shut(&words[0]);
        shut(&words[1]);
        return status;
    }
    int failed = spawn(run->child, path, errors[1], words[1], &run->pid);
    shut(&words[1]);
    shut(&errors[1]);
    if (failed) {
        shut(&words[0]);
        shut(&errors[0]);
        return fail_start(path, failed, err);
    }
    fcntl(words[0], F_SETFL, O_NONBLOCK);
    fcntl(errors[0], F_SETFL, O_NONBLOCK);
    run->words = words[0];
    run->errors = errors[0];
    run->handle = handle_of(run->pid);
    clock_gettime(CLOCK_MONOTONIC, &run->moved);
    return MPLAN_OK;
}

/* --- waiting ------------------------------------------------------------------------------ */

/* Looks whether it has ended; block: waits for it. */
static void look(running *run, bool block)
{
    if (run->ended)
        return;
    pid_t ended;
    do
        ended = waitpid(run->pid, &run->outcome, block ? 0 : WNOHANG);
    while (ended < 0 && errno == EINTR);
    run->ended = ended != 0;
    run->lost = ended < 0;
}

/* Ends the child if it still runs, then waits for it: no process is left behind. */
static void finish(running *run)
{
    if (!run->ended) {
#ifdef SYS_pidfd_send_signal
        if (run->handle < 0 || syscall(SYS_pidfd_send_signal, run->handle, SIGKILL, NULL, 0))
#endif
            kill(run->pid, SIGKILL);
    }
    look(run, true);
}

/* By a clock that nobody sets. */
static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

/* Whether the process has done nothing for too long: neither used the processor nor touched memory,
 * as reading does, however slowly. */
static bool stands_still(running *run)
{
    char name[64], sign[sizeof run->sign] = "";
    double idle = seconds_since(&run->moved);
    if (run->child->idle_seconds <= 0 || idle < run->child->idle_seconds / 4)
        return false;
    snprintf(name, sizeof name, "/proc/%ld/stat", (long)run->pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, sign, sizeof sign - 1) : 0;
    if (fd >= 0)
        close(fd);
    sign[got > 0 ? got : 0] = '\0';
    if (got <= 0 || strcmp(sign, run->sign) != 0) {
        memcpy(run->sign, sign, sizeof sign);
        clock_gettime(CLOCK_MONOTONIC, &run->moved);
        return false;
    }
    return idle >= run->child->idle_seconds;
}

/* Reads what its pipes hold; a pipe that has ended is closed. */
static void hear(running *run)
{
    char bytes[4096];
    ssize_t got;
    while (run->errors >= 0 && (got = read(run->errors, bytes, sizeof bytes)) != -1) {
        if (got == 0)
            shut(&run->errors);
        else
            mplan_last_line_feed(&run->line, bytes, (size_t)got);
    }
    while (run->words >= 0 && (got = read(run->words, bytes, sizeof bytes)) != -1) {
        if (got == 0)
            shut(&run->words);
        else if (mplan_child_words_feed(&run->said, bytes, (size_t)got, run->context))
            clock_gettime(CLOCK_MONOTONIC, &run->moved);
    }
}

/* Sleeps until it says something or ends, `ms` at most. */
static void doze(const running *run, int ms)
{
    struct pollfd sources[3];
    nfds_t n = 0;
    if (run->words >= 0)
        sources[n++] = (struct pollfd){run->words, POLLIN, 0};
    if (run->errors >= 0)
        sources[n++] = (struct pollfd){run->errors, POLLIN, 0};
    if (run->handle >= 0)
        sources[n++] = (struct pollfd){run->handle, POLLIN, 0};
    poll(sources, n, ms);
}

/* Over a file that is damage, as a crash is. */
static mplan_status fail_still(const mplan_child *child, mplan_error *err)
{
    return mplan_fail(err, child->path ? MPLAN_ERR_CORRUPT : MPLAN_ERR_PARTITIONER,
                      "%s%s%s made no progress for %.0f seconds", child->path ? child->path : "",
                      child->path ? ": damaged: " : "", child->name, child->idle_seconds);
}

/* Reads both pipes until the child has ended, and ends it when the caller interrupts or
 * when it says nothing for idle_seconds. */
static mplan_status wait_for(running *run, mplan_error *err)
{
    const mplan_child *child = run->child;
    int ms = 1;
    while (!run->ended) {
        mplan_status status = child->stage ? mplan_heed(run->context, child->stage, 0, 0, err)
                                           : mplan_interrupted(run->context, err);
        bool still = !status && stands_still(run);
        if (still)
            status = fail_still(child, err);
        if (status || run->said.broken) {
            finish(run);
            return status;
        }
        doze(run, ms);
        hear(run);
        look(run, false);
        ms = ms * 2 < LONGEST_WAIT_MS ? ms * 2 : LONGEST_WAIT_MS;
    }
    hear(run);
    mplan_last_line_end(&run->line);
    return MPLAN_OK;
}

/* --- judging ------------------------------------------------------------------------------ */

/* A library whose file in memory cannot grow says that memory is out, whatever the reason: where the user has set a
 * limit of file sizes, it may be that one, and is named. */
static mplan_status fail_memory(const mplan_child *child, const char *line, mplan_error *err)
{
    struct rlimit size;
    bool limited = getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY;
    return mplan_fail(err, MPLAN_ERR_MEMORY, "%s%s%s ran out of memory%s%s%s",
                      child->path ? child->path : "", child->path ? ": " : "", child->name,
                      limited ? " or met the limit of file sizes (ulimit -f)" : "",
                      line[0] ? ": " : "", line);
}

/* Of a file it is the file that is to blame, else the partitioner. */
static mplan_status fail_crash(const mplan_child *child, const char *how, const char *line,
                               mplan_error *err)
{
    if (child->path)
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: damaged: %s %s while reading it%s%s",
                          child->path, child->name, how, line[0] ? ": " : "", line);
    return mplan_fail(err, MPLAN_ERR_PARTITIONER, "%s %s%s%s", child->name, how,
                      line[0] ? ": " : "", line);
}

/* What a signal means: SIGKILL and SIGXFSZ are limits of memory, SIGXCPU one of time,
 * all others a crash. line: the last line of its error output. */
static mplan_status judge_signal(const mplan_child *child, int number, const char *line,
                                 mplan_error *err)
{
    char how[64];
    if (number == SIGKILL && child->memory)
        return fail_memory(child, line, err);
    if (number == SIGKILL)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "%s was killed, most likely out of memory%s%s",
                          child->name, line[0] ? ": " : "", line);
    if (number == SIGXFSZ) /* its answer is larger than the memory it may take */
        return fail_memory(child, "", err);
    if (number == SIGXCPU)
        snprintf(how, sizeof how, "used more than %lld seconds of the processor",
                 (long long)child->cpu_seconds);
    else
        snprintf(how, sizeof how, "ended by signal %d", number);
    return fail_crash(child, how, line, err);
}

/* Turns what the child said and how it ended into a status. A child that ended well
 * must have said so: an exit 0 without a word is a failure. */
static mplan_status judge(const running *run, mplan_error *err)
{
    const mplan_child *child = run->child;
    const mplan_child_words *said = &run->said;
    const char *line = run->line.last;
    bool known = run->ended && !run->lost;
    char how[64];
    if (said->broken)
        return fail_crash(child, "gave an invalid answer", "", err);
    if (said->signal && said->no_memory)
        return fail_memory(child, line, err);
    if (said->signal || (known && WIFSIGNALED(run->outcome)))
        return judge_signal(child, said->signal ? said->signal : WTERMSIG(run->outcome), line, err);
    if (said->failed)
        return mplan_fail(err, said->error.status, "%s", said->error.text);
    int code = known ? WEXITSTATUS(run->outcome) : 0;
    if (code == 0 && said->done)
        return MPLAN_OK;
    if (code)
        snprintf(how, sizeof how, "failed with status %d", code);
    else
        snprintf(how, sizeof how, "ended without an answer");
    return fail_crash(child, how, line, err);
}

/* The loader ends a program whose libraries lack something with 127, before it says a word. */
static bool was_not_loaded(const running *run)
{
    const mplan_child_words *said = &run->said;
    return run->ended && !run->lost && WIFEXITED(run->outcome) && WEXITSTATUS(run->outcome) == 127 &&
           !said->done && !said->failed && !said->signal && said->n == 0;
}

/* Where the program could not be loaded (a library is missing), the spare program, if
 * one is named, is run instead. */
mplan_status mplan_child_run(const mplan_child *child, const mplan_context *context, mplan_error *err)
{
    running run = {.child = child, .context = context, .handle = -1, .words = -1, .errors = -1};
    mplan_status status = mplan_interrupted(context, err);
    if (!status)
        status = start(&run, err);
    if (status)
        return status;
    status = wait_for(&run, err);
    shut(&run.words);
    shut(&run.errors);
    shut(&run.handle);
    char spare[PATH_MAX];
    if (!status && child->spare && was_not_loaded(&run) &&
        mplan_child_find(child->spare, spare, sizeof spare, NULL) == MPLAN_OK) {
        mplan_child other = *child;
        other.program = child->spare;
        other.spare = NULL;
        return mplan_child_run(&other, context, err);
    }
    return status ? status : judge(&run, err);
}
