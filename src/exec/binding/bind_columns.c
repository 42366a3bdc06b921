/* SPDX-License-Identifier: Apache-2.0 */
/* bind_columns.c - whether the blocks of block-gather may sum column by column on a device
 *
 * They may where a point is never twice in a column of a block, or of one of its rounds: then elements that add a column at once never meet
 * (meshplan_cuda_blockcolumns.h). The records of the plan say so (formats/plan-format.md, section 8). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "exec/exec.h"
#include "plan/packed.h"

/* A kernel can have so many threads whatever registers it needs, so that each element of a block, or of a round, has one. */
enum { SURE_THREADS = 256 };

/* An array of the bound variant. */
static const void *array_of(const mplan_exec_loop *bound, mplan_kind kind, mplan_type type,
                            int64_t *rows)
{
    return mplan_plan_data(bound->exec->plan, mplan_key_of_variant(kind, bound->l, bound->v), type,
                           rows);
}

/* Whether each column of a round of the record has each point at most once; round: its elements. marks: for each point of a
 * record the last column (of any round and record) that had it; *mark: the last column. */
static bool is_apart(const uint8_t *record, int32_t columns, int64_t round, uint32_t *marks,
                     uint32_t *mark)
{
    mplan_record_header header;
    memcpy(&header, record, sizeof header);
    const int64_t n = header.n_elements, n_padded = MPLAN_RECORD_ROWS(n);
    /* parts are at multiples of 16 from an aligned start */
    const uint16_t *local = (const uint16_t *)(const void *)(record +
                                                             MPLAN_RECORD_LOCAL(header.n_points));
    for (int64_t from = 0; from < n; from += round)
        for (int32_t c = 0; c < columns; c++) {
            const int64_t end = from + round < n ? from + round : n;
            ++*mark;
            for (int64_t i = from; i < end; i++) {
                const uint16_t point = local[c * n_padded + i];
                if (marks[point] == *mark)
                    return false;
                marks[point] = *mark;
            }
        }
    return true;
}

/* Looks at records until one says no; on most meshes the first does. Not where slots may be without a point, records have columns that
 * are not summed, or blocks, or their rounds, are larger than thread blocks: those sum by lists. */
mplan_status mplan_exec_find_apart(mplan_exec_loop *bound, mplan_error *err)
{
    assert(bound && bound->exec);
    mplan_launch_call *call = &bound->call;
    int64_t rows;
    const bool rounds = bound->chosen->round > 0 && bound->chosen->round < call->block_limit;
    const int32_t together = rounds ? bound->chosen->round : call->block_limit;
    if (bound->exec->executor != MPLAN_EXECUTOR_CUDA || bound->layers || !call->complete ||
        together > call->threads || call->threads > SURE_THREADS || call->columns == 0 ||
        call->columns != call->local_columns)
        return MPLAN_OK;
    const int64_t *at = array_of(bound, MPLAN_KIND_BLOCK_RECORD_OFFSETS, MPLAN_TYPE_I64, &rows);
    const uint8_t *records = array_of(bound, MPLAN_KIND_BLOCK_RECORDS, MPLAN_TYPE_U8, &rows);
    uint32_t *marks = mplan_alloc_zero(MPLAN_NONE16 + 1, sizeof *marks, err), mark = 0;
    if (!marks)
        return MPLAN_ERR_MEMORY;
    call->columns_apart = true;
    call->round = rounds ? together : 0;
    for (int64_t b = 0; b < call->n_blocks && call->columns_apart; b++) {
        mplan_record_header header;
        memcpy(&header, records + at[b], sizeof header);
        if ((int32_t)header.n_points > call->block_points_max)
            call->block_points_max = (int32_t)header.n_points;
        call->columns_apart = is_apart(records + at[b], call->columns, together, marks, &mark);
    }
    free(marks);
    return MPLAN_OK;
}
