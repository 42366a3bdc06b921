/* SPDX-License-Identifier: Apache-2.0 */
/* content.h - files named by what they hold
 *
 * A content is 128 bits of XXH3 and a size: of the pieces of 1 MiB, each hashed twice, the second time behind its
 * number, and of the two lists that these hashes make. It is not a defence against files that are made to collide. */
#ifndef MPLAN_CONTENT_H
#define MPLAN_CONTENT_H

#include <stddef.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file_output.h"
#include "meshplan.h"

typedef struct mplan_content {
    uint64_t half[2];
    int64_t bytes;
} mplan_content;

enum { MPLAN_CONTENT_TEXT = 33 }; /* of 32 hexadecimal digits and a zero */

/* What tells that a file was not touched: enough where it is older than a file system's clock is coarse. */
typedef struct mplan_file_mark {
    int64_t bytes;
    uint64_t device, number;
    struct timespec modified, changed;
} mplan_file_mark;

static inline bool mplan_same_content(const mplan_content *a, const mplan_content *b)
{
    return a->bytes == b->bytes && a->half[0] == b->half[0] && a->half[1] == b->half[1];
}

mplan_status mplan_content_of_bytes(const void *data, size_t size, mplan_content *content,
                                    mplan_error *err);
/* Reads a regular file to its end. MPLAN_ERR_IO where it changes meanwhile or is not a regular file, MPLAN_ERR_NO_INPUT
 * where it cannot be opened. mark (may be NULL): of the file as it was read. */
mplan_status mplan_content_of_file(const char *path, const mplan_context *context,
                                   mplan_content *content, mplan_file_mark *mark, mplan_error *err);
/* The same, while the bytes go into an output that takes pieces and is empty: they are those whose content is told. By
 * sharing where the file system can, else each piece is read, hashed and written by one of the context's threads. */
mplan_status mplan_content_copy(const char *path, mplan_output *output, const mplan_context *context,
                                mplan_content *content, mplan_error *err);
void mplan_content_text(const mplan_content *content, char text[MPLAN_CONTENT_TEXT]);
/* false: these are not 32 hexadecimal digits. The size is not in them. */
bool mplan_content_from_text(const char *text, mplan_content *content);

void mplan_mark_of(const struct stat *about, mplan_file_mark *mark);
bool mplan_same_mark(const mplan_file_mark *a, const mplan_file_mark *b);

#endif
