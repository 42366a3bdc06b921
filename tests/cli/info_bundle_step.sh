# SPDX-License-Identifier: Apache-2.0
# The price of a bundle on ranks, against bundles that are cut for them; and the time of a step, against what plan --dry-run says of
# the mesh without parts, what run exchanges, and the model written down once more.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate tri 24x18 --shuffle 3 -o t.msh -q
cat >step.yaml <<'JOB'
meshplan: 1
mesh: t.msh
step: [keep, {loop: sum, clear: r}, move, {loop: sum, clear: r}, move]
loops:
  - {name: keep, over: cells, args: [{dat: q, access: read, dim: 4, type: f64}, {dat: old, access: write, dim: 4, type: f64}]}
  - name: sum
    over: faces
    primary: true
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: r, map: faces_cells, access: inc, dim: 4, type: f64}
  - {name: move, over: cells, args: [{dat: old, access: read, dim: 4, type: f64}, {dat: r, access: read, dim: 4, type: f64}, {dat: q, access: write, dim: 4, type: f64}]}
plan: {strategy: [owner-gather]}
output: t.mplans
JOB
for parts in 1 2 3 6; do $MESHPLAN plan step.yaml --parts $parts -o t$parts.mplans -q; done
try $MESHPLAN info t6.mplans --ranks 2 --price --device h200
for ranks in 1 2 3 6; do $MESHPLAN info t6.mplans --ranks $ranks --price --device h200 --json t6-$ranks.json -q; done
$MESHPLAN info t1.mplans --ranks 1 --device h100 --json one.json -q
$MESHPLAN info t2.mplans --ranks 2 --device h100 --link nccl --json two.json -q
$MESHPLAN info t2.mplans --ranks 2 --device h100 --json inside.json -q
for parts in 2 3 6; do $MESHPLAN info t$parts.mplans --json cut$parts.json -q; done
sed '/^step:/d; s/^plan:.*/plan: {device: h100}/' step.yaml >loops.yaml
$MESHPLAN plan loops.yaml --dry-run --json dry.json -q
$MESHPLAN split t2.mplans -o two -q
cat >check.py <<'END'
import json

def load(name):
    with open(name) as file:
        return json.load(file)

def halo(sets):
    return [s["execute_halo"] + s["read_halo"] for s in sets if s["cut"]][0]

for ranks in 1, 2, 3, 6:
    told = load(f"t6-{ranks}.json")
    price = told["price"]
    assert price["grouped"]["halo"] == sum(r["halo"] for r in told["ranks"])
    if ranks > 1:
        assert price["direct"]["halo"] == halo(load(f"cut{ranks}.json")["sets"]), ranks
    print(ranks, "ranks:", price["grouped"]["halo"], "in halos,", price["direct"]["halo"], "with a cut for them")

dry, one, two = load("dry.json"), load("one.json")["step"], load("two.json")["step"]
us = {l["name"]: {s: 1e6 * t for s, t in l["seconds"].items() if t} for l in dry["loops"]}
bytes_of_r = 24 * 18 * 2 * 32
def of(loop):
    """The model's time of the strategy that the plan has; sums over zeros do not read them."""
    by = "owner-gather" if loop == "sum" else "atomic"
    return us[loop][by], 1e6 * bytes_of_r / 2.85e12 if loop == "sum" else 0
LAUNCH, LEAST = 2.5, 1.5
step = ["keep", "sum", "move", "sum", "move"]
whole = sum(LAUNCH + max(LEAST, of(l)[0] - LAUNCH - of(l)[1]) for l in step)
print("one device:", abs(whole - one["one_device_us"]) < 0.01, one["launches"], "launches,", one["exchanges"], "exchanges")
alone = one["links"][0]
print("one part on one rank is the mesh:", abs(alone["step_us"] - whole) < 0.01, abs(alone["efficiency"] - 1) < 1e-3)
# Every kernel of so small a mesh takes LEAST, whatever its share: with an exchange a loop is two kernels and waits.
rank = two["ranks"][0]
wait, join, rate = 26.0, 14.1, 385e9
sent = 32 * max(halo(load("cut2.json")["sets"]) // 2, 0)
inner, outer = LAUNCH + LEAST, LAUNCH + LEAST
exchange = rank["exchange_us"] / 2
print("messages:", wait < exchange < wait + 2e6 * sent / rate + 0.5)
print("overlap:", abs(rank["step_us"] - (3 * inner + 2 * (max(inner, exchange) + join + outer))) < 0.01,
      "without:", abs(rank["no_overlap_us"] - (5 * inner + 2 * exchange)) < 0.01)
# Inside its loop an exchange takes no kernel more.
rank = load("inside.json")["step"]["ranks"][0]
exchange = rank["exchange_us"] / 2
print("inside:", abs(rank["step_us"] - (3 * inner + 2 * (max(inner, exchange) + 6.7))) < 0.01)
END
python3 check.py
# By colours nothing is run while messages travel; block-gather runs inner blocks.
for strategy in block-colour global-colour block-gather; do
    sed "s/owner-gather/$strategy/" step.yaml >other.yaml
    $MESHPLAN plan other.yaml --parts 6 -o other.mplans -q
    $MESHPLAN info other.mplans --ranks 2 --device h200 --json other.json -q
    python3 - $strategy <<'END'
import json, sys
ranks = json.load(open("other.json"))["step"]["ranks"]
print(sys.argv[1], "hides" if any(r["step_us"] != r["no_overlap_us"] for r in ranks) else "hides nothing")
END
done
for bad in "--price" "--device h100" "--ranks 2 --link peer" "--ranks 2 --device h100 --link wire" "--ranks 2 --device none"; do
    try $MESHPLAN info t6.mplans $bad
done
try $MESHPLAN info t.msh --price
# Rings: exchanges of a step as airfoil has them, which has the same chain of loops; run counts a whole period, whichever step
# it begins with.
for rings in 1 2 4; do
    $MESHPLAN plan step.yaml --parts 6 --rings $rings -o r.mplans -q
    $MESHPLAN info r.mplans --ranks 3 --price --device h200 --json r.json -q
    for i in 4 5; do
        $MESHPLAN run airfoil --mesh quad:12x8 --parts 6 --ranks 3 --rings $rings --strategy owner-gather --sums-order mesh \
            --iterations $i --repeats 0 --json run$i.json -q
    done
    python3 - $rings <<'END'
import json, sys
told = json.load(open("r.json"))
ran = [json.loads(open(f"run{i}.json").readline()) for i in (4, 5)]
counters = ("exchange_steps", "exchanges", "messages", "message_bytes", "copied_bytes")
assert [ran[0][one] for one in counters] == [ran[1][one] for one in counters]
step = told["step"]
print(sys.argv[1], "rings:", step["exchanges"], "exchanges in", step["launches"], "launches; airfoil",
      ran[0]["exchanges"], "in", ran[0]["exchange_steps"], "with", ran[0]["messages"], "messages")
assert told["price"]["grouped"]["halo"] == sum(r["halo"] for r in told["ranks"])
END
done
# Rows of any length.
printf '0,1,2\n3\n\n1,3,4,5,0\n2,5\n' >groups.csv
$MESHPLAN plan --map groups_members=groups.csv --parts 3 -o g.mplans -q
$MESHPLAN plan --map groups_members=groups.csv --parts 2 -o g2.mplans -q
$MESHPLAN info g.mplans --ranks 2 --price | sed -n '/^price/,$p'
$MESHPLAN info g2.mplans | sed 1d
