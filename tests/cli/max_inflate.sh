# SPDX-License-Identifier: Apache-2.0
# 71: compressed inputs that hold more than they may.
$MESHPLAN --version | grep -q '^zlib' || skip "this build is without zlib"
printf '0 1\n1 2\n' >lines.txt
head -c 3000000 /dev/zero | tr '\0' '\n' >>lines.txt
gzip -k lines.txt
try $MESHPLAN info lines.txt.gz --quiet
try $MESHPLAN info lines.txt.gz --quiet --max-inflate 3M
try $MESHPLAN info lines.txt.gz --quiet --max-inflate 2000K
try $MESHPLAN info - --quiet --max-inflate 2000K <lines.txt.gz
try $MESHPLAN info lines.txt.gz --quiet --max-memory 2000K
$MESHPLAN generate quad 40x30 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none --compress -q -o q.mplan
try $MESHPLAN info q.mplan --quiet --max-inflate 1000
try $MESHPLAN verify q.mplan --quiet --max-inflate 1000
try $MESHPLAN verify q.mplan --quiet --max-inflate 1M
if $MESHPLAN --version | grep -q '^expat'; then
    $MESHPLAN convert q.msh q.vtu -q
    $MESHPLAN info q.vtu --quiet --max-inflate 1000 2>&1 | sed 's/^/vtu: /' >vtu.txt
    grep -q 'vtu: meshplan: q.vtu: the compressed data hold more than 1000 bytes' vtu.txt || cat vtu.txt
    $MESHPLAN info q.vtu --quiet --max-inflate 1M
fi
