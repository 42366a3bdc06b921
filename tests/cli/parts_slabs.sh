# SPDX-License-Identifier: Apache-2.0
# Parts for a limited device memory: rings that are too few, bundles and their proof, runs with the bits of memory, what info says.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate naca0012 240x12 --shuffle 3 -o m.msh -q
cat >step.yaml <<'JOB'
meshplan: 1
mesh: m.msh
loops:
  - {name: keep, over: cells, args: [{dat: q, access: read, dim: 4, type: f64}, {dat: old, access: write, dim: 4, type: f64}]}
  - name: flow
    over: faces
    primary: true
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: sum, map: faces_cells, access: inc, dim: 4, type: f64}
  - {name: move, over: cells, args: [{dat: old, access: read, dim: 4, type: f64}, {dat: sum, access: read, dim: 4, type: f64}, {dat: q, access: write, dim: 4, type: f64}]}
step: [keep, {loop: flow, clear: sum}, move]
output: b.mplans
JOB
plan() { $MESHPLAN plan step.yaml --parts 3 "$@" -q; }
for words in "" "--rings 2 --steps-per-visit 3" "--rings 4 --steps-per-visit 20" "--rings 4 --scatter parts"; do
    echo "--device-memory 4M $words:" >&2
    plan --device-memory 4M $words || echo "exit $?" >&2
done
sed 's/{dat: q, access: write, dim: 4, type: f64}\]}$/{dat: q, access: write, dim: 4, type: f64}, {dat: total, global: true, access: inc, dim: 1, type: f64}]}/' step.yaml >sum.yaml
$MESHPLAN plan sum.yaml --parts 3 --rings 3 --device-memory 4M -q || echo "exit $?" >&2
plan --device-memory 4M --rings 3 --json plan.json
$MESHPLAN verify b.mplans --mesh m.msh -q
$MESHPLAN split b.mplans -o parts -q
$MESHPLAN join parts -o again.mplans -q
cmp b.mplans again.mplans
$MESHPLAN verify parts/part-1.mplan -q
$MESHPLAN info b.mplans --ranks 2 --json info.json | sed -n '/limited/,/step messages/p; / steps: /p'
tr -d '\n ' <info.json | grep -o '"visit":{[^}]*}'
$MESHPLAN plan step.yaml --parts 3 --device-memory 4M --rings 5 -o c.mplans | sed -n 2p # one number for all parts
$MESHPLAN generate naca0012 960x12 --shuffle 3 -o long.msh -q
sed 's/m[.]msh/long.msh/' step.yaml >long.yaml
for threads in 1 2 5; do # parts side by side
    $MESHPLAN plan long.yaml --parts 24 --rings 7 --device-memory 1100K --threads $threads -o long.$threads | sed -n 2p
    cmp long.1 long.$threads
done
# segments do not tell whether steps were chosen or asked for: else they would tell which parts were planned side by side
cat >device.yaml <<'PROFILE'
name: device
version: 1
shared_bytes: 1048576
max_threads: 1024
processors: 1
processor_threads: 1
processor_shared_bytes: 1048576
l2_bytes: 1048576
warp: 32
copy_rate: 17456657476
flop_rate: 9439597663
atomic_rate: 463974045
shared_rate: 1226810118
l2_rate: 39369089568
launch: 1e-7
link: 1e10
link_both: 1e10
PROFILE
$MESHPLAN generate naca0012 480x12 --shuffle 3 -o whole.msh -q
sed 's/m[.]msh/whole.msh/' step.yaml >whole.yaml
visit() { # steps and segments
    $MESHPLAN plan whole.yaml --device device.yaml --device-memory 2M -o w.mplan -q "$@"
    $MESHPLAN info w.mplan --json - -q | tr -d '\n ' | sed -E 's/.*"visit":[{][^}]*"steps":([0-9]*).*/\1 /'
    $MESHPLAN info w.mplan --json - -q | tr -d '\n ' | sed -E 's/.*"visit":[{][^}]*"segments":([0-9]*).*/\1/'
}
visit >chosen
visit --steps-per-visit "$(cut -d' ' -f1 chosen)" >asked
cmp chosen asked && echo "steps that are asked for have the segments of those that are chosen"
plan --device-memory 4M --rings 5 --part 1 -o p.mplan || echo "exit $?" >&2
$MESHPLAN plan step.yaml --parts 3 --device-memory 4M --rings 5 --part 1 --steps-per-visit 4 -o p.mplan --json - -q | grep -o '"steps_per_visit": *[0-9]*'
$MESHPLAN info b.mplans --ranks 2 --device h100 -q || echo "exit $?" >&2
for app in airfoil:4 flux3d_step:2 jacobi:6 column-step:2; do
    mesh=naca0012:240x20
    [ "${app%:*}" = airfoil ] || mesh=hex:60x5x4
    [ "${app%:*}" != column-step ] || mesh="quad:300x10 --layers 7 --columns points"
    $MESHPLAN run "${app%:*}" --mesh $mesh --shuffle 3 --parts 3 --rings "${app#*:}" --device-memory 4M --sums-order mesh --ranks 1,3 \
        --repeats 0 --iterations 4 --json - >rows
    sed -E 's/.*"same_in_memory": ?([a-z]*).*/same bits as in memory: \1/' rows
    sed -E 's/.*"equal_bits": ?([a-z]*), "result_bits": "([^"]*)".*"ranks": ?([0-9]*), "parts": ?([0-9]*).*"exchanges": ?([0-9]*), "messages": ?([0-9]*).*"exchange_steps": ?([0-9]*).*/\3 of \4 parts, equal bits: \1; \5 exchange, \6 messages in \7 steps/' rows
    $MESHPLAN run "${app%:*}" --mesh $mesh --shuffle 3 --sums-order mesh --repeats 0 --iterations 4 --json - >>rows
    echo "$app: $(sed -E 's/.*"result_bits": "([^"]*)".*/\1/' rows | sort -u | wc -l) fingerprint of $(wc -l <rows), one of them without parts and limit"
done
$MESHPLAN run airfoil --mesh naca0012:24x8 --parts 3 --rings 2 --device-memory 4M --store . >/dev/null || echo "exit $?" >&2
# part 0 has room for three steps a visit, another part for one: all have one
$MESHPLAN run airfoil --mesh naca0012:1200x60 --parts 4 --rings 8 --device-memory 3M --repeats 0 --iterations 0 --no-check --json - |
    grep -o '"exchange_steps": *[0-9]*\|"steps_per_visit": *[0-9]*'
