/* fuzz_exodus.c - Exodus II files from arbitrary bytes: refused, or a mesh from which all can be derived
 *
 * Files of HDF5 are left out: what libhdf5 makes of damaged ones is not ours. */
#include <stdlib.h>

#include "formats/format.h"
#include "formats/netcdf_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a valid mesh lets derive, or else it is no valid mesh. */
static void derive(mplan_mesh *mesh)
{
    static const char *const names[] = {"faces_nodes", "boundary_faces_cells", "cells_faces",
                                        "cells_cells", "edges_cells", "nodes_cells"};
    mplan_error err;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mplan_status status = mplan_mesh_derive(mesh, names[i], NULL, &err);
        if (status != MPLAN_OK && status != MPLAN_ERR_MESH && status != MPLAN_ERR_ARGUMENT)
            abort();
    }
    if (mplan_mesh_validate(mesh, NULL, &err) != MPLAN_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input input = {.path = "fuzz", .data = data, .size = size};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (!mplan_netcdf_is_classic(data, size) || !mplan_format_exodus.read)
        return 0;
    mplan_format_exodus.recognise(data, size);
    if (mplan_mesh_create(&mesh, &err) != MPLAN_OK)
        return 0;
    if (mplan_format_exodus.read(&input, NULL, NULL, mesh, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) == MPLAN_OK)
        derive(mesh);
    mplan_mesh_free(mesh);
    return 0;
}
