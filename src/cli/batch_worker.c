/* SPDX-License-Identifier: Apache-2.0 */
/* batch_worker.c - a job of `batch`: this program again, in a process of its own
 *
 * So a job that crashes or runs out of memory takes no other along, memory goes back to the system, and what a job does
 * is what `meshplan plan` does. Starting it takes 2 ms. A worker has a process group of its own: what is typed
 * at the terminal reaches it through the batch. */
#include "cli/batch_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cli/message.h"
#include "cli/signals.h"

extern char **environ;

enum { MOST_TEXT = 64 << 20, PATIENCE = 500 };

/* --- starting ----------------------------------------------------------------------- */

/* The end that is read does not block: all workers are heard in turn by one thread. */
static bool open_pipe(int ends[2])
{
    if (pipe(ends))
        return false;
    for (int i = 0; i < 2; i++)
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

/* Once only. */
static void shut(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Default actions, but for signals that were ignored when the batch began (nohup): those stay so. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigemptyset(&none);
    int failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    failed = failed ? failed : posix_spawnattr_setpgroup(attributes, 0);
    return failed ? failed : posix_spawnattr_setsigmask(attributes, &none);
}

/* 0 or an errno. */
static int spawn(pid_t *pid, char *const *words, int out, int err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        failed = set_attributes(&attributes);
        if (!failed)
            failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
                                                      0);
        if (!failed)
            failed = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (!failed)
            failed = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
        if (!failed)
            failed = posix_spawn(pid, "/proc/self/exe", &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* words ends with NULL. The worker learns who its batch is by a variable, so that it ends with it (cli_follow_parent). */
mplan_status cli_worker_start(cli_worker *worker, char *const *words, mplan_error *err)
{
    char parent[32];
    int out[2] = {-1, -1}, said[2] = {-1, -1};
    *worker = (cli_worker){.pid = -1, .out.fd = -1, .err.fd = -1, .start = cli_seconds()};
    snprintf(parent, sizeof parent, "%lld", (long long)getpid());
    int failed = setenv(CLI_PARENT_VARIABLE, parent, 1) || !open_pipe(out) || !open_pipe(said)
                     ? errno
                     : spawn(&worker->pid, words, out[1], said[1]);
    (void)unsetenv(CLI_PARENT_VARIABLE);
    shut(&out[1]);
    shut(&said[1]);
    if (failed) {
        shut(&out[0]);
        shut(&said[0]);
        return cli_fail(err, failed == ENOMEM ? MPLAN_ERR_MEMORY : MPLAN_ERR_INTERNAL,
                        "a process for the job cannot be started: %s", strerror(failed));
    }
    worker->out.fd = out[0];
    worker->err.fd = said[0];
    return MPLAN_OK;
}

/* --- listening ---------------------------------------------------------------------- */

/* What is beyond MOST_TEXT is read and dropped, so that the worker does not wait. */
static void read_text(cli_worker_text *from)
{
    char dropped[4096];
    while (from->fd >= 0) {
        if (from->capacity - from->length < 4096 && from->capacity < MOST_TEXT) {
            size_t capacity = 2 * from->capacity + 16384;
            char *grown = realloc(from->text, capacity);
            if (grown) {
                from->text = grown;
                from->capacity = capacity;
            }
        }
        size_t room = from->capacity > from->length + 1 ? from->capacity - from->length - 1 : 0;
        ssize_t n = read(from->fd, room ? from->text + from->length : dropped,
                         room ? room : sizeof dropped);
        if (n > 0 && room)
            from->length += (size_t)n;
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            shut(&from->fd);
        if (n < 0)
            break;
    }
    if (from->text)
        from->text[from->length] = '\0';
}

/* Of a time as wait4(2) tells it, whole seconds and microseconds. */
static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* *ended: both pipes are at their ends and the process is gone; exit code, signal, times and peak memory are set then. */
void cli_worker_read(cli_worker *worker, bool *ended)
{
    struct rusage usage;
    int outcome;
    *ended = false;
    read_text(&worker->out);
    read_text(&worker->err);
    if (worker->out.fd >= 0 || worker->err.fd >= 0)
        return;
    pid_t gone;
    do
        gone = wait4(worker->pid, &outcome, 0, &usage);
    while (gone < 0 && errno == EINTR);
    *ended = true;
    worker->seconds = cli_seconds() - worker->start;
    worker->exit_code = gone == worker->pid && WIFEXITED(outcome) ? WEXITSTATUS(outcome) : -1;
    worker->signal = gone == worker->pid && WIFSIGNALED(outcome) ? WTERMSIG(outcome) : 0;
    worker->pid = -1;
    if (gone < 0)
        return;
    worker->cpu_seconds = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
    worker->peak_bytes = (int64_t)usage.ru_maxrss * 1024;
}

/* By a signal that is not the one which people send: a second one of that number ends a process before it has cleaned
 * up. */
void cli_worker_stop(const cli_worker *worker, bool at_once)
{
    if (worker->pid > 0)
        (void)kill(at_once ? -worker->pid : worker->pid, at_once ? SIGKILL : SIGUSR1);
}

/* The process must have ended. */
void cli_worker_free(cli_worker *worker)
{
    shut(&worker->out.fd);
    shut(&worker->err.fd);
    free(worker->out.text);
    free(worker->err.text);
    worker->out.text = worker->err.text = NULL;
}

/* --- in the worker ------------------------------------------------------------------ */

/* A worker is told by the kernel when its batch is gone, and ends sooner after a signal than the batch does, which
 * waits for it. */
void cli_follow_parent(void)
{
    const char *parent = getenv(CLI_PARENT_VARIABLE);
    if (!parent)
        return;
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    cli_stop_sooner(PATIENCE);                         /* than the batch, which waits for it */
    if (getppid() != (pid_t)strtoll(parent, NULL, 10)) /* it was quicker */
        (void)raise(SIGTERM);
    (void)unsetenv(CLI_PARENT_VARIABLE);
}
