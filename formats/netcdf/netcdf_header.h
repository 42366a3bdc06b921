/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_header.h - classic netCDF headers, looked over before the library sees them */
#ifndef MPLAN_NETCDF_HEADER_H
#define MPLAN_NETCDF_HEADER_H

#include "formats/format.h"

/* "CDF" of versions 1, 2 and 5, or an HDF5 file. */
bool mplan_netcdf_is_classic(const uint8_t *data, size_t size);
bool mplan_netcdf_is_hdf5(const uint8_t *data, size_t size);

/* Walks the header of a classic file: every count must be one that the bytes behind it can hold, as
 * libnetcdf allocates what it is told. MPLAN_ERR_CORRUPT with the byte. Files of HDF5 pass. */
mplan_status mplan_netcdf_check_header(const mplan_input *input, mplan_error *err);
/* Where the numbers of a variable of a classic file begin; -1 where there is none of this name, or it has records. */
mplan_status mplan_netcdf_begin_of(const mplan_input *input, const char *variable, int64_t *at,
                                   mplan_error *err);

#endif
