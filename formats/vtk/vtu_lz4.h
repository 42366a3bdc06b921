/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_lz4.h - blocks of VTK XML files that LZ4 compressed
 *
 * A block is one of LZ4's block format, which liblz4 decodes whole: what comes in parts is gathered here. */
#ifndef MPLAN_VTU_LZ4_H
#define MPLAN_VTU_LZ4_H

#include "base/memory.h"

enum { MPLAN_VTU_LZ4_RATIO = 255 }; /* the most bytes that one compressed byte becomes */

/* A block that is decoded. Zeroed: none. */
typedef struct mplan_vtu_lz4 {
    char *in, *out;         /* n_in and n_out bytes */
    int64_t n_in, n_out;    /* what the header says */
    int64_t gathered, used; /* compressed bytes that are there; decoded ones that were handed out */
} mplan_vtu_lz4;

/* A new block; what the last one took is released. MPLAN_ERR_CORRUPT, without err: it cannot be that long. */
mplan_status mplan_vtu_lz4_begin(mplan_vtu_lz4 *block, int64_t n_in, int64_t n_out, mplan_error *err);
/* Takes *n_in bytes, and gives up to *n_out decoded ones; both are then what was taken and given. *done: all
 * are given. MPLAN_ERR_CORRUPT, without err: the block is damaged. */
mplan_status mplan_vtu_lz4_run(mplan_vtu_lz4 *block, const uint8_t *in, size_t *n_in, uint8_t *to,
                               size_t *n_out, bool *done);
void mplan_vtu_lz4_free(mplan_vtu_lz4 *block);

#endif
