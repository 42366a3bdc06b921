/* SPDX-License-Identifier: Apache-2.0 */
/* zip.h - members of ZIP archives in memory, stored and deflated, also with 64-bit sizes */
#ifndef MPLAN_ZIP_H
#define MPLAN_ZIP_H

#include "base/memory.h"
#include "formats/format.h"

/* One member of an archive; sizes in bytes. */
typedef struct mplan_zip_member {
    const char *name; /* in the archive, not ended by zero */
    size_t length;
    int64_t header; /* byte of the archive where its local header is */
    int64_t packed, size;
    uint32_t crc;
    int32_t method; /* 0 stored, 8 deflated */
    bool encrypted;
} mplan_zip_member;

/* True when the bytes begin as an archive with a member, or an empty one, does. */
bool mplan_zip_recognise(const uint8_t *data, size_t size);

/* Lists the members by the directory at the archive's end; members: a vector of
 * mplan_zip_member. All of them together are no larger than the archive, so that what they inflate to is bounded by
 * 1032 times its size. MPLAN_ERR_CORRUPT, MPLAN_ERR_UNSUPPORTED (several disks), MPLAN_ERR_MEMORY. */
mplan_status mplan_zip_list(const mplan_input *archive, mplan_vector *members, mplan_error *err);

/* A member's bytes, their checksum proved. Stored ones lie in the archive and *owned is NULL; others in *owned, to be
 * released by free(). MPLAN_ERR_UNSUPPORTED for other methods and without zlib. */
mplan_status mplan_zip_member_data(const mplan_input *archive, const mplan_zip_member *member,
                                   const uint8_t **data, uint8_t **owned,
                                   const mplan_context *context, mplan_error *err);

#endif
