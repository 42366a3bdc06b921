/* SPDX-License-Identifier: Apache-2.0 */
/* netcdf_kind.h - what kind of mesh a netCDF file holds */
#ifndef MPLAN_NETCDF_KIND_H
#define MPLAN_NETCDF_KIND_H

#include "meshplan.h"

/* What a netCDF file is for. Each kind but OTHER has one reader, whose `recognise` compares with it. */
typedef enum mplan_netcdf_kind {
    MPLAN_NETCDF_OTHER, /* also: no netCDF file */
    MPLAN_NETCDF_UGRID,
    MPLAN_NETCDF_EXODUS,
    MPLAN_NETCDF_MPAS,
    MPLAN_NETCDF_ICON,
    MPLAN_NETCDF_FESOM
} mplan_netcdf_kind;

mplan_netcdf_kind mplan_netcdf_kind_of(const uint8_t *data, size_t size);

#endif
