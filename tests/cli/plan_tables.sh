# SPDX-License-Identifier: Apache-2.0
# Tables only, with bases and coordinates, and tables beside a mesh.
printf '1 2\n2 3\n3 4\n4 1\n' >ec.txt
printf '0 0\n1 0\n1 1\n0 1\n' >xy.txt
printf '0 1\n1 2\n2 3\n3 0\n' >edges_cells.txt
try $MESHPLAN plan --map edges_cells=ec.txt:1 --strategy block-colour --partitioner none -o a.mplan
try $MESHPLAN plan edges_cells.txt --strategy block-colour --partitioner none -o b.mplan -q
cmp a.mplan b.mplan
try $MESHPLAN plan --map links:edges:cells=ec.txt:1 --coordinates cells=xy.txt \
    --strategy block-colour --partitioner hilbert --over edges --inc links:1 -o c.mplan
try $MESHPLAN verify c.mplan --map links:edges:cells=ec.txt:1 --coordinates cells=xy.txt
try $MESHPLAN verify a.mplan --mesh edges_cells.txt
try $MESHPLAN verify a.mplan --map edges_cells=edges_cells.txt --json -
$MESHPLAN generate quad 2x2 -o q.msh -q
printf '0 1\n2 3\n' >pairs.txt
try $MESHPLAN plan q.msh --map pairs_cells=pairs.txt --over pairs --inc cells \
    --strategy block-colour --partitioner none -o d.mplan
for map in =ec.txt name=  name ec.txt a:b=ec.txt a:b:c:d=ec.txt a::c=ec.txt; do
    try $MESHPLAN plan --map $map -o no.mplan
done
# With the wrong base there is a cell 0 that no edge touches, which is legal.
try $MESHPLAN plan --map edges_cells=ec.txt --strategy block-colour --partitioner none -o e.mplan | grep cells
try $MESHPLAN plan --map edges_cells=missing.txt -o no.mplan
try $MESHPLAN plan --map pairs=ec.txt:1 --strategy block-colour --partitioner none -o f.mplan | grep pairs
try $MESHPLAN plan edges_cells.txt --coordinates cell=xy.txt -o no.mplan
try $MESHPLAN plan edges_cells.txt --coordinates cells -o no.mplan
try $MESHPLAN plan edges_cells.txt --coordinates cells=ec.missing -o no.mplan
printf '1 5\n2 0\n' >pairs_cells.txt
try $MESHPLAN plan edges_cells.txt --map pairs_cells=pairs_cells.txt:1 -o no.mplan
try $MESHPLAN plan edges_cells.txt --over cells -o no.mplan
try $MESHPLAN plan edges_cells.txt --partitioner hilbert -o no.mplan
ls
