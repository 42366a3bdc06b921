/* SPDX-License-Identifier: Apache-2.0 */
/* mpi_split.c - cuts a set of a spread mesh in two: rows of a map without -1, and the others
 *
 * As mesh/split.c does it in one process, with the same names and numbers. A rank keeps what it has: of its members those that
 * stay and those that go are each numbered behind those of the ranks before it. What points into the set asks the ranks that
 * have its members for their new numbers. Functions are collective but where they say otherwise. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mpi/exchange.h"
#include "mpi/mpi_graph.h"
#include "mpi/mpi_layers.h"

/* A set that is cut. place: of own members, their number among those that stay, or -1 - that among those that go; first: of
 * both, ranks + 1. */
typedef struct cutting {
    mpi_mesh *mesh;
    int32_t set;
    int64_t n, n_kept, n_moved; /* of this rank */
    int64_t *place, *kept_first, *moved_first;
} cutting;

static void close_cutting(cutting *c)
{
    free(c->place);
    free(c->kept_first);
    free(c->moved_first);
}

/* By own rows of the map. */
static mplan_status open_cutting(mpi_mesh *mesh, int32_t set, int32_t map, cutting *c,
                                 mplan_error *err)
{
    *c = (cutting){.mesh = mesh, .set = set, .n = mpi_own_members(mesh, set)};
    c->place = mplan_alloc(c->n, sizeof *c->place, err);
    c->kept_first = mplan_alloc(mesh->ranks + 1, sizeof *c->kept_first, err);
    c->moved_first = mplan_alloc(mesh->ranks + 1, sizeof *c->moved_first, err);
    mplan_status status = c->place && c->kept_first && c->moved_first ? MPLAN_OK : MPLAN_ERR_MEMORY;
    status = mpi_agree(mesh->comm, status, err);
    if (status)
        return status;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t length;
        const int64_t *row = mpi_map_row(&mesh->maps[map], i, &length);
        bool whole = true;
        for (int64_t k = 0; k < length; k++)
            whole = whole && row[k] >= 0;
        c->place[i] = whole ? c->n_kept++ : -1 - c->n_moved++;
    }
    mpi_ranges_of(mesh->comm, c->n_kept, c->kept_first);
    mpi_ranges_of(mesh->comm, c->n_moved, c->moved_first);
    for (int64_t i = 0; i < c->n; i++)
        c->place[i] += c->place[i] >= 0 ? c->kept_first[mesh->rank] : -c->moved_first[mesh->rank];
    return MPLAN_OK;
}

/* --- maps ------------------------------------------------------------------------------------------ */

/* Entries of a map into the set, by its new numbers; -1 for members that go. */
static mplan_status renumber(const cutting *c, mpi_map *map, mplan_error *err)
{
    const int64_t entries = mpi_own_entries(c->mesh, map);
    int64_t n = 0, *numbers = mplan_alloc(entries, sizeof *numbers, err);
    int64_t *places = mplan_alloc(entries, sizeof *places, err);
    mplan_status status = numbers && places ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < entries && !status; i++)
        if (map->values[i] >= 0)
            numbers[n++] = map->values[i];
    status = mpi_fetch_values(c->mesh->comm, status, c->mesh->sets[c->set].first, n, numbers,
                              sizeof *places, c->place, places, err);
    for (int64_t i = 0, at = 0; i < entries && !status; i++)
        if (map->values[i] >= 0) {
            map->values[i] = places[at] >= 0 ? places[at] : -1;
            at++;
        }
    free(numbers);
    free(places);
    return mpi_agree(c->mesh->comm, status, err);
}

/* Rows of one kind of members: those that stay as they are, those that go without -1. *arity 0: ragged; -1: rows of this rank
 * have *least to *most entries, which is told. Not collective. offsets and values: the caller's, also after a failure. */
static mplan_status take_rows(const cutting *c, const mpi_map *map, bool moved, int64_t **offsets,
                              int64_t **values, int64_t *least, int64_t *most, mplan_error *err)
{
    int64_t at = 0, row = 0;
    *least = INT64_MAX;
    *most = -1;
    *offsets = mplan_alloc((moved ? c->n_moved : c->n_kept) + 1, sizeof **offsets, err);
    *values = mplan_alloc(mpi_own_entries(c->mesh, map), sizeof **values, err);
    if (!*offsets || !*values)
        return MPLAN_ERR_MEMORY;
    (*offsets)[0] = 0;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t n;
        const int64_t *from = mpi_map_row(map, i, &n), begin = at;
        if ((c->place[i] < 0) != moved)
            continue;
        for (int64_t k = 0; k < n; k++)
            if (!moved || from[k] >= 0)
                (*values)[at++] = from[k];
        (*offsets)[++row] = at;
        *least = at - begin < *least ? at - begin : *least;
        *most = at - begin > *most ? at - begin : *most;
    }
    return MPLAN_OK;
}

