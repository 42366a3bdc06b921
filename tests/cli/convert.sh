# SPDX-License-Identifier: Apache-2.0
# Between formats, refined, and a map of a mesh as a table.
$MESHPLAN generate tri 2x2 -o t.msh -q
try $MESHPLAN convert t.msh t2.msh
cmp t.msh t2.msh
try $MESHPLAN convert t.msh fine.msh --refine 2
$MESHPLAN convert t.msh - | cmp - t.msh
$MESHPLAN convert - - <t.msh | cmp - t.msh
try $MESHPLAN convert t.msh fc.npy --map faces_cells
try $MESHPLAN convert t.msh fc.txt --map faces_cells -q
cat fc.txt
try $MESHPLAN convert fc.npy fc2.txt
cmp fc.txt fc2.txt
$MESHPLAN generate quad 2x2 -o q.msh -q
try $MESHPLAN convert q.msh q.dat
try $MESHPLAN info q.dat -q
# Other versions of MSH, SU2 and METIS's files.
for format in gmsh-text gmsh22 gmsh22-text; do
    $MESHPLAN convert t.msh $format.msh --to $format -q
    $MESHPLAN convert $format.msh - | cmp - t.msh
done
head -20 gmsh22-text.msh
try $MESHPLAN convert t.msh t.su2
$MESHPLAN convert t.su2 t.su2.su2 -q
cmp t.su2 t.su2.su2
head -5 t.su2
try $MESHPLAN convert t.msh t.graph
cat t.graph
try $MESHPLAN convert t.msh t.mesh -q
head -3 t.mesh
try $MESHPLAN convert t.msh no.npy --map faces
try $MESHPLAN convert t.msh no.npy --map faces_knots
try $MESHPLAN convert t.msh no.npy
try $MESHPLAN convert t.msh no.xyz
try $MESHPLAN convert t.msh no.msh --to gmhs 2>&1 | sed 's/known: .*//'
try $MESHPLAN convert t.msh no.msh --refine 99
try $MESHPLAN convert t.msh nowhere/no.msh
try $MESHPLAN convert missing.msh no.msh
echo 'not a mesh' >words.txt
try $MESHPLAN convert words.txt no.msh
ls
# Prisms and pyramids of Exodus by the words that all readers know.
$MESHPLAN generate wing 16x4x4 --cells hybrid -o wing.e -q
printf '%s\n' '$MeshFormat' '2.2 0 8' '$EndMeshFormat' '$Nodes' 5 '1 0 0 0' '2 1 0 0' '3 1 1 0' '4 0 1 0' '5 0 0 1' '$EndNodes' \
    '$Elements' 1 '1 7 2 1 1 1 2 3 4 5' '$EndElements' >pyramid.msh
$MESHPLAN convert pyramid.msh pyramid.e -q
cat wing.e pyramid.e | grep -a -o -E '(WEDGE|PYRAMID)[0-9]*' | sort -u
