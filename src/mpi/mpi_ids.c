/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_ids.c - lists of numbers of members, on one rank: sorted, and found again
 *
 * Nothing here is collective. Lists have 64-bit numbers of the whole mesh, 0 and more. */
#include "mpi/mpi_ids.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    DIGIT = 11, /* bits */
    SPARSE = 4  /* numbers of a table for each that is looked for */
};

/* Counting sorts by digits, from the lowest on; only digits that differ.
 * scratch: n. After an odd number of passes the sorted list is in scratch, and is copied back. */
static void sort_ids(int64_t *ids, int64_t n, int64_t *scratch)
{
    int64_t different = 0, *from = ids, *to = scratch, count[1 << DIGIT];
    for (int64_t i = 1; i < n; i++)
        different |= ids[i] ^ ids[0];
    for (int32_t shift = 0; shift < 64 && different >> shift > 0; shift += DIGIT) {
        const int64_t mask = (INT64_C(1) << DIGIT) - 1;
        memset(count, 0, sizeof count);
        for (int64_t i = 0; i < n; i++)
            count[from[i] >> shift & mask]++;
        for (int64_t d = 0, sum = 0; d <= mask; d++) {
            const int64_t here = count[d];
            count[d] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < n; i++)
            to[count[from[i] >> shift & mask]++] = from[i];
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != ids)
        memcpy(ids, from, (size_t)n * sizeof *ids);
}

/* Ids that are dense are marked, a bit each, in scratch; others are sorted (sort_ids).
 * low: the least id, span: the largest less it; (span / 64) + 1 words must fit n, the length of
 * scratch. In the end ids ascend, since marks are walked from the lowest on. */
static int64_t distinct_by_marks(int64_t *ids, int64_t n, int64_t low, int64_t span, int64_t *scratch)
{
    uint64_t *marks = (uint64_t *)scratch;
    int64_t kept = 0;
    memset(marks, 0, (size_t)(span / 64 + 1) * sizeof *marks);
    for (int64_t i = 0; i < n; i++)
        marks[(ids[i] - low) / 64] |= UINT64_C(1) << (ids[i] - low) % 64;
    for (int64_t w = 0; w <= span / 64; w++)
        for (uint64_t left = marks[w]; left; left &= left - 1) {
            const int bit = __builtin_ctzll(left);
            ids[kept++] = low + 64 * w + bit;
        }
    return kept;
}

/* Whether n numbers from low to high are marked, which needs so many words, or sorted. */
static bool are_dense(int64_t n, int64_t low, int64_t high)
{
    return n > 64 && (high - low) / 64 + 1 <= n;
}

/* n may be 0. */
static void find_ends(const int64_t *ids, int64_t n, int64_t *low, int64_t *high)
{
    *low = *high = n > 0 ? ids[0] : 0;
    for (int64_t i = 1; i < n; i++) {
        *low = ids[i] < *low ? ids[i] : *low;
        *high = ids[i] > *high ? ids[i] : *high;
    }
}

/* n may be 0. What is left depends on the ids only, not on their order. */
int64_t mpi_distinct(int64_t *ids, int64_t n, int64_t *scratch)
{
    int64_t kept = 0, low, high;
    find_ends(ids, n, &low, &high);
    if (are_dense(n, low, high))
        return distinct_by_marks(ids, n, low, high - low, scratch);
    if (n > 1)
        sort_ids(ids, n, scratch);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    return kept;
}

int64_t mpi_each_once(int64_t *ids, int64_t n, mplan_error *err)
{
    assert((ids || n == 0) && n >= 0);
    int64_t low, high;
    find_ends(ids, n, &low, &high);
    int64_t *scratch = mplan_alloc(are_dense(n, low, high) ? (high - low) / 64 + 1 : n,
                                   sizeof *scratch, err);
    const int64_t kept = scratch ? mpi_distinct(ids, n, scratch) : -1;
    free(scratch);
    return kept;
}

/* Whether a number of a list is wanted (mpi_ids_of). */
static inline bool is_wanted(int64_t id, int64_t begin, int64_t end)
{
    return id >= 0 && (id < begin || id >= end);
}

