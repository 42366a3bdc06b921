/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_info.h - `info BUNDLE`: its parts, and what ranks would exchange */
#ifndef MPLAN_CLI_BUNDLE_INFO_H
#define MPLAN_CLI_BUNDLE_INFO_H

#include "cli/bundle_outlook.h"
#include "cli/command.h"

/* Text and JSON, as the call wants them. wish->ranks 0: only the parts. */
mplan_status cli_bundle_info(const cli_call *call, const char *path, const cli_bundle_wish *wish,
                             mplan_error *err);

#endif
