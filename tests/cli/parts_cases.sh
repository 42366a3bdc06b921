# SPDX-License-Identifier: Apache-2.0
# Shapes that parts may have: parts without neighbours, with nothing in them, of uneven size, and a point that 10,000 rows name.
# two rings of 8 and of 4: cut in 3, the small ring is a part by itself
{ for i in 0 1 2 3 4 5 6 7; do echo $i $(((i + 1) % 8)); done && printf '8 9\n9 10\n10 11\n11 8\n'; } >rings.txt
try $MESHPLAN plan --map edges_cells=rings.txt --parts 3 -o rings.mplans
try $MESHPLAN info rings.mplans --ranks 3
$MESHPLAN info rings.mplans --ranks 2 --json - -q | grep -c '"neighbours": 0'
# 12 cells in 7 parts, and in 20
for parts in 7 20; do
    try $MESHPLAN plan --map edges_cells=rings.txt --parts $parts -o many.mplans
    $MESHPLAN verify many.mplans -q && echo "proved"
    for ranks in 1 2 5 $parts; do $MESHPLAN info many.mplans --ranks $ranks --json - -q | grep -c '"first_part":'; done
done
# more parts than cells are a mistake where they are many, and would take a plan each
$MESHPLAN plan --map edges_cells=rings.txt --parts 1024 --dry-run -q && echo "dry"
for i in 0 1 2 3 4 5 6 7 8 9 10 1024; do echo $i; done >far.part
for parts in 1025 1999999999 far.part; do
    try $MESHPLAN plan --map edges_cells=rings.txt --parts $parts -o many.mplans 2>&1
done
# a hub: 10,000 rows of three points, one of which is always point 0; rows of one to three points
seq 0 9999 | awk '{ print 0, 1 + int($1 / 3), 1 + int(($1 + 7) / 3) % 3333 }' >hub.txt
seq 0 9999 | awk '{ print $1 % 3 == 0 ? "0" : $1 % 3 == 1 ? "0," 1 + int($1 / 3) : "0," 1 + int($1 / 3) "," 1 + int(($1 + 7) / 3) % 3333 }' >ragged.csv
for table in hub.txt ragged.csv; do
    try $MESHPLAN plan --map rows_points=$table --parts 7 --dry-run
    $MESHPLAN plan --map rows_points=$table --parts 7 -o hub.mplans -q
    $MESHPLAN verify hub.mplans -q && echo "proved"
done
# links of one cell are a set of their own, in parts too; another mesh is refused
printf '0 1\n1 -1\n2 3\n3 0\n-1 2\n1 3\n' >links_cells.txt
try $MESHPLAN plan links_cells.txt --over links --inc cells --none split --parts 2 -o split.mplans 2>&1
$MESHPLAN verify split.mplans --mesh links_cells.txt -q && echo "proved"
sed 's/2 3/3 2/' links_cells.txt >other.txt
try $MESHPLAN verify split.mplans --mesh other.txt --map links_cells:links:cells=other.txt 2>&1
try $MESHPLAN plan links_cells.txt --over links --inc cells --none split --parts 2 --scatter parts 2>&1
# layers of prisms: stacks of what a part owns, before its halo is cut
$MESHPLAN generate sphere 6x5 --cells prism -o prisms.msh -q
$MESHPLAN plan prisms.msh --over cells --inc cells_nodes:3 --strategy block-gather --parts 3 -o prisms.mplans -q
$MESHPLAN verify prisms.mplans --mesh prisms.msh -q && echo "proved"
$MESHPLAN split prisms.mplans -o prisms -q
for part in 0 1 2; do $MESHPLAN info -v prisms/part-$part.mplan | grep layers; done
# names are lines of manifests and of scattered files
$MESHPLAN --version | grep -q '^libyaml' || exit 0
cat >job.yaml <<'JOB'
meshplan: 1
sets: {"li\nnks": 6, cells: 4}
maps: [{file: links_cells.txt, name: links_cells, from: "li\nnks", to: cells}]
loops: [{name: l, over: "li\nnks", args: [{dat: q, map: links_cells, access: inc, dim: 1, type: f64, none: skip}]}]
JOB
$MESHPLAN plan job.yaml --parts 2 -o names.mplans 2>message; [ $? = 2 ] && grep -c 'line feed' message >/dev/null || cat message
$MESHPLAN plan job.yaml --parts 2 --scatter named 2>message; [ $? = 2 ] && grep -c 'line feed' message >/dev/null || cat message
