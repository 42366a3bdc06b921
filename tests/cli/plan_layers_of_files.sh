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
for i in $(seq 96); do for k in $(seq 9); do echo -n "$(((i + k) % 3 > 0)) "; done; echo; done >wet.txt
sed 's/layers: 9}/layers: 9, mask: wet.txt}/' job.yaml >masked.yaml
$MESHPLAN plan masked.yaml -o masked.mplan -q; echo "planned $?"
$MESHPLAN info masked.mplan | grep '^  layers'
$MESHPLAN info masked.mplan --json - | grep -o '"layers_there": *[0-9]*'
$MESHPLAN verify --quiet masked.mplan --mesh sphere.msh; echo "verified $?"
# The same as bools of NumPy: another file, the same plan.
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '|b1', 'fortran_order': False, 'shape': (96, 9), }"
    tr -d ' \n' <wet.txt | tr 01 '\000\001'
} >wet.npy
sed 's/layers: 9}/layers: 9, mask: wet.npy}/' job.yaml >bools.yaml
$MESHPLAN plan bools.yaml -o bools.mplan -q; echo "planned $?"
cmp masked.mplan bools.mplan && echo "equal"
sed 's/{file: depths.txt, layers: 9}/{layers: 9, mask: wet.txt}/' job.yaml >masked.yaml
$MESHPLAN plan masked.yaml -o masked.mplan -q; echo "planned $?"
$MESHPLAN info masked.mplan | grep '^  layers'
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
refused 's/layers: 9}/layers: 8, mask: wet.txt}/'
sed '3s/1/2/' wet.txt >wrong.txt
refused 's/layers: 9}/layers: 9, mask: wrong.txt}/'
refused 's/{map: edges_cells}/{map: edges_cells, mask: wet.txt}/'
