# SPDX-License-Identifier: Apache-2.0
# A folder of npy files is whole or as it was; only an earlier export is replaced.
$MESHPLAN generate quad 6x5 -o q.msh -q
$MESHPLAN plan q.msh --strategy block-colour --partitioner none --block-size 16 -q -o q.mplan
$MESHPLAN plan q.msh --strategy two-step --partitioner none -q -o r.mplan
try $MESHPLAN export q.mplan -o out/ -q
try $MESHPLAN export r.mplan -o fresh/ -q
chmod 750 out
ln -s out link
try $MESHPLAN export r.mplan -o link/ -q
diff -r out fresh && stat -c '%F %a' link out
# what is not of an export stays
echo precious >out/notes.txt
cp -r out kept
try $MESHPLAN export q.mplan -o out -q
diff -r out kept
rm out/notes.txt
echo precious >out/mine.npy
try $MESHPLAN export q.mplan -o out -q
rm out/mine.npy
mkdir out/inner
try $MESHPLAN export q.mplan -o out -q
rmdir out/inner
mkdir other
echo precious >other/index.json
try $MESHPLAN export q.mplan -o other -q
cat other/index.json
mkdir locked
chmod 555 locked
try $MESHPLAN export q.mplan -o locked -q
try $MESHPLAN export q.mplan -o nowhere/out/ -q
(cd out && try $MESHPLAN export ../q.mplan -o . -q)
diff -r out fresh
# a failure in the middle: no file may be longer than 1 KiB
for target in out new; do
    (
        ulimit -f 1
        $MESHPLAN generate quad 60x50 -o - -q | cat >/dev/null
        $MESHPLAN export q.mplan -o $target/ -q
        echo "exit $?"
    ) 2>&1 | sed 's|/[a-z_0-9-]*\.npy|/FILE.npy|'
done
diff -r out fresh
ls -A
