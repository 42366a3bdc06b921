/* fuzz_ply.c - surfaces in PLY files from arbitrary bytes */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&mplan_format_ply, data, size);
    return 0;
}