/* The arity of rows of all ranks: 0 where they differ, are all empty, or there are none. */
static int32_t arity_of(const cutting *c, const mpi_map *map, int64_t least, int64_t most)
{
    const int64_t low = -mpi_most(c->mesh->comm, -least);
    const int64_t high = mpi_most(c->mesh->comm, most);
    return high < 0 ? map->arity : low == high ? (int32_t)high : 0;
}

/* <set>_boundary_<to>; where a second map goes to the same set, its own name takes the place of <to>. Not collective, and
 * alike on all ranks, as memory runs out on each by itself: the caller agrees. */
static mplan_status name_moved(const mpi_mesh *mesh, const char *set, const mpi_map *map,
                               char **name, mplan_error *err)
{
    const char *to = mesh->sets[map->to].name;
    for (int attempt = 0; attempt < 2; attempt++) {
        const size_t size = strlen(set) + strlen(to) + 2;
        char *text = mplan_alloc((int64_t)size, 1, err);
        if (!text)
            return MPLAN_ERR_MEMORY;
        snprintf(text, size, "%s_%s", set, to);
        if (mpi_mesh_find_map(mesh, text) < 0) {
            *name = text;
            return MPLAN_OK;
        }
        free(text);
        to = map->name;
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is already a map '%s_%s'", set, to);
}

/* A map from the set becomes two. moved: the set of those that go. */
static mplan_status cut_map(cutting *c, int32_t index, int32_t moved, mplan_error *err)
{
    mpi_mesh *mesh = c->mesh;
    const mpi_map map = mesh->maps[index];
    int64_t *offsets[2] = {NULL, NULL}, *values[2] = {NULL, NULL}, least, most;
    char *name = NULL;
    mplan_status status = name_moved(mesh, mesh->sets[moved].name, &map, &name, err);
    if (!status)
        status = take_rows(c, &map, false, &offsets[0], &values[0], &least, &most, err);
    if (!status)
        status = take_rows(c, &map, true, &offsets[1], &values[1], &least, &most, err);
    status = mpi_agree(mesh->comm, status, err);
    for (int i = 0; i < 2 && status; i++) {
        free(offsets[i]);
        free(values[i]);
    }
    if (!status) {
        const int32_t arity = arity_of(c, &map, least, most);
        for (int i = 0; i < 2; i++)
            if ((i ? arity : map.arity) > 0) {
                free(offsets[i]);
                offsets[i] = NULL;
            }
        free(mesh->maps[index].offsets);
        free(mesh->maps[index].values);
        mesh->maps[index].offsets = offsets[0];
        mesh->maps[index].values = values[0];
        status = mpi_agree(mesh->comm,
                           mpi_mesh_take_map(mesh, name, moved, map.to, arity, offsets[1],
                                             values[1], err),
                           err);
    }
    free(name);
    return status;
}

/* --- what belongs to the members ----------------------------------------------------------------------- */

/* Rows of `size` bytes of own members. *kept, *moved: the caller's, NULL where there are no rows. Not collective. */
static mplan_status deal(const cutting *c, const void *rows, size_t size, void **kept, void **moved,
                         mplan_error *err)
{
    const int64_t kept_first = c->kept_first[c->mesh->rank],
                  moved_first = c->moved_first[c->mesh->rank];
    *kept = *moved = NULL;
    if (!rows)
        return MPLAN_OK;
    *kept = mplan_alloc(c->n_kept, size, err);
    *moved = mplan_alloc(c->n_moved, size, err);
    if (!*kept || !*moved)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < c->n; i++) {
        const int64_t place = c->place[i];
        char *to = place >= 0 ? (char *)*kept + (size_t)(place - kept_first) * size
                              : (char *)*moved + (size_t)(-1 - place - moved_first) * size;
        memcpy(to, (const char *)rows + (size_t)i * size, size);
    }
    return MPLAN_OK;
}

