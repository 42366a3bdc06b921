# SPDX-License-Identifier: Apache-2.0
# Zones of CGNS files: joined, or one of them, which the plan remembers.
$MESHPLAN --version | grep -q cgns || skip "no libcgns in this build"
cp "$SOURCE"/tests/data/cgns/good-{grid,apart}.cgns .
try $MESHPLAN info good-grid.cgns --zone left --derive
try $MESHPLAN info good-grid.cgns --zone all -q
try $MESHPLAN info good-grid.cgns --zone middle
try $MESHPLAN info good-apart.cgns --zone left
try $MESHPLAN plan good-grid.cgns -o both.mplan -q
try $MESHPLAN plan good-grid.cgns --zone left -o p.mplan -q
grep -a -o '^zone [a-z]*' p.mplan both.mplan
try $MESHPLAN verify p.mplan --mesh good-grid.cgns -q
try $MESHPLAN verify p.mplan --mesh good-grid.cgns --zone right -q
try $MESHPLAN verify both.mplan --mesh good-grid.cgns --zone all -q
