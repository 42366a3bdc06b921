# SPDX-License-Identifier: Apache-2.0
# Closed standard streams: what is opened later does not take their place, and
# nothing that was to be printed is lost in silence.
$MESHPLAN generate quad 5x4 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -o p.mplan -q
$MESHPLAN plan q.msh --partitioner none -o r.mplan --progress always 2>&- >/dev/null
echo "exit $?"
try $MESHPLAN verify r.mplan --mesh q.msh -q
cmp p.mplan r.mplan
$MESHPLAN info q.msh >&-
echo "exit $?"
$MESHPLAN plan q.msh --partitioner none -o - -q >&-
echo "exit $?"
$MESHPLAN info - <&-
echo "exit $?"
$MESHPLAN plan q.msh --partitioner none -o s.mplan -q <&- >&- 2>&-
echo "exit $?"
cmp p.mplan s.mplan
ls
