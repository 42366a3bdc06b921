/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_groups.c - boundary conditions become groups
 *
 * A boundary condition is a group of the name of its family, or else its own; those of equal name in
 * several zones are one. Given by elements or by ranges of a structured zone it holds facets, by nodes
 * nodes. Sections of facets that no boundary condition names are groups of their own name, as programs
 * write them that know families only. With several zones each is a group of cells. */
#include "formats/cgns/cgns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "formats/side_order.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_CGNS

/* A family of boundary conditions: facets by their nodes, nodes, faces of
 * polyhedra.
 * types: one for each facet; nodes: their corners, facet after facet, in the mesh. */
typedef struct group {
    char name[MPLAN_CGNS_FAMILY];
    mplan_vector types, nodes; /* of facets */
    mplan_vector points;       /* nodes of the mesh */
    mplan_vector faces[2];     /* of polyhedra: between cells, at the boundary */
    int64_t n_other;           /* elements that are not facets */
} group;

/* The group with this name, made at its first use. The pointer is valid until
 * the next group is made.
 * A group is empty at first and has a name of at most MPLAN_CGNS_FAMILY - 1 bytes. */
static group *group_of(mplan_vector *groups, const char *name, mplan_error *err)
{
    group *list = groups->data;
    for (int64_t g = 0; g < groups->count; g++)
        if (strcmp(list[g].name, name) == 0)
            return &list[g];
    group made = {"",
                  MPLAN_VECTOR_INIT(sizeof(uint8_t)),
                  MPLAN_VECTOR_INIT(sizeof(int32_t)),
                  MPLAN_VECTOR_INIT(sizeof(int32_t)),
                  {MPLAN_VECTOR_INIT(sizeof(int32_t)), MPLAN_VECTOR_INIT(sizeof(int32_t))},
                  0};
    snprintf(made.name, sizeof made.name, "%s", name);
    if (mplan_vector_push(groups, &made, err) != MPLAN_OK)
        return NULL;
    return (group *)groups->data + groups->count - 1;
}

/* Groups and their lists. */
static void release(mplan_vector *groups)
{
    group *list = groups->data;
    for (int64_t g = 0; g < groups->count; g++) {
        free(list[g].types.data);
        free(list[g].nodes.data);
        free(list[g].points.data);
        free(list[g].faces[0].data);
        free(list[g].faces[1].data);
    }
    free(groups->data);
}

/* A facet by its n corners; it finds its face when faces are derived. */
static mplan_status add_facet(group *into, int32_t n, const int32_t corner[4], mplan_error *err)
{
    uint8_t type = (uint8_t)mplan_facet_type(n);
    mplan_status status = mplan_vector_push(&into->types, &type, err);
    for (int32_t k = 0; k < n && !status; k++)
        status = mplan_vector_push(&into->nodes, &corner[k], err);
    return status;
}

/* what: the end of the sentence, before the number. */
static mplan_status fail_condition(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                   const char *name, const char *what, int64_t number,
                                   mplan_error *err)
{
    return mplan_fail(err, MPLAN_ERR_MESH, "%s: zone %s: boundary %.64s: %s %lld",
                      file->input->path, zone->name, name, what, (long long)number);
}

/* --- elements ----------------------------------------------------------------------------------- */

/* A facet of a parent's side, for sections that say no nodes.
 * e: of the section, from 0. parent[e] is a number of an element in the zone, parent[2 n + e] its side. */
