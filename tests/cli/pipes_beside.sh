# SPDX-License-Identifier: Apache-2.0
# Files that an input names, or that lie beside it, must be files: a pipe there, which nobody writes, is refused and not
# waited for. (Without the refusal this test does not end.)
mkdir tetgen foam foam/constant foam/constant/polyMesh nastran elmer
printf '1 4 0\n1 1 2 3 4\n' >tetgen/a.ele
mkfifo tetgen/a.node
try $MESHPLAN info tetgen/a.ele
cp tetgen/a.ele tetgen/b.ele
printf '4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n' >tetgen/b.node
mkfifo tetgen/b.face
try $MESHPLAN info tetgen/b.ele
$MESHPLAN generate hex 2x2x2 -o h.lb8.ugrid -q
ln -s /dev/zero h.mapbc
try $MESHPLAN info h.lb8.ugrid
printf 'BEGIN BULK\nINCLUDE "grid.bdf"\nENDDATA\n' >nastran/a.bdf
mkfifo nastran/grid.bdf
try $MESHPLAN info nastran/a.bdf
$MESHPLAN generate hex 2x2x2 -o h.msh -q
$MESHPLAN convert h.msh foam/constant/polyMesh --to foam -q
rm foam/constant/polyMesh/owner
mkfifo foam/constant/polyMesh/owner
try $MESHPLAN info foam
mkfifo elmer/mesh.header
try $MESHPLAN info elmer
