/* fuzz_mtx.c - Matrix Market files, as graphs and as rows from arbitrary bytes */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&mplan_format_matrix, data, size);
    fuzz_format(&mplan_format_matrix_rows, data, size);
    return 0;
}
