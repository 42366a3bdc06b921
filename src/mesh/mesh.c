/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c - what a mesh holds: sets, maps, coordinates and typed cells
 *
 * Everything that comes in is checked here once, so that the rest of the
 * library may index with it. Arrays of sets, maps and groups grow to the next
 * power of two, so that no capacity needs to be stored. */
#include "meshplan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mesh.h"
#include "mesh/mesh_checks.h"

/* Without sets, maps or groups. */
mplan_status mplan_mesh_create(mplan_mesh **mesh, mplan_error *err)
{
    MPLAN_NEED(mesh);
    mplan_mesh *made = mplan_alloc_zero(1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    *mesh = made;
    return MPLAN_OK;
}

/* What is not there is NULL. */
static void free_set(mplan_mesh_set_data *set)
{
    free(set->name);
    free(set->coordinates);
    free(set->sides);
    free(set->split);
    free(set->global_ids);
    free(set->parent_index);
    free(set->weights);
    free(set->sizes);
    free(set->ranges);
    free(set->mask);
}

/* As free_set. */
static void free_map(mplan_mesh_map_data *map)
{
    free(map->name);
    free(map->offsets);
    free(map->values);
}

/* As free_set. */
static void free_group(mplan_mesh_group_data *group)
{
    free(group->name);
    free(group->members);
}

/* What mplan_mesh_roll_back goes back to. */
mplan_mesh_mark mplan_mesh_mark_of(const mplan_mesh *mesh)
{
    mplan_mesh_mark mark = {mesh->n_sets, mesh->n_maps, mesh->n_groups};
    return mark;
}

/* Removes sets, maps and groups that were added after the mark. */
void mplan_mesh_roll_back(mplan_mesh *mesh, mplan_mesh_mark mark)
{
    while (mesh->n_groups > mark.n_groups)
        free_group(&mesh->groups[--mesh->n_groups]);
    while (mesh->n_maps > mark.n_maps)
        free_map(&mesh->maps[--mesh->n_maps]);
    while (mesh->n_sets > mark.n_sets)
        free_set(&mesh->sets[--mesh->n_sets]);
}

void mplan_mesh_drop_map(mplan_mesh *mesh, int32_t map)
{
    assert(mesh && map >= 0 && map < mesh->n_maps);
    free_map(&mesh->maps[map]);
    mesh->n_maps--;
    memmove(&mesh->maps[map], &mesh->maps[map + 1],
            (size_t)(mesh->n_maps - map) * sizeof *mesh->maps);
}

/* mesh may be NULL. */
void mplan_mesh_free(mplan_mesh *mesh)
{
    if (!mesh)
        return;
    mplan_mesh_roll_back(mesh, (mplan_mesh_mark){0, 0, 0});
    for (int32_t i = 0; i < mesh->n_facet_groups; i++) {
        free(mesh->facets[i].name);
        free(mesh->facets[i].type);
        free(mesh->facets[i].nodes);
    }
    free(mesh->facets);
    free(mesh->groups);
    free(mesh->maps);
    free(mesh->sets);
    free(mesh->cell_type);
    free(mesh->boundary_ids);
    free(mesh->format);
    free(mesh->faces_name);
    free(mesh->source);
    free(mesh->zone);
    free(mesh);
}

/* Room for one more entry in a list of n: the list doubles whenever n is a power of
 * two, so that no capacity must be kept. */
void *mplan_mesh_room(void *list, int32_t n, size_t size, mplan_error *err)
{
    assert(n >= 0 && n < INT32_MAX / 2);
    if (list && (n & (n - 1)) != 0)
        return list;
    return mplan_realloc(list, n ? (int64_t)n * 2 : 1, size, err);
}

static bool set_in_range(const mplan_mesh *mesh, int32_t set)
{
    return mesh && set >= 0 && set < mesh->n_sets;
}

/* --- sets -------------------------------------------------------------- */

/* *set (may be NULL): its number. Sizes stay below 2^31 - 1, so that numbers of members and one
 * more fit 32 bits. */
mplan_status mplan_mesh_add_set(mplan_mesh *mesh, const char *name, int64_t size, int32_t *set,
                                mplan_error *err)
{
    MPLAN_NEED(mesh);
    if (!name || !*name)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a set needs a name");
    if (mplan_mesh_find_set(mesh, name) >= 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is already a set '%s'", name);
    if (size < 0 || size >= INT32_MAX)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "set '%s' would have %lld members, the limit is %d", name,
                          (long long)size, INT32_MAX - 1);
    mplan_mesh_set_data *sets = mplan_mesh_room(mesh->sets, mesh->n_sets, sizeof *sets, err);
    if (!sets)
        return MPLAN_ERR_MEMORY;
    mesh->sets = sets;
    mplan_mesh_set_data *added = &sets[mesh->n_sets];
    memset(added, 0, sizeof *added);
    added->name = mplan_strdup(name, err);
    if (!added->name)
        return MPLAN_ERR_MEMORY;
    added->size = size;
    if (set)
        *set = mesh->n_sets;
    mesh->n_sets++;
    return MPLAN_OK;
}

/* What does not depend on the numbers themselves. */
static mplan_status check_coordinate_request(const mplan_mesh *mesh, int32_t set, int32_t dimension,
                                             mplan_error *err)
{
    if (!set_in_range(mesh, set))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is no set %d", set);
    if (dimension != 2 && dimension != 3)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "coordinates of %s have dimension %d, but it must be 2 or 3",
                          mesh->sets[set].name, dimension);
    return MPLAN_OK;
}

