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
# Rings: what is computed twice, and that they reach the request.
try $MESHPLAN plan q.msh --parts 4 --rings 2 -o rings.mplans
try $MESHPLAN info rings.mplans
$MESHPLAN info rings.mplans --json - | grep -c '"rings": 2'
$MESHPLAN plan q.msh --parts 4 --rings 2 --part 1 -o one.mplan -q
$MESHPLAN info -v one.mplan | grep rings
try $MESHPLAN plan q.msh --rings 2 -o none.mplan
try $MESHPLAN plan q.msh --parts 4 --rings 2 --scatter none
try $MESHPLAN plan q.msh --parts 4 --rings 17 -o none.mplans
# Weights and groups: half of the cells cost three times as much; columns of the grid, and pairs, stay whole.
seq 96 | awk '{ print ($1 > 48 ? 3 : 1) }' >w.txt
seq 96 | awk '{ print $1, 1 }' >two.txt
seq 0 95 | awk '{ print $1 % 12 }' >columns.txt
printf '0 11\n84 95\n' >pairs.txt
cat >owners.py <<'END'
import json, struct
cells = struct.unpack("<96q", open("stored.npy", "rb").read()[128:])
owner, at = [0] * 96, 0
for part, rank in enumerate(json.load(open("ranks.json"))["ranks"]):
    for i in range(at, at + rank["owned"]):
        owner[cells[i]] = part
    at += rank["owned"]
weight = [0] * 4
for cell, part in enumerate(owner):
    weight[part] += 3 if cell >= 48 else 1
print("weights", weight, "columns whole:", all(owner[c] == owner[c % 12] for c in range(96)),
      "pairs whole:", owner[0] == owner[11] and owner[84] == owner[95])
END
python3 -c 'import struct
head = "{'"'"'descr'"'"': '"'"'<i8'"'"', '"'"'fortran_order'"'"': False, '"'"'shape'"'"': (96,), }".ljust(117) + "\n"
open("cells.npy", "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", 118) + head.encode() + struct.pack("<96q", *range(96)))'
$MESHPLAN partition q.msh -k 4 --partitioner none -o four.part -q
for how in "--weights cells=w.txt" "--together columns.txt" "--together pairs.txt --weights cells=w.txt" "--together columns.txt --cut native" \
    "--cut-imbalance 1.2"; do
    try $MESHPLAN plan q.msh --parts 2x2 $how -o wish.mplans
    $MESHPLAN verify wish.mplans --mesh q.msh -q || echo "not proved"
    $MESHPLAN apply wish.mplans --set cells cells.npy stored.npy -q
    $MESHPLAN info wish.mplans --ranks 4 --json ranks.json -q
    python3 owners.py
done
for bad in "--parts 0" "--parts 2x0" "--parts missing.part" "--parts -1" "--parts 2.5" "--part 1" "--cut metis" "--weights cells=w.txt" "--together pairs.txt" \
    "--cut-imbalance 1.1" "--parts 2 --cut-imbalance 0.9" "--parts 2 --weights nodes=w.txt" "--parts four.part --weights cells=w.txt" \
    "--parts 2 --together missing.txt" "--parts 2 --cut scotch --weights cells=two.txt" "--parts 2 --part 2" "--parts 2 --tuned q.msh" \
    "--parts 2 --point-order padded" "--parts 2 --graph faces"; do
    try $MESHPLAN plan q.msh $bad -o no.mplans
done
head -n 20 q.part >short.part
try $MESHPLAN plan q.msh --parts short.part -o no.mplans
{ echo -1; tail -n +2 q.part; } >minus.part
try $MESHPLAN plan q.msh --parts minus.part -o no.mplans
try $MESHPLAN plan q.msh --parts 2 -o missing/no.mplans
ls
