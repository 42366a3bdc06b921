# SPDX-License-Identifier: Apache-2.0
# --dry-run says what would be planned, why, and what it would take, and writes nothing; the plan that is made then has
# that request, those strategies and about that size.
cat >compare.py <<'END'
import json, sys
said, plan = (json.load(open(name)) for name in sys.argv[1:3])
for one, made in zip(said["loops"], plan["loops"], strict=True):
    assert one["strategies"] == [v["strategy"] for v in made["variants"]], one["name"]
assert 0.75 < said["plan_bytes_estimate"] / plan["bytes"] < 1.33, (said["plan_bytes_estimate"], plan["bytes"])
if len(sys.argv) > 3:  # the peak is the program's, not that of a sanitizer
    assert 0.4 < said["memory_bytes_estimate"] / plan["peak_rss_bytes"] < 2.5, said["memory_bytes_estimate"]
print("as it was said")
END
grep -q __asan_init $MESHPLAN || memory=memory
$MESHPLAN generate tri 60x50 --shuffle 1 -o t.msh -q
try $MESHPLAN plan t.msh --dry-run -o p.mplan
ls
for request in "" "--strategy block-colour,atomic --block-size 128" "--over cells --inc nodes:3 --read nodes:2" \
    "--strategy block-gather --sums atomic" "--sums-order mesh" "--over cells --read nodes:3 --strategy owner-gather,block-colour"; do
    $MESHPLAN plan t.msh $request --dry-run --json said.json -q && $MESHPLAN plan t.msh $request -o p.mplan --json plan.json -q
    python3 compare.py said.json plan.json $memory
    python3 -c 'import json; print(json.load(open("said.json"))["request"], end="")' >request
    $MESHPLAN info -v p.mplan | sed '1,/^request/d; s/^  //' | diff - request
done
try $MESHPLAN plan t.msh --dry-run --inc nothing
try $MESHPLAN plan t.msh --dry-run --strategy owner-gather --sums-order mesh -q
# refused as the plan is: no tables for a loop that increments two sets
try $MESHPLAN plan t.msh --dry-run --inc nodes,cells --strategy owner-gather
$MESHPLAN generate boundary-layer 12x8 --cells hybrid -o hybrid.msh -q
try $MESHPLAN plan hybrid.msh --dry-run --over cells --inc nodes --strategy block-gather
