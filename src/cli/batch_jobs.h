/* SPDX-License-Identifier: Apache-2.0 */
/* batch_jobs.h - what `batch` has to do */
#ifndef MPLAN_CLI_BATCH_JOBS_H
#define MPLAN_CLI_BATCH_JOBS_H

#include "cli/command.h"
#include "cli/plan_options.h"

/* Filled by the rows of `batch`, after those of `plan`; texts are words of the command line. manifest NULL: beside
 * the list; csv NULL: no table. */
typedef struct cli_batch_options {
    cli_plan_options plan; /* first: rows of `plan` fill it. Those of every job */
    const char *folder, *array, *manifest, *csv;
    cli_texts columns;
    cli_int jobs;
    bool resume, keep_going, dry_run;
} cli_batch_options;

/* Of a job in this run: from waiting to running, and to one of the others, which end it. A job may go back from
 * running to waiting: its worker lacked memory, or another process made the plan meanwhile. */
typedef enum cli_batch_state {
    CLI_BATCH_WAITING,
    CLI_BATCH_RUNNING,
    CLI_BATCH_PLANNED,
    CLI_BATCH_FOUND,     /* in a cache */
    CLI_BATCH_UNCHANGED, /* it was made before */
    CLI_BATCH_FAILED,
    CLI_BATCH_INTERRUPTED
} cli_batch_state;
const char *cli_batch_word(cli_batch_state state);

/* name, input, output and line are its own texts. output is unique in a batch: it is the key by which lines of the
 * manifest and claims find their job. */
typedef struct cli_batch_job {
    int32_t index; /* in all that was named, from 0 */
    char *name, *input, *output;
    cli_texts words;       /* options, as words */
    cli_plan_options plan; /* and what they say */
    cli_batch_state state;
    int64_t bytes;      /* of the input file; 0: not known */
    int64_t peak_bytes; /* that it took earlier; 0: not known */
    bool alone;         /* it did not get along with what it was given */
    int exit_code;
    char *line; /* of the manifest, the last one; NULL: none */
    bool done;  /* the line says that it was done */
} cli_batch_job;

/* job: n of them, in the order of the list. by_output: n pointers into job, ascending by output, so that job must
 * not move any more. */
typedef struct cli_batch_jobs {
    int32_t n;
    cli_batch_job *job;
    cli_batch_job **by_output; /* sorted */
    char *manifest;            /* the path of it */
} cli_batch_jobs;

/* Reads lists, makes jobs of all words, and keeps those of the share that --array names. MPLAN_ERR_ARGUMENT where options
 * are wrong, or two outputs are one file. Zero-initialise jobs, and free it in any case. */
mplan_status cli_batch_collect(const cli_call *call, cli_batch_jobs *jobs, mplan_error *err);
/* The job with that output; NULL: none. */
cli_batch_job *cli_batch_find(const cli_batch_jobs *jobs, const char *output);
void cli_batch_free(cli_batch_jobs *jobs);

#endif