/* `take`: coordinates belong to the mesh from here on, also after a failure. size *
 * dimension doubles, all finite. */
mplan_status mplan_mesh_take_coordinates(mplan_mesh *mesh, int32_t set, int32_t dimension,
                                         double *coordinates, mplan_error *err)
{
    mplan_status status = check_coordinate_request(mesh, set, dimension, err);
    if (!status)
        status = mplan_check_coordinates(mesh->sets[set].name, mesh->sets[set].size, dimension,
                                         coordinates, mesh->team, err);
    if (status) {
        free(coordinates);
        return status;
    }
    free(mesh->sets[set].coordinates);
    mesh->sets[set].coordinates = coordinates;
    mesh->sets[set].dimension = dimension;
    mesh->sets[set].by_largest = false;
    return MPLAN_OK;
}

/* Copied: dimension numbers of each member, 1 to 3. */
mplan_status mplan_mesh_set_coordinates(mplan_mesh *mesh, int32_t set, int32_t dimension,
                                        const double *coordinates, mplan_error *err)
{
    MPLAN_NEED(mesh);
    mplan_status status = check_coordinate_request(mesh, set, dimension, err);
    if (status)
        return status;
    if (mesh->sets[set].size > 0)
        MPLAN_NEED(coordinates);
    double *copy = mplan_copy(coordinates, mesh->sets[set].size * dimension, sizeof *copy, err);
    if (!copy)
        return MPLAN_ERR_MEMORY;
    return mplan_mesh_take_coordinates(mesh, set, dimension, copy, err);
}

/* --- maps -------------------------------------------------------------- */

/* What does not depend on the entries: names, sets, arity or offsets, but not both. */
static mplan_status check_map_request(const mplan_mesh *mesh, const char *name, int32_t from,
                                      int32_t to, int32_t arity, const int64_t *offsets,
                                      mplan_error *err)
{
    if (!name || !*name)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a map needs a name");
    if (mplan_mesh_find_map(mesh, name) >= 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "there is already a map '%s'", name);
    if (!set_in_range(mesh, from) || !set_in_range(mesh, to))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "map %s: there is no set %d", name,
                          set_in_range(mesh, from) ? to : from);
    if (arity < 0 || (arity == 0) != (offsets != NULL))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "map %s: %s", name,
                          arity < 0 ? "the arity is negative"
                          : offsets ? "a map of fixed arity must not have offsets"
                                    : "a ragged map must have offsets");
    return MPLAN_OK;
}

/* Name is copied; offsets and values move to the mesh. The caller has checked all of
 * them. */
static mplan_status append_map(mplan_mesh *mesh, const mplan_map *map, int64_t *offsets,
                               int32_t *values, int32_t *index, mplan_error *err)
{
    mplan_mesh_map_data *maps = mplan_mesh_room(mesh->maps, mesh->n_maps, sizeof *maps, err);
    if (!maps)
        return MPLAN_ERR_MEMORY;
    mesh->maps = maps;
    char *name = mplan_strdup(map->name, err);
    if (!name)
        return MPLAN_ERR_MEMORY;
    mplan_mesh_map_data added = {name, map->from, map->to, map->arity, offsets, values, false};
    maps[mesh->n_maps] = added;
    if (index)
        *index = mesh->n_maps;
    mesh->n_maps++;
    return MPLAN_OK;
}

