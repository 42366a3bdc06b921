# SPDX-License-Identifier: Apache-2.0
# An output that holds already what would be written stays as it is, with its times; one that differs is replaced.
$MESHPLAN generate quad 6x4 -o q.msh -q

# same COMMAND...: runs it again; prints what became of each file of the folder
same() {
    find . -type f -o -type d ! -name . | sort | xargs touch -d 2001-02-03
    find . -type f ! -name before | sort | xargs stat -c '%n %i %Y' >before
    "$@"
    find . -type f ! -name before | sort | xargs stat -c '%n %i %Y' | diff before - >/dev/null && echo "same files" || echo "files differ"
}
echo "# a plan, an export of text and a folder, a mesh"
$MESHPLAN plan q.msh --partitioner none -q -o q.mplan
same try $MESHPLAN plan q.msh --partitioner none -o q.mplan -q
$MESHPLAN plan q.msh --partitioner none -o q.mplan --json - | python3 -c 'import json, sys; print(json.load(sys.stdin)["unchanged"])'
$MESHPLAN export q.mplan -o tables/ -q
same try $MESHPLAN export q.mplan -o tables/
$MESHPLAN convert q.msh q.vtu -q
same try $MESHPLAN convert q.msh q.vtu
same try $MESHPLAN convert q.msh q.vtu -q

echo "# what differs is replaced: another plan, a byte, a name more, a file less"
same try $MESHPLAN plan q.msh --partitioner none --block-size 64 -q -o q.mplan
printf x | dd of=q.vtu bs=1 seek=100 conv=notrunc 2>/dev/null
same try $MESHPLAN convert q.msh q.vtu
rm "$(find tables -name '*.npy' | sort | head -n 1)"
same try $MESHPLAN export q.mplan -o tables/
