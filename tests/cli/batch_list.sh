# SPDX-License-Identifier: Apache-2.0
# batch: lists in YAML. Without libyaml there are none.
$MESHPLAN --version | grep -q '^yaml \|^libyaml ' || { cat "$SOURCE/tests/cli/batch_list.out"; cat "$SOURCE/tests/cli/batch_list.err" >&2; exit; }
for i in 1 2; do $MESHPLAN generate quad ${i}0x10 --shuffle $i -o m$i.msh -q; done
cat >job.yaml <<'YAML'
meshplan: 1
mesh: m1.msh
loops: [{name: l, over: faces, args: [{dat: x, map: faces_cells, access: inc, dim: 1, type: f64}]}]
output: of-job.mplan
YAML
mkdir lists
cat >lists/all.yaml <<'YAML'
meshplan: 1
options: {block-size: 64}
batch:
  - ../m1.msh
  - ../job.yaml
  - {input: ../m2.msh, output: two.mplan, name: second, options: {block-size: 32, inc: [nodes, "cells:1:f64"], compress: true}}
YAML
try $MESHPLAN batch lists/all.yaml -q -j 1
python3 -c 'import json
for line in open("lists/all.batch.jsonl"):
    r = json.loads(line)
    print(r["job"], r["input"], r["output"], r["status"], r["options"], r["figures"]["block_limit"], [i["path"] for i in r["inputs"]])'
ls lists
echo "# the command line is above the list"
try $MESHPLAN batch lists/all.yaml -q -j 1 --block-size 16 --manifest m.jsonl
python3 -c 'import json
for line in open("m.jsonl"): print(json.loads(line)["figures"]["block_limit"])'
echo "# --depfile: the plans of all jobs, and what they were made from, also where nothing was done"
for i in 1 2; do $MESHPLAN batch lists/all.yaml -q --csv all.csv --depfile d$i; done
cat d1
diff d1 d2
echo "# refused, with the place"
refuse() {
    printf 'meshplan: 1\n%s\n' "$1" >bad.yaml
    try $MESHPLAN batch bad.yaml -q
}
refuse 'batch: []'
refuse 'batch: m1.msh'
refuse 'batch: [{inputs: m1.msh}]'
refuse 'batch: [{output: m1.msh}]'
refuse 'batch: [[m1.msh]]'
refuse 'batch: [m1.msh, {input: m2.msh, options: {blok-size: 3}}]'
refuse 'batch: [{input: m2.msh, options: {block-size: {a: 3}}}]'
refuse 'batch: [{input: m2.msh, options: [block-size]}]'
refuse 'batch: [{input: m2.msh, output: "-"}]'
refuse 'batch: [m1.msh, {input: m2.msh, output: ./m1.mplan}]'
printf 'meshplan: 2\nbatch: [m1.msh]\n' >bad.yaml
try $MESHPLAN batch bad.yaml -q