/* `take`: offsets and values belong to the mesh from here on, also after a failure. */
mplan_status mplan_mesh_take_map(mplan_mesh *mesh, const char *name, int32_t from, int32_t to,
                                 int32_t arity, int64_t *offsets, int32_t *values, int32_t *map,
                                 mplan_error *err)
{
    mplan_status status = check_map_request(mesh, name, from, to, arity, offsets, err);
    if (!status) {
        mplan_map view = {name,    from,  to, arity, mesh->sets[from].size, mesh->sets[to].size,
                          offsets, values};
        status = mplan_check_map(&view, mesh->team, err);
        if (!status)
            status = append_map(mesh, &view, offsets, values, map, err);
    }
    if (status) {
        free(offsets);
        free(values);
    } else {
        mesh->sets[from].by_largest = false;
    }
    return status;
}

/* Copied. arity 0: ragged, with n_rows + 1 offsets. */
mplan_status mplan_mesh_add_map(mplan_mesh *mesh, const char *name, int32_t from, int32_t to,
                                int32_t arity, const int64_t *offsets, const int32_t *values,
                                int32_t *map, mplan_error *err)
{
    MPLAN_NEED(mesh);
    mplan_status status = check_map_request(mesh, name, from, to, arity, offsets, err);
    if (status)
        return status;
    int64_t n_rows = mesh->sets[from].size;
    /* the last offset says how much there is to copy; a negative one is refused below */
    int64_t n = arity ? n_rows * arity : offsets[n_rows];
    if (n > 0)
        MPLAN_NEED(values);
    int64_t *offsets_copy = NULL;
    if (offsets && !(offsets_copy = mplan_copy(offsets, n_rows + 1, sizeof *offsets, err)))
        return MPLAN_ERR_MEMORY;
    int32_t *values_copy = mplan_copy(values, n < 0 ? 0 : n, sizeof *values, err);
    if (!values_copy) {
        free(offsets_copy);
        return MPLAN_ERR_MEMORY;
    }
    return mplan_mesh_take_map(mesh, name, from, to, arity, offsets_copy, values_copy, map, err);
}

/* --- typed cells ------------------------------------------------------- */

/* Checks the types and counts the nodes. *arity: 0 when the rows differ. */
static mplan_status check_types(int64_t n_cells, const uint8_t *type, int32_t *dimension,
                                int32_t *arity, int64_t *entries, mplan_error *err)
{
    *dimension = *arity = 0;
    *entries = 0;
    const int64_t n_looked_at = mplan_types_are_equal(n_cells, type) ? 1 : n_cells;
    for (int64_t c = 0; c < n_looked_at; c++) {
        const mplan_cell_shape *shape = mplan_cell_shape_of((mplan_cell_type)type[c]);
        if (!shape || shape->dimension < 1)
            return mplan_fail(err, MPLAN_ERR_MESH, "cell %lld: %d is not a cell type", (long long)c,
                              type[c]);
        if (c > 0 && shape->dimension != *dimension)
            return mplan_fail(err, MPLAN_ERR_MESH,
                              "cell %lld (%s) has dimension %d, but the cells before it have %d",
                              (long long)c, shape->name, shape->dimension, *dimension);
        /* 0 once two rows differ, and then for good: no type has 0 nodes */
        *arity = c == 0 || shape->n_nodes == *arity ? shape->n_nodes : 0;
        *dimension = shape->dimension;
        *entries += shape->n_nodes;
    }
    *entries *= n_looked_at < n_cells ? n_cells : 1;
    return MPLAN_OK;
}

/* *offsets: n_cells + 1, from the number of nodes of each cell's type; owned by the
 * caller. */
