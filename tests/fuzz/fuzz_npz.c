/* fuzz_npz.c - archives of arrays from arbitrary bytes */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&mplan_format_npz, data, size);
    return 0;
}
