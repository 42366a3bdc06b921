/* SPDX-License-Identifier: Apache-2.0 */
/* background.h - tasks that go on beside the calling thread: reads and writes of files, and copies between them
 *
 * Tasks begin in the order in which they were added, each in a thread that is free; how many threads there are changes no result of tasks
 * that do not depend on one another. One thread adds and waits. Where the system makes no thread, and after a fork, a task is done
 * when it is added. */
#ifndef MPLAN_BACKGROUND_H
#define MPLAN_BACKGROUND_H

#include "meshplan.h"

typedef struct mplan_background mplan_background;

/* A task, in memory of the caller's that stays where it is until the task is done. */
typedef struct mplan_task {
    void (*run)(void *data);
    void *data;
    struct mplan_task *next; /* the last two are of background.c */
    bool done;
} mplan_task;

/* At most `threads` threads, which are made when tasks want them. */
mplan_status mplan_background_make(int threads, mplan_background **made, mplan_error *err);
/* When all tasks are done; may be NULL. */
void mplan_background_free(mplan_background *background);
void mplan_background_add(mplan_background *background, mplan_task *task);
/* Whether a task that was added is done: what it wrote can be read then. */
bool mplan_background_done(mplan_background *background, const mplan_task *task);
void mplan_background_wait(mplan_background *background, const mplan_task *task);

#endif
