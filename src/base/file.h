/* SPDX-License-Identifier: Apache-2.0 */
/* file.h - whole input files in memory of one's own */
#ifndef MPLAN_FILE_H
#define MPLAN_FILE_H

#include <stdio.h>

#include "meshplan.h"

/* The bytes of an input file as they were when it was read. No file is mapped: what others do to it later
 * changes nothing here and raises no signal. */
typedef struct mplan_file {
    const uint8_t *data; /* aligned to a page; NULL: no file */
    size_t size;
    size_t room; /* bytes of memory at data, whole pages */
    int sealed;  /* 1 + the memory file that mplan_file_seal made; 0: none */
} mplan_file;

/* Reads path ("-": standard input) by ranges of bounded size, on several threads where the file is large; pipes
 * and terminals to their end. Other devices of characters are refused, since they may have none (/dev/zero), unless they end
 * at once (/dev/null). A regular file whose size or time of change differs afterwards is refused:
 * MPLAN_ERR_IO, "PATH: changed while it was read". `cancelled` of the context is asked between ranges and at
 * least ten times a second while a pipe gives nothing.
 * `input` of the context is asked first.
 * MPLAN_ERR_NO_INPUT when it does not exist, is a folder or such a device, or may not be read; MPLAN_ERR_IO; MPLAN_ERR_MEMORY, also
 * for a file larger than max_memory of the context. Errors name path. */
mplan_status mplan_file_open(const char *path, const mplan_context *context, mplan_file *file,
                             mplan_error *err);
/* The same of a file that lies beside an input, or that an input names: only a regular file is read. What never ends,
 * or waits for somebody to write it, as a pipe, a device or a socket does, is refused with MPLAN_ERR_NO_INPUT before it
 * is read. "-" is a file of this name. */
mplan_status mplan_file_open_beside(const char *path, const mplan_context *context,
                                    mplan_file *file, mplan_error *err);
/* Releases; a zeroed file is allowed. */
void mplan_file_close(mplan_file *file);

/* Room for at least `bytes` (at least 1) that a caller fills itself and gives to `file`, which is empty and has
 * size 0 on return; released by mplan_file_close. */
mplan_status mplan_file_reserve(mplan_file *file, size_t bytes, mplan_error *err);
/* At least doubles the room of a file that is not sealed; its bytes stay, its address may change. */
mplan_status mplan_file_grow(mplan_file *file, mplan_error *err);
/* Where the owner of a file that is not sealed may write. */
uint8_t *mplan_file_bytes(mplan_file *file);
/* Gives the room behind size back. */
void mplan_file_trim(mplan_file *file);

/* Gives the memory of bytes [begin, end) back, whole pages only; they must not be read again. Nothing happens to
 * a sealed file. */
void mplan_file_forget(mplan_file *file, size_t begin, size_t end);

/* Moves the bytes into an anonymous memory file (memfd_create) that nobody can write, shrink or grow (F_SEAL_*),
 * for processes that are to read them: *fd, owned by `file`, is closed on exec and positioned at the start. The
 * bytes stay at `data`, and never exist twice. A second call gives the same descriptor. After a failure (
 * MPLAN_ERR_MEMORY, MPLAN_ERR_IO, MPLAN_ERR_UNSUPPORTED off Linux) the file may only be closed. */
mplan_status mplan_file_seal(mplan_file *file, int *fd, mplan_error *err);

#endif
