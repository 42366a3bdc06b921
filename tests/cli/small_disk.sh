# SPDX-License-Identifier: Apache-2.0
# A full disk at any byte: the old output or the new one, 74 (or 73 where not even a name can be made).
if [ -z "${INSIDE:-}" ]; then
    unshare -rm true 2>/dev/null || skip "no right to mount"
    $MESHPLAN generate quad 4x3 -o q.msh -q
    $MESHPLAN plan q.msh --partitioner none -q -o q.mplan
    $MESHPLAN plan q.msh --partitioner none --strategy two-step -q -o old.mplan
    mkdir disk
    INSIDE=1 exec unshare -rm bash "$0"
fi
mount -t tmpfs -o size=128k none disk || exit 1
page=4096
fill() { # leaves $1 bytes, whole pages
    rm -rf disk/*
    "${@:2}"
    free=$(($(stat -f -c '%a * %S' disk)))
    head -c $((free > $1 ? free - $1 : 0)) /dev/zero >disk/filling
}
codes=
for pages in 0 1 2 3 4 5 6 7 8; do
    fill $((pages * page)) cp old.mplan disk/p.mplan
    $MESHPLAN plan q.msh --partitioner none -q -o disk/p.mplan 2>/dev/null
    code=$?
    expected=old.mplan
    [ $code = 0 ] && expected=q.mplan
    cmp $expected disk/p.mplan
    [ "$(ls -A disk | wc -l)" = 2 ] || ls -A disk
    codes="$codes $code"
done
echo "plan:$(echo $codes | tr ' ' '\n' | uniq | tr '\n' ' ')"
$MESHPLAN export old.mplan -o old/ -q
$MESHPLAN export q.mplan -o new/ -q
codes=
for pages in $(seq 0 24); do
    fill $((pages * page)) cp -r old disk/out
    $MESHPLAN export q.mplan -o disk/out/ -q 2>/dev/null
    code=$?
    expected=old
    [ $code = 0 ] && expected=new
    diff -r $expected disk/out
    [ "$(ls -A disk | wc -l)" = 2 ] || ls -A disk
    codes="$codes $code"
done
echo "export:$(echo $codes | tr ' ' '\n' | uniq | tr '\n' ' ')"
# A cache on a full disk: the plan is made, and a warning says that it is not kept.
fill 0 mkdir disk/kept
$MESHPLAN plan q.msh --partitioner none -o p.mplan --cache disk/kept >/dev/null 2>said
echo "cache: $?"
sed 's|cache: disk/kept/.*: |cache: |' said # the file at hand does not matter
cmp p.mplan q.mplan
umount disk
