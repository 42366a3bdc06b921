/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_vtu.c - VTK XML files from arbitrary bytes
 *
 * Those that name files of pieces are left out: these would be files of this machine. */
#include "formats/bytes_hold.h"
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (mplan_bytes_hold(data, size, "PUnstructuredGrid"))
        return 0;
    return fuzz_read(&mplan_format_vtu, data, size);
}
