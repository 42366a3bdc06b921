/* SPDX-License-Identifier: Apache-2.0 */
/* fluent.c - Fluent's meshes (.msh) and cases (.cas), text and binary sections
 *
 * Cells are made of faces as OpenFOAM's are: those with the faces of a tet, pyramid, prism or hexahedron are that,
 * and where there are others all are polyhedra. Faces keep the order of the file, those between two cells before those of the
 * boundary. Zones are groups: of cells, of boundary faces, and of faces inside where they are more than interior. */
#include "formats/fluent/fluent.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "formats/foam/foam_parts.h"
#include "mesh/mesh.h"

/* The mesh of volumes that is made. */
typedef struct fluent_builder {
    mplan_fluent *file;
    mplan_mesh *mesh;
    mplan_foam_mesh faces;
    int32_t *place; /* of each face as read: where it is in `faces` */
} fluent_builder;

/* Copies face f as read to place p, behind p - 1: its normal leaves the cell of lower number,
 * which is its owner; a face that is reversed keeps its first node.
 * faces->offsets[p] is set before, offsets[p + 1] and place[f] after. */
static void put_face(fluent_builder *builder, int64_t f, int64_t p)
{
    const mplan_fluent *file = builder->file;
    mplan_foam_mesh *faces = &builder->faces;
    const int64_t *offsets = file->offsets.data;
    const int32_t *side = (const int32_t *)file->sides.data + 2 * f;
    const int32_t *nodes = (const int32_t *)file->nodes.data + offsets[f];
    const int64_t n = offsets[f + 1] - offsets[f];
    bool reversed = side[1] < 0 || (side[0] >= 0 && side[0] < side[1]);
    int32_t *to = faces->nodes + faces->offsets[p];
    faces->offsets[p + 1] = faces->offsets[p] + n;
    for (int64_t k = 0; k < n; k++)
        to[k] = nodes[reversed ? (n - k) % n : k];
    faces->owner[p] = side[reversed ? 0 : 1];
    if (p < faces->n_inner)
        faces->neighbour[p] = side[reversed ? 1 : 0];
    builder->place[f] = (int32_t)p;
}

/* Faces between two cells first, both kinds in the order of the file. n_inner: how many those
 * are.
 * faces->offsets: n_faces + 1 entries; owner: n_faces; neighbour: n_inner, above the owner; place: n_faces.
 * file->sides: two of each face, the cell that its normal enters and that which it leaves. */
static mplan_status sort_faces(fluent_builder *builder, mplan_error *err)
{
    const mplan_fluent *file = builder->file;
    mplan_foam_mesh *faces = &builder->faces;
    const int32_t *side = file->sides.data;
    faces->n_points = file->n_nodes;
    faces->n_cells = file->n_cells;
    faces->n_faces = file->n_faces;
    for (int64_t f = 0; f < file->n_faces; f++) {
        if (side[2 * f] < 0 && side[2 * f + 1] < 0)
            return mplan_fail(err, MPLAN_ERR_MESH, "%s: face %lld has no cell", file->scan.path,
                              (long long)f + 1);
        faces->n_inner += side[2 * f] >= 0 && side[2 * f + 1] >= 0;
    }
    faces->offsets = mplan_alloc_zero(file->n_faces + 1, sizeof *faces->offsets, err);
    faces->nodes = faces->offsets ? mplan_alloc(file->nodes.count, sizeof *faces->nodes, err) : NULL;
    faces->owner = faces->nodes ? mplan_alloc(file->n_faces, sizeof *faces->owner, err) : NULL;
    faces->neighbour = faces->owner ? mplan_alloc(faces->n_inner, sizeof *faces->neighbour, err)
                                    : NULL;
    builder->place = faces->neighbour ? mplan_alloc(file->n_faces, sizeof *builder->place, err)
                                      : NULL;
    if (!builder->place)
        return MPLAN_ERR_MEMORY;
    int64_t p = 0;
    for (int32_t pass = 0; pass < 2; pass++)
        for (int64_t f = 0; f < file->n_faces; f++)
            if ((side[2 * f] >= 0 && side[2 * f + 1] >= 0) == (pass == 0))
                put_face(builder, f, p++);
    return MPLAN_OK;
}

/* --- zones ---------------------------------------------------------------------------- */

/* Takes over the members. A zone without a name in the file is a group of its number.
 * members: int32_t, of the set; given away also after a failure. */
