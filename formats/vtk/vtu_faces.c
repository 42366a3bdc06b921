/* SPDX-License-Identifier: Apache-2.0 */
/* vtu_faces.c - polyhedra of meshes without types of cells, as VTK lists their faces */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/vtk/vtu_write.h"

/* One of faces and boundary_faces: their nodes and cells. */
typedef struct face_set {
    bool there;
    mplan_map nodes, cells;
} face_set;

/* there: whether the mesh has both maps. */
static face_set find_faces(const mplan_mesh *mesh, const char *nodes, const char *cells)
{
    face_set found = {.there = false};
    int32_t n = mplan_mesh_find_map(mesh, nodes), c = mplan_mesh_find_map(mesh, cells);
    if (n >= 0 && c >= 0) {
        found.nodes = mplan_mesh_map(mesh, n);
        found.cells = mplan_mesh_map(mesh, c);
        found.there = found.nodes.n_rows == found.cells.n_rows;
    }
    return found;
}

/* Calls for every cell of every face: adds the numbers that the face takes in the cell's list
 * (its size and nodes) to next[cell], or with `faces` writes them at next[cell] and counts the
 * face at starts[cell]. False at a face of less than three nodes: the mesh is none of polyhedra. */
static bool visit(const face_set *set, int64_t n_cells, int64_t *next, int32_t *faces,
                  const int64_t *starts)
{
    for (int64_t f = 0; set->there && f < set->nodes.n_rows; f++) {
        int32_t n, n_sides;
        const int32_t *nodes = mplan_map_row(&set->nodes, f, &n);
        const int32_t *sides = mplan_map_row(&set->cells, f, &n_sides);
        if (n < 3)
            return false;
        for (int32_t s = 0; s < n_sides; s++) {
            if (sides[s] < 0 || sides[s] >= n_cells)
                continue;
            int64_t at = next[sides[s]];
            next[sides[s]] += n + 1;
            if (!faces)
                continue;
            faces[starts[sides[s]]]++;
            faces[at++] = n;
            for (int32_t k = 0; k < n; k++)
                faces[at + k] = nodes[k];
        }
    }
    return true;
}

/* starts: n_cells + 1; faces: for each cell how many there are, then size and nodes of each.
 * Both are NULL without an error where a face is none of polyhedra. A face of two cells is
 * at both, oriented alike: VTK's polyhedra need no direction. */
static mplan_status list_faces(const face_set sets[2], int64_t n_cells, int64_t **face_starts,
                               int32_t **faces, mplan_error *err)
{
    int64_t *starts = mplan_alloc_zero(n_cells + 1, sizeof *starts, err);
    int64_t *next = starts ? mplan_alloc_zero(n_cells, sizeof *next, err) : NULL;
    bool solid = next != NULL;
    for (int32_t i = 0; i < 2 && solid; i++)
        solid = visit(&sets[i], n_cells, next, NULL, NULL);
    for (int64_t c = 0; c < n_cells && solid; c++) {
        starts[c + 1] = starts[c] + 1 + next[c];
        next[c] = starts[c] + 1;
    }
    int32_t *list = solid ? mplan_alloc_zero(starts[n_cells], sizeof *list, err) : NULL;
    for (int32_t i = 0; i < 2 && list; i++)
        visit(&sets[i], n_cells, next, list, starts);
    mplan_status status = next && (list || !solid) ? MPLAN_OK : MPLAN_ERR_MEMORY;
    free(next);
    if (!list) {
        free(starts);
        return status;
    }
    *face_starts = starts;
    *faces = list;
    return MPLAN_OK;
}

/* Both NULL, with MPLAN_OK, for meshes in the plane or without faces. */
mplan_status mplan_vtu_faces_of(const mplan_mesh *mesh, int64_t **face_starts, int32_t **faces,
                                mplan_error *err)
{
    const face_set sets[2] = {find_faces(mesh, "faces_nodes", "faces_cells"),
                              find_faces(mesh, "boundary_faces_nodes", "boundary_faces_cells")};
    int32_t cells = mplan_mesh_find_set(mesh, "cells"), nodes = mplan_mesh_find_set(mesh, "nodes"),
            dimension = 0;
    *face_starts = NULL;
    *faces = NULL;
    if (cells < 0 || nodes < 0 || !mplan_mesh_coordinates(mesh, nodes, &dimension) ||
        dimension != 3 || (!sets[0].there && !sets[1].there))
        return MPLAN_OK;
    return list_faces(sets, mplan_mesh_set(mesh, cells).size, face_starts, faces, err);
}
