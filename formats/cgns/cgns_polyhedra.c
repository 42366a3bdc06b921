/* SPDX-License-Identifier: Apache-2.0 */
/* cgns_polyhedra.c - NGON_n and NFACE_n become faces between cells
 *
 * Cells are polyhedra without a type. Their faces keep the order of the file: those of two cells are the
 * set faces, those of one boundary_faces. The first cell of a face is the one that its normal leaves, the
 * cell that names it by a positive number. */
#include "formats/cgns/cgns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mesh/mesh.h"

#ifdef MPLAN_HAVE_CGNS

/* Faces of all zones, one after the other. */
typedef struct face_list {
    int32_t *sides;   /* two cells of each; -1: none yet */
    int64_t *offsets; /* of the nodes of each */
    int32_t *nodes;
    int64_t n, n_nodes, n_inner, n_outer;
} face_list;

/* element: its number in the zone, as the file counts. */
static mplan_status fail_face(const mplan_cgns *file, const mplan_cgns_zone *zone,
                              mplan_status status, const char *what, int64_t element,
                              mplan_error *err)
{
    return mplan_fail(err, status, "%s: zone %s: element %lld %s", file->input->path, zone->name,
                      (long long)element, what);
}

/* --- sections ----------------------------------------------------------------------------------- */

/* Faces and their nodes over all zones; first_cell of each section is set, in
 * faces or cells.
 * Fewer than 2^30 faces: face_place has twice their number in 32 bits. */
static mplan_status count_elements(mplan_cgns *file, face_list *faces, int64_t *n_cells,
                                   mplan_error *err)
{
    *n_cells = 0;
    for (int32_t z = 0; z < file->n_zones; z++) {
        mplan_cgns_zone *zone = &file->zones[z];
        zone->first_cell = *n_cells;
        for (int32_t s = 0; s < zone->n_sections; s++) {
            mplan_cgns_section *section = &zone->sections[s];
            int64_t n = section->end - section->start + 1;
            if (section->type == CGNS_ENUMV(NGON_n)) {
                section->first_cell = faces->n;
                faces->n += n;
                faces->n_nodes += section->size;
            } else if (section->type == CGNS_ENUMV(NFACE_n)) {
                section->first_cell = *n_cells;
                *n_cells += n;
            } else if (section->dimension == 3 || section->type == CGNS_ENUMV(MIXED)) {
                return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                                  "%s: zone %s: section %s: typed cells and polyhedra (NFACE_n) "
                                  "in one mesh are not supported",
                                  file->input->path, zone->name, section->name);
            }
        }
        if (zone->structured)
            return mplan_fail(err, MPLAN_ERR_UNSUPPORTED,
                              "%s: zone %s is structured, but other zones have polyhedra: this "
                              "is not supported",
                              file->input->path, zone->name);
        zone->n_cells = *n_cells - zone->first_cell;
    }
    if (faces->n < INT32_MAX / 2 && *n_cells < INT32_MAX)
        return MPLAN_OK;
    return mplan_fail(err, MPLAN_ERR_UNSUPPORTED, "%s: %lld faces exceed 31 bits",
                      file->input->path, (long long)faces->n);
}

/* Nodes of the faces of an NGON section, at faces->offsets.
 * Sections are read in the order in which they were counted, so the first face's offset is set. */
static mplan_status read_faces(const mplan_cgns *file, const mplan_cgns_zone *zone,
                               mplan_cgns_section *section, face_list *faces, mplan_error *err)
{
    int64_t n = section->end - section->start + 1;
    mplan_status status = mplan_cgns_load(file, zone, section, err);
    for (int64_t e = 0; e < n && !status; e++) {
        mplan_cell_type type;
        const cgsize_t *nodes;
        int64_t n_nodes, f = section->first_cell + e, at = faces->offsets[f];
        status = mplan_cgns_element(file, zone, section, e, &type, &nodes, &n_nodes, err);
        if (!status && (n_nodes < 3 || n_nodes > faces->n_nodes - at))
            status = fail_face(file, zone, MPLAN_ERR_MESH, "is a face of too few or too many nodes",
                               section->start + e, err);
        for (int64_t k = 0; k < n_nodes && !status; k++) {
            if (nodes[k] < 1 || nodes[k] > zone->n_nodes)
                status = fail_face(file, zone, MPLAN_ERR_MESH, "has a node that does not exist",
                                   section->start + e, err);
            else
                faces->nodes[at++] = mplan_cgns_node(file, zone, nodes[k] - 1);
        }
        if (!status)
            faces->offsets[f + 1] = at;
    }
    mplan_cgns_unload(section);
    return status;
}

