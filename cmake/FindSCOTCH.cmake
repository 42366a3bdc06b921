# SPDX-License-Identifier: Apache-2.0
# FindSCOTCH - SCOTCH::SCOTCH, SCOTCH_VERSION
#
# The sequential library; scotcherr prints errors, which our child processes keep.
find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch scotch-int64)
find_library(SCOTCH_LIBRARY scotch)
find_library(SCOTCH_ERR_LIBRARY scotcherr)
if(SCOTCH_INCLUDE_DIR)
  file(STRINGS "${SCOTCH_INCLUDE_DIR}/scotch.h" scotch_lines REGEX "^#define[ \t]+SCOTCH_(VERSION|RELEASE|PATCHLEVEL)")
  foreach(part VERSION RELEASE PATCHLEVEL)
    string(REGEX REPLACE ".*SCOTCH_${part}[ \t]+([0-9]+).*" "\\1" scotch_${part} "${scotch_lines}")
  endforeach()
  set(SCOTCH_VERSION "${scotch_VERSION}.${scotch_RELEASE}.${scotch_PATCHLEVEL}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SCOTCH REQUIRED_VARS SCOTCH_LIBRARY SCOTCH_ERR_LIBRARY SCOTCH_INCLUDE_DIR
                                  VERSION_VAR SCOTCH_VERSION)
if(SCOTCH_FOUND AND NOT TARGET SCOTCH::SCOTCH)
  add_library(SCOTCH::SCOTCH UNKNOWN IMPORTED)
  set_target_properties(SCOTCH::SCOTCH PROPERTIES IMPORTED_LOCATION "${SCOTCH_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${SCOTCH_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES "${SCOTCH_ERR_LIBRARY}")
endif()
mark_as_advanced(SCOTCH_INCLUDE_DIR SCOTCH_LIBRARY SCOTCH_ERR_LIBRARY)
