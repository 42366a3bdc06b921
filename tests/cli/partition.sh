# SPDX-License-Identifier: Apache-2.0
# Parts of a mesh, a table and a graph; METIS's are looked at, not compared.
$MESHPLAN generate quad 24x12 --shuffle 3 -o q.msh -q
try $MESHPLAN partition q.msh -k 4 --partitioner hilbert
wc -l q.msh.part.4
sort -n q.msh.part.4 | uniq -c
try $MESHPLAN partition q.msh --block-size 32
try $MESHPLAN partition q.msh --block-size 32 --graph points --partitioner hilbert -o h.part
try $MESHPLAN partition q.msh -k 3 --over faces --partitioner none -o three.part -q
sort -n three.part | uniq -c
$MESHPLAN partition - -k 4 --partitioner hilbert -o - <q.msh | cmp - q.msh.part.4
$MESHPLAN convert q.msh faces_cells.npy --map faces_cells -q
try $MESHPLAN partition faces_cells.npy --block-size 64 --json -
printf '1 5\n0 2\n1 3\n2 4\n3 5\n4 0\n' >ring.txt
try $MESHPLAN partition --map cells_cells=ring.txt -k 2 --partitioner none -o ring.part
# What cannot be.
try $MESHPLAN partition q.msh
try $MESHPLAN partition q.msh -k 2 --block-size 32
try $MESHPLAN partition q.msh -k 0
try $MESHPLAN partition q.msh -k 289
try $MESHPLAN partition q.msh -k 4 --partitioner native
try $MESHPLAN partition q.msh -k 4 --fill 0.9
try $MESHPLAN partition q.msh -k 4 --effort best
try $MESHPLAN partition q.msh -k 4 --partitioner none --over knots
try $MESHPLAN partition q.msh -k 4 --partitioner none --by faces_nodes
try $MESHPLAN partition q.msh -k 4 -o q.msh
try $MESHPLAN partition - -k 4 <q.msh
try $MESHPLAN partition
try $MESHPLAN partition q.msh -k 4 --partitioner hilbert -o nowhere/x
try $MESHPLAN partition missing.msh -k 4
ls
