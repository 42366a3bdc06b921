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
# Options of both, in pairs: the same parts.
seq 2400 | awk '{ print $1 % 5 + 1, $1 % 7 }' >two.txt
awk '{ print $1 }' two.txt >one.txt
weighted() { # GRAPH FILE COLUMNS: a graph with the weights of the file
    awk -v columns="$3" 'FNR == NR { w[NR] = $0; next } FNR == 1 { print $1, $2, "010", columns; next } { print w[FNR - 1], $0 }' "$2" "$1"
}
weighted t.graph one.txt 1 >t1.graph
weighted t.graph two.txt 2 >t2.graph
# an edge weighs by the sum of its nodes
awk 'FNR == 1 { print $1, $2, "001"; next } { for (i = 1; i <= NF; i++) printf "%d %d ", $i, ($i + FNR) % 9 + 1; print "" }' t.graph >te.graph
awk 'FNR > 1 { for (i = 1; i <= NF; i++) if ($i >= FNR) print ($i + FNR) % 9 + 1 }' t.graph >e.txt
printf '0 = 0.5\n1 = 0.25\n2 = 0.125\n3 = 0.125\n' >shares
pair() { # GRAPH PARTS OPTIONS_OF_GPMETIS OPTIONS_OF_OURS
    gpmetis $3 "$1" "$2" >said
    $MESHPLAN partition t.graph -k "$2" $4 -o ours -q && cmp ours "$1.part.$2" && echo "$4: the same parts"
}
pair t1.graph 12 "" "--weights nodes=one.txt"
pair t2.graph 6 "" "--weights nodes=two.txt"
pair te.graph 12 "" "--edge-weights e.txt"
pair t.graph 4 "-tpwgts=shares" "--shares 4,2,1,1"
pair t.graph 12 "-ptype=rb -ufactor=30" "--ptype rb"
pair t.graph 12 "-objtype=vol" "--objective vol"
pair t.graph 12 "-contig" "--contiguous"
pair t.graph 12 "-minconn" "--minconn"
pair t.graph 12 "-niter=30 -ncuts=5 -seed=7 -ufactor=10" "--niter 30 --ncuts 5 --seed 7 --imbalance 1.01"
# The weights of a file count where no others are given; files that are written and renumbered keep them.
own() { # GRAPH PARTS OPTIONS_OF_GPMETIS OPTIONS_OF_OURS
    gpmetis $3 "$1" "$2" >said
    $MESHPLAN partition "$1" -k "$2" $4 -o ours -q && cmp ours "$1.part.$2" && echo "$1 $4: the same parts"
}
awk 'FNR == 1 { print $1, $2, "111 2"; next }
     { printf "%d %d %d", FNR % 4 * 3, FNR % 5 + 1, FNR % 7; for (i = 1; i <= NF; i++) printf " %d %d", $i, ($i + FNR) % 9 + 1; print "" }' t.graph >all.graph
$MESHPLAN convert all.graph back.graph -q && cmp all.graph back.graph && echo "written as it was"
$MESHPLAN renumber all.graph moved.graph -q
for graph in t1 t2 te all moved; do own $graph.graph 12; done
own all.graph 12 -objtype=vol "--objective vol"
cut -d' ' -f2- all.graph | sed "1s/.*/$(head -n 1 t.graph) 011 2/" >sizeless.graph
$MESHPLAN partition sizeless.graph -k 12 --objective vol -o - -q | cmp -s - all.graph.part.12 || echo "sizes count"
$MESHPLAN partition all.graph -k 12 --weights nodes=one.txt --edge-weights e.txt -o ours -q
awk 'FNR == NR { w[NR] = $1; next } FNR == 1 { print $1, $2, "011"; next } { printf "%d", w[FNR - 1]; for (i = 1; i <= NF; i++) printf " %d %d", $i, ($i + FNR) % 9 + 1; print "" }' one.txt t.graph >other.graph
gpmetis other.graph 12 >said && cmp ours other.graph.part.12 && echo "others that are given take their place"
# mpmetis lists neighbours in another order: nearly the same edge cut
$MESHPLAN convert t.msh m.mesh --to metis-mesh -q
for common in 1 2; do
    theirs=$(mpmetis -ncommon=$common m.mesh 12 | sed -n 's/.*Edgecut: \([0-9]*\).*/\1/p')
    $MESHPLAN partition m.mesh -k 12 --ncommon $common --json o.json -o ours -q
    awk -v theirs="$theirs" '/"edge_cut"/ { d = ($2 - theirs) / theirs; exit !(d < 0.1 && d > -0.1) }' o.json && echo "ncommon $common: like mpmetis"
done
