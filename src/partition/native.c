/* native.c - meshplan's own partitioner
 *
 * A first cut along a front, then rounds over pairs of neighbouring blocks. See
 * native.h for the parts and native_grow.c, native_fm.c, native_split.c for the
 * methods. Nothing is a graph of elements: the cost is what the blocks load. */
#include "partition/native.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

enum { SWEEPS = 4, LEAST_SHARED = 2, WORTH_THREADS = 64 };

static const int32_t rounds_of[MPLAN_N_EFFORTS] = {6, 1, 40}; /* default, fast, best */

/* Blocks to aim at: filled as asked, of sizes as equal as can be. */
static int64_t wanted_blocks(int64_t n, int32_t block_size, double fill)
{
    int64_t least = n / block_size + (n % block_size != 0);
    double size = block_size * fill;
    int64_t wanted = size >= 1 ? (int64_t)((double)n / size) : n;
    if (fill >= 0.99 && wanted > least + (least / 100 > 1 ? least / 100 : 1))
        wanted = least + (least / 100 > 1 ? least / 100 : 1);
    return wanted > least ? wanted : least;
}

/* --- rounds ---------------------------------------------------------------------- */

typedef struct refinement {
    native_blocks *blocks;
    int threads;
    native_pair **pairs; /* per thread */
    int32_t n_rounds;
    const mplan_context *context;
} refinement;

/* Refines the pairs of one matching, group by group. */
static mplan_status refine_groups(refinement *r, const native_matching *matching,
                                  const native_try *how, int64_t *saved, mplan_error *err)
{
    int64_t sum = 0;
    for (int32_t g = 0; g < matching->n_groups; g++) {
        int64_t begin = matching->group_begin[g], end = matching->group_begin[g + 1];
        mplan_status status = mplan_interrupted(r->context, err);
        if (status != MPLAN_OK)
            return status;
        int threads = end - begin < WORTH_THREADS ? 1 : r->threads;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads) reduction(+ : sum)
        for (int64_t i = begin; i < end; i++) {
            const int32_t *pair = matching->pairs + 2 * i;
            int64_t gain = mplan_native_pair_refine(r->pairs[mplan_thread_index()], r->blocks,
                                                    pair[0], pair[1], how);
            sum += gain > 0 ? gain : 0;
        }
    }
    *saved = sum;
    return MPLAN_OK;
}

/* What a round does: every third smooths where the effort has many. */
static native_try way_of_round(const refinement *r, int32_t round)
{
    bool anew = r->n_rounds > 2 && round % 3 == 1;
    return (native_try){.sweeps = anew ? SWEEPS : 0, .line = anew, .drift = true};
}

static mplan_status refine(refinement *r, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t round = 0; round < r->n_rounds && status == MPLAN_OK; round++) {
        native_matching matching = {0};
        native_try how = way_of_round(r, round);
        int64_t saved = 0;
        mplan_progress(r->context, "partition", round + 1, r->n_rounds + 1);
        status = mplan_native_match(r->blocks, LEAST_SHARED, round, &matching, r->context, err);
        if (status == MPLAN_OK)
            status = refine_groups(r, &matching, &how, &saved, err);
        mplan_native_matching_free(&matching);
    }
    return status;
}

/* Coordinates in the order of the sequence, in single precision: they only
 * propose splits. NULL with status OK without any. */
