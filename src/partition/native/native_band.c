/* SPDX-License-Identifier: Apache-2.0 */
/* native_band.c - what lies near the border of two blocks, as a small table of its own
 *
 * Searches walk through the same few hundred elements many times. Here their rows lie one behind another, without elements that
 * never move, whose layer next to those that do is one element. Cuts with flows take 0.88 of the time that they took when searches
 * walked through the pair, with equal results. */
#include "partition/native/native_band.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* in of[]: in no band, in the end of side 0 and of side 1 */
enum { NONE = -1, IN_END = -2 };

mplan_status mplan_native_band_open(native_band *band, int64_t elements, int64_t longest,
                                    mplan_error *err)
{
    assert(band && elements > 0 && longest > 0);
    int64_t entries = elements * longest, points = 2 * entries;
    band->row = mplan_alloc(elements + 3, sizeof *band->row, err);
    band->points = mplan_alloc(entries + 2 * points, sizeof *band->points, err);
    band->begin = mplan_alloc(points + 1, sizeof *band->begin, err);
    band->members = mplan_alloc(entries + 2 * points, sizeof *band->members, err);
    band->element = mplan_alloc(elements, sizeof *band->element, err);
    band->side = mplan_alloc(elements + 2, sizeof *band->side, err);
    band->depth = mplan_alloc(elements + 2, sizeof *band->depth, err);
    band->of = mplan_alloc(elements, sizeof *band->of, err);
    band->of_point = mplan_alloc(points, sizeof *band->of_point, err);
    band->list = mplan_alloc(points, sizeof *band->list, err);
    bool all = band->row && band->points && band->begin && band->members && band->element &&
               band->side && band->depth && band->of && band->of_point && band->list;
    return all ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

void mplan_native_band_close(native_band *band)
{
    assert(band);
    void *const owned[] = {band->row,  band->points, band->begin, band->members,  band->element,
                           band->side, band->depth,  band->of,    band->of_point, band->list};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

/* How many elements of a side may change it at most: 60 of 100 of the first 144 (a loose block of S = 128 has no more), and 40 of 100
 * of the others, so that about as many layers of a larger block do. With 60 of all a cut takes about 1.2 times as long at S = 448, and
 * reuse is 0.02 % more. */
static int32_t most_movable(int32_t size)
{
    enum { USUAL = 144, OF_USUAL = 60, OF_OTHERS = 40 };
    int64_t usual = size < USUAL ? size : USUAL;
    return (int32_t)((usual * OF_USUAL + (size - usual) * OF_OTHERS) / 100);
}

/* --- layers ------------------------------------------------------------------------------------------------------------ */

/* Points that both sides touch begin the list. Returns how many there are. */
static int32_t list_shared(native_band *band, const native_pair *pair)
{
    int32_t n = 0;
    for (int32_t p = 0; p < pair->n_points; p++) {
        const pair_point *point = &pair->points[p];
        band->list[n] = p;
        band->of_point[p] = NONE;
        n += (point->count[0] > 0) & (point->count[1] > 0) & (point->weight > 0);
    }
    for (int32_t i = 0; i < n; i++)
        band->of_point[band->list[i]] = i;
    return n;
}

/* The elements of a side at points list[begin ... end) that were not met before become the band's. */
static void meet_elements(native_band *band, const native_pair *pair, int32_t side, int32_t depth,
                          int32_t begin, int32_t end)
{
    int32_t n = band->n;
    for (int32_t i = begin; i < end; i++) {
        const pair_point *point = &pair->points[band->list[i]];
        for (int32_t k = point->begin; k < point->end; k++) {
            int32_t e = pair->touch[k];
            if (band->of[e] != NONE || pair->elements[e].side != side)
                continue;
            band->of[e] = n;
            band->side[n] = (uint8_t)side;
            band->depth[n] = (uint8_t)depth;
            band->element[n++] = e;
        }
    }
    band->n = n;
}

/* The points of the band's elements from `begin` on that were not met before go behind the list. */
static void meet_points(native_band *band, const native_pair *pair, int32_t begin)
{
    int32_t n = band->n_points;
    for (int32_t e = begin; e < band->n; e++) {
        const pair_element *element = &pair->elements[band->element[e]];
        for (int32_t k = element->row; k < element->row + element->length; k++) {
            int32_t p = pair->rows[k];
            if (band->of_point[p] != NONE || pair->points[p].weight == 0)
                continue;
            band->of_point[p] = n;
            band->list[n++] = p;
        }
    }
    band->n_points = n;
}

/* Layers of one side from the points that both sides touch, as many whole ones as may move, but one at least; the layer
 * behind them is the side's end. shared: points with which the list begins. Returns the depth of the end, 0 where nothing is
 * left for one. */
static int32_t meet_side(native_band *band, const native_pair *pair, int32_t side, int32_t shared)
{
    int32_t first = band->n, layer = first, end = first, points = band->n_points, depth = 0;
    int32_t most = most_movable(pair->size[side]);
    meet_elements(band, pair, side, 0, 0, shared);
    for (; band->n > layer; depth++) {
        end = band->n;
        meet_points(band, pair, layer);
        layer = end;
        meet_elements(band, pair, side, depth + 1, points, band->n_points);
        points = band->n_points;
        if (band->n > end && (band->n - first > most || depth + 1 == UINT8_MAX))
            break;
    }
    if (band->n == end || end == first)
        return 0;
    for (int32_t e = end; e < band->n; e++)
        band->of[band->element[e]] = IN_END - side;
    band->ended[side] = pair->size[side] - (end - first);
    band->n = end;
    return depth + 1;
}

/* --- rows ---------------------------------------------------------------------------------------------------------------- */

/* Members of all points, ends included; points of one member are left out. of_point[] is the number in the band afterwards. */
static void list_members(native_band *band, const native_pair *pair)
{
    int32_t n = 0, end = 0, free_ones = band->n - 2;
    band->begin[0] = 0;
    for (int32_t i = 0; i < band->n_points; i++) {
        const pair_point *point = &pair->points[band->list[i]];
        bool met[2] = {false, false};
        for (int32_t k = point->begin; k < point->end; k++) {
            int32_t e = band->of[pair->touch[k]];
            band->members[end] = e;
            end += e >= 0;
            met[0] |= e == IN_END;
            met[1] |= e == IN_END - 1;
        }
        for (int32_t s = 0; s < 2; s++)
            if (met[s])
                band->members[end++] = free_ones + s;
        bool leads_on = end > band->begin[n] + 1;
        band->of_point[band->list[i]] = leads_on ? n : NONE;
        n += leads_on;
        band->begin[n] = end = leads_on ? end : band->begin[n];
    }
    band->n_points = n;
}

/* Rows of all elements, those of the ends last. */
static void list_rows(native_band *band, const native_pair *pair)
{
    int32_t end = 0, free_ones = band->n - 2;
    for (int32_t e = 0; e < free_ones; e++) {
        const pair_element *element = &pair->elements[band->element[e]];
        band->row[e] = end;
        for (int32_t k = element->row; k < element->row + element->length; k++) {
            int32_t p = band->of_point[pair->rows[k]];
            band->points[end] = p;
            end += p >= 0;
        }
    }
    for (int32_t s = 0; s < 2; s++) {
        band->row[free_ones + s] = end;
        for (int32_t p = 0; p < band->n_points; p++) {
            const int32_t *last = band->members + band->begin[p + 1];
            band->points[end] = p;
            end += (last[-1] == free_ones + s) | (last[-2] == free_ones + s);
        }
    }
    band->row[band->n] = end;
}

bool mplan_native_band_read(native_band *band, const native_pair *pair)
{
    assert(band && pair && pair->size[0] + pair->size[1] == pair->n);
    int32_t depth[2];
    band->n = 0;
    memset(band->of, 0xff, (size_t)pair->n * sizeof *band->of);
    int32_t shared = band->n_points = list_shared(band, pair);
    for (int32_t s = 0; s < 2; s++) {
        depth[s] = meet_side(band, pair, s, shared);
        if (depth[s] == 0)
            return false;
    }
    band->n += 2;
    for (int32_t s = 0; s < 2; s++) {
        band->side[native_band_end(band, s)] = (uint8_t)s;
        band->depth[native_band_end(band, s)] = (uint8_t)depth[s];
    }
    list_members(band, pair);
    list_rows(band, pair);
    return true;
}
