/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_icon.c - ICON grids from arbitrary bytes: refused, or a mesh from which all can be derived
 *
 * Files of HDF5 are left out: what libhdf5 makes of damaged ones is not ours. */
#include "formats/netcdf/netcdf_header.h"
#include "fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return mplan_netcdf_is_classic(data, size) ? fuzz_read(&mplan_format_icon, data, size) : 0;
}