static mplan_status arrange_coordinates(const mplan_native_options *options,
                                        const int32_t *sequence, int64_t n, float **out,
                                        mplan_error *err)
{
    int32_t dimension = options->dimension;
    *out = NULL;
    if (!options->coordinates || dimension <= 0)
        return MPLAN_OK;
    float *to = mplan_alloc(n, (size_t)dimension * sizeof *to, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        for (int32_t d = 0; d < dimension; d++)
            to[i * dimension + d] =
                (float)(options->coordinates[(int64_t)sequence[i] * dimension + d]);
    *out = to;
    return MPLAN_OK;
}

static mplan_status refine_blocks(native_blocks *blocks, const mplan_native_options *options,
                                  const float *coordinates, const mplan_context *context,
                                  mplan_error *err)
{
    refinement r = {.blocks = blocks, .threads = mplan_threads(context), .context = context};
    r.n_rounds = rounds_of[options->effort];
    if (blocks->n_blocks < 2)
        return MPLAN_OK;
    r.pairs = mplan_alloc_zero(r.threads, sizeof *r.pairs, err);
    mplan_status status = r.pairs ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int t = 0; t < r.threads && status == MPLAN_OK; t++) {
        r.pairs[t] = mplan_native_pair_create(blocks, options->dimension, coordinates, err);
        status = r.pairs[t] ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    if (status == MPLAN_OK)
        status = refine(&r, err);
    for (int t = 0; r.pairs && t < r.threads; t++)
        mplan_native_pair_free(r.pairs[t]);
    free(r.pairs);
    return status;
}

/* --- the whole ---------------------------------------------------------------------- */

/* The block of every element as the caller numbers them; blocks by first element. */
static mplan_status answer(const native_blocks *blocks, const int32_t *sequence, int32_t *block,
                           mplan_error *err)
{
    int64_t n = blocks->table->n;
    int32_t *number = mplan_alloc(blocks->n_blocks, sizeof *number, err);
    if (!number)
        return MPLAN_ERR_MEMORY;
    for (int64_t b = 0; b < blocks->n_blocks; b++) {
        native_block view = mplan_native_block(blocks, b);
        number[b] = -1;
        for (int32_t i = 0; i < view.n; i++)
            block[sequence[view.elements[i]]] = (int32_t)b;
    }
    int32_t next = 0;
    for (int64_t e = 0; e < n; e++) {
        if (number[block[e]] < 0)
            number[block[e]] = next++;
        block[e] = number[block[e]];
    }
    free(number);
    return MPLAN_OK;
}

static mplan_status cut(native_table *table, mplan_meter *meter,
                        const mplan_native_options *options, int32_t *block, int64_t *n_blocks,
                        const mplan_context *context, mplan_error *err)
{
    int64_t n = table->n, count = wanted_blocks(n, meter->limits->block_size, options->fill);
    int64_t *offsets = NULL;
    float *coordinates = NULL;
    native_blocks blocks = {0};
    int32_t *sequence = mplan_alloc(n, sizeof *sequence, err);
    mplan_status status = MPLAN_ERR_MEMORY;
    if (sequence)
        status = mplan_native_grow(table, meter, &count, sequence, &offsets, context, err);
    if (status == MPLAN_OK)
        status = mplan_native_table_renumber(table, sequence, err);
    if (status == MPLAN_OK)
        status = mplan_native_blocks_create(table, meter, count, offsets, &blocks, context, err);
    free(offsets);
    if (status == MPLAN_OK)
        status = arrange_coordinates(options, sequence, n, &coordinates, err);
    if (status == MPLAN_OK)
        status = refine_blocks(&blocks, options, coordinates, context, err);
    free(coordinates);
    if (status == MPLAN_OK)
        status = answer(&blocks, sequence, block, err);
    if (status == MPLAN_OK)
        *n_blocks = count;
    mplan_native_blocks_free(&blocks);
    free(sequence);
    return status;
}

mplan_status mplan_partition_native(int64_t n, const mplan_block_limits *limits,
                                    const mplan_native_options *options, int32_t *block,
                                    int64_t *n_blocks, const mplan_context *context,
                                    mplan_error *err)
{
    mplan_meter meter;
    native_table table = {0};
    if (!(options->fill > 0 && options->fill <= 1))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "fill %g is not above 0 and at most 1",
                          options->fill);
    mplan_status status = mplan_meter_open(&meter, limits, err);
    if (status != MPLAN_OK)
        return status;
    status = mplan_native_table_create(&meter, n, &table, err);
    if (status == MPLAN_OK)
        status = cut(&table, &meter, options, block, n_blocks, context, err);
    mplan_native_table_free(&table);
    mplan_meter_close(&meter);
    return status;
}
