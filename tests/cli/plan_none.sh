# SPDX-License-Identifier: Apache-2.0
# Entries of -1 are refused, skipped or split off.
printf '0 1\n1 2\n2 -1\n3 0\n' >edges_cells.txt
try $MESHPLAN plan edges_cells.txt --strategy block-colour --partitioner none -o p.mplan
try $MESHPLAN plan edges_cells.txt --strategy block-colour --partitioner none --none refuse -o p.mplan
ls
try $MESHPLAN plan edges_cells.txt --strategy block-colour --partitioner none --none skip -o skip.mplan
try $MESHPLAN plan edges_cells.txt --strategy block-colour --partitioner none --none split -o split.mplan
for plan in skip split; do
    try $MESHPLAN verify $plan.mplan --mesh edges_cells.txt -q
done
# The file has the set; the map is of another one.
$MESHPLAN generate quad 2x2 -o q.msh -q
printf '0 1\n1 2\n2 -1\n3 0\n' >far.txt
try $MESHPLAN plan q.msh --map far:cells:cells=far.txt --over cells --inc far -o no.mplan
