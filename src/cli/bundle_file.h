/* SPDX-License-Identifier: Apache-2.0 */
/* bundle_file.h - whether a file is a bundle of the plans of parts */
#ifndef MPLAN_CLI_BUNDLE_FILE_H
#define MPLAN_CLI_BUNDLE_FILE_H

#include "meshplan.h"

/* By its first bytes; false where it cannot be read, and for standard input: a bundle is a file of which ranges are read. */
bool cli_is_bundle(const char *path);
/* For an option of bundles, with a file that is none: that it is none, or why it cannot be read. */
mplan_status cli_fail_no_bundle(const char *option, const char *path, mplan_error *err);

#endif