/* Puts a cell on its side of a face. Neighbours may both name a face by a positive number.
 * sides: two entries, -1: free. False: both are taken. outward: the cell names the face by a positive number. */
static bool take_side(int32_t *sides, bool outward, int32_t cell)
{
    int side = outward ? 0 : 1;
    if (sides[side] >= 0)
        side = 1 - side;
    if (sides[side] >= 0)
        return false;
    sides[side] = cell;
    return true;
}

/* An NFACE section: signed numbers of faces; the sign says which side the cell
 * is on. faces->sides: two cells per face.
 * Faces are numbers of elements of the same zone; a third cell at one is an error. */
static mplan_status read_cell_faces(const mplan_cgns *file, const mplan_cgns_zone *zone,
                                    mplan_cgns_section *section, face_list *faces, mplan_error *err)
{
    int64_t n = section->end - section->start + 1;
    mplan_status status = mplan_cgns_load(file, zone, section, err);
    for (int64_t e = 0; e < n && !status; e++) {
        mplan_cell_type type;
        const cgsize_t *ids;
        int64_t n_ids;
        status = mplan_cgns_element(file, zone, section, e, &type, &ids, &n_ids, err);
        for (int64_t k = 0; k < n_ids && !status; k++) {
            int64_t element = ids[k] < 0 ? -(int64_t)ids[k] : ids[k];
            const mplan_cgns_section *of = mplan_cgns_section_of(zone, element);
            if (!of || of->type != CGNS_ENUMV(NGON_n))
                status = fail_face(file, zone, MPLAN_ERR_MESH, "has a face that does not exist",
                                   section->start + e, err);
            else if (!take_side(faces->sides + 2 * (of->first_cell + element - of->start),
                                ids[k] > 0, (int32_t)(section->first_cell + e)))
                status = fail_face(file, zone, MPLAN_ERR_MESH, "is a face of three cells", element,
                                   err);
        }
    }
    mplan_cgns_unload(section);
    return status;
}

/* All faces of all zones before the cells that name them.
 * faces: nodes and offsets are filled by the first pass, sides by the second. */
static mplan_status read_sections(mplan_cgns *file, face_list *faces, mplan_error *err)
{
    mplan_status status = MPLAN_OK;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t z = 0; z < file->n_zones; z++)
            for (int32_t s = 0; s < file->zones[z].n_sections && !status; s++) {
                mplan_cgns_section *section = &file->zones[z].sections[s];
                if (pass == 0 && section->type == CGNS_ENUMV(NGON_n))
                    status = read_faces(file, &file->zones[z], section, faces, err);
                if (pass == 1 && section->type == CGNS_ENUMV(NFACE_n))
                    status = read_cell_faces(file, &file->zones[z], section, faces, err);
            }
    return status;
}

/* --- sets ------------------------------------------------------------------------------------------- */

/* Which faces have two cells and which one; others belong to none and are skipped.
 * face_place: n entries; sides[0] is not -1 afterwards for faces that are placed. */
static void place_faces(const mplan_cgns *file, face_list *faces)
{
    int64_t left = 0;
    for (int64_t f = 0; f < faces->n; f++) {
        int32_t *side = faces->sides + 2 * f;
        if (side[0] < 0 && side[1] >= 0) { /* its normal enters the only cell */
            side[0] = side[1];
            side[1] = -1;
            int32_t *first = faces->nodes + faces->offsets[f],
                    *last = faces->nodes + faces->offsets[f + 1];
            while (first < --last) {
                int32_t kept = *first;
                *first++ = *last;
                *last = kept;
            }
        }
        if (side[1] >= 0)
            file->face_place[f] = (int32_t)(2 * faces->n_inner++);
        else if (side[0] >= 0)
            file->face_place[f] = (int32_t)(2 * faces->n_outer++ + 1);
        else
            file->face_place[f] = -1;
        left += file->face_place[f] < 0;
    }
    if (left > 0)
        mplan_warn(file->context, "%s: %lld faces that belong to no cell are skipped",
                   file->input->path, (long long)left);
}

