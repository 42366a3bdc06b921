# SPDX-License-Identifier: Apache-2.0
# 71: what an input of some bytes may make of memory, and what --max-memory says otherwise.
printf '0 20000000\n' >edges_points.txt
printf '1 1\n2 3 300000000\n' >a.mesh
try $MESHPLAN info edges_points.txt --quiet
for command in "plan edges_points.txt -o p.mplan" "partition edges_points.txt -k 1 -o p.txt" \
    "convert edges_points.txt a.graph" "plan a.mesh --over cells --inc cells_nodes -o p.mplan"; do
    try $MESHPLAN $command --quiet
done
try $MESHPLAN plan edges_points.txt -o p.mplan --max-memory 100M --quiet
# a table that leads from the set, or coordinates, stand for its members; so does a size that was given
printf '0 900000\n' >far_points.txt
try $MESHPLAN plan far_points.txt -o p.mplan --quiet
printf '0 2000000\n' >edges_cells.txt
try $MESHPLAN plan edges_cells.txt -o p.mplan --quiet
try $MESHPLAN plan edges_cells.txt -o p.mplan --quiet --max-memory 1G
seq 0 2000000 >cells_nodes.txt
try $MESHPLAN plan --map edges_cells=edges_cells.txt --map cells_nodes=cells_nodes.txt --over edges \
    --inc edges_cells -o p.mplan --quiet
if $MESHPLAN --version | grep -q '^yaml'; then
    printf 'meshplan: 1\nsets: {cells: 2000001}\nmaps: [{name: edges_cells, from: edges, to: cells, file: edges_cells.txt}]\n' >j.yaml
    printf 'loops: [{name: a, over: edges, args: [{dat: x, map: edges_cells, access: inc, dim: 1, type: f64}]}]\n' >>j.yaml
    $MESHPLAN plan j.yaml -o p.mplan --quiet || echo "with its size given: exit $?"
fi
# sparse numbers of a mesh file are not sizes
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n1000000000 1 0 0\n7 0 1 0\n$EndNodes\n' >s.msh
printf '$Elements\n1\n1 2 2 0 1 1 1000000000 7\n$EndElements\n' >>s.msh
try $MESHPLAN plan s.msh --over cells --inc cells_nodes -o p.mplan --quiet
# the file itself
try $MESHPLAN info cells_nodes.txt --max-memory 1M
# suffixes
for bytes in 0 -1 1X 1KK K '8 ' 9999999T; do
    try $MESHPLAN info s.msh --max-memory "$bytes"
done
for bytes in 1G 1g 2T 4000000000; do
    try $MESHPLAN info s.msh --quiet --max-memory $bytes
done
