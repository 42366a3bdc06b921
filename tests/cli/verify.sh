# SPDX-License-Identifier: Apache-2.0
# What holds, what is for another mesh, what is damaged, too new or no plan.
$MESHPLAN generate quad 6x5 -o q.msh -q
$MESHPLAN generate quad 5x6 -o other.msh -q
$MESHPLAN generate quad 6x5 --shuffle 1 -o shuffled.msh -q
$MESHPLAN plan q.msh --partitioner none --strategy block-colour,atomic -q -o q.mplan
try $MESHPLAN verify q.mplan
try $MESHPLAN verify q.mplan --mesh q.msh
try $MESHPLAN verify q.mplan --mesh q.msh --json -
try $MESHPLAN verify q.mplan --mesh other.msh
try $MESHPLAN verify q.mplan --mesh shuffled.msh
try $MESHPLAN verify q.mplan --mesh shuffled.msh --json - --quiet 2>/dev/null | grep -v reason
try $MESHPLAN verify q.mplan --mesh missing.msh
try $MESHPLAN verify q.mplan --from gmsh
try $MESHPLAN verify q.mplan --coordinates cells=x.txt
try $MESHPLAN verify q.msh
for sums in partial atomic colour; do
    $MESHPLAN plan q.msh --partitioner none --strategy block-gather,owner-gather,two-step,global-colour \
        --sums $sums -q -o gather.mplan
    try $MESHPLAN verify gather.mplan --mesh q.msh
done
cut_at() { head -c "$1" q.mplan >damaged.mplan; }
patch_at() {
    cp q.mplan damaged.mplan
    printf "$2" | dd of=damaged.mplan bs=1 seek="$1" conv=notrunc status=none
}
for n in 0 7 100 2000; do
    cut_at $n
    try $MESHPLAN verify damaged.mplan
done
patch_at 8 '\002'
try $MESHPLAN verify damaged.mplan
patch_at 40 '\001'
try $MESHPLAN info damaged.mplan
patch_at 3000 'XXXX'
try $MESHPLAN verify damaged.mplan
try $MESHPLAN verify damaged.mplan --json -
