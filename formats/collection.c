/* SPDX-License-Identifier: Apache-2.0 */
/* collection.c - from nodes, cells and groups of a file to a mesh */
#include "formats/collection.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "formats/prism.h"
#include "mesh/mesh.h"

enum { MOST_GROUPS = 65536, LOOK_BACK = 4 };

/* Vectors by dimension: d = 0 for points up to 3 for volumes. path must outlive
 * the collection. */
void mplan_collection_begin(mplan_collection *collection, const char *path,
                            const mplan_context *context)
{
    memset(collection, 0, sizeof *collection);
    collection->path = path;
    collection->context = context;
    collection->xyz.size = sizeof(double);
    collection->sizes.size = sizeof(int32_t);
    collection->points.size = sizeof(mplan_collected_run);
    for (int32_t d = 0; d < 4; d++) {
        collection->type[d].size = sizeof(uint8_t);
        collection->nodes[d].size = sizeof(int32_t);
        collection->runs[d].size = sizeof(mplan_collected_run);
    }
}

/* Names of runs are not the collection's. */
void mplan_collection_free(mplan_collection *collection)
{
    free(collection->xyz.data);
    free(collection->sizes.data);
    free(collection->points.data);
    for (int32_t d = 0; d < 4; d++) {
        free(collection->type[d].data);
        free(collection->nodes[d].data);
        free(collection->runs[d].data);
    }
    memset(collection, 0, sizeof *collection);
}

/* --- collecting --------------------------------------------------------------------- */

/* Three doubles; most calls find room already. */
mplan_status mplan_collect_node(mplan_collection *collection, const double xyz[3], mplan_error *err)
{
    mplan_vector *to = &collection->xyz;
    if (to->capacity - to->count < 3 && !mplan_vector_reserve(to, 3, err))
        return MPLAN_ERR_MEMORY;
    memcpy((double *)to->data + to->count, xyz, 3 * sizeof *xyz);
    to->count += 3;
    return MPLAN_OK;
}

/* Room for n more cells of this type, so that adding them cannot fail halfway. */
mplan_status mplan_collect_room(mplan_collection *collection, mplan_cell_type type, int64_t n,
                                mplan_error *err)
{
    int32_t d = mplan_cell_type_dimension(type);
    return mplan_vector_reserve(&collection->type[d], n, err) &&
                   mplan_vector_reserve(&collection->nodes[d], n * mplan_cell_type_nodes(type), err)
               ? MPLAN_OK
               : MPLAN_ERR_MEMORY;
}

/* Returns where the caller writes the n nodes of the new cell, NULL without
 * memory. */
static int32_t *add_cell(mplan_collection *collection, int32_t dimension, uint8_t type, int32_t n,
                         mplan_error *err)
{
    mplan_vector *types = &collection->type[dimension], *nodes = &collection->nodes[dimension];
    if ((types->count == types->capacity && !mplan_vector_reserve(types, 1, err)) ||
        (nodes->capacity - nodes->count < n && !mplan_vector_reserve(nodes, n, err)))
        return NULL;
    ((uint8_t *)types->data)[types->count++] = type;
    int32_t *added = (int32_t *)nodes->data + nodes->count;
    nodes->count += n;
    return added;
}

/* Nodes are not checked here, nor whether they exist: mplan_mesh_take_cells does. */
int32_t *mplan_collect_cell(mplan_collection *collection, mplan_cell_type type, mplan_error *err)
{
    return add_cell(collection, mplan_cell_type_dimension(type), (uint8_t)type,
                    mplan_cell_type_nodes(type), err);
}

/* Faces of more than four corners are polygons, with their size in
 * collection->sizes. */
int32_t *mplan_collect_face(mplan_collection *collection, int32_t n, mplan_error *err)
{
    if (n <= 4)
        return mplan_collect_cell(collection, n == 3 ? MPLAN_CELL_TRI3 : MPLAN_CELL_QUAD4, err);
    if (mplan_vector_push(&collection->sizes, &n, err))
        return NULL;
    return add_cell(collection, 2, MPLAN_COLLECTED_POLYGON, n, err);
}

