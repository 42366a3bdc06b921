/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_groups.c - groups of a spread mesh: dealt out, and the sets of their members with rows of their parents
 *
 * A rank has of a group those members that it has of the set, in their order; so the set of the members of a group is in order,
 * rank by rank, and rows of the parent are where they are needed. */
#include "mpi/mpi_groups.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/derive.h"
#include "mpi/exchange.h"
#include "mpi/mesh_parts.h"
#include "mpi/mpi_ids.h"

mplan_status mpi_groups_add(mpi_mesh *mesh, const char *name, int32_t set, int64_t n,
                            int64_t *members, mplan_error *err)
{
    assert(mesh && name && set >= 0 && set < mesh->n_sets);
    mpi_group *grown = mplan_realloc(mesh->groups, mesh->n_groups + 1, sizeof *grown, err);
    if (grown)
        mesh->groups = grown;
    mpi_group added = {mplan_strdup(name, err), set, 0, n, members};
    mplan_status status = mpi_agree(mesh->comm, grown && added.name ? MPLAN_OK : MPLAN_ERR_MEMORY,
                                    err);
    if (status) {
        free(added.name);
        free(members);
        return status;
    }
    added.total = mpi_sum(mesh->comm, n);
    grown[mesh->n_groups++] = added;
    return MPLAN_OK;
}

/* --- dealing out ------------------------------------------------------------------------------------------ */

/* Numbers of rank 0 by rank, as 64-bit ones. counts: of each rank, on rank 0. *out: *own of them, the caller's, also after a
 * failure. */
static mplan_status deal(const mpi_mesh *mesh, mplan_status status, int64_t n, const int32_t *numbers,
                         const int64_t *counts, int64_t **out, int64_t *own, mplan_error *err)
{
    mpi_items got = {0};
    int64_t *wide = status ? NULL : mplan_alloc(n, sizeof *wide, err);
    if (!status && !wide)
        status = MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n && !status; i++)
        wide[i] = numbers[i];
    status = mpi_exchange(mesh->comm, status, sizeof *wide, wide, counts, &got, err);
    free(wide);
    *out = got.data;
    *own = got.n;
    got.data = NULL;
    mpi_items_free(&got);
    return status;
}

/* A group of rank 0. from: NULL on other ranks. */
static mplan_status deal_group(mpi_mesh *mesh, const mplan_mesh_group_data *from, mplan_error *err)
{
    int32_t set = from ? from->set : 0;
    char *name = NULL;
    int64_t *members = NULL, own = 0;
    mpi_bcast(&set, 1, MPI_INT32_T, 0, mesh->comm);
    mplan_status status = mpi_share_text(mesh->comm, from ? from->name : NULL, &name, err);
    int64_t *counts = status ? NULL : mplan_alloc_zero(mesh->ranks, sizeof *counts, err);
    if (!status && !counts)
        status = MPLAN_ERR_MEMORY;
    const int64_t *first = mesh->sets[set].first;
    for (int64_t i = 0; from && i < from->n_members && !status; i++)
        counts[mpi_rank_of(first, mesh->ranks, from->members[i])]++;
    status = deal(mesh, status, from ? from->n_members : 0, from ? from->members : NULL, counts,
                  &members, &own, err);
    if (!status)
        status = mpi_groups_add(mesh, name, set, own, members, err);
    else
        free(members);
    free(counts);
    free(name);
    return status;
}

