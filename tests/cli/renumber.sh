# SPDX-License-Identifier: Apache-2.0
# A mesh in its new order: the same mesh, with nodes and cells sorted.
$MESHPLAN generate quad 12x4 --shuffle 3 -o q.msh -q
try $MESHPLAN renumber q.msh r.msh
try $MESHPLAN renumber q.msh h.msh --renumber hilbert --keep-order never --order h.npy --order cells=c.npy
try $MESHPLAN renumber q.msh n.msh --renumber none --json -
try $MESHPLAN renumber r.msh r2.msh
try $MESHPLAN renumber q.msh c.msh --set cells --renumber rcm
$MESHPLAN info q.msh --json - | sed 's/"max".*//' >q.json
for mesh in r h n c; do $MESHPLAN info $mesh.msh --json - | sed 's/"max".*//' | diff q.json - >changes || sed -n 2,3p changes; done
$MESHPLAN renumber q.msh - -q | cmp - r.msh
$MESHPLAN renumber - - -q <q.msh | cmp - r.msh
# Tables, and OP2's own edges.
printf '0 5\n5 3\n3 1\n1 4\n4 2\n2 6\n' >edges_nodes.txt
try $MESHPLAN renumber edges_nodes.txt s.txt --order s.npy
cat s.txt
$MESHPLAN renumber edges_nodes.txt s.txt --order - | cmp - s.npy
$MESHPLAN generate naca0012 6x4 -o a.dat -q
try $MESHPLAN renumber a.dat b.dat --order edges=e.npy
# What cannot be.
try $MESHPLAN renumber q.msh x.msh --set knots
try $MESHPLAN renumber q.msh x.msh --order cels=x.npy
try $MESHPLAN renumber q.msh x.msh --order q.msh
try $MESHPLAN renumber q.msh x.msh --order x.msh
try $MESHPLAN renumber q.msh x.msh --json x.msh
try $MESHPLAN renumber q.msh x.msh --renumber gsp
try $MESHPLAN renumber edges_nodes.txt x.txt --renumber hilbert
try $MESHPLAN renumber edges_nodes.txt x.txt --set edges
try $MESHPLAN renumber missing.msh x.msh
ls
