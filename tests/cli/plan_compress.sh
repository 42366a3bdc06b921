# SPDX-License-Identifier: Apache-2.0
$MESHPLAN generate quad 200x100 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none --compress -q -o small.mplan 2>err || {
    grep -q zlib err && skip "no zlib in this build"
    cat err
}
try $MESHPLAN plan q.msh --partitioner none -q -o raw.mplan
[ $(stat -c %s small.mplan) -lt $(stat -c %s raw.mplan) ] || echo "not smaller"
try $MESHPLAN compare small.mplan raw.mplan
try $MESHPLAN verify small.mplan --mesh q.msh -q
gzip -c q.msh >q.msh.gz
try $MESHPLAN verify small.mplan --mesh q.msh.gz -q
