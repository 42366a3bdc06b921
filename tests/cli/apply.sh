# SPDX-License-Identifier: Apache-2.0
# Into stored order and back gives the same array.
cat >numbers.py <<'END'
import struct, sys
name, rows, cols = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, cols)
head += " " * (63 - (10 + len(head)) % 64) + "\n"
with open(name, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
    file.write(struct.pack("<%dd" % (rows * cols), *range(rows * cols)))
END
$MESHPLAN generate quad 6x5 --shuffle 2 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none --block-size 16 -q -o q.mplan
python3 numbers.py q.npy 30 4
python3 numbers.py wrong.npy 31 4
python3 numbers.py q5.npy 30 5
try $MESHPLAN apply q.mplan --set cells q.npy stored.npy
cmp -s q.npy stored.npy && echo "nothing moved"
try $MESHPLAN apply q.mplan --set cells stored.npy back.npy --inverse
cmp q.npy back.npy
$MESHPLAN apply q.mplan --set cells q.npy - | cmp - stored.npy
try $MESHPLAN apply q.mplan --set cells - stored2.npy -q <q.npy
cmp stored.npy stored2.npy
try $MESHPLAN apply q.mplan q.npy no.npy
try $MESHPLAN apply q.mplan --set cell q.npy no.npy
try $MESHPLAN apply q.mplan --set cells q.npy
try $MESHPLAN apply q.mplan --set cells wrong.npy no.npy
try $MESHPLAN apply q.mplan --set cells q.msh no.npy
try $MESHPLAN apply q.mplan --set cells missing.npy no.npy
try $MESHPLAN apply q.msh --set cells q.npy no.npy
try $MESHPLAN apply q.mplan --set cells q.npy nowhere/no.npy
try $MESHPLAN apply q.mplan --set cells --dat q q.npy no.npy
try $MESHPLAN apply q.mplan --dat no q.npy no.npy
try $MESHPLAN apply q.mplan --dat read1 q5.npy image.npy
try $MESHPLAN apply q.mplan --dat read1 image.npy back2.npy --inverse
cmp q5.npy back2.npy
try $MESHPLAN apply q.mplan --dat read1 q.npy no.npy
ls
