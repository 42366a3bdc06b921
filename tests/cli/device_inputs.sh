# SPDX-License-Identifier: Apache-2.0
# A device may never end: it is refused and not read. (Without the refusal this test ends by the limit of memory.)
LIMIT="--max-memory 500M"
$MESHPLAN generate quad 4x3 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o p.mplan
ln -s /dev/zero z.msh
try $MESHPLAN info $LIMIT /dev/zero
try $MESHPLAN info $LIMIT z.msh
try $MESHPLAN info $LIMIT - </dev/zero
try $MESHPLAN plan $LIMIT /dev/urandom -o x.mplan
try $MESHPLAN plan $LIMIT --map edges_cells=/dev/zero -o x.mplan
try $MESHPLAN plan $LIMIT q.msh --coordinates cells=/dev/zero -o x.mplan
try $MESHPLAN verify $LIMIT p.mplan --mesh /dev/zero
try $MESHPLAN apply $LIMIT p.mplan --set cells /dev/zero x.npy
try $MESHPLAN convert $LIMIT /dev/zero x.msh
# Null ends at once, and is an empty file.
try $MESHPLAN info $LIMIT /dev/null
try $MESHPLAN info $LIMIT - </dev/null
ls
