/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_main.c - meshplan-read-netcdf: UGRID, Exodus II, MPAS, ICON and FESOM2 files by libnetcdf */
#include "formats/netcdf/netcdf_header.h"
#include "formats/netcdf/netcdf_input.h"
#include "helper/reading.h"

const mplan_file_format *const mplan_helper_formats[] = {
    &mplan_format_ugrid, &mplan_format_exodus,     &mplan_format_mpas,
    &mplan_format_icon,  &mplan_format_fesom_diag, NULL};

mplan_status mplan_helper_look_over(const mplan_input *input, mplan_error *err)
{
    bool classic = mplan_netcdf_is_classic(input->data, input->size);
    mplan_status status = classic
                              ? MPLAN_OK
                              : mplan_hdf5_walk(input, true, err); /* libnetcdf follows every link */
    if (!status)
        mplan_netcdf_keep(input);
    return status;
}