static mplan_status add_side(const mplan_cgns *file, const mplan_cgns_zone *zone,
                             const mplan_cgns_section *section, int64_t e, group *into,
                             mplan_error *err)
{
    int64_t n = section->end - section->start + 1;
    int64_t parent = section->parent[e], side = section->parent[2 * n + e];
    mplan_cgns_section *of = mplan_cgns_section_of(zone, parent);
    mplan_cell_type type;
    const cgsize_t *nodes;
    int64_t n_nodes;
    int8_t corner[4];
    int32_t facet[4];
    if (!of)
        return fail_condition(file, zone, into->name, "there is no parent element", parent, err);
    mplan_status status = mplan_cgns_load(file, zone, of, err);
    if (!status)
        status = mplan_cgns_element(file, zone, of, parent - of->start, &type, &nodes, &n_nodes, err);
    if (status)
        return status;
    int32_t corners = type == MPLAN_N_CELL_TYPES ||
                              mplan_cell_type_dimension(type) != file->cell_dimension
                          ? 0
                          : mplan_side_corners(MPLAN_NUMBERING_CGNS, type, side, corner);
    if (corners == 0)
        return fail_condition(file, zone, into->name, "a parent element has no side", side, err);
    for (int32_t k = 0; k < corners; k++) {
        int64_t node = nodes[corner[k]];
        if (node < 1 || node > zone->n_nodes)
            return fail_condition(file, zone, into->name, "there is no node", node, err);
        facet[k] = mplan_cgns_node(file, zone, node - 1);
    }
    return add_facet(into, corners, facet, err);
}

/* A face of a polyhedral mesh: face_place says where it went, 2 x number + 1 on
 * the boundary; negative if it belongs to no cell. */
static mplan_status add_polygon(const mplan_cgns *file, const mplan_cgns_section *section,
                                int64_t e, group *into, mplan_error *err)
{
    int32_t place = file->face_place[section->first_cell + e];
    if (place < 0) {
        into->n_other++;
        return MPLAN_OK;
    }
    int32_t id = place / 2;
    return mplan_vector_push(&into->faces[place & 1], &id, err);
}

/* element: number within the zone, from 1, of an element of one dimension less
 * than the cells. */
static mplan_status add_element(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                int64_t element, group *into, mplan_error *err)
{
    mplan_cgns_section *section = mplan_cgns_section_of(zone, element);
    mplan_cell_type type;
    const cgsize_t *nodes;
    int64_t n_nodes;
    int32_t corner[4];
    if (!section)
        return fail_condition(file, zone, into->name, "there is no element", element, err);
    section->named = true;
    int64_t e = element - section->start;
    if (file->polyhedra && section->type == CGNS_ENUMV(NGON_n))
        return add_polygon(file, section, e, into, err);
    mplan_status status = mplan_cgns_load(file, zone, section, err);
    if (!status)
        status = mplan_cgns_element(file, zone, section, e, &type, &nodes, &n_nodes, err);
    if (status)
        return status;
    if (file->polyhedra || type == MPLAN_N_CELL_TYPES ||
        mplan_cell_type_dimension(type) != file->cell_dimension - 1) {
        into->n_other++;
        return MPLAN_OK;
    }
    int32_t n = mplan_cell_type_corners(type);
    for (int32_t k = 0; k < n; k++) {
        if (nodes[k] == 0 && section->parent)
            return add_side(file, zone, section, e, into, err);
        if (nodes[k] < 1 || nodes[k] > zone->n_nodes)
            return fail_condition(file, zone, into->name, "there is no node", nodes[k], err);
        corner[k] = mplan_cgns_node(file, zone, nodes[k] - 1);
    }
    return add_facet(into, n, corner, err);
}

/* --- structured zones ------------------------------------------------------------------------------ */

/* Facets of a range that is a face of the grid: one direction is fixed.
 * range: two opposite corners, cell_dimension indices from 1 each, in any order. Ranges without a fixed direction are
 * only counted, in n_other. */
