/* SPDX-License-Identifier: Apache-2.0 */
/* exodus_sides.c - side sets of Exodus II files become groups of facets, node sets groups of nodes */
#include "formats/netcdf/exodus.h"

#include <stdlib.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "formats/side_order.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_NETCDF

/* Sides of a set that are facets of cells; others are counted. */
typedef struct side_list {
    mplan_vector types, nodes;
    int64_t n_other;
} side_list;

/* Bisection: the block that holds the element, counted through all blocks. */
static const mplan_exodus_block *block_of(const mplan_exodus *file, int64_t element)
{
    int64_t low = 0, high = file->n_blocks; /* the last that begins at or before the element */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (file->blocks[middle].first_element <= element)
            low = middle;
        else
            high = middle;
    }
    return &file->blocks[low];
}

/* Sides 1 and 2 of shells are their two faces, edges follow: by the block's type, as which SHELL4, TRISHELL3 or QUADSHELL9
 * are shells in the plane, too; triangles and quads of other names are shells in space. */
bool mplan_exodus_is_shell(const mplan_exodus *file, const mplan_exodus_block *block)
{
    for (const char *at = block->kind; *at; at++)
        if (strncasecmp(at, "shell", 5) == 0)
            return file->dimension == 2;
    return file->dimension == 2 && file->space_dimension == 3;
}

/* side: number in the order of Exodus, from 1. Elements of lower dimension are
 * counted, not added. */
static mplan_status add_side(const mplan_exodus *file, const mplan_map *cells, int64_t element,
                             int64_t side, side_list *list, mplan_error *err)
{
    const mplan_exodus_block *block = block_of(file, element);
    int8_t corner[4];
    if (block->first_cell < 0) {
        list->n_other++;
        return MPLAN_OK;
    }
    int64_t c = block->first_cell + (element - block->first_element);
    mplan_cell_type type = (mplan_cell_type)mplan_mesh_cell_types(file->mesh)[c];
    bool shell = mplan_exodus_is_shell(file, block);
    if (shell && (side == 1 || side == 2)) { /* the shell itself, from one side */
        list->n_other++;
        return MPLAN_OK;
    }
    int32_t n_row,
        n = mplan_side_corners(MPLAN_NUMBERING_EXODUS, type, shell ? side - 2 : side, corner);
    if (n == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "element %lld (%s) has no side %lld",
                          (long long)element + 1, mplan_cell_type_name(type), (long long)side);
    const int32_t *row = mplan_map_row(cells, c, &n_row);
    uint8_t facet = (uint8_t)mplan_facet_type(n);
    if (mplan_vector_push(&list->types, &facet, err) != MPLAN_OK)
        return MPLAN_ERR_MEMORY;
    for (int32_t k = 0; k < n; k++)
        if (mplan_vector_push(&list->nodes, &row[corner[k]], err) != MPLAN_OK)
            return MPLAN_ERR_MEMORY;
    return MPLAN_OK;
}

/* A list of numbers: variable <stem><i + 1>, all in [1, most]. */
static mplan_status read_list(const mplan_exodus *file, const char *stem, int64_t i, int64_t most,
                              int64_t **values, int64_t *n, mplan_error *err)
{
    char name[48];
    mplan_netcdf_variable variable;
    snprintf(name, sizeof name, "%s%lld", stem, (long long)i + 1);
    *n = 0;
    *values = NULL;
    if (mplan_netcdf_find(&file->file, name) < 0) /* an empty set */
        return MPLAN_OK;
    mplan_status status = mplan_netcdf_need(&file->file, name, 1, &variable, err);
    if (!status && !(*values = mplan_alloc(variable.count, sizeof **values, err)))
        status = MPLAN_ERR_MEMORY;
    if (!status)
        status = mplan_netcdf_wholes(&file->file, &variable, *values, err);
    for (int64_t k = 0; k < variable.count && !status; k++)
        if ((*values)[k] < 1 || (*values)[k] > most)
            status = mplan_fail(err, MPLAN_ERR_MESH,
                                "%s: variable %s: entry (%lld) is %lld, not in [1, %lld]",
                                file->file.input->path, name, (long long)k, (long long)(*values)[k],
                                (long long)most);
    if (!status)
        *n = variable.count;
    return status;
}

/* A side set becomes a group of facets. */
static mplan_status add_sides(const mplan_exodus *file, int64_t i, const int64_t *elements,
                              const int64_t *sides, int64_t n, mplan_error *err)
{
    char name[MPLAN_NETCDF_NAME];
    int64_t id;
    side_list list = {MPLAN_VECTOR_INIT(sizeof(uint8_t)), MPLAN_VECTOR_INIT(sizeof(int32_t)), 0};
    mplan_map cells = mplan_mesh_map(file->mesh, mplan_mesh_find_map(file->mesh, "cells_nodes"));
    mplan_exodus_label(file, "ss", i, name, &id);
    mplan_status status = MPLAN_OK;
    for (int64_t k = 0; k < n && !status; k++)
        status = add_side(file, &cells, elements[k] - 1, sides[k], &list, err);
    if (status == MPLAN_ERR_MESH) {
        char place[96];
        snprintf(place, sizeof place, "%.40s: variable side_ss%lld", file->file.input->path,
                 (long long)i + 1);
        mplan_fail_prefix(err, status, place);
    }
    if (!status && list.n_other > 0)
        mplan_warn(file->file.context,
                   "%s: side set %lld: %lld sides that are not facets of a cell are skipped",
                   file->file.input->path, (long long)id, (long long)list.n_other);
    if (!status)
        status = mplan_mesh_add_facets(file->mesh, name, id, list.types.count, list.types.data,
                                       list.nodes.data, err);
    free(list.types.data);
    free(list.nodes.data);
    return status;
}

