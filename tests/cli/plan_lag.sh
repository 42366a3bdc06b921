# SPDX-License-Identifier: Apache-2.0
# A global that changes when a visit ends: what a job says of it, and what a plan shows.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate quad 200x8 -o a.msh --quiet
job() {
    cat >$1.yaml <<END
meshplan: 1
mesh: a.msh
step: [$2, {loop: flux, clear: r}, move]
loops:
  - {name: limit, over: cells, args: [{dat: u, access: read, dim: 1, type: f64}, {dat: dt, global: true, access: min, dim: 1, type: f64}]}
  - {name: flux, over: faces, primary: true, args: [{dat: u, map: faces_cells, access: read, dim: 1, type: f64}, {dat: r, map: faces_cells, access: inc, dim: 1, type: f64}]}
  - {name: move, over: cells, args: [{dat: r, access: read, dim: 1, type: f64}, {dat: dt, global: true, access: read, dim: 1, type: f64}, {dat: u, access: rw, dim: 1, type: f64}]}
plan: {device_memory: 2097152, steps_per_visit: 4, segments: 4}
END
}
job late '{loop: limit, lag: 1}'
$MESHPLAN plan late.yaml -o late.mplan -q
$MESHPLAN verify late.mplan --mesh a.msh --quiet
$MESHPLAN info late.mplan | grep -oE "^step of .* move"
$MESHPLAN info late.mplan --json - | python3 -c 'import json, sys; print(json.load(sys.stdin)["lags"])'
$MESHPLAN info late.mplan -v | grep -E "^  lags"
# a limit that leaves room for all is said to be of no use
$MESHPLAN generate quad 20000x8 -o b.msh --quiet
sed 's/a[.]msh/b.msh/' late.yaml >long.yaml
for limit in 3500000 1G; do
    $MESHPLAN plan long.yaml --device-memory $limit --steps-per-visit 1 --segments 8 -o large.mplan | grep -c "without a limit a plan needs no schedule" || true
done
$MESHPLAN plan late.yaml --device-memory 0 -o memory.mplan -q
$MESHPLAN verify memory.mplan --mesh a.msh --quiet
# the bytes of a plan without lag stay, also where a job says so
job now limit
job zero '{loop: limit, lag: 0}'
$MESHPLAN plan now.yaml --device-memory 0 -o now.mplan -q
$MESHPLAN plan zero.yaml --device-memory 0 -o zero.mplan -q
cmp now.mplan zero.mplan
try $MESHPLAN plan now.yaml -o x.mplan
job two '{loop: limit, lag: 2}'
try $MESHPLAN plan two.yaml -o x.mplan
job other '{loop: limit, late: 1}'
try $MESHPLAN plan other.yaml -o x.mplan
sed 's/, move]$/, {loop: move, lag: 1}]/' now.yaml >move.yaml
try $MESHPLAN plan move.yaml -o x.mplan
# parts know no lag, and say so before anything is cut or written
try $MESHPLAN plan late.yaml --device-memory 0 --parts 2 --dry-run
try $MESHPLAN plan late.yaml --device-memory 0 --parts 2 --scatter parts
[ ! -e parts ]
# nor a limit of device memory
try $MESHPLAN plan zero.yaml --parts 2 --dry-run
