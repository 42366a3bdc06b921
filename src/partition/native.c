/* native.c - meshplan's own partitioner
 *
 * A first cut into tiles of a grid or along a front, then rounds over pairs of neighbouring blocks. See
 * native.h for the parts and native_grow.c, native_fm.c, native_split.c for the
 * methods. Nothing is a graph of elements: the cost is what the blocks load. */
#include "partition/native.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "partition/native_tile.h"

/* averages of a smoothing, points that a pair has to share, rounds that go by the same
 * pairs, pairs that are worth more than one thread */
enum { SWEEPS = 5, LEAST_SHARED = 2, REMATCH = 2, WORTH_THREADS = 64 };

/* How rounds go on: at most so many, one of `anew` cuts its pairs anew (0: none), until
 * one saves less than 1 / least of all (block, point) pairs. */
typedef struct schedule {
    int32_t rounds, anew, least;
} schedule;

/* Rows of fewer than three points, few or many elements at a point (faces of triangles and
 * of quads); longer rows, likewise (cells of a plane, hexes and tets at a node). Where few meet, a
 * crooked border costs little and takes long to straighten; where many meet in long rows,
 * gains go on for long. */
typedef enum table_kind {
    SHORT_FEW,
    SHORT_MANY,
    LONG_PLANE,
    LONG_FEW,
    LONG_MANY,
    N_KINDS
} table_kind;

/* default, fast, best */
static const schedule schedules[MPLAN_N_EFFORTS][N_KINDS] = {
    {{8, 2, 1500}, {4, 2, 1500}, {12, 2, 2000}, {6, 2, 400}, {6, 2, 400}},
    {{1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}},
    {{45, 3, 18000}, {40, 3, 18000}, {40, 3, 18000}, {27, 2, 18000}, {62, 2, 8000}}};

static table_kind kind_of(const native_table *table)
{
    int64_t entries = table->offsets ? table->offsets[table->n] : table->n * table->arity;
    if (entries < 3 * table->n)
        return 2 * entries < 7 * table->n_points ? SHORT_FEW : SHORT_MANY;
    return entries < 7 * table->n_points    ? LONG_PLANE
           : entries < 12 * table->n_points ? LONG_FEW
                                            : LONG_MANY;
}

/* Blocks to aim at: filled as asked, of sizes as equal as can be. Rounding must not cost
 * more than 1% where little was to be left free: elements move between blocks only
 * where some have room, but an extra block costs all of its own points. */
static int64_t wanted_blocks(int64_t n, int32_t block_size, double fill)
{
    int64_t least = n / block_size + (n % block_size != 0);
    int64_t most = least + (least / 100 > 1 ? least / 100 : 1);
    double size = block_size * fill, wanted = size >= 1 ? (double)n / size : (double)n;
    int64_t blocks = (int64_t)wanted + (wanted > (double)(int64_t)wanted);
    if (fill >= 0.99 && blocks > most)
        blocks = most;
    while (fill >= 0.99 && blocks > least && (double)n < 0.99 * block_size * (double)blocks)
        blocks--;
    blocks = blocks < least ? least : blocks;
    return blocks < n ? blocks : n;
}

/* --- rounds ---------------------------------------------------------------------- */

