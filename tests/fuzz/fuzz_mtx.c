/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_mtx.c - Matrix Market files, as graphs and as rows from arbitrary bytes */
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(&mplan_format_matrix, data, size);
    fuzz_read(&mplan_format_matrix_rows, data, size);
    return 0;
}
