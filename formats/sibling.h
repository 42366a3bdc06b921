/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.h - files beside the one that is read, of the same name but for its ending */
#ifndef MPLAN_SIBLING_H
#define MPLAN_SIBLING_H

#include "formats/input.h"

/* Length of the path without its last `endings` endings (".lb8.ugrid": 2), a final ".gz" not counted; 0 when the
 * name has not so many. */
size_t mplan_sibling_stem(const char *path, int32_t endings);

/* Whether a name that a file gives, which need not end by zero, stays in the file's folder or below it: it does not begin
 * with a slash and no part of it is "..". Readers open no other file of the user's. */
bool mplan_sibling_below(const char *name, size_t length);

/* Opens the file whose name is the first `stem` bytes of the path and `ending`. *found: it is there; else, and for
 * inputs that are not files by themselves, nothing is opened. What mplan_input_open returns. */
mplan_status mplan_sibling_open(const mplan_input *input, size_t stem, const char *ending,
                                mplan_input_file *opened, bool *found, const mplan_context *context,
                                mplan_error *err);
/* Closes it and releases its path. */
void mplan_sibling_close(mplan_input_file *opened);

#endif
