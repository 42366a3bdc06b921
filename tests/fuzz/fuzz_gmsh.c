/* fuzz_gmsh.c - MSH files of any version: refused, or a mesh that can be written and derived from */
#include <stdlib.h>

#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(mplan_mesh *mesh)
{
    mplan_error err;
    mplan_output *output = NULL;
    if (mplan_mesh_validate(mesh, NULL, &err) != MPLAN_OK)
        return;
    if (mplan_output_open("/dev/null", &output, &err) == MPLAN_OK) {
        if (mplan_format_gmsh.write(mesh, NULL, output, NULL, &err) != MPLAN_OK)
            abort(); /* what can be read can be written */
        mplan_output_abort(output);
    }
    if (mplan_mesh_derive(mesh, "boundary_faces", NULL, &err) == MPLAN_OK &&
        mplan_mesh_derive(mesh, "faces", NULL, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) != MPLAN_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input input = {"x.msh", data, size};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    mplan_format_gmsh.recognise(data, size);
    if (mplan_mesh_create(&mesh, &err) == MPLAN_OK &&
        mplan_format_gmsh.read(&input, NULL, NULL, mesh, &err) == MPLAN_OK)
        look_at(mesh);
    mplan_mesh_free(mesh);
    return 0;
}
