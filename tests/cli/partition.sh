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
# meshplan's own cut, with weights, and with groups that stay together: rows of the grid, and pairs of its corners.
try $MESHPLAN partition q.msh -k 4 --partitioner native -o own.part
$MESHPLAN partition q.msh -k 4 --partitioner native -o - -q --threads 2 | cmp - own.part
seq 288 | awk '{ print 1 + ($1 % 7 == 0) * 5 }' >w.txt
try $MESHPLAN partition q.msh -k 4 --partitioner native --weights cells=w.txt -o w.part
seq 0 287 | awk '{ print int($1 / 24) }' >rows.txt
try $MESHPLAN partition q.msh -k 4 --partitioner native --together rows.txt --imbalance 1.1 -o rows.part
paste rows.txt rows.part | sort -u | wc -l
printf '0 23\n264 287\n23 287 -1\n' | sed 's/^\([0-9]* [0-9]*\)$/\1 -1/' >pairs.txt
$MESHPLAN partition q.msh -k 4 --partitioner native --together pairs.txt -o pairs.part -q
sed -n '1p;24p;265p;288p' pairs.part | sort -u | wc -l
# More parts than there is to share out: the last are empty, as with plan --parts.
try $MESHPLAN partition q.msh -k 13 --partitioner native --together rows.txt -o many.part
try $MESHPLAN partition q.msh -k 289 --partitioner hilbert -o many.part
sort -un many.part | sed -n '1p;$p'
# What cannot be.
try $MESHPLAN partition q.msh -k 4 --partitioner hilbert --together rows.txt
try $MESHPLAN partition q.msh --block-size 32 --together rows.txt
try $MESHPLAN partition q.msh -k 4 --partitioner native --together q.msh.part.4 --weights nodes=w.txt
printf '1 2\n3 288\n' >bad.txt
try $MESHPLAN partition q.msh -k 4 --partitioner native --together bad.txt
try $MESHPLAN plan q.msh --parts 4 --together bad.txt -o bad.mparts
echo 1 >bad.txt
for what in '--together bad.txt' '--edge-weights bad.txt' '--weights cells=bad.txt'; do
    try $MESHPLAN partition q.msh -k 4 --partitioner native $what
done
try $MESHPLAN plan q.msh --parts bad.txt -o bad.mparts
try $MESHPLAN plan q.msh --parts 12345678901 -o bad.mparts
seq 288 | sed 's/.*/0/' >bad.txt
try $MESHPLAN plan q.msh --parts 4 --weights cells=bad.txt -o bad.mparts
printf '1 2\n3 -2\n' >bad.txt
try $MESHPLAN partition q.msh -k 4 --partitioner native --together bad.txt
try $MESHPLAN partition q.msh
try $MESHPLAN partition q.msh -k 2 --block-size 32
try $MESHPLAN partition q.msh -k 0
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
