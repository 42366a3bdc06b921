# SPDX-License-Identifier: Apache-2.0
# Progress: none where standard error is not a terminal, unless asked for.
$MESHPLAN generate quad 60x40 -o q.msh -q
try $MESHPLAN plan q.msh --partitioner none -o q.mplan >/dev/null
try $MESHPLAN plan q.msh --partitioner none -o q.mplan --progress never >/dev/null
try $MESHPLAN plan q.msh --partitioner none -o q.mplan --progress always --quiet
$MESHPLAN plan q.msh --partitioner none -o q.mplan --progress always 2>err >/dev/null
grep -vE '^meshplan: [a-z]+ \.\.\.$' err
[ -s err ] || echo "no progress was shown"
# On a terminal one line is redrawn, and is gone at the end.
script -qec "$MESHPLAN convert q.msh q2.msh --progress always" log >/dev/null
tr '\r' '\n' <log | grep -oE 'K(read|write)$'
tr '\r' '\n' <log | sed -n 's/^.\[K\(q2.msh: .*\)/\1/p'
$MESHPLAN plan q.msh --partitioner none -o q.mplan -v 2>&1 >/dev/null | sed 's/[0-9][0-9.]*/N/g'
