# Progress: none where standard error is no terminal, unless asked for.
$MESHPLAN generate quad 60x40 -o q.msh -q
try $MESHPLAN plan q.msh --partitioner none -o q.mplan >/dev/null
try $MESHPLAN plan q.msh --partitioner none -o q.mplan --progress never >/dev/null
try $MESHPLAN plan q.msh --partitioner none -o q.mplan --progress always --quiet
$MESHPLAN plan q.msh --partitioner none -o q.mplan --progress always 2>err >/dev/null
grep -vE '^meshplan: [a-z]+ \.\.\.$' err
[ -s err ] || echo "no progress was shown"
$MESHPLAN plan q.msh --partitioner none -o q.mplan -v 2>&1 >/dev/null | sed 's/[0-9][0-9.]*/N/g'
