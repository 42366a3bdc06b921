#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ThreadSanitizer over planner, proofs, writer and host executor: tools/campaign tsan [ROUNDS]
# (threads are pthreads, by one module of base)
set -eu
rounds=${1:-2}
here=$(cd "$(dirname "$0")/../.." && pwd)
folder="$here/build/campaign/tsan"
cd "$here"
cmake --preset sanitize -B "$folder" -DMPLAN_SANITIZE=OFF -DMPLAN_BUILD_TESTS=OFF \
    -DCMAKE_C_FLAGS_DEBUG="-O1 -g -fsanitize=thread" -DCMAKE_EXE_LINKER_FLAGS=-fsanitize=thread \
    -DCMAKE_SHARED_LINKER_FLAGS=-fsanitize=thread >/dev/null
cmake --build "$folder" -j2 --target meshplan_cli meshplan_static >"$folder/build.log" || { tail -20 "$folder/build.log"; exit 70; }
packages=$(sed -n '/^build meshplan: /,/^$/s/^ *LINK_LIBRARIES = *//p' "$folder/build.ninja")
(cd "$folder" && cc -std=gnu11 -O1 -g -fsanitize=thread -I"$here/src" "$here/tests/campaign/two_threads.c" $packages -lpthread -o two_threads)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export TSAN_OPTIONS="halt_on_error=0 exitcode=99 log_path=$out/tsan"
meshplan="$folder/meshplan"
tries=0
failures=0
try() {
    tries=$((tries + 1))
    "$@" >/dev/null 2>"$out/err" || {
        echo "FAILED tsan: exit $?: $*"
        head -3 "$out/err"
        failures=$((failures + 1))
    }
}
try "$folder/two_threads" "$rounds"
for mesh in "quad 60x60" "tri 60x60" "hex 14x14x14" "tet 9x9x9"; do
    # shellcheck disable=SC2086
    "$meshplan" generate $mesh --shuffle 1 -q -o "$out/m.msh"
    for strategy in block-colour global-colour two-step block-gather owner-gather; do
        try "$meshplan" plan "$out/m.msh" --partitioner native --strategy $strategy --block-size 64 --threads 4 -q -o "$out/p.plan"
        try "$meshplan" verify "$out/p.plan" --mesh "$out/m.msh" --threads 4 -q
    done
    try "$meshplan" plan "$out/m.msh" --partitioner native --effort best --renumber hilbert --compress --threads 4 -q -o "$out/p.plan"
    try "$meshplan" renumber "$out/m.msh" "$out/n.msh" --threads 4 -q
done
for app in airfoil; do
    try "$meshplan" run $app --mesh naca0012:48x16 --executor openmp --iterations 2 --repeats 1 --threads 4 -q
done
for log in "$out"/tsan*; do
    [ -f "$log" ] && { echo "FAILED tsan: $(grep -h -m1 SUMMARY "$log")"; cat "$log" >>"$folder/reports"; failures=$((failures + 1)); }
done
echo "tsan: $tries tries, $failures failures"
[ $failures = 0 ]
