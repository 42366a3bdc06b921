/* SPDX-License-Identifier: Apache-2.0 */
/* export_folder.h - how the folders of an export are known, so that a later one may replace them */
#ifndef MPLAN_EXPORT_FOLDER_H
#define MPLAN_EXPORT_FOLDER_H

#include "meshplan.h"

/* The file that lists all others, one `{"file": "NAME"` each, and how it begins. */
#define MPLAN_EXPORT_INDEX "index.json"
#define MPLAN_EXPORT_BEGIN "{\n \"format_version\": \""

/* A mplan_folder_check: only an earlier export may be replaced, each name of which is in its index. */
mplan_status mplan_export_check_earlier(int at, const char *path, mplan_error *err);

#endif
