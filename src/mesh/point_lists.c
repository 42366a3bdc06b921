/* SPDX-License-Identifier: Apache-2.0 */
/* point_lists.c - what the rows of maps say of each point, side by side
 *
 * Entries, as (point, value), are dealt out to ranges of points, then each range, which
 * fits a cache, to its points: two counting sorts. Rows are read in their order, which
 * no walk by points or by values could do. Threads deal out pieces of the rows, each
 * behind those before, then take ranges. */
#include "mesh/point_lists.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "base/threads.h"

enum { PIECE = 1 << 13, IN_RANGE = 1 << 14, MOST_RANGES = 512 };

typedef struct list_maker {
    const mplan_map *maps;
    const int32_t *value;
    bool pairs;            /* the value of an entry is the other one of its row */
    int32_t n_maps, shift; /* point p is in range p >> shift */
    int64_t n_points, n_ranges, n_pieces;
    int64_t *place; /* [(map * n_pieces + piece) * n_ranges + range]: entries, later the next one's place */
    int64_t *begin;  /* n_ranges + 1: entries of each range */
    uint64_t *entry; /* point and value, range by range; where a range is done, its values */
    int64_t fullest; /* entries of the range with most */
    int64_t *ends;   /* per thread: of the lists of one range */
    int32_t *sorted; /* per thread: values of one range */
    int64_t *offsets;
    int32_t *values;
} list_maker;

/* Whether a row of two joins two points. */
static inline bool joins(const int32_t *row)
{
    return row[0] >= 0 && row[1] >= 0 && row[0] != row[1];
}

/* The entries of a row that count, by range. */
static inline void count_row(const list_maker *l, const mplan_map *map, int64_t r, int64_t *count)
{
    int32_t length;
    const int32_t *row = mplan_map_row(map, r, &length);
    if (l->pairs && !joins(row))
        return;
    for (int32_t k = 0; k < length; k++)
        if (row[k] >= 0)
            count[row[k] >> l->shift]++;
}

/* The same to their places. */
static inline void deal_row(const list_maker *l, const mplan_map *map, int64_t r, int64_t *place)
{
    int32_t length, value = l->value ? l->value[r] : (int32_t)r;
    const int32_t *row = mplan_map_row(map, r, &length);
    if (l->pairs && !joins(row))
        return;
    for (int32_t k = 0; k < length; k++) {
        if (row[k] < 0)
            continue;
        if (l->pairs)
            value = row[1 - k];
        l->entry[place[row[k] >> l->shift]++] = (uint64_t)row[k] << 32 | (uint32_t)value;
    }
}

/* Pieces [begin, end) of all maps: entries by range. */
static void count_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const list_maker *l = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const mplan_map *map = &l->maps[p / l->n_pieces];
        int64_t *count = l->place + p * l->n_ranges, piece = p % l->n_pieces;
        const int64_t last = mplan_piece_begin(map->n_rows, l->n_pieces, piece + 1);
        memset(count, 0, (size_t)l->n_ranges * sizeof *count);
        for (int64_t r = mplan_piece_begin(map->n_rows, l->n_pieces, piece); r < last; r++)
            count_row(l, map, r, count);
    }
}

/* Pieces [begin, end) to their ranges. */
static void deal_pieces(void *data, int thread, int64_t begin, int64_t end)
{
    const list_maker *l = data;
    (void)thread;
    for (int64_t p = begin; p < end; p++) {
        const mplan_map *map = &l->maps[p / l->n_pieces];
        int64_t *place = l->place + p * l->n_ranges, piece = p % l->n_pieces;
        const int64_t last = mplan_piece_begin(map->n_rows, l->n_pieces, piece + 1);
        for (int64_t r = mplan_piece_begin(map->n_rows, l->n_pieces, piece); r < last; r++)
            deal_row(l, map, r, place);
    }
}

/* From counts to places: range by range, within it piece by piece. */
static void place_pieces(list_maker *l)
{
    const int64_t n_pieces = l->n_maps * l->n_pieces;
    int64_t sum = 0;
    for (int64_t r = 0; r < l->n_ranges; r++) {
        l->begin[r] = sum;
        for (int64_t p = 0; p < n_pieces; p++) {
            int64_t *place = &l->place[p * l->n_ranges + r], count = *place;
            *place = sum;
            sum += count;
        }
        l->fullest = sum - l->begin[r] > l->fullest ? sum - l->begin[r] : l->fullest;
    }
    l->begin[l->n_ranges] = sum;
}

/* The entries of range r by point, each list sorted, without repeats: its values go to the begin of
 * its entries, their number to offsets[point + 1]. Returns how many there are. */
