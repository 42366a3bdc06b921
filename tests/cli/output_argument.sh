# SPDX-License-Identifier: Apache-2.0
# Commands whose output is an argument say so where -o is given, and a format that is a folder says how to name it.
$MESHPLAN generate hex 2x2x2 -o h.msh -q
try $MESHPLAN convert h.msh -o h.su2
try $MESHPLAN renumber h.msh --output h.su2
try $MESHPLAN apply h.mplan --set cells q.npy -o q2.npy
try $MESHPLAN info h.msh -o h.su2
try $MESHPLAN convert h.msh case.foam
mkdir case
try $MESHPLAN convert h.msh case/polyMesh
