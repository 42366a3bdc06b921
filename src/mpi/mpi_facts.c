/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_facts.c - names, sizes and counts of a mesh that is spread over ranks
 *
 * Counts of a rank are added up over all ranks, and rows are compared by their numbers in the
 * mesh: so facts are equal on all ranks, and do not depend on how many there are. */
#include "mpi/mpi_facts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_ids.h"
#include "mpi/mpi_layers.h"

/* --- names ---------------------------------------------------------------------------------- */

/* Of no members, so that they say whether columns differ, and whether they have masks. */
static mplan_status add_layers(const mpi_set *set, int32_t s, mplan_mesh *head, mplan_error *err)
{
    int32_t *ranges = set->ranges ? mplan_alloc(0, sizeof *ranges, err) : NULL;
    uint32_t *mask = set->mask ? mplan_alloc(0, sizeof *mask, err) : NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    if ((ranges || !set->ranges) && (mask || !set->mask)) {
        status = mplan_mesh_take_layers(head, s, set->layers, ranges, err);
        ranges = NULL;
    }
    if (!status) {
        mplan_mesh_take_mask(head, s, mask);
        mask = NULL;
    }
    free(ranges);
    free(mask);
    return status;
}

/* What keeps planning from splitting a set once more. */
static mplan_status mark_split(const mpi_set *set, mplan_mesh_set_data *of, mplan_error *err)
{
    of->split = mplan_strdup(set->split, err);
    of->global_ids = mplan_alloc(0, sizeof *of->global_ids, err);
    return of->split && of->global_ids ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* Sets and maps have the numbers that they have in the mesh.
 * head: an empty mesh. Its sets have no members; coordinates of 0 members say that there are
 * some, and of which dimension. */
static mplan_status add_names(const mpi_mesh *mesh, mplan_mesh *head, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t s = 0; s < mesh->n_sets && !status; s++) {
        const mpi_set *set = &mesh->sets[s];
        status = mplan_mesh_add_set(head, set->name, 0, NULL, err);
        double *none = status || set->dimension == 0 ? NULL : mplan_alloc(0, sizeof *none, err);
        if (!status && set->dimension > 0)
            status = none ? mplan_mesh_take_coordinates(head, s, set->dimension, none, err)
                          : MPLAN_ERR_MEMORY;
        if (!status && set->layers > 0)
            status = add_layers(set, s, head, err);
        if (!status && set->split)
            status = mark_split(set, &head->sets[s], err);
    }
    for (int32_t m = 0; m < mesh->n_maps && !status; m++) {
        const mpi_map *map = &mesh->maps[m];
        int64_t *offsets = map->arity ? NULL : mplan_alloc_zero(1, sizeof *offsets, err);
        int32_t *values = mplan_alloc(0, sizeof *values, err);
        if (values && (offsets || map->arity)) {
            status = mplan_mesh_take_map(head, map->name, map->from, map->to, map->arity, offsets,
                                         values, NULL, err);
        } else {
            free(offsets);
            free(values);
            status = MPLAN_ERR_MEMORY;
        }
    }
    return status;
}

/* Groups by their names, for the same reason. */
static mplan_status add_groups(const mpi_mesh *mesh, mplan_mesh *head, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; g < mesh->n_groups && !status; g++)
        status = mplan_mesh_add_group(head, mesh->groups[g].name, 0, 0, mesh->groups[g].set, 0,
                                      NULL, err);
    for (int32_t g = 0; g < mesh->n_facets && !status; g++)
        status = mplan_mesh_add_facets(head, mesh->facets[g].name, 0, 0, NULL, NULL, err);
    return status;
}

/* dimension: of the cells, so that messages name what could be derived.
 * *head: the caller's, also after a failure. Not collective. */
