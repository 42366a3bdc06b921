# SPDX-License-Identifier: Apache-2.0
# Mesh from a pipe, plan into a pipe.
$MESHPLAN generate quad 5x4 -o q.msh -q
try $MESHPLAN plan q.msh --strategy block-colour --partitioner none -q -o q.mplan
$MESHPLAN generate quad 5x4 -o - | $MESHPLAN plan - --strategy block-colour --partitioner none -o - | cmp - q.mplan
$MESHPLAN plan q.msh --strategy block-colour --partitioner none -o - | $MESHPLAN verify - --mesh q.msh
echo "exit $?"
$MESHPLAN generate quad 5x4 -o - | $MESHPLAN verify q.mplan --mesh - -q
echo "exit $?"
try $MESHPLAN verify - --mesh -
