# SPDX-License-Identifier: Apache-2.0
# what only the planner or the mesh refuses of a job has its line and column, too
"$MESHPLAN" generate quad 4x3 -o q.msh --quiet
printf '0.5 1\n' >one.txt
cat >good.yaml <<'YAML'
meshplan: 1
mesh: q.msh
loops:
  - name: flux
    over: faces
    args:
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
  - {name: flux 2, over: cells, args: [{dat: q, access: rw, dim: 4, type: f64}]}
output: p.mplan
YAML
"$MESHPLAN" plan good.yaml --quiet >plan.log 2>&1
[ $? -eq 65 ] && grep -q libyaml plan.log && skip "this build has no libyaml"
changed() { # FROM TO [COMMAND...]: one place of the job is changed
    sed "s/$1/$2/" good.yaml >job.yaml
    cmp -s good.yaml job.yaml && echo "nothing was changed: $1"
    shift 2
    try "$MESHPLAN" "${@:-plan}" job.yaml --quiet
}
echo "# loops and args: the second of two loops whose names begin alike"
changed 'rw, dim: 4' 'rw, dim: 3'
changed 'args: \[{dat: q, access' 'args: [{dat: x, access: read}, {dat: q, map: faces_cells, access'
changed 'dat: res' 'dat: q'
changed 'name: flux 2' 'name: "flux\\n2"'
changed 'output:' 'plan: {partitioner: none, max_points: 1, strategy: [block-colour]}\noutput:'
echo "# entries of the step, layers, sets, coordinates"
changed 'output:' 'step: [flux, {loop: flux 2, lag: 1}]\noutput:'
changed 'output:' 'layers: {cells: 10}\noutput:'
changed 'output:' 'layers: {cellz: 10}\noutput:'
changed 'output:' 'layers: {cellz: {map: cells_nodes}}\noutput:'
changed 'output:' 'layers: {cells: {map: cells_cellz}}\noutput:'
changed 'loops:' 'sets: {nodes: 20, cells: 10}\nloops:'
changed 'loops:' 'coordinates: [{set: cellz, file: one.txt}]\nloops:'
echo "# parts, JSON; what names its own file has no other place"
changed 'dat: res, map: faces_cells, access: inc' 'dat: q, map: faces_cells, access: inc' plan --parts 2 --json r.json
python3 -c 'import json; e = json.load(open("r.json"))["error"]; print(e["file"], e["line"], e["exit_code"])'
changed 'q.msh' 'none.msh'
