/* SPDX-License-Identifier: Apache-2.0 */
/* tune_child.c - work in a copy of this process, whatever may become of it
 *
 * A kernel may read where nothing is, run for ever, or leave a CUDA context that is of no use any more. */
#define _GNU_SOURCE /* pipe2 */
#include "apps/tune_child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

/* Does not return. The parent's handlers are not for this process, which ends when the parent does; what the parent
 * has open is the parent's to end. */
static void be_child(void (*work)(void *user, void *result), void *user, void *result, size_t size,
                     int to)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++)
        (void)signal(caught[i], SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    work(user, result);
    const char *at = result;
    while (size > 0) {
        ssize_t n = write(to, at, size);
        if (n <= 0)
            break;
        at += n;
        size -= (size_t)n;
    }
    _exit(0);
}

/* What the child says, as far as it comes in time. *length: bytes that came. */
static mplan_status listen_to(int from, double patience, const mplan_context *context, char *result,
                              size_t size, size_t *length, bool *late, mplan_error *err)
{
    const double end = mplan_clock() + patience;
    mplan_status status = MPLAN_OK;
    *length = 0;
    *late = false;
    while (!status && *length < size) {
        struct pollfd one = {.fd = from, .events = POLLIN};
        const int ready = poll(&one, 1, 50);
        status = mplan_heed(context, "trial", 0, 0, err);
        *late = ready <= 0 && mplan_clock() > end;
        if (*late)
            break;
        if (ready <= 0)
            continue;
        ssize_t n = read(from, result + *length, size - *length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        *length += (size_t)n;
    }
    return status;
}

/* What is to be said of a child that did not tell. */
static mplan_status explain(int ended, bool late, double patience, mplan_error *err)
{
    if (late)
        return mplan_fail(err, MPLAN_ERR_DEVICE, "it did not end within %g seconds", patience);
    if (WIFSIGNALED(ended))
        return mplan_fail(err, MPLAN_ERR_DEVICE, "it ended by signal %d (%s)", WTERMSIG(ended),
                          strsignal(WTERMSIG(ended)));
    return mplan_fail(err, MPLAN_ERR_DEVICE, "it ended the process with exit code %d",
                      WEXITSTATUS(ended));
}

/* work fills result, `size` bytes, in the child, which sends them through a pipe as they are: pointers in them mean
 * nothing here. The child is waited for in any case, and killed when it is late or the caller was asked to stop. */
mplan_status mplan_in_child(void (*work)(void *user, void *result), void *user, void *result,
                            size_t size, double patience, const mplan_context *context,
                            mplan_error *err)
{
    assert(work && result && size > 0);
    int ends[2], ended = 0;
    size_t length;
    bool late;
    if (pipe2(ends, O_CLOEXEC))
        return mplan_fail(err, MPLAN_ERR_IO, "no pipe can be made: %s", strerror(errno));
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(work, user, result, size, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return mplan_fail(err, MPLAN_ERR_IO, "no process can be made: %s", strerror(errno));
    }
    mplan_status status = listen_to(ends[0], patience, context, result, size, &length, &late, err);
    if (status || late)
        kill(child, SIGKILL);
    close(ends[0]);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    return !status && length < size ? explain(ended, late, patience, err) : status;
}
