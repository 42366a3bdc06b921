/* SPDX-License-Identifier: Apache-2.0 */
/* vtk_groups.c - groups from data of cells and points in VTK's files
 *
 * Whole numbers under a name by which writers keep tags say which group a cell is in; marks, 0 or 1, are
 * a group of the array's name, as this library writes groups. Cells of the kept dimension become
 * members of groups, those one dimension lower facets of groups. Marks of points are groups of nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/scan.h"
#include "formats/vtk/vtk.h"
#include "mesh/mesh.h"

enum { MOST_GROUPS = 65536 };

/* OpenGeoSys counts materials from 0; to the others 0 is not a group. gmsh, meshio, medit's files,
 * MED, GEOS (attribute), MFEM (attribute, material). */
static const struct {
    const char *name;
    bool zero_counts;
} tag_names[] = {
    {"gmsh:physical", false}, {"medit:ref", false},  {"CellEntityIds", false},
    {"cell_tags", false},     {"MaterialIds", true}, {"MaterialIDs", true},
    {"MaterialID", true},     {"attribute", false},  {"material", true},
};
enum { N_TAG_NAMES = sizeof tag_names / sizeof *tag_names };

/* Place among the names by which programs write groups; -1 for others. */
int mplan_vtk_tag_rank(const char *group_array, const char *name)
{
    if (group_array)
        return strcmp(name, group_array) == 0 ? 0 : -1;
    for (int i = 0; i < N_TAG_NAMES; i++)
        if (strcmp(name, tag_names[i].name) == 0)
            return i;
    return -1;
}

/* NULL past the last. */
const char *mplan_vtk_tag_name(const char *group_array, int rank)
{
    if (group_array)
        return rank == 0 ? group_array : NULL;
    return rank < N_TAG_NAMES ? tag_names[rank].name : NULL;
}

/* Fields that were kept by mplan_vtk_take_field; there may be none. */
void mplan_vtk_fields_free(mplan_vtk_cells *cells)
{
    for (int64_t f = 0; f < cells->n_fields; f++) {
        free(cells->fields[f].name);
        free(cells->fields[f].values);
    }
    free(cells->fields);
    cells->fields = NULL;
    cells->n_fields = 0;
}

/* The values belong to cells from here on, also after a failure. */
mplan_status mplan_vtk_take_field(mplan_vtk_cells *cells, const mplan_vtk_field *field,
                                  mplan_error *err)
{
    mplan_vtk_field added = *field;
    added.name = mplan_strdup(field->name, err);
    mplan_vtk_field *fields = added.name ? mplan_realloc(cells->fields, cells->n_fields + 1,
                                                         sizeof *fields, err)
                                         : NULL;
    if (!fields) {
        free(added.name);
        free(added.values);
        return MPLAN_ERR_MEMORY;
    }
    cells->fields = fields;
    fields[cells->n_fields++] = added;
    return MPLAN_OK;
}

/* --- groups before the mesh has cells ------------------------------------------------- */

/* A group on its way into the mesh: members, or facets by their nodes.
 * members: n_members, of the kept cells or of the points. types: n_facets; nodes: theirs, one facet behind the
 * other. */
typedef struct found_group {
    const char *name; /* "" or that of a field */
    int64_t id, n_members, n_facets;
    bool of_points;
    int32_t *members; /* of the kept cells, or of the points */
    uint8_t *types;   /* of the facets, and their nodes */
    int32_t *nodes;
} found_group;

/* What mplan_vtk_groups_add makes groups of, in this order. */
struct mplan_vtk_groups {
    mplan_vector found; /* found_group */
    int64_t n_facets;   /* file's cells that became facets */
};

/* What is known of the cells while groups are looked for.
 * place, used: an entry for each cell of the file. A facet in several groups is counted once, by `used`. */
typedef struct group_finder {
    const mplan_vtk_cells *cells;
    int32_t dimension;
    bool facets;    /* wanted */
    int32_t *place; /* of the file's cells: which kept one it is; -1 facet, -2 neither */
    uint8_t *used;  /* a facet of some group */
    mplan_vtk_groups *groups;
    mplan_error *err;
} group_finder;

