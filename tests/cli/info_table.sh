# SPDX-License-Identifier: Apache-2.0
# A table becomes two sets and a map; names come from the file's; -1 means none.
printf '0 1\n1 2\n2 3\n3 -1\n' >edges_cells.txt
try $MESHPLAN info edges_cells.txt
cp edges_cells.txt t.txt
try $MESHPLAN info t.txt
try $MESHPLAN info t.txt --derive
try $MESHPLAN convert edges_cells.txt faces_cells.npy
try $MESHPLAN info faces_cells.npy --json -
