# SPDX-License-Identifier: Apache-2.0
# Parts of a job array from files of their own: the bytes of the bundle, without the mesh; what does not fit is refused.
# plan_all FOLDER OPTION...: each part of the folder, then join; the mesh is a name of nothing.
plan_all() {
    local from=$1
    shift
    rm -rf array && mkdir array
    for file in "$from"/part-*.npz; do
        i=${file##*part-}
        $MESHPLAN plan gone.msh --parts "$from" --part "${i%.npz}" "$@" -o "array/part-${i%.npz}.mplan" -q || return
    done
    $MESHPLAN join array -o joined.mplans -q && cmp joined.mplans whole.mplans && echo "$from: the bytes of the bundle"
}
$MESHPLAN generate quad 14x9 --shuffle 3 -o q.msh -q
$MESHPLAN plan q.msh --parts 5 -o whole.mplans -q
try $MESHPLAN plan q.msh --parts 5 --scatter five
plan_all five
ls five
$MESHPLAN verify joined.mplans --mesh q.msh -q && echo "proved"
try $MESHPLAN plan gone.msh --parts five --part 3 -o one.mplan
# More parts than cells; several maps; strategies, sums in the order of the mesh; ragged rows.
$MESHPLAN generate tri 3x2 -o t.msh -q
for request in "--parts 20" "--over cells --inc nodes --read nodes:2,cells_nodes:1:f32 --parts 3" \
    "--inc cells --read nodes,cells --strategy block-gather,owner-gather --parts 2x2" "--sums-order mesh --over edges --inc nodes --parts 3"; do
    $MESHPLAN plan t.msh $request -o whole.mplans -q
    $MESHPLAN plan t.msh $request --scatter parts -q
    plan_all parts ${request%--parts*}
done
printf '0,1,2\n3\n\n1,3,4,5,0\n2,5\n' >groups.csv
$MESHPLAN plan --map groups_members=groups.csv --parts 3 -o whole.mplans -q
$MESHPLAN plan --map groups_members=groups.csv --parts 3 --scatter parts -q
plan_all parts
rm -rf array && mkdir array && : >array/manifest.mparts
# What cannot be.
for bad in "--parts five -o no" "--parts five --part 5 -o no" "--parts five --part 1 --over cells -o no" "--parts five --part 1 --strategy atomic -o no" \
    "--parts five --part 1 --cut native -o no" "--scatter here" "--parts 2 --part 1 --scatter here" "--parts 2 --scatter here -o x" \
    "--parts 2 --scatter here --dry-run" "--parts 2 --scatter array" "--parts five --scatter here" "--parts five --part 1 --dry-run"; do
    try $MESHPLAN plan q.msh $bad
done
# A number that does not fit is refused, whichever it is: the first, the middle and the last of each array, made negative, large, or one more.
cat >damage.py <<'END'
import subprocess, sys, zipfile
source = {i.filename: zipfile.ZipFile("five/part-1.npz").read(i) for i in zipfile.ZipFile("five/part-1.npz").infolist()}
import os
os.makedirs("hurt", exist_ok=True)
codes = {}
for name, data in source.items():
    head = 10 + int.from_bytes(data[8:10], "little")
    size = {b"<i8": 8, b"<i4": 4}.get(data[data.index(b"descr") + 9:][:3])
    if not size or len(data) == head or name.startswith(("reach", "coord")):
        continue
    n = (len(data) - head) // size
    for k in sorted({0, n // 2, n - 1}):
        at = head + k * size
        old = int.from_bytes(data[at:at + size], "little", signed=True)
        for new in (-7, 2 ** 31 - 2, old + 1):
            hurt = data[:at] + new.to_bytes(size, "little", signed=True) + data[at + size:]
            with zipfile.ZipFile("hurt/part-1.npz", "w") as out:
                for other, bytes_ in source.items():
                    out.writestr(other, hurt if other == name else bytes_)
            run = subprocess.run([os.environ["MESHPLAN"], "plan", "gone.msh", "--parts", "hurt", "--part", "1", "-o", "hurt.mplan", "-q"],
                                 capture_output=True)
            same = run.returncode == 0 and open("hurt.mplan", "rb").read() == open("whole-1.mplan", "rb").read()
            codes.setdefault(run.returncode, []).append((name, k, new, same))
for code in sorted(codes):
    if code not in (0, 2, 65):
        print("ended with", code, codes[code][:3])
made = sorted({name.split("_")[0] for name, k, new, same in codes.get(0, []) if new < 0})
print("made with a negative number:", made)
print("refused more than", sum(map(len, codes.values())) * 2 // 3, len(codes.get(65, [])) + len(codes.get(2, [])) > sum(map(len, codes.values())) * 2 // 3)
END
$MESHPLAN plan q.msh --parts 5 --part 1 -o whole-1.mplan -q
python3 damage.py
