# SPDX-License-Identifier: Apache-2.0
# A surface in space three cells of which meet at an edge: formats for surfaces hold it, and give it back.
cat >t.obj <<'OBJ'
v 0 0 0
v 0 1 0
v 1 0 0
v 1 1 0
v -1 0 0
v -1 1 0
v 0 0 1
v 0 1 1
f 1 3 4 2
f 1 2 6 5
f 1 7 8 2
OBJ
formats="msh meshb vtk ugrid lb8.ugrid"
$MESHPLAN --version | grep -q '^netcdf' && formats="$formats e"
for ending in $formats; do
    $MESHPLAN convert t.obj t.$ending -q && $MESHPLAN convert t.$ending $ending.npy --map cells_nodes -q
    cmp msh.npy $ending.npy
done
