/* SPDX-License-Identifier: Apache-2.0 */
/* refine.c - splits every cell of a mesh
 *
 * split_cell.c says how. Children of a cell have consecutive numbers, in the order of their
 * parents: child k of cell c is cell 4c + k or 8c + k where there are no pyramids, which have ten. Sets
 * that the mesh brings beside nodes and cells are left out (own_sets.c). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/option_size.h"
#include "generate/generate.h"
#include "generate/own_sets.h"
#include "generate/split_cell.h"
#include "mesh/mesh.h"

enum { CHECK_EVERY = 1 << 16 };

/* One step of refinement: the coarse mesh and the new nodes in it. */
typedef struct refinement {
    const mplan_mesh *mesh;
    const mplan_context *context;
    bool split; /* false: the mesh is copied */
    mplan_splitter splitter;
    int32_t *first_child; /* cells + 1: number of the first child of each; NULL: all have 4 or 8 */
} refinement;

/* --- cells ------------------------------------------------------------------- */

/* Cells of the refined mesh before the children of `cell`; the cell itself in a copy. */
static int64_t first_child(const refinement *r, int64_t cell)
{
    if (!r->split)
        return cell;
    return r->first_child ? r->first_child[cell] : cell << r->mesh->dimension;
}

/* Counts children and their nodes. Where cells have different numbers of children, those before
 * each cell are summed up. */
static mplan_status count_children(refinement *r, int64_t *n_entries, mplan_error *err)
{
    const mplan_midpoints *middle = &r->splitter.middle;
    int64_t n = 0, n_cells = middle->cells.n_rows;
    bool equal = true;
    *n_entries = 0;
    for (int64_t c = 0; c < n_cells; c++) {
        int32_t children = mplan_split_children((mplan_cell_type)middle->type[c]);
        equal = equal && children == 1 << r->mesh->dimension;
        *n_entries += mplan_split_entries((mplan_cell_type)middle->type[c]);
    }
    if (equal)
        return MPLAN_OK;
    r->first_child = mplan_alloc(n_cells + 1, sizeof *r->first_child, err);
    if (!r->first_child)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < n_cells; c++) {
        r->first_child[c] = (int32_t)n;
        n += mplan_split_children((mplan_cell_type)middle->type[c]);
    }
    r->first_child[n_cells] = (int32_t)n;
    return MPLAN_OK;
}

/* Writes all children of all cells. */
static mplan_status split_cells(const refinement *r, uint8_t *type, int32_t *nodes, mplan_error *err)
{
    const mplan_midpoints *middle = &r->splitter.middle;
    int32_t centre = (int32_t)middle->first_centre;
    for (int64_t c = 0; c < middle->cells.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&middle->cells, c, &n);
        mplan_cell_type shape = (mplan_cell_type)middle->type[c];
        mplan_split_cell(&r->splitter, shape, node, centre, type, nodes);
        centre += shape == MPLAN_CELL_QUAD4 || shape == MPLAN_CELL_HEX8;
        type += mplan_split_children(shape);
        nodes += mplan_split_entries(shape);
        if (c % CHECK_EVERY == 0 && mplan_interrupted(r->context, err) != MPLAN_OK)
            return MPLAN_ERR_INTERRUPTED;
    }
    return MPLAN_OK;
}

/* --- facets ------------------------------------------------------------------ */

/* Facets of one group while they are split. */
typedef struct facet_list {
    mplan_vector types, nodes;
    int64_t dropped; /* facets of no cell */
} facet_list;

/* Appends the facet or its children to the list. Facets that no cell has are counted
 * and dropped. */
static mplan_status add_facet(const refinement *r, const char *group, mplan_cell_type type,
                              const int32_t *node, facet_list *list, mplan_error *err)
{
    int32_t size = mplan_cell_type_nodes(type), children[16], n = size;
    const int32_t *out = node;
    if (r->split) {
        n = mplan_split_facet(&r->splitter.middle, type, node, children);
        out = children;
        if (n < 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "a facet of group '%s' is a %s, which cannot be refined", group,
                              mplan_cell_type_name(type));
        if (n == 0) {
            list->dropped++;
            return MPLAN_OK;
        }
    }
    uint8_t *types = mplan_vector_reserve(&list->types, n / size, err);
    int32_t *nodes = mplan_vector_reserve(&list->nodes, n, err);
    if (!types || !nodes)
        return MPLAN_ERR_MEMORY;
    memset(types, type, (size_t)(n / size));
    memcpy(nodes, out, (size_t)n * sizeof *nodes);
    list->types.count += n / size;
    list->nodes.count += n;
    return MPLAN_OK;
}

