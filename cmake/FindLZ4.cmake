# SPDX-License-Identifier: Apache-2.0
# FindLZ4 - LZ4::LZ4
find_path(LZ4_INCLUDE_DIR lz4.h)
find_library(LZ4_LIBRARY lz4)
if(LZ4_INCLUDE_DIR)
  file(STRINGS "${LZ4_INCLUDE_DIR}/lz4.h" lz4_lines REGEX "^#define[ \t]+LZ4_VERSION_(MAJOR|MINOR|RELEASE)")
  foreach(part MAJOR MINOR RELEASE)
    string(REGEX REPLACE ".*LZ4_VERSION_${part}[ \t]+([0-9]+).*" "\\1" lz4_${part} "${lz4_lines}")
  endforeach()
  set(LZ4_VERSION "${lz4_MAJOR}.${lz4_MINOR}.${lz4_RELEASE}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LZ4 REQUIRED_VARS LZ4_LIBRARY LZ4_INCLUDE_DIR VERSION_VAR LZ4_VERSION)
if(LZ4_FOUND AND NOT TARGET LZ4::LZ4)
  add_library(LZ4::LZ4 UNKNOWN IMPORTED)
  set_target_properties(LZ4::LZ4 PROPERTIES IMPORTED_LOCATION "${LZ4_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${LZ4_INCLUDE_DIR}")
endif()
mark_as_advanced(LZ4_INCLUDE_DIR LZ4_LIBRARY)
