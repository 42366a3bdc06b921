/* point_order.c - in which order points are stored
 *
 * By the list of blocks that touch them: Sulyok, Balogh, Reguly, Mudalige (2019),
 * section 3.4, sort by the number of blocks first; the plain lexicographic order
 * keeps a block's own points beside those that it shares. */
#include <stdlib.h>

#include "base/memory.h"
#include "order/lexicographic.h"
#include "order/order.h"
#include "order/sequence.h"

/* For each point the blocks that touch it, ascending. */
typedef struct block_lists {
    int64_t n_points, n_blocks, longest;
    int64_t *offsets; /* n_points + 1 */
    int32_t *blocks;
    bool count_first;
} block_lists;

/* Untouched points come last: they get a number above all others. With
 * count_first the number of blocks leads the list. */
static int64_t get_list(const void *data, int64_t point, int32_t *list)
{
    const block_lists *lists = data;
    int64_t begin = lists->offsets[point], length = lists->offsets[point + 1] - begin;
    int64_t out = 0;
    if (length == 0) {
        list[0] = (int32_t)(lists->count_first ? lists->longest + 1 : lists->n_blocks);
        return 1;
    }
    if (lists->count_first)
        list[out++] = (int32_t)length;
    for (int64_t i = 0; i < length; i++)
        list[out++] = lists->blocks[begin + i];
    return out;
}

/* Elements by ascending block; *sequence stays NULL when they are so. */
static mplan_status elements_by_block(int64_t n, const int32_t *block, int64_t n_blocks,
                                      int32_t **sequence, mplan_error *err)
{
    int64_t i = 1;
    *sequence = NULL;
    while (i < n && block[i - 1] <= block[i])
        i++;
    if (i >= n)
        return MPLAN_OK;
    int32_t *place = mplan_alloc_zero(n_blocks + 1, sizeof *place, err);
    int32_t *out = mplan_alloc(n, sizeof *out, err);
    if (!place || !out) {
        free(place);
        free(out);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t e = 0; e < n; e++)
        place[block[e] + 1]++;
    for (int64_t b = 0; b < n_blocks; b++)
        place[b + 1] += place[b];
    for (int64_t e = 0; e < n; e++)
        out[place[block[e]]++] = (int32_t)e;
    free(place);
    *sequence = out;
    return MPLAN_OK;
}

/* One pass over the elements by block: counts the blocks of point p at
 * offsets[p + 1] (blocks NULL), or writes them. `last` holds the block that
 * met each point last. */
static void walk_blocks(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                        const int32_t *sequence, int32_t *last, int64_t *offsets, int32_t *blocks)
{
    for (int64_t p = 0; p < maps[0].n_points; p++)
        last[p] = -1;
    for (int64_t i = 0; i < maps[0].n_rows; i++) {
        int64_t e = sequence ? sequence[i] : i;
        for (int32_t m = 0; m < n_maps; m++) {
            int32_t length;
            const int32_t *row = mplan_map_row(&maps[m], e, &length);
            for (int32_t k = 0; k < length; k++) {
                if (row[k] < 0 || last[row[k]] == block[e])
                    continue;
                last[row[k]] = block[e];
                if (blocks)
                    blocks[offsets[row[k]]++] = block[e];
                else
                    offsets[row[k] + 1]++;
            }
        }
    }
}

static mplan_status make_lists(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                               const int32_t *sequence, block_lists *lists, mplan_error *err)
{
    int64_t n = lists->n_points;
    int32_t *last = mplan_alloc(n, sizeof *last, err);
    lists->offsets = mplan_alloc_zero(n + 1, sizeof *lists->offsets, err);
    if (!last || !lists->offsets) {
        free(last);
        return MPLAN_ERR_MEMORY;
    }
    walk_blocks(maps, n_maps, block, sequence, last, lists->offsets, NULL);
    for (int64_t p = 0; p < n; p++) {
        if (lists->offsets[p + 1] > lists->longest)
            lists->longest = lists->offsets[p + 1];
        lists->offsets[p + 1] += lists->offsets[p];
    }
    lists->blocks = mplan_alloc(lists->offsets[n], sizeof *lists->blocks, err);
    if (lists->blocks) {
        walk_blocks(maps, n_maps, block, sequence, last, lists->offsets, lists->blocks);
        for (int64_t p = n; p > 0; p--)
            lists->offsets[p] = lists->offsets[p - 1];
        lists->offsets[0] = 0;
    }
    free(last);
    return lists->blocks ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

mplan_status mplan_order_points(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                bool count_first, const int32_t *earlier, int32_t *new_of_old,
                                mplan_error *err)
{
    int32_t *elements = NULL, *sequence = NULL;
    block_lists lists = {maps[0].n_points, 0, 0, NULL, NULL, count_first};
    for (int64_t e = 0; e < maps[0].n_rows; e++)
        if (block[e] >= lists.n_blocks)
            lists.n_blocks = (int64_t)block[e] + 1;
    mplan_status status = elements_by_block(maps[0].n_rows, block, lists.n_blocks, &elements, err);
    if (!status)
        status = make_lists(maps, n_maps, block, elements, &lists, err);
    free(elements);
    if (!status)
        status = mplan_sequence_of(lists.n_points, earlier, &sequence, err);
    if (!status) {
        int64_t values = lists.n_blocks > lists.longest + 1 ? lists.n_blocks : lists.longest + 1;
        mplan_lists sorted = {lists.n_points, values + 1, lists.longest + 1, get_list, &lists};
        status = mplan_order_lists(&sorted, sequence, new_of_old, err);
    }
    free(sequence);
    free(lists.offsets);
    free(lists.blocks);
    return status;
}

mplan_status mplan_order_first_touch(const mplan_map *map, const int32_t *row_new_of_old,
                                     int32_t *new_of_old, mplan_error *err)
{
    int32_t *sequence;
    mplan_status status = mplan_sequence_of(map->n_rows, row_new_of_old, &sequence, err);
    if (status)
        return status;
    int32_t next = 0;
    for (int64_t p = 0; p < map->n_points; p++)
        new_of_old[p] = -1;
    for (int64_t i = 0; i < map->n_rows; i++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, sequence ? sequence[i] : i, &length);
        for (int32_t k = 0; k < length; k++)
            if (row[k] >= 0 && new_of_old[row[k]] < 0)
                new_of_old[row[k]] = next++;
    }
    for (int64_t p = 0; p < map->n_points; p++)
        if (new_of_old[p] < 0)
            new_of_old[p] = next++;
    free(sequence);
    return MPLAN_OK;
}
