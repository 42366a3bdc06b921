/* SPDX-License-Identifier: Apache-2.0 */
/* library_lock.c - libhdf5, and libnetcdf and libcgns on top of it, one thread at a time
 *
 * Debian's libhdf5 is built without its own lock and keeps tables for the whole process, so a lock
 * has to be as wide: the one static that changes. */
#include "formats/library_lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* libnetcdf, libhdf5 and libcgns have one state for the whole process, and share libhdf5's. Not
 * recursive. */
void mplan_library_lock(void)
{
    pthread_mutex_lock(&lock);
}

/* By the thread that locked. */
void mplan_library_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
