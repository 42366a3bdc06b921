# SPDX-License-Identifier: Apache-2.0
# FindCGNS - CGNS::CGNS, the mid-level library
find_path(CGNS_INCLUDE_DIR cgnslib.h)
find_library(CGNS_LIBRARY cgns)
if(CGNS_INCLUDE_DIR AND EXISTS "${CGNS_INCLUDE_DIR}/cgnslib.h")
  file(STRINGS "${CGNS_INCLUDE_DIR}/cgnslib.h" CGNS_VERSION REGEX "define +CGNS_DOTVERS ")
  string(REGEX REPLACE ".*CGNS_DOTVERS +([0-9.]+).*" "\\1" CGNS_VERSION "${CGNS_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CGNS REQUIRED_VARS CGNS_LIBRARY CGNS_INCLUDE_DIR VERSION_VAR CGNS_VERSION)
if(CGNS_FOUND AND NOT TARGET CGNS::CGNS)
  add_library(CGNS::CGNS UNKNOWN IMPORTED)
  set_target_properties(CGNS::CGNS PROPERTIES IMPORTED_LOCATION "${CGNS_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${CGNS_INCLUDE_DIR}")
endif()
mark_as_advanced(CGNS_INCLUDE_DIR CGNS_LIBRARY)
