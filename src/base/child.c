/* child.c - runs foreign code in a process of its own
 *
 * The child gets a process group of its own, so that an interrupt typed at the
 * terminal reaches the parent alone, which then ends it. It leaves by _exit:
 * neither buffers of the parent nor its exit handlers run twice. */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/error.h"

#define LINE_ROOM 256
#define LONGEST_WAIT_MS 50

void *mplan_child_buffer(size_t bytes, mplan_error *err)
{
    void *buffer = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (buffer != MAP_FAILED)
        return buffer;
    mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory (asked for %zu shared bytes)", bytes);
    return NULL;
}

void mplan_child_buffer_free(void *buffer, size_t bytes)
{
    if (buffer)
        munmap(buffer, bytes ? bytes : 1);
}

/* The last line of a stream that held something. Invariant: line[0 .. used)
 * is the unfinished line, last the one before it. */
typedef struct last_line {
    char line[LINE_ROOM], last[LINE_ROOM];
    size_t used;
} last_line;

static void end_line(last_line *text)
{
    if (text->used > 0) {
        memcpy(text->last, text->line, text->used);
        text->last[text->used] = '\0';
    }
    text->used = 0;
}

static void feed(last_line *text, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n' || c == '\r')
            end_line(text);
        else if (text->used < LINE_ROOM - 1)
            text->line[text->used++] = (char)(c < ' ' || c == 127 ? ' ' : c);
    }
}

/* Reads what is there; false once the stream has ended. */
static bool drain(int fd, last_line *text)
{
    char bytes[4096];
    for (;;) {
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got > 0)
            feed(text, bytes, (size_t)got);
        else if (got == 0)
            return false;
        else if (errno != EINTR)
            return errno == EAGAIN || errno == EWOULDBLOCK;
    }
}

static void become_child(int error_pipe, pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    struct sigaction plain;
    memset(&plain, 0, sizeof plain);
    plain.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &plain, NULL); /* fails where that is not allowed */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0)
        dup2(nowhere, STDOUT_FILENO);
    dup2(error_pipe, STDERR_FILENO);
}

/* Waits until the child has ended, collecting its messages. */
static mplan_status wait_for(const char *name, pid_t child, int fd, last_line *text, int *outcome,
                             const mplan_context *context, mplan_error *err)
{
    bool open_ended = true;
    int wait_ms = 1;
    for (;;) {
        pid_t ended = waitpid(child, outcome, WNOHANG);
        if (ended == child)
            break;
        if (ended < 0 && errno != EINTR)
            return mplan_fail(err, MPLAN_ERR_INTERNAL, "a child process got lost");
        mplan_status status = mplan_heed(context, name, 0, 0, err);
        if (status) {
            kill(child, SIGKILL);
            while (waitpid(child, outcome, 0) < 0 && errno == EINTR)
                ;
            return status;
        }
        struct pollfd source = {fd, POLLIN, 0};
        poll(&source, open_ended ? 1 : 0, wait_ms);
        if (open_ended)
            open_ended = drain(fd, text);
        wait_ms = wait_ms * 2 < LONGEST_WAIT_MS ? wait_ms * 2 : LONGEST_WAIT_MS;
    }
    if (open_ended)
        drain(fd, text);
    end_line(text);
    return MPLAN_OK;
}

static mplan_status judge(const char *name, int outcome, const char *line, mplan_error *err)
{
    const char *colon = line[0] ? ": " : "";
    if (WIFSIGNALED(outcome)) {
        int number = WTERMSIG(outcome);
        if (number == SIGKILL)
            return mplan_fail(err, MPLAN_ERR_MEMORY, "%s was killed, most likely out of memory%s%s",
                              name, colon, line);
        return mplan_fail(err, MPLAN_ERR_PARTITIONER, "%s ended by signal %d%s%s", name, number,
                          colon, line);
    }
    int code = WEXITSTATUS(outcome);
    if (code == MPLAN_CHILD_NO_MEMORY)
        return mplan_fail(err, MPLAN_ERR_MEMORY, "%s ran out of memory%s%s", name, colon, line);
    if (code)
        return mplan_fail(err, MPLAN_ERR_PARTITIONER, "%s failed with status %d%s%s", name, code,
                          colon, line);
    return MPLAN_OK;
}

mplan_status mplan_child_run(const char *name, int (*work)(void *data), void *data,
                             const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_interrupted(context, err);
    if (status)
        return status;
    int ends[2];
    if (pipe(ends))
        return mplan_fail(err, MPLAN_ERR_PARTITIONER, "%s cannot start: no pipe", name);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_child(ends[1], parent);
        close(ends[1]);
        _exit(work(data));
    }
    close(ends[1]);
    if (child < 0) {
        bool memory = errno == ENOMEM;
        close(ends[0]);
        return mplan_fail(err, memory ? MPLAN_ERR_MEMORY : MPLAN_ERR_PARTITIONER,
                          "%s cannot start: no process", name);
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    last_line text;
    memset(&text, 0, sizeof text);
    int outcome = 0;
    status = wait_for(name, child, ends[0], &text, &outcome, context, err);
    close(ends[0]);
    return status ? status : judge(name, outcome, text.last, err);
}