/* Members mostly come in runs: only the last LOOK_BACK runs are looked at for one to
 * extend. */
static mplan_status add_run(mplan_vector *runs, int64_t member, int64_t id, const char *name,
                            size_t length, mplan_error *err)
{
    mplan_collected_run *run = runs->data;
    for (int64_t i = runs->count; i-- > 0 && i + LOOK_BACK >= runs->count;)
        if (run[i].id == id && run[i].first + run[i].count == member && run[i].length == length &&
            (length == 0 || memcmp(run[i].name, name, length) == 0)) {
            run[i].count++;
            return MPLAN_OK;
        }
    mplan_collected_run added = {member, 1, id, name, length};
    return mplan_vector_push(runs, &added, err);
}

/* Of the cells of a dimension, or of the nodes. */
mplan_status mplan_collect_member_at(mplan_collection *collection, int32_t dimension, int64_t member,
                                     int64_t id, const char *name, size_t length, mplan_error *err)
{
    return add_run(&collection->runs[dimension], member, id, name, length, err);
}

/* Whether it is a facet or a node is known only when all cells are. */
mplan_status mplan_collect_point(mplan_collection *collection, int64_t node, int64_t id,
                                 const char *name, size_t length, mplan_error *err)
{
    return add_run(&collection->points, node, id, name, length, err);
}

/* The node (dimension 0) or cell that was added last joins a group. */
mplan_status mplan_collect_member(mplan_collection *collection, int32_t dimension, int64_t id,
                                  const char *name, size_t length, mplan_error *err)
{
    int64_t n = dimension ? collection->type[dimension].count : mplan_collected_nodes(collection);
    return mplan_collect_member_at(collection, dimension, n - 1, id, name, length, err);
}

/* --- groups -------------------------------------------------------------------------- */

