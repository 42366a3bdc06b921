# SPDX-License-Identifier: Apache-2.0
# An output replaces neither an input nor the other output.
$MESHPLAN generate quad 4x3 -o q.msh -q
cp q.msh kept.msh
ln -s q.msh link.mplan
try $MESHPLAN plan q.msh --partitioner none -q -o q.msh
try $MESHPLAN plan q.msh --partitioner none -q -o ./q.msh
try $MESHPLAN plan q.msh --partitioner none -q -o link.mplan
try $MESHPLAN plan q.msh --partitioner none -q -o p.mplan --json q.msh
try $MESHPLAN plan q.msh --partitioner none -q -o p.mplan --json p.mplan
cmp q.msh kept.msh
$MESHPLAN plan q.msh --partitioner none -q -o p.mplan
cp p.mplan kept.mplan
try $MESHPLAN info p.mplan -q --json p.mplan
try $MESHPLAN verify p.mplan -q --json ./p.mplan
try $MESHPLAN export p.mplan -q --to part -o p.mplan
try $MESHPLAN apply p.mplan -q --set cells q.npy p.mplan
cmp p.mplan kept.mplan
try $MESHPLAN plan q.msh --partitioner none -q -o /dev/null --json /dev/null
ls
