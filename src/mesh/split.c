/* SPDX-License-Identifier: Apache-2.0 */
/* split.c - cuts a set in two: rows of a map without -1, and the others
 *
 * What points into the set keeps what it can: entries for members that went to
 * the new set become -1. Without its cells as read a mesh cannot derive faces
 * any more, so the cell types go when cells or nodes are cut. */
#include "meshplan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/derive.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

/* A member's index in the set that it stays in or goes to. */
typedef struct set_cut {
    int64_t size, n_kept, n_moved;
    int32_t *place; /* size entries: new index when kept, -1 - new index when moved */
} set_cut;

/* Everything that is made before anything is changed. */
typedef struct new_set {
    mplan_mesh_map_data *kept;  /* per map of the mesh: new arrays of maps from the set, or */
    mplan_mesh_map_data *moved; /* new values of maps to it; nothing for other maps */
    int32_t n_maps;
    double *kept_coordinates, *moved_coordinates;
    int64_t *kept_ids, *moved_ids, *boundary_ids;
    int32_t *kept_ranges, *moved_ranges; /* layers of columns */
    uint32_t *kept_mask, *moved_mask;
    char *kept_split, *moved_split, *name;
} new_set;

/* place[r]: new number of row r among the rows that stay (complete rows), or -1 - its
 * number among those that move. */
static mplan_status make_cut(const mplan_map *map, set_cut *cut, mplan_error *err)
{
    cut->size = map->n_rows;
    cut->n_kept = cut->n_moved = 0;
    cut->place = mplan_alloc(map->n_rows, sizeof *cut->place, err);
    if (!cut->place)
        return MPLAN_ERR_MEMORY;
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        const int32_t *row = mplan_map_row(map, r, &n);
        bool whole = true;
        for (int32_t k = 0; k < n; k++)
            whole = whole && row[k] >= 0;
        cut->place[r] = (int32_t)(whole ? cut->n_kept++ : -1 - cut->n_moved++);
    }
    return MPLAN_OK;
}

/* --- maps ------------------------------------------------------------------ */

/* Of a map that was not handed on; empty afterwards. */
static void free_arrays(mplan_mesh_map_data *map)
{
    free(map->name);
    free(map->offsets);
    free(map->values);
    memset(map, 0, sizeof *map);
}

/* Rows of the members that stay, unchanged. */
static mplan_status keep_rows(const mplan_map *map, const set_cut *cut, mplan_mesh_map_data *out,
                              mplan_error *err)
{
    int64_t entries = 0, row = 0;
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        mplan_map_row(map, r, &n);
        entries += cut->place[r] >= 0 ? n : 0;
    }
    if (map->offsets && !(out->offsets = mplan_alloc(cut->n_kept + 1, sizeof *out->offsets, err)))
        return MPLAN_ERR_MEMORY;
    if (!(out->values = mplan_alloc(entries, sizeof *out->values, err)))
        return MPLAN_ERR_MEMORY;
    entries = 0;
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        const int32_t *from = mplan_map_row(map, r, &n);
        if (cut->place[r] < 0)
            continue;
        if (out->offsets)
            out->offsets[row++] = entries;
        memcpy(out->values + entries, from, (size_t)n * sizeof *from);
        entries += n;
    }
    if (out->offsets)
        out->offsets[row] = entries;
    out->arity = map->arity;
    return MPLAN_OK;
}

