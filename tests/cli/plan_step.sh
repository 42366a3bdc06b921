# SPDX-License-Identifier: Apache-2.0
# The step of a job: its conflicts are stored, proved and shown; names of loops are looked up.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate quad 12x8 -o q.msh -q
cat >step.yaml <<'END'
meshplan: 1
mesh: q.msh
step: [save_soln, adt_calc, res_calc, bres_calc, update, adt_calc, res_calc, bres_calc, update]
loops:
  - name: save_soln
    over: cells
    calls: 1
    args: [{dat: q, access: read, dim: 4}, {dat: qold, access: write, dim: 4}]
  - name: adt_calc
    over: cells
    calls: 2
    args:
      - {dat: x, map: cells_nodes, access: read, dim: 2, type: f64}
      - {dat: q, access: read, dim: 4}
      - {dat: adt, access: write}
  - name: res_calc
    over: faces
    calls: 2
    primary: true
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: adt, map: faces_cells, access: read, dim: 1, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
  - name: bres_calc
    over: boundary_faces
    calls: 2
    args:
      - {dat: x, map: boundary_faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: boundary_faces_cells, access: read, dim: 4, type: f64}
      - {dat: adt, map: boundary_faces_cells, access: read, dim: 1, type: f64}
      - {dat: res, map: boundary_faces_cells, access: inc, dim: 4, type: f64}
      - {dat: bound, access: read, type: i32}
  - name: update
    over: cells
    calls: 2
    args:
      - {dat: qold, access: read, dim: 4}
      - {dat: q, access: write, dim: 4}
      - {dat: res, access: rw, dim: 4}
      - {dat: adt, access: read}
      - {dat: rms, access: rw}
END
$MESHPLAN plan step.yaml -q -o p.mplan && $MESHPLAN info p.mplan | sed -n '/^step/,/could be/p'
$MESHPLAN verify p.mplan --mesh step.yaml -q
echo "exit $?"
$MESHPLAN info p.mplan --json - -q | tr -d ' \n' | sed 's/{"earlier"/\n&/g; s/"loops".*//' | sed 1d
echo
$MESHPLAN info -v p.mplan | grep '^  step'
sed 's/^step: .*/step: [update, save_soln]/' step.yaml >other.yaml
$MESHPLAN verify p.mplan --mesh other.yaml -q
echo "exit $?"
$MESHPLAN plan other.yaml -q -o o.mplan && $MESHPLAN compare p.mplan o.mplan | grep step
for step in '[]' '[update, updat]' '[[update]]' update; do
    sed "s/^step: .*/step: $step/" step.yaml >bad.yaml
    $MESHPLAN plan bad.yaml -o b.mplan
    echo "exit $?"
done
