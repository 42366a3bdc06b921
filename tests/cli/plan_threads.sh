# SPDX-License-Identifier: Apache-2.0
# Plans do not depend on the number of threads, nor on the old plan.
$MESHPLAN generate tet 6x6x6 --shuffle 1 -o t.msh -q
for threads in 1 2 5; do
    try $MESHPLAN plan t.msh --partitioner hilbert --block-size 100 --threads $threads \
        --strategy block-colour,global-colour,two-step -q -o p$threads.mplan
done
cmp p1.mplan p2.mplan
cmp p1.mplan p5.mplan
cp q.msh p2.mplan 2>/dev/null || echo old >p2.mplan
try $MESHPLAN plan t.msh --partitioner hilbert --block-size 100 \
    --strategy block-colour,global-colour,two-step -q -o p2.mplan
cmp p1.mplan p2.mplan