/* Rows of the members that go, without -1; fixed when all are equally long. */
static mplan_status move_rows(const mplan_map *map, const set_cut *cut, mplan_mesh_map_data *out,
                              mplan_error *err)
{
    int64_t *offsets = mplan_alloc(cut->n_moved + 1, sizeof *offsets, err);
    out->offsets = offsets;
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    int64_t row = 0, entries = 0;
    int32_t arity = cut->n_moved == 0 ? map->arity : -1; /* -1: no row seen yet */
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n, length = 0;
        const int32_t *from = mplan_map_row(map, r, &n);
        if (cut->place[r] >= 0)
            continue;
        for (int32_t k = 0; k < n; k++)
            length += from[k] >= 0;
        arity = arity == -1 || arity == length ? length : 0;
        offsets[row++] = entries;
        entries += length;
    }
    offsets[row] = entries;
    out->arity = arity;
    if (!(out->values = mplan_alloc(entries, sizeof *out->values, err)))
        return MPLAN_ERR_MEMORY;
    entries = 0;
    for (int64_t r = 0; r < map->n_rows; r++) {
        int32_t n;
        const int32_t *from = mplan_map_row(map, r, &n);
        for (int32_t k = 0; k < n; k++)
            if (cut->place[r] < 0 && from[k] >= 0)
                out->values[entries++] = from[k];
    }
    if (arity > 0) {
        free(out->offsets);
        out->offsets = NULL;
    }
    return MPLAN_OK;
}

/* Entries into the set, by its new numbers. */
static void renumber_entries(const set_cut *cut, int64_t n, int32_t *values)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] >= 0)
            values[i] = cut->place[values[i]] >= 0 ? cut->place[values[i]] : -1;
}

/* Whether a map of the mesh or one that is being made has this name. */
static bool name_taken(const mplan_mesh *mesh, const new_set *made, const char *name)
{
    if (mplan_mesh_find_map(mesh, name) >= 0)
        return true;
    for (int32_t i = 0; i < made->n_maps; i++)
        if (made->moved[i].name && strcmp(made->moved[i].name, name) == 0)
            return true;
    return false;
}

/* <set>_boundary_<to>; where a second map goes to the same set, its own name
 * takes the place of <to>. */
static mplan_status name_moved(const mplan_mesh *mesh, const new_set *made, const mplan_map *map,
                               char **name, mplan_error *err)
{
    const char *to = mesh->sets[map->to].name;
    for (int attempt = 0; attempt < 2; attempt++) {
        size_t size = strlen(made->name) + strlen(to) + 2;
        char *text = mplan_alloc((int64_t)size, 1, err);
        if (!text)
            return MPLAN_ERR_MEMORY;
        snprintf(text, size, "%s_%s", made->name, to);
        if (!name_taken(mesh, made, text)) {
            *name = text;
            return MPLAN_OK;
        }
        free(text);
        to = map->name;
    }
    return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is already a map '%s_%s'", made->name, to);
}

/* The map as it is after the cut: rows of the set are dealt to both sets, entries into
 * it renumbered or moved. made->kept[index] and moved[index] own the new arrays. */
static mplan_status cut_map(const mplan_mesh *mesh, int32_t set, int32_t index, const set_cut *cut,
                            new_set *made, mplan_error *err)
{
    mplan_map map = mplan_mesh_map(mesh, index);
    mplan_mesh_map_data *kept = &made->kept[index], *moved = &made->moved[index];
    int32_t *renumbered = NULL;
    mplan_status status = MPLAN_OK;
    if (map.to == set) {
        int64_t n = mplan_map_entries(&map);
        renumbered = mplan_copy(map.values, n, sizeof *renumbered, err);
        if (!renumbered)
            return MPLAN_ERR_MEMORY;
        renumber_entries(cut, n, renumbered);
        map.values = renumbered;
    }
    if (map.from != set) {
        kept->values = renumbered;
        return MPLAN_OK;
    }
    status = keep_rows(&map, cut, kept, err);
    if (!status)
        status = move_rows(&map, cut, moved, err);
    if (!status)
        status = name_moved(mesh, made, &map, &moved->name, err);
    free(renumbered);
    return status;
}

/* --- what belongs to the members --------------------------------------------- */

