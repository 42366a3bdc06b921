# SPDX-License-Identifier: Apache-2.0
# Every shape, equal meshes for equal arguments, refusals.
try $MESHPLAN generate quad 4x3 -o quad.msh
try $MESHPLAN generate tri 4x3 -o tri.msh
try $MESHPLAN generate hex 2x3x4 -o hex.msh
try $MESHPLAN generate tet 2x3x4 -o tet.msh
try $MESHPLAN generate naca0012 12x4 -o naca.dat
try $MESHPLAN generate quad 4x3 --jitter 0.2 --seed 5 --shuffle 5 -o a.msh --quiet
try $MESHPLAN generate quad 4x3 --jitter=0.2 --shuffle=5 -o b.msh --quiet
cmp a.msh b.msh
try $MESHPLAN generate quad 4x3 --jitter 0.2 --shuffle 6 -o c.msh --quiet
cmp -s a.msh c.msh && echo "another seed made the same mesh"
$MESHPLAN generate quad 4x3 -o - | cmp - quad.msh
try $MESHPLAN generate quad 4x3 --to op2 -o - | head -1
for size in 4 4x 4x3x2 0x3 4X3 -1x3 4x3.5 x 99999999999999999999x2; do
    try $MESHPLAN generate quad -o no.msh -- $size
done
try $MESHPLAN generate hex 4x4 -o no.msh
try $MESHPLAN generate qaud 4x4 -o no.msh
try $MESHPLAN generate quad 4x4
try $MESHPLAN generate quad 4x4 --shuffle 1 --seed 2 -o no.msh
try $MESHPLAN generate quad 4x4 --jitter -1 -o no.msh
try $MESHPLAN generate naca0012 13x4 -o no.msh
try $MESHPLAN generate quad 4x4 -o no.such
ls
try $MESHPLAN generate quad 4x3 --stretch 2,0.5 -o flat.su2 --quiet
$MESHPLAN generate quad 4x3 -o round.su2 --quiet
diff round.su2 flat.su2 | grep -c '^>'
try $MESHPLAN generate quad 4x4 --stretch 1,0 -o no.msh
try $MESHPLAN generate quad 4x4 --stretch 1,2,3,4 -o no.msh
# Meshes round a body.
try $MESHPLAN generate boundary-layer 24x10 -o layer.msh
try $MESHPLAN generate boundary-layer 24x10x3 --cells hybrid --shuffle 3 -o span.msh
try $MESHPLAN generate wing 24x10x3 --cells tet --first-height 1e-3 --growth 1.5 -o wing.msh
try $MESHPLAN generate sphere 4x5 --cells prism -o sphere.msh
for mesh in layer span wing sphere; do
    $MESHPLAN info $mesh.msh | sed -n 2,3p
done
$MESHPLAN generate wing 24x10x3 --cells hybrid -o wing.su2 --quiet
grep MARKER wing.su2
try $MESHPLAN convert span.msh fine.msh --refine 1
try $MESHPLAN convert naca.dat no.msh --refine 1
try $MESHPLAN generate boundary-layer 24 -o no.msh
try $MESHPLAN generate sphere 4x5x6 -o no.msh
try $MESHPLAN generate wing 24x10 -o no.msh
try $MESHPLAN generate boundary-layer 24x10 --cells tet -o no.msh
try $MESHPLAN generate boundary-layer 24x10 --cells pyramid -o no.msh
try $MESHPLAN generate boundary-layer 24x10 --growth 0 -o no.msh
try $MESHPLAN generate boundary-layer 24x10 --first-height 0 -o no.msh
try $MESHPLAN generate boundary-layer 24x10 --growth 0.5 -o no.msh
try $MESHPLAN generate sphere 4x5 --jitter 0.1 -o no.msh
try $MESHPLAN generate tri 4x5 --cells tri -o no.msh
