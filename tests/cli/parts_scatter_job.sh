# SPDX-License-Identifier: Apache-2.0
# Parts of a job from files of their own: two loops, three sets, the job without its mesh.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate quad 14x9 --shuffle 3 -o q.msh -q
cat >job.yaml <<'END'
meshplan: 1
mesh: q.msh
loops:
  - name: flux
    over: faces
    primary: true
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: r, map: faces_cells, access: inc, dim: 4, type: f64}
  - name: add
    over: cells
    args:
      - {dat: r, access: rw, dim: 4, type: f64}
      - {dat: n, map: cells_nodes, access: inc, dim: 1, type: f64}
output: job.mplan
END
$MESHPLAN plan job.yaml --parts 4 -o whole.mplans -q
try $MESHPLAN plan job.yaml --parts 4 --scatter parts
mkdir array
mv q.msh hidden.msh
for i in 0 1 2 3; do $MESHPLAN plan job.yaml --parts parts --part $i -o array/part-$i.mplan -q; done
mv hidden.msh q.msh
$MESHPLAN join array -o joined.mplans -q && cmp joined.mplans whole.mplans && echo "of a job, too"
