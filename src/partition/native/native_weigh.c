/* SPDX-License-Identifier: Apache-2.0 */
/* native_weigh.c - what the blocks of a cut load, and whether they may */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "base/point_table.h"
#include "partition/native/native_weigh.h"

enum { BLOCKS = 16 };

/* Scratch of one thread. */
typedef struct scale {
    mplan_point_table seen;
    int64_t *counts; /* points of each set in the block at hand */
} scale;

/* s->counts: distinct points per set of the elements sequence[begin] ...
 * sequence[end - 1]. */
static void count_block(const native_table *table, const int32_t *sequence, int64_t begin,
                        int64_t end, scale *s)
{
    mplan_point_table_begin(&s->seen);
    for (int32_t k = 0; k < table->n_sets; k++)
        s->counts[k] = 0;
    for (int64_t i = begin; i < end; i++) {
        int32_t length;
        const int32_t *row = native_row(table, sequence[i], &length);
        for (int32_t k = 0; k < length; k++) {
            int32_t before = s->seen.n_points;
            mplan_point_table_id(&s->seen, (uint64_t)row[k]);
            if (s->seen.n_points > before)
                s->counts[native_set_of(table, row[k])]++;
        }
    }
}

/* Of any block: room for its distinct points. */
static int64_t most_entries(const native_table *table, const int32_t *sequence, int64_t n_blocks,
                            const int64_t *offsets)
{
    int64_t most = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t entries = 0;
        for (int64_t i = offsets[b]; i < offsets[b + 1]; i++) {
            int32_t length;
            native_row(table, sequence[i], &length);
            entries += length;
        }
        most = entries > most ? entries : most;
    }
    return most;
}

typedef struct weigh_work {
    const native_table *table;
    const mplan_footprint *footprint;
    const int32_t *sequence;
    const int64_t *offsets;
    scale *scales;  /* per thread */
    int32_t breaks; /* 1: some block breaks a limit */
} weigh_work;

/* Blocks [begin, end): sum of weighted points. work->breaks is set if one breaks
 * a limit. */
static int64_t weigh_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    weigh_work *work = data;
    const native_table *table = work->table;
    scale *s = &work->scales[thread];
    int64_t sum = 0;
    for (int64_t b = begin; b < end; b++) {
        count_block(table, work->sequence, work->offsets[b], work->offsets[b + 1], s);
        for (int32_t k = 0; k < table->n_sets; k++)
            sum += s->counts[k] * table->set_weight[k];
        if (table->limits_bind && !mplan_footprint_counts_fit(work->footprint, s->counts))
            mplan_poke(&work->breaks, 1);
    }
    return sum;
}

/* *weight: what the partition costs, -1 if it breaks a limit. */
mplan_status mplan_native_weigh(const native_table *table, const mplan_footprint *footprint,
                                const int32_t *sequence, int64_t n_blocks, const int64_t *offsets,
                                int64_t *weight, const mplan_context *context, mplan_error *err)
{
    assert(table && footprint && sequence && offsets && weight && n_blocks >= 0);
    mplan_team *team = mplan_team_of(context);
    int threads = mplan_team_threads(team);
    int64_t most = most_entries(table, sequence, n_blocks, offsets);
    scale *scales = mplan_alloc_zero(threads, sizeof *scales, err);
    mplan_status status = scales ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int t = 0; t < threads && !status; t++) {
        scales[t].counts = mplan_alloc(table->n_sets, sizeof *scales[t].counts, err);
        status = scales[t].counts ? mplan_point_table_create(&scales[t].seen, most, err)
                                  : MPLAN_ERR_MEMORY;
    }
    if (!status) {
        weigh_work work = {table, footprint, sequence, offsets, scales, 0};
        int64_t sum = mplan_for_sum(team, n_blocks, BLOCKS, weigh_blocks, &work);
        *weight = work.breaks ? -1 : sum;
    }
    for (int t = 0; scales && t < threads; t++) {
        mplan_point_table_free(&scales[t].seen);
        free(scales[t].counts);
    }
    free(scales);
    return status;
}
