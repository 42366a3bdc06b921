# SPDX-License-Identifier: Apache-2.0
# MeshplanHelpers - programs of libexec that foreign libraries are called from
#
# Each is linked to one of them and to nothing that it does not need, as it is started for every file and graph.
function(mplan_helper name)
  cmake_parse_arguments(PARSE_ARGV 1 helper "NOT_INSTALLED" "" "SOURCES;PACKAGES;DEFINITIONS")
  list(APPEND helper_SOURCES src/helper/helper.c src/helper/sandbox.c)
  list(TRANSFORM helper_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/")
  add_executable(${name} ${helper_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/libexec/meshplan")
  target_compile_definitions(${name} PRIVATE
                             $<$<OR:$<BOOL:${MPLAN_SANITIZE}>,$<BOOL:${MPLAN_SANITIZE_THREADS}>>:MPLAN_SANITIZED=1>
                             $<TARGET_PROPERTY:mplan_packages,INTERFACE_COMPILE_DEFINITIONS> ${helper_DEFINITIONS})
  target_link_libraries(${name} PRIVATE mplan_build ${helper_PACKAGES})
  if(NOT MPLAN_SANITIZE)
    target_link_options(${name} PRIVATE LINKER:--as-needed)
  endif()
  list(APPEND mplan_helpers ${name})
  set(mplan_helpers "${mplan_helpers}" PARENT_SCOPE)
  if(MPLAN_INSTALL AND NOT helper_NOT_INSTALLED)
    install(TARGETS ${name} RUNTIME DESTINATION "${helper_folder}")
  endif()
endfunction()
if(MPLAN_WITH_METIS OR MPLAN_WITH_SCOTCH)
  mplan_helper(meshplan-partition
               SOURCES src/base/error.c src/base/number_text.c src/base/shown_text.c src/helper/cut_main.c src/helper/metis_cut.c src/helper/scotch_cut.c
               PACKAGES $<$<BOOL:${MPLAN_WITH_METIS}>:METIS::METIS> $<$<BOOL:${MPLAN_WITH_SCOTCH}>:SCOTCH::SCOTCH>)
endif()

# Those that read: readers of formats/, compiled once more with their library.
set(reading_sources src/helper/reading.c src/helper/hdf5_walk.c formats/hdf5_image.c formats/hdf5_place.c)
set(netcdf_sources formats/netcdf/exodus.c formats/netcdf/exodus_lists.c formats/netcdf/exodus_polyhedra.c formats/netcdf/exodus_sides.c formats/netcdf/ugrid.c
    formats/netcdf/mpas.c formats/netcdf/icon.c formats/netcdf/fesom_diag.c formats/netcdf/model_grid.c formats/netcdf/model_layers.c formats/netcdf/model_points.c
    formats/netcdf/ugrid_axes.c formats/netcdf/ugrid_maps.c formats/netcdf/ugrid_topology.c
    formats/netcdf/netcdf_input.c formats/netcdf/netcdf_kind.c formats/netcdf/netcdf_place.c)
set(cgns_sources formats/cgns/cgns.c formats/cgns/cgns_cells.c formats/cgns/cgns_counted.c formats/cgns/cgns_groups.c formats/cgns/cgns_join.c formats/cgns/cgns_library.c formats/cgns/cgns_places.c formats/cgns/cgns_polyhedra.c)
set(hdf5_sources formats/hdf5/hdf5_tree.c formats/hdf5/hdf5_words.c formats/hdf5/hdf5_numbers.c formats/hdf5/med.c formats/hdf5/dmplex.c formats/vtk/vtkhdf.c formats/vtk/vtkhdf_grid.c formats/fluent/fluent_hdf5.c formats/op2/op2_hdf5.c formats/op2/op2_hdf5_airfoil.c formats/op2/op2_hdf5_layout.c formats/op2/op2_hdf5_tables.c formats/op2/op2_hdf5_write.c
    formats/cgns/cgns_write.c formats/hdf5_output.c)
set(with_hdf5 $<$<BOOL:${MPLAN_WITH_HDF5}>:MPLAN_HAVE_HDF5=1>)
set(hdf5_package $<$<BOOL:${MPLAN_WITH_HDF5}>:hdf5::hdf5>)
set(cgns_package ${hdf5_package}) # or archives, with which programs start fast
if(MPLAN_WITH_CGNS)
  set(cgns_package CGNS::CGNS ${hdf5_package})
endif()
set(reading_hdf5_package ${hdf5_package})
set(stand_ins)
if(MPLAN_SLIM_HELPERS AND NOT MPLAN_SANITIZE AND NOT MPLAN_SANITIZE_THREADS)
  include(MeshplanSlim)
  set(hdf5_archives "libhdf5_serial.a|libhdf5.a")
  set(hdf5_needs "sz|z|m|dl" "z|m|dl" "m|dl")
  if(MPLAN_WITH_HDF5)
    mplan_find_archive(found "${HDF5_INCLUDE_DIRS}" "${hdf5_archives}" "${hdf5_needs}"
                       "#include <hdf5.h>\nint main(void) { return H5open() + (int)H5Fopen(\"\", 0, 0); }")
    if(found)
      set(reading_hdf5_package ${found})
    endif()
  endif()
  if(MPLAN_WITH_CGNS AND MPLAN_WITH_HDF5)
    mplan_find_archive(found_cgns "${HDF5_INCLUDE_DIRS};${CGNS_INCLUDE_DIR}" "libcgns.a;${hdf5_archives}" "${hdf5_needs}"
                       "#include <cgnslib.h>\nint main(void) { int f; return cg_open(\"\", 0, &f); }")
    if(found_cgns)
      set(cgns_package ${found_cgns})
    endif()
  endif()
  if(MPLAN_WITH_NETCDF AND MPLAN_WITH_HDF5)
    mplan_stand_ins(stand_ins "${PROJECT_BINARY_DIR}/libexec/meshplan/slim" "${NetCDF_LIBRARY}"
                    "${HDF5_C_LIBRARY_hdf5}")
  endif()
endif()
if(MPLAN_WITH_NETCDF)
  set(netcdf_program SOURCES ${reading_sources} src/helper/netcdf_main.c ${netcdf_sources}
      DEFINITIONS MPLAN_HAVE_NETCDF=1 ${with_hdf5} MPLAN_HELPER_NEED=MPLAN_NEEDS_NOTHING
      PACKAGES meshplan_static NetCDF::NetCDF ${hdf5_package})
  mplan_helper(meshplan-read-netcdf ${netcdf_program})
  if(stand_ins)
    mplan_helper(meshplan-read-netcdf-spare ${netcdf_program})
    list(TRANSFORM stand_ins REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE stand_in_files)
    list(JOIN stand_in_files " " stand_in_files)
    target_link_options(meshplan-read-netcdf PRIVATE "SHELL:-Wl,--no-as-needed ${stand_in_files} -Wl,--as-needed")
    add_dependencies(meshplan-read-netcdf ${stand_ins})
    set_target_properties(meshplan-read-netcdf PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/slim")
    if(MPLAN_INSTALL)
      install(TARGETS ${stand_ins} LIBRARY DESTINATION "${helper_folder}/slim")
    endif()
  endif()
endif()
if(MPLAN_WITH_CGNS)
  mplan_helper(meshplan-read-cgns SOURCES ${reading_sources} src/helper/cgns_main.c ${cgns_sources}
               DEFINITIONS MPLAN_HAVE_CGNS=1 ${with_hdf5} MPLAN_HELPER_NEED=MPLAN_NEEDS_TO_OPEN
               PACKAGES meshplan_static ${cgns_package})
  target_include_directories(meshplan-read-cgns PRIVATE ${CGNS_INCLUDE_DIR} ${HDF5_INCLUDE_DIRS})
  if(found_cgns OR CGNS_LIBRARY MATCHES "\\.a$")
    target_compile_definitions(meshplan-read-cgns PRIVATE MPLAN_CGNS_WRAPPED=1)
    target_link_options(meshplan-read-cgns PRIVATE
                        -Wl,--wrap=cgio_read_all_data -Wl,--wrap=cgio_read_all_data_type)
  else()
    target_link_libraries(meshplan-read-cgns PRIVATE ${CMAKE_DL_LIBS})
  endif()
endif()
if(MPLAN_WITH_HDF5)
  mplan_helper(meshplan-read-hdf5 SOURCES ${reading_sources} src/helper/hdf5_main.c ${hdf5_sources}
               DEFINITIONS ${with_hdf5} MPLAN_HELPER_WRITES=1 MPLAN_HELPER_NEED=MPLAN_NEEDS_NOTHING
               PACKAGES meshplan_static ${reading_hdf5_package})
  target_include_directories(meshplan-read-hdf5 PRIVATE ${HDF5_INCLUDE_DIRS})
endif()
add_custom_target(meshplan_helpers ALL DEPENDS ${mplan_helpers})
if(MPLAN_BUILD_COMMAND)
  add_dependencies(meshplan_cli meshplan_helpers)
endif()
