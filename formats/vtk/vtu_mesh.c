/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_mesh.c - a mesh as a grid of VTK: the writers of formats `vtu` and `vtk` */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/name_table.h"
#include "formats/format.h"
#include "formats/skipped_groups.h"
#include "formats/vtk/vtu_write.h"
#include "mesh/mesh.h"

/* The grid as it grows; names are those of the groups, or made. */
typedef struct builder {
    const mplan_mesh *mesh;
    const char *kind; /* "a VTU file" */
    const mplan_context *context;
    mplan_error *err;
    int64_t n_cells;
    mplan_vector parts, fields, maps, names; /* maps: nodes of facets that were gathered */
    mplan_skipped_groups skipped;
    mplan_name_table taken[2]; /* names of fields: of cells, of points. Values: the last count behind one */
} builder;

/* Takes over no array. */
static mplan_status add_part(builder *to, const mplan_vtu_cells *part)
{
    to->n_cells += part->n;
    return mplan_vector_push(&to->parts, part, to->err);
}

/* Whether a field of that kind has the name already. */
static bool is_taken(const builder *to, const char *name, bool of_points)
{
    return mplan_name_find(&to->taken[of_points], name, strlen(name)) >= 0;
}

/* The stem of a name that is taken, "name ~", counts on from where the last name of this stem ended, so that
 * many groups of one name stay linear. own: room for the stem and a number. */
static mplan_status number_name(builder *to, char *own, size_t room, const char *name, int64_t id,
                                bool of_points)
{
    mplan_name_table *taken = &to->taken[of_points];
    char *stem = *name ? mplan_strdup(name, to->err) : mplan_alloc(64, 1, to->err);
    if (!stem || mplan_vector_push(&to->names, &stem, to->err)) {
        free(stem);
        return MPLAN_ERR_MEMORY;
    }
    if (!*name)
        snprintf(stem, 64, "group %" PRId64, id);
    int64_t n = mplan_name_find(taken, stem, strlen(stem));
    n = n < 2 ? 2 : n;
    do
        snprintf(own, room, "%s ~%" PRId64, stem, n++);
    while (is_taken(to, own, of_points));
    return mplan_name_put(taken, stem, strlen(stem), n, to->err);
}

/* A field of the group's name; a name that is taken or empty gets the group's number, and one
 * that is then taken, too, a count. */
static mplan_status add_field(builder *to, const char *name, int64_t id, mplan_vtu_field field)
{
    size_t room = strlen(name) + 64;
    char *own = mplan_alloc((int64_t)room, 1, to->err);
    if (!own || mplan_vector_push(&to->names, &own, to->err)) {
        free(own);
        return MPLAN_ERR_MEMORY;
    }
    snprintf(own, room, "%s", name);
    if (!*name || is_taken(to, own, field.of_points))
        snprintf(own, room, "%s %" PRId64, *name ? name : "group", id);
    mplan_status status = is_taken(to, own, field.of_points)
                              ? number_name(to, own, room, name, id, field.of_points)
                              : MPLAN_OK;
    if (!status)
        status = mplan_name_put(&to->taken[field.of_points], own, strlen(own), 0, to->err);
    field.name = own;
    return status ? status : mplan_vector_push(&to->fields, &field, to->err);
}

/* Index of the map of a set to the nodes; -1 without one. */
static int32_t nodes_of(const mplan_mesh *mesh, int32_t set)
{
    for (int32_t m = 0; m < mplan_mesh_n_maps(mesh); m++) {
        mplan_map map = mplan_mesh_map(mesh, m);
        if (map.from == set && strcmp(mplan_mesh_set(mesh, map.to).name, "nodes") == 0)
            return m;
    }
    return -1;
}

/* The rows of the members of a group as cells, copied: members may be any of their set. offsets
 * and nodes belong to to->maps. */
static mplan_status add_rows(builder *to, const mplan_group *group, const mplan_map *map)
{
    int64_t n = 0;
    int32_t length;
    for (int64_t i = 0; i < group->n_members; i++, n += length)
        mplan_map_row(map, group->members[i], &length);
    int64_t *offsets = mplan_alloc(group->n_members + 1, sizeof *offsets, to->err);
    int32_t *nodes = mplan_alloc(n, sizeof *nodes, to->err);
    if (offsets && mplan_vector_push(&to->maps, &offsets, to->err)) {
        free(offsets);
        offsets = NULL;
    }
    if (nodes && mplan_vector_push(&to->maps, &nodes, to->err)) {
        free(nodes);
        nodes = NULL;
    }
    if (!offsets || !nodes)
        return MPLAN_ERR_MEMORY;
    offsets[0] = 0;
    for (int64_t i = 0; i < group->n_members; i++) {
        const int32_t *row = mplan_map_row(map, group->members[i], &length);
        memcpy(nodes + offsets[i], row, (size_t)length * sizeof *row);
        offsets[i + 1] = offsets[i] + length;
    }
    mplan_vtu_cells part = {group->n_members, NULL, 0, offsets, nodes, NULL, NULL};
    return add_part(to, &part);
}

