# SPDX-License-Identifier: Apache-2.0
# FindMETIS - METIS::METIS, METIS_VERSION, METIS_INDEX_BITS
#
# Looks at metis.h: its version and the width of idx_t, and accepts both widths.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
# Upstream METIS 5.2 keeps GKlib in a library of its own; distributions link it in.
find_library(METIS_GKLIB_LIBRARY GKlib)
if(METIS_INCLUDE_DIR)
  file(STRINGS "${METIS_INCLUDE_DIR}/metis.h" metis_lines REGEX "^#define[ \t]+(METIS_VER_|IDXTYPEWIDTH)")
  foreach(part MAJOR MINOR SUBMINOR)
    string(REGEX REPLACE ".*METIS_VER_${part}[ \t]+([0-9]+).*" "\\1" METIS_${part} "${metis_lines}")
  endforeach()
  set(METIS_VERSION "${METIS_MAJOR}.${METIS_MINOR}.${METIS_SUBMINOR}")
  if(metis_lines MATCHES "IDXTYPEWIDTH[ \t]+([0-9]+)")
    set(METIS_INDEX_BITS ${CMAKE_MATCH_1})
  endif()
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR
                                  VERSION_VAR METIS_VERSION)
if(METIS_FOUND AND NOT TARGET METIS::METIS)
  add_library(METIS::METIS UNKNOWN IMPORTED)
  set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION "${METIS_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
  if(METIS_GKLIB_LIBRARY)
    set_property(TARGET METIS::METIS APPEND PROPERTY INTERFACE_LINK_LIBRARIES "${METIS_GKLIB_LIBRARY}")
  endif()
endif()
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY METIS_GKLIB_LIBRARY)
