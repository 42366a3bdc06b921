# SPDX-License-Identifier: Apache-2.0
# MeshplanLibraries - the reader library, and the planner and the executor, which are linked to it
#
# No function is in two of them. What the planner and the executor call of the reader library's inside, its shared form
# exports under a version of its own, MESHPLAN_PRIVATE_x.y.z, which only libraries of the same release ask for; what the
# headers declare is under MESHPLAN_x.y. man/meshplan-library.3 says what that promises.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(MPLAN_SOVERSION "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
else()
  set(MPLAN_SOVERSION "${PROJECT_VERSION_MAJOR}")
endif()
if(DEFINED BUILD_SHARED_LIBS)
  set(mplan_shared ${BUILD_SHARED_LIBS})
else()
  set(mplan_shared ${PROJECT_IS_TOP_LEVEL})
endif()
set(mplan_forms _static)
if(mplan_shared)
  list(PREPEND mplan_forms "")
endif()

# --- sources, by module ------------------------------------------------------

set(reader_modules base mesh plan planfile)
set(planner_modules generate check order partition colour tables pipeline parts view job)
foreach(module IN LISTS reader_modules)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module}/*.c")
  list(APPEND reader_sources ${sources})
endforeach()
foreach(module IN LISTS planner_modules)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module}/*.c")
  list(APPEND planner_sources ${sources})
endforeach()
file(GLOB_RECURSE format_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/formats/*.c")
list(APPEND planner_sources ${format_sources})
file(GLOB_RECURSE exec_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/exec/*.c")
file(GLOB app_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/apps/*.c")
if(MPLAN_WITH_CUDA)
  file(GLOB_RECURSE cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/exec/*.cu")
  list(APPEND exec_sources ${cuda_sources})
  file(GLOB cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/apps/*.cu")
  list(APPEND app_sources ${cuda_sources})
  if(MPLAN_CUDA_FAST_COMPILE) # kernels with messages inside are half of nvcc's work: these three have all kinds of them
    list(FILTER cuda_sources EXCLUDE REGEX "/(airfoil|flux3d|lulesh)_device[.]cu$")
    set_source_files_properties(${cuda_sources} PROPERTIES COMPILE_DEFINITIONS MPLAN_WITHOUT_INSIDE)
    # and ptxas is another half: all are compiled to PTX, and those go on to machine code that have each kind of kernel
    file(GLOB ptx_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/apps/*.cu")
    list(FILTER ptx_sources EXCLUDE REGEX "/((flux3d|lulesh|layers|column_step|jacobi)_device|device_[a-z_]*)[.]cu$")
    list(REMOVE_ITEM app_sources ${ptx_sources})
  endif()
endif()

if(MPLAN_BUILD_FUZZERS) # comparisons teach a fuzzer what readers look for; those on meshes cost more than half of its time
  set(compute_sources ${reader_sources} ${planner_sources})
  list(FILTER compute_sources INCLUDE REGEX "/src/(base|mesh|generate|check|order|partition|colour|tables|pipeline|parts)/|/formats/(collection|numbered|numbers|scan)[.]c$")
  set_source_files_properties(${compute_sources} PROPERTIES COMPILE_OPTIONS -fno-sanitize-coverage=trace-cmp)
endif()

# Where programs of libexec are, absolutely and as seen from the libraries (base/child_place.c).
set(helper_folder "${CMAKE_INSTALL_LIBEXECDIR}/meshplan")
set(full_helper_folder "${CMAKE_INSTALL_FULL_LIBEXECDIR}/meshplan")
file(RELATIVE_PATH helper_from_library "${CMAKE_INSTALL_FULL_LIBDIR}" "${full_helper_folder}")
if(NOT MPLAN_INSTALL)
  set(full_helper_folder "${PROJECT_BINARY_DIR}/libexec/meshplan")
endif()
set_source_files_properties(src/base/child_place.c PROPERTIES COMPILE_DEFINITIONS
                            "MPLAN_HELPER_FOLDER=\"${full_helper_folder}\";\
MPLAN_HELPER_FROM_LIBRARY=\"${helper_from_library}\"")

# --- headers -------------------------------------------------------------------

set(public_headers src/meshplan.h src/exec/meshplan_exec.h src/exec/meshplan_kernel.h src/exec/meshplan_combine.h
    src/exec/meshplan_ranks.h src/exec/meshplan_mpi.h src/exec/meshplan_layers.h
    src/exec/meshplan_cuda_bulk.h src/exec/meshplan_cuda_bulkcolumns.h src/exec/meshplan_cuda_columns.h src/exec/meshplan_cuda_lanecolumns.h src/exec/meshplan_cuda_layerblocks.h
    src/exec/meshplan_cuda_layers.h src/exec/meshplan_cuda_levels.h
    src/exec/meshplan_cuda_ownerlevels.h src/exec/meshplan_cuda_lightlevels.h src/exec/meshplan_cuda_combine.h src/exec/meshplan_gpu.h
    src/exec/meshplan_kernel_cuda.h src/exec/meshplan_cuda_args.h src/exec/meshplan_cuda_traits.h
    src/exec/meshplan_cuda_elements.h src/exec/meshplan_cuda_colour.h
    src/exec/meshplan_cuda_blocks.h src/exec/meshplan_cuda_blockcolumns.h src/exec/meshplan_cuda_records.h
    src/exec/meshplan_cuda_owner.h src/exec/meshplan_cuda_weave.h src/exec/meshplan_cuda_windows.h
    src/exec/meshplan_exchange.h src/exec/meshplan_cuda_exchange.h src/exec/meshplan_cuda_bounds.h src/exec/meshplan_cuda_inside.h src/exec/meshplan_cuda_ahead.h)
# Projects that take meshplan in see these and nothing else of src.
foreach(header IN LISTS public_headers)
  get_filename_component(name ${header} NAME)
  configure_file("${PROJECT_SOURCE_DIR}/${header}" "${PROJECT_BINARY_DIR}/include/${name}" COPYONLY)
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/src/plan/packed.h" "${PROJECT_BINARY_DIR}/include/meshplan_packed.h" COPYONLY)

# Names of the functions that a header declares, each followed by a semicolon.
function(mplan_declared variable header)
  file(READ "${PROJECT_SOURCE_DIR}/${header}" text)
  string(REGEX MATCHALL "MPLAN_API [^;{(#]*\\(" declared "${text}")
  set(names)
  foreach(one IN LISTS declared)
    if(one MATCHES "(mplan_[a-z0-9_]+)\\($")
      string(APPEND names " ${CMAKE_MATCH_1};")
    endif()
  endforeach()
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()
mplan_declared(MPLAN_PUBLIC_NAMES src/meshplan.h)
configure_file(cmake/reader.map.in reader.map @ONLY)
configure_file(cmake/exports.map.in exports.map @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/meshplan.h")

# --- libraries ------------------------------------------------------------------

# mplan_library(NAME MAP SOURCES... PACKAGES... NEEDS...): NAME, where shared libraries are built, and NAME_static, of the
# same objects, but for the reader library, whose shared form exports more.
function(mplan_library name map)
  cmake_parse_arguments(PARSE_ARGV 2 library "" "" "SOURCES;PACKAGES;NEEDS")
  add_library(mplan_${name}_objects OBJECT ${library_SOURCES})
  target_link_libraries(mplan_${name}_objects PRIVATE mplan_build mplan_packages ${library_PACKAGES})
  add_library(${name}_static STATIC $<TARGET_OBJECTS:mplan_${name}_objects>)
  if(mplan_shared)
    add_library(${name} SHARED)
    if(map STREQUAL "exports.map")
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:mplan_${name}_objects>)
    else()
      target_sources(${name} PRIVATE ${library_SOURCES})
      set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET default)
      target_compile_options(${name} PRIVATE -fno-semantic-interposition)
      target_link_options(${name} PRIVATE LINKER:-Bsymbolic-functions)
    endif()
    set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${MPLAN_SOVERSION}
                          LINK_DEPENDS "${PROJECT_BINARY_DIR}/${map}")
    if(NOT DEFINED CMAKE_INSTALL_RPATH) # so that it finds the reader library beside it
      set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN")
    endif()
    target_link_libraries(${name} PRIVATE mplan_build)
    target_link_options(${name} PRIVATE "LINKER:--version-script=${PROJECT_BINARY_DIR}/${map}")
    if(NOT MPLAN_SANITIZE AND NOT MPLAN_SANITIZE_THREADS AND NOT MPLAN_BUILD_FUZZERS)
      target_link_options(${name} PRIVATE LINKER:--no-undefined)
    endif()
  else()
    add_library(meshplan::${name} ALIAS ${name}_static)
  endif()
  foreach(form IN LISTS mplan_forms)
    set_target_properties(${name}${form} PROPERTIES OUTPUT_NAME ${name})
    target_include_directories(${name}${form} INTERFACE "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
                               "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    target_link_libraries(${name}${form} PRIVATE mplan_packages ${library_PACKAGES})
    foreach(needed IN LISTS library_NEEDS)
      target_link_libraries(${name}${form} PUBLIC ${needed}${form})
    endforeach()
    add_library(meshplan::${name}${form} ALIAS ${name}${form})
  endforeach()
endfunction()
mplan_library(meshplan_reader reader.map SOURCES ${reader_sources})
mplan_library(meshplan exports.map SOURCES ${planner_sources} PACKAGES mplan_planner_packages NEEDS meshplan_reader)
mplan_library(meshplan_exec exports.map SOURCES ${exec_sources} PACKAGES mplan_exec_packages NEEDS meshplan_reader)

# What `meshplan run` measures with: a part of the command and of tests, not installed.
add_library(mplan_apps STATIC EXCLUDE_FROM_ALL ${app_sources})
target_link_libraries(mplan_apps PRIVATE mplan_build mplan_packages mplan_exec_packages PUBLIC meshplan_exec_static meshplan_static)
if(ptx_sources)
  set(ptx_target mplan_apps_ptx)
  add_library(mplan_apps_ptx OBJECT EXCLUDE_FROM_ALL ${ptx_sources})
  target_link_libraries(mplan_apps_ptx PRIVATE mplan_build mplan_packages mplan_exec_packages meshplan_exec_static meshplan_static)
  list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE "^([0-9]+[a-z]?).*$" "\\1-virtual" OUTPUT_VARIABLE ptx_architectures)
  set_target_properties(mplan_apps_ptx PROPERTIES CUDA_ARCHITECTURES "${ptx_architectures}")
  target_sources(mplan_apps PRIVATE $<TARGET_OBJECTS:mplan_apps_ptx>)
endif()
# What `meshplan plan --cache` keeps plans in: a part of the command and of tests, not installed.
file(GLOB cache_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cache/*.c")
add_library(mplan_cache STATIC EXCLUDE_FROM_ALL ${cache_sources})
target_link_libraries(mplan_cache PRIVATE mplan_build mplan_packages PUBLIC meshplan_reader_static)
if(MPLAN_WITH_HIP) # objects of hipcc go to each library: an object library would not hand them on
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/hip")
  file(GLOB_RECURSE hip_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/exec/*.cu")
  mplan_hip_objects(hip_objects ${hip_sources})
  add_custom_target(mplan_hip_exec DEPENDS ${hip_objects})
  foreach(form IN LISTS mplan_forms)
    target_sources(meshplan_exec${form} PRIVATE ${hip_objects})
    add_dependencies(meshplan_exec${form} mplan_hip_exec)
  endforeach()
  file(GLOB hip_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/apps/*.cu")
  mplan_hip_objects(hip_objects ${hip_sources})
  target_sources(mplan_apps PRIVATE ${hip_objects})
  foreach(target mplan_meshplan_exec_objects mplan_apps)
    target_compile_definitions(${target} PRIVATE MPLAN_HAVE_CUDA=1 MPLAN_HAVE_HIP=1)
  endforeach()
endif()
if(MPLAN_WITH_CUDA)
  foreach(target mplan_meshplan_exec_objects mplan_apps ${ptx_target})
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
    target_compile_definitions(${target} PRIVATE MPLAN_HAVE_CUDA=1)
  endforeach()
endif()
