/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_metis.c - METIS's graphs and meshes from arbitrary bytes */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(&mplan_format_metis_graph, data, size);
    fuzz_read(&mplan_format_metis_mesh, data, size);
    return 0;
}
