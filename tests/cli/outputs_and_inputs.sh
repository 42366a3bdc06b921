# SPDX-License-Identifier: Apache-2.0
# No output of any command replaces an input, by whatever name, or another output. Prints what is not so.
$MESHPLAN generate quad 4x3 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o p.mplan
python3 - <<'END'
import struct
def npy(name, kind, shape, numbers):
    head = "{'descr': '<%s8', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for n in numbers:
            file.write(struct.pack("<q" if kind == "i" else "<d", n))
npy("cells.npy", "f", "(12,)", range(12))
END
printf '0 1\n1 2\n' >edges_cells.txt
printf '0 0\n1 0\n2 0\n' >xy.txt
cat >job.yaml <<'YAML'
meshplan: 1
maps: [{name: edges_cells, from: edges, to: cells, file: edges_cells.txt}]
coordinates: [{set: cells, file: xy.txt}]
loops: [{name: l, over: edges, args: [{dat: x, map: edges_cells, access: inc, dim: 1, type: f64}]}]
plan: {partitioner: none}
YAML
cat >mesh_job.yaml <<'YAML'
meshplan: 1
mesh: q.msh
loops: [{name: l, over: faces, args: [{dat: x, map: faces_cells, access: inc, dim: 1, type: f64}]}]
YAML
$MESHPLAN plan edges_cells.txt --partitioner none -q -o t.mplan
cp -r $SOURCE/tests/data/foam/good-case case
chmod -R u+w case
mesh=$(dirname $(find case -name points))
find . -type f ! -name before | sort | xargs cksum >before

# refuse INPUT COMMAND...: every name of INPUT in the place of OUT
refuse() {
    input=$1
    shift
    rm -rf names
    mkdir names
    ln -s "../$input" names/link
    ln -s link names/link_of_link
    ln "$input" names/other_name
    mkdir names/folder
    ln -s ../.. names/folder/up
    for out in "$input" "./$input" names/link names/link_of_link names/other_name "names/folder/up/$input"; do
        $MESHPLAN "${@//OUT/$out}" -q 2>said >/dev/null </dev/null
        code=$?
        if [ $code != 2 ] || ! grep -q 'would replace its input' said; then
            echo "$out for $input: meshplan $*: exit $code: $(cat said)"
        fi
    done
    rm -rf names
}
for to in "-o OUT" "-o new.mplan --json OUT"; do
    refuse q.msh plan q.msh --partitioner none $to
    refuse edges_cells.txt plan edges_cells.txt --partitioner none $to
    refuse edges_cells.txt plan --map edges_cells=edges_cells.txt --partitioner none $to
    refuse edges_cells.txt plan --map e_c:edges:cells=edges_cells.txt:0 --over edges --inc e_c --partitioner none $to
    refuse xy.txt plan edges_cells.txt --coordinates cells=xy.txt --partitioner none $to
    if $MESHPLAN --version | grep -q '^libyaml'; then
        refuse job.yaml plan job.yaml $to
        refuse edges_cells.txt plan job.yaml $to
        refuse xy.txt plan job.yaml $to
        refuse q.msh plan mesh_job.yaml $to
        refuse mesh_job.yaml plan mesh_job.yaml $to
    fi
done
refuse q.msh info q.msh --json OUT
refuse p.mplan info p.mplan --json OUT
refuse p.mplan verify p.mplan --json OUT
refuse q.msh verify p.mplan --mesh q.msh --json OUT
refuse edges_cells.txt verify t.mplan --map edges_cells=edges_cells.txt --json OUT
refuse xy.txt verify t.mplan --map edges_cells=edges_cells.txt --coordinates cells=xy.txt --json OUT
refuse p.mplan compare p.mplan t.mplan --json OUT
refuse t.mplan compare p.mplan t.mplan --json OUT
refuse p.mplan apply p.mplan --set cells cells.npy OUT
refuse cells.npy apply p.mplan --set cells cells.npy OUT
refuse p.mplan export p.mplan --to part -o OUT
refuse p.mplan export p.mplan --mesh q.msh --to vtu -o OUT
refuse q.msh export p.mplan --mesh q.msh --to vtu -o OUT
refuse xy.txt export t.mplan --map edges_cells=edges_cells.txt --coordinates cells=xy.txt --to vtu -o OUT
refuse edges_cells.txt export t.mplan --map edges_cells=edges_cells.txt --to vtu -o OUT
refuse p.mplan report p.mplan -o OUT
refuse q.msh report p.mplan --mesh q.msh -o OUT
refuse edges_cells.txt report t.mplan --map edges_cells=edges_cells.txt -o OUT
refuse q.msh convert q.msh OUT --to gmsh
refuse q.msh renumber q.msh OUT --to gmsh
refuse q.msh renumber q.msh new.msh --order OUT
refuse q.msh renumber q.msh new.msh --order cells=OUT
refuse q.msh renumber q.msh new.msh --json OUT
refuse q.msh partition q.msh --block-size 4 -o OUT
refuse q.msh partition q.msh --block-size 4 -o new.part --json OUT
refuse edges_cells.txt partition --map edges_cells=edges_cells.txt --block-size 4 --partitioner none -o OUT
refuse q.msh run res_calc --mesh q.msh --repeats 0 --json OUT
refuse p.mplan run res_calc --mesh q.msh --plan p.mplan --repeats 0 --json OUT
for file in points faces owner neighbour boundary; do
    refuse $mesh/$file convert case OUT --to gmsh
    refuse $mesh/$file info $mesh/points --json OUT
done
# standard input and output
$MESHPLAN plan - --partitioner none -q -o ./q.msh <q.msh
$MESHPLAN convert - q.msh --to gmsh <q.msh
$MESHPLAN info q.msh -q --json - >>q.msh
$MESHPLAN convert q.msh - >>q.msh

# two outputs of one command, new or not
ln -s b a
touch c
ln c d
for pair in "x x" "x ./x" "a b" "b ./a" "c d" "c $PWD/d"; do
    set -- $pair
    for command in "plan q.msh --partitioner none -o $1 --json $2" "partition q.msh --block-size 4 -o $1 --json $2" \
        "renumber q.msh $1 --to gmsh --json $2" "renumber q.msh $1 --to gmsh --order $2" \
        "renumber q.msh y.msh --order $1 --order cells=$2" "renumber q.msh y.msh --order $1 --json $2"; do
        $MESHPLAN $command -q 2>said
        code=$?
        if [ $code != 2 ] || ! grep -q 'two outputs cannot both go to' said; then
            echo "meshplan $command: exit $code: $(cat said)"
        fi
    done
done
$MESHPLAN partition q.msh --block-size 4 -q --json q.msh.part.3
rm -f a b c d said x new.* y.msh
find . -type f ! -name before | sort | xargs cksum | diff before - && echo "every file is as it was"
