/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_gmsh.c - MSH files of any version: refused, or a mesh that can be written and derived from */
#include "fuzz_mesh.h"

static void write_out(const mplan_mesh *mesh)
{
    mplan_error err;
    mplan_output *output = NULL;
    if (mplan_output_open("/dev/null", NULL, &output, &err) != MPLAN_OK)
        return;
    if (mplan_format_gmsh.write(mesh, NULL, output, NULL, &err) != MPLAN_OK)
        abort(); /* what can be read can be written */
    mplan_output_abort(output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mplan_mesh *mesh = fuzz_mesh_of(&mplan_format_gmsh, "x.msh", data, size);
    if (mesh) {
        write_out(mesh);
        fuzz_derive(mesh);
    }
    mplan_mesh_free(mesh);
    return 0;
}
