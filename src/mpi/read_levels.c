/* SPDX-License-Identifier: Apache-2.0 */
/* read_levels.c - layers of columns that a mesh file has itself, for sets that are spread over ranks
 *
 * Each rank reads the levels of its own members; layers that follow from another set's are found by mpi_layers.c. All functions
 * are collective. */
#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/column_levels.h"
#include "mpi/exchange.h"
#include "mpi/mpi_layers.h"
#include "mpi/read_layout.h"

/* Levels of own members of a set; *out: the caller's, NULL without such an array. */
static mplan_status read_array(const mpi_readers *readers, const mplan_places *layout,
                               const mpi_mesh *mesh, int32_t set, int32_t array, int64_t **out,
                               mplan_error *err)
{
    const mpi_set *of = &mesh->sets[set];
    *out = NULL;
    if (array < 0)
        return MPLAN_OK;
    const mplan_places_array *a = mplan_places_get_array(layout, array);
    if (a->rows != of->size) /* alike on all ranks */
        return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: %lld levels for %lld %s", a->member,
                          (long long)a->rows, (long long)of->size, of->name);
    return mpi_read_wholes(readers, layout, array, of->first[mesh->rank],
                           mpi_own_members(mesh, set), "a level", INT64_MIN, out, err);
}

/* Of a set by itself. */
static mplan_status take_levels(const mpi_readers *readers, const mplan_places *layout,
                                mpi_mesh *mesh, int32_t set, const mplan_places_layers *entry,
                                mplan_error *err)
{
    int64_t *first = NULL, *last = NULL;
    int32_t *ranges = NULL;
    if (entry->last < 0) { /* all alike */
        mpi_layers_take(mesh, set, entry->layers, NULL, NULL);
        return MPLAN_OK;
    }
    const mplan_places_array *a = mplan_places_get_array(layout, entry->last);
    const mplan_levels levels = {mplan_places_path_of(layout, a), a->member, entry->word,
                                 entry->layers, entry->minus};
    mplan_status status = read_array(readers, layout, mesh, set, entry->last, &last, err);
    if (!status)
        status = read_array(readers, layout, mesh, set, entry->first, &first, err);
    if (!status) {
        ranges = mplan_alloc(2 * mpi_own_members(mesh, set), sizeof *ranges, err);
        status = ranges
                     ? mplan_levels_to_ranges(&levels, mesh->sets[set].first[mesh->rank],
                                              mpi_own_members(mesh, set), first, last, ranges, err)
                     : MPLAN_ERR_MEMORY;
        status = mpi_agree(mesh->comm, status, err);
    }
    free(first);
    free(last);
    if (status)
        free(ranges);
    else
        mpi_layers_take(mesh, set, entry->layers, ranges, NULL);
    return status;
}

mplan_status mpi_read_levels(const mpi_readers *readers, const mplan_places *layout, mpi_mesh *mesh,
                             mplan_error *err)
{
    assert(readers && layout && mesh);
    const mplan_places_layers *entries = layout->layers.data;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < layout->layers.count && !status; i++) {
        const mplan_places_layers *entry = &entries[i];
        const int32_t at = entry->follows ? mpi_mesh_find_map(mesh, entry->of)
                                          : mpi_mesh_find_set(mesh, entry->of);
        if (at < 0)
            status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                                "layers are given for '%s', which is not there", entry->of);
        else if (entry->follows)
            status = mpi_layers_spread(mesh, at, (mplan_layers_rule)entry->rule, err);
        else
            status = take_levels(readers, layout, mesh, at, entry, err);
    }
    return status;
}
