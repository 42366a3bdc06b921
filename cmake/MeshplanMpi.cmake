# SPDX-License-Identifier: Apache-2.0
# MeshplanMpi - the program meshplan-mpi, the only one of ours that is linked to MPI
#
# mplan_mpi has all of src/mpi but the file of main, so that tests over MPI can call it.
if(MPLAN_WITH_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  file(GLOB mpi_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/mpi/*.c")
  list(FILTER mpi_sources EXCLUDE REGEX "/mpi_main[.]c$")
  add_library(mplan_mpi STATIC EXCLUDE_FROM_ALL ${mpi_sources})
  target_link_libraries(mplan_mpi PUBLIC mplan_build mplan_cli meshplan_static mplan_packages MPI::MPI_C)
  # the 64-bit build of PT-SCOTCH, for --cut ptscotch (Debian: libptscotch-dev)
  find_package(PTSCOTCH QUIET)
  option(MPLAN_WITH_PTSCOTCH "PT-SCOTCH as a cut of meshplan-mpi (default: where its archives of 64 bits are found)" ${PTSCOTCH_FOUND})
  if(MPLAN_WITH_PTSCOTCH)
    find_package(PTSCOTCH REQUIRED)
    target_link_libraries(mplan_mpi PRIVATE PTSCOTCH::PTSCOTCH MPI::MPI_C)
    target_compile_definitions(mplan_mpi PRIVATE MPLAN_HAVE_PTSCOTCH=1)
  endif()
  add_executable(meshplan_mpi "${PROJECT_SOURCE_DIR}/src/mpi/mpi_main.c")
  set_target_properties(meshplan_mpi PROPERTIES OUTPUT_NAME meshplan-mpi)
  target_link_libraries(meshplan_mpi PRIVATE mplan_mpi mplan_build)
endif()