/* Hands the group of facets to the new mesh, with a warning about what was dropped. */
static mplan_status finish_facets(const refinement *r, const char *name, int64_t id,
                                  facet_list *list, mplan_mesh *made, mplan_error *err)
{
    if (list->dropped > 0)
        mplan_warn(r->context, "group '%s': %lld facets do not belong to any cell and are skipped",
                   name, (long long)list->dropped);
    /* arrays even for a group without facets */
    if (!mplan_vector_reserve(&list->types, 1, err) || !mplan_vector_reserve(&list->nodes, 1, err))
        return MPLAN_ERR_MEMORY;
    return mplan_mesh_add_facets(made, name, id, list->types.count, list->types.data,
                                 list->nodes.data, err);
}

/* A group of facets that waits for faces. */
static mplan_status carry_waiting(const refinement *r, const mplan_mesh_facets *group,
                                  mplan_mesh *made, mplan_error *err)
{
    facet_list list = {MPLAN_VECTOR_INIT(1), MPLAN_VECTOR_INIT(sizeof(int32_t)), 0};
    mplan_status status = MPLAN_OK;
    const int32_t *node = group->nodes;
    for (int64_t f = 0; f < group->n_facets && !status; f++) {
        mplan_cell_type type = (mplan_cell_type)group->type[f];
        status = add_facet(r, group->name, type, node, &list, err);
        node += mplan_cell_type_nodes(type);
    }
    if (!status)
        status = finish_facets(r, group->name, group->id, &list, made, err);
    free(list.types.data);
    free(list.nodes.data);
    return status;
}

static mplan_status refuse_group(const refinement *r, const mplan_mesh_group_data *group,
                                 mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                      "group '%s' of set %s cannot be carried to a refined mesh", group->name,
                      r->mesh->sets[group->set].name);
}

/* The facet of row i of faces_nodes, without entries of -1. False: it is none. */
static bool facet_of_row(const refinement *r, const mplan_map *faces_nodes, int64_t i,
                         mplan_cell_type *type, int32_t node[4])
{
    static const mplan_cell_type type_of_size[5] = {
        [2] = MPLAN_CELL_LINE2, [3] = MPLAN_CELL_TRI3, [4] = MPLAN_CELL_QUAD4};
    int32_t n, kept = 0;
    const int32_t *row = mplan_map_row(faces_nodes, i, &n);
    for (int32_t k = 0; k < n; k++) {
        if (row[k] >= 0 && kept == 4)
            return false;
        if (row[k] >= 0)
            node[kept++] = row[k];
    }
    *type = type_of_size[kept];
    return kept > 1 && mplan_cell_type_dimension(*type) == r->mesh->dimension - 1;
}

/* A group whose facets have become members of faces already, derived ones or the mesh's own. */
static mplan_status carry_faces(const refinement *r, const mplan_mesh_group_data *group,
                                const mplan_map *faces_nodes, mplan_mesh *made, mplan_error *err)
{
    facet_list list = {MPLAN_VECTOR_INIT(1), MPLAN_VECTOR_INIT(sizeof(int32_t)), 0};
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < group->n_members && !status; i++) {
        int32_t node[4];
        mplan_cell_type type;
        status = facet_of_row(r, faces_nodes, group->members[i], &type, node)
                     ? add_facet(r, group->name, type, node, &list, err)
                     : refuse_group(r, group, err);
    }
    if (!status)
        status = finish_facets(r, group->name, group->id, &list, made, err);
    free(list.types.data);
    free(list.nodes.data);
    return status;
}

/* --- groups ------------------------------------------------------------------ */

/* Children of a cell have consecutive numbers: members follow from the numbers of the
 * parents. */
static mplan_status carry_cells(const refinement *r, const mplan_mesh_group_data *group,
                                mplan_mesh *made, mplan_error *err)
{
    int64_t n = 0, n_cells = 0;
    for (int64_t i = 0; i < group->n_members; i++)
        n_cells += first_child(r, (int64_t)group->members[i] + 1) - first_child(r, group->members[i]);
    int32_t *members = mplan_alloc(n_cells, sizeof *members, err);
    if (!members)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = 0; i < group->n_members; i++) {
        int64_t end = first_child(r, (int64_t)group->members[i] + 1);
        for (int64_t child = first_child(r, group->members[i]); child < end; child++)
            members[n++] = (int32_t)child;
    }
    return mplan_mesh_take_group(made, group->name, group->id, group->dimension,
                                 mplan_mesh_find_set(made, "cells"), n, members, err);
}

/* Groups of cells and nodes keep their numbers or children; groups of faces become
 * facets by their nodes. */
