# SPDX-License-Identifier: Apache-2.0
$MESHPLAN --version | grep -q '^metis' && skip "this build has METIS"
$MESHPLAN generate quad 4x3 -o q.msh -q
try $MESHPLAN plan q.msh --partitioner metis -o q.mplan
ls
try $MESHPLAN plan q.msh --strategy block-colour -q -o q.mplan
ls
