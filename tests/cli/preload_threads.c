/* SPDX-License-Identifier: Apache-2.0 */
/* preload_threads.c - for LD_PRELOAD: so many processors, and threads that are refused
 *
 * TEST_PROCESSORS: how many the affinity holds. TEST_THREADS: how many threads may be made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *mask)
{
    const char *text = getenv("TEST_PROCESSORS");
    (void)process;
    memset(mask, 0, bytes);
    for (int i = 0; i < (text ? atoi(text) : 1); i++)
        CPU_SET_S((size_t)i, bytes, mask);
    return 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *data)
{
    static int made;
    const char *text = getenv("TEST_THREADS");
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (text && made >= atoi(text))
        return EAGAIN;
    made++;
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    return create(thread, attributes, start, data);
}