static int64_t make_range(const list_maker *l, int64_t r, int64_t *ends, int32_t *sorted)
{
    const int64_t first = r << l->shift, n = l->begin[r + 1] - l->begin[r];
    const int64_t width = first + (INT64_C(1) << l->shift) < l->n_points ? INT64_C(1) << l->shift
                                                                         : l->n_points - first;
    const uint64_t *entry = l->entry + l->begin[r];
    int32_t *out = (int32_t *)(l->entry + l->begin[r]);
    int64_t sum = 0, begin = 0, kept = 0;
    memset(ends, 0, (size_t)width * sizeof *ends);
    for (int64_t i = 0; i < n; i++)
        ends[(int64_t)(entry[i] >> 32) - first]++;
    for (int64_t p = 0; p < width; p++) {
        int64_t count = ends[p];
        ends[p] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        sorted[ends[(int64_t)(entry[i] >> 32) - first]++] = (int32_t)(uint32_t)entry[i];
    for (int64_t p = 0; p < width; p++) {
        int64_t length = mplan_distinct_i32(sorted + begin, ends[p] - begin);
        memcpy(out + kept, sorted + begin, (size_t)length * sizeof *out);
        l->offsets[first + p + 1] = length;
        kept += length;
        begin = ends[p];
    }
    return kept;
}

/* Ranges [begin, end). place[r]: out, how many values range r has. */
static void make_ranges(void *data, int thread, int64_t begin, int64_t end)
{
    const list_maker *l = data;
    for (int64_t r = begin; r < end; r++)
        l->place[r] = make_range(l, r, l->ends + ((int64_t)thread << l->shift),
                                 l->sorted + thread * l->fullest);
}

/* Ranges [begin, end) to their places in the result; place[r]: the first of range r. */
static void copy_ranges(void *data, int thread, int64_t begin, int64_t end)
{
    const list_maker *l = data;
    (void)thread;
    for (int64_t r = begin; r < end; r++) {
        const int64_t first = r << l->shift, most = (r + 1) << l->shift;
        const int64_t last = most < l->n_points ? most : l->n_points;
        int64_t at = l->place[r];
        for (int64_t p = first; p < last; p++) {
            at += l->offsets[p + 1];
            l->offsets[p + 1] = at;
        }
        memcpy(l->values + l->place[r], l->entry + l->begin[r],
               (size_t)(at - l->place[r]) * sizeof *l->values);
    }
}

/* Memory for counts. Ranges are as few as leave IN_RANGE points or entries to each. */
static mplan_status open_maker(list_maker *l, mplan_team *team, mplan_error *err)
{
    int64_t larger = l->n_points;
    for (int32_t m = 0; m < l->n_maps; m++)
        larger = l->maps[m].n_rows > larger ? l->maps[m].n_rows : larger;
    int64_t most = larger / IN_RANGE < MOST_RANGES ? larger / IN_RANGE : MOST_RANGES;
    while (l->n_points >> l->shift >= (most > 1 ? most : 1))
        l->shift++;
    l->n_ranges = (l->n_points >> l->shift) + 1;
    l->n_pieces = mplan_pieces(team, larger, PIECE);
    l->place = mplan_alloc(l->n_maps * l->n_pieces * l->n_ranges, sizeof *l->place, err);
    l->begin = mplan_alloc(l->n_ranges + 1, sizeof *l->begin, err);
    l->offsets = mplan_alloc(l->n_points + 1, sizeof *l->offsets, err);
    l->ends = mplan_alloc((int64_t)mplan_team_threads(team) << l->shift, sizeof *l->ends, err);
    return l->place && l->begin && l->offsets && l->ends ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Both sorts; then lists close up where repeats were dropped. */
static mplan_status make_lists(list_maker *l, mplan_team *team, mplan_error *err)
{
    const int64_t n_pieces = l->n_maps * l->n_pieces;
    int64_t sum = 0;
    mplan_for(team, n_pieces, 1, count_pieces, l);
    place_pieces(l);
    l->entry = mplan_alloc(l->begin[l->n_ranges], sizeof *l->entry, err);
    l->sorted = mplan_alloc(mplan_team_threads(team) * l->fullest, sizeof *l->sorted, err);
    if (!l->entry || !l->sorted)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, n_pieces, 1, deal_pieces, l);
    mplan_for(team, l->n_ranges, 1, make_ranges, l);
    for (int64_t r = 0; r < l->n_ranges; r++) {
        int64_t count = l->place[r];
        l->place[r] = sum;
        sum += count;
    }
    l->offsets[0] = 0;
    l->values = mplan_alloc(sum, sizeof *l->values, err);
    if (!l->values)
        return MPLAN_ERR_MEMORY;
    mplan_for(team, l->n_ranges, 1, copy_ranges, l);
    return MPLAN_OK;
}

/* Both kinds of lists. What was made is released after a failure. */
static mplan_status create(list_maker *l, mplan_point_lists *out, const mplan_context *context,
                           mplan_error *err)
{
    mplan_team *team = mplan_team_of(context);
    mplan_status status = open_maker(l, team, err);
    if (!status)
        status = make_lists(l, team, err);
    free(l->place);
    free(l->begin);
    free(l->ends);
    free(l->entry);
    free(l->sorted);
    if (status)
        free(l->offsets);
    else
        *out = (mplan_point_lists){l->offsets, l->values};
    return status;
}

mplan_status mplan_point_lists_create(const mplan_map *maps, int32_t n_maps, const int32_t *value,
                                      mplan_point_lists *out, const mplan_context *context,
                                      mplan_error *err)
{
    assert(maps && out && n_maps > 0);
    list_maker l = {.maps = maps, .value = value, .n_maps = n_maps, .n_points = maps[0].n_points};
    return create(&l, out, context, err);
}

mplan_status mplan_pair_lists_create(const mplan_map *maps, int32_t n_maps, mplan_point_lists *out,
                                     const mplan_context *context, mplan_error *err)
{
    assert(maps && out && n_maps > 0 && maps[0].arity == 2);
    list_maker l = {.maps = maps, .pairs = true, .n_maps = n_maps, .n_points = maps[0].n_points};
    return create(&l, out, context, err);
}
