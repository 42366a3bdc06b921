/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mesh_transfer.c - what a program of libexec may answer: refused, or a mesh from which all can be derived */
#include "mesh/mesh_transfer.h"

#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_mesh *mesh = NULL;
    mplan_error err;
    if (mplan_mesh_create(&mesh, &err) == MPLAN_OK &&
        mplan_mesh_receive(mesh, data, size, &err) == MPLAN_OK &&
        mplan_mesh_validate(mesh, NULL, &err) == MPLAN_OK)
        fuzz_derive(mesh);
    mplan_mesh_free(mesh);
    return 0;
}
