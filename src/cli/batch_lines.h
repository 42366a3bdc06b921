/* SPDX-License-Identifier: Apache-2.0 */
/* batch_lines.h - what `batch` says of its jobs: lines of the manifest, CSV, the table at the end */
#ifndef MPLAN_CLI_BATCH_LINES_H
#define MPLAN_CLI_BATCH_LINES_H

#include "cli/batch_jobs.h"
#include "cli/batch_worker.h"
#include "cli/json_flat.h"

/* What became of a job in this run. */
typedef struct cli_batch_end {
    const cli_worker *worker; /* NULL: none was needed */
    const char *error;        /* NULL: it was done */
    const char *result;       /* JSON of its results, ended by `length`; NULL: none */
    size_t length;
    int64_t started;           /* seconds since 1970 */
    const mplan_cache *inputs; /* that knows what an unchanged plan was made from; NULL: the result says it */
} cli_batch_end;

/* The line of a job, with its line feed: the caller's; NULL: out of memory. */
char *cli_batch_line(const cli_batch_job *job, const cli_batch_end *end);
/* "result" of a line: `length` bytes; NULL: it has none. */
const char *cli_batch_result(const char *line, size_t *length);

/* Whether the name can be a column. */
mplan_status cli_batch_check_columns(const cli_texts *columns, mplan_error *err);
/* Writes chosen values of the last lines of all jobs. */
mplan_status cli_batch_csv(const cli_call *call, const cli_batch_jobs *jobs, const char *path,
                           mplan_error *err);
/* Prints a row for each job, or for those only that were not done where there are many. */
mplan_status cli_batch_table(const cli_batch_jobs *jobs, mplan_error *err);

#endif
