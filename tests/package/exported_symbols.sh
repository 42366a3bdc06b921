#!/bin/sh
# The libraries export functions that their headers declare, and nothing else: meshplan all
# of meshplan.h, the reader library a part of them, the executor what the reader library
# exports and all that its own header declares.
#   exported_symbols.sh SOURCE_FOLDER LIBMESHPLAN.so LIBMESHPLAN_READER.so LIBMESHPLAN_EXEC.so
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$1

exported() {
    nm -D --defined-only "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" {print $3}' | sort
}
declared() {
    tr '\n' ' ' <"$1" | grep -o 'MPLAN_API [a-z][^;{#]*(' |
        sed 's/(.*//; s/.*[ *]\(mplan_[a-z0-9_]*\)$/\1/' | sort
}
# The same lines in both files, one name a line.
same() {
    diff "$work/$1" "$work/$2" || {
        echo "$3: what the header declares (<) and what is exported (>) differ"
        exit 1
    }
}

declared "$source/src/meshplan.h" >"$work/planning"
declared "$source/src/exec/meshplan_exec.h" >"$work/running"
exported "$2" >"$work/meshplan"
exported "$3" >"$work/reader"
exported "$4" >"$work/exec"
[ -s "$work/planning" ] && [ -s "$work/running" ] && [ -s "$work/reader" ]

same planning meshplan libmeshplan
comm -12 "$work/planning" "$work/reader" >"$work/reader_declared"
same reader_declared reader libmeshplan_reader
sort "$work/reader" "$work/running" >"$work/exec_declared"
same exec_declared exec libmeshplan_exec
echo "$(wc -l <"$work/meshplan") + $(wc -l <"$work/running") symbols"
