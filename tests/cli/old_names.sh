# SPDX-License-Identifier: Apache-2.0
# Older names of options still work, each with one line on standard error; they may be cut short, too.
notices() { "$@" 2>&1 >/dev/null | grep 'is now called'; }
$MESHPLAN generate quad 4x4 -o q.msh -q
$MESHPLAN plan q.msh -o q.mplan -q
notices $MESHPLAN info q.msh --format gmsh --form gmsh
notices $MESHPLAN verify q.mplan --mesh q.msh --format gmsh
notices $MESHPLAN report q.mplan -o q.html --mesh q.msh --format gmsh
notices $MESHPLAN plan q.msh -o p.mplan --format gmsh --device-profile a100
notices $MESHPLAN partition q.msh -k 2 -o q.part --format gmsh
notices $MESHPLAN generate quad 4x4 -o q.dat --format op2
notices $MESHPLAN convert q.msh c.dat --format op2
notices $MESHPLAN renumber q.msh r.dat --format op2
notices $MESHPLAN export q.mplan -o q.vtu --format vtu --mesh q.msh --mesh-format gmsh
cmp q.dat c.dat
# --device was the number of a GPU in `run`, and is the name of a profile
run="$MESHPLAN run res_calc --repeats 0"
notices $run --mesh q.msh --format gmsh --device 0 --device-profile v100
notices $run --mesh q.msh --device=0
echo "none of these"
notices $run --mesh q.msh --from gmsh --gpu 0 --device v100
notices $MESHPLAN info q.msh --format gmsh --quiet
try $MESHPLAN run res_calc --mesh q.msh --device v101
try $MESHPLAN info q.msh --formats gmsh
