/* SPDX-License-Identifier: Apache-2.0 */
/* native_places.c - where the members of blocks lie
 *
 * Coordinates are the widest thing that the partitioner looks at (24 bytes an element in space), and only relaxation does so.
 * The metric wants those of one block at a time, the sweeps those of all blocks, but neither the transpose nor the blocks of
 * elements (mplan_native_cut_fold); so they are found twice, block by block, straight to where they are read, and the two are
 * never there at the same time. */
#include "partition/native/native_places.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

/* blocks and elements of a piece, and rows that are found at a time */
enum { BLOCKS = 16, ELEMENTS = 1 << 14, AT_A_TIME = 256, MOST_DIMENSION = 3 };

typedef struct row_work {
    const mplan_native_options *options;
    int32_t *row; /* out, by the caller's number */
    double *all;  /* out, by the caller's number */
} row_work;

/* Rows [begin, end) of the finder: which element each is. */
static void number_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const row_work *work = data;
    const mplan_native_finder *finder = work->options->finder;
    (void)thread;
    for (int64_t r = begin; r < end; r++)
        if (finder->element[r] < finder->n_elements)
            work->row[finder->element[r]] = (int32_t)r;
}

native_finding mplan_native_finding(const mplan_native_options *options, const int32_t *sequence,
                                    int64_t n, int32_t *scratch, mplan_team *team)
{
    assert(options && native_have_places(options) && (scratch || n == 0));
    const mplan_native_finder *finder = options->coordinates ? NULL : options->finder;
    native_finding finding = {.options = options, .sequence = sequence};
    assert(!finder || finder->n_elements == n);
    if (finder && finder->element) {
        finding.row = scratch;
        mplan_for(team, finder->n_rows, ELEMENTS, number_rows, &(row_work){options, scratch, NULL});
    }
    return finding;
}

/* Coordinates of n elements of the table, `dimension` numbers each. */
static void find(const native_finding *finding, const int32_t *elements, int32_t n, double *found)
{
    const mplan_native_options *options = finding->options;
    const int32_t dimension = options->dimension;
    int32_t rows[AT_A_TIME];
    assert(n <= AT_A_TIME);
    for (int32_t i = 0; i < n; i++)
        rows[i] = finding->sequence ? finding->sequence[elements[i]] : elements[i];
    if (options->coordinates) {
        for (int32_t i = 0; i < n; i++)
            memcpy(found + (int64_t)i * dimension,
                   options->coordinates + (int64_t)rows[i] * dimension,
                   (size_t)dimension * sizeof *found);
        return;
    }
    for (int32_t i = 0; i < n && finding->row; i++)
        rows[i] = finding->row[rows[i]];
    options->finder->find(options->finder->data, rows, n, found);
}

/* Coordinates of the members of block b. */
static void find_members(const native_finding *finding, const native_cut *cut, int64_t b, double *at)
{
    const int32_t dimension = finding->options->dimension, n = cut->sizes[b];
    double found[AT_A_TIME * MOST_DIMENSION];
    for (int32_t first = 0; first < n; first += AT_A_TIME) {
        const int32_t k = n - first < AT_A_TIME ? n - first : AT_A_TIME;
        find(finding, native_members(cut, b) + first, k, found);
        for (int32_t i = 0; i < k; i++)
            for (int32_t d = 0; d < dimension; d++)
                at[(int64_t)d * cut->block_size + first + i] = found[i * dimension + d];
    }
}

void mplan_native_find_some(const native_finding *finding, const native_cut *cut,
                            const int32_t *elements, int32_t n, double *at)
{
    assert(finding && cut && elements && at);
    const int32_t dimension = finding->options->dimension;
    double found[AT_A_TIME * MOST_DIMENSION];
    for (int32_t first = 0; first < n; first += AT_A_TIME) {
        const int32_t k = n - first < AT_A_TIME ? n - first : AT_A_TIME;
        find(finding, elements + first, k, found);
        for (int32_t i = 0; i < k; i++)
            for (int32_t d = 0; d < dimension; d++)
                at[(int64_t)d * cut->block_size + cut->where[elements[first + i]].slot] =
                    found[i * dimension + d];
    }
}

typedef struct places_work {
    const native_cut *cut;
    const native_finding *finding;
    const native_places *places;
} places_work;

static void find_blocks(void *data, int thread, int64_t begin, int64_t end)
{
    const places_work *work = data;
    (void)thread;
    for (int64_t b = begin; b < end; b++)
        find_members(work->finding, work->cut, b, native_places_of(work->places, work->cut, b));
}

mplan_status mplan_native_places_create(const native_cut *cut, const native_finding *finding,
                                        native_places *places, const mplan_context *context,
                                        mplan_error *err)
{
    assert(cut && cut->members && finding && places);
    const int32_t dimension = finding->options->dimension;
    places->dimension = dimension;
    places->at = mplan_alloc(cut->n_blocks * cut->block_size,
                             (size_t)dimension * sizeof *places->at, err);
    if (!places->at)
        return MPLAN_ERR_MEMORY;
    mplan_for(mplan_team_of(context), cut->n_blocks, BLOCKS, find_blocks,
              &(places_work){cut, finding, places});
    return MPLAN_OK;
}

void mplan_native_places_free(native_places *places)
{
    assert(places);
    free(places->at);
    places->at = NULL;
}

/* Rows [begin, end) of the finder, some at a time; each that is an element goes to its own place. */
static void find_rows(void *data, int thread, int64_t begin, int64_t end)
{
    const row_work *work = data;
    const mplan_native_finder *finder = work->options->finder;
    const int32_t dimension = work->options->dimension;
    double found[AT_A_TIME * MOST_DIMENSION];
    int32_t rows[AT_A_TIME];
    (void)thread;
    for (int64_t first = begin; first < end; first += AT_A_TIME) {
        const int32_t n = (int32_t)(end - first < AT_A_TIME ? end - first : AT_A_TIME);
        for (int32_t i = 0; i < n; i++)
            rows[i] = (int32_t)first + i;
        finder->find(finder->data, rows, n, found);
        for (int32_t i = 0; i < n; i++) {
            int64_t e = finder->element ? finder->element[first + i] : first + i;
            if (e < finder->n_elements)
                memcpy(work->all + e * dimension, found + (int64_t)i * dimension,
                       (size_t)dimension * sizeof *found);
        }
    }
}

/* What finds rows side by side writes each element once, since no two rows are one element. */
double *mplan_native_find_all(int64_t n, const mplan_native_options *options,
                              const mplan_context *context, mplan_error *err)
{
    assert(options && options->finder && options->finder->n_elements == n &&
           options->dimension <= MOST_DIMENSION);
    row_work work = {.options = options};
    work.all = mplan_alloc(n, (size_t)options->dimension * sizeof *work.all, err);
    if (work.all)
        mplan_for(mplan_team_of(context), options->finder->n_rows, ELEMENTS, find_rows, &work);
    return work.all;
}
