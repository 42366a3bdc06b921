/* SPDX-License-Identifier: Apache-2.0 */
/* file_output.h - files that appear whole or not at all: the one writer of all outputs */
#ifndef MPLAN_FILE_OUTPUT_H
#define MPLAN_FILE_OUTPUT_H

#include "meshplan.h"

/* An output that becomes `path` only when it is whole. Until then it has no name, or on file systems that
 * need one a random name in the same folder (base/temporary.h), which goes on failure; what killed processes
 * left there is swept. path "-" writes to standard output as it goes, an existing path that is a device or a pipe
 * in place. Links are followed by the rule of base/place.h. A file that is replaced keeps its mode. */
typedef struct mplan_output mplan_output;

/* context (may be NULL, kept until the end) tells whether a write that a signal broke off goes on.
 * MPLAN_ERR_CREATE when the output cannot be made, a link may not be followed, or what is there is a folder
 * or may not be written. */
mplan_status mplan_output_open(const char *path, const mplan_context *context,
                               mplan_output **output, mplan_error *err);
/* A new file in a folder that is itself not yet in its place. path is for messages. Its commit syncs the file,
 * but not the folder. */
mplan_status mplan_output_open_member(int folder, const char *name, const char *path,
                                      const mplan_context *context, mplan_output **output,
                                      mplan_error *err);
/* Appends. After a failure (MPLAN_ERR_IO, MPLAN_ERR_INTERRUPTED) only mplan_output_abort is legal. */
mplan_status mplan_output_write(mplan_output *output, const void *data, size_t size,
                                mplan_error *err);
/* Whether the output shares the blocks of the file `from` now (FICLONE), all its `size` bytes: where the file system can, and
 * nothing was written yet. Only the caller can say that the file still holds what it should. */
bool mplan_output_share(mplan_output *output, const char *from, int64_t size);
/* Whether pieces can be written at their places: it is a file. */
bool mplan_output_takes_pieces(const mplan_output *output);
/* Writes `size` bytes at byte `at`: pieces of an output that takes them, to which nothing else is written, in any order and
 * by several threads. None may overlap another. */
mplan_status mplan_output_piece(mplan_output *output, int64_t at, const void *data, size_t size,
                                mplan_error *err);
/* Reads back `size` bytes from byte `at` on, of an output that takes pieces. */
mplan_status mplan_output_read(const mplan_output *output, int64_t at, void *data, size_t size,
                               mplan_error *err);
/* Replaces `size` bytes from byte `at` on, all of which were written before. MPLAN_ERR_CREATE unless the output is a file:
 * what went through a pipe is gone. */
mplan_status mplan_output_patch(mplan_output *output, int64_t at, const void *data, size_t size,
                                mplan_error *err);
/* printf into the output */
#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
mplan_status
mplan_output_print(mplan_output *output, mplan_error *err, const char *format, ...);
/* As the caller named it; "standard output" for "-". */
const char *mplan_output_path(const mplan_output *output);
/* Bytes written so far. */
int64_t mplan_output_bytes(const mplan_output *output);
/* Flushes, fsyncs, gives the file its name, fsyncs the folder; releases output in any case and leaves no temporary
 * file. A file that is there and holds the same bytes stays, which `unchanged` of the context is told. MPLAN_ERR_IO when bytes cannot be written or synced, MPLAN_ERR_CREATE when the name cannot be given. */
mplan_status mplan_output_commit(mplan_output *output, mplan_error *err);
/* Removes the temporary file and releases output (NULL allowed). */
void mplan_output_abort(mplan_output *output);

/* Whether fsync failed with `code` because the file system has no such thing, which is not a failure. */
bool mplan_sync_is_refused(int code);

#endif
