/* SPDX-License-Identifier: Apache-2.0 */
/* cache_inputs.h - what decided the result of a call: files, files that were not there, names in folders */
#ifndef MPLAN_CACHE_INPUTS_H
#define MPLAN_CACHE_INPUTS_H

#include "base/memory.h"
#include "cache/content.h"

typedef enum mplan_input_kind {
    MPLAN_INPUT_FILE,   /* its content */
    MPLAN_INPUT_ABSENT, /* was looked for and not there */
    MPLAN_INPUT_NAMES   /* of a folder: the content is that of its names */
} mplan_input_kind;

typedef struct mplan_cache_input {
    mplan_input_kind kind;
    char *path; /* owned: as it was opened */
    mplan_content content;
    mplan_file_mark mark; /* of a file that was noted in this call */
} mplan_cache_input;

/* n inputs in the order in which they were met, no two of one kind and path. */
typedef struct mplan_cache_inputs {
    mplan_vector list; /* mplan_cache_input */
    const char *marks; /* folder of the marks (below), or NULL: files are always read */
    const mplan_context *context;
} mplan_cache_inputs;

/* Content of a file: by a mark that was kept for it, if nothing touched it since, else by reading it.
 * mark (may be NULL): of the file. */
mplan_status mplan_input_content(const mplan_cache_inputs *inputs, const char *path,
                                 mplan_content *content, mplan_file_mark *mark, mplan_error *err);
/* Of the names in a folder that can be a mesh's: not of times, plans, results or hidden files. */
mplan_status mplan_input_names(const char *path, mplan_content *content, mplan_error *err);

/* A file is about to be read. */
mplan_status mplan_inputs_note_file(mplan_cache_inputs *inputs, const char *path, mplan_error *err);
/* A file that is not there would have been read, or a folder is read. */
mplan_status mplan_inputs_note_look(mplan_cache_inputs *inputs, const char *path, mplan_error *err);

/* Whether an input of an earlier call is the same now. What cannot be told is not. */
bool mplan_input_is_same(const mplan_cache_inputs *inputs, const mplan_cache_input *earlier);
/* Whether none of the files was touched since it was noted. */
bool mplan_inputs_are_untouched(const mplan_cache_inputs *inputs);

void mplan_inputs_free(mplan_cache_inputs *inputs);

#endif
