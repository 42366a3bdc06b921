/* fuzz_op2.c - OP2 grids from arbitrary bytes: refused, or a mesh that is valid */
#include "formats/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_input input = {"fuzz", data, size};
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (mplan_mesh_create(&mesh, &err) != MPLAN_OK)
        return 0;
    if (mplan_format_op2.read(&input, NULL, NULL, mesh, &err) == MPLAN_OK)
        mplan_mesh_validate(mesh, NULL, &err);
    mplan_mesh_free(mesh);
    return 0;
}