/* How many points cell c of the file has. */
static int64_t nodes_of(const mplan_vtk_cells *cells, int32_t c)
{
    return cells->offsets[c + 1] - cells->offsets[c];
}

/* The nodes of a facet in the mesh's order. to: as many as nodes_of says. */
static void copy_facet(const mplan_vtk_cells *cells, int32_t c, uint8_t *type_out, int32_t *to)
{
    mplan_cell_type type = MPLAN_CELL_POINT;
    const char *order = NULL;
    int64_t n = nodes_of(cells, c);
    mplan_vtk_shape(cells->types[c], n, &type, &order);
    *type_out = (uint8_t)type;
    for (int64_t k = 0; k < n; k++)
        to[k] = cells->points[cells->offsets[c] + (order ? order[k] - 'A' : k)];
}

/* Notes a group of n cells of the file: members of the kept dimension by their new numbers,
 * facets by their nodes; others are left out, and a group of none is none. What was taken for it
 * is in groups->found, or released after a failure. */
static mplan_status note_group(group_finder *f, const char *name, int64_t id, const int32_t *list,
                               int64_t n)
{
    found_group group = {.name = name, .id = id};
    int64_t n_nodes = 0;
    for (int64_t i = 0; i < n; i++) {
        group.n_members += f->place[list[i]] >= 0;
        group.n_facets += f->place[list[i]] == -1;
        n_nodes += f->place[list[i]] == -1 ? nodes_of(f->cells, list[i]) : 0;
    }
    if (group.n_members + group.n_facets == 0)
        return MPLAN_OK;
    group.members = mplan_alloc(group.n_members, sizeof *group.members, f->err);
    group.types = mplan_alloc(group.n_facets, sizeof *group.types, f->err);
    group.nodes = mplan_alloc(n_nodes, sizeof *group.nodes, f->err);
    if (!group.members || !group.types || !group.nodes ||
        mplan_vector_push(&f->groups->found, &group, f->err)) {
        free(group.members);
        free(group.types);
        free(group.nodes);
        return MPLAN_ERR_MEMORY;
    }
    int32_t *node = group.nodes;
    int64_t member = 0, facet = 0;
    for (int64_t i = 0; i < n; i++) {
        if (f->place[list[i]] >= 0) {
            group.members[member++] = f->place[list[i]];
        } else if (f->place[list[i]] == -1) {
            copy_facet(f->cells, list[i], &group.types[facet++], node);
            node += nodes_of(f->cells, list[i]);
            f->groups->n_facets += !f->used[list[i]];
            f->used[list[i]] = 1;
        }
    }
    return MPLAN_OK;
}

/* A cell and its number.
 * The cell is one of the file. */
typedef struct tagged {
    int32_t tag, cell;
} tagged;

/* By tag, then cell. */
static int compare_tagged(const void *left, const void *right)
{
    const tagged *a = left, *b = right;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return (a->cell > b->cell) - (a->cell < b->cell);
}

/* A group for every number of an array, its number being the id. The list is sorted unless it
 * was so: numbers mostly come in runs, and a mesh of 10^8 cells need not be sorted then.
 * field->n is the number of cells of the file. 0 means that a cell has no group, unless the array was asked for by
 * its name or is one of those in which 0 counts. */