static mplan_status make_head(const mpi_mesh *mesh, mplan_mesh **head, mplan_error *err)
{
    mplan_status status = mplan_mesh_create(head, err);
    if (!status && mesh->zone)
        status = mplan_mesh_set_zone(*head, mesh->zone, err);
    if (!status && mesh->source)
        status = mplan_mesh_set_source(*head, mesh->source, err);
    if (!status)
        status = add_names(mesh, *head, err);
    if (!status)
        status = add_groups(mesh, *head, err);
    if (status || mesh->dimension == 0)
        return status;
    (*head)->dimension = mesh->dimension;
    const int32_t cells = mpi_mesh_find_set(mesh, "cells");
    if (cells < 0 || !mesh->sets[cells].cell_type) /* of cells that were split, nothing can be derived */
        return MPLAN_OK;
    (*head)->cell_type = mplan_alloc(0, 1, err); /* there are cells, so that there are faces */
    return (*head)->cell_type ? MPLAN_OK : MPLAN_ERR_MEMORY;
}

/* --- counts ---------------------------------------------------------------------------------- */

/* Entries that this rank has, and its first row without some.
 * none_row: a number of the whole mesh; INT64_MAX: no own row has an entry of -1, so that the
 * least of all ranks is the first one. */
static mplan_map_facts count_map(const mpi_mesh *mesh, int32_t m)
{
    const mpi_map *map = &mesh->maps[m];
    const int64_t rows = mpi_own_members(mesh, map->from);
    mplan_map_facts facts = {.none_row = INT64_MAX};
    for (int64_t i = 0; i < rows; i++) {
        int64_t n;
        const int64_t *row = mpi_map_row(map, i, &n);
        facts.entries += n;
        facts.longest = n > facts.longest ? n : facts.longest;
        for (int64_t k = 0; k < n; k++) {
            facts.present += row[k] >= 0;
            if (row[k] < 0 && facts.none_row == INT64_MAX)
                facts.none_row = mesh->sets[map->from].first[mesh->rank] + i;
        }
    }
    return facts;
}

/* maps: out, of the whole mesh, on every rank.
 * Collective. One entry for each map of the mesh; none_row is -1 where no row lacks an entry. */
static void count_maps(const mpi_mesh *mesh, mplan_map_facts *maps)
{
    for (int32_t m = 0; m < mesh->n_maps; m++) {
        const mplan_map_facts own = count_map(mesh, m);
        int64_t sums[2] = {own.entries, own.present}, row = own.none_row;
        mpi_allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, mesh->comm);
        mpi_allreduce(MPI_IN_PLACE, &row, 1, MPI_INT64_T, MPI_MIN, mesh->comm);
        maps[m] = (mplan_map_facts){sums[0], sums[1], row == INT64_MAX ? -1 : row,
                                    mpi_most(mesh->comm, own.longest)};
    }
}

/* --- what maps reach ---------------------------------------------------------------------------- */

/* A point of a to-set, and entries of one rank that name it.
 * point: its number in the whole to-set. columns: a bit for each column of the maps that names it; TWICE: one does so twice, or the
 * maps have entries of -1, or no columns that can be told apart. */
typedef struct named {
    int64_t point, n;
    uint64_t columns;
} named;
#define TWICE (UINT64_C(1) << 63)

/* Columns of all maps together; 0: too many for bits, or a map is ragged. */
static int64_t columns_of(const mpi_mesh *mesh, int32_t n_maps, const int32_t *maps)
{
    int64_t columns = 0;
    for (int32_t m = 0; m < n_maps; m++) {
        if (mesh->maps[maps[m]].arity == 0)
            return 0;
        columns += mesh->maps[maps[m]].arity;
    }
    return columns <= MPLAN_APART_COLUMNS ? columns : 0;
}

/* All entries of this rank's rows of the maps that are not -1: *n of them, from mplan_alloc. *all: each row of elements
 * has one.
 * maps: n_maps of the mesh, all from one set to one set. NULL: no memory. Numbers of points may
 * be in the list more than once. */