static mplan_status add_range(const mplan_cgns *file, const mplan_cgns_zone *zone,
                              const cgsize_t *range, CGNS_ENUMT(GridLocation_t) location,
                              group *into, mplan_error *err)
{
    int n = file->cell_dimension, fixed = -1;
    int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int d = 0; d < n; d++) {
        low[d] = (int64_t)(range[d] < range[n + d] ? range[d] : range[n + d]) - 1;
        high[d] = (int64_t)(range[d] < range[n + d] ? range[n + d] : range[d]) - 1;
        if (location == CGNS_ENUMV(Vertex) && low[d] == high[d] && fixed < 0)
            fixed = d;
    }
    if (location >= CGNS_ENUMV(IFaceCenter) && location <= CGNS_ENUMV(KFaceCenter))
        fixed = (int)location - (int)CGNS_ENUMV(IFaceCenter);
    if (fixed < 0 || fixed >= n) {
        into->n_other++;
        return MPLAN_OK;
    }
    for (int d = 0; d < n; d++) {
        if (location != CGNS_ENUMV(Vertex) && d != fixed)
            high[d]++; /* cells: one node more */
        if (low[d] < 0 || high[d] >= zone->size[d])
            return fail_condition(file, zone, into->name, "its range contains the invalid index",
                                  high[d] + 1, err);
    }
    int u = fixed == 0 ? 1 : 0, v = fixed == 2 ? 1 : 2; /* the other directions */
    mplan_status status = MPLAN_OK;
    for (int64_t plane = low[fixed]; plane <= high[fixed]; plane++)
        for (int64_t b = low[v]; (n < 3 ? b <= low[v] : b < high[v]) && !status; b++)
            for (int64_t a = low[u]; (n < 2 ? a <= low[u] : a < high[u]) && !status; a++) {
                static const int8_t step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
                int32_t corner[4];
                for (int c = 0; c < 1 << (n - 1); c++) {
                    int64_t at[3] = {0, 0, 0};
                    at[fixed] = plane;
                    at[u] += n > 1 ? a + step[c][0] : 0;
                    at[v] += n > 2 ? b + step[c][1] : 0;
                    corner[c] = mplan_cgns_node(file, zone,
                                                mplan_cgns_grid_node(zone, at[0], at[1], at[2]));
                }
                status = add_facet(into, 1 << (n - 1), corner, err);
            }
    return status;
}

/* --- one boundary condition --------------------------------------------------------------------------- */

/* found->n is checked against the size of the file: it is what is allocated. */
mplan_status mplan_cgns_describe_condition(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                           int index, mplan_cgns_condition *found, mplan_error *err)
{
    int normal[3], n_sets;
    cgsize_t normal_size;
    CGNS_ENUMT(DataType_t) number;
    if (cg_boco_info(file->file, file->base, zone->index, index, found->name, &found->kind,
                     &found->points, &found->n, normal, &normal_size, &number, &n_sets) != CG_OK ||
        cg_boco_gridlocation_read(file->file, file->base, zone->index, index, &found->location) !=
            CG_OK)
        return mplan_cgns_fail_library(file, zone, err);
    snprintf(found->family, sizeof found->family, "%s", found->name);
    if (cg_goto(file->file, file->base, "Zone_t", zone->index, "ZoneBC_t", 1, "BC_t", index,
                "end") == CG_OK) {
        char family[MPLAN_CGNS_FAMILY] = "";
        if (cg_famname_read(family) == CG_OK && family[0])
            snprintf(found->family, sizeof found->family, "%s", family);
    }
    if (found->n < 0 || found->n > file->most_bytes / (int64_t)sizeof(int32_t))
        return fail_condition(file, zone, found->name,
                              "the number of its points is invalid:", found->n, err);
    return MPLAN_OK;
}

/* at: indices of a node in its zone, one for unstructured and up to three for
 * structured ones, from 1. */
static mplan_status add_node(const mplan_cgns *file, const mplan_cgns_zone *zone,
                             const cgsize_t *at, group *into, mplan_error *err)
{
    int64_t place[3] = {1, 1, 1};
    for (int d = 0; d < (zone->structured ? file->cell_dimension : 1); d++) {
        place[d] = at[d];
        if (at[d] < 1 || at[d] > zone->size[d])
            return fail_condition(file, zone, into->name, "there is no node", at[d], err);
    }
    int32_t node = mplan_cgns_node(file, zone,
                                   mplan_cgns_grid_node(zone, place[0] - 1, place[1] - 1,
                                                        place[2] - 1));
    return mplan_vector_push(&into->points, &node, err);
}

/* points: what the condition lists, as ranges or single numbers of nodes, faces
 * or elements.
 * from->n entries, each one number, or in structured zones cell_dimension indices; of ranges the two ends. */
