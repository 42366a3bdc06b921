/* SPDX-License-Identifier: Apache-2.0 */
/* gmsh_groups.c - from what a Gmsh file holds to a mesh
 *
 * Elements of the highest dimension are the cells. Physical groups of cells
 * become groups of `cells`, those one dimension lower facets, all others
 * groups of `nodes`. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/threads.h"
#include "formats/gmsh/gmsh_internal.h"
#include "mesh/mesh.h"

enum { NODES = 1 << 16 }; /* of a piece */

/* By group, then place: members come out ascending. */
static int compare_runs(const void *left, const void *right)
{
    const gmsh_run *a = left, *b = right;
    if (a->physical != b->physical)
        return a->physical < b->physical ? -1 : 1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->count < b->count ? -1 : a->count > b->count;
}

/* By dimension and number; of two names for one group the first in the file
 * counts. */
static int compare_names(const void *left, const void *right)
{
    const gmsh_name *a = left, *b = right;
    if (a->dimension != b->dimension)
        return a->dimension < b->dimension ? -1 : 1;
    if (a->physical != b->physical)
        return a->physical < b->physical ? -1 : 1;
    return a->text < b->text ? -1 : a->text > b->text; /* the first in the file */
}

/* Bisection; NULL if the group has no name. */
static const gmsh_name *find_name(const gmsh_reader *reader, int64_t dimension, int64_t physical)
{
    const gmsh_name *names = reader->names.data;
    int64_t low = 0, high = reader->names.count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (names[middle].dimension < dimension ||
            (names[middle].dimension == dimension && names[middle].physical < physical))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < reader->names.count && names[low].dimension == dimension &&
                 names[low].physical == physical;
    return found ? &names[low] : NULL;
}