static mplan_status add_group(const fluent_builder *builder, int64_t id, int32_t dimension,
                              const char *set, mplan_vector *members, mplan_error *err)
{
    const mplan_fluent_zone *zone = mplan_fluent_find_zone(builder->file, id);
    const size_t length = zone ? zone->name_length : 0;
    char *name = mplan_alloc((int64_t)length + 1, 1, err);
    if (!name) {
        free(members->data);
        return MPLAN_ERR_MEMORY;
    }
    if (length)
        memcpy(name, zone->name, length);
    name[length] = '\0';
    mplan_status status = mplan_mesh_take_group(builder->mesh, name, id, dimension,
                                                mplan_mesh_find_set(builder->mesh, set),
                                                members->count, members->data, err);
    free(name);
    return status;
}

/* By kind and zone; sections of one zone in their order. */
static int compare_sections(const void *left, const void *right)
{
    const mplan_fluent_section *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->zone != b->zone)
        return a->zone < b->zone ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* The members of a section: of faces those of the boundary, or those inside, by their places in
 * the mesh's sets, which begin at 0 each.
 * Cells of a section are first to last, from 1; its faces are [begin, end) of those that were read, from 0. */
static mplan_status add_members(const fluent_builder *builder, const mplan_fluent_section *section,
                                bool boundary, mplan_vector *members, mplan_error *err)
{
    const int64_t n_inner = builder->faces.n_inner;
    const bool cells = section->kind == MPLAN_FLUENT_CELLS;
    int64_t begin = cells ? section->first - 1 : section->begin,
            end = cells ? section->last : section->end;
    int32_t *to = mplan_vector_reserve(members, end - begin, err);
    if (!to)
        return MPLAN_ERR_MEMORY;
    for (int64_t i = begin; i < end; i++) {
        int32_t member = cells ? (int32_t)i : builder->place[i];
        if (!cells && (member >= n_inner) != boundary)
            continue;
        to[0] = member - (!cells && boundary ? (int32_t)n_inner : 0);
        members->count++;
        to++;
    }
    return MPLAN_OK;
}

/* The zone of sections [first, last), once for each set that its members are of. Members are not
 * in order where a zone has several sections.
 * sections: of one kind and zone, sorted; last is not included. */
static mplan_status add_zone(const fluent_builder *builder, const mplan_fluent_section *sections,
                             int64_t first, int64_t last, mplan_error *err)
{
    const bool cells = sections[first].kind == MPLAN_FLUENT_CELLS;
    for (int32_t boundary = 1; boundary >= (cells ? 1 : 0); boundary--) {
        mplan_vector members = MPLAN_VECTOR_INIT(sizeof(int32_t));
        mplan_status status = MPLAN_OK;
        if (!boundary && sections[first].type == MPLAN_FLUENT_INTERIOR)
            continue;
        for (int64_t s = first; s < last && !status; s++)
            status = add_members(builder, &sections[s], boundary, &members, err);
        if (status || members.count == 0) {
            free(members.data);
            if (status)
                return status;
            continue;
        }
        status = add_group(builder, sections[first].zone, cells ? 3 : 2,
                           cells      ? "cells"
                           : boundary ? "boundary_faces"
                                      : "faces",
                           &members, err);
        if (status)
            return status;
    }
    return MPLAN_OK;
}

/* Sections of one zone become one group. The sections are sorted, after which they no longer
 * are as in the file. */
static mplan_status add_zones(const fluent_builder *builder, mplan_error *err)
{
    mplan_fluent_section *sections = builder->file->sections.data;
    const int64_t n = builder->file->sections.count;
    mplan_status status = MPLAN_OK;
    if (n > 1)
        qsort(sections, (size_t)n, sizeof *sections, compare_sections);
    for (int64_t s = 0, last; s < n && !status; s = last) {
        for (last = s + 1; last < n && sections[last].kind == sections[s].kind &&
                           sections[last].zone == sections[s].zone;)
            last++;
        if (sections[s].kind != MPLAN_FLUENT_NODES)
            status = add_zone(builder, sections, s, last, err);
    }
    return status;
}

/* The zone of every boundary face: 0 where a face is in none.
 * ids: one entry for each boundary face, in the order of the set. */
static mplan_status add_ids(const fluent_builder *builder, mplan_error *err)
{
    const int64_t n_inner = builder->faces.n_inner, n = builder->file->n_faces - n_inner;
    int64_t *ids = mplan_alloc_zero(n, sizeof *ids, err);
    if (!ids)
        return MPLAN_ERR_MEMORY;
    for (int64_t s = 0; s < builder->file->sections.count; s++) {
        const mplan_fluent_section *section = mplan_fluent_section_at(builder->file, s);
        for (int64_t f = section->begin; f < section->end; f++)
            if (builder->place[f] >= n_inner)
                ids[builder->place[f] - n_inner] = section->zone;
    }
    free(builder->mesh->boundary_ids);
    builder->mesh->boundary_ids = ids;
    return MPLAN_OK;
}

