/* SPDX-License-Identifier: Apache-2.0 */
/* native_places.c - where the members of blocks lie
 *
 * Coordinates are the widest thing that the partitioner looks at (24 bytes an element in space), and only relaxation does so.
 * They come when it begins, straight to where it reads them, and go with it: kept for the length of the cut they stood there
 * three times (a plan of the faces of a million tets: 190 bytes an element at its peak, 135 without). */
#include "partition/native/native_places.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* blocks and elements of a piece, and rows that are found at a time */
enum { BLOCKS = 64, ELEMENTS = 1 << 14, AT_A_TIME = 256, MOST_DIMENSION = 3 };

typedef struct places_work {
    native_cut *cut;
    const mplan_native_options *options;
    const int32_t *sequence; /* NULL: the caller's numbers */
    int32_t *number; /* of each of the caller's elements: its own in the table; NULL: the same */
    const native_places *places;
    double *all; /* by the caller's number; NULL: to the places */
} places_work;

/* Slots of the members of blocks [begin, end). */
static void number_members(void *data, int thread, int64_t begin, int64_t end)
{
    native_cut *cut = ((const places_work *)data)->cut;
    (void)thread;
    for (int64_t b = begin; b < end; b++)
        for (int32_t i = 0; i < cut->sizes[b]; i++)
            cut->where[native_members(cut, b)[i]].slot = i;
}

/* Slots of elements [begin, end) are free again. */
static void free_slots(void *data, int thread, int64_t begin, int64_t end)
{
    native_cut *cut = ((const places_work *)data)->cut;
    (void)thread;
    for (int64_t e = begin; e < end; e++)
        cut->where[e].slot = -1;
}

/* The caller's elements sequence[begin] ... get their numbers in the table. */
static void invert_sequence(void *data, int thread, int64_t begin, int64_t end)
{
    const places_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        work->number[work->sequence[i]] = (int32_t)i;
}

/* The coordinates of element e of the table, to its place. */
static void put(const places_work *work, int64_t e, const double *coordinates)
{
    const native_cut *cut = work->cut;
    const native_where where = cut->where[e];
    double *at = native_places_of(work->places, cut, where.block) + where.slot;
    for (int32_t d = 0; d < work->places->dimension; d++)
        at[d * cut->block_size] = coordinates[d];
}

/* Elements [begin, end) of the table, from an array. */
static void copy_places(void *data, int thread, int64_t begin, int64_t end)
{
    const places_work *work = data;
    const mplan_native_options *options = work->options;
    (void)thread;
    for (int64_t e = begin; e < end; e++) {
        int64_t from = work->sequence ? work->sequence[e] : e;
        put(work, e, options->coordinates + from * options->dimension);
    }
}

/* Rows [begin, end) of the finder, some at a time. */
static void find_places(void *data, int thread, int64_t begin, int64_t end)
{
    const places_work *work = data;
    const mplan_native_finder *finder = work->options->finder;
    const int32_t dimension = work->options->dimension;
    double found[AT_A_TIME * MOST_DIMENSION];
    (void)thread;
    for (int64_t first = begin; first < end; first += AT_A_TIME) {
        int64_t last = end - first < AT_A_TIME ? end : first + AT_A_TIME;
        finder->find(finder->data, first, last, found);
        for (int64_t r = first; r < last; r++) {
            int64_t e = finder->element ? finder->element[r] : r;
            const double *from = found + (r - first) * dimension;
            if (e >= finder->n_elements)
                continue;
            if (work->all)
                memcpy(work->all + e * dimension, from, (size_t)dimension * sizeof *from);
            else
                put(work, work->number ? work->number[e] : e, from);
        }
    }
}

/* number: scratch, an entry per element, which only finders need. */
static mplan_status fill(places_work *work, mplan_team *team, mplan_error *err)
{
    const int64_t n = work->cut->table->n;
    if (work->options->coordinates) {
        mplan_for(team, n, ELEMENTS, copy_places, work);
        return MPLAN_OK;
    }
    assert(work->options->finder->n_elements == n);
    work->number = work->sequence ? mplan_alloc(n, sizeof *work->number, err) : NULL;
    if (work->sequence && !work->number)
        return MPLAN_ERR_MEMORY;
    if (work->number)
        mplan_for(team, n, ELEMENTS, invert_sequence, work);
    mplan_for(team, work->options->finder->n_rows, ELEMENTS, find_places, work);
    free(work->number);
    return MPLAN_OK;
}

mplan_status mplan_native_places_create(native_cut *cut, const mplan_native_options *options,
                                        const int32_t *sequence, native_places *places,
                                        const mplan_context *context, mplan_error *err)
{
    assert(cut && cut->members && options && native_have_places(options) && places);
    mplan_team *team = mplan_team_of(context);
    places_work work = {.cut = cut, .options = options, .sequence = sequence, .places = places};
    places->dimension = options->dimension;
    places->at = mplan_alloc(cut->n_blocks * cut->block_size,
                             (size_t)options->dimension * sizeof *places->at, err);
    if (!places->at)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, cut->n_blocks, BLOCKS, number_members, &work);
    return fill(&work, team, err);
}

void mplan_native_places_free(native_cut *cut, native_places *places, mplan_team *team)
{
    assert(cut && places);
    places_work work = {.cut = cut};
    if (places->at)
        mplan_for(team, cut->table->n, ELEMENTS, free_slots, &work);
    free(places->at);
    places->at = NULL;
}

/* What finds rows side by side writes each element once, since no two rows are one element. */
double *mplan_native_find_all(int64_t n, const mplan_native_options *options,
                              const mplan_context *context, mplan_error *err)
{
    assert(options && options->finder && options->finder->n_elements == n &&
           options->dimension <= MOST_DIMENSION);
    places_work work = {.options = options};
    work.all = mplan_alloc(n, (size_t)options->dimension * sizeof *work.all, err);
    if (work.all)
        mplan_for(mplan_team_of(context), options->finder->n_rows, ELEMENTS, find_places, &work);
    return work.all;
}
