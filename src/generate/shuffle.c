/* SPDX-License-Identifier: Apache-2.0 */
/* shuffle.c - numbers the members of a set at random
 *
 * Fisher-Yates (R. Durstenfeld, Algorithm 235, Commun. ACM 7 (1964)). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "generate/generate.h"
#include "mesh/mesh.h"

/* new_of_old: n entries, owned by the caller. The "inside-out" form of Fisher and
 * Yates' shuffle. */
static int32_t *random_permutation(int64_t n, uint64_t *state, mplan_error *err)
{
    int32_t *new_of_old = mplan_alloc(n, sizeof *new_of_old, err);
    if (!new_of_old)
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = mplan_random_below(state, i + 1);
        if (j != i)
            new_of_old[i] = new_of_old[j];
        new_of_old[j] = (int32_t)i;
    }
    return new_of_old;
}

/* Moves n rows of `size` bytes to their new places. */
static mplan_status move_rows(void **rows, int64_t n, size_t size, const int32_t *new_of_old,
                              mplan_error *err)
{
    char *moved = mplan_alloc(n, size, err);
    if (!moved)
        return MPLAN_ERR_MEMORY;
    const char *old = *rows;
    for (int64_t i = 0; i < n; i++)
        memcpy(moved + (size_t)new_of_old[i] * size, old + (size_t)i * size, size);
    free(*rows);
    *rows = moved;
    return MPLAN_OK;
}

static void renumber(int32_t *values, int64_t n, const int32_t *new_of_old)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] >= 0)
            values[i] = new_of_old[values[i]];
}

/* Moves the n rows of a ragged map to their new places; rows keep their order within. */
static mplan_status move_ragged(mplan_mesh_map_data *map, int64_t n, const int32_t *new_of_old,
                                mplan_error *err)
{
    int64_t *offsets = mplan_alloc_zero(n + 1, sizeof *offsets, err);
    int32_t *values = offsets ? mplan_alloc(map->offsets[n], sizeof *values, err) : NULL;
    if (!values) {
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t i = 0; i < n; i++)
        offsets[new_of_old[i] + 1] = map->offsets[i + 1] - map->offsets[i];
    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] += offsets[i];
    for (int64_t i = 0; i < n; i++)
        memcpy(values + offsets[new_of_old[i]], map->values + map->offsets[i],
               (size_t)(map->offsets[i + 1] - map->offsets[i]) * sizeof *values);
    free(map->offsets);
    free(map->values);
    map->offsets = offsets;
    map->values = values;
    return MPLAN_OK;
}

/* Rows of maps from the set move, entries of maps into it are renumbered. */
static mplan_status shuffle_maps(mplan_mesh *mesh, int32_t set, const int32_t *new_of_old,
                                 mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t m = 0; m < mesh->n_maps && !status; m++) {
        mplan_mesh_map_data *map = &mesh->maps[m];
        int64_t n_rows = mesh->sets[map->from].size;
        if (map->to == set)
            renumber(map->values, map->offsets ? map->offsets[n_rows] : n_rows * map->arity,
                     new_of_old);
        if (map->from == set && map->offsets) {
            status = move_ragged(map, n_rows, new_of_old, err);
        } else if (map->from == set) {
            void *rows = map->values;
            status = move_rows(&rows, mesh->sets[set].size,
                               (size_t)map->arity * sizeof *map->values, new_of_old, err);
            map->values = rows;
        }
    }
    return status;
}

/* Entries are nodes. */
static void renumber_facets(mplan_mesh *mesh, const int32_t *new_of_old)
{
    for (int32_t g = 0; g < mesh->n_facet_groups; g++) {
        const mplan_mesh_facets *group = &mesh->facets[g];
        int64_t entries = 0;
        for (int64_t f = 0; f < group->n_facets; f++)
            entries += mplan_cell_type_nodes((mplan_cell_type)group->type[f]);
        renumber(group->nodes, entries, new_of_old);
    }
}

/* All that is stored by members of the set follows one permutation: rows and values of maps,
 * coordinates, cell types, and the nodes of facets. *state moves on, so that the next set gets
 * another permutation. */
mplan_status mplan_mesh_shuffle(mplan_mesh *mesh, int32_t set, uint64_t *state, mplan_error *err)
{
    mplan_mesh_set_data *data = &mesh->sets[set];
    int32_t *new_of_old = random_permutation(data->size, state, err);
    if (!new_of_old)
        return MPLAN_ERR_MEMORY;
    mplan_status status = shuffle_maps(mesh, set, new_of_old, err);
    if (!status && data->coordinates) {
        void *rows = data->coordinates;
        status = move_rows(&rows, data->size, (size_t)data->dimension * sizeof *data->coordinates,
                           new_of_old, err);
        data->coordinates = rows;
    }
    if (!status && set == mplan_mesh_find_set(mesh, "cells") && mesh->cell_type) {
        void *rows = mesh->cell_type;
        status = move_rows(&rows, data->size, 1, new_of_old, err);
        mesh->cell_type = rows;
    }
    if (!status && set == mplan_mesh_find_set(mesh, "nodes"))
        renumber_facets(mesh, new_of_old);
    free(new_of_old);
    return status;
}
