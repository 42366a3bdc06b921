/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_netgen.c - meshes of Netgen, from arbitrary bytes */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_read(&mplan_format_netgen, data, size);
}
