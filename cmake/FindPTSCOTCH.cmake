# SPDX-License-Identifier: Apache-2.0
# FindPTSCOTCH - PTSCOTCH::PTSCOTCH, PTSCOTCH_VERSION: the parallel library, whose numbers have 64 bits
#
# Archives only: in Debian (libptscotch-dev) the shared libraries of both widths have one soname, so that a program of this one
# would be given the other one when it starts.
find_path(PTSCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch-int64 scotch NO_DEFAULT_PATH
          PATHS /usr/include /usr/local/include ${CMAKE_PREFIX_PATH})
foreach(part ptscotch scotch ptscotcherr)
  find_library(PTSCOTCH_${part}_LIBRARY NAMES lib${part}.a PATH_SUFFIXES scotch-int64)
  list(APPEND ptscotch_archives PTSCOTCH_${part}_LIBRARY)
endforeach()
if(PTSCOTCH_INCLUDE_DIR)
  file(STRINGS "${PTSCOTCH_INCLUDE_DIR}/scotch.h" ptscotch_wide REGEX "^typedef int64_t SCOTCH_Num;")
  file(STRINGS "${PTSCOTCH_INCLUDE_DIR}/scotch.h" ptscotch_lines REGEX "^#define[ \t]+SCOTCH_(VERSION|RELEASE|PATCHLEVEL)")
  foreach(part VERSION RELEASE PATCHLEVEL)
    string(REGEX REPLACE ".*SCOTCH_${part}[ \t]+([0-9]+).*" "\\1" ptscotch_${part} "${ptscotch_lines}")
  endforeach()
  set(PTSCOTCH_VERSION "${ptscotch_VERSION}.${ptscotch_RELEASE}.${ptscotch_PATCHLEVEL}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PTSCOTCH REQUIRED_VARS ${ptscotch_archives} PTSCOTCH_INCLUDE_DIR ptscotch_wide
                                  VERSION_VAR PTSCOTCH_VERSION)
if(PTSCOTCH_FOUND AND NOT TARGET PTSCOTCH::PTSCOTCH)
  add_library(PTSCOTCH::PTSCOTCH UNKNOWN IMPORTED)
  set(ptscotch_needs)
  foreach(part z bz2 lzma m) # which archives of SCOTCH may read files by
    find_library(PTSCOTCH_NEEDS_${part} ${part})
    mark_as_advanced(PTSCOTCH_NEEDS_${part})
    if(PTSCOTCH_NEEDS_${part})
      list(APPEND ptscotch_needs "${PTSCOTCH_NEEDS_${part}}")
    endif()
  endforeach()
  set_target_properties(PTSCOTCH::PTSCOTCH PROPERTIES IMPORTED_LOCATION "${PTSCOTCH_ptscotch_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${PTSCOTCH_INCLUDE_DIR}"
                        INTERFACE_LINK_LIBRARIES "${PTSCOTCH_scotch_LIBRARY};${PTSCOTCH_ptscotcherr_LIBRARY};${ptscotch_needs}")
endif()
mark_as_advanced(PTSCOTCH_INCLUDE_DIR ${ptscotch_archives})
