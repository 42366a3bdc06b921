#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into a temporary folder, then builds against it as a user would: the headers only, by
# pkg-config and by CMake's find_package, from C and from C++ only, with shared and with static libraries.
#   install_and_use.sh BUILD_FOLDER SOURCE_FOLDER [PYTHON [few]]
# few: without what another build shows as well: the tutorial, README's lines, programs of C++, what is refused.
set -eu
build=$1 source=$2 python=${3:-python3} few=${4:-}
example="$source/tools/example/edge_flux.c"
mesh="$source/meshes/tri-6x5.msh"
work=$(mktemp -d)
missing=
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/usr" # what is installed may move
cd "$work"
fail() {
    echo "$1"
    exit 1
}
# Runs a command; shows what it said only where it fails.
quietly() {
    "$@" >log 2>&1 || { cat log; fail "failed: $*"; }
}

# --- what is installed ---------------------------------------------------------------

lib=$(dirname "$(find "$work/usr" -name 'libmeshplan.so')")
include=$(dirname "$(find "$work/usr" -name meshplan.h)")
export PKG_CONFIG_PATH="$lib/pkgconfig"
"$source/tests/package/exported_symbols.sh" "$source" "$lib/libmeshplan.so" "$lib/libmeshplan_reader.so" "$lib/libmeshplan_exec.so"
twice=$(for archive in "$lib"/libmeshplan*.a; do nm -g --defined-only "$archive" 2>/dev/null | awk 'NF == 3 {print $3}'; done | sort | uniq -d)
[ -z "$twice" ] || fail "in two archives: $twice"
# What is read by other programs: found beside the libraries and the command, in no place of the build.
for library in "$lib/libmeshplan.so" "$work/usr/bin/meshplan"; do
    if ldd "$library" | grep -E 'netcdf|hdf5|cgns|metis|scotch'; then
        fail "$library is linked to a library that only programs of libexec may be"
    fi
done
for file in exodus/good-compressed.exo ugrid/good-flat.nc cgns/good-solid.cgns op2-hdf5/good-grid.h5; do
    case $file in op2*) needs=hdf5 ;; cgns*) needs=cgns ;; *) needs=netcdf ;; esac
    "$work/usr/bin/meshplan" --version | grep -q "^$needs " || continue
    "$work/usr/bin/meshplan" info -q "$source/tests/data/$file"
done

# --- programs of a user --------------------------------------------------------------

cat >header.c <<'C'
#include <meshplan.h>
#include <meshplan_exec.h>
int header_alone(void);
int header_alone(void) { return MPLAN_FORMAT_MAJOR; }
C
cc -std=c11 -pedantic -Wall -Wextra -Werror -I "$include" -c header.c
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
cat >use.cpp <<'C'
#include <meshplan.h>
#include <meshplan_exec.h>
#include <cstdio>
int main()
{
    mplan_error err = {MPLAN_OK, ""};
    mplan_generate_options shape = MPLAN_GENERATE_OPTIONS_INIT;
    mplan_plan_options options = MPLAN_PLAN_OPTIONS_INIT;
    mplan_read_options read = MPLAN_READ_OPTIONS_INIT;
    mplan_exec_options exec = MPLAN_EXEC_OPTIONS_INIT;
    mplan_mesh *mesh = nullptr;
    shape.size[0] = shape.size[1] = 3;
    if (mplan_mesh_generate(&shape, nullptr, &mesh, &err))
        std::puts(err.text);
    mplan_mesh_free(mesh);
    return mesh && mplan_executor_name(exec.executor) && options.struct_size && read.struct_size ? 0 : 1;
}
C
cxx=$(command -v c++ || true)
[ -z "$few" ] || cxx=
if [ -n "$cxx" ]; then
    for header in meshplan.h meshplan_exec.h; do
        quietly c++ -std=c++11 -Wall -Wextra -Werror -x c++ -fsyntax-only -I "$include" "$include/$header"
    done
fi

# --- pkg-config ------------------------------------------------------------------------

flags() {
    pkg-config --cflags --libs "$@"
}
cc -std=c11 use.c -o by_pkgconfig $(flags meshplan)
LD_LIBRARY_PATH="$lib" ./by_pkgconfig
cc -std=c11 use.c -o reader_by_pkgconfig $(flags meshplan_reader)
LD_LIBRARY_PATH="$lib" ./reader_by_pkgconfig
cc -std=c11 -pedantic -Wall -Wextra -Werror "$example" -o example_by_pkgconfig $(flags meshplan_exec meshplan) -lm
LD_LIBRARY_PATH="$lib" ./example_by_pkgconfig "$mesh"
pkg-config --libs meshplan | grep -qE -e '-l(z|yaml|expat|lzma|lz4|xxhash)\b' && fail "pkg-config names packages for shared libraries"
[ "$(pkg-config --variable=libdir meshplan)" -ef "$lib" ] || fail "pkg-config has another folder of libraries"
# with the archives only
mkdir archives
cp "$lib"/*.a archives/
cc -std=c11 -pedantic -Wall -Wextra -Werror "$example" -o example_of_archives -L archives \
    $(pkg-config --static --cflags --libs meshplan_exec meshplan | sed 's/-L[^ ]*//g')
ldd example_of_archives | grep meshplan && fail "a static program is linked to shared libraries"
./example_of_archives "$mesh"

# --- the tutorial, and README's lines ----------------------------------------------------