static mplan_status find_tags(group_finder *f, const char *path, const mplan_vtk_field *field,
                              const mplan_context *context)
{
    int64_t n = 0, n_groups = 0;
    bool sorted = true;
    const char *asked = f->cells->group_array;
    bool zero_counts = asked || tag_names[mplan_vtk_tag_rank(NULL, field->name)].zero_counts;
    tagged *list = mplan_alloc(field->n, sizeof *list, f->err);
    int32_t *cells = list ? mplan_alloc(field->n, sizeof *cells, f->err) : NULL;
    mplan_status status = cells ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < field->n && !status; c++)
        if (f->place[c] > -2 && (field->values[c] != 0 || zero_counts)) {
            list[n] = (tagged){field->values[c], (int32_t)c};
            sorted = sorted && (n == 0 || list[n].tag >= list[n - 1].tag);
            n++;
        }
    if (n > 1 && !sorted && !status)
        qsort(list, (size_t)n, sizeof *list, compare_tagged);
    for (int64_t i = 0; i < n && !status; i++) {
        cells[i] = list[i].cell;
        n_groups += i == 0 || list[i].tag != list[i - 1].tag;
    }
    if (n_groups > MOST_GROUPS) {
        mplan_warn(context,
                   "%s: %s has %lld different numbers, more than %d: no groups are made from them",
                   path, field->name, (long long)n_groups, MOST_GROUPS);
        n = 0;
    }
    for (int64_t i = 0, end; i < n && !status; i = end) {
        for (end = i + 1; end < n && list[end].tag == list[i].tag; end++)
            ;
        status = note_group(f, "", list[i].tag, cells + i, end - i);
    }
    free(list);
    free(cells);
    return status;
}

/* "group 7" is how a group without a name is written, "group 7 ~2" the second of a number, of another dimension.
 * False: another name. */
static bool is_number(const char *name, int64_t *id)
{
    const char *end = name + strlen(name), *at = name + 6;
    int64_t repeat;
    if (strncmp(name, "group ", 6) != 0)
        return false;
    size_t length = mplan_parse_i64(at, end, id);
    at += length;
    if (length == 0 || *id < INT32_MIN || *id > INT32_MAX)
        return false;
    if (strncmp(at, " ~", 2) != 0)
        return at == end;
    length = mplan_parse_i64(at + 2, end, &repeat);
    return length > 0 && at + 2 + length == end;
}

/* Marks of points: a group of nodes.
 * Its members are the field's n marks, which ascend; they are copied. */
static mplan_status note_points(group_finder *f, const char *name, int64_t id,
                                const mplan_vtk_field *field)
{
    found_group group = {.name = name, .id = id, .n_members = field->n, .of_points = true};
    group.members = mplan_copy(field->values, field->n, sizeof *field->values, f->err);
    if (!group.members || mplan_vector_push(&f->groups->found, &group, f->err)) {
        free(group.members);
        return MPLAN_ERR_MEMORY;
    }
    return MPLAN_OK;
}

/* Groups of marks, of points or of cells: those with names are numbered, past the numbers of others, so that
 * no two groups of a dimension have one number.
 * Tags must have been found before: marks of cells are numbered behind them. */
static mplan_status find_marks(group_finder *f, bool of_points)
{
    const mplan_vtk_cells *cells = f->cells;
    int64_t next = 1, id;
    mplan_status status = MPLAN_OK;
    for (int64_t i = 0; i < cells->n_fields; i++)
        if (cells->fields[i].marks && cells->fields[i].of_points == of_points &&
            is_number(cells->fields[i].name, &id) && id >= next)
            next = id + 1;
    for (int64_t g = 0; g < f->groups->found.count && !of_points; g++) {
        id = ((const found_group *)f->groups->found.data)[g].id;
        next = id >= next ? id + 1 : next;
    }
    for (int64_t i = 0; i < cells->n_fields && !status; i++) {
        const mplan_vtk_field *field = &cells->fields[i];
        if (!field->marks || field->of_points != of_points)
            continue;
        bool numbered = is_number(field->name, &id);
        const char *name = numbered ? "" : field->name;
        id = numbered ? id : next++;
        status = of_points ? note_points(f, name, id, field)
                           : note_group(f, name, id, field->values, field->n);
    }
    return status;
}

/* f->place: number of each cell among the kept ones, -1 of a facet that a group may have, -2 of
 * others; used: whether a group holds it. */
