/* SPDX-License-Identifier: Apache-2.0 */
/* late_stop.c - ends a command that does not end by itself after a signal
 *
 * The library asks now and then whether it shall stop, but not everywhere, and batch systems kill what takes too long. All
 * here runs in a handler of SIGALRM and may only make system calls. What is not yet whole is found by the
 * descriptors of this process: files and folders with names of base/temporary.h; files without names go by themselves. */
#define _GNU_SOURCE /* syscall */
#include "cli/late_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 4096, NAME_LENGTH = 46, EXIT_CODE = 75 };

static volatile sig_atomic_t stop_number;

/* "/proc/self/fd/N" */
static void descriptor_path(int fd, char path[32])
{
    static const char head[] = "/proc/self/fd/";
    char digits[12];
    int n = 0;
    memcpy(path, head, sizeof head - 1);
    do
        digits[n++] = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    for (int i = 0; i < n; i++)
        path[sizeof head - 1 + (size_t)i] = digits[n - 1 - i];
    path[sizeof head - 1 + (size_t)n] = '\0';
}

/* ".meshplan-", 32 digits, ".tmp" */
static bool is_temporary(const char *path, size_t length)
{
    static const char head[] = "/.meshplan-", tail[] = ".tmp";
    const char *name = path + length - NAME_LENGTH - 1;
    return length > NAME_LENGTH && !memcmp(name, head, sizeof head - 1) &&
           !memcmp(path + length - (sizeof tail - 1), tail, sizeof tail - 1);
}

#ifdef SYS_getdents64

/* As getdents64(2) has it. */
typedef struct folder_entry {
    uint64_t number;
    int64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
} folder_entry;

/* The files of a folder, and the folder. */
static void remove_folder(const char *path)
{
    _Alignas(folder_entry) char room[4096];
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long n = folder < 0 ? 0 : syscall(SYS_getdents64, folder, room, sizeof room);
    while (n > 0) {
        for (long at = 0; at < n;) {
            const folder_entry *entry = (const folder_entry *)(const void *)(room + at);
            (void)unlinkat(folder, entry->name, 0);
            at += entry->length;
        }
        n = syscall(SYS_getdents64, folder, room, sizeof room);
    }
    if (folder >= 0)
        close(folder);
    (void)rmdir(path);
}

#else

static void remove_folder(const char *path)
{
    (void)rmdir(path);
}

#endif

static void (*say_at_once)(void); /* NULL: nothing */

void cli_stop_says(void (*say)(void))
{
    say_at_once = say;
}

static void on_late(int number)
{
    char link[32], path[PATH_MAX];
    (void)number;
    for (int fd = STDERR_FILENO + 1; fd < MOST_DESCRIPTORS; fd++) {
        descriptor_path(fd, link);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length <= 0)
            continue;
        path[length] = '\0';
        if (is_temporary(path, (size_t)length) && unlink(path) && errno != ENOENT)
            remove_folder(path);
    }
    static const char said[] = "meshplan: interrupted\n";
    if (!say_at_once)
        (void)!write(STDERR_FILENO, said, sizeof said - 1);
    if (stop_number == SIGTERM)
        _exit(EXIT_CODE);
    (void)signal((int)stop_number, SIG_DFL);
    (void)kill(getpid(), (int)stop_number);
    sigset_t none;
    sigemptyset(&none);
    (void)sigsuspend(&none); /* it is blocked while its own handler runs */
    _exit(EXIT_CODE);
}

void cli_stop_late(int number, int milliseconds)
{
    struct sigaction action;
    struct itimerval after = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    stop_number = number;
    if (say_at_once)
        say_at_once();
    memset(&action, 0, sizeof action);
    action.sa_handler = on_late;
    sigfillset(&action.sa_mask);
    if (sigaction(SIGALRM, &action, NULL) == 0)
        (void)setitimer(ITIMER_REAL, &after, NULL);
}