static int64_t *list_entries(const mpi_mesh *mesh, int32_t n_maps, const int32_t *maps, int64_t *n,
                             bool *all, mplan_error *err)
{
    const int64_t rows = mpi_own_members(mesh, mesh->maps[maps[0]].from);
    int64_t most = 0;
    for (int32_t m = 0; m < n_maps; m++)
        most += mpi_own_entries(mesh, &mesh->maps[maps[m]]);
    int64_t *list = mplan_alloc(most, sizeof *list, err);
    *n = 0;
    *all = true;
    for (int64_t i = 0; list && i < rows; i++) {
        const int64_t before = *n;
        for (int32_t m = 0; m < n_maps; m++) {
            int64_t length;
            const int64_t *row = mpi_map_row(&mesh->maps[maps[m]], i, &length);
            for (int64_t k = 0; k < length; k++)
                if (row[k] >= 0)
                    list[(*n)++] = row[k];
        }
        *all = *all && *n > before;
    }
    return list;
}

/* Entries of this rank, counted by point, in the order of points, and so of the ranks that have them. counts: how many
 * each rank gets.
 * counts: 0 before, one a rank. out: as many records as counts has in all; its own count is not
 * set. A rank sends a point once, however many of its rows name it. */
static mplan_status count_named(const mpi_mesh *mesh, int32_t n_maps, const int32_t *maps,
                                int64_t *counts, mplan_vector *out, bool *all, mplan_error *err)
{
    const mpi_set *to = &mesh->sets[mesh->maps[maps[0]].to];
    int64_t n = 0;
    int64_t *list = list_entries(mesh, n_maps, maps, &n, all, err);
    int64_t *sorted = NULL, distinct = -1;
    if (list && mpi_ids_of(list, n, 0, 0, &sorted, &distinct, err))
        distinct = -1;
    named *names = distinct < 0 ? NULL : mplan_vector_reserve(out, distinct, err);
    mplan_status status = names ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < distinct && !status; i++) {
        names[i] = (named){sorted[i], 0, 0};
        counts[mpi_rank_of(to->first, mesh->ranks, sorted[i])]++;
    }
    mpi_finder finder;
    mpi_finder_open(sorted, distinct < 0 ? 0 : distinct, &finder);
    const int64_t columns = columns_of(mesh, n_maps, maps);
    const bool whole = columns * mpi_own_members(mesh, mesh->maps[maps[0]].from) == n;
    for (int64_t i = 0; i < n && !status; i++) {
        named *name = &names[mpi_find(&finder, list[i])];
        const uint64_t bit = whole ? UINT64_C(1) << (i % columns) : TWICE;
        name->n++;
        name->columns |= name->columns & bit ? TWICE : bit;
    }
    mpi_finder_close(&finder);
    free(list);
    free(sorted);
    return status;
}

/* Whether all ranks ask at this moment, or one of them has come to its end before. Collective, as long as some rank asks: those
 * that are at their end go on to vote (mpi_facts_end). */
static void vote(MPI_Comm comm, bool asks, bool *all, bool *any)
{
    int votes[2] = {asks, !asks}, sums[2];
    mpi_allreduce(votes, sums, 2, MPI_INT, MPI_SUM, comm);
    *all = sums[1] == 0;
    *any = sums[0] > 0;
}

void mpi_facts_end(const mpi_facts *facts)
{
    bool all, any = true;
    assert(facts && facts->mesh);
    while (any)
        vote(facts->mesh->comm, false, &all, &any);
}

/* mplan_mesh_facts.reach: points are counted by the ranks that have them. user: the mpi_facts.
 * Collective: all ranks ask for the same maps in the same order. Each point is counted on one
 * rank, where what other ranks have found of it comes together, so that the largest valence is
 * exact. */