/* A copy of the group's name, "" when the file has none. */
static char *copy_name(const gmsh_reader *reader, int32_t dimension, int64_t physical,
                       mplan_error *err)
{
    const gmsh_name *name = find_name(reader, dimension, physical);
    if (!name)
        name = find_name(reader, -1, physical);
    size_t length = name ? name->length : 0;
    char *copy = mplan_alloc((int64_t)length + 1, 1, err);
    if (copy) {
        if (length)
            memcpy(copy, name->text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* A physical group: its runs are sorted and may overlap. */
typedef struct group {
    const gmsh_elements *elements;
    const gmsh_run *runs;
    int64_t n_runs, n_members;
    int32_t dimension;
    int64_t id;
    char *name;
} group;

/* Numbers of its elements, ascending, each once. */
static int32_t *list_members(group *of, mplan_error *err)
{
    int64_t most = 0, next = 0;
    for (int64_t r = 0; r < of->n_runs; r++)
        most += of->runs[r].count;
    int32_t *members = mplan_alloc(most, sizeof *members, err);
    of->n_members = 0;
    for (int64_t r = 0; members && r < of->n_runs; r++) {
        const gmsh_run *run = &of->runs[r];
        for (int64_t i = run->first > next ? run->first : next; i < run->first + run->count; i++) {
            members[of->n_members++] = (int32_t)i;
            next = i + 1;
        }
    }
    return members;
}

/* Adds members as facets. offsets: of the elements' nodes. */
static mplan_status add_facets(mplan_mesh *mesh, const group *of, const int32_t *members,
                               const int64_t *offsets, mplan_error *err)
{
    const uint8_t *type = of->elements->type.data;
    const int32_t *nodes = of->elements->nodes.data;
    int64_t entries = 0;
    for (int64_t i = 0; i < of->n_members; i++)
        entries += offsets[members[i] + 1] - offsets[members[i]];
    uint8_t *types = mplan_alloc(of->n_members, sizeof *types, err);
    int32_t *copy = types ? mplan_alloc(entries, sizeof *copy, err) : NULL;
    mplan_status status = MPLAN_ERR_MEMORY;
    if (!copy)
        goto done;
    entries = 0;
    for (int64_t i = 0; i < of->n_members; i++) {
        int64_t e = members[i], n = offsets[e + 1] - offsets[e];
        types[i] = type[e];
        memcpy(copy + entries, nodes + offsets[e], (size_t)n * sizeof *copy);
        entries += n;
    }
    status = mplan_mesh_add_facets(mesh, of->name, of->id, of->n_members, types, copy, err);
done:
    free(types);
    free(copy);
    return status;
}

/* Adds the nodes of the members as a group of nodes. Costs what the members
 * have, not what the mesh has: there may be many small groups. */
static mplan_status add_node_group(mplan_mesh *mesh, const group *of, const int32_t *members,
                                   const int64_t *offsets, mplan_error *err)
{
    const int32_t *nodes = of->elements->nodes.data;
    int64_t entries = 0;
    for (int64_t i = 0; i < of->n_members; i++)
        entries += offsets[members[i] + 1] - offsets[members[i]];
    int32_t *list = mplan_alloc(entries, sizeof *list, err);
    if (!list)
        return MPLAN_ERR_MEMORY;
    entries = 0;
    for (int64_t i = 0; i < of->n_members; i++)
        for (int64_t k = offsets[members[i]]; k < offsets[members[i] + 1]; k++)
            list[entries++] = nodes[k];
    return mplan_mesh_take_group(mesh, of->name, of->id, of->dimension,
                                 mplan_mesh_find_set(mesh, "nodes"),
                                 mplan_distinct_i32(list, entries), list, err);
}

/* Groups of cells have members; those of lower dimension become facets, which
 * wait for their faces. */
static mplan_status add_group(const gmsh_reader *reader, mplan_mesh *mesh, group *of,
                              const int64_t *offsets, mplan_error *err)
{
    mplan_status status = MPLAN_ERR_MEMORY;
    int32_t *members = list_members(of, err);
    of->name = members ? copy_name(reader, of->dimension, of->id, err) : NULL;
    if (!of->name)
        goto done;
    if (of->dimension == mesh->dimension) {
        int32_t set = mplan_mesh_find_set(mesh, "cells");
        status = mplan_mesh_take_group(mesh, of->name, of->id, of->dimension, set, of->n_members,
                                       members, err);
        members = NULL;
    } else if (of->dimension == mesh->dimension - 1) {
        status = add_facets(mesh, of, members, offsets, err);
    } else {
        status = add_node_group(mesh, of, members, offsets, err);
    }
done:
    free(of->name);
    free(members);
    return status;
}

/* Adds all groups of one dimension, by their number. */
static mplan_status add_groups(gmsh_reader *reader, mplan_mesh *mesh, int32_t dimension,
                               mplan_error *err)
{
    gmsh_elements *elements = &reader->elements[dimension];
    gmsh_run *runs = elements->runs.data;
    int64_t n = elements->runs.count, *offsets = NULL;
    if (n == 0)
        return MPLAN_OK;
    qsort(runs, (size_t)n, sizeof *runs, compare_runs);
    if (dimension < mesh->dimension) {
        offsets = mplan_gmsh_element_offsets(elements, err);
        if (!offsets)
            return MPLAN_ERR_MEMORY;
    }
    mplan_status status = MPLAN_OK;
    for (int64_t first = 0, last; !status && first < n; first = last) {
        for (last = first; last < n && runs[last].physical == runs[first].physical;)
            last++;
        group of = {.elements = elements,
                    .runs = runs + first,
                    .n_runs = last - first,
                    .dimension = dimension,
                    .id = runs[first].physical};
        status = add_group(reader, mesh, &of, offsets, err);
    }
    free(offsets);
    return status;
}

/* Cells and their nodes move to the mesh. */
static mplan_status add_cells(gmsh_reader *reader, mplan_mesh *mesh, int32_t dimension,
                              mplan_error *err)
{
    gmsh_elements *cells = &reader->elements[dimension];
    int64_t n_cells = cells->type.count;
    uint8_t *type = mplan_vector_take(&cells->type);
    int32_t *nodes = mplan_vector_take(&cells->nodes);
    return mplan_mesh_take_cells(mesh, reader->n_nodes, n_cells, type, nodes, err);
}

/* Coordinates of nodes. */
typedef struct flat_work {
    const double *xyz;
    double *xy;
} flat_work;

/* How many of nodes [begin, end) have another third coordinate than 0. */
static int64_t count_high(void *data, int thread, int64_t begin, int64_t end)
{
    const flat_work *work = data;
    int64_t n = 0;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        n += !(work->xyz[3 * i + 2] == 0);
    return n;
}

static void copy_flat(void *data, int thread, int64_t begin, int64_t end)
{
    const flat_work *work = data;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        work->xy[2 * i] = work->xyz[3 * i];
        work->xy[2 * i + 1] = work->xyz[3 * i + 1];
    }
}

/* Two coordinates a node where the third is 0 everywhere. */
static mplan_status add_coordinates(gmsh_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    mplan_team *team = mplan_team_of(reader->context);
    const int64_t n = reader->n_nodes;
    flat_work work = {reader->coordinates.data, NULL};
    const bool flat = mesh->dimension < 3 && mplan_for_sum(team, n, NODES, count_high, &work) == 0;
    if (flat) {
        work.xy = mplan_alloc(2 * n, sizeof *work.xy, err);
        if (!work.xy)
            return MPLAN_ERR_MEMORY;
        mplan_for(team, n, NODES, copy_flat, &work);
        free(reader->coordinates.data);
        reader->coordinates.data = NULL;
    } else {
        reader->coordinates.count = 3 * n;
        work.xy = mplan_vector_take(&reader->coordinates);
    }
    return mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), flat ? 2 : 3,
                                       work.xy, err);
}

/* Elements that several groups hold are in the file several times, in version 2:
 * they are joined first. */
mplan_status mplan_gmsh_build_mesh(gmsh_reader *reader, mplan_mesh *mesh, mplan_error *err)
{
    int32_t dimension = 3;
    while (dimension > 0 && reader->elements[dimension].type.count == 0)
        dimension--;
    if (dimension == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: the file has no cells", reader->scan.path);
    mplan_status status = MPLAN_OK;
    for (int32_t d = 0; !status && d <= dimension; d++)
        status = mplan_gmsh_join_repeats(&reader->elements[d], err);
    if (!status)
        status = add_cells(reader, mesh, dimension, err);
    if (!status)
        status = add_coordinates(reader, mesh, err);
    if (reader->names.count > 1)
        qsort(reader->names.data, (size_t)reader->names.count, sizeof(gmsh_name), compare_names);
    for (int32_t d = dimension; !status && d >= 0; d--)
        status = add_groups(reader, mesh, d, err);
    return status;
}
