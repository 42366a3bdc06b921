#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The airfoil's flux loop and LFRic's matrix-vector product in Fortran give the serial result under every strategy,
# the latter in parts, too; time steps with globals lose no heat. The job of DIFFUSE is that of its comment:
# fortran.sh MESHPLAN RES_CALC MATVEC DIFFUSE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" generate naca0012 60x30 -o "$work/n.su2" --quiet
"$1" plan "$work/n.su2" --read nodes:2,cells:4,cells:1 --inc cells:4 --quiet -o "$work/n.mplan" \
    --strategy block-colour,block-gather,two-step,owner-gather,atomic,global-colour
"$2" "$work/n.mplan" | grep -x '12 runs of res_calc agree with the serial one'
if "$2" "$work/none.mplan"; then exit 1; fi

"$1" --version | grep -q '^libyaml' || exit 0
"$1" generate cubed-sphere 4 --shuffle 3 -o "$work/sphere.msh" --quiet
cat >"$work/matvec.yaml" <<'JOB'
meshplan: 1
mesh: sphere.msh
layers: {cells: 5}
loops:
  - name: matvec
    over: cells
    layered: true
    args:
      - {dat: m, access: read, dim: 64, levels: 5, rows: 8}
      - {dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: 6, offsets: [0, 1]}
      - {dat: lhs, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 6, offsets: [0, 1]}
plan: {strategy: [global-colour, two-step, atomic, owner-gather]}
output: matvec.mplan
JOB
"$1" plan "$work/matvec.yaml" --quiet
"$1" plan "$work/matvec.yaml" --quiet --strategy owner-gather --parts 3 -o "$work/matvec.mplans"
"$3" "$work/matvec.mplan" "$work/matvec.mplans" >"$work/said"
grep -x '8 runs of matvec agree with the serial one' "$work/said"
grep -x 'equal bits on 1 to 3 ranks' "$work/said"

"$1" generate tri 20x20 --jitter 0.2 -o "$work/square.msh" --quiet
sed -n '/^!   meshplan: 1/,/^!   output/s/^!   //p' "$(dirname "$0")/../../tools/fortran/diffuse.f90" >"$work/diffuse.yaml"
for strategy in auto block-gather two-step; do
    "$1" plan "$work/diffuse.yaml" --quiet --strategy $strategy
    "$4" "$work/diffuse.mplan" | grep -x '[1-9][0-9]* of 800 cells are warm after 20 steps'
done
