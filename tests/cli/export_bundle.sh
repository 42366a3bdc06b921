# SPDX-License-Identifier: Apache-2.0
# Parts of a bundle as a part file and as a picture: those of `partition`, which cuts the same graph alike.
$MESHPLAN generate quad 14x9 --shuffle 3 -o q.msh -q
$MESHPLAN plan q.msh --parts 5 -o b.mplans -q
for kind in part vtu; do
    $MESHPLAN partition q.msh -k 5 --partitioner native --imbalance 1.01 -o due.$kind -q
    [ $kind = part ] && mesh= || mesh="--mesh q.msh"
    try $MESHPLAN export b.mplans $mesh -o made.$kind
    cmp due.$kind made.$kind && echo "$kind: the parts of partition"
done
$MESHPLAN plan q.msh --parts made.part -o again.mplans -q
$MESHPLAN export again.mplans -o - --to part | cmp - made.part && echo "and back"
# members of another set, and what the report says of them
try $MESHPLAN export b.mplans --set faces -o faces.part
sort -n faces.part | uniq -c | awk '{ print $1 }' | sort -n | sed -n '1p;$p'
$MESHPLAN info b.mplans | grep faces
$MESHPLAN export b.mplans --set faces --mesh q.msh -o faces.vtu -q
# What cannot be.
$MESHPLAN generate quad 14x9 --shuffle 4 -o other.msh -q
for bad in "-o no/" "-o no.nc" "-o no.part --set knots" "-o no.vtu" "-o no.vtu --mesh other.msh" "-o no.vtu --mesh q.msh --loop loop" "-o no.part --variant 0"; do
    try $MESHPLAN export b.mplans $bad
done
ls
