# SPDX-License-Identifier: Apache-2.0
# An element that no block can hold: strategies without blocks take the loop, those with blocks are refused with the element.
awk 'BEGIN { for (e = 0; e < 60; e++) { n = e == 41 ? 70000 : 3; row = e
    for (k = 1; k < n; k++) row = row "," e + k
    print row } }' >ties.csv
for strategy in auto atomic global-colour two-step atomic,two-step; do
    $MESHPLAN plan --map ties_nodes=ties.csv --strategy $strategy -o p.mplan -q && $MESHPLAN verify p.mplan -q && echo "$strategy: proved"
done
$MESHPLAN plan --map ties_nodes=ties.csv --allow-nondeterministic -o p.mplan -q
$MESHPLAN info p.mplan | grep -A 3 '^loop'
$MESHPLAN export p.mplan -o p.part; echo "exit $?"
for strategy in block-colour two-step,block-colour; do
    try $MESHPLAN plan --map ties_nodes=ties.csv --strategy $strategy -o no.mplan
done
# A file is named; what a job refuses has its place.
$MESHPLAN generate quad 8x4 -o q.msh -q
try $MESHPLAN plan q.msh --over cells --inc nodes --strategy block-gather --max-points 3 -o no.mplan
try $MESHPLAN plan q.msh --over cells --inc nodes --strategy block-colour --shared-bytes 100 -o no.mplan
# Limits of one's own: without blocks that are run they keep nothing out; blocks of other partitioners give the order only.
for partitioner in none native hilbert; do
    $MESHPLAN plan q.msh --over cells --inc nodes --strategy atomic,owner-gather --max-points 3 --partitioner $partitioner -o p.mplan -q &&
        $MESHPLAN verify p.mplan --mesh q.msh -q && echo "$partitioner: proved"
done
# Parts of which one has it; all of them together, or each by itself.
$MESHPLAN plan --map ties_nodes=ties.csv --parts 3 -o whole.mplans -q && $MESHPLAN verify whole.mplans -q && echo "parts: proved"
$MESHPLAN plan --map ties_nodes=ties.csv --parts 3 --scatter parts -q
mkdir array
for part in 0 1 2; do
    $MESHPLAN plan gone.csv --parts parts --part $part -o array/part-$part.mplan -q
done
$MESHPLAN join array -o joined.mplans -q && cmp whole.mplans joined.mplans && echo "equal bytes"
[ ! -e no.mplan ] || echo 'no.mplan is there'
# A part names the element as the file does.
$MESHPLAN convert ties.csv ties.npz -q
try $MESHPLAN plan ties.npz --strategy block-colour --parts 3 -o no.mplans
