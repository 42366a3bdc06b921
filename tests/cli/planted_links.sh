# SPDX-License-Identifier: Apache-2.0
# What others plant in a folder that all may write is neither followed nor written.
[ "$(id -u)" -eq 0 ] || skip "needs another user's files"
$MESHPLAN generate quad 4x3 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o q.mplan
echo mine >mine
# the name of the temporary file was known: FILE.PID
bash -c 'ln -s mine q.json.$$; exec $MESHPLAN info q.mplan -q --json q.json' && cat mine
mkdir -m 1777 shared
mkdir other
ln -s "$PWD/mine" shared/link
ln -s "$PWD/other" shared/folder
ln -s "$PWD/none" shared/dangling
mkfifo shared/pipe
echo theirs >shared/file
chown -h 65534 shared/link shared/folder shared/dangling shared/pipe shared/file
for name in link folder/new dangling pipe file; do
    try timeout 300 $MESHPLAN info q.mplan -q --json shared/$name
    try timeout 300 $MESHPLAN plan q.msh --partitioner none -q -o shared/$name
done
try $MESHPLAN export q.mplan -q -o shared/folder
cat mine shared/file
ls other none 2>&1
# links of one's own, and of the folder's owner, are followed
ln -s "$PWD/new" shared/own
try $MESHPLAN info q.mplan -q --json shared/own
cmp new q.json
chown 65534 shared
chown -h 0 shared/own
try $MESHPLAN info q.mplan -q --json shared/dangling
cmp none q.json
