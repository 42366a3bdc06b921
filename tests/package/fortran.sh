#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The airfoil's flux loop in Fortran gives the serial result under every strategy: fortran.sh MESHPLAN PROGRAM
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" generate naca0012 60x30 -o "$work/n.su2" --quiet
"$1" plan "$work/n.su2" --read nodes:2,cells:4,cells:1 --inc cells:4 --quiet -o "$work/n.mplan" \
    --strategy block-colour,block-gather,two-step,owner-gather,atomic,global-colour
"$2" "$work/n.mplan" | grep -x '12 runs of res_calc agree with the serial one'
if "$2" "$work/none.mplan"; then exit 1; fi
