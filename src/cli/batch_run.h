/* SPDX-License-Identifier: Apache-2.0 */
/* batch_run.h - does the jobs of `batch` */
#ifndef MPLAN_CLI_BATCH_RUN_H
#define MPLAN_CLI_BATCH_RUN_H

#include "cli/batch_jobs.h"

/* Does all jobs, and keeps in each what became of it. Returns why jobs were not done, that of the first in the order of
 * the list, or MPLAN_ERR_INTERRUPTED after a signal. */
mplan_status cli_batch_run(const cli_call *call, cli_batch_jobs *jobs, mplan_error *err);
/* Marks those that are done; does nothing else. */
mplan_status cli_batch_look(const cli_call *call, cli_batch_jobs *jobs, mplan_error *err);

#endif
