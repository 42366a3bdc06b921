# SPDX-License-Identifier: Apache-2.0
# What is in a mesh, from a file and from a pipe.
$MESHPLAN generate hex 3x2x1 -o h.msh -q
try $MESHPLAN info h.msh
try $MESHPLAN info h.msh --derive
$MESHPLAN generate tri 3x2 -o - | $MESHPLAN info - --derive
echo "exit $?"
try $MESHPLAN info - <h.msh
$MESHPLAN generate naca0012 6x2 -o n.dat -q
try $MESHPLAN info n.dat --derive
try $MESHPLAN info n.dat --from su2
