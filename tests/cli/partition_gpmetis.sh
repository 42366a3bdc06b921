# SPDX-License-Identifier: Apache-2.0
# Where METIS's own program is: its part file, byte by byte, and its figures.
$MESHPLAN --version | grep -q '^metis ' || skip "no METIS"
command -v gpmetis >/dev/null || skip "no gpmetis"
$MESHPLAN generate tri 40x30 --shuffle 3 -o t.msh -q
$MESHPLAN convert t.msh t.graph -q
$MESHPLAN convert t.msh p.graph --map cells_nodes -q
for graph in t p; do
    gpmetis $graph.graph 12 >said
    mv $graph.graph.part.12 theirs
    $MESHPLAN partition $graph.graph -k 12 --json ours.json -q
    cmp theirs $graph.graph.part.12 && echo "$graph: the same parts"
    cut=$(sed -n 's/.*Edgecut: \([0-9]*\), communication volume: \([0-9]*\).*/\1 \2/p' said)
    [ "$cut" = "$(sed -n 's/.*"\(edge_cut\|communication_volume\)": \([0-9]*\).*/\2/p' ours.json | tr '\n' ' ' | sed 's/ $//')" ] &&
        echo "$graph: the same edge cut and communication volume"
done
$MESHPLAN partition t.msh -k 12 -o - | cmp - t.graph.part.12
$MESHPLAN partition t.msh -k 12 --graph points -o - | cmp - p.graph.part.12
