# SPDX-License-Identifier: Apache-2.0
# FindNetCDF - NetCDF::NetCDF, the C library
find_path(NetCDF_INCLUDE_DIR netcdf_mem.h)
find_library(NetCDF_LIBRARY netcdf)
if(NetCDF_INCLUDE_DIR AND EXISTS "${NetCDF_INCLUDE_DIR}/netcdf_meta.h")
  file(STRINGS "${NetCDF_INCLUDE_DIR}/netcdf_meta.h" NetCDF_VERSION REGEX "define +NC_VERSION +\"")
  string(REGEX REPLACE ".*NC_VERSION +\"([^\"]*)\".*" "\\1" NetCDF_VERSION "${NetCDF_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NetCDF REQUIRED_VARS NetCDF_LIBRARY NetCDF_INCLUDE_DIR
                                  VERSION_VAR NetCDF_VERSION)
if(NetCDF_FOUND AND NOT TARGET NetCDF::NetCDF)
  add_library(NetCDF::NetCDF UNKNOWN IMPORTED)
  set_target_properties(NetCDF::NetCDF PROPERTIES IMPORTED_LOCATION "${NetCDF_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${NetCDF_INCLUDE_DIR}")
endif()
mark_as_advanced(NetCDF_INCLUDE_DIR NetCDF_LIBRARY)