/* A field that is 1 at members and 0 elsewhere; groups of faces become cells of
 * their own. */
static mplan_status add_group(builder *to, const mplan_group *group)
{
    const char *set = mplan_mesh_set(to->mesh, group->set).name;
    mplan_vtu_field field = {.n_marks = group->n_members, .marks = group->members};
    field.of_points = strcmp(set, "nodes") == 0;
    if (!field.of_points && strcmp(set, "cells") != 0) {
        int32_t map = nodes_of(to->mesh, group->set);
        if (map < 0) {
            mplan_skip_group(&to->skipped, group, set);
            return MPLAN_OK;
        }
        mplan_map rows = mplan_mesh_map(to->mesh, map);
        field.first = to->n_cells;
        field.marks = NULL;
        mplan_status status = add_rows(to, group, &rows);
        if (status)
            return status;
    }
    return add_field(to, group->name, group->id, field);
}

/* Facets that wait for their faces are written like groups of faces. */
static mplan_status add_groups(builder *to)
{
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; g < mplan_mesh_n_groups(to->mesh) && !status; g++) {
        mplan_group group = mplan_mesh_group(to->mesh, g);
        status = add_group(to, &group);
    }
    mplan_warn_skipped(&to->skipped, to->kind, to->context);
    for (int32_t f = 0; f < to->mesh->n_facet_groups && !status; f++) {
        const mplan_mesh_facets *facets = &to->mesh->facets[f];
        mplan_vtu_cells part = {facets->n_facets, facets->type, 0, NULL, facets->nodes, NULL, NULL};
        mplan_vtu_field field = {.first = to->n_cells, .n_marks = facets->n_facets};
        status = add_part(to, &part);
        if (!status)
            status = add_field(to, facets->name, facets->id, field);
    }
    return status;
}

/* Polyhedra with their faces, or polygons in space. */
static mplan_status add_untyped(builder *to, mplan_vtu_cells *part)
{
    int64_t *starts = NULL;
    int32_t *faces = NULL;
    mplan_status status = mplan_vtu_faces_of(to->mesh, &starts, &faces, to->err);
    if (!status && starts && mplan_vector_push(&to->maps, &starts, to->err)) {
        free(starts);
        free(faces);
        return MPLAN_ERR_MEMORY;
    }
    if (!status && faces && mplan_vector_push(&to->maps, &faces, to->err)) {
        free(faces);
        return MPLAN_ERR_MEMORY;
    }
    int32_t map = mplan_mesh_find_map(to->mesh, "faces_nodes");
    if (!status && !starts && (map < 0 || mplan_mesh_map(to->mesh, map).arity != 2))
        return mplan_fail(to->err, MPLAN_ERR_ARGUMENT,
                          "the types of the cells are unknown, only their nodes are known");
    part->face_starts = starts;
    part->faces = faces;
    return status ? status : add_part(to, part);
}

/* Nodes, coordinates and cells of the mesh as they are. */
static mplan_status find_cells(builder *to, mplan_vtu_grid *grid)
{
    int32_t nodes = mplan_mesh_find_set(to->mesh, "nodes");
    int32_t cells = mplan_mesh_find_map(to->mesh, "cells_nodes");
    if (nodes < 0 || cells < 0)
        return mplan_fail(to->err, MPLAN_ERR_ARGUMENT,
                          "%s needs cells and nodes, which this mesh does not have", to->kind);
    grid->n_points = mplan_mesh_set(to->mesh, nodes).size;
    grid->xyz = mplan_mesh_coordinates(to->mesh, nodes, &grid->dimension);
    if (!grid->xyz)
        return mplan_fail(to->err, MPLAN_ERR_ARGUMENT,
                          "%s needs coordinates of the nodes, which this mesh does not have",
                          to->kind);
    mplan_map map = mplan_mesh_map(to->mesh, cells);
    const uint8_t *types = mplan_mesh_cell_types(to->mesh);
    mplan_vtu_cells part = {map.n_rows, types, map.arity, map.offsets, map.values, NULL, NULL};
    if (types || grid->dimension == 2)
        return add_part(to, &part);
    return add_untyped(to, &part);
}

typedef mplan_status grid_writer(const mplan_vtu_grid *grid, mplan_output *output,
                                 const mplan_context *context, mplan_error *err);

