/* SPDX-License-Identifier: Apache-2.0 */
/* batch_worker.h - a job of `batch`: this program again, in a process of its own */
#ifndef MPLAN_CLI_BATCH_WORKER_H
#define MPLAN_CLI_BATCH_WORKER_H

#include <sys/types.h>

#include "meshplan.h"

/* The variable that tells a worker whose worker it is: it ends when that process ends. */
#define CLI_PARENT_VARIABLE "MESHPLAN_PARENT"

/* What a worker prints, as far as it has been read. */
typedef struct cli_worker_text {
    int fd; /* -1: it has ended */
    char *text;
    size_t length, capacity;
} cli_worker_text;

/* A process and the two pipes that it prints into. pid -1: it has ended, and the figures behind `memory` are known. */
typedef struct cli_worker {
    pid_t pid;
    cli_worker_text out, err;
    double start;
    int64_t memory; /* bytes that it was promised */
    /* once it has ended: */
    double seconds, cpu_seconds;
    int64_t peak_bytes;
    int exit_code; /* -1: by */
    int signal;
} cli_worker;

/* Starts `meshplan WORDS...`; words end with NULL. */
mplan_status cli_worker_start(cli_worker *worker, char *const *words, mplan_error *err);
/* Reads what is there. *ended: the process is gone and its ends are known. */
void cli_worker_read(cli_worker *worker, bool *ended);
/* Asks it to end, or ends it at once. Its programs end with it. */
void cli_worker_stop(const cli_worker *worker, bool at_once);
void cli_worker_free(cli_worker *worker);

/* In a worker: it gets a signal when the process that started it ends. Does nothing elsewhere. */
void cli_follow_parent(void);

#endif
