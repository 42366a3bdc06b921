# SPDX-License-Identifier: Apache-2.0
# METIS k-way is the default of -k: every part there, the balance kept, the cut small.
$MESHPLAN --version | grep -q '^metis ' || skip "no METIS"
$MESHPLAN generate quad 40x40 --shuffle 3 -o q.msh -q
try $MESHPLAN partition q.msh -k 8 -q
wc -l <q.msh.part.8
sort -n q.msh.part.8 | uniq | tr '\n' ' '
echo
sort -n q.msh.part.8 | uniq -c | awk '$1 > 1.03 * 200 + 1 { print "a part of " $1 " cells" }'
$MESHPLAN partition q.msh -k 8 -o again.part -q
cmp again.part q.msh.part.8
$MESHPLAN partition q.msh -k 8 -o - --json cut.json | cmp - again.part
grep -E '"(partitioner|graph|edges|moved)"' cut.json
awk '/"edge_cut"/ { exit !($2 + 0 < 240) }' cut.json || cat cut.json
try $MESHPLAN partition q.msh --block-size 100 --partitioner metis -o b.part -q
sort -n b.part | uniq -c | awk '$1 > 100 { print "a part of " $1 " cells" }'
# More parts than METIS fills by itself.
try $MESHPLAN partition q.msh -k 1500 -o many.part 2>/dev/null | sed -n 1p
sort -n many.part | uniq | wc -l
