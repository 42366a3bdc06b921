/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_places.c - where the numbers of an unstructured zone of a CGNS file in HDF5 are
 *
 * After "CGNS HDF5 mapping" (the SIDS file mapping manual): the array of a node is the dataset " data" in the group of its name.
 * Nodes of several zones would have to be joined, and sections of several types, or of polyhedra, need numbers to be read before
 * others can be placed: such files are left to the serial reader. */
#include "formats/cgns/cgns.h"

#ifdef MPLAN_HAVE_CGNS
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/hdf5_image.h"
#include "formats/hdf5_place.h"
#include "formats/side_order.h"

#ifdef MPLAN_HAVE_HDF5

/* A file that is placed: its tree a second time, as its bytes are in memory. */
typedef struct placing {
    const mplan_cgns *file;
    const mplan_cgns_zone *zone;
    hid_t image;
    char base[MPLAN_CGNS_NAME];
} placing;

/* The array of rows x cols numbers of the node at `path` in the zone. */
static mplan_status place_array(const placing *p, const char *path, int64_t rows, int64_t cols,
                                int32_t *index, mplan_error *err)
{
    char name[6 * MPLAN_CGNS_NAME], what[6 * MPLAN_CGNS_NAME + 80];
    mplan_places_array array = {.at = -1, .rows = rows, .cols = cols};
    snprintf(name, sizeof name, "/%s/%s/%s/ data", p->base, p->zone->name, path);
    const hid_t dataset = H5Dopen2(p->image, name, H5P_DEFAULT);
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == rows * cols)
        mplan_hdf5_place(dataset, &array);
    if (space >= 0)
        H5Sclose(space);
    if (dataset >= 0)
        H5Dclose(dataset);
    snprintf(what, sizeof what, "the array %s is not in one piece (chunks, compression)", path);
    if (array.size == 0 || (array.at < 0 && rows > 0))
        return mplan_places_refuse(p->file->input->path, what, err);
    array.at = array.at < 0 ? 0 : array.at;
    memcpy(array.member, path, strlen(path));
    return mplan_places_add_array(p->file->layout, &array, (int64_t)p->file->input->size, index, err);
}

/* As read_axis and add_nodes have them: a line in one dimension gets a second. */
static mplan_status place_nodes(const placing *p, mplan_error *err)
{
    static const char *const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
    const int axes = p->file->space_dimension;
    mplan_places_points *points = NULL;
    mplan_status status = mplan_places_add_points(p->file->layout, "nodes", axes == 3 ? 3 : 2,
                                                  &points, err);
    for (int d = 0; d < axes && !status; d++) {
        char path[2 * MPLAN_CGNS_NAME];
        snprintf(path, sizeof path, "GridCoordinates/%s", names[d]);
        status = place_array(p, path, p->zone->n_nodes, 1, &points->array[d], err);
    }
    return status ? status : mplan_places_add_set(p->file->layout, "nodes", p->zone->n_nodes, err);
}

/* Cells of one type, nodes in the order of ours. */
static mplan_status place_section(const placing *p, mplan_cgns_section *section, int64_t *n_cells,
                                  mplan_error *err)
{
    const mplan_cell_type type = mplan_cgns_cell_type(section->type);
    const int64_t n = section->end - section->start + 1;
    char path[3 * MPLAN_CGNS_NAME];
    int8_t order[MPLAN_PLACES_NODES] = {0};
    int32_t array = -1;
    if (type == MPLAN_N_CELL_TYPES)
        return mplan_places_refuse(p->file->input->path,
                                   "a section has elements of several types, polygons or polyhedra",
                                   err);
    if (section->dimension < p->file->cell_dimension)
        return MPLAN_OK;
    const char *letters = mplan_node_order(MPLAN_NUMBERING_CGNS, type);
    for (int32_t k = 0; letters && k < mplan_cell_type_nodes(type); k++)
        order[k] = (int8_t)(letters[k] - 'A');
    mplan_status status = mplan_cgns_check_arrays(p->file, p->zone, section, err);
    snprintf(path, sizeof path, "%s/ElementConnectivity", section->name);
    if (!status)
        status = place_array(p, path, n, mplan_cell_type_nodes(type), &array, err);
    *n_cells += n;
    return status ? status
                  : mplan_places_add_block(p->file->layout, array, (int32_t)type,
                                           letters ? order : NULL, err);
}

