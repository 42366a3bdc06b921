# SPDX-License-Identifier: Apache-2.0
# The keys parts and cut of a job, and batches of bundles.
$MESHPLAN --version | grep -q '^libyaml' || exit 77
$MESHPLAN generate quad 12x8 --shuffle 3 -o q.msh -q
$MESHPLAN partition q.msh -k 3 -o q.part -q
loops="loops: [{name: l, over: faces, args: [{dat: x, map: faces_cells, access: inc, dim: 5, type: f64}, {dat: y, map: faces_cells, access: read, dim: 5, type: f64}]}]"
job() { # NAME LINE...
    printf '%s\n' "meshplan: 1" "mesh: q.msh" "$loops" "${@:2}" >$1.yaml
}
job whole
job four "parts: 4" "output: four.mplans"
job grid "parts: 2x3" "cut: native"
mkdir sub
cp q.msh q.part sub
job sub/file "parts: q.part"
echo "# as on the command line, which overrides the job; part files lie beside the job"
try $MESHPLAN plan four.yaml
$MESHPLAN plan whole.yaml --parts 4 -o whole.mplans -q
cmp four.mplans whole.mplans
try $MESHPLAN plan four.yaml --parts 2 -o two.mplans
try $MESHPLAN plan grid.yaml --dry-run
try $MESHPLAN plan sub/file.yaml -o file.mplans --depfile d
cat d
try $MESHPLAN plan four.yaml --part 3 -o part-3.mplan
try $MESHPLAN plan four.yaml --part 4 -o part-4.mplan -q
try $MESHPLAN plan four.yaml --tuned q.msh -q
echo "# refused, with line and column"
for bad in "parts: 0" "parts: 2x" "parts: 2x0" "parts: 4x4x4" "parts: [4]" "parts: ''" "parts: 4|cut: kahip" "cut: native" "part: 4" "parts: 4|cut: metis|cut_ranks: 2" "parts: 4|cut: ptscotch|cut_ranks: 0" "parts: 4|cut: ptscotch|cut_ranks: 3"; do
    printf '%s\n' "$bad" | tr '|' '\n' | { mapfile -t lines; job bad "${lines[@]}"; }
    try $MESHPLAN plan bad.yaml -o bad.mplans -q
done
try $MESHPLAN plan bad.yaml --cut native --dry-run -q
job bad "parts: none.part"
try $MESHPLAN plan bad.yaml -o bad.mplans -q
echo "# batch: a bundle has the ending .mplans; the second pass does nothing"
cat >list.yaml <<'END'
meshplan: 1
options: {parts: 2}
batch:
  - q.msh
  - {input: four.yaml, name: by the list}
  - {input: whole.yaml, output: w.mplans, options: {parts: 3}}
END
figures() {
    sed -E 's/ +[0-9.]+ +[0-9.]+( +[0-9.]+ +[0-9]+ +[0-9])/ N N\1/; s/[0-9.]+ s;/N s;/'
}
rm four.mplans
$MESHPLAN batch list.yaml -j 1 | figures
cmp four.mplans two.mplans
before=$(stat -c '%i %y' q.mplans four.mplans w.mplans)
try $MESHPLAN batch list.yaml -j 1 -q --csv figures.csv --columns job,status,parts,cut_by,elements,imbalance,execute_halo,read_halo
cat figures.csv
[ "$before" = "$(stat -c '%i %y' q.mplans four.mplans w.mplans)" ] && echo untouched
echo "# what a job says counts where the list does not; a bundle without a record is looked at again"
$MESHPLAN batch four.yaml grid.yaml sub/file.yaml -o out -j 1 | figures
ls out sub
rm out/batch.jsonl out/grid.mplans.inputs
$MESHPLAN batch four.yaml grid.yaml sub/file.yaml -o out -j 1 --json results.json -q
python3 -c 'import json
r = json.load(open("results.json"))
print({k: r[k] for k in ("jobs", "planned", "found", "unchanged", "failed")})
for line in open("out/batch.jsonl"):
    r = json.loads(line)
    print(r["job"], r["output"], r["status"], r["figures"], [i["path"] for i in r["inputs"]])'
printf '\n' >>sub/q.part
try $MESHPLAN batch four.yaml grid.yaml sub/file.yaml -o out --dry-run
echo "# found in a cache; parts one by one are for job arrays"
for pass in 1 2; do $MESHPLAN batch list.yaml -o out$pass -j 1 --cache kept -q --manifest m.jsonl; done
python3 -c 'import json
print(*[json.loads(line)["status"] for line in open("m.jsonl")])'
cmp out1/q.mplans out2/q.mplans
try $MESHPLAN batch list.yaml --part 0 -q
