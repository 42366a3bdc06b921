# SPDX-License-Identifier: Apache-2.0
# Bundles: sizes of parts, one part by itself, part files, and what is refused before a file appears.
$MESHPLAN generate quad 12x8 --shuffle 3 -o q.msh -q
try $MESHPLAN plan q.msh --parts 4 -o q.mplans
$MESHPLAN plan q.msh --parts 4 -o again.mplans --threads 2 -q
cmp q.mplans again.mplans
try $MESHPLAN plan q.msh --parts 4 --part 2 -o one.mplan
python3 - <<'END'
import struct
bundle = open("q.mplans", "rb").read()
offset, size = struct.unpack_from("<QQ", bundle, 128 + 64 * 2)
print("part 2 of the bundle:", bundle[offset:offset + size] == open("one.mplan", "rb").read())
END
mkdir array
for i in 0 1 2 3; do $MESHPLAN plan q.msh --parts 4 --part $i -o array/part-$i.mplan -q; done
$MESHPLAN join array -o joined.mplans -q
cmp q.mplans joined.mplans && echo "a job array makes the same bundle"
try $MESHPLAN plan q.msh --parts 2x3 --dry-run
$MESHPLAN partition q.msh -k 3 --partitioner none -o q.part -q
try $MESHPLAN plan q.msh --parts q.part --dry-run
try $MESHPLAN plan q.msh --parts 200 --dry-run
try $MESHPLAN plan q.msh --parts 2 --dry-run --json - --quiet | grep -v version | head -20
for bad in "--parts 0" "--parts 2x0" "--parts missing.part" "--part 1" "--cut metis" "--parts 2 --part 2" "--parts 2 --tuned q.msh" \
    "--parts 2 --point-order padded" "--parts 2 --graph faces"; do
    try $MESHPLAN plan q.msh $bad -o no.mplans
done
head -n 20 q.part >short.part
try $MESHPLAN plan q.msh --parts short.part -o no.mplans
{ echo -1; tail -n +2 q.part; } >minus.part
try $MESHPLAN plan q.msh --parts minus.part -o no.mplans
try $MESHPLAN plan q.msh --parts 2 -o missing/no.mplans
ls
