# SPDX-License-Identifier: Apache-2.0
# Whole numbers are a mapping table only where the name, an option or their own sums say so.
printf '5 3 0\n1 1 2 3\n2 2 3 4\n3 3 4 5\n4 4 5 1\n5 5 1 2\n' >mesh.ele
printf '4 3\n2\n1 3\n2 4\n3\n' >square
printf '1 2\n2 3\n3 4\n4 1\n' >edges_nodes.txt
try $MESHPLAN plan mesh.ele -o p.mplan
test ! -e p.mplan
try $MESHPLAN plan - -o p.mplan <mesh.ele
sed '1s/^/# /' mesh.ele >rows.txt
try $MESHPLAN info rows.txt
cp mesh.ele header.txt
try $MESHPLAN info header.txt
try $MESHPLAN info - --from text <edges_nodes.txt
try $MESHPLAN info - <square
try $MESHPLAN info square
try $MESHPLAN info edges_nodes.txt
try $MESHPLAN plan --map edges_nodes=edges_nodes.txt:1 --over edges --inc edges_nodes -o p.mplan -q
