/* SPDX-License-Identifier: Apache-2.0 */
/* foam_mesh.c - the lists of an OpenFOAM mesh: read file by file, and handed to a mesh as sets and maps */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/foam/foam_parts.h"
#include "formats/polyhedra.h"
#include "mesh/mesh.h"

/* --- the files ------------------------------------------------------------------------ */

/* Arrays may be NULL. */
void mplan_foam_free_mesh(mplan_foam_mesh *foam)
{
    free(foam->xyz);
    free(foam->offsets);
    free(foam->nodes);
    free(foam->owner);
    free(foam->neighbour);
}

/* An OpenFOAM mesh that is read, file by file. */
typedef struct foam_reader {
    const mplan_foam_source *source;
    mplan_foam_mesh foam;
} foam_reader;

/* First, since faces are checked against their number. */
static mplan_status read_points(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    return mplan_foam_points(file, &reader->foam.xyz, &reader->foam.n_points, err);
}

/* Behind the points. */
static mplan_status read_faces(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_mesh *foam = &reader->foam;
    return mplan_foam_faces(file, foam->n_points, &foam->offsets, &foam->nodes, &foam->n_faces, err);
}

/* One cell per face, in [0, n_cells): the number of cells is the largest plus
 * one. */
static mplan_status read_owner(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_mesh *foam = &reader->foam;
    int64_t n;
    mplan_status status = mplan_foam_labels(file, "owners", 0, INT32_MAX - 1, foam->n_faces,
                                            &foam->owner, &n, err);
    if (!status && n != foam->n_faces)
        status = mplan_foam_fail(file, err, MPLAN_ERR_MESH, "there are %lld owners for %lld faces",
                                 (long long)n, (long long)foam->n_faces);
    return status;
}

/* Some write -1 for the faces on the boundary, which all follow the others.
 * n_inner: faces with a neighbour, which is above the owner. n_cells: the largest number of a cell plus one; where the
 * faces are too few for four of each cell it is refused, which bounds what is allocated for cells. */
static mplan_status read_neighbour(foam_reader *reader, mplan_foam_file *file, mplan_error *err)
{
    mplan_foam_mesh *foam = &reader->foam;
    int64_t n, most = 0;
    mplan_status status = mplan_foam_labels(file, "neighbours", -1, INT32_MAX - 1, foam->n_faces,
                                            &foam->neighbour, &n, err);
    while (!status && n > 0 && foam->neighbour[n - 1] == -1)
        n--;
    foam->n_inner = !status ? n : 0;
    for (int64_t f = 0; f < foam->n_inner && !status; f++) {
        if (foam->neighbour[f] <= foam->owner[f])
            return mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                                   "face %lld has the owner %d and the neighbour %d", (long long)f,
                                   foam->owner[f], foam->neighbour[f]);
        most = foam->neighbour[f] > most ? foam->neighbour[f] : most;
    }
    for (int64_t f = 0; f < foam->n_faces && !status; f++)
        most = foam->owner[f] > most ? foam->owner[f] : most;
    foam->n_cells = most + 1;
    if (!status && foam->n_faces == 0 && reader->source->part) { /* it has no cells */
        foam->n_cells = 0;
        return MPLAN_OK;
    }
    if (!status && foam->n_cells > (foam->n_faces + foam->n_inner) / 4)
        return mplan_foam_fail(file, err, MPLAN_ERR_MESH,
                               "cell %lld is impossible: %lld faces, of which %lld have two "
                               "cells, are too few for so many cells",
                               (long long)most, (long long)foam->n_faces, (long long)foam->n_inner);
    return status;
}

/* In the order in which they depend on each other.
 * *foam: also after a failure what was read so far, for mplan_foam_free_mesh. */
mplan_status mplan_foam_read_lists(const mplan_foam_source *source, mplan_foam_mesh *foam,
                                   mplan_error *err)
{
    static mplan_status (*const read[])(foam_reader *, mplan_foam_file *, mplan_error *) = {
        read_points, read_faces, read_owner, read_neighbour};
    foam_reader reader = {.source = source};
    mplan_status status = MPLAN_OK;
    for (int32_t i = MPLAN_FOAM_POINTS; i <= MPLAN_FOAM_NEIGHBOUR && !status; i++) {
        mplan_foam_file file;
        status = mplan_foam_open_source(source, i, &file, NULL, err);
        if (status)
            break;
        if (strcmp(file.kind, "decomposedBlockData") == 0)
            status = mplan_foam_fail(&file, err, MPLAN_ERR_UNSUPPORTED,
                                     "this is a file of all parts of a decomposed case (class %s); "
                                     "name the case, or join its parts with reconstructParMesh",
                                     file.kind);
        if (!status)
            status = read[i](&reader, &file, err);
        if (!status)
            status = mplan_foam_end(&file, err);
        mplan_foam_close(&file);
    }
    *foam = reader.foam;
    return status;
}

