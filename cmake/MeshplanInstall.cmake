# SPDX-License-Identifier: Apache-2.0
# MeshplanInstall - libraries, headers, command, man pages, completion, CMake and pkg-config files
include(CMakePackageConfigHelpers)
set(mplan_static_installed ON)
if(DEFINED BUILD_SHARED_LIBS AND BUILD_SHARED_LIBS)
  set(mplan_static_installed OFF)
endif()
set(mplan_cmake_folder "${CMAKE_INSTALL_LIBDIR}/cmake/meshplan")

# --- libraries, and what CMake's find_package finds -------------------------------

if(mplan_shared)
  install(TARGETS meshplan_reader meshplan meshplan_exec EXPORT meshplanShared
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT meshplanShared NAMESPACE meshplan:: DESTINATION ${mplan_cmake_folder})
endif()
if(mplan_static_installed)
  install(TARGETS meshplan_reader_static meshplan_static meshplan_exec_static mplan_packages mplan_planner_packages
          mplan_exec_packages EXPORT meshplanStatic ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT meshplanStatic NAMESPACE meshplan:: DESTINATION ${mplan_cmake_folder})
endif()
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES src/plan/packed.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} RENAME meshplan_packed.h)
configure_package_config_file(cmake/meshplanConfig.cmake.in meshplanConfig.cmake
                              INSTALL_DESTINATION ${mplan_cmake_folder})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
else()
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file(meshplanConfigVersion.cmake COMPATIBILITY ${compatible})
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/meshplanConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/meshplanConfigVersion.cmake"
        cmake/FindLibYAML.cmake cmake/FindLZ4.cmake cmake/FindxxHash.cmake DESTINATION ${mplan_cmake_folder})

# --- pkg-config: folders as seen from the file, so that all may move, but those given absolutely --------------

set(MPLAN_PC_FOLDER "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(MPLAN_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(MPLAN_PC_PREFIX "\${pcfiledir}/${up}")
endif()
foreach(kind LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    set(MPLAN_PC_${kind} "${CMAKE_INSTALL_${kind}}")
  else()
    set(MPLAN_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
# mplan_pc(NAME DESCRIPTION REQUIRES FLAGS): FLAGS are what only static libraries need.
function(mplan_pc MPLAN_PC_NAME MPLAN_PC_DESCRIPTION MPLAN_PC_REQUIRES)
  list(JOIN ARGN " " MPLAN_PC_PRIVATE)
  set(MPLAN_PC_SHARED "")
  if(NOT mplan_shared) # nothing else is there to be linked to
    set(MPLAN_PC_SHARED " ${MPLAN_PC_PRIVATE}")
  endif()
  configure_file(cmake/meshplan.pc.in ${MPLAN_PC_NAME}.pc @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${MPLAN_PC_NAME}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
mplan_pc(meshplan_reader "Reads plans for loops over unstructured meshes" "" ${mplan_packages_flags})
mplan_pc(meshplan "${PROJECT_DESCRIPTION}" "meshplan_reader = ${PROJECT_VERSION}" ${mplan_planner_packages_flags})
mplan_pc(meshplan_exec "Runs plans for loops over unstructured meshes" "meshplan_reader = ${PROJECT_VERSION}"
         ${mplan_exec_packages_flags})

# --- documents and the command ------------------------------------------------------

foreach(section 1 3 5 7)
  file(GLOB pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/man/*.${section}")
  if(NOT TARGET meshplan_mpi)
    list(FILTER pages EXCLUDE REGEX "/meshplan-mpi[.]1$")
  endif()
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()
install(FILES formats/plan-format.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY tools/example DESTINATION ${CMAKE_INSTALL_DOCDIR}) # meshplan-tutorial(7)
if(MPLAN_BUILD_COMMAND)
  install(TARGETS meshplan_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(TARGET meshplan_mpi)
    install(TARGETS meshplan_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  foreach(shell bash zsh fish)
    add_custom_command(OUTPUT meshplan.${shell} COMMAND meshplan_cli completion ${shell} > meshplan.${shell}
                       DEPENDS meshplan_cli VERBATIM)
  endforeach()
  add_custom_target(meshplan_completion ALL DEPENDS meshplan.bash meshplan.zsh meshplan.fish)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/meshplan.bash"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME meshplan)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/meshplan.zsh" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _meshplan)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/meshplan.fish" DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
