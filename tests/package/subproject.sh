#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# meshplan inside another project, by FetchContent and by add_subdirectory, and with its folders of installation
# given absolutely. Only the reader library is built, without packages.
#   subproject.sh SOURCE_FOLDER
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "$1"
    exit 1
}
quietly() {
    "$@" >log 2>&1 || { cat log; fail "failed: $*"; }
}
off="-DCMAKE_C_FLAGS=-O0"
for package in METIS SCOTCH YAML ZLIB XXHASH NETCDF EXPAT LZMA LZ4 CGNS HDF5 THREADS CUDA; do
    off="$off -DMPLAN_WITH_$package=OFF"
done

mkdir parent
cat >parent/use.c <<'C'
#include <meshplan.h>
#include <meshplan_exec.h>
#if __has_include("base/error.h") || __has_include("meshplan_exec.c")
#error "the inside of meshplan is among the include folders of its users"
#endif
int main(void)
{
    return mplan_version() ? 0 : 1;
}
C
cat >parent/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(parent C)
if(FETCH)
  include(FetchContent)
  FetchContent_Declare(meshplan SOURCE_DIR "${MESHPLAN}")
  FetchContent_MakeAvailable(meshplan)
else()
  add_subdirectory("${MESHPLAN}" meshplan)
endif()
add_executable(use use.c)
target_link_libraries(use PRIVATE meshplan::meshplan_reader)
if(CMAKE_C_STANDARD OR CMAKE_BUILD_TYPE OR CMAKE_MODULE_PATH)
  message(FATAL_ERROR "variables of the parent have changed")
endif()
foreach(target meshplan meshplan_reader meshplan_exec meshplan_static meshplan_reader_static meshplan_exec_static)
  if(NOT TARGET meshplan::${target})
    message(FATAL_ERROR "meshplan::${target} is missing")
  endif()
endforeach()
get_property(targets DIRECTORY "${MESHPLAN}" PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER targets EXCLUDE REGEX "^(meshplan|mplan_)")
get_property(folders DIRECTORY "${MESHPLAN}" PROPERTY SUBDIRECTORIES)
get_property(tests DIRECTORY "${MESHPLAN}" PROPERTY TESTS)
if(targets OR folders OR tests OR NOT TARGET mplan_meshplan_reader_objects)
  message(FATAL_ERROR "targets without our name, or tests: ${targets} ${folders} ${tests}")
endif()
install(TARGETS use)
CMAKE

# taken_in FORM LINKED ARGUMENTS...: LINKED says whether the program needs a shared library of ours
taken_in() {
    form=$1 linked=$2
    shift 2
    quietly cmake -S parent -B "$form" -G Ninja -DMESHPLAN="$source" $off "$@"
    quietly cmake --build "$form" --target use
    "$form/use"
    ldd "$form/use" | grep -q libmeshplan_reader && found=yes || found=no
    [ "$found" = "$linked" ] || fail "$form: linked to the shared library: $found, not $linked"
    installs=$(find "$form" -mindepth 2 -name cmake_install.cmake -exec grep -l 'file(INSTALL' {} + || true)
    [ -z "$installs" ] || fail "$form: installs meshplan: $installs"
}
taken_in fetched no -DFETCH=ON
taken_in added_shared yes -DFETCH=OFF -DBUILD_SHARED_LIBS=ON
taken_in added_static no -DFETCH=OFF -DBUILD_SHARED_LIBS=OFF

# --- folders that are given absolutely ------------------------------------------------------

quietly cmake -S "$source" -B absolute $off -DMPLAN_BUILD_TESTS=OFF -DMPLAN_BUILD_COMMAND=OFF \
    -DCMAKE_INSTALL_PREFIX=/opt/mp -DCMAKE_INSTALL_LIBDIR=/opt/mp/lib/here -DCMAKE_INSTALL_INCLUDEDIR=/elsewhere/include \
    -DCMAKE_INSTALL_LIBEXECDIR=/opt/mp/programs
for name in meshplan_reader meshplan meshplan_exec; do
    told=$(PKG_CONFIG_PATH=absolute pkg-config --define-variable=pcfiledir=/none --cflags --libs $name)
    case " $told " in *" -I/elsewhere/include "*) ;; *) fail "$name.pc: $told" ;; esac
    case " $told " in *" -L/opt/mp/lib/here "*) ;; *) fail "$name.pc: $told" ;; esac
done
grep -rqF '../../programs/meshplan' absolute/CMakeFiles absolute/build.ninja 2>/dev/null ||
    fail "programs of libexec would not be found from the libraries"
