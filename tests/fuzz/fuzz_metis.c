/* fuzz_metis.c - METIS's graphs and meshes from arbitrary bytes */
#include "fuzz_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_format(&mplan_format_metis_graph, data, size);
    fuzz_format(&mplan_format_metis_mesh, data, size);
    return 0;
}
