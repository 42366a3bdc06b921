/* SPDX-License-Identifier: Apache-2.0 */
/* tune_info.h - what a file of `meshplan tune` holds */
#ifndef MPLAN_CLI_TUNE_INFO_H
#define MPLAN_CLI_TUNE_INFO_H

#include "cli/command.h"

/* Whether a file begins as files of `tune` do, by its first bytes. */
bool cli_is_tuning(const unsigned char *head, size_t size);
/* Reports its records, a row each, and writes them as JSON where that is asked for. */
mplan_status cli_tune_info(const cli_call *call, const char *path, mplan_error *err);

#endif