static mplan_status carry_group(const refinement *r, const mplan_mesh_group_data *group,
                                mplan_mesh *made, mplan_error *err)
{
    const char *set = r->mesh->sets[group->set].name;
    if (strcmp(set, "cells") == 0)
        return carry_cells(r, group, made, err);
    if (strcmp(set, "nodes") == 0)
        return mplan_mesh_add_group(made, group->name, group->id, group->dimension,
                                    mplan_mesh_find_set(made, "nodes"), group->n_members,
                                    group->members, err);
    const char *map = strcmp(set, "faces") == 0            ? "faces_nodes"
                      : strcmp(set, "boundary_faces") == 0 ? "boundary_faces_nodes"
                                                           : "";
    int32_t index = mplan_is_own_set(r->mesh, group->set) ? mplan_own_set_nodes(r->mesh, group->set)
                                                          : mplan_mesh_find_map(r->mesh, map);
    if (index < 0)
        return refuse_group(r, group, err);
    mplan_map faces_nodes = mplan_mesh_map(r->mesh, index);
    return carry_faces(r, group, &faces_nodes, made, err);
}

/* Facets that wait for their faces come first, as they did in the old mesh. */
static mplan_status carry_groups(const refinement *r, mplan_mesh *made, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int32_t g = 0; g < r->mesh->n_facet_groups && !status; g++)
        status = carry_waiting(r, &r->mesh->facets[g], made, err);
    for (int32_t g = 0; g < r->mesh->n_groups && !status; g++)
        status = carry_group(r, &r->mesh->groups[g], made, err);
    return status;
}

/* --- the mesh ---------------------------------------------------------------- */

/* Refinement knows cells, nodes and what is derived from them; sets that are nothing but faces
 * or edges are left out, others would be lost. */
static mplan_status check_sets(const mplan_mesh *mesh, bool *has_own, mplan_error *err)
{
    if (!mesh->cell_type)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a mesh without cells cannot be refined");
    for (int32_t s = 0; s < mesh->n_sets; s++) {
        if (!mplan_is_own_set(mesh, s))
            continue;
        *has_own = true;
        if (mplan_own_set_nodes(mesh, s) < 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "a mesh with its own set %s, which has no map to nodes, cannot be "
                              "refined",
                              mesh->sets[s].name);
    }
    return MPLAN_OK;
}

/* Types that can be split, and no node twice in a cell: its midpoints would coincide. */
static mplan_status check_cells(const mplan_mesh *mesh, mplan_error *err)
{
    mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    for (int64_t c = 0; c < cells.n_rows; c++) {
        int32_t n;
        const int32_t *node = mplan_map_row(&cells, c, &n);
        mplan_cell_type type = (mplan_cell_type)mesh->cell_type[c];
        if (mplan_split_children(type) == 0)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "cell %lld is a %s; only tri3, quad4, tet4, pyramid5, prism6 and "
                              "hex8 can be refined",
                              (long long)c, mplan_cell_type_name(type));
        if (mplan_distinct_nodes(node, n) != n)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "cell %lld has a node twice; such cells cannot be refined",
                              (long long)c);
    }
    return MPLAN_OK;
}

/* Adds nodes and their coordinates, which are the caller's until the mesh has them. */
static mplan_status make_nodes(refinement *r, mplan_mesh *made, mplan_error *err)
{
    mplan_splitter *s = &r->splitter;
    int32_t set;
    const double *old = mplan_mesh_coordinates(r->mesh, s->middle.cells.to, &s->coordinate_dimension);
    double *all = NULL;
    if (old) {
        all = mplan_alloc(s->middle.n_all, (size_t)s->coordinate_dimension * sizeof *all, err);
        if (!all)
            return MPLAN_ERR_MEMORY;
        mplan_midpoints_place(&s->middle, s->coordinate_dimension, old, all);
        s->coordinates = all;
    }
    mplan_status status = mplan_mesh_add_set(made, "nodes", s->middle.n_all, &set, err);
    if (status || !all) {
        free(all);
        return status;
    }
    return mplan_mesh_take_coordinates(made, set, s->coordinate_dimension, all, err);
}

/* Adds cells and coordinates of the refined mesh. */
static mplan_status make_cells(refinement *r, mplan_mesh *made, mplan_error *err)
{
    int64_t n_entries;
    mplan_status status = make_nodes(r, made, err);
    if (!status)
        status = count_children(r, &n_entries, err);
    if (status)
        return status;
    int64_t n_cells = first_child(r, r->splitter.middle.cells.n_rows);
    uint8_t *type = mplan_alloc(n_cells, sizeof *type, err);
    int32_t *nodes = type ? mplan_alloc(n_entries, sizeof *nodes, err) : NULL;
    status = nodes ? split_cells(r, type, nodes, err) : MPLAN_ERR_MEMORY;
    if (status) {
        free(type);
        free(nodes);
        return status;
    }
    return mplan_mesh_take_cells(made, r->splitter.middle.n_all, n_cells, type, nodes, err);
}