static mplan_status add_points(const mplan_cgns *file, const mplan_cgns_zone *zone,
                               const mplan_cgns_condition *from, const cgsize_t *points,
                               group *into, mplan_error *err)
{
    bool range = from->points == CGNS_ENUMV(PointRange) || from->points == CGNS_ENUMV(ElementRange);
    bool elements = from->points == CGNS_ENUMV(ElementRange) ||
                    from->points == CGNS_ENUMV(ElementList) || from->location != CGNS_ENUMV(Vertex);
    mplan_status status = MPLAN_OK;
    if (zone->structured && range)
        return add_range(file, zone, points, from->location, into, err);
    if (zone->structured && from->location != CGNS_ENUMV(Vertex)) {
        into->n_other += from->n;
        return MPLAN_OK;
    }
    int width = zone->structured ? file->cell_dimension : 1;
    int64_t first = range ? points[0] : 0, n = range ? (int64_t)points[1] - points[0] + 1 : from->n;
    if (range && (n < 0 || n > (elements ? INT32_MAX : zone->n_nodes)))
        return fail_condition(file, zone, from->name, "the length of its range is invalid:", n, err);
    for (int64_t i = 0; i < n && !status; i++) {
        cgsize_t one = (cgsize_t)(range ? first + i : elements ? points[i] : 0);
        if (elements)
            status = add_element(file, zone, one, into, err);
        else
            status = add_node(file, zone, range ? &one : points + i * width, into, err);
    }
    return status;
}

/* The library would fill memory with the array that is there. */
bool mplan_cgns_points_fit(const mplan_cgns *file, const mplan_cgns_zone *zone, int index,
                           int64_t numbers)
{
    static const char *const names[] = {"PointList", "PointRange", "ElementList", "ElementRange"};
    double node;
    int n_found = 0, n_fit = 0;
    if (cg_boco_id(file->file, file->base, zone->index, index, &node) != CG_OK)
        return false;
    for (int i = 0; i < 4; i++) {
        int64_t size = mplan_cgns_array_size(file, node, names[i]);
        n_found += size >= 0;
        n_fit += size == numbers;
    }
    return n_found == 1 && n_fit == 1;
}

/* Conditions of one family become one group. */
static mplan_status read_condition(const mplan_cgns *file, const mplan_cgns_zone *zone, int index,
                                   mplan_vector *groups, mplan_error *err)
{
    mplan_cgns_condition found;
    mplan_status status = mplan_cgns_describe_condition(file, zone, index, &found, err);
    if (status)
        return status;
    group *into = group_of(groups, found.family, err);
    int width = zone->structured ? file->cell_dimension : 1;
    cgsize_t *points = into ? mplan_alloc((int64_t)found.n, (size_t)width * sizeof *points, err)
                            : NULL;
    if (!points)
        return MPLAN_ERR_MEMORY;
    bool range = found.points == CGNS_ENUMV(PointRange) || found.points == CGNS_ENUMV(ElementRange);
    if (range && found.n != 2)
        status = fail_condition(file, zone, found.name,
                                "the number of points of its range must be 2, not", found.n, err);
    if (!status && !mplan_cgns_points_fit(file, zone, index, (int64_t)found.n * width))
        status = mplan_fail(err, MPLAN_ERR_CORRUPT,
                            "%s: zone %s: boundary %.64s: the length of its array of points "
                            "does not match the number of its points",
                            file->input->path, zone->name, found.name);
    if (!status && cg_boco_read(file->file, file->base, zone->index, index, points, NULL) != CG_OK)
        status = mplan_cgns_fail_library(file, zone, err);
    if (!status && found.n > 0)
        status = add_points(file, zone, &found, points, into, err);
    free(points);
    return status;
}

/* --- all ------------------------------------------------------------------------------------------------- */

/* Sections of facets that no condition names become groups by their own names.
 * All sections stay loaded until the zone is read, since several conditions may name elements of one. */