/* Facets of rank 0 that wait, as even a share for each rank as can be. from: NULL on other ranks. */
static mplan_status deal_facets(mpi_mesh *mesh, const mplan_mesh_facets *from, mpi_facets *out,
                                mplan_error *err)
{
    int64_t all = from ? from->n_facets : 0, nodes = 0;
    mpi_items types = {0};
    mpi_bcast(&all, 1, MPI_INT64_T, 0, mesh->comm);
    mplan_status status = mpi_share_text(mesh->comm, from ? from->name : NULL, &out->name, err);
    int64_t *counts = status ? NULL : mplan_alloc_zero(mesh->ranks, sizeof *counts, err);
    if (!status && !counts)
        status = MPLAN_ERR_MEMORY;
    out->first = mpi_range_first(all, mesh->ranks, mesh->rank);
    out->n = mpi_range_first(all, mesh->ranks, mesh->rank + 1) - out->first;
    for (int32_t r = 0; r < mesh->ranks && from && !status; r++)
        counts[r] = mpi_range_first(all, mesh->ranks, r + 1) - mpi_range_first(all, mesh->ranks, r);
    status = mpi_exchange(mesh->comm, status, 1, from ? from->type : NULL, counts, &types, err);
    out->type = types.data;
    types.data = NULL;
    mpi_items_free(&types);
    for (int64_t r = 0, i = 0; r < mesh->ranks && from && !status; r++) {
        const int64_t end = i + counts[r];
        counts[r] = 0;
        for (; i < end; i++)
            counts[r] += mplan_cell_type_nodes((mplan_cell_type)from->type[i]);
        nodes += counts[r];
    }
    status = deal(mesh, status, nodes, from ? from->nodes : NULL, counts, &out->nodes,
                  &out->n_nodes, err);
    free(counts);
    return status;
}

/* The number of names that are not empty: those before count. */
static int32_t named(const mplan_mesh *serial, bool facets)
{
    int32_t n = 0;
    for (int32_t g = 0; !facets && g < serial->n_groups; g++)
        n += *serial->groups[g].name != '\0';
    for (int32_t g = 0; facets && g < serial->n_facet_groups; g++)
        n += *serial->facets[g].name != '\0';
    return n;
}