/* *refined: a new mesh, owned by the caller; old nodes keep their numbers. */
static mplan_status refine_once(const mplan_mesh *mesh, const mplan_context *context,
                                mplan_mesh **refined, mplan_error *err)
{
    refinement r = {.mesh = mesh, .context = context, .split = true};
    mplan_mesh *made = NULL;
    mplan_status status = mplan_midpoints_make(mesh, context, &r.splitter.middle, err);
    if (!status)
        status = mplan_mesh_create(&made, err);
    if (!status)
        status = make_cells(&r, made, err);
    if (!status)
        status = carry_groups(&r, made, err);
    free(r.first_child);
    mplan_midpoints_free(&r.splitter.middle);
    if (status) {
        mplan_mesh_free(made);
        return status;
    }
    *refined = made;
    return MPLAN_OK;
}

/* For 0 refinements: the cells, coordinates and groups, as a refinement would give
 * them. */
static mplan_status copy_mesh(const mplan_mesh *mesh, const mplan_context *context,
                              mplan_mesh **refined, mplan_error *err)
{
    refinement r = {.mesh = mesh, .context = context, .split = false};
    mplan_mesh *made;
    mplan_map cells = mplan_mesh_map(mesh, mplan_mesh_find_map(mesh, "cells_nodes"));
    int32_t dimension;
    const double *coordinates = mplan_mesh_coordinates(mesh, cells.to, &dimension);
    mplan_status status = mplan_mesh_create(&made, err);
    if (status)
        return status;
    status = mplan_mesh_add_cells(made, cells.n_points, cells.n_rows, mesh->cell_type, cells.values,
                                  err);
    if (!status && coordinates)
        status = mplan_mesh_set_coordinates(made, mplan_mesh_find_set(made, "nodes"), dimension,
                                            coordinates, err);
    if (!status)
        status = carry_groups(&r, made, err);
    if (status) {
        mplan_mesh_free(made);
        return status;
    }
    *refined = made;
    return MPLAN_OK;
}

/* Before memory runs out on the way there. A pyramid has six pyramids and four tets. */
static mplan_status check_growth(const mplan_mesh *mesh, int32_t times, mplan_error *err)
{
    int64_t n_cells = mplan_mesh_set(mesh, mplan_mesh_find_set(mesh, "cells")).size, n_pyramids = 0;
    for (int64_t c = 0; c < n_cells; c++)
        n_pyramids += mesh->cell_type[c] == MPLAN_CELL_PYRAMID5;
    for (int32_t t = 0; t < times && n_cells > 0; t++) {
        n_cells = ((n_cells - n_pyramids) << mesh->dimension) + 10 * n_pyramids;
        n_pyramids *= 6;
        if (n_cells > MPLAN_MAX_MEMBERS)
            return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                              "refined %d times the mesh would have more than %lld cells", times,
                              (long long)MPLAN_MAX_MEMBERS);
    }
    return MPLAN_OK;
}

/* Whether the mesh can be refined so often, before anything is made. */
static mplan_status check_mesh(const mplan_mesh *mesh, int32_t times, const mplan_context *context,
                               mplan_error *err)
{
    bool has_own = false;
    mplan_status status = check_sets(mesh, &has_own, err);
    if (!status)
        status = check_growth(mesh, times, err);
    if (!status && (times > 0 || has_own))
        status = check_cells(mesh, err);
    return !status && has_own ? mplan_own_sets_check(mesh, context, err) : status;
}

/* Sizes are checked for all steps before the first one. */
mplan_status mplan_mesh_refine(const mplan_mesh *mesh, int32_t times, const mplan_context *context,
                               mplan_mesh **refined, mplan_error *err)
{
    MPLAN_NEED_CONTEXT(context);
    MPLAN_NEED(mesh);
    MPLAN_NEED(refined);
    if (times < 0)
        return mplan_fail(err, MPLAN_ERR_ARGUMENT, "a mesh cannot be refined %d times", times);
    mplan_status status = check_mesh(mesh, times, context, err);
    if (status)
        return status;
    if (times == 0)
        return copy_mesh(mesh, context, refined, err);
    mplan_mesh *coarse = NULL;
    for (int32_t t = 0; t < times && !status; t++) {
        mplan_mesh *fine = NULL;
        status = refine_once(coarse ? coarse : mesh, context, &fine, err);
        mplan_mesh_free(coarse);
        coarse = fine;
    }
    if (!status)
        *refined = coarse;
    return status;
}
