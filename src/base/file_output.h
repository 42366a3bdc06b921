/* file_output.h - files that appear whole or not at all */
#ifndef MPLAN_FILE_OUTPUT_H
#define MPLAN_FILE_OUTPUT_H

#include "meshplan.h"

/* An output that becomes `path` only when it is whole: a temporary file in the
 * same folder, removed on failure. path "-" writes to standard output as it
 * goes; an existing path that is no regular file (a device, a pipe) is written
 * in place. */
typedef struct mplan_output mplan_output;

/* MPLAN_ERR_CREATE when the temporary file cannot be made. */
mplan_status mplan_output_open(const char *path, mplan_output **output, mplan_error *err);
/* Appends. After a failure (MPLAN_ERR_IO) only mplan_output_abort is legal. */
mplan_status mplan_output_write(mplan_output *output, const void *data, size_t size,
                                mplan_error *err);
/* printf into the output */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
mplan_status mplan_output_print(mplan_output *output, mplan_error *err, const char *format, ...);
/* Bytes written so far. */
int64_t mplan_output_bytes(const mplan_output *output);
/* Flushes, fsyncs, renames, fsyncs the folder; releases output in any case and
 * leaves no temporary file. */
mplan_status mplan_output_commit(mplan_output *output, mplan_error *err);
/* Removes the temporary file and releases output (NULL allowed). */
void mplan_output_abort(mplan_output *output);

#endif
