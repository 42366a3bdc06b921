# SPDX-License-Identifier: Apache-2.0
# tune of a plan, whose request stands for a job; and what a file of results says of a loop that is tuned again.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
[ -f "${KERNELS:-}" ] || skip "no kernels"
json() {
    python3 -c "import json, sys; r = json.load(sys.stdin); $1"
}
tune() {
    $MESHPLAN tune "$@" --executor host --rounds 1 --budget 0
}
# Times and machines differ from run to run.
plain() {
    sed -E 's/ on .* \((host|openmp)\)/ on MACHINE (\1)/; s/[0-9.]+ us/N us/g; s/regret [0-9.]+/regret N/'
}
$MESHPLAN generate quad 24x16 --shuffle 3 -o q.msh -q
$MESHPLAN generate quad 20x12 -o r.msh -q
cat >job.yaml <<'END'
meshplan: 1
mesh: q.msh
loops:
  - name: first of all
    over: cells
    args:
      - {dat: a b, access: inc, dim: 3, type: f32}
      - {dat: change, access: read, dim: 1, type: f64}
      - {dat: limit, global: true, access: max, dim: 1, type: f64}
  - name: heat
    over: faces
    primary: true
    calls: 2
    flops: 3
    args:
      - {dat: heat, map: faces_cells, access: read, dim: 1, type: f64}
      - {dat: area, access: read, dim: 1, type: f64}
      - {dat: change, map: faces_cells, access: inc, dim: 1, type: f64}
step: [heat, first of all, heat]
END
echo "== a plan is tuned as the job that it was made of, and the result is beside it"
$MESHPLAN plan job.yaml --device cpu --fill 0.9 --layouts soa --sums-order column --renumber rcm -o p.mplan -q
tune p.mplan --mesh q.msh --kernels $KERNELS --most 4 | plain | sed '/^  /d'
$MESHPLAN tune job.yaml --kernels $KERNELS --executor host --rounds 1 --budget 0 --most 4 -o job.mtune --device cpu --fill 0.9 --layouts soa \
    --sums-order column --renumber rcm -q
python3 - <<'END'
import json
a, b = (json.loads(open(name).readline()) for name in ("p.mplan.mtune", "job.mtune"))
tell = lambda r: [[c[k] for k in ("strategy", "block_size", "layouts", "block_threads", "encoding", "sums")] for c in r["candidates"]]
print([a[k] == b[k] for k in ("loop", "request", "signature", "topology", "device", "kernel_hash")], tell(a) == tell(b), len(tell(a)))
END
try $MESHPLAN plan job.yaml --device cpu --fill 0.9 --layouts soa --sums-order column --renumber rcm --tuned p.mplan.mtune -o t.mplan -q
echo "== strategies that the plan names are kept"
$MESHPLAN plan job.yaml --device cpu --strategy two-step,global-colour -o named.mplan -q
tune named.mplan --mesh q.msh --kernels $KERNELS --most 4 -q --json - | json 'print(sorted({c["runs"] for c in r["candidates"]}))'
echo "== measured before: the result is taken from the file"
before=$(wc -c <p.mplan.mtune)
tune p.mplan --mesh q.msh --kernels $KERNELS | plain | sed 's/^best: .*/best: OPTIONS/'
tune p.mplan --mesh q.msh --kernels $KERNELS -q --json - | json '
first = json.loads(open("p.mplan.mtune").readline())
print(r["reused"], r["candidates"], all(r[k] == first[k] for k in ("best", "best_us", "default_us", "regret", "topology")))'
[ "$before" = "$(wc -c <p.mplan.mtune)" ] && echo "nothing appended"
echo "== not with other kernels or on another machine, nor with --again"
cp $KERNELS other.so && printf x >>other.so
measure() {
    $MESHPLAN tune p.mplan --mesh q.msh --executor host --rounds 1 --budget 0 "$@" | plain | sed -n '1p; /^appended/p'
}
measure --kernels ./other.so
measure --kernels $KERNELS --again --most 2
sed 's/"processors": 1,/"processors": 2,/' p.mplan.mtune >other.mtune
measure --kernels $KERNELS -o other.mtune
wc -l <p.mplan.mtune
echo "== another mesh: a guess, and the fewest plans beside it"
sed 's/q.msh/r.msh/' job.yaml >other.yaml
again() {
    tune other.yaml --device cpu --fill 0.9 --layouts soa --sums-order column --renumber rcm --kernels $KERNELS "$@"
}
again -o p.mplan.mtune | plain | sed '/^  /d'
tail -n 1 p.mplan.mtune | json 'print(len(r["candidates"]) <= 3)'
again -o p.mplan.mtune --again --most 5 -q --json - | json 'print(len(r["candidates"]) > 3)'
echo "== an application's loop of a plan, or of a job"
cat >app.yaml <<'END'
meshplan: 1
mesh: q.msh
loops:
  - name: save
    over: cells
    args: [{dat: q, access: read, dim: 4}, {dat: qold, access: write, dim: 4}]
  - name: res_calc
    over: faces
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: adt, map: faces_cells, access: read, dim: 1, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
END
$MESHPLAN plan app.yaml --device cpu -o app.mplan -q
tune app.mplan --mesh q.msh --app res_calc --most 3 | plain | sed '/^  /d'
tune app.yaml --app res_calc --most 3 --device cpu -o app.mplan.mtune | plain | sed 's/^best: .*/best: OPTIONS/'
echo "== what does not go together"
try tune p.mplan --kernels $KERNELS -q
try tune p.mplan --mesh r.msh --kernels $KERNELS -q
try tune q.msh --mesh q.msh --kernels $KERNELS -q
try tune p.mplan --mesh q.msh --app res_calc -q
try tune p.mplan --mesh q.msh --kernels $KERNELS --loop none -q
try tune job.yaml --mesh q.msh --kernels $KERNELS -q
$MESHPLAN plan q.msh --parts 2 --over faces --inc cells:1 -o b.mplans -q
try tune b.mplans --mesh q.msh --kernels $KERNELS -q
sed 's/dim: 4, type/dim: 5, type/' app.yaml >five.yaml
try tune five.yaml --app res_calc -q
echo "== a profile from a file has its name in the plan only"
tail -n 1 job.mtune >fit.mtune
$MESHPLAN tune --fit fit.mtune -o own.yaml -q
$MESHPLAN plan job.yaml --device own.yaml -o own.mplan -q
try tune own.mplan --mesh q.msh --kernels $KERNELS -q
try tune own.mplan --mesh q.msh --kernels $KERNELS --device own.yaml --most 2 -q
wc -l <own.mplan.mtune
