/* SPDX-License-Identifier: Apache-2.0 */
/* element_order.c - in which order elements are stored
 *
 * Lexicographic by points: Sulyok, Balogh, Reguly, Mudalige (2019), section 3:
 * after the points are renumbered, elements that share points lie together. */
#include <assert.h>
#include <stdlib.h>

#include "base/fetch.h"
#include "base/memory.h"
#include "base/sort.h"
#include "order/lexicographic.h"
#include "order/order.h"
#include "order/sequence.h"

typedef struct renumbered_rows {
    const mplan_map *map;
    const int32_t *point_new_of_old; /* NULL: as they are */
    int32_t none;                    /* stands for -1, above all points */
} renumbered_rows;

/* The row's renumbered points, ascending, -1 entries last. Each is inserted as it comes, but for
 * rows that this would be slow for. */
static int64_t get_row(const void *data, int64_t element, int32_t *list)
{
    enum { LONG_ROW = 64 };
    const renumbered_rows *rows = data;
    int32_t length;
    const int32_t *row = mplan_map_row(rows->map, element, &length);
    for (int32_t k = 0; k < length; k++) {
        int32_t number = rows->none;
        if (row[k] >= 0)
            number = rows->point_new_of_old ? rows->point_new_of_old[row[k]] : row[k];
        int32_t i = k;
        for (; i > 0 && length <= LONG_ROW && list[i - 1] > number; i--)
            list[i] = list[i - 1];
        list[i] = number;
    }
    if (length > LONG_ROW)
        mplan_sort_i32(list, length);
    return length;
}

/* The places that get_row will read. */
static void fetch_row(const void *data, int64_t element)
{
    const renumbered_rows *rows = data;
    const int32_t arity = rows->map->arity;
    if (rows->point_new_of_old && arity > 0)
        mplan_fetch_row(rows->point_new_of_old, rows->map->values + element * arity, arity);
}

/* new_of_old: one per row of the map. Rows are compared as get_row writes them,
 * lexicographically; equal ones keep the order of their index. Places of points may have holes. */
mplan_status mplan_order_elements(const mplan_map *map, const int32_t *point_new_of_old,
                                  int32_t *new_of_old, const mplan_context *context, mplan_error *err)
{
    assert(map && new_of_old);
    int64_t end = map->n_points; /* of the new places, which may leave holes */
    for (int64_t p = 0; p < map->n_points && point_new_of_old; p++)
        if (point_new_of_old[p] >= end)
            end = (int64_t)point_new_of_old[p] + 1;
    int64_t longest = map->arity;
    for (int64_t e = 0; e < map->n_rows && !map->arity; e++)
        if (map->offsets[e + 1] - map->offsets[e] > longest)
            longest = map->offsets[e + 1] - map->offsets[e];
    renumbered_rows rows = {map, point_new_of_old, (int32_t)end};
    mplan_lists lists = {map->n_rows, end + 1, longest, get_row, &rows, fetch_row};
    return mplan_order_lists(&lists, NULL, new_of_old, context, err);
}

/* Counting sort by block, stable in the order that `earlier` gives (NULL: the index).
 * place[b] is the next free place of block b. */
mplan_status mplan_order_by_block(int64_t n, const int32_t *block, int64_t n_blocks,
                                  const int32_t *earlier, int32_t *new_of_old, mplan_error *err)
{
    assert(block && new_of_old && n >= 0 && n_blocks >= 0);
    int32_t *sequence = NULL;
    mplan_status status = mplan_sequence_of(n, earlier, &sequence, NULL, err);
    if (status)
        return status;
    int32_t *place = mplan_alloc_zero(n_blocks + 1, sizeof *place, err);
    if (!place) {
        free(sequence);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t e = 0; e < n; e++)
        place[block[e] + 1]++;
    for (int64_t b = 0; b < n_blocks; b++)
        place[b + 1] += place[b];
    for (int64_t i = 0; i < n; i++) {
        int64_t e = sequence ? sequence[i] : i;
        new_of_old[e] = place[block[e]]++;
    }
    free(place);
    free(sequence);
    return MPLAN_OK;
}
