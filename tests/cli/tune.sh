# SPDX-License-Identifier: Apache-2.0
# tune measures plans of a loop, keeps the result, and plan --tuned takes it. Times differ from run to run: only what
# does not depend on them is shown.
$MESHPLAN --version | grep -q "^libyaml" || skip "no libyaml in this build"
[ -f "${KERNELS:-}" ] || skip "no kernels"
json() {
    python3 -c "import json, sys; r = json.load(sys.stdin); $1"
}
$MESHPLAN generate quad 24x16 --shuffle 3 -o q.msh -q
cat >job.yaml <<'END'
meshplan: 1
mesh: q.msh
loops:
  - name: heat
    over: faces
    args:
      - {dat: heat, map: faces_cells, access: read, dim: 1, type: f64}
      - {dat: area, access: read, dim: 1, type: f64}
      - {dat: change, map: faces_cells, access: inc, dim: 1, type: f64}
output: job.mplan
END
tune() {
    $MESHPLAN tune "$@" --executor host --rounds 3 --budget 0 --again
}
echo "== an application"
tune --app res_calc --mesh quad:20x10 -q --json - | json '
done = [c for c in r["candidates"] if c["status"] == "done"]
least = min(c["microseconds"] for c in done if c is done[0] or c["wins"] >= 0.75 * c["rounds"])
print(r["loop"], r["elements"], r["device"], len(done) == len(r["candidates"]) > 3, r["best_us"] <= 1.02 * least,
      r["regret"] == r["default_us"] / r["best_us"], all(c["error"] < 1e-12 and c["rounds"] == 3 for c in done))
kinds = {(c["runs"], c["block_limit"], c["threads"], c["sums"], c["encoding"], c["layouts"]) for c in done}
print("all differ:", len(kinds) == len(done))'
echo "== own kernels, kept beside the plan"
tune job.yaml --kernels $KERNELS | sed -n '1s/ on .*//p; /launch bounds/p; $p'
wc -l <job.mplan.mtune
echo "== taken"
try $MESHPLAN plan job.yaml --device cpu --tuned job.mplan.mtune -q
best=$(json 'print(r["best"]["strategy"].replace(" ", ","), r["best"]["block_size"], r["best"]["layouts"])' <job.mplan.mtune)
set -- $best
$MESHPLAN info -v job.mplan | grep -c -E "^  strategy ${1/,/ }$|^  block_size $2$"
$MESHPLAN verify job.mplan --mesh q.msh -q && echo proved
echo "== another mesh is a guess, another device or request nothing"
sed 's/q.msh/r.msh/' job.yaml >other.yaml
$MESHPLAN generate quad 20x12 -o r.msh -q
try $MESHPLAN plan other.yaml --device cpu --tuned job.mplan.mtune >report
try $MESHPLAN plan job.yaml --tuned job.mplan.mtune -q 2>&1 | sed "s/tuned on .*, and/tuned on MACHINE, and/"
try $MESHPLAN plan job.yaml --device cpu --renumber rcm --tuned job.mplan.mtune -q
try $MESHPLAN plan q.msh -o p.mplan --device cpu --tuned job.mplan.mtune -q
echo "== what was tuned for this mesh goes before what is newer"
try tune other.yaml --kernels $KERNELS -o job.mplan.mtune -q
try $MESHPLAN plan job.yaml --device cpu --tuned job.mplan.mtune -q
echo "== half a line is skipped"
head -c 100 job.mplan.mtune >half.mtune
try $MESHPLAN plan job.yaml --device cpu --tuned half.mtune -q
cat half.mtune job.mplan.mtune >both.mtune
try $MESHPLAN plan job.yaml --device cpu --tuned q.msh -q
try tune job.yaml --kernels $KERNELS -o q.msh -q
echo "== a job that cannot be planned"
sed 's/^output/  - {name: other, over: cells, args: [{dat: heat, access: rw, dim: 2}]}\n&/' job.yaml >dims.yaml
try tune dims.yaml --kernels $KERNELS -q
echo "== faults end the trial only"
: >fault
TUNE_FAULT=fault tune job.yaml --kernels $KERNELS -q --json - | json '
print([c["reason"] for c in r["candidates"] if c["status"] != "done"], "microseconds" in r["candidates"][1])'
try env TUNE_FAULT=nan $MESHPLAN tune job.yaml --again --kernels $KERNELS --executor host -q
try env TUNE_FAULT=hang $MESHPLAN tune job.yaml --again --kernels $KERNELS --executor host --most 2 --patience 0.2 -q
echo "== data of the user's"
mkdir data
cat >numbers.py <<'END'
import struct, sys
path, numbers, shape = sys.argv[1], [float(word) for word in sys.argv[2].split("*")], sys.argv[3]
head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
    file.write(struct.pack("<d", numbers[0]) * int(numbers[1]))
