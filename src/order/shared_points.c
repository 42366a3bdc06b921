/* shared_points.c - the points that several blocks touch, and which
 *
 * Most points lie within one block: a first pass over the maps leaves them behind. */
#include "order/shared_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

enum { WORTH_THREADS = 1 << 14, MOST_READERS = 8, FEW = 64 };

/* Per point: whether several blocks touch it; then its number among such points, before that
 * the block met last, -1 for none. */
typedef struct numbering {
    uint8_t *shared;
    int32_t *number;
} numbering;

/* Marks the points that rows of different blocks list. Whoever comes exchanges his block for
 * the one that was there: two that differ are seen by one of them, in whatever order. */
static void mark_shared(const mplan_map *map, const int32_t *block, const numbering *points,
                        int threads)
{
    int32_t *met = points->number;
    (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(static) num_threads(threads) if (map->n_rows >= WORTH_THREADS)
    for (int64_t e = 0; e < map->n_rows; e++) {
        int32_t length, b = block[e];
        const int32_t *row = mplan_map_row(map, e, &length);
        for (int32_t k = 0; k < length; k++) {
            int32_t before;
            if (row[k] < 0)
                continue;
#pragma omp atomic read
            before = met[row[k]];
            if (before == b)
                continue;
#pragma omp atomic capture
            {
                before = met[row[k]];
                met[row[k]] = b;
            }
            if (before < 0 || before == b)
                continue;
#pragma omp atomic write
            points->shared[row[k]] = 1;
        }
    }
}

static int64_t number_shared(int64_t n_points, const numbering *points)
{
    int32_t n = 0;
    for (int64_t p = 0; p < n_points; p++)
        if (points->shared[p])
            points->number[p] = n++;
    return n;
}

/* Points low ... high - 1 alone: lists the block of every entry of a shared one; place[i] ends
 * up behind its list. Without blocks, counts. */
static void list_entries(const mplan_map *map, const int32_t *block, const numbering *points,
                         int64_t low, int64_t high, int64_t *place, int32_t *blocks)
{
    for (int64_t e = 0; e < map->n_rows; e++) {
        int32_t length;
        const int32_t *row = mplan_map_row(map, e, &length);
        for (int32_t k = 0; k < length; k++) {
            if (row[k] < low || row[k] >= high || !points->shared[row[k]])
                continue;
            int64_t *at = &place[points->number[row[k]]];
            if (blocks)
                blocks[*at] = block[e];
            ++*at;
        }
    }
}

/* Threads go through all maps, each for points of its own. */
static void list_all(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                     const numbering *points, int threads, int64_t *place, int32_t *blocks)
{
    int64_t n = maps[0].n_points;
    threads = n < WORTH_THREADS ? 1 : threads < MOST_READERS ? threads : MOST_READERS;
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++)
        for (int32_t m = 0; m < n_maps; m++)
            list_entries(&maps[m], block, points, n * t / threads, n * (t + 1) / threads, place,
                         blocks);
}

static int ascending(const void *left, const void *right)
{
    int32_t x = *(const int32_t *)left, y = *(const int32_t *)right;
    return (x > y) - (x < y);
}

/* Sorts a list and drops repeats; returns how many are left. */
static int64_t tidy(int32_t *list, int64_t n)
{
    int64_t count = 0;
    if (n > FEW)
        qsort(list, (size_t)n, sizeof *list, ascending);
    for (int64_t i = 0; i < n; i++) {
        int32_t b = list[i];
        int64_t at = count;
        while (at > 0 && list[at - 1] > b)
            at--;
        if (at > 0 && list[at - 1] == b)
            continue;
        memmove(list + at + 1, list + at, (size_t)(count - at) * sizeof *list);
        list[at] = b;
        count++;
    }
    return count;
}

/* Appends the lists of up to `most` blocks. lengths: out, per list. */
static mplan_status append(const int64_t *begin, int64_t n, int32_t *lists, int32_t *lengths,
                           int32_t most, int threads, mplan_vector *ends, mplan_vector *blocks,
                           mplan_error *err)
{
    int64_t sum = 0, kept = 0;
    (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads) \
    reduction(+ : sum, kept) if (n >= WORTH_THREADS)
    for (int64_t i = 0; i < n; i++) {
        int64_t length = tidy(lists + begin[i], begin[i + 1] - begin[i]);
        lengths[i] = length <= most ? (int32_t)length : 0;
        sum += lengths[i];
        kept += length <= most;
    }
    if (!mplan_vector_reserve(ends, kept, err) || !mplan_vector_reserve(blocks, sum, err))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        if (lengths[i] == 0)
            continue;
        memcpy((int32_t *)blocks->data + blocks->count, lists + begin[i],
               (size_t)lengths[i] * sizeof *lists);
        blocks->count += lengths[i];
        ((int64_t *)ends->data)[ends->count++] = blocks->count;
    }
    return MPLAN_OK;
}

/* The entries of shared points, point by point: begin[n + 2], *lists. */
static mplan_status collect(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                            const numbering *points, int64_t n, int threads, int64_t *begin,
                            int32_t **lists, mplan_error *err)
{
    int64_t *place = begin + 1; /* ends up as begin */
    list_all(maps, n_maps, block, points, threads, place + 1, NULL);
    for (int64_t i = 0; i < n; i++)
        place[i + 1] += place[i];
    *lists = mplan_alloc(place[n], sizeof **lists, err);
    if (!*lists)
        return MPLAN_ERR_MEMORY;
    list_all(maps, n_maps, block, points, threads, place, *lists);
    return MPLAN_OK;
}

mplan_status mplan_shared_points(const mplan_map *maps, int32_t n_maps, const int32_t *block,
                                 int32_t most, mplan_vector *ends, mplan_vector *blocks,
                                 const mplan_context *context, mplan_error *err)
{
    int threads = mplan_threads(context);
    int64_t n_points = maps[0].n_points, n = 0, *begin = NULL;
    int32_t *lists = NULL, *lengths = NULL;
    numbering points = {mplan_alloc_zero(n_points, 1, err),
                        mplan_alloc(n_points, sizeof *points.number, err)};
    mplan_status status = points.shared && points.number ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (status == MPLAN_OK) {
        memset(points.number, 0xff, (size_t)n_points * sizeof *points.number);
        for (int32_t m = 0; m < n_maps; m++)
            mark_shared(&maps[m], block, &points, threads);
        n = number_shared(n_points, &points);
        begin = mplan_alloc_zero(n + 2, sizeof *begin, err);
        lengths = mplan_alloc(n, sizeof *lengths, err);
        status = begin && lengths
                     ? collect(maps, n_maps, block, &points, n, threads, begin, &lists, err)
                     : MPLAN_ERR_MEMORY;
    }
    if (status == MPLAN_OK)
        status = append(begin, n, lists, lengths, most, threads, ends, blocks, err);
    free(points.shared);
    free(points.number);
    free(begin);
    free(lists);
    free(lengths);
    return status;
}