static mplan_status reach(void *user, int32_t n_maps, const int32_t *maps, mplan_reach *out,
                          mplan_error *err)
{
    mpi_facts *facts = user;
    const mpi_mesh *mesh = facts->mesh;
    const int32_t set = mesh->maps[maps[0]].to;
    mplan_vector names = MPLAN_VECTOR_INIT(sizeof(named));
    mpi_items got = {0};
    bool every = true, all, any;
    vote(mesh->comm, true, &all, &any);
    if (!all) {
        facts->stopped = true;
        return mplan_fail(err, MPLAN_ERR_MEMORY, "another rank could not go on");
    }
    int64_t *counts = mplan_alloc_zero(mesh->ranks, sizeof *counts, err);
    mplan_status status = counts ? count_named(mesh, n_maps, maps, counts, &names, &every, err)
                                 : MPLAN_ERR_MEMORY;
    status = mpi_exchange(mesh->comm, status, sizeof(named), names.data, counts, &got, err);
    int64_t *found = status ? NULL : mplan_alloc_zero(mpi_own_members(mesh, set), sizeof *found, err);
    uint64_t *columns = found ? mplan_alloc_zero(mpi_own_members(mesh, set), sizeof *columns, err)
                              : NULL;
    int64_t sums[4] = {0, 0, !every, 0}, most = 0;
    const named *item = got.data;
    for (int64_t i = 0; columns && i < got.n; i++) {
        const int64_t place = item[i].point - mesh->sets[set].first[mesh->rank];
        int64_t *at = &found[place];
        sums[3] += ((columns[place] | TWICE) & item[i].columns) != 0;
        columns[place] |= item[i].columns;
        sums[0] += item[i].n;
        sums[1] += *at == 0;
        *at += item[i].n;
        most = *at > most ? *at : most;
    }
    if (!status)
        status = mpi_agree(mesh->comm, columns ? MPLAN_OK : MPLAN_ERR_MEMORY, err);
    if (!status) {
        mpi_allreduce(MPI_IN_PLACE, sums, 4, MPI_INT64_T, MPI_SUM, mesh->comm);
        *out = (mplan_reach){sums[0], sums[1], mpi_most(mesh->comm, most), sums[2] == 0,
                             sums[0] > 0 && sums[3] == 0};
    }
    free(columns);
    free(found);
    free(counts);
    free(names.data);
    mpi_items_free(&got);
    return status;
}

/* --- both -------------------------------------------------------------------------------------- */

/* Counts are made once, of all maps of the mesh; what maps reach is counted when it is asked for, which few requests do. */
mplan_status mpi_facts_open(const mpi_mesh *mesh, mpi_facts *out, mplan_error *err)
{
    assert(mesh && out);
    *out = (mpi_facts){.mesh = mesh};
    out->sizes = mplan_alloc(mesh->n_sets, sizeof *out->sizes, err);
    out->maps = mplan_alloc(mesh->n_maps, sizeof *out->maps, err);
    mplan_status status = out->sizes && out->maps ? make_head(mesh, &out->head, err)
                                                  : MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (status)
        return status;
    for (int32_t s = 0; s < mesh->n_sets; s++)
        out->sizes[s] = mesh->sets[s].size;
    count_maps(mesh, out->maps);
    out->facts = (mplan_mesh_facts){mesh->n_sets, mesh->n_maps, out->sizes, out->maps,
                                    reach,        out,          NULL};
    return MPLAN_OK;
}

mplan_status mpi_facts_layers(mpi_facts *facts, mplan_error *err)
{
    assert(facts && facts->mesh && !facts->layers);
    facts->layers = mplan_alloc_zero(facts->mesh->n_sets, sizeof *facts->layers, err);
    mplan_status status = mpi_agree(facts->mesh->comm, facts->layers ? MPLAN_OK : MPLAN_ERR_MEMORY,
                                    err);
    for (int32_t s = 0; s < facts->mesh->n_sets && !status; s++)
        status = mpi_layers_count(facts->mesh, s, &facts->layers[s], err);
    facts->facts.layers = facts->layers;
    return status;
}

/* Also of facts that are zero. */
void mpi_facts_close(mpi_facts *facts)
{
    assert(facts);
    mplan_mesh_free(facts->head);
    free(facts->sizes);
    free(facts->maps);
    free(facts->layers);
    *facts = (mpi_facts){0};
}
