/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_libmesh.c - meshes of libMesh, text and XDR, from arbitrary bytes */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_read(&mplan_format_libmesh, data, size);
}
