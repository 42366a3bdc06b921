/* native_order.c - the order of the blocks, and the coordinates that go with it
 *
 * Refinement reads neighbouring blocks side by side: they are numbered along a Morton
 * curve through one element of each (G. M. Morton 1966), so that the cache holds what a
 * run of blocks reads. Without coordinates by first elements: what was near in the
 * caller's order stays near. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "partition/native.h"

enum { WORTH_THREADS = 1 << 14 };

/* The box of all coordinates that are numbers; false without any, or without extent. */
static bool find_box(const mplan_native_options *options, int64_t n, int threads, double *low,
                     double *scale)
{
    double extent = 0;
    (void)threads; /* without OpenMP */
    if (!options->coordinates || options->dimension < 2 || options->dimension > 3)
        return false;
    for (int32_t d = 0; d < options->dimension; d++) {
        double least = 1e300, most = -1e300;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : least) \
    reduction(max : most) if (n >= WORTH_THREADS)
        for (int64_t i = 0; i < n; i++) {
            double x = options->coordinates[i * options->dimension + d];
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
        low[d] = least;
        extent = most - least > extent ? most - least : extent;
    }
    *scale = 1 / extent;
    return extent > 0 && extent < 1e300 && *scale < 1e300;
}

/* Where an element lies within the box, 0 where its coordinate is no number. */
static double place_of(const mplan_native_options *options, int64_t element, int32_t d,
                       const double *low, double scale)
{
    double x = (options->coordinates[element * options->dimension + d] - low[d]) * scale;
    return x >= 0 && x <= 1 ? x : 0;
}

mplan_status mplan_native_places(const mplan_native_options *options, const int32_t *sequence,
                                 int64_t n, float **places, const mplan_context *context,
                                 mplan_error *err)
{
    int threads = mplan_threads(context);
    int32_t dimension = options->dimension;
    double low[3], scale;
    *places = NULL;
    if (!find_box(options, n, threads, low, &scale))
        return MPLAN_OK;
    float *to = mplan_alloc(n, (size_t)dimension * sizeof *to, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
#pragma omp parallel for schedule(static) num_threads(threads) if (n >= WORTH_THREADS)
    for (int64_t i = 0; i < n; i++)
        for (int32_t d = 0; d < dimension; d++)
            to[i * dimension + d] = (float)place_of(options, sequence[i], d, low, scale);
    *places = to;
    return MPLAN_OK;
}

/* --- the order of the blocks ---------------------------------------------------------- */

typedef struct keyed {
    uint64_t key;
    int32_t block;
} keyed;

static int by_key(const void *left, const void *right)
{
    const keyed *x = left, *y = right;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* Bits of all dimensions in turn, the highest first. */
static uint64_t along_curve(const mplan_native_options *options, int64_t element,
                            const double *low, double scale)
{
    enum { BITS = 20 };
    uint64_t key = 0, cell[3] = {0};
    for (int32_t d = 0; d < options->dimension; d++)
        cell[d] = (uint64_t)(place_of(options, element, d, low, scale) * ((1 << BITS) - 1));
    for (int32_t bit = BITS - 1; bit >= 0; bit--)
        for (int32_t d = 0; d < options->dimension; d++)
            key = key << 1 | (cell[d] >> bit & 1);
    return key;
}

static void find_keys(const mplan_native_options *options, const int32_t *sequence,
                      const int64_t *offsets, int64_t n_blocks, int threads, keyed *blocks)
{
    double low[3], scale;
    bool places = find_box(options, offsets[n_blocks], threads, low, &scale);
#pragma omp parallel for schedule(static) num_threads(threads) if (offsets[n_blocks] >= WORTH_THREADS)
    for (int64_t b = 0; b < n_blocks; b++) {
        int32_t first = sequence[offsets[b]];
        for (int64_t i = offsets[b]; i < offsets[b + 1] && !places; i++)
            first = sequence[i] < first ? sequence[i] : first;
        uint64_t key = places ? along_curve(options, first, low, scale) : (uint64_t)first;
        blocks[b] = (keyed){key, (int32_t)b};
    }
}

mplan_status mplan_native_order(const mplan_native_options *options, int64_t n, int32_t *sequence,
                                int64_t *offsets, int64_t n_blocks, const mplan_context *context,
                                mplan_error *err)
{
    int threads = mplan_threads(context);
    keyed *blocks = mplan_alloc(n_blocks, sizeof *blocks, err);
    int32_t *old = mplan_copy(sequence, n, sizeof *old, err);
    int64_t *begin = mplan_copy(offsets, n_blocks + 1, sizeof *begin, err);
    mplan_status status = blocks && old && begin ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (status == MPLAN_OK) {
        find_keys(options, sequence, offsets, n_blocks, threads, blocks);
        qsort(blocks, (size_t)n_blocks, sizeof *blocks, by_key);
    }
    n_blocks = status == MPLAN_OK ? n_blocks : 0;
    for (int64_t b = 0; b < n_blocks; b++)
        offsets[b + 1] = offsets[b] + begin[blocks[b].block + 1] - begin[blocks[b].block];
#pragma omp parallel for schedule(static) num_threads(threads) if (n >= WORTH_THREADS)
    for (int64_t b = 0; b < n_blocks; b++)
        memcpy(sequence + offsets[b], old + begin[blocks[b].block],
               (size_t)(offsets[b + 1] - offsets[b]) * sizeof *old);
    free(blocks);
    free(old);
    free(begin);
    return status;
}
