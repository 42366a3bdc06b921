# SPDX-License-Identifier: Apache-2.0
# A built-in application on a plan file, and plan files that do not fit.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
brief() {
    sed -E 's/.*"strategy": ?"([^"]*)".*"equal_bits": ?([a-z]*).*"status": ?"([^"]*)".*/\1 \2 \3/'
}
cat >job.yaml <<'JOB'
meshplan: 1
mesh: m.msh
loops:
  - name: flux2d
    over: faces
    args:
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: adt, map: faces_cells, access: read, dim: 1, type: f64}
      - {dat: normal, access: read, dim: 2, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
plan: {block_size: 16, strategy: [two-step, owner-gather], partitioner: none}
output: p.mplan
JOB
$MESHPLAN generate tri 6x6 -o m.msh --quiet
$MESHPLAN plan job.yaml --quiet
$MESHPLAN run flux2d --mesh m.msh --plan p.mplan --repeats 0 --json - | brief
try $MESHPLAN run flux2d --mesh tri:6x5 --plan p.mplan --repeats 0 --quiet
try $MESHPLAN run volna --mesh m.msh --plan p.mplan --repeats 0 --quiet
try $MESHPLAN run flux2d --mesh m.msh --plan p.mplan --strategy atomic