static mplan_status row_offsets(int64_t n_cells, const uint8_t *type, int64_t **offsets,
                                mplan_error *err)
{
    int64_t *made = mplan_alloc(n_cells + 1, sizeof *made, err);
    if (!made)
        return MPLAN_ERR_MEMORY;
    made[0] = 0;
    for (int64_t c = 0; c < n_cells; c++)
        made[c + 1] = made[c] + mplan_cell_type_nodes((mplan_cell_type)type[c]);
    *offsets = made;
    return MPLAN_OK;
}

/* The set `nodes` may be there already, and must then have the right size; `cells` must
 * not. */
static mplan_status add_cell_sets(mplan_mesh *mesh, int64_t n_nodes, int64_t n_cells,
                                  int32_t *cells, int32_t *nodes, mplan_error *err)
{
    *nodes = mplan_mesh_find_set(mesh, "nodes");
    if (*nodes >= 0 && mesh->sets[*nodes].size != n_nodes)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "the set 'nodes' has %lld members, but the cells are for %lld",
                          (long long)mesh->sets[*nodes].size, (long long)n_nodes);
    mplan_status status = MPLAN_OK;
    if (*nodes < 0)
        status = mplan_mesh_add_set(mesh, "nodes", n_nodes, nodes, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "cells", n_cells, cells, err);
    return status;
}

/* `take`: type and nodes belong to the mesh from here on, also after a failure. nodes:
 * all cells one after the other, in VTK's order of corners. */
mplan_status mplan_mesh_take_cells(mplan_mesh *mesh, int64_t n_nodes, int64_t n_cells,
                                   uint8_t *type, int32_t *nodes, mplan_error *err)
{
    mplan_mesh_mark mark = mplan_mesh_mark_of(mesh);
    int64_t *offsets = NULL, entries;
    int32_t dimension, arity, cells_set, nodes_set;
    mplan_status status = add_cell_sets(mesh, n_nodes, n_cells, &cells_set, &nodes_set, err);
    if (!status)
        status = check_types(n_cells, type, &dimension, &arity, &entries, err);
    if (!status && arity == 0)
        status = row_offsets(n_cells, type, &offsets, err);
    if (!status) {
        mplan_map view = {"cells_nodes", cells_set, nodes_set, arity,
                          n_cells,       n_nodes,   offsets,   nodes};
        status = mplan_check_cells(&view, type, mesh->team, err);
    }
    if (status) {
        free(offsets);
        free(nodes);
    } else {
        status = mplan_mesh_take_map(mesh, "cells_nodes", cells_set, nodes_set, arity, offsets,
                                     nodes, NULL, err);
    }
    if (status) {
        free(type);
        mplan_mesh_roll_back(mesh, mark);
        return status;
    }
    mesh->cell_type = type;
    mesh->dimension = dimension;
    return MPLAN_OK;
}

/* Copied. Nodes of all cells lie one behind the other, as many as each type has. */
mplan_status mplan_mesh_add_cells(mplan_mesh *mesh, int64_t n_nodes, int64_t n_cells,
                                  const uint8_t *type, const int32_t *nodes, mplan_error *err)
{
    MPLAN_NEED(mesh);
    if (n_cells > 0)
        MPLAN_NEED(type);
    if (n_cells > 0)
        MPLAN_NEED(nodes);
    if (n_cells < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a mesh cannot have %lld cells",
                          (long long)n_cells);
    int64_t entries;
    int32_t dimension, arity;
    mplan_status status = check_types(n_cells, type, &dimension, &arity, &entries, err);
    if (status)
        return status;
    uint8_t *type_copy = mplan_copy(type, n_cells, sizeof *type, err);
    int32_t *nodes_copy = type_copy ? mplan_copy(nodes, entries, sizeof *nodes, err) : NULL;
    if (!nodes_copy) {
        free(type_copy);
        return MPLAN_ERR_MEMORY;
    }
    return mplan_mesh_take_cells(mesh, n_nodes, n_cells, type_copy, nodes_copy, err);
}

/* --- words about the file ----------------------------------------------- */

/* *text: owned text or NULL, in and out. Unchanged after a failure. */
static mplan_status replace_text(char **text, const char *by, mplan_error *err)
{
    char *copy = by ? mplan_strdup(by, err) : NULL;
    if (by && !copy)
        return MPLAN_ERR_MEMORY;
    free(*text);
    *text = copy;
    return MPLAN_OK;
}

