#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writers and readers in a locale with a decimal comma: the bytes and numbers of the C locale.
#   german_locale.sh SOURCE_FOLDER EVERY_TEXT
# The locale is built here, from what the Debian package `locales` installs.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$(cd "$1" && pwd)
program=$2

command -v localedef >/dev/null || { echo "SKIPPED: localedef is not installed"; exit 77; }
# warnings are exit code 1
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>"$work/said" || true
[ -f "$work/de_DE.UTF-8/LC_NUMERIC" ] || {
    echo "SKIPPED: no German locale can be built (Debian package locales): $(head -1 "$work/said")"
    exit 77
}

# Names without blanks. Files that say they are broken are read, too: their messages hold numbers.
cd "$source"
files=$(find tests/data meshes -type f ! -name '*.py' ! -name '*.md' ! -name '*.mplan' ! -path '*/planfile/*' | LC_ALL=C sort)
mkdir "$work/own"
printf '0.5 1.25\n-1e-3 2.5\n.75 3.\n' >"$work/own/points.txt"
printf '0 1\n1 2\n2 0\n' >"$work/own/edges.csv"
cat >"$work/own/job.yaml" <<'YAML'
meshplan: 1
sets: {edges: 3, nodes: 3}
maps:
  - {name: edges_nodes, from: edges, to: nodes, file: edges.csv}
coordinates:
  - {set: nodes, file: points.txt}
loops:
  - {name: ring, over: edges, args: [{dat: r, map: edges_nodes, access: inc, dim: 1, type: f64}]}
plan: {imbalance: 1.375, fill: 0.625, partitioner: none}
YAML
run() { # LOCALE FOLDER POINT
    mkdir "$work/$2"
    cp "$work/own/"* "$work/$2"
    ln -s "$source/tests" "$source/meshes" "$work/$2"
    (cd "$work/$2" && LOCPATH="$work" LC_ALL=$1 "$program" job.yaml $files >point)
    rm "$work/$2/tests" "$work/$2/meshes"
    [ "$(cat "$work/$2/point")" = "$3" ] || { echo "the decimal point of $1 is not '$3'"; exit 1; }
    rm "$work/$2/point"
}
run C plain .
run de_DE.UTF-8 german ,
diff -r "$work/plain" "$work/german" | cut -c 1-400 | head -40 >"$work/differs"
[ ! -s "$work/differs" ] || { echo "bytes differ in a German locale:"; cat "$work/differs"; exit 1; }
# what was written reads back
grep -q '^imbalance 3ff6000000000000, fill 3fe4000000000000$' "$work/german/read.txt" ||
    grep -q 'job.yaml: .*libyaml' "$work/german/read.txt" || { echo "the job was not read"; exit 1; }
grep -q '^imbalance 1.25$' "$work/german/request.txt" || { echo "the request has another imbalance"; exit 1; }
echo "$(ls "$work/german" | wc -l) outputs and $(echo "$files" | wc -l) inputs are the same in both locales"
