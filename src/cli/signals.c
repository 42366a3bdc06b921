/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c - what signals do to a command
 *
 * The first signal asks the library to stop; its handler is reset by then, so that a second one ends the process
 * at once. The system sends SIGXCPU every second once the time is over: only the first counts, and the hard
 * limit ends a process that does not stop. Handlers, unlike ignoring, are not handed down to programs that are
 * started. */
#include "cli/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "cli/late_stop.h"

/* A signal handler can reach nothing else. */
static volatile sig_atomic_t stopped_by, pipe_broke, patience = 800; /* milliseconds */

/* The first one stays, so that the exit status is that of the signal that made the command stop. */
static void on_stop(int number)
{
    int failed = errno;
    if (!stopped_by) {
        stopped_by = number;
        cli_stop_late(number, (int)patience);
    }
    errno = failed;
}

/* The write fails with EPIPE, as every write does; that it was SIGPIPE decides about the end
 * only. */
static void on_broken_pipe(int number)
{
    pipe_broke = number;
}

/* The write that was too long fails with EFBIG then. */
static void on_file_limit(int number)
{
    (void)number;
}

/* A signal that was ignored stays so (nohup). flags: as of sigaction(2); system calls are not
 * restarted, so that waits end. */
static void take_signal(int number, void (*handler)(int), int flags)
{
    struct sigaction before, action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

/* The first signal asks for an end, a second one ends at once. */
void cli_catch_signals(void)
{
    static const int stopping[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        take_signal(stopping[i], on_stop, (int)SA_RESETHAND);
    take_signal(SIGXCPU, on_stop, 0);
    take_signal(SIGPIPE, on_broken_pipe, 0);
    take_signal(SIGXFSZ, on_file_limit, 0);
    /* A parent that ignores SIGCHLD hands that down, and the kernel would then drop how a child ended. */
    signal(SIGCHLD, SIG_DFL);
}

/* Milliseconds that a command may take to end after its first signal; before any signal comes. */
void cli_stop_sooner(int milliseconds)
{
    patience = milliseconds;
}

/* 0: none has come. It never goes back to 0. */
int cli_stop_signal(void)
{
    return stopped_by;
}

/* As if the signal had not been caught: the shell sees which one it was. Returns only where the
 * signal is blocked. */
static void end_by(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

/* SIGTERM ends with the exit code of MPLAN_ERR_INTERRUPTED; others end the process as if they had not been caught. */
void cli_end_by_signal(mplan_status status)
{
    if (status == MPLAN_ERR_INTERRUPTED && stopped_by && stopped_by != SIGTERM)
        end_by(stopped_by);
}

/* A reader such as head has gone: the shell expects an end by SIGPIPE, without a message. */
void cli_end_if_pipe_broke(mplan_status status)
{
    if (status == MPLAN_ERR_IO && pipe_broke)
        end_by(pipe_broke);
}
