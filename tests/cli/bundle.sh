# SPDX-License-Identifier: Apache-2.0
# Bundles: planned, proved without and with the mesh, split, joined, compared; files that are missing, damaged or of others.
# Each mesh, cut and strategy is one line; what is proved of one is printed.
round() { # MESH PARTS WORDS...
    mesh=$1 parts=$2
    shift 2
    $MESHPLAN plan "$mesh" --parts "$parts" "$@" -o b.mplans -q && $MESHPLAN verify b.mplans -q &&
        $MESHPLAN verify b.mplans --mesh "$mesh" -q && $MESHPLAN split b.mplans -o b.parts -q &&
        $MESHPLAN join b.parts -o again.mplans -q && cmp b.mplans again.mplans &&
        for part in b.parts/part-*.mplan; do $MESHPLAN verify "$part" --mesh "$mesh" -q || break; done &&
        echo "$mesh in $parts parts, $*: $(ls b.parts | wc -l) files"
}
$MESHPLAN generate quad 20x16 --shuffle 3 -o quad.msh -q
$MESHPLAN generate tri 9x8 -o tri.msh -q
$MESHPLAN generate hex 6x5x4 -o hex.msh -q
$MESHPLAN generate tet 4x4x4 --jitter 0.2 --shuffle 5 -o tet.msh -q
echo "== strategies and meshes"
for strategy in global-colour block-colour two-step atomic block-gather owner-gather; do
    round quad.msh 4 --strategy $strategy
    round tet.msh 3 --strategy $strategy --partitioner native
done
round tri.msh 12 --strategy two-step,owner-gather --sums-order mesh
round hex.msh 2x3 --over cells --inc cells_nodes:2:f64 --read cells_nodes:3:f64
round hex.msh 1
round tri.msh 200
echo "== what is proved"
$MESHPLAN plan hex.msh --parts 3 --strategy two-step -o h.mplans -q
try $MESHPLAN verify h.mplans --mesh hex.msh
try $MESHPLAN verify h.mplans --part 1
try $MESHPLAN verify h.mplans --part 3
try $MESHPLAN verify h.mplans --mesh tet.msh
$MESHPLAN plan hex.msh --strategy two-step -o whole.mplan -q
try $MESHPLAN verify whole.mplan --part 0
echo "== split and join"
try $MESHPLAN split h.mplans -o h.parts
ls h.parts
head -3 h.parts/manifest.mparts | tail -1
try $MESHPLAN split h.mplans -o h.parts -q
try $MESHPLAN split whole.mplan -o w.parts
try $MESHPLAN split h.mplans
mkdir other && touch other/notes
try $MESHPLAN split h.mplans -o other
try $MESHPLAN join h.parts/part-2.mplan h.parts/manifest.mparts h.parts/part-0.mplan h.parts/part-1.mplan -o j.mplans
cmp h.mplans j.mplans
try $MESHPLAN join h.parts/part-0.mplan h.parts/part-2.mplan h.parts/manifest.mparts -o k.mplans
try $MESHPLAN join h.parts/part-*.mplan -o k.mplans
try $MESHPLAN join h.parts h.parts/part-1.mplan -o k.mplans
try $MESHPLAN join h.parts whole.mplan -o k.mplans
try $MESHPLAN join h.parts
mkdir empty
try $MESHPLAN join empty -o k.mplans
mv h.parts/part-1.mplan part-1.mplan
$MESHPLAN plan tet.msh --parts 3 --part 1 --strategy two-step -o h.parts/part-1.mplan -q
try $MESHPLAN join h.parts -o k.mplans
cp part-1.mplan h.parts/part-1.mplan
printf x | dd of=h.parts/part-1.mplan bs=1 seek=900 conv=notrunc 2>dd.txt
try $MESHPLAN join h.parts -o k.mplans 2>&1 | sed 's/byte [0-9]*: .*/byte N/'
ls k.mplans 2>&1 | wc -l
echo "== compare, apply, and what wants plans"
try $MESHPLAN compare h.mplans j.mplans
$MESHPLAN plan hex.msh --parts 2 --strategy two-step -o two.mplans -q
try $MESHPLAN compare h.mplans two.mplans | head -2
try $MESHPLAN compare h.mplans whole.mplan
$MESHPLAN convert hex.msh cells.npy --map cells_nodes -q
try $MESHPLAN apply h.mplans --set cells cells.npy stored.npy
try $MESHPLAN apply h.mplans --set cells stored.npy back.npy --inverse -q
cmp cells.npy back.npy
cmp cells.npy stored.npy >same.txt && echo "the order is that of the mesh"
try $MESHPLAN apply h.mplans --set cell cells.npy x.npy
try $MESHPLAN apply h.mplans --dat q cells.npy x.npy
try $MESHPLAN export h.mplans -o x.part
try $MESHPLAN report h.mplans -o x.html
