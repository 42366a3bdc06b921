# SPDX-License-Identifier: Apache-2.0
# What the cost model chooses when nothing is named, and that the plan holds.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate hex 12x8x6 -o h.msh -q
cat >h.yaml <<'END'
meshplan: 1
mesh: h.msh
loops:
  - name: heavy
    over: cells
    primary: true
    flops: 100000
    args:
      - {dat: x, map: cells_nodes, access: read, dim: 3, type: f64}
      - {dat: f, map: cells_nodes, access: inc, dim: 3, type: f64}
  - name: light
    over: faces
    args:
      - {dat: q, map: faces_cells, access: read, dim: 5, type: f64}
      - {dat: r, map: faces_cells, access: inc, dim: 5, type: f64}
      - {dat: n, access: read, dim: 3, type: f64}
      - {dat: a, access: read, dim: 1, type: f64}
  - name: in_place
    over: faces
    args: [{dat: q, map: faces_cells, access: rw, dim: 5, type: f64}]
  - name: update
    over: cells
    args: [{dat: q, access: rw, dim: 5, type: f64}, {dat: r, access: rw, dim: 5, type: f64}]
plan: {strategy: [auto], device: a100}
output: h.mplan
END
cat >choices.py <<'END'
import json, sys
for loop in json.load(sys.stdin)["loops"]:
    for v in loop["variants"]:
        print(" ", loop["name"], v["strategy"], v["sums"] or v["encoding"] or "-",
              "equal bits" if v["deterministic"] else "any order")
    print("   ", *["%s %s" % (a["dat"], a["layout"]) for a in loop["args"]])
END
try $MESHPLAN plan h.yaml -q --json plan.json
python3 choices.py <plan.json
try $MESHPLAN verify h.mplan --mesh h.msh -q
$MESHPLAN info h.mplan | grep -E '^loop|blocks #'
echo "without the promise of equal bits"
try $MESHPLAN plan h.yaml --allow-nondeterministic -q --json plan.json
python3 choices.py <plan.json
try $MESHPLAN verify h.mplan --mesh h.msh -q
echo "no room for records of blocks"
try $MESHPLAN plan h.yaml --shared-bytes 700 -q --json plan.json
python3 choices.py <plan.json
echo "a block size that is named"
try $MESHPLAN plan h.yaml --block-size 96 -q
$MESHPLAN info h.mplan | grep -oE 'blocks #0.*at most [0-9]+'
for words in '[atomic, auto]' '[autp]' '[]'; do
    sed "s/strategy: .*, device/strategy: $words, device/" h.yaml >bad.yaml
    try $MESHPLAN plan bad.yaml
done
for key in 'sums: total' 'encoding: none' 'block_threads: 2000' 'allow_nondeterministic: maybe' \
    'partitioner: metsi'; do
    sed "s/device: a100/$key/" h.yaml >bad.yaml
    try $MESHPLAN plan bad.yaml
done