/* Of a dense list: marks, then as many numbers as there are marks, so that the list is never copied. */
static mplan_status ids_by_marks(const int64_t *list, int64_t n, int64_t begin, int64_t end,
                                 int64_t low, int64_t high, int64_t **ids, int64_t *n_ids,
                                 mplan_error *err)
{
    const int64_t words = (high - low) / 64 + 1;
    uint64_t *marks = mplan_alloc_zero(words, sizeof *marks, err);
    for (int64_t i = 0; i < n && marks; i++)
        if (is_wanted(list[i], begin, end))
            marks[(list[i] - low) / 64] |= UINT64_C(1) << (list[i] - low) % 64;
    for (int64_t w = 0; w < words && marks; w++)
        *n_ids += __builtin_popcountll(marks[w]);
    *ids = marks ? mplan_alloc(*n_ids, sizeof **ids, err) : NULL;
    int64_t kept = 0;
    for (int64_t w = 0; w < words && *ids; w++)
        for (uint64_t left = marks[w]; left; left &= left - 1)
            (*ids)[kept++] = low + 64 * w + __builtin_ctzll(left);
    free(marks);
    return *ids ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* *ids is the caller's also after a failure. */
mplan_status mpi_ids_of(const int64_t *list, int64_t n, int64_t begin, int64_t end, int64_t **ids,
                        int64_t *n_ids, mplan_error *err)
{
    assert((list || n == 0) && ids && n_ids);
    int64_t low = INT64_MAX, high = -1, wanted = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!is_wanted(list[i], begin, end))
            continue;
        wanted++;
        low = list[i] < low ? list[i] : low;
        high = list[i] > high ? list[i] : high;
    }
    *n_ids = 0;
    *ids = NULL;
    if (wanted > 0 && are_dense(wanted, low, high))
        return ids_by_marks(list, n, begin, end, low, high, ids, n_ids, err);
    if (!(*ids = mplan_alloc(wanted, sizeof **ids, err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        if (is_wanted(list[i], begin, end))
            (*ids)[(*n_ids)++] = list[i];
    const int64_t kept = mpi_each_once(*ids, *n_ids, err);
    *n_ids = kept < 0 ? 0 : kept;
    int64_t *less = mplan_realloc(*ids, *n_ids, sizeof *less, NULL);
    *ids = less ? less : *ids;
    return kept < 0 ? MPLAN_ERR_MEMORY : MPLAN_OK;
}

/* Steps that double lead away from the hint, since meshes mostly name neighbours one after the other; then a bisection. */
int64_t mpi_place_of(const int64_t *ids, int64_t n, int64_t id, int64_t *hint)
{
    assert(hint && (ids || n == 0));
    if (n == 0)
        return -1;
    int64_t low = *hint < n ? *hint : n - 1, high, step = 1;
    if (ids[low] <= id) {
        for (high = low + 1; high < n && ids[high] <= id; step *= 2) {
            low = high;
            high += step;
        }
        high = high < n ? high : n;
    } else {
        high = low;
        for (low = high - 1; low > 0 && ids[low] > id; step *= 2) {
            high = low;
            low -= step;
        }
        low = low > 0 ? low : 0;
        if (ids[low] > id)
            return -1;
    }
    while (high - low > 1) { /* ids[low] <= id < ids[high] */
        const int64_t middle = low + (high - low) / 2;
        if (ids[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    *hint = low;
    return ids[low] == id ? low : -1;
}

/* Where the search for an id begins in a table of 2^bits places. */
static inline int64_t mixed_place(int64_t id, int bits)
{
    return (int64_t)((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits));
}

/* A table for sparse ids, at most half full: -1 where there is none. */
static void open_sparse(mpi_finder *finder)
{
    int bits = 4;
    while ((INT64_C(1) << bits) < 2 * finder->n)
        bits++;
    const int64_t places = INT64_C(1) << bits;
    if (!(finder->table = mplan_alloc(places, sizeof *finder->table, NULL)))
        return;
    finder->bits = bits;
    memset(finder->table, -1, (size_t)places * sizeof *finder->table);
    for (int64_t i = 0; i < finder->n; i++) {
        int64_t at = mixed_place(finder->ids[i], bits);
        while (finder->table[at] >= 0)
            at = (at + 1) & (places - 1);
        finder->table[at] = (int32_t)i;
    }
}

/* Without memory for the table it is done without. ids are borrowed until it is closed. */
void mpi_finder_open(const int64_t *ids, int64_t n, mpi_finder *finder)
{
    assert(finder && (ids || n == 0));
    *finder = (mpi_finder){.ids = ids, .n = n, .span = n > 0 ? ids[n - 1] - ids[0] + 1 : 0};
    if (n == 0 || n > INT32_MAX / 4)
        return;
    if (finder->span > SPARSE * n) {
        open_sparse(finder);
        return;
    }
    if (!(finder->table = mplan_alloc(finder->span, sizeof *finder->table, NULL)))
        return;
    if (finder->span > n)
        memset(finder->table, -1, (size_t)finder->span * sizeof *finder->table);
    for (int64_t i = 0; i < n; i++)
        finder->table[ids[i] - ids[0]] = (int32_t)i;
}

/* Also of a finder without a table. */
void mpi_finder_close(mpi_finder *finder)
{
    free(finder->table);
    finder->table = NULL;
}

/* By the table of mixed numbers, or by halving. */
int64_t mpi_place_sparse(const mpi_finder *finder, int64_t id)
{
    int64_t hint = finder->n / 2;
    if (!finder->table)
        return mpi_place_of(finder->ids, finder->n, id, &hint);
    int64_t at = mixed_place(id, finder->bits);
    while (finder->table[at] >= 0 && finder->ids[finder->table[at]] != id)
        at = (at + 1) & ((INT64_C(1) << finder->bits) - 1);
    return finder->table[at];
}
