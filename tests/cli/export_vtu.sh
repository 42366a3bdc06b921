# SPDX-License-Identifier: Apache-2.0
# Plans on their meshes for VTK; what the files hold is tested by tests/package/vtu.py.
$MESHPLAN generate quad 6x5 -o q.msh -q
$MESHPLAN plan q.msh --strategy block-colour,global-colour --partitioner none --block-size 16 -q -o q.mplan
try $MESHPLAN export q.mplan --mesh q.msh -o q.vtu
try $MESHPLAN export q.mplan --mesh q.msh --set cells -o cells.vtu
try $MESHPLAN export q.mplan --mesh q.msh --variant 1 -o v.vtu
$MESHPLAN export q.mplan --mesh q.msh --to vtu -o - | cmp - q.vtu
$MESHPLAN plan q.msh --over cells --inc nodes --strategy block-colour -q -o n.mplan
try $MESHPLAN export n.mplan --mesh q.msh -o n.vtu
# a set that was split, lines between cells, and cells where they are
cat >ec.txt <<'ROWS'
0 1
1 2
2 -1
0 3
3 -1
ROWS
printf '0 0\n1 0\n2 0\n0 1\n' >xy.txt
$MESHPLAN plan --map edges_cells=ec.txt --over edges --inc edges_cells --none split --partitioner none --strategy block-colour --block-size 32 -q -o t.mplan
try $MESHPLAN export t.mplan --map edges_cells=ec.txt -o t.vtu
try $MESHPLAN export t.mplan --map edges_cells=ec.txt --coordinates cells=xy.txt -o t.vtu
try $MESHPLAN export t.mplan --map edges_cells=ec.txt --coordinates cells=xy.txt --set cells -q -o t.vtu
$MESHPLAN generate quad 6x4 -o other.msh -q
try $MESHPLAN export q.mplan --mesh other.msh -o no.vtu
try $MESHPLAN export q.mplan -o no.vtu
try $MESHPLAN export q.mplan --mesh q.msh -o no.part
try $MESHPLAN export q.mplan --mesh q.msh --loop lop -o no.vtu
try $MESHPLAN export q.mplan --mesh q.msh --variant 2 -o no.vtu
try $MESHPLAN export q.mplan --mesh q.msh --set knots -o no.vtu
try $MESHPLAN export q.mplan --mesh q.msh -o q.msh --to vtu
try $MESHPLAN export - --mesh - -o no.vtu
try $MESHPLAN export q.mplan --mesh q.msh -o nowhere/no.vtu
ls