/* Sections of the highest dimension, in their order. */
static mplan_status place_cells(const placing *p, mplan_error *err)
{
    mplan_places *layout = p->file->layout;
    mplan_places_table *table = NULL;
    int64_t n_cells = 0;
    mplan_status status = mplan_places_add_table(layout, "cells_nodes", "cells", "nodes", &table,
                                                 err);
    if (!status) {
        table->base = 1;
        table->has_none = false;
    }
    for (int32_t s = 0; s < p->zone->n_sections && !status; s++)
        status = place_section(p, &p->zone->sections[s], &n_cells, err);
    if (!status && n_cells == 0)
        status = mplan_fail(err, MPLAN_ERR_MESH, "%s: the zones have no cells", p->file->input->path);
    return status ? status : mplan_places_add_set(layout, "cells", n_cells, err);
}

/* --- groups ------------------------------------------------------------------------------------- */

/* The connectivity of a section of facets, all of it. *all false: they are none, or may need their parents to find their nodes. */
static mplan_status place_section_rows(const placing *p, mplan_cgns_section *section,
                                       int32_t *array, bool *all, mplan_error *err)
{
    char path[3 * MPLAN_CGNS_NAME];
    mplan_status status = mplan_cgns_check_arrays(p->file, p->zone, section, err);
    *all = *all && !section->parents && section->dimension == p->file->cell_dimension - 1;
    if (status || !*all)
        return status;
    section->named = true;
    snprintf(path, sizeof path, "%s/ElementConnectivity", section->name);
    return place_array(p, path, section->end - section->start + 1,
                       mplan_cell_type_nodes(mplan_cgns_cell_type(section->type)), array, err);
}

/* A part of a group, of rows of an array of the section. *group: out, NULL after a failure. */
static mplan_status add_rows(const placing *p, const char *name, int64_t number, int32_t kind,
                             int32_t array, const mplan_cgns_section *section,
                             mplan_places_group **group, mplan_error *err)
{
    *group = NULL;
    mplan_status status = mplan_places_add_group(p->file->layout, name, "nodes", number, kind,
                                                 group, err);
    if (status)
        return status;
    (*group)->array = array;
    (*group)->type = (int32_t)mplan_cgns_cell_type(section->type);
    return MPLAN_OK;
}

/* Elements [first, last] of the zone as facets of a group, in as many parts as sections have them. */
static mplan_status place_facets(const placing *p, const char *name, int64_t number, int64_t first,
                                 int64_t last, bool *all, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    while (first <= last && !status) {
        mplan_cgns_section *section = mplan_cgns_section_of(p->zone, first);
        int32_t whole = -1, array = -1;
        mplan_places_group *group;
        if (!section)
            *all = false;
        else
            status = place_section_rows(p, section, &whole, all, err);
        if (status || !*all)
            return status;
        const int64_t end = last < section->end ? last : section->end;
        mplan_places_array part = *mplan_places_get_array(p->file->layout, whole);
        part.at += (first - section->start) * part.cols * part.size;
        part.rows = end - first + 1;
        status = mplan_places_add_array(p->file->layout, &part, (int64_t)p->file->input->size,
                                        &array, err);
        if (!status)
            status = add_rows(p, name, number, MPLAN_GROUP_FACETS, array, section, &group, err);
        first = end + 1;
    }
    return status;
}

/* The list of a condition, of nodes or of elements. */
static mplan_status place_list(const placing *p, const mplan_cgns_condition *c, int32_t *array,
                               mplan_error *err)
{
    char path[3 * MPLAN_CGNS_NAME];
    snprintf(path, sizeof path, "ZoneBC/%s/%s", c->name,
             c->points == CGNS_ENUMV(ElementList) ? "ElementList" : "PointList");
    return place_array(p, path, (int64_t)c->n, 1, array, err);
}