/* Side set i. */
static mplan_status fail_lengths(const mplan_exodus *file, int64_t i, int64_t n, int64_t n_sides,
                                 mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_CORRUPT, "%s: side set %lld has %lld elements and %lld sides",
                      file->file.input->path, (long long)i + 1, (long long)n, (long long)n_sides);
}

/* Two lists of equal length: elements and their sides. */
static mplan_status read_side_set(const mplan_exodus *file, int64_t i, mplan_error *err)
{
    int64_t *elements = NULL, *sides = NULL, n, n_sides = 0;
    mplan_status status = read_list(file, "elem_ss", i, file->n_elements, &elements, &n, err);
    if (!status)
        status = read_list(file, "side_ss", i, INT32_MAX, &sides, &n_sides, err);
    if (!status && n != n_sides)
        status = fail_lengths(file, i, n, n_sides, err);
    if (!status && n > 0)
        status = add_sides(file, i, elements, sides, n, err);
    free(elements);
    free(sides);
    return status;
}

/* A node set becomes a group of nodes; repeats count once. */
static mplan_status read_node_set(const mplan_exodus *file, int64_t i, mplan_error *err)
{
    char name[MPLAN_NETCDF_NAME];
    int64_t id, n, *values = NULL;
    mplan_status status = read_list(file, "node_ns", i, file->n_nodes, &values, &n, err);
    int32_t *members = !status && n > 0 ? mplan_alloc(n, sizeof *members, err) : NULL;
    if (!status && n > 0 && !members)
        status = MPLAN_ERR_MEMORY;
    for (int64_t k = 0; members && k < n; k++)
        members[k] = (int32_t)(values[k] - 1);
    free(values);
    if (!members)
        return status;
    int64_t kept = mplan_distinct_i32(members, n); /* a node twice is the same set */
    mplan_exodus_label(file, "ns", i, name, &id);
    return mplan_mesh_take_group(file->mesh, name, id, 0, mplan_mesh_find_set(file->mesh, "nodes"),
                                 kept, members, err);
}

/* Side sets of polyhedra are skipped with a warning. */
mplan_status mplan_exodus_read_sets(mplan_exodus *file, mplan_error *err)
{
    int64_t n_sides, n_nodes = 0;
    mplan_status status = mplan_exodus_count(file, "num_side_sets", &n_sides, err);
    if (!status)
        status = mplan_exodus_count(file, "num_node_sets", &n_nodes, err);
    if (!status && file->untyped && n_sides > 0) { /* sides of polyhedra are numbered by their faces */
        mplan_warn(file->file.context,
                   "%s: %lld side sets are skipped: they are not supported "
                   "together with polyhedra or polygons",
                   file->file.input->path, (long long)n_sides);
        n_sides = 0;
    }
    for (int64_t i = 0; !status && i < n_sides; i++) {
        status = read_side_set(file, i, err);
        if (!status)
            status = mplan_interrupted(file->file.context, err);
    }
    for (int64_t i = 0; !status && i < n_nodes; i++) {
        status = read_node_set(file, i, err);
        if (!status)
            status = mplan_interrupted(file->file.context, err);
    }
    return status;
}

/* --- layouts -------------------------------------------------------------------------------- */

/* Variable <stem><i + 1> of one dimension; *array -1: it is not there, as of an empty set. */
static mplan_status place_list(const mplan_exodus *file, const char *stem, int64_t i,
                               int32_t *array, int64_t *n, mplan_error *err)
{
    char name[48];
    mplan_netcdf_variable variable;
    snprintf(name, sizeof name, "%s%lld", stem, (long long)i + 1);
    *array = -1;
    *n = 0;
    if (mplan_netcdf_find(&file->file, name) < 0)
        return MPLAN_OK;
    mplan_status status = mplan_netcdf_need(&file->file, name, 1, &variable, err);
    *n = status ? 0 : variable.count;
    return status ? status
                  : mplan_netcdf_place(&file->file, &variable, variable.count, 1, false, array, err);
}

/* sides: of a side set, else of a node set. Empty ones, and those without a name, are left. */
static mplan_status place_set(mplan_exodus *file, bool sides, int64_t i, mplan_error *err)
{
    char name[MPLAN_NETCDF_NAME];
    int64_t id, n, n_other = 0;
    int32_t array, other = -1;
    mplan_places_group *group = NULL;
    mplan_exodus_label(file, sides ? "ss" : "ns", i, name, &id);
    mplan_status status = place_list(file, sides ? "elem_ss" : "node_ns", i, &array, &n, err);
    if (!status && sides)
        status = place_list(file, "side_ss", i, &other, &n_other, err);
    if (!status && sides && n != n_other)
        status = fail_lengths(file, i, n, n_other, err);
    if (status || n == 0 || !name[0])
        return status;
    status = mplan_places_add_group(file->file.layout, name, sides ? "cells" : "nodes",
                                    file->file.layout->groups.count,
                                    sides ? MPLAN_GROUP_SIDES : MPLAN_GROUP_LIST, &group, err);
    if (status)
        return status;
    group->array = array;
    group->other = other;
    group->numbering = MPLAN_NUMBERING_EXODUS;
    return MPLAN_OK;
}

mplan_status mplan_exodus_place_sets(mplan_exodus *file, mplan_error *err)
{
    int64_t n_sides, n_nodes = 0;
    mplan_status status = mplan_exodus_count(file, "num_side_sets", &n_sides, err);
    if (!status)
        status = mplan_exodus_count(file, "num_node_sets", &n_nodes, err);
    for (int64_t i = 0; !status && i < n_sides; i++)
        status = place_set(file, true, i, err);
    for (int64_t i = 0; !status && i < n_nodes; i++)
        status = place_set(file, false, i, err);
    return status;
}
#endif
