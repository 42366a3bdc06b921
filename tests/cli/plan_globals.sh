# SPDX-License-Identifier: Apache-2.0
# A global that a loop reads is the same for all elements: entries of windows16 need not say which element they are of.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate quad 30x20 --shuffle 2 -o q.msh -q
job() {
    cat <<JOB
meshplan: 1
mesh: q.msh
loops:
  - name: flux
    over: faces
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: dt, global: true, access: $1, dim: 1, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
plan: {strategy: [owner-gather], encoding: $2}
output: j.mplan
JOB
}
for access in read inc min; do
    for encoding in windows16 pair32 index16 index32; do
        job $access $encoding >j.yaml
        $MESHPLAN plan j.yaml -q && $MESHPLAN verify j.mplan --mesh q.msh -q
        echo "$access, $encoding: $?"
    done
done
