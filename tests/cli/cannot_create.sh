# SPDX-License-Identifier: Apache-2.0
# 73: an output that cannot be created.
$MESHPLAN generate quad 4x3 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o q.mplan
mkdir folder
try $MESHPLAN generate quad 4x3 -o nowhere/q.msh
try $MESHPLAN plan q.msh --partitioner none -o nowhere/q.mplan
try $MESHPLAN plan q.msh --partitioner none -o folder
try $MESHPLAN plan q.msh --partitioner none -o p.mplan -q --json nowhere/p.json
try $MESHPLAN info q.mplan --json nowhere/p.json -q
try $MESHPLAN info q.mplan --json folder -q
try $MESHPLAN convert q.msh nowhere/q.dat
ls . folder
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w folder
    $MESHPLAN plan q.msh --partitioner none -o folder/q.mplan 2>/dev/null
    [ $? = 73 ] || echo "a folder that may not be written: not 73"
    chmod u+w folder
fi