END
python3 numbers.py data/heat.npy 2*384 "(384,)"
python3 numbers.py data/area.npy 1*7 "(7, 1)"
try tune job.yaml --kernels $KERNELS --data data -q
rm data/area.npy
try tune job.yaml --kernels $KERNELS --data data -q
python3 numbers.py data/heat.npy nan*384 "(384,)"
try tune job.yaml --kernels $KERNELS --data data -q
try tune job.yaml --kernels $KERNELS --data nowhere -q
echo "== elements of a thread are tuned where threads share no blocks; records from before are taken"
tune --app himeno --mesh hex:6x5x4 --seed 2 -q --json - | json '
print(all(c["status"] == "done" for c in r["candidates"]),
      sorted({(c["runs"], c["elements_per_thread"]) for c in r["candidates"] if c["runs"] == "atomic"}))'
python3 -c 'import json
record = json.loads(open("job.mplan.mtune").readlines()[-1])
print(record["best"].pop("elements_per_thread"))
open("before.mtune", "w").write(json.dumps(record) + "\n")'
try $MESHPLAN plan job.yaml --device cpu --tuned before.mtune -q
sed 's/"best": {/"best": {"elements_per_thread": "3", /' before.mtune >each.mtune
try $MESHPLAN plan job.yaml --device cpu --tuned each.mtune -q
$MESHPLAN info -v job.mplan | grep '^  elements_per_thread'
echo "== a table of threads and cells of a thread, by rows beside the default"
table() {
    $MESHPLAN tune --app himeno --executor host --rounds 1 --sizes "$@"
}
table 4x4x4,6x5x4 | sed -E '1s/ on .* \(/ on MACHINE (/; s/regret [0-9.]+/regret N/; s/[0-9]+\.[0-9]/N/g; s/ +/ /g'
table 4x4x4 -q --json - | json '
for t in r["tables"]:
    cells = [c for row in t["rows"] for c in row["cells"]]
    print(t["mesh"], t["elements"], [(c["threads"], c["elements_per_thread"]) for c in cells], {c["status"] for c in cells},
          all(c["error"] <= 1e-5 and c["rounds"] == 1 for c in cells), t["regret"] >= 1)'
echo "== what does not go together"
try $MESHPLAN tune --app himeno --sizes 4x4 --executor host
try $MESHPLAN tune --app himeno -o x.mtune
try tune --app himeno --mesh hex:4x4x4 --sizes 4x4x4
try tune job.yaml
try tune --app res_calc
try tune --app airfoil --mesh quad:4x4
try tune job.yaml --app res_calc --mesh quad:4x4
try tune job.yaml --kernels nowhere.so
cp $KERNELS own.so
try tune job.yaml --kernels own.so --json own.so -q
try tune job.yaml --kernels own.so --depfile own.so -q
try tune job.yaml --kernels own.so -o own.so -q
cmp $KERNELS own.so
try tune job.yaml --kernels job.yaml 2>&1 | sed 's/loaded: .*/loaded/'
echo "== rates fitted to what was measured"
cat >made.py <<'END'
import json, random, sys
# a device whose memory is 0.8 and whose arithmetic is 1.5 times as fast as the profile says; nothing else bounds
chance, names = random.Random(5), ["copy_rate", "flop_rate", "atomic_rate", "shared_rate", "l2_rate"]
factor, rows = {"copy_rate": 0.8, "flop_rate": 1.5}, []
for i in range(40):
    bounds = {name: 10 + chance.uniform(1, 100) * (1 if name in factor else 0.01) for name in names} | {"none": 10}
    took = 10 + max((bounds[name] - 10) / factor.get(name, 1) for name in names)
    rows.append({"strategy": "atomic", "predicted_us": max(bounds.values()), "bounds_us": bounds, "microseconds": took})
print(json.dumps({"meshplan_tune": 1, "profile": sys.argv[1], "machine": {"name": "a GPU"}, "candidates": rows}))
END
python3 made.py h200 >made.mtune
try $MESHPLAN tune --fit made.mtune
$MESHPLAN tune --fit made.mtune -o made.yaml -q && try $MESHPLAN plan q.msh -o made.mplan --device made.yaml -q
$MESHPLAN tune --fit job.mplan.mtune -q --json - | json '
print(r["profile"], r["plans"] > 5, r["off_after"] <= r["off_before"] * (1 + 1e-9), [rate["name"] for rate in r["rates"]])'
python3 made.py a100 >>made.mtune
try $MESHPLAN tune --fit made.mtune
try $MESHPLAN tune --fit half.mtune
try $MESHPLAN tune --fit q.msh
try $MESHPLAN tune --fit made.mtune -o made.mtune
try $MESHPLAN tune --fit made.mtune --app res_calc
