# SPDX-License-Identifier: Apache-2.0
# 65: what is not known, not supported or no valid mesh.
: >empty.msh
echo 'hello world' >words.msh
printf '0 1\n2 x\n' >edges_cells.txt
printf '<dolfin>\n' >a.xml
printf '$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n' >cut.msh
for file in empty.msh words.msh edges_cells.txt a.xml cut.msh; do
    try $MESHPLAN info $file
done
try $MESHPLAN plan words.msh -o p.mplan
try $MESHPLAN verify words.msh
head -c 100000 /dev/zero | $MESHPLAN info -
echo "exit $?"
ls
