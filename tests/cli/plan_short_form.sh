# SPDX-License-Identifier: Apache-2.0
# --over, --inc and --read make the loop; words for sets stand for maps.
loop() {
    $MESHPLAN plan "$@" --partitioner none -o p.mplan -q
    local code=$?
    [ $code = 0 ] && $MESHPLAN info -v p.mplan | grep -E '^  (loop loop|arg)'
    echo "exit $code"
}
$MESHPLAN generate tri 5x4 -o t.msh -q
loop t.msh
loop t.msh --over faces --inc cells
loop t.msh --over faces --inc faces_cells:4:f32,nodes:1 --read nodes:2,cells
loop t.msh --over cells
loop t.msh --over edges
loop t.msh --over edges --inc nodes:3:i32
loop t.msh --over cells --read nodes
loop t.msh --over boundary_faces
loop t.msh --inc nodes
loop t.msh --over facse
loop t.msh --inc faces_knots
loop t.msh --inc cells:0
loop t.msh --inc cells:five
loop t.msh --inc cells:5:f16
loop t.msh --inc cells:
loop t.msh --over cells --inc faces_cells
