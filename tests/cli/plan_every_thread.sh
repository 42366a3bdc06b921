# SPDX-License-Identifier: Apache-2.0
# A mesh of several pieces: 1, 2, 3 and 8 threads write the same bytes.
[ -f "${PRELOAD:-}" ] || skip "no preloaded library in this build"
$MESHPLAN generate tri 170x150 --jitter 0.2 --shuffle 3 -q -o t.msh
for threads in 1 2 3 8; do
    env LD_PRELOAD=$PRELOAD TEST_PROCESSORS=8 $MESHPLAN plan t.msh --threads $threads -q -o p$threads.mplan \
        --strategy owner-gather,block-gather,block-colour,global-colour || echo "exit $?"
    cmp p1.mplan p$threads.mplan
done
