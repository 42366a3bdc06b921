# SPDX-License-Identifier: Apache-2.0
# Built-in applications on the host: every strategy, JSON lines, plan files, refusals.
brief() {
    sed -E 's/.*"strategy": ?"([^"]*)".*"equal_bits": ?([a-z]*).*"status": ?"([^"]*)".*/\1 \2 \3/'
}
try $MESHPLAN run --list
all=global-colour,block-colour,two-step,atomic,block-gather,owner-gather
for app in res_calc:quad volna:tri bookleaf:quad lulesh:hex miniaero:hex edgefv:tet fescatter:tet \
    flux2d:tri flux3d:tet volna_step:tri miniaero_rk4:tet bookleaf_getq:quad cg:hex jacobi:hex himeno:hex cip:quad \
    flux3d_step:tet; do
    mesh=${app#*:}:6x5
    [[ $app == *:hex || $app == *:tet ]] && mesh=${mesh}x4
    echo "${app%:*} on $mesh"
    $MESHPLAN run ${app%:*} --mesh $mesh --shuffle 3 --strategy $all --block-size 16 \
        --partitioner none --repeats 0 --iterations 2 --json - | brief
done
for mesh in boundary-layer:24x8 wing:12x6x3; do
    echo "mixed on $mesh"
    $MESHPLAN run mixed --mesh $mesh --cells hybrid --shuffle 3 --block-size 16 --partitioner none --repeats 0 \
        --strategy global-colour,block-colour,two-step,atomic --iterations 2 --json - | brief
done
try $MESHPLAN run mixed --mesh quad:4x4 --repeats 0
echo "boundary layers: as those that generate writes"
for cells in quad hybrid; do
    $MESHPLAN generate boundary-layer 24x8 --cells $cells --first-height 1e-3 --growth 1.3 --shuffle 3 \
        -o layer.msh --quiet
    for mesh in layer.msh "boundary-layer:24x8 --cells $cells --first-height 1e-3 --growth 1.3 --shuffle 3"; do
        $MESHPLAN run flux2d --mesh $mesh --strategy two-step --block-size 16 --repeats 0 --json - --quiet |
            sed -E 's/"(mesh|[a-z_]*_s|plan_seconds)": ?("[^"]*"|[0-9.e+-]+),? ?//g; s/"options": \{[^}]*\},? ?//' >row.${mesh%%[.:]*}
    done
    cmp row.layer row.boundary-layer && brief <row.layer
done
echo "sums and sizes"
$MESHPLAN run flux2d --mesh quad:8x8 --strategy block-gather,two-step --sums partial,atomic,colour \
    --block-size 8,16 --repeats 0 --json lines --quiet
wc -l <lines
echo "airfoil"
$MESHPLAN run airfoil --mesh naca0012:30x10 --executor openmp --threads 2 --strategy two-step \
    --iterations 3 --repeats 1 --json a | head -1
brief <a
echo "airfoil without a wall: the flow stays uniform, and what is compared must not be rounding only"
$MESHPLAN generate quad 30x20 --jitter 0.3 -o walls.su2 --quiet
sed '/NMARK/,$d' walls.su2 >open.su2
$MESHPLAN run airfoil --mesh open.su2 --strategy $all --iterations 1 --repeats 0 --json - --quiet | brief
try $MESHPLAN run airfoil --mesh quad:4x4 --strategy two-step --iterations 1 --repeats 0 --quiet
$MESHPLAN generate tri 6x6 -o m.msh --quiet
echo "refusals"
try $MESHPLAN run
try $MESHPLAN run --list flux2d
try $MESHPLAN run flux
try $MESHPLAN run flux2d
try $MESHPLAN run flux2d --mesh quad:4
try $MESHPLAN run flux2d --mesh nothing.msh
try $MESHPLAN run flux2d --mesh m.msh --shuffle 3
try $MESHPLAN run flux2d --mesh m.msh --first-height 1e-3
try $MESHPLAN run flux2d --mesh boundary-layer:24x8 --growth 0
try $MESHPLAN run flux2d --mesh boundary-layer:24x8 --cells prism
try $MESHPLAN run lulesh --mesh tet:2x2x2
try $MESHPLAN run euler2d --mesh cubed-sphere:3
try $MESHPLAN run bookleaf_getq --mesh cubed-sphere:3
try $MESHPLAN run flux2d --mesh quad:4x4 --strategy two-step --block-size 2000
try $MESHPLAN run flux2d --mesh quad:4x4 --strategy two-steps
