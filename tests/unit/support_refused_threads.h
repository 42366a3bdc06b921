/* SPDX-License-Identifier: Apache-2.0 */
/* support_refused_threads.h - threads that the system refuses; for tests that are linked with --wrap=pthread_create */
#ifndef MPLAN_SUPPORT_REFUSED_THREADS_H
#define MPLAN_SUPPORT_REFUSED_THREADS_H

#include <pthread.h>

static int support_may_make = -1; /* threads; below 0: any number */
static int support_made;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *data);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *data);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *data)
{
    if (support_may_make >= 0 && support_made >= support_may_make)
        return 11; /* EAGAIN */
    support_made++;
    return __real_pthread_create(thread, attributes, start, data);
}

#endif
