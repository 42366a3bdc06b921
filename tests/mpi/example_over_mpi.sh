#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example over MPI on several numbers of ranks: example_over_mpi.sh MESHPLAN EXAMPLE JOB MPIEXEC
# Each rank compares its cells with one process; the sum of all must be printed alike by all numbers of ranks.
set -eu
"$1" --version | grep -q '^libyaml' || exit 77
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cp "$3" "$folder/job.yaml"
cd "$folder"
"$1" generate tri 20x20 --jitter 0.2 -o square.msh --quiet
"$1" plan job.yaml --parts 8 --quiet
for ranks in 1 3 4; do
    "$4" --oversubscribe -n $ranks "$2" square.mplans | tee -a lines
done
[ "$(wc -l <lines)" = 3 ]
[ "$(sed 's/.*heat //; s/;.*//' lines | sort -u | wc -l)" = 1 ]
grep -q '4 ranks.*mpi, host memory: [1-9]' lines