/* Deals rows of `size` bytes out to kept and moved. */
static mplan_status deal(const set_cut *cut, const void *rows, size_t size, void **kept,
                         void **moved, mplan_error *err)
{
    if (!rows)
        return MPLAN_OK;
    if (!(*kept = mplan_alloc(cut->n_kept, size, err)) ||
        !(*moved = mplan_alloc(cut->n_moved, size, err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t r = 0; r < cut->size; r++) {
        int64_t place = cut->place[r];
        void *to = place >= 0 ? (char *)*kept + (size_t)place * size
                              : (char *)*moved + (size_t)(-1 - place) * size;
        memcpy(to, (const char *)rows + (size_t)r * size, size);
    }
    return MPLAN_OK;
}

/* Rows go to the set that stays or to the new one. */
static mplan_status deal_coordinates(const mplan_mesh_set_data *set, const set_cut *cut,
                                     new_set *made, mplan_error *err)
{
    void *kept = NULL, *moved = NULL;
    mplan_status status = deal(cut, set->coordinates, (size_t)set->dimension * sizeof(double),
                               &kept, &moved, err);
    made->kept_coordinates = kept;
    made->moved_coordinates = moved;
    return status;
}

/* Layers of columns, where they differ, and which of them are there. */
static mplan_status deal_ranges(const mplan_mesh_set_data *set, const set_cut *cut, new_set *made,
                                mplan_error *err)
{
    void *kept = NULL, *moved = NULL;
    mplan_status status = deal(cut, set->ranges, 2 * sizeof *set->ranges, &kept, &moved, err);
    made->kept_ranges = kept;
    made->moved_ranges = moved;
    if (status)
        return status;
    kept = moved = NULL;
    status = deal(cut, set->mask, (size_t)mplan_mask_words(set->layers) * sizeof *set->mask, &kept,
                  &moved, err);
    made->kept_mask = kept;
    made->moved_mask = moved;
    return status;
}

/* Global ids say which member of the input a row was: they exist from the first cut on. */
static mplan_status deal_ids(const mplan_mesh_set_data *set, const set_cut *cut, new_set *made,
                             mplan_error *err)
{
    if (!(made->kept_ids = mplan_alloc(cut->n_kept, sizeof(int64_t), err)) ||
        !(made->moved_ids = mplan_alloc(cut->n_moved, sizeof(int64_t), err)))
        return MPLAN_ERR_MEMORY;
    for (int64_t r = 0; r < cut->size; r++) {
        int64_t id = set->global_ids ? set->global_ids[r] : r, place = cut->place[r];
        if (place >= 0)
            made->kept_ids[place] = id;
        else
            made->moved_ids[-1 - place] = id;
    }
    return MPLAN_OK;
}

/* Adds the members of group g that moved as a group of the new set, and
 * *kept gets those that stay. */
static mplan_status cut_group(mplan_mesh *mesh, int32_t g, const set_cut *cut, int32_t to,
                              int32_t **kept, int64_t *n_kept, mplan_error *err)
{
    const mplan_mesh_group_data group = mesh->groups[g];
    int64_t n = 0, n_moved = 0;
    for (int64_t i = 0; i < group.n_members; i++)
        n_moved += cut->place[group.members[i]] < 0;
    int32_t *stay = mplan_alloc(group.n_members - n_moved, sizeof *stay, err);
    int32_t *moved = stay ? mplan_alloc(n_moved, sizeof *moved, err) : NULL;
    if (!moved) {
        free(stay);
        return MPLAN_ERR_MEMORY;
    }
    n_moved = 0;
    for (int64_t i = 0; i < group.n_members; i++) {
        int32_t place = cut->place[group.members[i]];
        if (place >= 0)
            stay[n++] = place;
        else
            moved[n_moved++] = -1 - place;
    }
    *kept = stay;
    *n_kept = n;
    if (n_moved == 0) {
        free(moved);
        return MPLAN_OK;
    }
    return mplan_mesh_take_group(mesh, group.name, group.id, group.dimension, to, n_moved, moved,
                                 err);
}

/* Groups are cut last but for the exchange: those of the new set are added and
 * can be rolled back, the others wait in `kept` (one list per old group). */
static mplan_status cut_groups(mplan_mesh *mesh, int32_t set, const set_cut *cut, int32_t to,
                               int32_t **kept, int64_t *n_kept, int32_t n_groups, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; !status && g < n_groups; g++)
        if (mesh->groups[g].set == set)
            status = cut_group(mesh, g, cut, to, &kept[g], &n_kept[g], err);
    return status;
}

/* --- the exchange --------------------------------------------------------------- */

/* What is left of it: pointers that the mesh has taken were exchanged for old ones. */
static void free_new(new_set *made)
{
    for (int32_t i = 0; i < made->n_maps; i++) {
        if (made->kept)
            free_arrays(&made->kept[i]);
        if (made->moved)
            free_arrays(&made->moved[i]);
    }
    free(made->kept);
    free(made->moved);
    free(made->kept_coordinates);
    free(made->moved_coordinates);
    free(made->kept_ids);
    free(made->moved_ids);
    free(made->kept_ranges);
    free(made->moved_ranges);
    free(made->kept_mask);
    free(made->moved_mask);
    free(made->boundary_ids);
    free(made->kept_split);
    free(made->moved_split);
    free(made->name);
}

/* Everything new is made before the mesh is changed: the set SET_boundary, its maps,
 * coordinates, ids. */
static mplan_status make_parts(const mplan_mesh *mesh, int32_t set, int32_t map, const set_cut *cut,
                               new_set *made, mplan_error *err)
{
    const mplan_mesh_set_data *old = &mesh->sets[set];
    size_t size = strlen(old->name) + sizeof "_boundary";
    made->name = mplan_alloc((int64_t)size, 1, err);
    if (!made->name)
        return MPLAN_ERR_MEMORY;
    snprintf(made->name, size, "%s_boundary", old->name);
    if (!(made->kept_split = mplan_strdup(mesh->maps[map].name, err)) ||
        !(made->moved_split = mplan_strdup(mesh->maps[map].name, err)) ||
        !(made->kept = mplan_alloc_zero(mesh->n_maps, sizeof *made->kept, err)) ||
        !(made->moved = mplan_alloc_zero(mesh->n_maps, sizeof *made->moved, err)))
        return MPLAN_ERR_MEMORY;
    made->n_maps = mesh->n_maps;
    mplan_status status = deal_coordinates(old, cut, made, err);
    if (!status)
        status = deal_ids(old, cut, made, err);
    if (!status)
        status = deal_ranges(old, cut, made, err);
    if (!status && mesh->boundary_ids && strcmp(old->name, "boundary_faces") == 0) {
        void *kept = NULL, *moved = NULL;
        status = deal(cut, mesh->boundary_ids, sizeof(int64_t), &kept, &moved, err);
        made->boundary_ids = kept;
        free(moved);
    }
    for (int32_t i = 0; !status && i < made->n_maps; i++)
        status = cut_map(mesh, set, i, cut, made, err);
    return status;
}

/* Adds the new set and its maps; all can be rolled back. */
static mplan_status add_moved(mplan_mesh *mesh, int32_t set, const set_cut *cut, new_set *made,
                              int32_t *to, mplan_error *err)
{
    mplan_status status = mplan_mesh_add_set(mesh, made->name, cut->n_moved, to, err);
    for (int32_t i = 0; !status && i < made->n_maps; i++) {
        mplan_mesh_map_data *moved = &made->moved[i];
        if (mesh->maps[i].from != set)
            continue;
        status = mplan_mesh_take_map(mesh, moved->name, *to, mesh->maps[i].to, moved->arity,
                                     moved->offsets, moved->values, NULL, err);
        moved->offsets = NULL;
        moved->values = NULL;
    }
    return status;
}

/* a and b: addresses of two pointers of any type. */
static void swap_pointers(void *a, void *b)
{
    void *x, *y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    memcpy(a, &y, sizeof y);
    memcpy(b, &x, sizeof x);
}

/* Gives the old set and the new one their data; `made` is left with what goes. */
static void exchange(mplan_mesh *mesh, int32_t set, int32_t to, const set_cut *cut, new_set *made)
{
    mplan_mesh_set_data *old = &mesh->sets[set], *moved = &mesh->sets[to];
    for (int32_t i = 0; i < made->n_maps; i++) {
        mplan_mesh_map_data *map = &mesh->maps[i], *kept = &made->kept[i];
        if (map->from != set && map->to != set)
            continue;
        swap_pointers(&map->values, &kept->values);
        if (map->from == set)
            swap_pointers(&map->offsets, &kept->offsets);
    }
    swap_pointers(&old->coordinates, &made->kept_coordinates);
    swap_pointers(&moved->coordinates, &made->moved_coordinates);
    moved->dimension = old->dimension;
    swap_pointers(&old->global_ids, &made->kept_ids);
    swap_pointers(&moved->global_ids, &made->moved_ids);
    swap_pointers(&old->ranges, &made->kept_ranges);
    swap_pointers(&moved->ranges, &made->moved_ranges);
    swap_pointers(&old->mask, &made->kept_mask);
    swap_pointers(&moved->mask, &made->moved_mask);
    moved->layers = old->layers;
    swap_pointers(&old->split, &made->kept_split);
    swap_pointers(&moved->split, &made->moved_split);
    if (made->boundary_ids)
        swap_pointers(&mesh->boundary_ids, &made->boundary_ids);
    old->size = cut->n_kept;
    bool cells = strcmp(old->name, "cells") == 0 || strcmp(old->name, "nodes") == 0;
    if (cells && cut->n_moved > 0) {
        free(mesh->cell_type);
        mesh->cell_type = NULL;
    }
}

/* The map must leave the set and lead elsewhere. */
static mplan_status check_request(const mplan_mesh *mesh, int32_t set, int32_t map, mplan_error *err)
{
    if (set < 0 || set >= mesh->n_sets || map < 0 || map >= mesh->n_maps ||
        mesh->maps[map].from != set)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "a set can only be split by the -1 entries of a map from that set");
    if (mesh->maps[map].to == set)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s cannot be split by %s, which leads to the same set",
                          mesh->sets[set].name, mesh->maps[map].name);
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        const mplan_mesh_set_data *group = &mesh->sets[s];
        if (group->parent_index && (s == set || group->parent == set))
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "%s cannot be split: set %s is a group's; use `none: skip`",
                              mesh->sets[set].name, group->name);
    }
    if (strcmp(mesh->sets[set].name, "nodes") == 0 && mesh->n_facet_groups > 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "nodes cannot be split while groups of facets refer to them");
    return MPLAN_OK;
}