[ -n "$few" ] || [ ! -x "$work/usr/bin/meshplan" ] || "$source/tests/package/tutorial.sh" "$work/usr" "$source" "$lib" "$python"

# README builds the tutorial's solver; the same lines must do for a program of C++.
readme_block() { # README's indented lines from one that begins with $1 to an empty one
    awk -v begin="    $1" 'index($0, begin) == 1 {on = 1} on && $0 == "" {exit} on {sub(/^    /, ""); print}' "$source/README.md"
}
mkdir readme
cp "$source/tools/example/heat.c" use.cpp readme
cd readme
line=$(readme_block 'cc ' | head -n 1)
cmake_lines=$(readme_block 'find_package(meshplan')
case $line$cmake_lines in *heat.c*heat.c*) ;; *) fail "README does not say how heat.c is compiled" ;; esac
for language in $([ -n "$few" ] || echo C ${cxx:+CXX}); do
    if [ $language = C ]; then change=p; else change='s/^cc /c++ /; s/heat\.c/use.cpp/; p'; fi
    { echo "cmake_minimum_required(VERSION 3.22)"; echo "project(use $language)"; echo "$cmake_lines"; } |
        sed -n "$change" >CMakeLists.txt
    rm -f heat
    quietly sh -c "$(echo "$line" | sed -n "$change")"
    quietly cmake -S . -B "build$language" -DCMAKE_PREFIX_PATH="$work/usr"
    quietly cmake --build "build$language"
    for program in ./heat "build$language/heat"; do
        LD_LIBRARY_PATH="$lib" "$program" >said 2>&1 || [ $language = C ] || fail "README: $program of $language fails"
        [ $language = CXX ] || grep -q '^usage\|usage:' said || fail "README: $program does not run"
    done
done
cd ..

# --- CMake -------------------------------------------------------------------------------

# project FOLDER LANGUAGE PROGRAM FIND_ARGUMENTS TARGETS...: configures a project that builds the program with the
# targets. Without `static` no package is looked for, and the caller's variables stay as they are in any case.
project() {
    folder=$1 language=$2 program=$3 arguments=$4
    shift 4
    rm -rf "$folder"
    mkdir "$folder"
    cp "$program" "$folder"
    {
        echo "cmake_minimum_required(VERSION 3.22)"
        echo "project(use $language)"
        echo "set(CMAKE_MODULE_PATH /mine)"
        case $arguments in *static*) ;; *)
            for package in ZLIB xxHash LibYAML EXPAT LibLZMA LZ4 Threads CUDAToolkit; do
                echo "set(CMAKE_DISABLE_FIND_PACKAGE_$package ON)"
            done ;;
        esac
        echo "find_package(meshplan 0.1 REQUIRED $arguments)"
        echo 'if(NOT CMAKE_MODULE_PATH STREQUAL "/mine" OR DEFINED THREADS_PREFER_PTHREAD_FLAG)'
        echo '  message(FATAL_ERROR "find_package has changed variables of the caller")'
        echo 'endif()'
        echo "add_executable(use $(basename "$program"))"
        for target in "$@"; do
            echo "target_link_libraries(use PRIVATE meshplan::$target)"
        done
        echo "target_link_libraries(use PRIVATE m)"
    } >"$folder/CMakeLists.txt"
    cmake -S "$folder" -B "$folder/build" -DCMAKE_PREFIX_PATH="$work/usr" ${missing:+-DCMAKE_DISABLE_FIND_PACKAGE_$missing=ON}
}
builds() {
    quietly project "$@"
    quietly cmake --build "$1/build"
    quietly "$1/build/use" "$mesh"
}
refuses() { # refuses SENTENCE PROJECT...
    sentence=$1
    shift
    project "$@" >log 2>&1 && fail "not refused: $*"
    tr -s ' \n' '  ' <log | grep -qF "$sentence" || { cat log; fail "refused without: $sentence"; }
}
builds planner C use.c "" meshplan
builds static_exec C "$example" "COMPONENTS planner exec static" meshplan_exec_static meshplan_static
ldd static_exec/build/use | grep meshplan && fail "a static program is linked to shared libraries"
[ -z "$few" ] || exit 0
builds reader C use.c "COMPONENTS reader" meshplan_reader
# the folder of examples, as it is installed
cp -r "$(find "$work/usr" -type d -name example -path '*doc*')" examples
quietly cmake -S examples -B examples/build -DCMAKE_PREFIX_PATH="$work/usr"
quietly cmake --build examples/build
LD_LIBRARY_PATH="$lib" quietly examples/build/plan_mesh "$mesh" example.mplan
LD_LIBRARY_PATH="$lib" quietly examples/build/edge_flux "$mesh"
builds exec C "$example" "COMPONENTS planner exec" meshplan_exec meshplan
builds static_reader C use.c "COMPONENTS reader static" meshplan_reader_static
if [ -n "$cxx" ]; then
    builds cxx CXX use.cpp "" meshplan meshplan_exec
    builds static_cxx CXX use.cpp "COMPONENTS static" meshplan_static meshplan_exec_static
fi
refuses "meshplan_static" planner C use.c "" meshplan_static # which was not asked for
refuses "wings" planner C use.c "COMPONENTS wings" meshplan
if grep -q "ZLIB" "$lib/cmake/meshplan/meshplanConfig.cmake"; then
    missing=ZLIB
    refuses "need ZLIB, which was not found" reader C use.c "COMPONENTS reader static" meshplan_reader_static
fi
