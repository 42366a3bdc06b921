# SPDX-License-Identifier: Apache-2.0
# A folder as input: OpenFOAM's; meshes of polyhedra are planned over their faces.
foam=$SOURCE/tests/data/foam
cp -r $foam/good-case case
try $MESHPLAN info case
try $MESHPLAN plan case -o p.mplan -q
try $MESHPLAN verify p.mplan --mesh case/constant/polyMesh -q
: >case/case.foam
try $MESHPLAN verify p.mplan --mesh case/case.foam -q
cp -r $foam/good-polyhedra poly
try $MESHPLAN info poly --derive
$MESHPLAN plan poly -o q.mplan | grep 'loop'
try $MESHPLAN verify q.mplan --mesh poly/faces -q
mkdir none
try $MESHPLAN info none
mkdir -p empty/system && : >empty/system/controlDict
try $MESHPLAN info empty
cp -r $foam/unsupported-parts parts
try $MESHPLAN info parts
try $MESHPLAN info parts/processor0/
try $MESHPLAN plan --map edges_cells=case -o r.mplan
cp -r $foam/good-decomposed cut
try $MESHPLAN info cut
try $MESHPLAN plan cut -o s.mplan -q
try $MESHPLAN verify s.mplan --mesh $foam/good-zones -q
try $MESHPLAN info cut/processor1
# equal addresses in one word: no room is made for more than the file could hold one by one
{
    sed '/^[0-9]/,$d' $foam/good-decomposed/processor1/constant/polyMesh/pointProcAddressing
    echo '2000000000{0}'
} >addresses
mv addresses cut/processor1/constant/polyMesh/pointProcAddressing
try $MESHPLAN info cut
# as many zones as there may be, whose names are of one length
cp -r $foam/good-zones zones && rm zones/faceZones zones/pointZones
{
    sed '/^[0-9]/,$d' $foam/good-zones/cellZones
    awk 'BEGIN { print "65536\n("; for (i = 0; i < 65536; i++) print "zone" i + 100000 " { cellLabels 1{0}; }"; print ")" }'
} >zones/cellZones
(ulimit -t 12 && $MESHPLAN info zones) | grep -c "  zone1"
rm -r zones
mkdir -p two/constant/solid
cp -r $foam/good-text two/constant/solid/polyMesh
cp -r $foam/good-case/constant two/constant/fluid
try $MESHPLAN info two
try $MESHPLAN info two --zone air
try $MESHPLAN plan two --zone solid -o t.mplan -q
grep -a -o '^zone [a-z]*' t.mplan
try $MESHPLAN verify t.mplan --mesh two -q
try $MESHPLAN info two/constant/solid -q
cp -r $foam/good-text two/constant/polyMesh
try $MESHPLAN verify t.mplan --mesh two -q
try $MESHPLAN info two -q
rm -rf case poly none empty parts cut two
ls
