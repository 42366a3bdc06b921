# SPDX-License-Identifier: Apache-2.0
# a set or map that a job's loop names and nothing has: line, column, nearest word
"$MESHPLAN" generate quad 4x3 -o q.msh --quiet
job() {
    cat >job.yaml <<YAML
meshplan: 1
mesh: q.msh
loops:
  - name: flux
    over: $1
    args: [{dat: r, map: $2, access: inc, dim: 1, type: f64}]
plan: {partitioner: none}
output: p.mplan
YAML
}
job faces faces_cells
"$MESHPLAN" plan job.yaml --quiet >plan.log 2>&1
[ $? -eq 65 ] && grep -q libyaml plan.log && skip "this build has no libyaml"
job face faces_cells
try "$MESHPLAN" plan job.yaml --quiet
job faces faces_cell
try "$MESHPLAN" plan job.yaml --quiet
job nodes nodes_faces # neither the mesh's nor in the list, but it can be transposed
try "$MESHPLAN" plan job.yaml --quiet
