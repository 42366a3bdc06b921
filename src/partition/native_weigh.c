/* native_weigh.c - what the blocks of a cut load, and whether they may */
#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/point_table.h"
#include "partition/native_tile.h"

enum { WORTH_THREADS = 64 };

typedef struct scale {
    mplan_point_table seen;
    int64_t *counts; /* points of each set in the block at hand */
} scale;

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

mplan_status mplan_native_weigh(const native_table *table, const mplan_meter *meter,
                                const int32_t *sequence, int64_t n_blocks, const int64_t *offsets,
                                int64_t *weight, const mplan_context *context, mplan_error *err)
{
    int threads = mplan_threads(context);
    int64_t most = most_entries(table, sequence, n_blocks, offsets), sum = 0;
    bool fits = true;
    scale *scales = mplan_alloc_zero(threads, sizeof *scales, err);
    mplan_status status = scales ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int t = 0; t < threads && status == MPLAN_OK; t++) {
        scales[t].counts = mplan_alloc(table->n_sets, sizeof *scales[t].counts, err);
        status = scales[t].counts ? mplan_point_table_create(&scales[t].seen, most, err)
                                  : MPLAN_ERR_MEMORY;
    }
    if (status == MPLAN_OK) {
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum) \
    reduction(&& : fits) if (n_blocks >= WORTH_THREADS)
        for (int64_t b = 0; b < n_blocks; b++) {
            scale *s = &scales[mplan_thread_index()];
            count_block(table, sequence, offsets[b], offsets[b + 1], s);
            for (int32_t k = 0; k < table->n_sets; k++)
                sum += s->counts[k] * table->set_weight[k];
            fits = fits && (!table->limits_bind || mplan_meter_counts_fit(meter, s->counts));
        }
        *weight = fits ? sum : -1;
    }
    for (int t = 0; scales && t < threads; t++) {
        mplan_point_table_free(&scales[t].seen);
        free(scales[t].counts);
    }
    free(scales);
    return status;
}
