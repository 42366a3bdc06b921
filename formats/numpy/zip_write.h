/* SPDX-License-Identifier: Apache-2.0 */
/* zip_write.h - ZIP archives of stored members, with 64-bit sizes where they are needed */
#ifndef MPLAN_ZIP_WRITE_H
#define MPLAN_ZIP_WRITE_H

#include "base/memory.h"
#include "formats/format.h"

/* An archive that is being written. */
typedef struct mplan_zip_out {
    mplan_output *output;
    const mplan_context *context;
    mplan_vector members; /* of zip_entry */
} mplan_zip_out;

void mplan_zip_begin(mplan_zip_out *zip, mplan_output *output, const mplan_context *context);
/* A member of two pieces, one behind the other. The name is copied. */
mplan_status mplan_zip_add(mplan_zip_out *zip, const char *name, const void *head, size_t head_size,
                           const void *data, size_t size, mplan_error *err);
/* Writes the directory. */
mplan_status mplan_zip_finish(mplan_zip_out *zip, mplan_error *err);
/* Releases; after mplan_zip_finish, or in its place. */
void mplan_zip_release(mplan_zip_out *zip);

#endif
