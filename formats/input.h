/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - input files as readers see them: opened, and inflated when gzip */
#ifndef MPLAN_INPUT_H
#define MPLAN_INPUT_H

#include "formats/format.h"

/* Zero-initialise; release with mplan_input_close. */
typedef struct mplan_input_file {
    mplan_input input; /* path is borrowed; "standard input" for "-"; input.file is &file */
    mplan_file file;   /* the bytes, inflated */
} mplan_input_file;

/* Opens path ("-": standard input) and inflates gzip, also of several members.
 * What mplan_file_open returns, and MPLAN_ERR_CORRUPT with the byte of damaged
 * gzip, MPLAN_ERR_MEMORY for gzip that holds more than may be inflated,
 * MPLAN_ERR_UNSUPPORTED for gzip in a build without zlib. Nothing needs to be
 * closed after a failure; *opened must not be moved. */
mplan_status mplan_input_open(const char *path, mplan_input_file *opened,
                              const mplan_context *context, mplan_error *err);
/* The same of a file that another one names, or that lies beside one: only a regular file is read, as
 * mplan_file_open_beside does. */
mplan_status mplan_input_open_beside(const char *path, mplan_input_file *opened,
                                     const mplan_context *context, mplan_error *err);
/* As mplan_input_open, and for a folder an input without data. */
mplan_status mplan_input_open_any(const char *path, mplan_input_file *opened,
                                  const mplan_context *context, mplan_error *err);
void mplan_input_close(mplan_input_file *opened);

/* Gives the memory of bytes [0, end) back, which nobody reads again; nothing happens to an input that is a part
 * of a file, as a member of an archive is. */
void mplan_input_forget(const mplan_input *input, size_t end);
/* The whole input, inflated, as a sealed file in memory: see mplan_file_seal. MPLAN_ERR_UNSUPPORTED for an input
 * that is a part of a file. */
mplan_status mplan_input_seal(const mplan_input *input, int *fd, mplan_error *err);

/* The name's ending from its last dot on, without a final ".gz"; in *length
 * how long it is, 0 when there is none. */
const char *mplan_input_extension(const char *path, size_t *length);

#endif
