#!/bin/sh
# Installs into a temporary folder, then builds against it as a user would: the
# headers alone, by pkg-config, and by CMake's find_package with the whole library, with
# the reader library, and with the executor, whose worked example is built and run.
#   install_and_use.sh BUILD_FOLDER SOURCE_FOLDER
set -eu
example="$2/tools/example/edge_flux.c"
mesh="$2/meshes/tri-6x5.msh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/usr" >/dev/null
cd "$work"

cat >header.c <<'C'
#include <meshplan.h>
#include <meshplan_exec.h>
int header_alone(void);
int header_alone(void) { return MPLAN_FORMAT_MAJOR; }
C
include=$(dirname "$(find usr -name meshplan.h)")
cc -std=c11 -pedantic -Wall -Wextra -Werror -I "$include" -c header.c
if command -v c++ >/dev/null; then
    for header in meshplan.h meshplan_exec.h; do
        c++ -std=c++11 -Wall -Wextra -Werror -x c++ -fsyntax-only -I "$include" \
            "$include/$header" 2>cxx.log || { cat cxx.log; exit 1; }
    done
fi

cat >use.c <<'C'
#include <meshplan.h>
#include <stdio.h>
int main(void)
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_plan *plan = NULL;
    mplan_status status = mplan_plan_read("absent.mplan", NULL, &plan, &err);
    printf("meshplan %s: %s\n", mplan_version(), mplan_status_name(status));
    return status == MPLAN_ERR_NO_INPUT ? 0 : 1;
}
C
# What is read by other programs: found beside the libraries and the command, in no place of the build.
for library in "$work"/usr/lib*/libmeshplan.so "$work"/usr/lib/*/libmeshplan.so "$work/usr/bin/meshplan"; do
    [ -e "$library" ] || continue
    if ldd "$library" | grep -E 'netcdf|hdf5|cgns|metis|scotch'; then
        echo "$library is linked to a library that only programs of libexec may be"
        exit 1
    fi
done
for file in exodus/good-compressed.exo ugrid/good-flat.nc cgns/good-solid.cgns op2-hdf5/good-grid.h5; do
    case $file in op2*) needs=hdf5 ;; cgns*) needs=cgns ;; *) needs=netcdf ;; esac
    "$work/usr/bin/meshplan" --version | grep -q "^$needs " || continue
    "$work/usr/bin/meshplan" info -q "$2/tests/data/$file"
done
pc=$(dirname "$(find "$work/usr" -name meshplan.pc)")
lib=$(dirname "$(find "$work/usr" -name 'libmeshplan.so')")
cc -std=c11 use.c -o by_pkgconfig $(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs meshplan)
LD_LIBRARY_PATH="$lib" ./by_pkgconfig
cc -std=c11 -pedantic -Wall -Wextra -Werror "$example" -o example_by_pkgconfig \
    $(PKG_CONFIG_PATH="$pc" pkg-config --cflags --libs meshplan_exec meshplan) -lm
LD_LIBRARY_PATH="$lib" ./example_by_pkgconfig "$mesh"

mkdir project && cp use.c "$example" project/
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(use C)
find_package(meshplan REQUIRED)
foreach(target meshplan meshplan_static meshplan_reader meshplan_reader_static)
  add_executable(use_${target} use.c)
  target_link_libraries(use_${target} PRIVATE meshplan::${target})
endforeach()
foreach(form "" _static)
  add_executable(example${form} edge_flux.c)
  set_target_properties(example${form} PROPERTIES C_STANDARD 11 C_EXTENSIONS OFF)
  target_link_libraries(example${form} PRIVATE meshplan::meshplan_exec${form}
                        meshplan::meshplan${form} m)
endforeach()
CMAKE
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$work/usr" >cmake.log 2>&1 &&
    cmake --build project/build >>cmake.log 2>&1 || { cat cmake.log; exit 1; }
for target in meshplan meshplan_static meshplan_reader meshplan_reader_static; do
    "project/build/use_$target"
done
project/build/example "$mesh"
project/build/example_static "$mesh"
