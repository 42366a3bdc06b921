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
    SPARSE = 8  /* numbers of a table for each that is looked for */
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

/* n may be 0. What is left depends on the ids only, not on their order. */
int64_t mpi_distinct(int64_t *ids, int64_t n, int64_t *scratch)
{
    int64_t kept = 0, low = n > 0 ? ids[0] : 0, high = low;
    for (int64_t i = 1; i < n; i++) {
        low = ids[i] < low ? ids[i] : low;
        high = ids[i] > high ? ids[i] : high;
    }
    if (n > 64 && (high - low) / 64 + 1 <= n)
        return distinct_by_marks(ids, n, low, high - low, scratch);
    if (n > 1)
        sort_ids(ids, n, scratch);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    return kept;
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

/* Without memory for the table it is done without.
 * ids are borrowed until it is closed. Entries of a table by id for numbers that are not in ids are
 * undefined: only ids of the list may be asked for. */
void mpi_finder_open(const int64_t *ids, int64_t n, mpi_finder *finder)
{
    *finder = (mpi_finder){.ids = ids, .n = n};
    const int64_t span = n > 0 ? ids[n - 1] - ids[0] + 1 : 0;
    if (n == 0 || n > INT32_MAX / 4)
        return;
    if (span > SPARSE * n) {
        open_sparse(finder);
        return;
    }
    finder->table = mplan_alloc(span, sizeof *finder->table, NULL);
    for (int64_t i = 0; i < n && finder->table; i++)
        finder->table[ids[i] - ids[0]] = (int32_t)i;
}

/* Also of a finder without a table. */
void mpi_finder_close(mpi_finder *finder)
{
    free(finder->table);
    finder->table = NULL;
}

/* The index of id, which must be in the list. */
static int64_t find_by_halves(const mpi_finder *finder, int64_t id)
{
    const int64_t *ids = finder->ids;
    int64_t low = 0, high = finder->n; /* ids[low] <= id < ids[high] */
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (ids[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    assert(low < finder->n && ids[low] == id);
    return low;
}

int64_t mpi_find_sparse(const mpi_finder *finder, int64_t id)
{
    if (!finder->table)
        return find_by_halves(finder, id);
    int64_t at = mixed_place(id, finder->bits);
    while (finder->ids[finder->table[at]] != id) {
        at = (at + 1) & ((INT64_C(1) << finder->bits) - 1);
        assert(finder->table[at] >= 0);
    }
    return finder->table[at];
}
