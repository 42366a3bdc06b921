# SPDX-License-Identifier: Apache-2.0
# What no strategy, or not the named one, may run side by side is refused; auto chooses what may.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate quad 12x8 -o q.msh -q
# job NAME STRATEGY ARG...: a loop over the faces
job() {
    local name=$1 strategy=$2
    shift 2
    {
        echo 'meshplan: 1'
        echo 'mesh: q.msh'
        echo 'loops:'
        echo '  - name: flux'
        echo '    over: faces'
        echo '    args:'
        printf '      - {%s, dim: 2, type: f64}\n' "$@"
        echo "plan: {strategy: $strategy, partitioner: none}"
    } >"$name.yaml"
    rm -f "$name.mplan"
    try $MESHPLAN plan "$name.yaml" -o "$name.mplan" -q
    [ ! -e "$name.mplan" ] || try $MESHPLAN verify "$name.mplan" --mesh q.msh -q
}
for strategy in auto global-colour block-colour two-step atomic block-gather owner-gather; do
    job both $strategy 'dat: q, map: faces_cells, access: read' 'dat: q, map: faces_cells, access: inc'
done
for strategy in global-colour block-colour two-step atomic; do
    job updated $strategy 'dat: q, map: faces_cells, access: rw'
done
for strategy in atomic owner-gather; do
    job direct $strategy 'dat: r, map: faces_cells, access: inc' 'dat: w, access: read' \
        'dat: w, access: write'
done
job direct auto 'dat: r, map: faces_cells, access: inc' 'dat: w, access: rw' 'dat: w, access: read'
$MESHPLAN info direct.mplan | grep -c owner-gather
job updated auto 'dat: q, map: faces_cells, access: rw'
$MESHPLAN info updated.mplan | grep -E -c 'global-colour|block-colour'
job two atomic 'dat: q, map: faces_cells, access: rw' 'dat: q, map: faces_cells, access: inc'
# one dat is one thing in the whole plan
for other in 'access: rw, dim: 64, type: f64' 'access: rw, dim: 1, type: i64' \
    'map: cells_nodes, access: read, dim: 1, type: f64'; do
    cat >dims.yaml <<END
meshplan: 1
mesh: q.msh
loops:
  - {name: first, over: cells, args: [{dat: q, access: read, dim: 1, type: f64}]}
  - {name: second, over: cells, args: [{dat: q, $other}]}
output: dims.mplan
END
    try $MESHPLAN plan dims.yaml -q
done
ls *.mplan
# what is planned and no executor runs
try $MESHPLAN plan updated.yaml -o updated.mplan >/dev/null
