/* fuzz_medit.c - medit meshes, text and binary, from arbitrary bytes */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&mplan_format_medit, data, size);
    return 0;
}
