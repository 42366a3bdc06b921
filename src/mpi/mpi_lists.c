/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_lists.c - rows and numbers that one rank has: sorting and finding them */
#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/radix.h"
#include "base/sort.h"
#include "mpi/mpi_facts.h"

enum { FEW = 4096 }; /* numbers that are sorted by comparing them */

int64_t mpi_set_own(const mpi_mesh *mesh, int32_t set)
{
    assert(mesh && set >= 0 && set < mesh->n_sets);
    const int64_t *first = mesh->sets[set].first;
    return first[mesh->rank + 1] - first[mesh->rank];
}

int64_t mpi_map_entries(const mpi_mesh *mesh, int32_t map)
{
    assert(mesh && map >= 0 && map < mesh->n_maps);
    const mpi_map *about = &mesh->maps[map];
    const int64_t rows = mpi_set_own(mesh, about->from);
    return about->arity ? rows * about->arity : about->offsets[rows];
}

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

/* Numbers are not negative, so that they are sorted as they lie. */
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

int64_t mpi_each_once(int64_t *ids, int64_t n, mplan_error *err)
{
    assert((ids || n == 0) && n >= 0);
    if (sort_ids(ids, n, err))
        return -1;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || ids[kept - 1] != ids[i])
            ids[kept++] = ids[i];
    return kept;
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
