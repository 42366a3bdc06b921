/* SPDX-License-Identifier: Apache-2.0 */
/* least_used.c - the least-used free colour, item by item
 *
 * The baseline of Sulyok et al. 2019, section 3: items in index order take the
 * least-used colour that none of their points has seen; a new colour is opened
 * only when no open one is free. Colours are tried in windows of 64, a bit each
 * in a word per point, so that the work per item does not grow with the number
 * of colours; items without a free bit wait for the next window. */
#include "colour/conflict.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { WINDOW = 64 };
#define UNCOLOURED (-1)
#define SKIPPED (-2)

/* The items, and the colours that have been seen at each point. */
typedef struct item_list {
    const mplan_map *maps;
    int32_t n_maps;
    int64_t n;
    const int64_t *offsets;
    const int32_t *sequence;
    uint64_t **seen; /* per map the words of its to-set */
} item_list;

/* Positions [*begin, *end) of item i. */
static inline void item_range(const item_list *items, int64_t i, int64_t *begin, int64_t *end)
{
    *begin = items->offsets ? items->offsets[i] : i;
    *end = items->offsets ? items->offsets[i + 1] : i + 1;
}

/* Bits that any point of item i has seen; or, with `bit`, sets it in all of them. */
static uint64_t visit_points(const item_list *items, int64_t i, uint64_t bit)
{
    int64_t begin, end;
    uint64_t taken = 0;
    item_range(items, i, &begin, &end);
    for (int64_t p = begin; p < end; p++) {
        int64_t e = items->sequence ? items->sequence[p] : p;
        if (e < 0)
            continue;
        for (int32_t m = 0; m < items->n_maps; m++) {
            int32_t n;
            const int32_t *point = mplan_map_row(&items->maps[m], e, &n);
            for (int32_t k = 0; k < n; k++) {
                if (point[k] < 0)
                    continue;
                uint64_t *word = &items->seen[m][point[k]];
                taken |= *word;
                *word |= bit;
            }
        }
    }
    return taken;
}

/* The least used of the open colours that are free; -1 when none is. */
static int32_t least_used(uint64_t free_bits, const int64_t *used)
{
    int32_t best = -1;
    while (free_bits) {
        int32_t bit = __builtin_ctzll(free_bits);
        free_bits &= free_bits - 1;
        if (best < 0 || used[bit] < used[best])
            best = bit;
    }
    return best;
}

/* Colours what fits in [first, first + WINDOW), of list[0 ... n) or (NULL) of all
 * n items, and returns how many wait. */
static int64_t colour_window(const item_list *items, const int32_t *list, int64_t n, int32_t first,
                             int32_t *colour, int32_t *n_colours)
{
    int64_t used[WINDOW] = {0}, waiting = 0;
    int32_t open = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t i = list ? list[k] : k;
        if (colour[i] != UNCOLOURED)
            continue;
        uint64_t taken = visit_points(items, i, 0);
        uint64_t opened = open == WINDOW ? UINT64_MAX : (UINT64_C(1) << open) - 1;
        int32_t bit = least_used(~taken & opened, used);
        if (bit < 0) {
            if (open == WINDOW) {
                waiting++;
                continue;
            }
            bit = open++;
        }
        visit_points(items, i, UINT64_C(1) << bit);
        used[bit]++;
        colour[i] = first + bit;
    }
    if (open > 0)
        *n_colours = first + open;
    return waiting;
}

/* Forgets the colours that the points of the items have seen. */
static void clear_points(const item_list *items, const int32_t *list, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t begin, end;
        item_range(items, list[k], &begin, &end);
        for (int64_t p = begin; p < end; p++) {
            int64_t e = items->sequence ? items->sequence[p] : p;
            for (int32_t m = 0; m < items->n_maps && e >= 0; m++) {
                int32_t n_points;
                const int32_t *point = mplan_map_row(&items->maps[m], e, &n_points);
                for (int32_t i = 0; i < n_points; i++)
                    if (point[i] >= 0)
                        items->seen[m][point[i]] = 0;
            }
        }
    }
}

/* The windows behind the first. A point of very many elements opens many of
 * them: each looks at what waits only, not at the whole set. */
static mplan_status colour_waiting(const item_list *items, int64_t n_waiting, int32_t *colour,
                                   int32_t *n_colours, mplan_error *err)
{
    int32_t *list = mplan_alloc(n_waiting, sizeof *list, err);
    if (!list)
        return MPLAN_ERR_MEMORY;
    int64_t n = 0;
    for (int64_t i = 0; i < items->n; i++)
        if (colour[i] == UNCOLOURED)
            list[n++] = (int32_t)i;
    for (int32_t first = WINDOW; n > 0; first += WINDOW) {
        clear_points(items, list, n);
        colour_window(items, list, n, first, colour, n_colours);
        int64_t left = 0;
        for (int64_t k = 0; k < n; k++)
            if (colour[list[k]] == UNCOLOURED)
                list[left++] = list[k];
        n = left;
    }
    free(list);
    return MPLAN_OK;
}

/* Words per to-set, shared by maps to the same one. */
static mplan_status create_seen(item_list *items, mplan_error *err)
{
    items->seen = mplan_alloc_zero(items->n_maps, sizeof *items->seen, err);
    if (!items->seen)
        return MPLAN_ERR_MEMORY;
    for (int32_t m = 0; m < items->n_maps; m++) {
        for (int32_t k = 0; k < m && !items->seen[m]; k++)
            if (items->maps[k].to == items->maps[m].to)
                items->seen[m] = items->seen[k];
        if (items->seen[m])
            continue;
        items->seen[m] = mplan_alloc_zero(items->maps[m].n_points, sizeof **items->seen, err);
        if (!items->seen[m])
            return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* Maps to one set share one array: it is freed at the last map that uses it. */
static void free_seen(item_list *items)
{
    if (!items->seen)
        return;
    for (int32_t m = 0; m < items->n_maps; m++) {
        bool shared = false;
        for (int32_t k = 0; k < m; k++)
            shared = shared || items->seen[k] == items->seen[m];
        if (!shared)
            free(items->seen[m]);
    }
    free(items->seen);
}

/* Windows of 64 colours: a pass over the items colours those for which the window has a
 * free colour; the others wait for the next window. */
mplan_status mplan_colour_least_used(const mplan_items *items, int32_t *colour, int32_t *n_colours,
                                     mplan_error *err)
{
    assert(items && colour && n_colours);
    item_list list = {items->maps, items->n_maps, items->n, items->offsets, items->sequence, NULL};
    mplan_status status = create_seen(&list, err);
    if (status)
        goto done;
    for (int64_t i = 0; i < items->n; i++)
        colour[i] = items->skip && items->skip[i] ? SKIPPED : UNCOLOURED;
    *n_colours = 0;
    int64_t waiting = colour_window(&list, NULL, items->n, 0, colour, n_colours);
    if (waiting > 0)
        status = colour_waiting(&list, waiting, colour, n_colours, err);
    for (int64_t i = 0; items->skip && i < items->n; i++)
        if (colour[i] == SKIPPED)
            colour[i] = -1;
done:
    free_seen(&list);
    return status;
}