static mplan_status read_zone(const mplan_cgns *file, const mplan_cgns_zone *zone,
                              mplan_vector *groups, mplan_error *err)
{
    int n;
    if (cg_nbocos(file->file, file->base, zone->index, &n) != CG_OK)
        return mplan_cgns_fail_library(file, zone, err);
    mplan_status status = MPLAN_OK;
    for (int i = 1; i <= n && !status; i++) {
        status = read_condition(file, zone, i, groups, err);
        if (!status)
            status = mplan_interrupted(file->context, err);
    }
    for (int32_t s = 0; s < zone->n_sections && !status; s++) {
        mplan_cgns_section *section = &zone->sections[s];
        if (section->named || section->dimension != file->cell_dimension - 1 || file->polyhedra)
            continue;
        group *into = group_of(groups, section->name, err);
        if (!into)
            return MPLAN_ERR_MEMORY;
        for (int64_t e = section->start; e <= section->end && !status; e++)
            status = add_element(file, zone, e, into, err);
    }
    for (int32_t s = 0; s < zone->n_sections; s++)
        mplan_cgns_unload(&zone->sections[s]);
    return status;
}

/* Members of a set, each once; the vector stays the caller's.
 * from: int32_t; sorted here. */
static mplan_status add_members(const mplan_cgns *file, const char *name, int64_t id,
                                int32_t dimension, const char *set, const mplan_vector *from,
                                mplan_error *err)
{
    int32_t *members = from->data;
    if (from->count == 0)
        return MPLAN_OK;
    int64_t n = mplan_distinct_i32(members, from->count);
    return mplan_mesh_add_group(file->mesh, name, id, dimension,
                                mplan_mesh_find_set(file->mesh, set), n, members, err);
}

/* The group leaves as facets, nodes and faces, whatever it holds. What no cell
 * has is counted in one warning.
 * id: its number, from 1 in the order in which groups are found. */
static mplan_status hand_over(const mplan_cgns *file, const group *from, int64_t id, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int32_t facets = file->cell_dimension - 1;
    if (from->n_other > 0)
        mplan_warn(file->context,
                   "%s: boundary %.64s: %lld entries that are not facets of a cell are skipped",
                   file->input->path, from->name, (long long)from->n_other);
    if (from->types.count > 0)
        status = mplan_mesh_add_facets(file->mesh, from->name, id, from->types.count,
                                       from->types.data, from->nodes.data, err);
    if (!status)
        status = add_members(file, from->name, id, 0, "nodes", &from->points, err);
    if (!status)
        status = add_members(file, from->name, id, facets, "faces", &from->faces[0], err);
    if (!status)
        status = add_members(file, from->name, id, facets, "boundary_faces", &from->faces[1], err);
    return status;
}

/* With several zones, the cells of each are a group of its name.
 * Cells of a zone follow each other from first_cell on. */
static mplan_status add_zone_groups(const mplan_cgns *file, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    int32_t cells = mplan_mesh_find_set(file->mesh, "cells");
    for (int32_t z = 0; z < file->n_zones && file->n_zones > 1 && !status; z++) {
        const mplan_cgns_zone *zone = &file->zones[z];
        int32_t *members = mplan_alloc(zone->n_cells, sizeof *members, err);
        if (!members)
            return MPLAN_ERR_MEMORY;
        for (int64_t c = 0; c < zone->n_cells; c++)
            members[c] = (int32_t)(zone->first_cell + c);
        status = mplan_mesh_take_group(file->mesh, zone->name, z + 1, file->cell_dimension, cells,
                                       zone->n_cells, members, err);
    }
    return status;
}

/* Zones are groups of cells where there are several; boundary conditions of one name in several
 * zones are one group. */
mplan_status mplan_cgns_read_groups(mplan_cgns *file, mplan_error *err)
{
    mplan_vector groups = MPLAN_VECTOR_INIT(sizeof(group));
    mplan_status status = add_zone_groups(file, err);
    for (int32_t z = 0; z < file->n_zones && !status; z++)
        status = read_zone(file, &file->zones[z], &groups, err);
    for (int64_t g = 0; g < groups.count && !status; g++)
        status = hand_over(file, (group *)groups.data + g, g + 1, err);
    release(&groups);
    return status;
}
#endif