/* Cells first, since the sets must be there before their groups. */
static mplan_status build_solid(fluent_builder *builder, mplan_error *err)
{
    mplan_fluent *file = builder->file;
    mplan_mesh *mesh = builder->mesh;
    mplan_status status = sort_faces(builder, err);
    if (!status)
        status = mplan_foam_add_cells(&builder->faces, file->scan.path, mesh, file->context, err);
    if (!status)
        status = mplan_foam_add_faces(&builder->faces, mesh, err);
    if (status)
        return status;
    double *xyz = file->xyz;
    file->xyz = NULL;
    status = mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, err);
    if (!status)
        status = mplan_mesh_set_faces_name(mesh, "faces", err);
    if (!status)
        status = add_ids(builder, err);
    return status ? status : add_zones(builder, err);
}

/* Volumes, or what fluent_flat.c makes of planes and surfaces.
 * What the mesh has taken over is NULL in builder.faces. */
mplan_status mplan_fluent_build(mplan_fluent *file, mplan_mesh *mesh, mplan_error *err)
{
    fluent_builder builder = {.file = file, .mesh = mesh};
    if (file->n_nodes == 0 || file->n_faces == 0)
        return mplan_fail(err, MPLAN_ERR_MESH, "%s: the file has no %s", file->scan.path,
                          file->n_nodes == 0 ? "nodes" : "faces");
    if (file->dimension == 2 || file->n_cells == 0)
        return mplan_fluent_build_flat(file, mesh, err);
    mplan_status status = build_solid(&builder, err);
    mplan_foam_free_mesh(&builder.faces);
    free(builder.place);
    return status;
}

void mplan_fluent_begin(mplan_fluent *file, const mplan_context *context)
{
    *file = (mplan_fluent){.context = context,
                           .sections = MPLAN_VECTOR_INIT(sizeof(mplan_fluent_section)),
                           .zones = MPLAN_VECTOR_INIT(sizeof(mplan_fluent_zone)),
                           .offsets = MPLAN_VECTOR_INIT(sizeof(int64_t)),
                           .nodes = MPLAN_VECTOR_INIT(sizeof(int32_t)),
                           .sides = MPLAN_VECTOR_INIT(sizeof(int32_t))};
}

void mplan_fluent_free(mplan_fluent *file)
{
    free(file->sections.data);
    free(file->zones.data);
    free(file->offsets.data);
    free(file->nodes.data);
    free(file->sides.data);
    free(file->xyz);
}

/* Where the sections are, then nodes, then faces: cells have no rows. */
static mplan_status read_fluent(const mplan_input *input, const mplan_read_options *options,
                                const mplan_context *context, mplan_mesh *mesh, mplan_error *err)
{
    mplan_fluent file;
    (void)options;
    mplan_fluent_begin(&file, context);
    mplan_scan_begin(&file.scan, input);
    mplan_status status = mplan_fluent_find_sections(&file, err);
    if (!status)
        status = mplan_fluent_read_nodes(&file, err);
    if (!status)
        status = mplan_fluent_read_faces(&file, err);
    if (!status)
        status = mplan_fluent_build(&file, mesh, err);
    mplan_fluent_free(&file);
    return status;
}

/* A bracket and a number below 46, in the first lines of which one begins with (2, (10, (12 or (13. */
static mplan_recognised recognise_fluent(const uint8_t *data, size_t size)
{
    mplan_input input = {"", data, size < 65536 ? size : 65536, NULL};
    mplan_scanner scan;
    int64_t index;
    mplan_scan_begin(&scan, &input);
    if (!mplan_scan_skip_space(&scan))
        return MPLAN_RECOGNISED_NO;
    for (bool first = true; mplan_scan_skip_space(&scan); first = false) {
        const bool bracket = *scan.at == '(';
        scan.at += bracket;
        mplan_scan_line_ends(&scan);
        const size_t used = bracket ? mplan_parse_i64(scan.at, scan.end, &index) : 0;
        const char after = scan.at + used < scan.end ? scan.at[used] : '\0';
        if (first && (!used || index < 0 || index > 45 || (after != ' ' && after != '(')))
            return MPLAN_RECOGNISED_NO;
        if (used && (index == 2 || index == 10 || index == 12 || index == 13) &&
            (after == ' ' || after == '('))
            return MPLAN_RECOGNISED_YES;
        mplan_scan_next_line(&scan);
    }
    return MPLAN_RECOGNISED_BY_NAME;
}

const mplan_file_format mplan_format_fluent = {
    .name = "fluent",
    .description = "Fluent meshes and cases, text and binary sections, with polyhedra",
    .extensions = ".msh .cas",
    .recognise = recognise_fluent,
    .read = read_fluent,
};
