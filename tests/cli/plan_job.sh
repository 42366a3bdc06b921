# SPDX-License-Identifier: Apache-2.0
# A job says everything; options of the command line go before it.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
mkdir jobs
$MESHPLAN generate quad 12x8 -o jobs/q.msh -q
cat >jobs/two.yaml <<'END'
meshplan: 1
mesh: q.msh
loops:
  - name: flux
    over: faces
    primary: true
    calls: 2
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
  - {name: update, over: cells, args: [{dat: q, access: rw, dim: 4, type: f64}]}
plan: {block_size: 32, strategy: [block-colour, atomic], partitioner: none}
output: two.mplan
END
try $MESHPLAN plan jobs/two.yaml
try $MESHPLAN verify jobs/two.mplan --mesh jobs/two.yaml
try $MESHPLAN verify jobs/two.mplan --mesh jobs/q.msh -q
# the same mesh, but another dim, access, type or option
for change in 's/inc,  *dim: 4/inc, dim: 5/' 's/res, map: faces_cells, access: inc/res, map: faces_cells, access: read/' \
    '/dat: x,/s/f64/f32/' 's/calls: 2/calls: 3/' 's/block_size: 32/block_size: 64/' 's/update/later/'; do
    sed "$change" jobs/two.yaml >jobs/other.yaml
    try $MESHPLAN verify jobs/two.mplan --mesh jobs/other.yaml
done
$MESHPLAN verify jobs/two.mplan --mesh jobs/other.yaml --json - -q 2>/dev/null | grep '"status"'
try $MESHPLAN plan jobs/two.yaml --block-size 16 --strategy two-step -o other.mplan -q
$MESHPLAN info -v other.mplan | grep -E 'block_size|^  strategy'
for option in '--over cells' '--inc cells' '--read nodes' '--none skip' '--map a_b=f' \
    '--coordinates a=f' '--from su2'; do
    try $MESHPLAN plan jobs/two.yaml $option
done
sed '/^output/d' jobs/two.yaml >jobs/silent.yml
try $MESHPLAN plan jobs/silent.yml
sed 's/primary/primry/' jobs/two.yaml >jobs/bad.yaml
try $MESHPLAN plan jobs/bad.yaml
try $MESHPLAN plan jobs/missing.yaml
sed 's/q.msh/r.msh/' jobs/two.yaml >jobs/nomesh.yaml
try $MESHPLAN plan jobs/nomesh.yaml
try $MESHPLAN convert jobs/two.yaml q.dat
ls . jobs
