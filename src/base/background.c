/* SPDX-License-Identifier: Apache-2.0 */
/* background.c - tasks that go on beside the calling thread
 *
 * A list of tasks, whose first one the next thread takes that is free. A team (threads.c) is for loops, at whose end all threads have come
 * together; here a thread that waits for a disk keeps no other one waiting. */
#include "base/background.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

#ifdef MPLAN_HAVE_THREADS

#include <unistd.h>

struct mplan_background {
    pthread_mutex_t lock;
    pthread_cond_t work, finished; /* a task waits; one is done, or nobody waits for work any more */
    mplan_task *first, **last;     /* tasks that no thread has taken */
    int threads, wanted, idle, waiting; /* waiting: tasks in the list */
    bool quit;
    pid_t owner;
    pthread_t thread[];
};

/* What a thread does until it is to end, which is not before the list is empty. */
static void *serve(void *data)
{
    mplan_background *own = data;
    pthread_mutex_lock(&own->lock);
    for (;;) {
        while (!own->first && !own->quit) {
            own->idle++;
            pthread_cond_wait(&own->work, &own->lock);
            own->idle--;
        }
        mplan_task *task = own->first;
        if (!task)
            break;
        own->first = task->next;
        own->waiting--;
        if (!own->first)
            own->last = &own->first;
        pthread_mutex_unlock(&own->lock);
        task->run(task->data);
        pthread_mutex_lock(&own->lock);
        task->done = true;
        pthread_cond_signal(&own->finished);
    }
    pthread_mutex_unlock(&own->lock);
    return NULL;
}

/* Lock and conditions; false: none of them is left. */
static bool make_locks(mplan_background *own)
{
    if (pthread_mutex_init(&own->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&own->work, NULL) == 0) {
        if (pthread_cond_init(&own->finished, NULL) == 0)
            return true;
        pthread_cond_destroy(&own->work);
    }
    pthread_mutex_destroy(&own->lock);
    return false;
}

mplan_status mplan_background_make(int threads, mplan_background **made, mplan_error *err)
{
    assert(threads > 0 && made);
    threads = threads < MPLAN_MOST_THREADS ? threads : MPLAN_MOST_THREADS;
    mplan_background *own =
        mplan_alloc_zero(1, (int64_t)sizeof *own + threads * (int64_t)sizeof *own->thread, err);
    if (!own)
        return MPLAN_ERR_MEMORY;
    if (!make_locks(own)) {
        free(own);
        return mplan_fail(err, MPLAN_ERR_MEMORY, "out of memory for locks");
    }
    own->last = &own->first;
    own->wanted = threads;
    own->owner = getpid();
    *made = own;
    return MPLAN_OK;
}

/* In a process that was forked the threads are not there, and locks may be held by them. */
void mplan_background_free(mplan_background *background)
{
    if (!background)
        return;
    assert(background->threads <= background->wanted);
    if (background->owner == getpid()) {
        pthread_mutex_lock(&background->lock);
        background->quit = true;
        pthread_cond_broadcast(&background->work);
        pthread_mutex_unlock(&background->lock);
        for (int i = 0; i < background->threads; i++)
            pthread_join(background->thread[i], NULL);
        pthread_cond_destroy(&background->finished);
        pthread_cond_destroy(&background->work);
        pthread_mutex_destroy(&background->lock);
    }
    free(background);
}

/* A thread more, where no idle one is left for another task; one that the system refuses is not asked for again. */
static void enlist(mplan_background *own)
{
    pthread_mutex_lock(&own->lock);
    const bool wanting = own->waiting >= own->idle && own->threads < own->wanted;
    pthread_mutex_unlock(&own->lock);
    if (!wanting)
        return;
    if (mplan_thread_start(&own->thread[own->threads], serve, own))
        own->threads++;
    else
        own->wanted = own->threads;
}

void mplan_background_add(mplan_background *background, mplan_task *task)
{
    assert(background && task && task->run);
    task->next = NULL;
    task->done = false;
    const bool here = background->owner == getpid();
    if (here)
        enlist(background);
    if (!here || background->threads == 0) {
        task->run(task->data);
        task->done = true;
        return;
    }
    pthread_mutex_lock(&background->lock);
    *background->last = task;
    background->last = &task->next;
    background->waiting++;
    pthread_cond_signal(&background->work);
    pthread_mutex_unlock(&background->lock);
}

bool mplan_background_done(mplan_background *background, const mplan_task *task)
{
    assert(background && task);
    if (background->threads == 0 || background->owner != getpid())
        return task->done;
    pthread_mutex_lock(&background->lock);
    const bool done = task->done;
    pthread_mutex_unlock(&background->lock);
    return done;
}

void mplan_background_wait(mplan_background *background, const mplan_task *task)
{
    assert(background && task);
    if (background->threads == 0 || background->owner != getpid())
        return;
    pthread_mutex_lock(&background->lock);
    while (!task->done)
        pthread_cond_wait(&background->finished, &background->lock);
    pthread_mutex_unlock(&background->lock);
}

#else

struct mplan_background {
    int unused;
};

mplan_status mplan_background_make(int threads, mplan_background **made, mplan_error *err)
{
    (void)threads;
    assert(made);
    *made = mplan_alloc_zero(1, sizeof **made, err);
    return *made ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

void mplan_background_free(mplan_background *background)
{
    free(background);
}

void mplan_background_add(mplan_background *background, mplan_task *task)
{
    (void)background;
    assert(task && task->run);
    task->run(task->data);
    task->done = true;
}

bool mplan_background_done(mplan_background *background, const mplan_task *task)
{
    (void)background;
    assert(task);
    return task->done;
}

void mplan_background_wait(mplan_background *background, const mplan_task *task)
{
    (void)background;
    (void)task;
    assert(task && task->done);
}

#endif
