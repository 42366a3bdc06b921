# SPDX-License-Identifier: Apache-2.0
# Pages on plans; what they hold is tested by tests/package/report.py.
$MESHPLAN generate quad 6x5 -o q.msh -q
$MESHPLAN plan q.msh --strategy block-colour,global-colour --partitioner none --block-size 16 -q -o q.mplan
try $MESHPLAN report q.mplan --mesh q.msh -o q.html
$MESHPLAN report q.mplan --mesh q.msh -o - | cmp - q.html
$MESHPLAN report q.mplan --mesh q.msh --threads 1 -q -o one.html && cmp one.html q.html
try $MESHPLAN report q.mplan --mesh q.msh --variant 1 -q -o v.html
cmp -s v.html q.html || echo "another variant, another page"
try $MESHPLAN report q.mplan -o plain.html
sed 's/<[^>]*>//g' plain.html | grep -A3 '^Imbalance\|^Small\|No pictures'
$MESHPLAN generate quad 6x4 -o other.msh -q
try $MESHPLAN report q.mplan --mesh other.msh -o no.html
try $MESHPLAN report q.mplan
try $MESHPLAN report q.mplan --from gmsh -o no.html
try $MESHPLAN report q.mplan --loop lop -o no.html
try $MESHPLAN report q.mplan --variant 2 -o no.html
try $MESHPLAN report q.mplan -o q.mplan
try $MESHPLAN report - --mesh - -o no.html
try $MESHPLAN report q.msh -o no.html
try $MESHPLAN report q.mplan -o nowhere/no.html
ls
