# SPDX-License-Identifier: Apache-2.0
# MeshplanFortran - the module `meshplan` and its examples, where a Fortran compiler is
#
# Compilers do not read one another's .mod files, so that the source is installed as well: tools/fortran/meshplan.f90 is
# one file without dependencies but the libraries.
if(NOT DEFINED MPLAN_WITH_FORTRAN AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CROSSCOMPILING AND (MPLAN_BUILD_TESTS OR MPLAN_INSTALL))
  include(CheckLanguage)
  check_language(Fortran)
endif()
if(CMAKE_Fortran_COMPILER)
  set(mplan_fortran_found ON)
else()
  set(mplan_fortran_found OFF)
endif()
option(MPLAN_WITH_FORTRAN "The module for Fortran and its example (default: where a compiler is found)" ${mplan_fortran_found})
if(NOT MPLAN_WITH_FORTRAN)
  return()
endif()
enable_language(Fortran)
add_library(meshplan_fortran STATIC "${PROJECT_SOURCE_DIR}/tools/fortran/meshplan.f90")
set_target_properties(meshplan_fortran PROPERTIES Fortran_MODULE_DIRECTORY "${PROJECT_BINARY_DIR}/fortran")
target_include_directories(meshplan_fortran INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/fortran>")
target_link_libraries(meshplan_fortran PUBLIC meshplan_exec_static)
if(MPLAN_SANITIZE)
  target_link_options(meshplan_fortran INTERFACE -fsanitize=address,undefined)
elseif(MPLAN_SANITIZE_THREADS)
  target_link_options(meshplan_fortran INTERFACE -fsanitize=thread)
endif()
foreach(example res_calc matvec diffuse)
  add_executable(fortran_${example} "${PROJECT_SOURCE_DIR}/tools/fortran/${example}.f90")
  set_target_properties(fortran_${example} PROPERTIES Fortran_MODULE_DIRECTORY "${PROJECT_BINARY_DIR}/fortran/${example}")
  target_link_libraries(fortran_${example} PRIVATE meshplan_fortran)
endforeach()
if(MPLAN_INSTALL)
  install(FILES "${PROJECT_SOURCE_DIR}/tools/fortran/meshplan.f90" "${PROJECT_SOURCE_DIR}/tools/fortran/res_calc.f90"
          "${PROJECT_SOURCE_DIR}/tools/fortran/matvec.f90" "${PROJECT_SOURCE_DIR}/tools/fortran/diffuse.f90"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/meshplan/fortran")
  install(FILES "${PROJECT_BINARY_DIR}/fortran/meshplan.mod" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/meshplan-fortran")
endif()
