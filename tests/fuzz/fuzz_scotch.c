/* fuzz_scotch.c - SCOTCH's graphs from arbitrary bytes */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&mplan_format_scotch, data, size);
    return 0;
}