/* The name of the format that the mesh was read from. */
mplan_status mplan_mesh_set_format(mplan_mesh *mesh, const char *format, mplan_error *err)
{
    return replace_text(&mesh->format, format, err);
}

/* The file by whose name errors begin. */
mplan_status mplan_mesh_set_source(mplan_mesh *mesh, const char *path, mplan_error *err)
{
    return replace_text(&mesh->source, path, err);
}

/* Which mesh of a file it is; the plan's request names it on a line of its own. */
mplan_status mplan_mesh_set_zone(mplan_mesh *mesh, const char *zone, mplan_error *err)
{
    if (!*zone || strpbrk(zone, "\n\r"))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a zone needs a name of one line");
    return replace_text(&mesh->zone, zone, err);
}

/* What the mesh calls what lies between its cells: "edges" in OP2's files. */
mplan_status mplan_mesh_set_faces_name(mplan_mesh *mesh, const char *name, mplan_error *err)
{
    return replace_text(&mesh->faces_name, name, err);
}

/* --- accessors ------------------------------------------------------------ */

int32_t mplan_mesh_n_sets(const mplan_mesh *mesh)
{
    return mesh ? mesh->n_sets : 0;
}

int32_t mplan_mesh_n_maps(const mplan_mesh *mesh)
{
    return mesh ? mesh->n_maps : 0;
}

/* "" and 0 for a number that is not a set's. */
mplan_set mplan_mesh_set(const mplan_mesh *mesh, int32_t set)
{
    if (!set_in_range(mesh, set))
        return (mplan_set){"", 0};
    mplan_set view = {mesh->sets[set].name, mesh->sets[set].size};
    return view;
}

mplan_map mplan_mesh_map(const mplan_mesh *mesh, int32_t map)
{
    if (!mesh || map < 0 || map >= mesh->n_maps)
        return (mplan_map)MPLAN_NO_MAP;
    const mplan_mesh_map_data *m = &mesh->maps[map];
    mplan_map view = {
        m->name,    m->from,  m->to, m->arity, mesh->sets[m->from].size, mesh->sets[m->to].size,
        m->offsets, m->values};
    return view;
}

/* -1 without one; linear. */
int32_t mplan_mesh_find_set(const mplan_mesh *mesh, const char *name)
{
    for (int32_t i = 0; mesh && name && i < mesh->n_sets; i++)
        if (strcmp(mesh->sets[i].name, name) == 0)
            return i;
    return -1;
}

/* -1 without one; linear. */
int32_t mplan_mesh_find_map(const mplan_mesh *mesh, const char *name)
{
    for (int32_t i = 0; mesh && name && i < mesh->n_maps; i++)
        if (strcmp(mesh->maps[i].name, name) == 0)
            return i;
    return -1;
}

/* NULL and 0 for a set without any. Valid until the mesh changes. */
const double *mplan_mesh_coordinates(const mplan_mesh *mesh, int32_t set, int32_t *dimension)
{
    bool found = set_in_range(mesh, set);
    if (dimension)
        *dimension = found ? mesh->sets[set].dimension : 0;
    return found ? mesh->sets[set].coordinates : NULL;
}

int32_t mplan_mesh_dimension(const mplan_mesh *mesh)
{
    return mesh ? mesh->dimension : 0;
}

const uint8_t *mplan_mesh_cell_types(const mplan_mesh *mesh)
{
    return mesh ? mesh->cell_type : NULL;
}

/* The number of each boundary face in its file; NULL where there is none. */
const int64_t *mplan_mesh_boundary_ids(const mplan_mesh *mesh)
{
    return mesh ? mesh->boundary_ids : NULL;
}

/* "" for a mesh of tables. */
const char *mplan_mesh_faces_name(const mplan_mesh *mesh)
{
    if (!mesh)
        return "";
    if (mesh->faces_name)
        return mesh->faces_name;
    return mesh->cell_type ? "faces" : "";
}

const char *mplan_mesh_format(const mplan_mesh *mesh)
{
    return mesh && mesh->format ? mesh->format : "";
}

/* Of a set that a split made: numbers of its members before; NULL for others. */
const int64_t *mplan_mesh_global_ids(const mplan_mesh *mesh, int32_t set)
{
    return set_in_range(mesh, set) ? mesh->sets[set].global_ids : NULL;
}
