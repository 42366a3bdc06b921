/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_abaqus.c - Abaqus input files, from arbitrary bytes */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_read(&mplan_format_abaqus, data, size);
}
