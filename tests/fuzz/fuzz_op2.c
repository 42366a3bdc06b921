/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_op2.c - OP2 grids from arbitrary bytes: refused, or a mesh from which all can be derived */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_read(&mplan_format_op2, data, size);
}
