/* SPDX-License-Identifier: Apache-2.0 */
/* folder_files.h - meshes that are a folder of files with fixed names */
#ifndef MPLAN_FOLDER_FILES_H
#define MPLAN_FOLDER_FILES_H

#include "formats/input.h"

enum { MPLAN_FOLDER_MOST = 16 };

/* What is open of a folder; files without data are not there. */
typedef struct mplan_folder {
    mplan_input files[MPLAN_FOLDER_MOST];
    mplan_input_file opened[MPLAN_FOLDER_MOST];
    char *paths;
} mplan_folder;

/* Opens the n files of the folder that input names, or in which it is; only those from `needed` on may be missing. Close it
 * also after a failure. */
mplan_status mplan_folder_open(const mplan_input *input, const char *const *names, int32_t n,
                               int32_t needed, mplan_folder *folder, const mplan_context *context,
                               mplan_error *err);
void mplan_folder_close(mplan_folder *folder);

/* Whether a folder has regular files of the first n names. */
bool mplan_folder_has(const char *path, const char *const *names, int32_t n);

#endif