/* --- faces ------------------------------------------------------------------------------ */

/* Faces on the boundary, copied from the end of the lists. */
typedef struct boundary_faces {
    int64_t n, *offsets;
    int32_t *nodes, *cells;
} boundary_faces;

/* Faces behind the inner ones, each with its one cell. Arrays belong to *faces.
 * offsets: n + 1 entries, from 0; nodes: those of all; cells: the owner of each. */
static mplan_status copy_boundary(const mplan_foam_mesh *foam, boundary_faces *faces, mplan_error *err)
{
    int64_t first = foam->n_inner, n = foam->n_faces - first, base = foam->offsets[first];
    faces->n = n;
    faces->offsets = mplan_alloc(n + 1, sizeof *faces->offsets, err);
    faces->nodes = faces->offsets
                       ? mplan_copy(foam->nodes + base, foam->offsets[foam->n_faces] - base,
                                    sizeof *faces->nodes, err)
                       : NULL;
    faces->cells = faces->nodes ? mplan_copy(foam->owner + first, n, sizeof *faces->cells, err)
                                : NULL;
    if (!faces->cells) {
        free(faces->offsets);
        free(faces->nodes);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t f = 0; f <= n; f++)
        faces->offsets[f] = foam->offsets[first + f] - base;
    return MPLAN_OK;
}

/* Those between two cells: the lists' beginnings, taken over.
 * cells: owner and neighbour of each. nodes is cut to the inner faces: those of the boundary are copied before. */
static mplan_status add_inner_faces(mplan_foam_mesh *foam, mplan_mesh *mesh, mplan_error *err)
{
    int64_t n = foam->n_inner;
    int32_t *cells = mplan_alloc(2 * n, sizeof *cells, err);
    int32_t *nodes = cells ? mplan_realloc(foam->nodes, foam->offsets[n], sizeof *nodes, err) : NULL;
    if (!nodes) {
        free(cells);
        return MPLAN_ERR_MEMORY;
    }
    for (int64_t f = 0; f < n; f++) {
        cells[2 * f] = foam->owner[f];
        cells[2 * f + 1] = foam->neighbour[f];
    }
    int64_t *offsets = foam->offsets;
    foam->nodes = NULL;
    foam->offsets = NULL;
    return mplan_add_face_set(mesh, "faces", n, offsets, nodes, 2, cells, err);
}

/* Inner faces first, in the order of the file, which stays. */
mplan_status mplan_foam_add_faces(mplan_foam_mesh *foam, mplan_mesh *mesh, mplan_error *err)
{
    boundary_faces boundary = {0};
    mplan_status status = copy_boundary(foam, &boundary, err);
    if (status)
        return status;
    status = add_inner_faces(foam, mesh, err);
    if (!status)
        return mplan_add_face_set(mesh, "boundary_faces", boundary.n, boundary.offsets,
                                  boundary.nodes, 1, boundary.cells, err);
    free(boundary.offsets);
    free(boundary.nodes);
    free(boundary.cells);
    return status;
}

/* Arrays move from foam to mesh. */
mplan_status mplan_foam_add_mesh(mplan_foam_mesh *foam, const char *path, mplan_mesh *mesh,
                                 const mplan_context *context, mplan_error *err)
{
    mplan_status status = mplan_foam_add_cells(foam, path, mesh, context, err);
    if (!status)
        status = mplan_foam_add_faces(foam, mesh, err);
    if (status)
        return status;
    double *xyz = foam->xyz;
    foam->xyz = NULL;
    status = mplan_mesh_take_coordinates(mesh, mplan_mesh_find_set(mesh, "nodes"), 3, xyz, err);
    return !status ? mplan_mesh_set_faces_name(mesh, "faces", err) : status;
}
