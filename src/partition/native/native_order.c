/* native_order.c - the order of the blocks, and the coordinates that go with it
 *
 * Refinement reads neighbouring blocks side by side: they are numbered along a Morton
 * curve through one element of each (G. M. Morton 1966), so that the cache holds what a
 * run of blocks reads. Without coordinates by first elements: what was near in the
 * caller's order stays near. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "partition/native/native_order.h"

enum { ELEMENTS = 1 << 14, BLOCKS = 1 << 9 };

/* The least and the most of each coordinate, of up to RANGES ranges of elements. */
enum { RANGES = 64 };

typedef struct box_work {
    const mplan_native_options *options;
    int64_t n, size; /* elements, and those of a range */
    double least[RANGES][3], most[RANGES][3];
} box_work;

/* Runs [first, last) of elements: least and most of their coordinates. */
static void find_extremes(void *data, int thread, int64_t first, int64_t last)
{
    box_work *work = data;
    int32_t dimension = work->options->dimension;
    (void)thread;
    for (int64_t r = first; r < last; r++) {
        double *least = work->least[r], *most = work->most[r];
        int64_t begin = r * work->size, left = work->n - begin;
        int64_t end = begin + (left < work->size ? left : work->size);
        for (int32_t d = 0; d < dimension; d++) {
            least[d] = 1e300;
            most[d] = -1e300;
        }
        for (int64_t i = begin; i < end; i++)
            for (int32_t d = 0; d < dimension; d++) {
                double x = work->options->coordinates[i * dimension + d];
                least[d] = x < least[d] ? x : least[d];
                most[d] = x > most[d] ? x : most[d];
            }
    }
}

/* The box of all coordinates that are numbers; false without any, or without extent. */
static bool find_box(const mplan_native_options *options, int64_t n, mplan_team *team, double *low,
                     double *scale)
{
    double extent = 0;
    if (!options->coordinates || options->dimension < 2 || options->dimension > 3)
        return false;
    int64_t size = n / RANGES + 1 > ELEMENTS ? n / RANGES + 1 : ELEMENTS;
    int64_t ranges = n / size + (n % size != 0);
    box_work work = {.options = options, .n = n, .size = size};
    mplan_for(team, ranges, 1, find_extremes, &work);
    for (int32_t d = 0; d < options->dimension; d++) {
        double least = 1e300, most = -1e300;
        for (int64_t r = 0; r < ranges; r++) {
            least = work.least[r][d] < least ? work.least[r][d] : least;
            most = work.most[r][d] > most ? work.most[r][d] : most;
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

typedef struct places_work {
    const mplan_native_options *options;
    const int32_t *sequence;
    const double *low;
    double scale;
    float *places;
} places_work;

/* places: `dimension` floats for each of the elements in [begin, end), scaled to
 * the unit box. */
static void find_places(void *data, int thread, int64_t begin, int64_t end)
{
    const places_work *work = data;
    int32_t dimension = work->options->dimension;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        for (int32_t d = 0; d < dimension; d++)
            work->places[i * dimension + d] =
                (float)place_of(work->options, work->sequence[i], d, work->low, work->scale);
}

/* *places: n rows, owned by the caller; NULL, and success, where there are no
 * coordinates or no extent. */
mplan_status mplan_native_places(const mplan_native_options *options, const int32_t *sequence,
                                 int64_t n, float **places, const mplan_context *context,
                                 mplan_error *err)
{
    assert(options && sequence && places && n >= 0);
    mplan_team *team = mplan_team_of(context);
    double low[3], scale;
    *places = NULL;
    if (!find_box(options, n, team, low, &scale))
        return MPLAN_OK;
    *places = mplan_alloc(n, (size_t)options->dimension * sizeof **places, err);
    if (!*places)
        return MPLAN_ERR_MEMORY;
    places_work work = {options, sequence, low, scale, *places};
    mplan_for(team, n, ELEMENTS, find_places, &work);
    return MPLAN_OK;
}

/* --- the order of the blocks ---------------------------------------------------------- */

typedef struct keyed {
    uint64_t key;
    int32_t block;
} keyed;

/* By key, ties by number of the block. */
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

/* Blocks and their keys; then the order of the blocks. */
typedef struct order_work {
    const mplan_native_options *options;
    bool places; /* coordinates have a box */
    double low[3], scale;
    const int32_t *old;   /* the sequence, and where its blocks began */
    const int64_t *begin;
    keyed *blocks;
    int32_t *sequence;
    const int64_t *offsets;
} order_work;

/* Blocks [first_block, end_block): the key is the place of the first element
 * along a Hilbert curve, or its number. */
static void find_keys(void *data, int thread, int64_t first_block, int64_t end_block)
{
    const order_work *work = data;
    (void)thread;
    for (int64_t b = first_block; b < end_block; b++) {
        int32_t first = work->old[work->begin[b]];
        for (int64_t i = work->begin[b]; i < work->begin[b + 1] && !work->places; i++)
            first = work->old[i] < first ? work->old[i] : first;
        uint64_t key = work->places ? along_curve(work->options, first, work->low, work->scale)
                                    : (uint64_t)first;
        work->blocks[b] = (keyed){key, (int32_t)b};
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

/* sequence and offsets: in and out; the elements of a block stay together and in
 * their order. */
mplan_status mplan_native_order(const mplan_native_options *options, int64_t n, int32_t *sequence,
                                int64_t *offsets, int64_t n_blocks, const mplan_context *context,
                                mplan_error *err)
{
    assert(options && sequence && offsets && n >= 0 && n_blocks >= 0);
    mplan_team *team = mplan_team_of(context);
    keyed *blocks = mplan_alloc(n_blocks, sizeof *blocks, err);
    int32_t *old = mplan_copy(sequence, n, sizeof *old, err);
    int64_t *begin = mplan_copy(offsets, n_blocks + 1, sizeof *begin, err);
    mplan_status status = blocks && old && begin ? MPLAN_OK : MPLAN_ERR_MEMORY;
    order_work work = {.options = options, .old = old, .begin = begin, .blocks = blocks,
                       .sequence = sequence, .offsets = offsets};
    if (!status) {
        work.places = find_box(options, n, team, work.low, &work.scale);
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
