/* fuzz_obj.c - surfaces in OBJ files from arbitrary bytes */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&mplan_format_obj, data, size);
    return 0;
}