mplan_status mpi_groups_deal(mpi_mesh *mesh, const mplan_mesh *serial, mplan_error *err)
{
    assert(mesh && mesh->n_groups == 0 && mesh->n_facets == 0);
    int32_t n[2] = {serial ? named(serial, false) : 0, serial ? named(serial, true) : 0};
    mpi_bcast(n, 2, MPI_INT32_T, 0, mesh->comm);
    mesh->facets = mplan_alloc_zero(n[1], sizeof *mesh->facets, err);
    mplan_status status = mpi_agree(mesh->comm, mesh->facets ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    for (int32_t i = 0, g = 0; i < n[0] && !status; i++, g++) {
        while (serial && !*serial->groups[g].name)
            g++;
        status = deal_group(mesh, serial ? &serial->groups[g] : NULL, err);
    }
    for (int32_t i = 0, g = 0; i < n[1] && !status; i++, g++) {
        while (serial && !*serial->facets[g].name)
            g++;
        status = deal_facets(mesh, serial ? &serial->facets[g] : NULL,
                             &mesh->facets[mesh->n_facets++], err);
    }
    return status;
}

/* --- names --------------------------------------------------------------------------------------------------- */

bool mpi_group_waits(const mpi_mesh *mesh, const char *group)
{
    for (int32_t g = 0; g < mesh->n_facets; g++)
        if (strcmp(mesh->facets[g].name, group) == 0)
            return true;
    return false;
}

/* The first group of this name that has members, else the first; -1 without one. */
static int32_t find_group(const mpi_mesh *mesh, const char *group)
{
    int32_t found = -1;
    for (int32_t g = 0; g < mesh->n_groups; g++) {
        if (strcmp(mesh->groups[g].name, group) != 0)
            continue;
        if (mesh->groups[g].total > 0)
            return g;
        found = found < 0 ? g : found;
    }
    return found;
}

bool mpi_group_exists(const mpi_mesh *mesh, const char *group)
{
    return *group && find_group(mesh, group) >= 0;
}

/* --- sets of their members ------------------------------------------------------------------------------------ */

/* The set must be one, and whole. *n: members of this rank of all groups of the name. Alike on all ranks, but for n; not
 * collective. */
static mplan_status check_groups(const mpi_mesh *mesh, const char *group, int32_t first, int64_t *n,
                                 mplan_error *err)
{
    const mpi_set *parent = &mesh->sets[mesh->groups[first].set];
    *n = 0;
    mplan_status status = mplan_refuse_group(group, parent->name, parent->split, NULL, err);
    for (int32_t g = 0; g < mesh->n_groups && !status; g++) {
        const mpi_group *other = &mesh->groups[g];
        if (strcmp(other->name, group) != 0 || other->total == 0)
            continue;
        if (other->set != mesh->groups[first].set)
            status = mplan_refuse_group(group, parent->name, false, mesh->sets[other->set].name, err);
        *n += other->n;
    }
    return status;
}

/* Several groups of one name and set are one. Members ascend, each once. */
mplan_status mpi_add_group_set(mpi_mesh *mesh, const char *name, mplan_error *err)
{
    const char *group = mplan_group_of_set(name);
    const int32_t first = find_group(mesh, group);
    int64_t n = 0, at = 0;
    int32_t set = -1;
    assert(first >= 0);
    mplan_status status = check_groups(mesh, group, first, &n, err);
    if (status)
        return status;
    int64_t *members = mplan_alloc(n, sizeof *members, err);
    for (int32_t g = 0; g < mesh->n_groups && members; g++) {
        const mpi_group *other = &mesh->groups[g];
        if (strcmp(other->name, group) != 0 || other->n == 0)
            continue;
        memcpy(members + at, other->members, (size_t)other->n * sizeof *members);
        at += other->n;
    }
    if (!members || (n = mpi_each_once(members, n, err)) < 0)
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mpi_mesh_add_set(mesh, name, 0, &set, err);
    status = mpi_agree(mesh->comm, status, err);
    if (status) {
        free(members);
        return status;
    }
    mpi_set *made = &mesh->sets[set];
    mpi_ranges_of(mesh->comm, n, made->first);
    made->size = made->first[mesh->ranks];
    made->derived = true;
    made->parent = mesh->groups[first].set;
    made->parent_index = members;
    return MPLAN_OK;
}

/* --- and their maps --------------------------------------------------------------------------------------------- */

/* Rows of the parent's map, of own members. offsets: n + 1. *least, *most: their lengths; -1 and INT64_MAX without rows. Not
 * collective. */
static mplan_status copy_rows(const mpi_mesh *mesh, int32_t set, const mpi_map *map, int64_t *offsets,
                              int64_t **values, int64_t *least, int64_t *most, mplan_error *err)
{
    const mpi_set *of = &mesh->sets[set];
    const int64_t n = mpi_own_members(mesh, set), first = mesh->sets[of->parent].first[mesh->rank];
    *least = INT64_MAX;
    *most = -1;
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t length;
        mpi_map_row(map, of->parent_index[i] - first, &length);
        offsets[i + 1] = offsets[i] + length;
        *least = length < *least ? length : *least;
        *most = length > *most ? length : *most;
    }
    if (!(*values = mplan_alloc(offsets[n], sizeof **values, err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        int64_t length;
        const int64_t *row = mpi_map_row(map, of->parent_index[i] - first, &length);
        memcpy(*values + offsets[i], row, (size_t)length * sizeof *row);
    }
    return MPLAN_OK;
}

/* map -1: a member's row is the member of the parent that it is. */
mplan_status mpi_add_group_map(mpi_mesh *mesh, const char *name, int32_t set, int32_t map,
                               mplan_error *err)
{
    assert(mesh && name && mesh->sets[set].parent_index);
    const int64_t n = mpi_own_members(mesh, set);
    const int32_t to = map < 0 ? mesh->sets[set].parent : mesh->maps[map].to;
    int64_t *values = NULL, least = INT64_MAX, most = -1;
    int64_t *offsets = mplan_alloc(n + 1, sizeof *offsets, err);
    mplan_status status = offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status && map >= 0)
        status = copy_rows(mesh, set, &mesh->maps[map], offsets, &values, &least, &most, err);
    if (!status && map < 0 &&
        !(values = mplan_copy(mesh->sets[set].parent_index, n, sizeof *values, err)))
        status = MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (status) {
        free(offsets);
        free(values);
        return status;
    }
    int32_t arity = 1;
    if (map >= 0) { /* of an arity where all rows are equally long */
        const int64_t low = -mpi_most(mesh->comm, -least), high = mpi_most(mesh->comm, most);
        arity = high < 0 ? mesh->maps[map].arity : low == high ? (int32_t)high : 0;
    }
    if (arity > 0) {
        free(offsets);
        offsets = NULL;
    }
    return mpi_agree(mesh->comm,
                     mpi_mesh_take_map(mesh, name, set, to, arity, offsets, values, err), err);
}
