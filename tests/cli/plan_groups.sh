# SPDX-License-Identifier: Apache-2.0
# Loops over groups: sets of the plan, their maps and members; proved with and without the mesh.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate naca0012 24x6 -o n.msh -q
cat >n.yaml <<'END_OF_JOB'
meshplan: 1
mesh: n.msh
plan: {partitioner: none}
loops:
  - name: flux
    over: faces
    primary: true
    args:
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
  - name: slip
    over: airfoil
    args:
      - {dat: x, map: airfoil_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: airfoil_cells, access: read, dim: 4, type: f64}
      - {dat: force, access: write, dim: 2}
      - {dat: res, map: airfoil_cells, access: inc, dim: 4, type: f64}
  - name: far
    over: group:farfield
    args:
      - {dat: speed, map: group:farfield_boundary_faces, access: read, dim: 1, type: f64}
      - {dat: res, map: group:farfield_cells, access: inc, dim: 4, type: f64}
END_OF_JOB
$MESHPLAN plan n.yaml -q -o n.mplan && $MESHPLAN info n.mplan | sed -n '/^  set /,/a group/p;/^  group.*a group/p;/^  map /,/layouts/p'
$MESHPLAN verify n.mplan --mesh n.yaml | sed -n '/groups are/p;/agree with/p'
$MESHPLAN info n.mplan --json - -q | tr -d ' \n' | grep -o '"group_of":{[^}]*}'
$MESHPLAN export n.mplan -q -o arrays/ && ls arrays | grep parent_index
$MESHPLAN report n.mplan -q -o n.html && grep -o 'a group of [a-z_]*' n.html
# by the short form; the maps of a group are derived as those of any set
$MESHPLAN plan n.msh --over airfoil --inc cells:4 --read nodes:2,boundary_faces:1 -q -o a.mplan
$MESHPLAN verify a.mplan --mesh n.msh -q
echo "exit $?"
# another mesh: as many cells, but other members
$MESHPLAN generate naca0012 48x3 -o other.msh -q
$MESHPLAN verify a.mplan --mesh other.msh -q
echo "exit $?"
# plans without groups are of format 1.1, as before
$MESHPLAN plan n.msh --over boundary_faces --inc cells:4 --strategy atomic -q -o b.mplan
$MESHPLAN info b.mplan | grep -o 'format [0-9.]*'; $MESHPLAN info a.mplan | grep -o 'format [0-9.]*'
$MESHPLAN compare a.mplan b.mplan | grep group
# with the prefix in the short form
$MESHPLAN plan n.msh --over group:airfoil --inc cells:4 -q -o c.mplan && $MESHPLAN info c.mplan | grep -o 'group:airfoil_cells'
# names that nothing has
for over in airfoi group:airfoi; do
    sed "s/over: airfoil/over: $over/" n.yaml >bad.yaml
    $MESHPLAN plan bad.yaml -o bad.mplan
    echo "exit $?"
done
$MESHPLAN plan n.msh --over farfeld -o bad.mplan
echo "exit $?"
$MESHPLAN plan n.msh --over group:farfeld -o bad.mplan
echo "exit $?"