/* Which sections a list has elements of; *all false: of none for some. has: out, by section, false before. The list is read
 * here: it is as long as a part of the boundary. */
static mplan_status find_sections(const placing *p, int index, int64_t n, bool *has, bool *all,
                                  mplan_error *err)
{
    cgsize_t *points = mplan_alloc(n, sizeof *points, err);
    if (!points)
        return MPLAN_ERR_MEMORY;
    mplan_status status = MPLAN_OK;
    if (cg_boco_read(p->file->file, p->file->base, p->zone->index, index, points, NULL) != CG_OK)
        status = mplan_cgns_fail_library(p->file, p->zone, err);
    for (int64_t i = 0; i < n && !status && *all; i++) {
        const mplan_cgns_section *section = mplan_cgns_section_of(p->zone, points[i]);
        *all = section != NULL;
        if (section)
            has[section - p->zone->sections] = true;
    }
    free(points);
    return status;
}

/* Elements that a condition lists: each of the sections that have some has those of its numbers. */
static mplan_status place_listed(const placing *p, int index, const mplan_cgns_condition *c,
                                 int64_t number, bool *all, mplan_error *err)
{
    int32_t list = -1;
    bool *has = mplan_alloc_zero(p->zone->n_sections, sizeof *has, err);
    mplan_status status = has ? find_sections(p, index, (int64_t)c->n, has, all, err)
                              : MPLAN_ERR_MEMORY;
    if (!status)
        status = place_list(p, c, &list, err);
    for (int32_t s = 0; s < p->zone->n_sections && !status && *all; s++) {
        mplan_cgns_section *section = &p->zone->sections[s];
        int32_t array = -1;
        mplan_places_group *group = NULL;
        if (!has[s])
            continue;
        status = place_section_rows(p, section, &array, all, err);
        if (!status && *all)
            status = add_rows(p, c->family, number, MPLAN_GROUP_ROWS, array, section, &group, err);
        if (group) {
            group->other = list;
            group->first = section->start;
        }
    }
    free(has);
    return status;
}

/* Nodes of a condition: a range of them, or a list. */
static mplan_status place_points(const placing *p, const mplan_cgns_condition *c, int64_t number,
                                 const cgsize_t *range, mplan_error *err)
{
    int32_t array = -1;
    mplan_places_group *group = NULL;
    mplan_status status = range ? MPLAN_OK : place_list(p, c, &array, err);
    if (!status)
        status = mplan_places_add_group(p->file->layout, c->family, "nodes", number,
                                        range ? MPLAN_GROUP_RUN : MPLAN_GROUP_LIST, &group, err);
    if (!status) {
        group->array = array;
        group->first = range ? (int64_t)range[0] - 1 : 0;
        group->n = range ? (int64_t)range[1] - (int64_t)range[0] + 1 : 0;
    }
    return status;
}

/* One boundary condition. *all false: it cannot be placed, or is none. */
static mplan_status place_condition(const placing *p, int index, const mplan_cgns_condition *c,
                                    int64_t number, bool *all, mplan_error *err)
{
    const bool ranged = c->points == CGNS_ENUMV(PointRange) || c->points == CGNS_ENUMV(ElementRange);
    const bool elements = c->points == CGNS_ENUMV(ElementRange) ||
                          c->points == CGNS_ENUMV(ElementList) || c->location != CGNS_ENUMV(Vertex);
    cgsize_t range[2] = {1, 0};
    if (c->n == 0)
        return MPLAN_OK;
    *all = *all && c->family[0] && (!ranged || c->n == 2) && strlen(c->family) < MPLAN_PLACES_NAME &&
           mplan_cgns_points_fit(p->file, p->zone, index, (int64_t)c->n);
    if (!*all)
        return MPLAN_OK;
    if (ranged &&
        cg_boco_read(p->file->file, p->file->base, p->zone->index, index, range, NULL) != CG_OK)
        return mplan_cgns_fail_library(p->file, p->zone, err);
    *all = !ranged ||
           (range[0] >= 1 && range[1] >= range[0] && (elements || range[1] <= p->zone->n_nodes));
    if (!*all)
        return MPLAN_OK;
    if (!elements)
        return place_points(p, c, number, ranged ? range : NULL, err);
    return ranged ? place_facets(p, c->family, number, range[0], range[1], all, err)
                  : place_listed(p, index, c, number, all, err);
}

