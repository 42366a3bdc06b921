# SPDX-License-Identifier: Apache-2.0
# Bundles and parts with --cache, --if-changed and --depfile; a part 0 that is found or unchanged has its manifest, too.
$MESHPLAN generate quad 12x8 --shuffle 3 -o q.msh -q
$MESHPLAN partition q.msh -k 3 --partitioner native -o q.part -q
kept() { # what the cache did and the figures are printed at the end
    $MESHPLAN plan "$@" --json - -q >>results
}
echo "# a bundle is written again, over itself, and is no input"
for i in 1 2; do try $MESHPLAN plan q.msh --parts 4 -o plain.mplans --depfile d -q; done
cat d
echo "# made, found with the same figures, compared"
export MESHPLAN_CACHE=cache
try kept q.msh --parts 4 -o a.mplans
try kept q.msh --parts 4 -o b.mplans
cmp a.mplans plain.mplans
cmp b.mplans plain.mplans
try $MESHPLAN plan q.msh --parts 4 -o b.mplans --cache-check | sed 's/[0-9.]* s$/N s/'
$MESHPLAN plan q.msh --parts 4 -o - -q | cmp - b.mplans
echo "# another number, another cut and no parts are other requests"
try kept q.msh --parts 5 -o c.mplans
$MESHPLAN plan q.msh -o whole.mplan --json - -q | grep '"found"'
echo "# a part file is an input"
try kept q.msh --parts q.part -o f.mplans
try kept q.msh --parts q.part -o g.mplans
sed '1s/.*/0/' q.part >other.part
mv other.part q.part
try kept q.msh --parts q.part -o g.mplans
try $MESHPLAN plan q.msh --parts q.part -o q.part -q
echo "# part 0 brings the manifest"
for folder in one two; do
    mkdir $folder
    for i in 0 1; do try kept q.msh --parts 2 --part $i -o $folder/part-$i.mplan; done
done
diff -r one two && ls two
$MESHPLAN join two -o joined.mplans -q
$MESHPLAN plan q.msh --parts 2 -o two.mplans -q
cmp joined.mplans two.mplans && echo "joined from the cache"
rm -r cache/1/requests two/*
try kept q.msh --parts 2 --part 0 -o two/part-0.mplan
echo "# unchanged only with its manifest"
unset MESHPLAN_CACHE
stamped() {
    try $MESHPLAN plan q.msh --parts 2 --part 0 -o two/part-0.mplan --if-changed --depfile d "$@"
}
stamped -q
cat d
stamped
rm two/manifest.mparts
stamped -q
cmp one/manifest.mparts two/manifest.mparts
printf x >>two/manifest.mparts
stamped -q
cmp one/manifest.mparts two/manifest.mparts
ls two
echo "# what the cache did"
python3 -c 'import json
text, at = open("results").read(), 0
while at < len(text):
    r, at = json.JSONDecoder().raw_decode(text, at)
    at += 1
    print(r["file"], "found %s, stored %s" % (r["cache"]["found"], r["cache"]["stored"]), r["bytes"], r.get("parts"), r.get("part"), r.get("cut_by"),
          [(s["name"], s["size"], s["execute_halo"], s["read_halo"]) for s in r.get("sets", [])], [i["path"] for i in r["inputs"]])'
