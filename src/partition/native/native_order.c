/* SPDX-License-Identifier: Apache-2.0 */
/* native_order.c - the order of the blocks
 *
 * Refinement reads neighbouring blocks side by side: they are numbered by first elements, since what was
 * near in the caller's order, a renumbered one, is near in the mesh.
 *
 * Without that order (tools/bench/ablation, 150,000 cells) the cut of faces of tets takes 0.48 s in place of 0.39, of tets 0.35 in
 * place of 0.32; triangles as long. Reuse is the same within 0.1 %. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_order.h"

enum { BLOCKS = 1 << 9 };

typedef struct keyed {
    int32_t key, block;
} keyed;

/* By key, ties by number of the block. */
static int by_key(const void *left, const void *right)
{
    const keyed *x = left, *y = right;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

typedef struct order_work {
    const int32_t *old; /* the sequence, and where its blocks began */
    const int64_t *begin;
    keyed *blocks;
    int32_t *sequence;
    const int64_t *offsets;
} order_work;

/* Blocks [first_block, end_block): the key is the least of their elements. */
static void find_keys(void *data, int thread, int64_t first_block, int64_t end_block)
{
    const order_work *work = data;
    (void)thread;
    for (int64_t b = first_block; b < end_block; b++) {
        int32_t first = work->old[work->begin[b]];
        for (int64_t i = work->begin[b]; i < work->begin[b + 1]; i++)
            first = work->old[i] < first ? work->old[i] : first;
        work->blocks[b] = (keyed){first, (int32_t)b};
    }
}

/* Each block's elements to their new place. */
static void move_blocks(void *data, int thread, int64_t first_block, int64_t end_block)
{
    const order_work *work = data;
    (void)thread;
    for (int64_t b = first_block; b < end_block; b++)
        memcpy(work->sequence + work->offsets[b], work->old + work->begin[work->blocks[b].block],
               (size_t)(work->offsets[b + 1] - work->offsets[b]) * sizeof *work->old);
}

/* sequence (n elements, block by block) and offsets (n_blocks + 1): in and out; the elements of
 * a block stay together and in their order. Keys are unique, since no element is in two blocks. */
mplan_status mplan_native_order(int64_t n, int32_t *sequence, int64_t *offsets, int64_t n_blocks,
                                const mplan_context *context, mplan_error *err)
{
    assert(sequence && offsets && n >= 0 && n_blocks >= 0);
    mplan_team *team = mplan_team_of(context);
    keyed *blocks = mplan_alloc(n_blocks, sizeof *blocks, err);
    int32_t *old = mplan_copy(sequence, n, sizeof *old, err);
    int64_t *begin = mplan_copy(offsets, n_blocks + 1, sizeof *begin, err);
    mplan_status status = blocks && old && begin ? MPLAN_OK : MPLAN_ERR_MEMORY;
    order_work work = {
        .old = old, .begin = begin, .blocks = blocks, .sequence = sequence, .offsets = offsets};
    if (!status) {
        mplan_for(team, n_blocks, BLOCKS, find_keys, &work);
        qsort(blocks, (size_t)n_blocks, sizeof *blocks, by_key);
    }
    n_blocks = !status ? n_blocks : 0;
    for (int64_t b = 0; b < n_blocks; b++)
        offsets[b + 1] = offsets[b] + begin[blocks[b].block + 1] - begin[blocks[b].block];
    mplan_for(team, n_blocks, BLOCKS, move_blocks, &work);
    free(blocks);
    free(old);
    free(begin);
    return status;
}
