# SPDX-License-Identifier: Apache-2.0
# The same args run; a plan whose loop has the application's name and other args: refused, whatever differs.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate tri 6x6 -o m.msh --quiet
q='{dat: q, map: faces_cells, access: read, dim: 4, type: f64}'
adt='{dat: adt, map: faces_cells, access: read, dim: 1, type: f64}'
normal='{dat: normal, access: read, dim: 2, type: f64}'
res='{dat: res, map: faces_cells, access: inc, dim: 4, type: f64}'
# run_args OVER ARG...: plans flux2d over these args, and runs the application on the plan.
run_args() {
    over=$1
    shift
    {
        printf 'meshplan: 1\nmesh: m.msh\nloops:\n  - name: flux2d\n    over: %s\n    args:\n' "$over"
        printf '      - %s\n' "$@"
        printf 'plan: {block_size: 16, strategy: [two-step], partitioner: none}\noutput: p.mplan\n'
    } >job.yaml
    $MESHPLAN plan job.yaml --quiet || return
    try $MESHPLAN run flux2d --mesh m.msh --plan p.mplan --repeats 0 --quiet
}
run_args faces "$q" "$adt" "$normal" "$res"
run_args faces "$(echo "$q" | sed 's/dim: 4/dim: 64/')" "$adt" "$normal" "$res"
run_args faces "$q" "$(echo "$adt" | sed 's/dim: 1/dim: 2/')" "$normal" "$res"
run_args faces "$q" "$adt" "$(echo "$normal" | sed 's/dim: 2/dim: 1000/')" "$res"
run_args faces "$q" "$adt" "$normal" "$(echo "$res" | sed 's/dim: 4/dim: 3/')"
run_args faces "$(echo "$q" | sed 's/f64/f32/')" "$adt" "$normal" "$res"
run_args faces "$q" "$adt" "$normal" "$(echo "$res" | sed 's/f64/i64/')"
run_args faces "$q" "$adt" "$(echo "$normal" | sed 's/access: read/access: write/')" "$res"
run_args faces "$(echo "$q" | sed 's/faces_cells/faces_nodes/')" "$adt" "$normal" "$res"
run_args faces "$q" "$adt" "$(echo "$normal" | sed 's/normal/speed/')" "$res"
run_args faces "$q" "$adt" '{dat: normal, map: faces_nodes, access: read, dim: 2, type: f64}' "$res"
run_args faces "$q" "$adt" "$res"
run_args boundary_faces "$(echo "$q" | sed 's/faces_cells/boundary_faces_cells/')" \
    "$(echo "$adt" | sed 's/faces_cells/boundary_faces_cells/')" "$normal" \
    "$(echo "$res" | sed 's/faces_cells/boundary_faces_cells/')"
