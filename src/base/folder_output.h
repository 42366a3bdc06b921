/* SPDX-License-Identifier: Apache-2.0 */
/* folder_output.h - folders of files that appear whole or not at all */
#ifndef MPLAN_FOLDER_OUTPUT_H
#define MPLAN_FOLDER_OUTPUT_H

#include "base/file_output.h"

/* A folder that becomes `path` only when all its files are whole: until then it is a temporary folder beside it
 * (base/temporary.h). A folder that is there already is exchanged for it at once (renameat2 with RENAME_EXCHANGE)
 * and then removed: a process that is killed leaves the old one or the new one. */
typedef struct mplan_folder_output mplan_folder_output;

/* Whether a folder that is there, opened as `folder`, may go. Not asked of empty ones. */
typedef mplan_status mplan_folder_check(int folder, const char *path, mplan_error *err);

/* path may end in slashes, not in "." or ".."; context may be NULL and is kept. MPLAN_ERR_CREATE where there can
 * be no such folder, or one that is there may not be written; what check says. */
mplan_status mplan_folder_output_open(const char *path, mplan_folder_check *check,
                                      const mplan_context *context, mplan_folder_output **folder,
                                      mplan_error *err);
/* A new file in the folder, to be committed before the folder is. */
mplan_status mplan_folder_output_file(mplan_folder_output *folder, const char *name,
                                      mplan_output **output, mplan_error *err);
/* Puts the folder in its place and releases it in any case. MPLAN_ERR_CREATE when that cannot be done at once, also
 * where the file system cannot exchange two folders; then what was there is as it was. */
mplan_status mplan_folder_output_commit(mplan_folder_output *folder, mplan_error *err);
/* Removes what was made and releases it (NULL allowed). */
void mplan_folder_output_abort(mplan_folder_output *folder);

#endif