/* Memory beside the mesh: the nodes of groups of faces, and for polyhedra their faces. */
static mplan_status write_mesh(const mplan_mesh *mesh, const char *kind, grid_writer *write,
                               mplan_output *output, const mplan_context *context, mplan_error *err)
{
    if (strcmp(mplan_mesh_faces_name(mesh), "faces") != 0 && mplan_mesh_dimension(mesh) > 0)
        mplan_warn(context,
                   "the set '%s' of the mesh cannot be written to %s, which "
                   "holds only cells",
                   mplan_mesh_faces_name(mesh), kind);
    mplan_vtu_grid grid = {0};
    builder to = {.mesh = mesh,
                  .kind = kind,
                  .context = context,
                  .err = err,
                  .parts = MPLAN_VECTOR_INIT(sizeof(mplan_vtu_cells)),
                  .fields = MPLAN_VECTOR_INIT(sizeof(mplan_vtu_field)),
                  .maps = MPLAN_VECTOR_INIT(sizeof(void *)),
                  .names = MPLAN_VECTOR_INIT(sizeof(char *))};
    mplan_status status = find_cells(&to, &grid);
    if (!status)
        status = add_groups(&to);
    if (!status) {
        grid.n_parts = (int32_t)to.parts.count;
        grid.parts = to.parts.data;
        grid.n_fields = (int32_t)to.fields.count;
        grid.fields = to.fields.data;
        status = write(&grid, output, context, err);
    }
    for (int64_t i = 0; i < to.maps.count; i++)
        free(((void **)to.maps.data)[i]);
    for (int64_t i = 0; i < to.names.count; i++)
        free(((char **)to.names.data)[i]);
    mplan_name_table_free(&to.taken[0]);
    mplan_name_table_free(&to.taken[1]);
    free(to.maps.data);
    free(to.names.data);
    free(to.fields.data);
    free(to.parts.data);
    return status;
}

/* what: of formats with one table; not asked here. */
mplan_status mplan_vtu_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_mesh(mesh, "a VTU file", mplan_vtu_write_grid, output, context, err);
}

/* Likewise. */
mplan_status mplan_vtk_write(const mplan_mesh *mesh, const char *what, mplan_output *output,
                             const mplan_context *context, mplan_error *err)
{
    (void)what;
    return write_mesh(mesh, "a VTK file", mplan_vtk_write_grid, output, context, err);
}

/* Members of a set that are not cells: rows of its map to the nodes. */
static mplan_status find_rows(builder *to, int32_t set, mplan_vtu_grid *grid)
{
    int32_t nodes = mplan_mesh_find_set(to->mesh, "nodes"), map = nodes_of(to->mesh, set);
    grid->xyz = nodes < 0 ? NULL : mplan_mesh_coordinates(to->mesh, nodes, &grid->dimension);
    if (map < 0 || !grid->xyz)
        return mplan_fail(to->err, MPLAN_ERR_ARGUMENT,
                          "to draw %s, a map from them to nodes with coordinates is needed, which "
                          "this mesh does not have",
                          mplan_mesh_set(to->mesh, set).name);
    mplan_map rows = mplan_mesh_map(to->mesh, map);
    mplan_vtu_cells part = {rows.n_rows, NULL, rows.arity, rows.offsets, rows.values, NULL, NULL};
    grid->n_points = mplan_mesh_set(to->mesh, nodes).size;
    return add_part(to, &part);
}

/* The set is drawn as points (nodes), as cells, or as one shape for each row of its map to
 * nodes. to.maps keeps what was made for drawing until the file is written. */
mplan_status mplan_vtu_write_field(const mplan_mesh *mesh, int32_t set, mplan_vtu_field *field,
                                   mplan_output *output, const mplan_context *context,
                                   mplan_error *err)
{
    mplan_vtu_grid grid = {.n_fields = 1, .fields = field};
    builder to = {.mesh = mesh,
                  .kind = "a VTU file",
                  .context = context,
                  .err = err,
                  .parts = MPLAN_VECTOR_INIT(sizeof(mplan_vtu_cells)),
                  .maps = MPLAN_VECTOR_INIT(sizeof(void *))};
    const char *name = mplan_mesh_set(mesh, set).name;
    field->of_points = strcmp(name, "nodes") == 0;
    mplan_status status = field->of_points || strcmp(name, "cells") == 0
                              ? find_cells(&to, &grid)
                              : find_rows(&to, set, &grid);
    if (!status) {
        grid.n_parts = (int32_t)to.parts.count;
        grid.parts = to.parts.data;
        status = mplan_vtu_write_grid(&grid, output, context, err);
    }
    for (int64_t i = 0; i < to.maps.count; i++)
        free(((void **)to.maps.data)[i]);
    free(to.maps.data);
    free(to.parts.data);
    return status;
}
