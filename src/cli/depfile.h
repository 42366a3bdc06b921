/* SPDX-License-Identifier: Apache-2.0 */
/* depfile.h - what a command's outputs were made from, as make and ninja read it */
#ifndef MPLAN_CLI_DEPFILE_H
#define MPLAN_CLI_DEPFILE_H

#include "cli/command_files.h"

/* "OUTPUT...: INPUT...", one line; files of the command but the depfile itself. last (may be NULL): the output that is
 * named behind all others, since ninja knows a rule by its first one. */
mplan_status cli_depfile_write(const cli_files *files, const char *path, const char *last,
                               const mplan_context *context, mplan_error *err);

#endif
