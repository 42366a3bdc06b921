/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_lists.c - rows and numbers that one rank has: sorting and finding them
 *
 * Nothing here is collective. Numbers are those of the whole mesh, 0 and more; what comes out
 * depends on the numbers only, not on the way that was taken. */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/radix.h"
#include "base/sort.h"
#include "mpi/mpi_facts.h"

/* FEW: numbers that are sorted by comparing them; SPARSE: most places of a table for a number; BITS: likewise of a list of bits */
enum { FEW = 4096, SPARSE = 3, BITS = 16 };

/* first has an entry for each rank, and one behind. */
int64_t mpi_set_own(const mpi_mesh *mesh, int32_t set)
{
    assert(mesh && set >= 0 && set < mesh->n_sets);
    const int64_t *first = mesh->sets[set].first;
    return first[mesh->rank + 1] - first[mesh->rank];
}

/* offsets begin with 0 on every rank. */
int64_t mpi_map_entries(const mpi_mesh *mesh, int32_t map)
{
    assert(mesh && map >= 0 && map < mesh->n_maps);
    const mpi_map *about = &mesh->maps[map];
    const int64_t rows = mpi_set_own(mesh, about->from);
    return about->arity ? rows * about->arity : about->offsets[rows];
}

/* The row is borrowed from the map, and may be empty. */
const int64_t *mpi_map_row(const mpi_map *map, int64_t i, int64_t *n)
{
    assert(map && i >= 0 && n);
    if (map->arity) {
        *n = map->arity;
        return map->values + i * map->arity;
    }
    *n = map->offsets[i + 1] - map->offsets[i];
    return map->values + map->offsets[i];
}

/* Numbers are not negative, so that they are sorted as they lie.
 * Few numbers, and such that ascend already, need no memory. MPLAN_ERR_MEMORY leaves them in
 * their order. */
static mplan_status sort_ids(int64_t *ids, int64_t n, mplan_error *err)
{
    bool sorted = true;
    for (int64_t i = 1; i < n && sorted; i++)
        sorted = ids[i - 1] <= ids[i];
    if (sorted)
        return MPLAN_OK;
    if (n < FEW) {
        mplan_sort_u64((uint64_t *)ids, n);
        return MPLAN_OK;
    }
    uint64_t *spare = mplan_alloc(n, sizeof *spare, err);
    int32_t *items = mplan_alloc_zero(n, sizeof *items, err);
    int32_t *spare_items = mplan_alloc(n, sizeof *spare_items, err);
    const bool room = spare && items && spare_items;
    if (room)
        mplan_radix_sort_items(NULL, n, (uint64_t *)ids, items, spare, spare_items);
    free(spare);
    free(items);
    free(spare_items);
    return room ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Sorts by a bit for each number from the lowest to the highest; -1: the bits are too many, or memory is out.
 * ids: in and out; they are changed only where there is no failure. As bits are walked from the
 * lowest on, what is left ascends. */
static int64_t each_once_by_bits(int64_t *ids, int64_t n)
{
    int64_t least = INT64_MAX, most = INT64_MIN, kept = 0;
    for (int64_t i = 0; i < n; i++) {
        least = ids[i] < least ? ids[i] : least;
        most = ids[i] > most ? ids[i] : most;
    }
    if (n == 0 || most - least >= BITS * n)
        return n == 0 ? 0 : -1;
    const int64_t words = (most - least) / 64 + 1;
    uint64_t *bits = mplan_alloc_zero(words, sizeof *bits, NULL);
    if (!bits)
        return -1;
    for (int64_t i = 0; i < n; i++)
        bits[(ids[i] - least) / 64] |= UINT64_C(1) << (ids[i] - least) % 64;
    for (int64_t w = 0; w < words; w++)
        for (int b = 0; b < 64 && bits[w] >> b; b++)
            if (bits[w] >> b & 1)
                ids[kept++] = least + 64 * w + b;
    free(bits);
    return kept;
}

/* Numbers that rows name mostly fill a range, so that bits do it without sorting: linear, and an
 * eighth of a byte to two bytes for each number. ids[0] to ids[kept - 1] are what is left;
 * numbers behind them are undefined. After a failure ids are as they were. */
int64_t mpi_each_once(int64_t *ids, int64_t n, mplan_error *err)
{
    assert((ids || n == 0) && n >= 0);
    int64_t kept = each_once_by_bits(ids, n);
    if (kept >= 0)
        return kept;
    if (sort_ids(ids, n, err))
        return -1;
    kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || ids[kept - 1] != ids[i])
            ids[kept++] = ids[i];
    return kept;
}

/* Without memory for the table it is done without.
 * ids: n numbers, ascending and each once, borrowed until the places are closed. The table has 4
 * bytes for each number from the first to the last of ids, at most SPARSE times as many as ids
 * has. */
void mpi_places_open(const int64_t *ids, int64_t n, mpi_places *out)
{
    assert(out && (ids || n == 0));
    *out = (mpi_places){.ids = ids, .n = n, .span = n > 0 ? ids[n - 1] - ids[0] + 1 : 0};
    if (n == 0 || n > INT32_MAX || out->span > SPARSE * n ||
        !(out->table = mplan_alloc(out->span, sizeof *out->table, NULL)))
        return;
    for (int64_t i = 0; i < out->span; i++)
        out->table[i] = -1;
    for (int64_t i = 0; i < n; i++)
        out->table[ids[i] - ids[0]] = (int32_t)i;
}

/* The list itself is the caller's. */
void mpi_places_close(mpi_places *places)
{
    assert(places);
    free(places->table);
    *places = (mpi_places){0};
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
