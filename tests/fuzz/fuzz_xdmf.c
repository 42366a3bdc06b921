/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_xdmf.c - XDMF with its numbers in it, from arbitrary bytes */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_read(&mplan_format_xdmf, data, size);
}