/* Members with -1 in the map move to a new set <set>_boundary, with copies of all maps of the
 * set; others keep their order and number themselves anew. All is prepared before the mesh
 * changes, which then cannot fail: after a failure it is as it was. */
mplan_status mplan_mesh_split(mplan_mesh *mesh, int32_t set, int32_t map, mplan_error *err)
{
    MPLAN_NEED(mesh);
    new_set made = {0};
    set_cut cut = {0, 0, 0, NULL};
    int32_t **kept = NULL, to, n_groups = mesh->n_groups;
    int64_t *n_kept = NULL;
    mplan_mesh_mark mark = mplan_mesh_mark_of(mesh);
    mplan_status status = check_request(mesh, set, map, err);
    if (!status)
        status = mplan_fill_faces_nodes(mesh, NULL, err);
    if (status)
        return status;
    mplan_map by = mplan_mesh_map(mesh, map);
    status = make_cut(&by, &cut, err);
    if (!status)
        status = make_parts(mesh, set, map, &cut, &made, err);
    if (!status)
        status = add_moved(mesh, set, &cut, &made, &to, err);
    if (!status && (!(kept = mplan_alloc_zero(n_groups, sizeof *kept, err)) ||
                    !(n_kept = mplan_alloc_zero(n_groups, sizeof *n_kept, err))))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = cut_groups(mesh, set, &cut, to, kept, n_kept, n_groups, err);
    if (!status) {
        exchange(mesh, set, to, &cut, &made);
        for (int32_t g = 0; g < n_groups; g++)
            if (kept[g]) {
                swap_pointers(&mesh->groups[g].members, &kept[g]);
                mesh->groups[g].n_members = n_kept[g];
            }
    } else {
        mplan_mesh_roll_back(mesh, mark);
    }
    for (int32_t g = 0; kept && g < n_groups; g++)
        free(kept[g]);
    free(kept);
    free(n_kept);
    free_new(&made);
    free(cut.place);
    return status;
}
