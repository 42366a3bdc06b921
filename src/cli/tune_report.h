/* SPDX-License-Identifier: Apache-2.0 */
/* tune_report.h - what was measured, as a table for people */
#ifndef MPLAN_CLI_TUNE_REPORT_H
#define MPLAN_CLI_TUNE_REPORT_H

#include "cli/tune_record.h"

/* Prints a row for each plan, why plans were not measured, and the regret of the default; tuning->best is there. output: the
 * file that the result was appended to; NULL: none. */
mplan_status cli_tuning_report(const cli_tuning *tuning, const char *output, mplan_error *err);

#endif
