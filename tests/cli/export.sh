# SPDX-License-Identifier: Apache-2.0
# npy files into a folder, or a part file.
$MESHPLAN generate quad 6x5 -o q.msh -q
$MESHPLAN plan q.msh --strategy block-colour --partitioner none --block-size 16 -q -o q.mplan
try $MESHPLAN export q.mplan -o new/
ls new
python3 - <<'END'
import json, os
json.load(open("new/index.json"))
assert all(open("new/" + n, "rb").read(6) == b"\x93NUMPY" for n in os.listdir("new") if n.endswith(".npy"))
END
mkdir old
try $MESHPLAN export q.mplan -o old
diff -r new old
try $MESHPLAN export q.mplan -o q.part
sort -n q.part | uniq -c
$MESHPLAN export q.mplan --to part -o - | cmp - q.part
try $MESHPLAN export q.mplan -o q.vtu
try $MESHPLAN export q.mplan
try $MESHPLAN export q.mplan --to vtk -o q.vtu
try $MESHPLAN export q.msh -o q.part
try $MESHPLAN export q.mplan -o nowhere/q.part
try $MESHPLAN export q.mplan -o q.part/
ls
