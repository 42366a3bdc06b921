/* SPDX-License-Identifier: Apache-2.0 */
/* balance.c - colour classes of about equal size
 *
 * A launch of few blocks leaves a GPU idle. Items move from their class to the
 * smallest one that they may join, while that is smaller by two at least: so
 * the sum of squared sizes falls with every move, and nothing moves for ever.
 *
 * What it brings (150,000 shuffled cells): the smallest class over the mean, with / without: global colours of triangles 1.00 / 0.21,
 * of a boundary layer 1.00 / 0.22; block colours of triangles 0.997 / 0.09, of tets 0.997 / 0.73, of their faces 1.00 / 0.67. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "colour/conflict.h"

enum { PASSES = 8 };

/* The smallest class among the colours that are not in `seen` (bit c: colour c), or -1.
 * size: items per colour, n_colours entries, at most MPLAN_MOST_COLOURS. */
static int32_t smallest_free(uint64_t seen, int32_t n_colours, const int64_t *size)
{
    int32_t best = -1;
    for (int32_t c = 0; c < n_colours; c++)
        if (!(seen >> c & 1) && (best < 0 || size[c] < size[best]))
            best = c;
    return best;
}

/* Items move from classes above the mean to the smallest class in which nothing
 * conflicts with them. colour: one per item, in and out, -1 for skipped ones; the
 * number of colours stays. */
mplan_status mplan_colour_balance(const mplan_conflicts *conflicts, int32_t *colour,
                                  int32_t n_colours, mplan_error *err)
{
    assert(conflicts && colour && n_colours >= 0 && n_colours <= MPLAN_MOST_COLOURS);
    int64_t n_items = conflicts->items->n, moved = 1;
    int64_t *size = mplan_alloc_zero(n_colours, sizeof *size, err);
    if (!size)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n_items; i++)
        if (colour[i] >= 0)
            size[colour[i]]++;
    for (int32_t pass = 0; pass < PASSES && moved > 0; pass++) {
        moved = 0;
        for (int64_t i = 0; i < n_items; i++) {
            int64_t n;
            uint64_t seen = 0;
            if (colour[i] < 0 || size[colour[i]] * n_colours <= n_items)
                continue;
            const int32_t *other = mplan_conflicts_of(conflicts, i, &n);
            for (int64_t k = 0; k < n; k++)
                if (other[k] != i)
                    seen |= UINT64_C(1) << colour[other[k]];
            int32_t best = smallest_free(seen, n_colours, size);
            if (size[best] + 1 >= size[colour[i]])
                continue;
            size[colour[i]]--;
            size[best]++;
            colour[i] = best;
            moved++;
        }
    }
    free(size);
    return MPLAN_OK;
}
