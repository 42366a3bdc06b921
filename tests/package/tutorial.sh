#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands of meshplan-tutorial(7), and those that are at the heads of the examples, as a user of an installed copy
# types them. Sourced by install_and_use.sh in a folder of its own: PREFIX holds the copy, PKG_CONFIG_PATH is set.
#   tutorial.sh PREFIX SOURCE_FOLDER LIBRARY_FOLDER PYTHON
set -eu
prefix=$1 source=$2 python=$(command -v "$4")
case $python in /*) ;; *) python=$PWD/$python ;; esac # a script of this name is made below, and would call itself
export LD_LIBRARY_PATH="$3" PATH="$prefix/bin:$PATH" PYTHONPATH="$source/tools/python"
cp -r "$prefix/share/doc/meshplan/example" example
cd example
fail() {
    cat said
    echo "$1"
    exit 1
}
mkdir bin # python3 is the one that has numpy
printf '#!/bin/sh\nexec "%s" -B "$@"\n' "$python" >bin/python3
chmod +x bin/python3
PATH="$PWD/bin:$PATH"
numpy=yes
"$python" -c 'import numpy' 2>/dev/null || numpy=no
sed -n 's/^\$ //p' "$source/man/meshplan-tutorial.7" | sed 's/\\&//; s/\\-/-/g' >commands
[ "$(wc -l <commands)" -ge 13 ] || fail "the tutorial has lost its commands"
errors=
while read -r line; do
    case $line in python3*) [ $numpy = yes ] || continue ;; esac
    eval "$line" >said 2>&1 || fail "$line"
    errors="$errors $(sed -n 's/.*largest error //p' said)"
    case $line in ./heat*) eval "$line" >again 2>&1 && ! grep -q 'new plan' again || fail "$line: planned again" ;; esac
done <commands
for one in $errors; do
    [ "$one" = 1.27e-03 ] || fail "the tutorial's solvers: errors $errors"
done
holds_mesh() { # a build without expat cannot read what it wrote
    grep -q NumberOfCells "$1" || fail "$1"
    meshplan info "$1" -q >said 2>&1 || grep -q 'needs a build with expat' said || fail "$1"
}
holds_mesh heat.vtu
[ $numpy = no ] || holds_mesh numpy.vtu
# what is at the heads of the programs
for program in *.c; do
    line=$(sed -n 's/^ \*   \(cc .*\)/\1/p; s/^ \*   \(mpicc .*\)/\1/p' "$program")
    [ -n "$line" ] || fail "$program does not say how it is compiled"
    case $line in mpicc*) command -v mpicc >/dev/null || continue ;; esac
    eval "$line" >said 2>&1 || fail "$program: $line"
done
echo "the tutorial's commands give what it says"
