/* SPDX-License-Identifier: Apache-2.0 */
/* helper.c - begins a program of libexec, limits it, and says how its work ended
 *
 * PROGRAM PARENT MEMORY SECONDS WORK [WORD...], by base/child.c. */
#include "helper/helper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { MOST_DESCRIPTOR = 1 << 16, STACK = 1 << 16 };

/* --- what it says --------------------------------------------------------------------------- */

/* A message to the program that waits, in one write: head bytes, then text. */
static void say(uint8_t kind, const void *head, size_t head_bytes, const char *text)
{
    mplan_child_frame frame = {.kind = kind};
    size_t n = text ? strlen(text) : 0, most = MPLAN_ERROR_TEXT - 1;
    n = n < most ? n : most;
    if (head_bytes)
        memcpy(frame.data, head, head_bytes);
    if (n)
        memcpy(frame.data + head_bytes, text, n);
    frame.length = (uint16_t)(head_bytes + n);
    size_t bytes = offsetof(mplan_child_frame, data) + frame.length;
    (void)!write(MPLAN_CHILD_WORDS, &frame, bytes); /* at most a page: whole or not at all */
}

/* The two functions of the context: what they are told goes to the program that waits. */
static void say_warning(void *user, const char *text)
{
    (void)user;
    say(MPLAN_SAYS_WARNING, NULL, 0, text);
}

static void say_progress(void *user, const char *stage, int64_t done, int64_t total)
{
    const int64_t counts[2] = {done, total};
    (void)user;
    say(MPLAN_SAYS_PROGRESS, counts, sizeof counts, stage);
}

/* --- memory that runs out --------------------------------------------------------------------- */

/* Set once an allocation has failed, and never cleared; handlers of signals read it. */
static volatile sig_atomic_t ran_out;

/* Libraries fail in many ways where an allocation does, most often as if the file were damaged. Asks
 * that no memory could ever serve come of damage, and do not count. */
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined MPLAN_SANITIZED
enum { NEVER_BITS = 44 };
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
MPLAN_INSTEAD void *malloc(size_t size);
MPLAN_INSTEAD void *calloc(size_t count, size_t size);
MPLAN_INSTEAD void *realloc(void *old, size_t size);

/* size: the bytes that were asked for; none may rightly give NULL. */
static void *noted(void *made, size_t size)
{
    if (!made && size && size >> NEVER_BITS == 0)
        ran_out = 1;
    return made;
}

void *malloc(size_t size)
{
    return noted(__libc_malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes = size && count > SIZE_MAX / size ? SIZE_MAX : count * size;
    return noted(__libc_calloc(count, size), bytes);
}

void *realloc(void *old, size_t size)
{
    return noted(__libc_realloc(old, size), size);
}
#endif

/* --- its end ---------------------------------------------------------------------------------- */

/* Only async-signal-safe calls. */
static void on_crash(int number)
{
    const int32_t last[2] = {number, ran_out != 0};
    say(MPLAN_SAYS_SIGNAL, last, sizeof last, NULL);
    signal(number, SIG_DFL);
    raise(number);
}

/* A stack that ran over is not a place for a handler. */
static void catch_crashes(void)
{
    static char stack[STACK];
    static const int numbers[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGFPE,
                                  SIGILL,  SIGXCPU, SIGXFSZ, SIGSYS};
    stack_t place = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_crash;
    action.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    sigaltstack(&place, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

/* --- its beginning ---------------------------------------------------------------------------- */

/* Descriptors that the caller's process may have leaked. */
static void close_others(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, MPLAN_CHILD_WORDS + 1, ~0u, 0) == 0)
        return;
#endif
    long most = sysconf(_SC_OPEN_MAX);
    for (long fd = MPLAN_CHILD_WORDS + 1;
         fd < (most > 0 && most < MOST_DESCRIPTOR ? most : MOST_DESCRIPTOR); fd++)
        close((int)fd);
}

/* It ends with its parent, also with one that has ended by now. */
static bool die_with(long parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    return getppid() == parent;
}

/* Says, as a warning, what the kernel has granted of the sandbox: for `meshplan` to show. */
static mplan_status tell_sandbox(int n, char **words, const mplan_context *context, mplan_error *err)
{
    (void)n;
    (void)words;
    (void)err;
    mplan_warn(context, "%s", mplan_helper_sandbox());
    return MPLAN_OK;
}

/* The work of that name: each program can also tell about its sandbox. NULL: none. */
static const mplan_helper_work *find_work(const char *word)
{
    static const mplan_helper_work own = {MPLAN_CHILD_SANDBOX, MPLAN_NEEDS_NOTHING, false,
                                          tell_sandbox};
    if (strcmp(own.word, word) == 0)
        return &own;
    for (const mplan_helper_work *work = mplan_helper_works; work->word; work++)
        if (strcmp(work->word, word) == 0)
            return work;
    return NULL;
}

/* numbers: what the command line says about memory and seconds. */
static void limit(const mplan_helper_work *work, char **numbers)
{
    struct stat about;
    mplan_helper_limits limits = {.memory = strtoll(numbers[1], NULL, 10),
                                  .cpu_seconds = strtoll(numbers[2], NULL, 10),
                                  .answers = work->answers,
                                  .need = work->need};
    if (fstat(MPLAN_CHILD_INPUT, &about) == 0)
        limits.input_bytes = about.st_size;
    mplan_helper_limit(&limits);
}

/* Words: name, parent, memory, seconds, work, and what the work wants. */
int main(int argc, char **argv)
{
    enum { NUMBERS = 3, WORK = NUMBERS + 1 };
    const mplan_helper_work *work = argc > WORK ? find_work(argv[WORK]) : NULL;
    mplan_context context = MPLAN_CONTEXT_INIT;
    mplan_error err = {MPLAN_OK, ""};
    if (!work || !die_with(strtol(argv[1], NULL, 10))) {
        fprintf(stderr, "%s is a part of meshplan, which starts it; see meshplan(1)\n",
                argc ? argv[0] : "this");
        return 2;
    }
    context.threads = 1;
    context.warning = say_warning;
    context.progress = say_progress;
    close_others();
    catch_crashes();
    limit(work, argv + 1);
    mplan_status status = work->run(argc - WORK - 1, argv + WORK + 1, &context, &err);
    if (status == MPLAN_ERR_CORRUPT && ran_out) /* of damage there is no proof */
        status = MPLAN_ERR_MEMORY;
    if (status == MPLAN_ERR_PARTITIONER && ran_out) { /* SCOTCH's calls answer 1 whatever was wrong */
        status = MPLAN_ERR_MEMORY;
        snprintf(err.text + strlen(err.text), sizeof err.text - strlen(err.text), ": out of memory");
    }
    const int32_t number = (int32_t)status;
    if (status)
        say(MPLAN_SAYS_ERROR, &number, sizeof number, err.text);
    else
        say(MPLAN_SAYS_DONE, NULL, 0, NULL);
    fflush(stdout);
    _exit(0); /* not even the handlers of libraries have anything left to do */
}