/* Conditions of one family follow each other, as they are one group. */
static mplan_status place_conditions(const placing *p, int n, const mplan_cgns_condition *list,
                                     bool *all, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int i = 0; i < n; i++) {
        bool before = false;
        for (int j = 0; j < i && !before; j++)
            before = strcmp(list[j].family, list[i].family) == 0;
        for (int j = i; j < n && !before && !status && *all; j++)
            if (strcmp(list[j].family, list[i].family) == 0)
                status = place_condition(p, j + 1, &list[j], i, all, err);
    }
    /* sections of facets that no condition names are groups of their own names */
    for (int32_t s = 0; s < p->zone->n_sections && !status && *all; s++) {
        const mplan_cgns_section *section = &p->zone->sections[s];
        if (section->named || section->dimension != p->file->cell_dimension - 1)
            continue;
        for (int j = 0; j < n; j++)
            *all = *all && strcmp(list[j].family, section->name) != 0;
        *all = *all && section->name[0];
        if (*all)
            status = place_facets(p, section->name, (int64_t)n + s, section->start, section->end,
                                  all, err);
    }
    return status;
}

/* All groups, or none of them: where some are not in one piece, or not ranges of facets, nor nodes. */
static mplan_status place_groups(const placing *p, mplan_error *err)
{
    int n = 0;
    bool all = true;
    if (cg_nbocos(p->file->file, p->file->base, p->zone->index, &n) != CG_OK)
        return mplan_cgns_fail_library(p->file, p->zone, err);
    mplan_cgns_condition *list = mplan_alloc(n, sizeof *list, err);
    mplan_status status = list ? MPLAN_OK : MPLAN_ERR_MEMORY;
    for (int i = 0; i < n && !status; i++)
        status = mplan_cgns_describe_condition(p->file, p->zone, i + 1, &list[i], err);
    if (!status)
        status = place_conditions(p, n, list, &all, err);
    free(list);
    if (!status && all)
        p->file->layout->flags |= MPLAN_PLACES_GROUPS;
    else
        p->file->layout->groups.count = 0;
    return status == MPLAN_ERR_UNSUPPORTED ? MPLAN_OK : status;
}

/* Whether nodes of the zone may be joined to others, or to one another. */
static bool has_interfaces(const mplan_cgns *file, const mplan_cgns_zone *zone)
{
    int n = 0, one_to_one = 0;
    return cg_nconns(file->file, file->base, zone->index, &n) != CG_OK || n > 0 ||
           cg_n1to1(file->file, file->base, zone->index, &one_to_one) != CG_OK || one_to_one > 0;
}

mplan_status mplan_cgns_place(const mplan_cgns *file, mplan_error *err)
{
    placing p = {.file = file, .zone = file->zones, .image = -1};
    int cells, space;
    if (file->n_zones != 1 || p.zone->structured)
        return mplan_places_refuse(file->input->path, "the mesh is not one unstructured zone", err);
    if (has_interfaces(file, p.zone))
        return mplan_places_refuse(file->input->path, "the zone has interfaces", err);
    if (cg_base_read(file->file, file->base, p.base, &cells, &space) != CG_OK)
        return mplan_cgns_fail_library(file, NULL, err);
    p.image = mplan_hdf5_open_image(file->input);
    if (p.image < 0)
        return mplan_places_refuse(file->input->path, "the file is ADF, not HDF5", err);
    mplan_status status = place_nodes(&p, err);
    if (!status)
        status = place_cells(&p, err);
    if (!status)
        status = place_groups(&p, err);
    H5Fclose(p.image);
    return status;
}
#else
mplan_status mplan_cgns_place(const mplan_cgns *file, mplan_error *err)
{
    return mplan_places_refuse(file->input->path, "this build has not libhdf5", err);
}
#endif
#endif
