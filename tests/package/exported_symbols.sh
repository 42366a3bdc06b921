#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries export functions that their headers declare, each function in one library: the reader
# library and the planner together all of meshplan.h, the executor all of meshplan_exec.h. What
# planner and executor use of the reader library's inside has the version MESHPLAN_PRIVATE_...
#   exported_symbols.sh SOURCE_FOLDER LIBMESHPLAN.so LIBMESHPLAN_READER.so LIBMESHPLAN_EXEC.so
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$1

# "name" or "name private", a line for each function that a shared library defines.
exported() {
    nm -D --defined-only "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" {
        private = $3 ~ /@MESHPLAN_PRIVATE_[0-9]/ ? " private" : ""
        if ($3 !~ /@@MESHPLAN_(PRIVATE_)?[0-9]/) private = " without a version"
        sub(/@.*/, "", $3); print $3 private}' | sort
}
declared() {
    cat "$@" | tr '\n' ' ' | grep -o 'MPLAN_API [a-z][^;{#]*(' |
        sed 's/(.*//; s/.*[ *]\(mplan_[a-z0-9_]*\)$/\1/' | sort
}
# The same lines in both files, one name a line.
same() {
    diff "$work/$1" "$work/$2" || {
        echo "$3: what the header declares (<) and what is exported (>) differ"
        exit 1
    }
}
# Names that are in both files.
twice() {
    awk '{print $1}' "$1" >"$work/first"
    awk '{print $1}' "$2" | sort | comm -12 "$work/first" -
}

declared "$source/src/meshplan.h" >"$work/planning"
declared "$source/src/exec/meshplan_exec.h" "$source/src/exec/meshplan_layers.h" "$source/src/exec/meshplan_ranks.h" >"$work/running"
exported "$2" >"$work/meshplan"
exported "$3" >"$work/reader"
exported "$4" >"$work/exec"
for list in planning running meshplan reader exec; do
    [ -s "$work/$list" ] || { echo "no names in $list"; exit 1; }
done

for pair in meshplan:reader meshplan:exec reader:exec; do
    both=$(twice "$work/${pair%:*}" "$work/${pair#*:}")
    [ -z "$both" ] || { echo "in two libraries, $pair:" $both; exit 1; }
done
[ "$(twice "$work/reader" "$work/reader" | wc -l)" = "$(wc -l <"$work/reader")" ] || { echo "twice finds nothing"; exit 1; }
grep -v ' private$' "$work/reader" >"$work/reader_public"
sort "$work/reader_public" "$work/meshplan" >"$work/planning_exported"
same planning planning_exported "libmeshplan and libmeshplan_reader"
same running exec libmeshplan_exec
if grep ' private$' "$work/reader" | grep -v '^mplan_'; then
    echo "libmeshplan_reader exports names without mplan_"
    exit 1
fi
# A library of another release is refused by the loader: what is private is asked for by its version.
for library in "$2" "$4"; do
    readelf -W -V "$library" | grep -q 'Name: MESHPLAN_PRIVATE_' || { echo "$library asks for no version"; exit 1; }
done
echo "$(wc -l <"$work/reader_public") + $(wc -l <"$work/meshplan") + $(wc -l <"$work/exec") symbols"