typedef struct refinement {
    native_blocks *blocks;
    int threads;
    native_pair **pairs; /* per thread */
    schedule plan;
    bool smooth; /* cut anew by smoothing, where rows are long; else by coordinates */
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
#pragma omp parallel for schedule(dynamic, 16) num_threads(r->threads) reduction(+ : sum) \
    if (end - begin >= WORTH_THREADS)
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

static native_try way_of_round(const refinement *r, int32_t round)
{
    bool anew = r->plan.anew > 0 && round % r->plan.anew == 1;
    return (native_try){.sweeps = anew && r->smooth ? SWEEPS : 0, .line = anew && !r->smooth};
}

static int64_t count_pairs(const native_blocks *blocks)
{
    int64_t sum = 0;
    for (int64_t b = 0; b < blocks->n_blocks; b++)
        sum += blocks->sizes[3 * b + 1] > 0 ? blocks->sizes[3 * b + 1] : 0;
    return sum;
}

static mplan_status refine(refinement *r, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int64_t saved = INT64_MAX, least = count_pairs(r->blocks) / r->plan.least;
    native_matching matching = {0};
    for (int32_t round = 0; round < r->plan.rounds && saved > least && status == MPLAN_OK; round++) {
        native_try how = way_of_round(r, round);
        mplan_progress(r->context, "partition", round + 1, r->plan.rounds + 1);
        if (round % REMATCH == 0) {
            mplan_native_matching_free(&matching);
            status = mplan_native_match(r->blocks, LEAST_SHARED, round, &matching, r->context, err);
        }
        if (status == MPLAN_OK)
            status = refine_groups(r, &matching, &how, &saved, err);
    }
    mplan_native_matching_free(&matching);
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
    const native_table *table = blocks->table;
    table_kind kind = kind_of(table);
    refinement r = {.blocks = blocks,
                    .threads = mplan_threads(context),
                    .plan = schedules[options->effort][kind],
                    .smooth = kind >= LONG_FEW && !coordinates,
                    .context = context};
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

/* Numbers blocks by first element. */
static mplan_status number_blocks(int64_t n, int64_t n_blocks, int32_t *block, mplan_error *err)
{
    int32_t next = 0, *number = mplan_alloc(n_blocks, sizeof *number, err);
    if (!number)
        return MPLAN_ERR_MEMORY;
    memset(number, 0xff, (size_t)n_blocks * sizeof *number);
    for (int64_t e = 0; e < n; e++) {
        if (number[block[e]] < 0)
            number[block[e]] = next++;
        block[e] = number[block[e]];
    }
    free(number);
    return MPLAN_OK;
}

/* Blocks of the first cut, refined; block[e] is that of element e as the caller
 * numbers them. */
static mplan_status refine_first(native_table *table, const mplan_meter *meter,
                                 const mplan_native_options *options, const native_cut *first,
                                 int32_t *block, const mplan_context *context, mplan_error *err)
{
    float *coordinates = NULL;
    native_blocks blocks = {0};
    mplan_status status = mplan_native_table_renumber(table, first->sequence, err);
    if (status == MPLAN_OK)
        status = mplan_native_blocks_create(table, meter, first->n_blocks, first->offsets, &blocks,
                                            context, err);
    if (status == MPLAN_OK)
        status = arrange_coordinates(options, first->sequence, table->n, &coordinates, err);
    if (status == MPLAN_OK)
        status = refine_blocks(&blocks, options, coordinates, context, err);
    free(coordinates);
    for (int64_t b = 0; b < blocks.n_blocks && status == MPLAN_OK; b++) {
        native_block view = mplan_native_block(&blocks, b);
        for (int32_t i = 0; i < view.n; i++)
            block[first->sequence[view.elements[i]]] = (int32_t)b;
    }
    mplan_native_blocks_free(&blocks);
    return status;
}

static mplan_status cut(native_table *table, mplan_meter *meter,
                        const mplan_native_options *options, int32_t *block, int64_t *n_blocks,
                        const mplan_context *context, mplan_error *err)
{
    int64_t n = table->n, wanted = wanted_blocks(n, meter->limits->block_size, options->fill);
    native_cut first = {.sequence = mplan_alloc(n, sizeof *first.sequence, err)};
    mplan_status status = MPLAN_ERR_MEMORY;
    if (first.sequence)
        status = mplan_native_first_cut(table, meter, options, wanted, &first, context, err);
    if (status == MPLAN_OK && !first.settled)
        status = refine_first(table, meter, options, &first, block, context, err);
    for (int64_t b = 0; b < first.n_blocks && status == MPLAN_OK && first.settled; b++)
        for (int64_t i = first.offsets[b]; i < first.offsets[b + 1]; i++)
            block[first.sequence[i]] = (int32_t)b;
    if (status == MPLAN_OK)
        status = number_blocks(n, first.n_blocks, block, err);
    if (status == MPLAN_OK)
        *n_blocks = first.n_blocks;
    free(first.offsets);
    free(first.sequence);
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