static mplan_status place_cells(group_finder *f)
{
    const mplan_vtk_cells *cells = f->cells;
    int32_t next = 0;
    f->place = mplan_alloc(cells->n_cells, sizeof *f->place, f->err);
    f->used = mplan_alloc_zero(cells->n_cells, 1, f->err);
    if (!f->place || !f->used)
        return MPLAN_ERR_MEMORY;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        int32_t dimension = mplan_vtk_dimension_of(cells, c);
        mplan_cell_type type;
        bool typed = mplan_vtk_shape(cells->types[c], nodes_of(cells, (int32_t)c), &type, NULL);
        f->place[c] = dimension == f->dimension                             ? next++
                      : dimension == f->dimension - 1 && typed && f->facets ? -1
                                                                            : -2;
    }
    return MPLAN_OK;
}

/* Whether there is a field of numbers.
 * Others are marks: lists of members. */
static bool has_tags(const mplan_vtk_cells *cells)
{
    for (int64_t i = 0; i < cells->n_fields; i++)
        if (!cells->fields[i].marks)
            return true;
    return false;
}

/* One group for each value of the best field; facets: whether cells of lower
 * dimension may be in groups. */
mplan_status mplan_vtk_groups_find(const char *path, const mplan_vtk_cells *cells,
                                   int32_t dimension, bool facets, mplan_vtk_groups **groups,
                                   int64_t *n_facets, const mplan_context *context, mplan_error *err)
{
    *groups = NULL;
    *n_facets = 0;
    if (cells->group_array && !has_tags(cells))
        return mplan_fail(err, MPLAN_ERR_ARGUMENT,
                          "%s: the data of cells have no array '%.64s' of whole numbers, one a cell",
                          path, cells->group_array);
    if (cells->n_fields == 0)
        return MPLAN_OK;
    *groups = mplan_alloc_zero(1, sizeof **groups, err);
    if (!*groups)
        return MPLAN_ERR_MEMORY;
    (*groups)->found = (mplan_vector)MPLAN_VECTOR_INIT(sizeof(found_group));
    group_finder f = {
        .cells = cells, .dimension = dimension, .facets = facets, .groups = *groups, .err = err};
    const mplan_vtk_field *best = NULL;
    for (int64_t i = 0; i < cells->n_fields; i++)
        if (!cells->fields[i].marks &&
            (!best || mplan_vtk_tag_rank(cells->group_array, cells->fields[i].name) <
                          mplan_vtk_tag_rank(cells->group_array, best->name)))
            best = &cells->fields[i];
    mplan_status status = place_cells(&f);
    if (!status && best)
        status = find_tags(&f, path, best, context);
    if (!status)
        status = find_marks(&f, false);
    if (!status)
        status = find_marks(&f, true);
    free(f.place);
    free(f.used);
    *n_facets = (*groups)->n_facets;
    return status;
}

/* --- groups of the mesh ------------------------------------------------------------------ */

/* After the mesh has its cells: members move to it, facets are copied.
 * One that has both becomes a group of cells and a group of facets, of the same name and number. */
mplan_status mplan_vtk_groups_add(mplan_vtk_groups *groups, int32_t dimension, mplan_mesh *mesh,
                                  mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int32_t cells = mplan_mesh_find_set(mesh, "cells"), nodes = mplan_mesh_find_set(mesh, "nodes");
    for (int64_t g = 0; groups && g < groups->found.count && !status; g++) {
        found_group *group = (found_group *)groups->found.data + g;
        int32_t *members = group->members;
        if (group->n_members > 0) {
            group->members = NULL;
            status = mplan_mesh_take_group(mesh, group->name, group->id,
                                           group->of_points ? 0 : dimension,
                                           group->of_points ? nodes : cells, group->n_members,
                                           members, err);
        }
        if (!status && group->n_facets > 0)
            status = mplan_mesh_add_facets(mesh, group->name, group->id, group->n_facets,
                                           group->types, group->nodes, err);
    }
    return status;
}

/* groups may be NULL. */
void mplan_vtk_groups_free(mplan_vtk_groups *groups)
{
    for (int64_t g = 0; groups && g < groups->found.count; g++) {
        found_group *group = (found_group *)groups->found.data + g;
        free(group->members);
        free(group->types);
        free(group->nodes);
    }
    if (groups)
        free(groups->found.data);
    free(groups);
}
