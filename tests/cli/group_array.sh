# SPDX-License-Identifier: Apache-2.0
# Groups from an array that is named, in VTK's legacy and XML files; files of other formats have none.
$MESHPLAN --version | grep -q expat || skip "no expat in this build"
cp "$SOURCE"/tests/data/vtu/good-groups.vtu "$SOURCE"/tests/data/gmsh/good-4.1-solids.msh .
cat >legacy.vtk <<'END'
# vtk DataFile Version 3.0
two triangles
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0 1 0 0 0 1 0 1 1 0
CELLS 2 8
3 0 1 2 3 1 3 2
CELL_TYPES 2
5 5
CELL_DATA 2
SCALARS MaterialIds int
LOOKUP_TABLE default
1 1
SCALARS zone int
LOOKUP_TABLE default
0 7
END
try $MESHPLAN info good-groups.vtu --group-array gmsh:geometrical
try $MESHPLAN info good-groups.vtu --group-array levels
try $MESHPLAN info good-groups.vtu --group-array x
try $MESHPLAN info legacy.vtk
try $MESHPLAN info legacy.vtk --group-array zone
try $MESHPLAN info legacy.vtk --group-array none
try $MESHPLAN convert legacy.vtk zone.msh --group-array zone
try $MESHPLAN info zone.msh
try $MESHPLAN renumber legacy.vtk zone.msh --group-array zone -q
try $MESHPLAN info good-4.1-solids.msh --group-array zone
