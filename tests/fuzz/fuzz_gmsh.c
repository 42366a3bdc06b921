/* fuzz_gmsh.c - MSH files of any version */
#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input input = {"x.msh", data, size};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    mplan_format_gmsh.recognise(data, size);
    if (mplan_mesh_create(&mesh, &err) == MPLAN_OK &&
        mplan_format_gmsh.read(&input, NULL, NULL, mesh, &err) == MPLAN_OK)
        mplan_mesh_validate(mesh, NULL, &err);
    mplan_mesh_free(mesh);
    return 0;
}
