/* SPDX-License-Identifier: Apache-2.0 */
/* memory_limit.c - the most memory that the process may have
 *
 * RLIMIT_DATA counts what a process can write and shares with nobody; address space (RLIMIT_AS) would count what a
 * CUDA driver reserves and never uses. */
#include "cli/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

/* A sanitizer's own memory counts as data, and exceeds every limit. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define OWN_LIMITS 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define OWN_LIMITS 1
#endif
#endif

/* Data of the process, and a stack for each thread, which glibc maps as data; only lowered. A
 * limit that cannot be set is not a failure: the library counts what it takes by itself, too.
 * Children inherit it. */
void cli_limit_memory(int64_t bytes, int32_t threads)
{
#if defined RLIMIT_DATA && !defined OWN_LIMITS
    struct rlimit limit, stack;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    rlim_t stacks = threads > 0 && threads < processors ? (rlim_t)threads
                                                        : (rlim_t)(processors > 0 ? processors : 1);
    rlim_t room = 8u << 20; /* of a stack; unlimited ones get as much */
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
        room = stack.rlim_cur;
    if (getrlimit(RLIMIT_DATA, &limit) || (uint64_t)bytes > RLIM_INFINITY / 2)
        return;
    rlim_t wanted = (rlim_t)bytes + stacks * room;
    if (wanted < limit.rlim_cur) {
        limit.rlim_cur = wanted;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
#else
    (void)bytes, (void)threads;
#endif
}
