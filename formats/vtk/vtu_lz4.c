/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_lz4.c - blocks of VTK XML files that LZ4 compressed, by liblz4 */
#ifdef MPLAN_HAVE_LZ4
#include "formats/vtk/vtu_lz4.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>

void mplan_vtu_lz4_free(mplan_vtu_lz4 *block)
{
    free(block->in);
    free(block->out);
    *block = (mplan_vtu_lz4){0};
}

/* n_in is at most what the file has, and n_out at most what that can stand for, before anything is allocated. */
mplan_status mplan_vtu_lz4_begin(mplan_vtu_lz4 *block, int64_t n_in, int64_t n_out, mplan_error *err)
{
    mplan_vtu_lz4_free(block);
    if (n_in < 1 || n_in > INT32_MAX || n_out < 0 || n_out > LZ4_MAX_INPUT_SIZE ||
        n_out / MPLAN_VTU_LZ4_RATIO > n_in)
        return MPLAN_ERR_CORRUPT;
    block->in = mplan_alloc(n_in, 1, err);
    block->out = mplan_alloc(n_out, 1, err);
    block->n_in = n_in;
    block->n_out = n_out;
    return block->in && block->out ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* LZ4 blocks cannot be decoded in pieces: input is gathered until the block is whole (n_in
 * bytes), decoded at once, and handed out as the caller has room. *n_in and *n_out: room
 * before, what was used after. */
mplan_status mplan_vtu_lz4_run(mplan_vtu_lz4 *block, const uint8_t *in, size_t *n_in, uint8_t *to,
                               size_t *n_out, bool *done)
{
    const int64_t missing = block->n_in - block->gathered;
    const size_t most = *n_out;
    *n_out = 0;
    *done = false;
    if (missing > 0) {
        *n_in = (int64_t)*n_in < missing ? *n_in : (size_t)missing;
        memcpy(block->in + block->gathered, in, *n_in);
        block->gathered += (int64_t)*n_in;
        if (block->gathered < block->n_in)
            return MPLAN_OK;
        if (LZ4_decompress_safe(block->in, block->out, (int)block->n_in, (int)block->n_out) !=
            block->n_out)
            return MPLAN_ERR_CORRUPT;
    } else {
        *n_in = 0;
    }
    const int64_t left = block->n_out - block->used;
    *n_out = (int64_t)most < left ? most : (size_t)left;
    memcpy(to, block->out + block->used, *n_out);
    block->used += (int64_t)*n_out;
    *done = block->used == block->n_out;
    return MPLAN_OK;
}
#else
typedef int mplan_vtu_lz4_needs_liblz4; /* a file holds something */
#endif