/* Adds the faces of two cells, or (outer) of one, as a set with its maps.
 * Rows keep the order of the file, as face_place counts them. */
static mplan_status add_faces(mplan_cgns *file, const face_list *faces, bool outer, mplan_error *err)
{
    int64_t n = outer ? faces->n_outer : faces->n_inner, n_nodes = 0, at = 0, row = 0;
    int32_t set, arity = outer ? 1 : 2;
    int32_t nodes_set = mplan_mesh_find_set(file->mesh, "nodes");
    int32_t cells_set = mplan_mesh_find_set(file->mesh, "cells");
    for (int64_t f = 0; f < faces->n; f++)
        if (file->face_place[f] >= 0 && (file->face_place[f] & 1) == outer)
            n_nodes += faces->offsets[f + 1] - faces->offsets[f];
    mplan_status status = mplan_mesh_add_set(file->mesh, outer ? "boundary_faces" : "faces", n,
                                             &set, err);
    if (status)
        return status;
    int32_t *cells = mplan_alloc(n, (size_t)arity * sizeof *cells, err);
    int64_t *offsets = cells ? mplan_alloc(n + 1, sizeof *offsets, err) : NULL;
    int32_t *nodes = offsets ? mplan_alloc(n_nodes, sizeof *nodes, err) : NULL;
    if (!nodes) {
        free(cells);
        free(offsets);
        return MPLAN_ERR_MEMORY;
    }
    offsets[0] = 0;
    for (int64_t f = 0; f < faces->n; f++) {
        if (file->face_place[f] < 0 || (file->face_place[f] & 1) != outer)
            continue;
        for (int32_t k = 0; k < arity; k++)
            cells[row * arity + k] = faces->sides[2 * f + k];
        for (int64_t i = faces->offsets[f]; i < faces->offsets[f + 1]; i++)
            nodes[at++] = faces->nodes[i];
        offsets[++row] = at;
    }
    status = mplan_mesh_take_map(file->mesh, outer ? "boundary_faces_cells" : "faces_cells", set,
                                 cells_set, arity, NULL, cells, NULL, err);
    if (!status)
        return mplan_mesh_take_map(file->mesh, outer ? "boundary_faces_nodes" : "faces_nodes", set,
                                   nodes_set, 0, offsets, nodes, NULL, err);
    free(offsets);
    free(nodes);
    return status;
}

/* Faces from NGON_n, cells from NFACE_n. faces.sides: 2 cells of each face, -1 for none;
 * file->face_place: where face f went, 2 x place among inner faces, or 2 x place + 1 among
 * boundary faces. Memory is bounded by counts that the file can hold. */
mplan_status mplan_cgns_read_polyhedra(mplan_cgns *file, mplan_error *err)
{
    face_list faces = {0};
    int64_t n_cells;
    mplan_status status = count_elements(file, &faces, &n_cells, err);
    if (status)
        return status;
    file->n_faces = faces.n;
    faces.sides = mplan_alloc(faces.n, 2 * sizeof *faces.sides, err);
    faces.offsets = faces.sides ? mplan_alloc_zero(faces.n + 1, sizeof *faces.offsets, err) : NULL;
    faces.nodes = faces.offsets ? mplan_alloc(faces.n_nodes, sizeof *faces.nodes, err) : NULL;
    file->face_place = faces.nodes ? mplan_alloc(faces.n, sizeof *file->face_place, err) : NULL;
    if (!file->face_place)
        status = MPLAN_ERR_MEMORY;
    else
        memset(faces.sides, 0xff, (size_t)faces.n * 2 * sizeof *faces.sides);
    if (!status)
        status = read_sections(file, &faces, err);
    if (!status)
        status = mplan_mesh_add_set(file->mesh, "cells", n_cells, NULL, err);
    if (!status) {
        place_faces(file, &faces);
        status = add_faces(file, &faces, false, err);
    }
    if (!status)
        status = add_faces(file, &faces, true, err);
    free(faces.sides);
    free(faces.offsets);
    free(faces.nodes);
    return status;
}
#endif
