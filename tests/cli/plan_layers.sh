# SPDX-License-Identifier: Apache-2.0
# A job with layers on a cubed sphere: planned, shown, proved; what it cannot say is refused with its place.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate cubed-sphere 4 -o sphere.msh
cat >job.yaml <<'JOB'
meshplan: 1
mesh: sphere.msh
layers: {cells: 7}
loops:
  - name: matvec
    over: cells
    layered: true
    args:
      - {dat: m, access: read, dim: 64, levels: 7, rows: 8, columns: owner}
      - {dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: 8, offsets: [0, 1]}
      - {dat: lhs, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 8, offsets: [0, 1]}
  - name: solve
    over: cells
    layered: columns
    args:
      - {dat: y, access: rw, dim: 2, levels: 7, columns: points}
output: sphere.mplan
JOB
$MESHPLAN plan job.yaml --strategy owner-gather,global-colour -o sphere.mplan >/dev/null
$MESHPLAN info sphere.mplan | sed -n '/layouts/,$p' | grep -vE 'block|blocks|pairs|lines|reuse|^ *$' | head -12
$MESHPLAN verify --quiet sphere.mplan --mesh sphere.msh; echo "verified $?"
refused() {
    sed "$1" job.yaml >wrong.yaml
    $MESHPLAN plan wrong.yaml -o wrong.mplan; echo "$?"
}
refused 's/cells: 7/cells: 0/'
refused 's/levels: 8, offsets: \[0, 1\]/offsets: [0, 1]/'
refused 's/layered: true/layered: yes/'
refused 's/offsets: \[0, 1\]/offsets: [0, 2]/'
refused 's/columns: owner/columns: owners/'
refused 's/    layered: columns//'
refused 's/layers: {cells: 7}//'
# one dat incremented by two args, of whose layers threads of some strategies would meet on a level
twice() {
    sed "s/^\( *- {dat: lhs.*\)levels: 8, offsets: \[0, 1\]}/\1$1}\n\1$2}/" job.yaml >twice.yaml
    for strategy in block-gather block-colour global-colour atomic; do
        $MESHPLAN plan twice.yaml --strategy $strategy --quiet -o twice.mplan; echo "$strategy $?"
    done
}
twice 'levels: 9, offsets: [0, 1]' 'levels: 9, offsets: [1, 2]'
twice 'levels: 14, offsets: [0, 1]' 'levels: 14, offsets: [0, 1], stride: 2'
