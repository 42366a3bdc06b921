# SPDX-License-Identifier: Apache-2.0
# Groups that a format has no place for: one warning says how many, and names the first, or its number. A quad between two
# cells is not a boundary of an AFLR3 file.
mesh() { # NUMBER OF THE LEFT CELL'S GROUP, OF THE RIGHT ONE'S
    cat <<END2
\$MeshFormat
2.2 0 8
\$EndMeshFormat
\$Nodes
12
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
6 2 1 0
7 0 0 1
8 1 0 1
9 2 0 1
10 0 1 1
11 1 1 1
12 2 1 1
\$EndNodes
\$Elements
4
1 3 2 7 7 2 5 11 8
2 3 2 8 8 1 4 10 7
3 5 2 $1 $1 1 2 5 4 7 8 11 10
4 5 2 $2 $2 2 3 6 5 8 9 12 11
\$EndElements
END2
}
mesh 21 22 >two.msh
try $MESHPLAN convert two.msh two.lb8.ugrid
try $MESHPLAN convert two.msh two.su2
mesh 21 21 >one.msh
try $MESHPLAN convert one.msh one.lb8.ugrid
try $MESHPLAN convert one.msh one.su2 # all cells: nothing is lost
sed 's/^\$Nodes/$PhysicalNames\n2\n3 22 "right"\n3 21 "left"\n$EndPhysicalNames\n$Nodes/' two.msh >named.msh
try $MESHPLAN convert named.msh named.su2
# A mesh without volumes has its boundary edges at the end: where the file is cut there, that is said.
$MESHPLAN generate quad 3x2 -o flat.lb8.ugrid -q
head -c -12 flat.lb8.ugrid >cut.lb8.ugrid
try $MESHPLAN info cut.lb8.ugrid
