/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_aflr3.c - AFLR3 meshes, text and binary, from arbitrary bytes */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_read(&mplan_format_aflr3, data, size);
}
