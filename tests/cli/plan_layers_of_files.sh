# SPDX-License-Identifier: Apache-2.0
# Columns of different height: layers of a set from a table, or by a map from those of another set.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate cubed-sphere 4 -o sphere.msh -q
{
    echo "# floors"
    for i in $(seq 96); do echo $((i * 37 % 8)); done
} >depths.txt
cat >job.yaml <<'JOB'
meshplan: 1
mesh: sphere.msh
layers:
  nodes: {map: cells_nodes}
  cells: {file: depths.txt, layers: 9}
  edges: {map: edges_cells}
loops:
  - name: matvec
    over: cells
    layered: true
    args:
      - {dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
      - {dat: lhs, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
  - name: flux
    over: edges
    layered: true
    args:
      - {dat: q, map: edges_nodes, access: inc, dim: 2, type: f64, levels: 9}
output: sphere.mplan
JOB
$MESHPLAN plan job.yaml -q; echo "planned $?"
$MESHPLAN info sphere.mplan | grep '^  layers'
$MESHPLAN verify --quiet sphere.mplan --mesh sphere.msh; echo "verified $?"
refused() {
    sed "$1" job.yaml >wrong.yaml
    $MESHPLAN plan wrong.yaml -o wrong.mplan; echo "$?"
}
sed '5s/.*/-3/' depths.txt >wrong.txt
refused 's/depths.txt/wrong.txt/'
refused 's/layers: 9}/layers: 6}/'
refused 's/layers: 9}/depth: 9}/'
refused 's/{map: edges_cells}/{}/'
refused 's/{map: edges_cells}/{map: edges_cells, layers: 3}/'
refused 's/{map: edges_cells}/{map: cells_faces}/'
refused 's/edges: {map: edges_cells}/edgy: {map: edges_cells}/'
refused 's/{file: depths.txt, layers: 9}/{map: cells_nodes}/'
