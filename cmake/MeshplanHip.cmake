# SPDX-License-Identifier: Apache-2.0
# MeshplanHip - the device files compiled for GPUs of AMD, by hipcc
#
# CMake's language HIP needs ROCm's own folders, which Debian's packages (hipcc, libamdhip64-dev) do not have; so
# hipcc is called for each file, which works with both. src/exec/meshplan_gpu.h gives HIP's runtime the names of
# CUDA's. MPLAN_HIP_ARCHITECTURES: what is compiled for, separated by semicolons.
#
# mplan_hip_objects(VARIABLE SOURCES...): objects of the sources; nothing without MPLAN_WITH_HIP.
if(MPLAN_WITH_HIP)
  if(MPLAN_WITH_CUDA)
    message(FATAL_ERROR "MPLAN_WITH_HIP and MPLAN_WITH_CUDA are ON: the executor is built for GPUs of one maker")
  endif()
  set(MPLAN_HIP_ARCHITECTURES gfx90a CACHE STRING "What device files are compiled for by hipcc")
  find_program(MPLAN_HIPCC hipcc HINTS ENV ROCM_PATH PATH_SUFFIXES bin PATHS /opt/rocm)
  if(NOT MPLAN_HIPCC)
    message(FATAL_ERROR "MPLAN_WITH_HIP needs hipcc (Debian: hipcc, libamdhip64-dev; or ROCm)")
  endif()
  # rocm_agent_enumerator, which hipcc asks where no GPU is named, fails without one
  set(ENV{HCC_AMDGPU_TARGET} gfx90a)
  execute_process(COMMAND "${MPLAN_HIPCC}" --version OUTPUT_VARIABLE hipcc_says ERROR_QUIET)
  if(NOT hipcc_says MATCHES "HIP version: ([0-9.]+)")
    message(FATAL_ERROR "${MPLAN_HIPCC} --version does not say which HIP it has: ${hipcc_says}")
  endif()
  set(MPLAN_HIP_VERSION "${CMAKE_MATCH_1}")
  find_library(MPLAN_HIP_RUNTIME amdhip64 HINTS ENV ROCM_PATH PATH_SUFFIXES lib PATHS /opt/rocm REQUIRED)
  target_compile_definitions(mplan_packages INTERFACE MPLAN_HIP_VERSION="${MPLAN_HIP_VERSION}")
  target_link_libraries(mplan_exec_packages INTERFACE "$<LINK_ONLY:${MPLAN_HIP_RUNTIME}>" $<LINK_ONLY:stdc++>)
  list(APPEND mplan_exec_packages_flags -lamdhip64 -lstdc++)
endif()

function(mplan_hip_objects variable)
  set(objects)
  list(TRANSFORM MPLAN_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
  foreach(source IN LISTS ARGN)
    get_filename_component(name "${source}" NAME_WE)
    set(object "${PROJECT_BINARY_DIR}/hip/${name}.o")
    add_custom_command(OUTPUT "${object}" DEPENDS "${source}" DEPFILE "${object}.d"
      COMMAND "${MPLAN_HIPCC}" -x hip ${architectures} -std=c++17 -O3 -fPIC -fvisibility=hidden -ffp-contract=off -Wno-unused-result
              -I "${PROJECT_SOURCE_DIR}/src" -I "${PROJECT_SOURCE_DIR}" -DMPLAN_HAVE_CUDA=1 -DMPLAN_HAVE_HIP=1
              -MD -MF "${object}.d" -MT "${object}" -c "${source}" -o "${object}"
      COMMENT "Building HIP object hip/${name}.o" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects "${object}")
  endforeach()
  set(${variable} "${objects}" PARENT_SCOPE)
endfunction()
