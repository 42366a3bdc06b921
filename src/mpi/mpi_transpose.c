/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_transpose.c - maps of a spread mesh the other way round
 *
 * Each rank sends what its rows name to the ranks that have the points; lists are sorted there,
 * so that they do not depend on the order in which they came, and so not on the number of ranks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/mpi_graph.h"

/* A point and a row that names it.
 * Both in numbers of the whole mesh, or the row as the caller numbers it. */
typedef struct touch {
    int64_t point, row;
} touch;

/* Lists of the n points from `first` on.
 * Not collective. offsets: out, n + 1 from 0 (one more is scratch); lists: out, ascending and
 * each number once for a point. Room of lists is for all that came, before doubles are left out.
 * Both are the caller's, also after a failure. Before the last loop offsets[p + 1] is the end of
 * point p among all that came. */
static mplan_status list_by_point(const mpi_items *got, int64_t first, int64_t n,
                                  int64_t **offsets_out, int64_t **lists_out, mplan_error *err)
{
    const touch *list = got->data;
    int64_t *offsets = mplan_alloc_zero(n + 2, sizeof *offsets, err);
    int64_t *lists = mplan_alloc(got->n, sizeof *lists, err);
    int64_t *scratch = mplan_alloc(got->n, sizeof *scratch, err);
    const bool room = offsets && lists && scratch;
    *offsets_out = offsets;
    *lists_out = lists;
    for (int64_t i = 0; i < got->n && room; i++)
        offsets[list[i].point - first + 2]++;
    for (int64_t p = 0; p < n && room; p++)
        offsets[p + 2] += offsets[p + 1];
    for (int64_t i = 0; i < got->n && room; i++)
        lists[offsets[list[i].point - first + 1]++] = list[i].row;
    for (int64_t p = 0, kept = 0, begin = 0; p < n && room; p++) {
        const int64_t end = offsets[p + 1];
        const int64_t left = mpi_distinct(lists + begin, end - begin, scratch);
        memmove(lists + kept, lists + begin, (size_t)left * sizeof *lists);
        kept += left;
        begin = end;
        offsets[p + 1] = kept;
    }
    free(scratch);
    return room ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Collective. number: by own row, NULL: its number in the mesh. Entries of -1 name no point. */
mplan_status mpi_transpose(const mpi_mesh *mesh, const mpi_map *map, const int64_t *number,
                           int64_t **offsets, int64_t **lists, mplan_error *err)
{
    assert(mesh && map && offsets && lists);
    const int64_t n = mpi_own_members(mesh, map->from), entries = mpi_own_entries(mesh, map);
    const int64_t *held = mesh->sets[map->to].first, first = mesh->sets[map->from].first[mesh->rank];
    mpi_items got = {0};
    int64_t at = 0;
    touch *list = mplan_alloc(entries, sizeof *list, err);
    int32_t *to = mplan_alloc(entries, sizeof *to, err);
    mplan_status status = list && to ? MPLAN_OK : MPLAN_ERR_MEMORY;
    *offsets = *lists = NULL;
    for (int64_t row = 0; row < n && !status; row++) {
        int64_t length;
        const int64_t *point = mpi_map_row(map, row, &length);
        for (int64_t k = 0; k < length; k++) {
            if (point[k] < 0)
                continue;
            to[at] = mpi_rank_of(held, mesh->ranks, point[k]);
            list[at++] = (touch){point[k], number ? number[row] : first + row};
        }
    }
    status = mpi_exchange_mixed(mesh->comm, status, sizeof *list, list, at, to, &got, err);
    free(list);
    free(to);
    if (!status)
        status = list_by_point(&got, held[mesh->rank], mpi_own_members(mesh, map->to), offsets,
                               lists, err);
    mpi_items_free(&got);
    return mpi_agree(mesh->comm, status, err);
}
