/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mesh.h - what every reader of meshes must bear: arbitrary bytes are refused, or become a mesh from
 * which all can be derived */
#ifndef MPLAN_FUZZ_MESH_H
#define MPLAN_FUZZ_MESH_H

#include <stdlib.h>

#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whether the mesh has no types of cells, as of polyhedra, or sets or maps that would have to be derived. */
static inline bool fuzz_has_own(const mplan_mesh *mesh)
{
    static const char *const maps[] = {"faces_nodes",          "faces_cells",
                                       "boundary_faces_nodes", "boundary_faces_cells",
                                       "edges_nodes",          "edges_cells"};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (mplan_mesh_find_map(mesh, maps[i]) >= 0)
            return true;
    return !mplan_mesh_cell_types(mesh) || mplan_mesh_find_set(mesh, "faces") >= 0 ||
           mplan_mesh_find_set(mesh, "boundary_faces") >= 0 ||
           mplan_mesh_find_set(mesh, "edges") >= 0;
}

/* What a valid mesh lets derive, or else it is not a valid mesh: what is asked for, or it has none of the kind
 * (MPLAN_ERR_MESH). A mesh that has faces or edges already may refuse (MPLAN_ERR_ARGUMENT). Graphs and
 * tables, of dimension 0, are left alone: one number of a file makes a set of them as large as memory. */
static inline void fuzz_derive(mplan_mesh *mesh)
{
    static const char *const names[] = {"faces_nodes", "boundary_faces_cells", "cells_faces",
                                        "cells_cells", "edges_cells",          "nodes_cells"};
    mplan_error err;
    bool own = fuzz_has_own(mesh);
    for (size_t i = 0; mplan_mesh_dimension(mesh) > 0 && i < sizeof names / sizeof *names; i++) {
        mplan_status status = mplan_mesh_derive(mesh, names[i], NULL, &err);
        if (status != MPLAN_OK && status != MPLAN_ERR_MESH && !(own && status == MPLAN_ERR_ARGUMENT))
            abort();
    }
    if (mplan_mesh_validate(mesh, NULL, &err) != MPLAN_OK)
        abort();
}

/* The mesh that the bytes are to a reader; NULL when it, or validation, refuses. */
static inline mplan_mesh *fuzz_mesh_with(const mplan_file_format *format, const char *path,
                                         const uint8_t *data, size_t size,
                                         const mplan_read_options *options)
{
    mplan_input input = {path, data, size, NULL};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (format->recognise)
        format->recognise(data, size);
    if (!format->read || mplan_mesh_create(&mesh, &err) != MPLAN_OK)
        return NULL;
    if (format->read(&input, options, NULL, mesh, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) == MPLAN_OK)
        return mesh;
    mplan_mesh_free(mesh);
    return NULL;
}

static inline mplan_mesh *fuzz_mesh_of(const mplan_file_format *format, const char *path,
                                       const uint8_t *data, size_t size)
{
    return fuzz_mesh_with(format, path, data, size, NULL);
}

static inline int fuzz_read(const mplan_file_format *format, const uint8_t *data, size_t size)
{
    mplan_mesh *mesh = fuzz_mesh_of(format, "fuzz", data, size);
    if (mesh)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    return 0;
}

#endif