/* Coordinates and layers of both sets; texts by which requests know that they were split. Not collective. */
static mplan_status deal_members(const cutting *c, mpi_set *set, mpi_set *moved, const char *by,
                                 mplan_error *err)
{
    void *kept[3] = {NULL}, *gone[3] = {NULL};
    mplan_status status = deal(c, set->coordinates, (size_t)set->dimension * sizeof(double),
                               &kept[0], &gone[0], err);
    if (!status)
        status = deal(c, set->ranges, 2 * sizeof *set->ranges, &kept[1], &gone[1], err);
    if (!status)
        status = deal(c, set->mask, (size_t)mplan_mask_words(set->layers) * sizeof *set->mask,
                      &kept[2], &gone[2], err);
    if (!status && (!(set->split = mplan_strdup(by, err)) || !(moved->split = mplan_strdup(by, err))))
        status = MPLAN_ERR_MEMORY;
    for (int i = 0; i < 3 && status; i++) {
        free(kept[i]);
        free(gone[i]);
    }
    if (status)
        return status;
    free(set->coordinates);
    free(set->ranges);
    free(set->mask);
    set->coordinates = kept[0], moved->coordinates = gone[0];
    set->ranges = kept[1], moved->ranges = gone[1];
    set->mask = kept[2], moved->mask = gone[2];
    moved->dimension = set->dimension;
    moved->layers = set->layers;
    return MPLAN_OK;
}

/* Ranges of both sets from here on. Without its cells as read a mesh cannot derive faces any more. Not collective. */
static void renumber_sets(cutting *c, int32_t moved)
{
    mpi_mesh *mesh = c->mesh;
    mpi_set *of = &mesh->sets[c->set], *to = &mesh->sets[moved];
    int64_t *first = of->first;
    of->first = c->kept_first;
    c->kept_first = first; /* to be freed */
    first = to->first;
    to->first = c->moved_first;
    c->moved_first = first;
    of->size = of->first[mesh->ranks];
    to->size = to->first[mesh->ranks];
    const bool cells = strcmp(of->name, "cells") == 0 || strcmp(of->name, "nodes") == 0;
    for (int32_t s = 0; s < mesh->n_sets && cells && to->size > 0; s++) {
        free(mesh->sets[s].cell_type);
        mesh->sets[s].cell_type = NULL;
    }
}

/* --- the cut ---------------------------------------------------------------------------------------------- */

/* The new set, without members yet: *moved. */
static mplan_status add_set(mpi_mesh *mesh, int32_t set, int32_t *moved, mplan_error *err)
{
    const size_t size = strlen(mesh->sets[set].name) + sizeof "_boundary";
    char *name = mplan_alloc((int64_t)size, 1, err);
    mplan_status status = name ? MPLAN_OK : MPLAN_ERR_MEMORY;
    if (!status)
        snprintf(name, size, "%s_boundary", mesh->sets[set].name);
    if (!status && mpi_mesh_find_set(mesh, name) >= 0)
        status = mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is already a set '%s'", name);
    if (!status)
        status = mpi_mesh_add_set(mesh, name, 0, moved, err);
    free(name);
    return mpi_agree(mesh->comm, status, err);
}

/* Groups must not be, nor have, sets of their own that members go from. Not collective. */
static mplan_status check_groups(const mpi_mesh *mesh, int32_t set, mplan_error *err)
{
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const mpi_set *group = &mesh->sets[s];
        if (group->parent_index && (s == set || group->parent == set))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "%s cannot be split: set %s is a group's; use `none: skip`",
                              mesh->sets[set].name, group->name);
    }
    if (strcmp(mesh->sets[set].name, "nodes") == 0 && mesh->n_facets > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "nodes cannot be split while groups of facets refer to them");
    return MPLAN_OK;
}

mplan_status mpi_mesh_split(mpi_mesh *mesh, int32_t set, int32_t map, mplan_error *err)
{
    assert(mesh && set >= 0 && map >= 0 && mesh->maps[map].from == set && !mesh->sets[set].split);
    const int32_t n_maps = mesh->n_maps;
    int32_t moved = -1;
    cutting c;
    if (mesh->maps[map].to == set)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s cannot be split by %s, which leads to the same set",
                          mesh->sets[set].name, mesh->maps[map].name);
    mplan_status status = check_groups(mesh, set, err);
    if (status)
        return status;
    status = open_cutting(mesh, set, map, &c, err);
    if (!status)
        status = add_set(mesh, set, &moved, err);
    for (int32_t m = 0; m < n_maps && !status; m++)
        if (mesh->maps[m].to == set)
            status = renumber(&c, &mesh->maps[m], err);
    for (int32_t m = 0; m < n_maps && !status; m++)
        if (mesh->maps[m].from == set)
            status = cut_map(&c, m, moved, err);
    if (!status)
        status = mpi_agree(mesh->comm,
                           deal_members(&c, &mesh->sets[set], &mesh->sets[moved],
                                        mesh->maps[map].name, err),
                           err);
    if (!status)
        renumber_sets(&c, moved);
    close_cutting(&c);
    return status;
}
