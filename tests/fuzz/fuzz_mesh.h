/* fuzz_mesh.h - what every reader of meshes must stand: arbitrary bytes are refused, or
 * become a mesh from which all can be derived */
#ifndef MPLAN_FUZZ_MESH_H
#define MPLAN_FUZZ_MESH_H

#include <stdlib.h>

#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a valid mesh lets derive, or else it is no valid mesh. Polyhedra have their faces already. */
static inline void fuzz_derive(mplan_mesh *mesh)
{
    static const char *const names[] = {"faces_nodes", "boundary_faces_cells", "cells_faces",
                                        "cells_cells", "edges_cells", "nodes_cells"};
    mplan_error err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mplan_status status = mplan_mesh_derive(mesh, names[i], NULL, &err);
        if (status != MPLAN_OK && status != MPLAN_ERR_MESH && mplan_mesh_cell_types(mesh))
            abort();
    }
    if (mplan_mesh_validate(mesh, NULL, &err) != MPLAN_OK)
        abort();
}

static inline int fuzz_read(const mplan_file_format *format, const uint8_t *data, size_t size)
{
    mplan_input input = {"fuzz", data, size};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    format->recognise(data, size);
    if (mplan_mesh_create(&mesh, &err) != MPLAN_OK)
        return 0;
    if (format->read(&input, NULL, NULL, mesh, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) == MPLAN_OK)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    return 0;
}

#endif
