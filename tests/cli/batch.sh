# SPDX-License-Identifier: Apache-2.0
# batch: lists and files, manifests, shares, failures, memory, signals. Kills: package_batch_kills.
for i in 1 2 3; do $MESHPLAN generate quad ${i}0x10 --shuffle $i -o m$i.msh -q; done
manifest() { # of each line what does not depend on time and place
    python3 -c 'import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    print(r["job"], r["output"], r["status"], r["exit_code"], r["error"], r["options"], r["figures"].get("elements"), r["figures"].get("block_limit"),
          r["result"] is not None, [i["path"] for i in r["inputs"]])' "$1"
}
echo "# plans beside the meshes are those of plan; the second pass changes nothing"
try $MESHPLAN batch m1.msh m2.msh m3.msh -q -j 1 --block-size 64
$MESHPLAN plan m2.msh -o one.mplan --block-size 64 -q
cmp m2.mplan one.mplan
before=$(stat -c '%i %y' m?.mplan)
try $MESHPLAN batch m1.msh m2.msh m3.msh -q -j 1 --block-size 64
[ "$before" = "$(stat -c '%i %y' m?.mplan)" ] && echo untouched
try $MESHPLAN batch m1.msh m2.msh m3.msh -q --block-size 64 --resume
manifest batch.jsonl

echo "# another request, and an input that changed"
try $MESHPLAN batch m1.msh m2.msh --dry-run --block-size 64
try $MESHPLAN batch m1.msh m2.msh --dry-run --block-size 32
printf '\n' >>m1.msh
rm m2.mplan
try $MESHPLAN batch m1.msh m2.msh m3.msh --dry-run --block-size 64
$MESHPLAN batch m1.msh m2.msh m3.msh --block-size 64 -j 1 --csv figures.csv --columns job,status,elements,reuse_cells,sets.1.name,none --json results.json |
    sed -E 's/ +[0-9.]+ +[0-9.]+( +[0-9.]+ +[0-9]+ +[a-z])/ N N\1/; s/[0-9.]+ s;/N s;/'
cat figures.csv
python3 -c 'import json; r = json.load(open("results.json")); print({k: r[k] for k in r if k not in ("seconds", "options")})'

echo "# a line that was broken off is removed; a plan without a record is looked at again"
rm batch.jsonl m2.mplan.inputs
try $MESHPLAN batch m1.msh m2.msh -q -j 1 --block-size 64
printf '{"job": "m3.msh", "ind' >>batch.jsonl
try $MESHPLAN batch m3.msh -q --block-size 64 --resume
manifest batch.jsonl

echo "# failures: the first in the list decides; nothing is started after one without -k"
head -c 300 m1.msh >bad.msh
try $MESHPLAN batch none.msh bad.msh m1.msh -q -j 1 -o plans --manifest f.jsonl
try $MESHPLAN batch bad.msh none.msh m1.msh -q -j 1 -o plans --manifest f.jsonl -k
manifest f.jsonl
ls plans
try $MESHPLAN batch m1.msh -q -o f.jsonl

echo "# shares: all jobs once"
for i in 0 1; do try $MESHPLAN batch m1.msh m2.msh m3.msh -q -j 1 -o shares --array $i/2; done
for i in 0 1; do manifest shares/batch.$i-2.jsonl; done
try $MESHPLAN batch m1.msh m2.msh m3.msh -q -o shares --resume

echo "# two batches of one manifest divide the jobs"
for i in 1 2 3 4 5 6 7 8; do $MESHPLAN generate quad 40x40 --shuffle $i -o n$i.msh -q; done
$MESHPLAN batch n?.msh -q -j 1 --resume -o two &
$MESHPLAN batch n?.msh -q -j 2 --resume -o two
wait
python3 -c 'import collections, json
jobs = collections.Counter(json.loads(line)["job"] for line in open("two/batch.jsonl"))
print(len(jobs), max(jobs.values()))'

echo "# memory: what does not fit in its share is done again with all of it"
$MESHPLAN generate hex 30x30x30 -o h.msh -q
try $MESHPLAN batch h.msh m1.msh m2.msh -q -j 3 --max-memory 70M -o memory
try $MESHPLAN batch h.msh -q --max-memory 1M -o little

echo "# a signal: 75 or the signal itself, nothing half done is left, and the next call goes on"
$MESHPLAN generate hex 40x40x40 -o g1.msh -q
for i in $(seq 2 40); do ln g1.msh g$i.msh; done
for signal in TERM INT; do
    for turn in $(seq 20); do
        rm -rf stopped
        set -m
        $MESHPLAN batch g*.msh -q -j 2 -o stopped --partitioner none --strategy block-colour,two-step &
        set +m
        while kill -0 $! 2>/dev/null && ! compgen -G 'stopped/*.mplan' >/dev/null; do sleep 0.01; done
        kill -$signal $! 2>/dev/null
        wait $! 2>/dev/null
        code=$?
        [ $code = 0 ] || break # else all were done before the signal came
    done
    echo "exit $code"
    ls -A stopped | grep -c tmp
done
compgen -G 'stopped/*.mplan' >done
$MESHPLAN batch $(sed 's/.*\///; s/mplan/msh/' done) -q -j 1 -o stopped --partitioner none --strategy block-colour,two-step --resume --json rest.json
python3 -c 'import json; r = json.load(open("rest.json")); print(r["jobs"] > 0, r["failed"], r["planned"] + r["unchanged"] == r["jobs"])'

echo "# refused"
touch m1.su2
try $MESHPLAN batch m1.msh m1.su2
try $MESHPLAN batch m1.msh -o . m1.mplan
try $MESHPLAN batch m1.msh m1.su2 -o plans
try $MESHPLAN batch
try $MESHPLAN batch -
try $MESHPLAN batch m1.msh --array 2/2
try $MESHPLAN batch m1.msh --columns job
try $MESHPLAN batch m1.msh --block-siz 3x
try $MESHPLAN batch m1.msh --manifest plans
try $MESHPLAN batch m1.msh --manifest m1.msh
try $MESHPLAN batch m1.msh --manifest m3.msh
try $MESHPLAN batch m1.msh --csv m1.mplan
try $MESHPLAN batch m1.msh -o other --json other/m1.mplan
try $MESHPLAN batch m1.msh --depfile m1.msh
try $MESHPLAN batch m1.msh m2.msh -o other --depfile other/m2.mplan
head -n 1 m1.msh m3.msh
[ ! -e other ] || echo 'other is there'
