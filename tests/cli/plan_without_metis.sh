$MESHPLAN --version | grep -q '^metis' && skip "this build has METIS"
$MESHPLAN generate quad 4x3 -o q.msh -q
try $MESHPLAN plan q.msh -o q.mplan
ls