/* By id, then name; names are not terminated. */
static int compare_groups(const mplan_collected_run *a, const mplan_collected_run *b)
{
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter ? memcmp(a->name, b->name, shorter) : 0;
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* By group, then by place. */
static int compare_runs(const void *left, const void *right)
{
    const mplan_collected_run *a = left, *b = right;
    int order = compare_groups(a, b);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

/* Runs [begin, end) of a group, the first of which begins at `first`. */
typedef struct collected_group {
    int64_t begin, end, first, id;
    int64_t n_members;
} collected_group;

/* By number; those of a name as they come in the file. */
static int compare_places(const void *left, const void *right)
{
    const collected_group *a = left, *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* Runs of one group lie side by side after the sort. groups: out, one entry
 * each. */
static mplan_status find_groups(mplan_vector *runs, mplan_vector *groups, mplan_error *err)
{
    mplan_collected_run *run = runs->data;
    mplan_status status = MPLAN_OK;
    qsort(run, (size_t)runs->count, sizeof *run, compare_runs);
    for (int64_t i = 0; i < runs->count && !status; i++) {
        if (i == 0 || compare_groups(&run[i], &run[i - 1]) != 0) {
            collected_group added = {i, i + 1, run[i].first, run[i].id, run[i].count};
            status = mplan_vector_push(groups, &added, err);
        } else {
            collected_group *last = (collected_group *)groups->data + groups->count - 1;
            last->end++;
            last->n_members += run[i].count;
        }
    }
    if (!status)
        qsort(groups->data, (size_t)groups->count, sizeof(collected_group), compare_places);
    return status;
}

/* What makes runs of members of one dimension into groups. */
typedef struct group_maker {
    const mplan_collection *collection;
    mplan_mesh *mesh;
    int32_t dimension;
    bool points;            /* runs are of nodes that are facets */
    const int64_t *offsets; /* of the nodes of the dimension's cells; NULL where they are not needed */
    const mplan_collected_run *runs;
} group_maker;

/* A group of the mesh's cells or nodes. */
static mplan_status add_members(const group_maker *maker, const collected_group *group,
                                const char *name, mplan_error *err)
{
    const char *set = maker->dimension ? "cells" : "nodes";
    int64_t n = 0;
    int32_t index = mplan_mesh_find_set(maker->mesh, set);
    if (maker->dimension == 0 && group->n_members == mplan_mesh_set(maker->mesh, index).size)
        return MPLAN_OK; /* one number for all nodes is what writers put that know of none */
    int32_t *members = mplan_alloc(group->n_members, sizeof *members, err);
    if (!members)
        return MPLAN_ERR_MEMORY;
    for (int64_t r = group->begin; r < group->end; r++)
        for (int64_t i = 0; i < maker->runs[r].count; i++)
            members[n++] = (int32_t)(maker->runs[r].first + i);
    if (maker->dimension == 0) /* nodes may have been named twice */
        n = mplan_distinct_i32(members, n);
    return mplan_mesh_take_group(maker->mesh, name, group->id, maker->dimension, index, n, members,
                                 err);
}

/* The nodes of its cells, one after the other, *n of them. */
static int32_t *copy_nodes(const group_maker *maker, const collected_group *group, int64_t *n,
                           mplan_error *err)
{
    const int32_t *nodes = maker->collection->nodes[maker->dimension].data;
    *n = 0;
    for (int64_t r = group->begin; r < group->end; r++)
        *n += maker->offsets[maker->runs[r].first + maker->runs[r].count] -
              maker->offsets[maker->runs[r].first];
    int32_t *copy = mplan_alloc(*n, sizeof *copy, err), *at = copy;
    for (int64_t r = group->begin; copy && r < group->end; r++) {
        int64_t first = maker->offsets[maker->runs[r].first];
        int64_t bytes = maker->offsets[maker->runs[r].first + maker->runs[r].count] - first;
        memcpy(at, nodes + first, (size_t)bytes * sizeof *at);
        at += bytes;
    }
    return copy;
}

/* Cells of one dimension less than the mesh: their types and nodes are copied. */
static mplan_status add_facets(const group_maker *maker, const collected_group *group,
                               const char *name, mplan_error *err)
{
    const uint8_t *type = maker->collection->type[maker->dimension].data;
    int64_t n_nodes, n = 0;
    int32_t *nodes = copy_nodes(maker, group, &n_nodes, err);
    uint8_t *types = nodes ? mplan_alloc(group->n_members, sizeof *types, err) : NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    if (types) {
        for (int64_t r = group->begin; r < group->end; r++) {
            memcpy(types + n, type + maker->runs[r].first, (size_t)maker->runs[r].count);
            n += maker->runs[r].count;
        }
        status = mplan_mesh_add_facets(maker->mesh, name, group->id, n, types, nodes, err);
    }
    free(nodes);
    free(types);
    return status;
}

/* Nodes that are facets of a mesh of lines, each once. */
static mplan_status add_points(const group_maker *maker, const collected_group *group,
                               const char *name, mplan_error *err)
{
    int64_t n = 0;
    int32_t *nodes = mplan_alloc(group->n_members, sizeof *nodes, err);
    uint8_t *types = nodes ? mplan_alloc(group->n_members, sizeof *types, err) : NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    if (types) {
        for (int64_t r = group->begin; r < group->end; r++)
            for (int64_t i = 0; i < maker->runs[r].count; i++)
                nodes[n++] = (int32_t)(maker->runs[r].first + i);
        n = mplan_distinct_i32(nodes, n);
        memset(types, MPLAN_CELL_POINT, (size_t)n);
        status = mplan_mesh_add_facets(maker->mesh, name, group->id, n, types, nodes, err);
    }
    free(nodes);
    free(types);
    return status;
}

/* The nodes of cells that are neither the mesh's cells nor facets. */
static mplan_status add_nodes(const group_maker *maker, const collected_group *group,
                              const char *name, mplan_error *err)
{
    int64_t n;
    int32_t *nodes = copy_nodes(maker, group, &n, err);
    if (!nodes)
        return MPLAN_ERR_MEMORY;
    return mplan_mesh_take_group(maker->mesh, name, group->id, maker->dimension,
                                 mplan_mesh_find_set(maker->mesh, "nodes"),
                                 mplan_distinct_i32(nodes, n), nodes, err);
}

/* What kind of group depends on the dimension of its members. */
static mplan_status add_group(const group_maker *maker, const collected_group *group,
                              int32_t dimension, mplan_error *err)
{
    const mplan_collected_run *run = &maker->runs[group->begin];
    char *name = mplan_alloc((int64_t)run->length + 1, 1, err);
    if (!name)
        return MPLAN_ERR_MEMORY;
    if (run->length)
        memcpy(name, run->name, run->length);
    name[run->length] = '\0';
    mplan_status status = maker->points ? add_points(maker, group, name, err)
                          : maker->dimension == dimension || maker->dimension == 0
                              ? add_members(maker, group, name, err)
                          : maker->dimension == dimension - 1 ? add_facets(maker, group, name, err)
                                                              : add_nodes(maker, group, name, err);
    free(name);
    return status;
}

/* Where the nodes of each cell of a dimension begin. */
static int64_t *offsets_of(const mplan_collection *collection, int32_t dimension, mplan_error *err)
{
    const uint8_t *type = collection->type[dimension].data;
    const int32_t *size = collection->sizes.data;
    int64_t n = collection->type[dimension].count;
    int64_t *offsets = mplan_alloc(n + 1, sizeof *offsets, err);
    if (!offsets)
        return NULL;
    offsets[0] = 0;
    for (int64_t c = 0; c < n; c++)
        offsets[c + 1] = offsets[c] + (type[c] == MPLAN_COLLECTED_POLYGON
                                           ? *size++
                                           : mplan_cell_type_nodes((mplan_cell_type)type[c]));
    return offsets;
}

/* Groups of one dimension; `dimension` is that of the mesh's cells. points: of those that are facets. */
static mplan_status add_groups(mplan_collection *collection, mplan_mesh *mesh, int32_t of,
                               int32_t dimension, bool points, mplan_error *err)
{
    mplan_vector *runs = points ? &collection->points : &collection->runs[of];
    const int64_t first = dimension == 1 && of == 0 && !points ? mesh->n_facet_groups : 0;
    mplan_vector groups = MPLAN_VECTOR_INIT(sizeof(collected_group));
    int64_t *offsets = NULL;
    mplan_status status = runs->count ? find_groups(runs, &groups, err) : MPLAN_OK;
    if (!status && groups.count > MOST_GROUPS) {
        mplan_warn(collection->context, "%s: %lld groups of dimension %d, more than %d, are skipped",
                   collection->path, (long long)groups.count, (int)of, MOST_GROUPS);
        groups.count = 0;
    }
    if (!status && groups.count > 0 && of != 0 && of != dimension) {
        offsets = offsets_of(collection, of, err);
        status = offsets ? MPLAN_OK : MPLAN_ERR_MEMORY;
    }
    const group_maker maker = {collection, mesh, of, points, offsets, runs->data};
    collected_group *group = groups.data;
    for (int64_t g = 0; g < groups.count && !status; g++) {
        if (group[g].id == 0 && maker.runs[group[g].begin].length)
            group[g].id = first + g + 1;
        if (group[g].id == MPLAN_COLLECTED_ZERO)
            group[g].id = 0;
        status = add_group(&maker, &group[g], dimension, err);
    }
    free(offsets);
    free(groups.data);
    return status;
}

/* --- the mesh ------------------------------------------------------------------------- */

/* Some formats write prisms in either orientation. */
static void orient_prisms(mplan_collection *collection)
{
    const uint8_t *type = collection->type[3].data;
    int32_t *nodes = collection->nodes[3].data;
    for (int64_t c = 0; c < collection->type[3].count; c++) {
        if (type[c] == MPLAN_CELL_PRISM6)
            mplan_orient_prism(collection->xyz.data, nodes);
        nodes += mplan_cell_type_nodes((mplan_cell_type)type[c]);
    }
}

/* Cells of the highest dimension become the mesh's; their vectors move without a
 * copy unless there are polygons. */
static mplan_status take_cells(mplan_collection *collection, mplan_mesh *mesh, int32_t dimension,
                               mplan_error *err)
{
    int64_t n_cells = collection->type[dimension].count, n_nodes = mplan_collected_nodes(collection);
    if (dimension == 3)
        orient_prisms(collection);
    if (collection->sizes.count == 0) {
        uint8_t *type = mplan_vector_take(&collection->type[dimension]);
        int32_t *nodes = mplan_vector_take(&collection->nodes[dimension]);
        return mplan_mesh_take_cells(mesh, n_nodes, n_cells, type, nodes, err);
    }
    int32_t cells, nodes;
    int64_t *offsets = offsets_of(collection, dimension, err);
    if (!offsets)
        return MPLAN_ERR_MEMORY;
    mplan_warn(collection->context,
               "%s: there are %lld faces of more than four corners, for which there is no type: "
               "the mesh has only the map cells_nodes",
               collection->path, (long long)collection->sizes.count);
    mplan_status status = mplan_mesh_add_set(mesh, "cells", n_cells, &cells, err);
    if (!status)
        status = mplan_mesh_add_set(mesh, "nodes", n_nodes, &nodes, err);
    if (status) {
        free(offsets);
        return status;
    }
    return mplan_mesh_take_map(mesh, "cells_nodes", cells, nodes, 0, offsets,
                               mplan_vector_take(&collection->nodes[dimension]), NULL, err);
}

/* Two coordinates a node where the third is 0 everywhere. */
static mplan_status take_nodes(mplan_collection *collection, mplan_mesh *mesh, int32_t dimension,
                               mplan_error *err)
{
    double *xyz = collection->xyz.data;
    int64_t n = mplan_collected_nodes(collection);
    bool flat = dimension < 3;
    for (int64_t i = 0; flat && i < n; i++)
        flat = xyz[3 * i + 2] == 0;
    for (int64_t i = 0; flat && i < n; i++) {
        xyz[2 * i] = xyz[3 * i];
        xyz[2 * i + 1] = xyz[3 * i + 1];
    }
    collection->xyz.count = n * (flat ? 2 : 3);
    return mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), flat ? 2 : 3,
                                       mplan_vector_take(&collection->xyz), err);
}

/* Sides of lines are nodes of groups where they cannot be facets. */
static mplan_status join_points(mplan_collection *collection, mplan_error *err)
{
    const mplan_collected_run *run = collection->points.data;
    mplan_status status = MPLAN_OK;
    for (int64_t r = 0; r < collection->points.count && !status; r++)
        status = mplan_vector_push(&collection->runs[0], &run[r], err);
    return status;
}

/* The highest dimension that has cells becomes the mesh's; cells of lower ones count only as
 * facets or nodes of groups. Groups go from the mesh's own dimension down. */
mplan_status mplan_collection_to_mesh(mplan_collection *collection, mplan_mesh *mesh, mplan_error *err)
{
    int32_t dimension = 3;
    while (dimension > 0 && collection->type[dimension].count == 0)
        dimension--;
    if (dimension == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: the file has no cells", collection->path);
    mplan_status status = take_cells(collection, mesh, dimension, err);
    if (!status)
        status = take_nodes(collection, mesh, dimension, err);
    if (!status && dimension > 1)
        status = join_points(collection, err);
    for (int32_t d = dimension; d >= 0 && !status; d--) {
        if (d == 0 && dimension == 1)
            status = add_groups(collection, mesh, 0, 1, true, err);
        if (!status)
            status = add_groups(collection, mesh, d, dimension, false, err);
    }
    return status;
}
