# SPDX-License-Identifier: Apache-2.0
# Columns of an ocean are weighed by their layers, unless weights are given: a basin that is deep in one half.
$MESHPLAN --version | grep -q '^metis ' || skip "no METIS"
mkdir sea
awk 'BEGIN {
    n = 31; print n * n >"sea/nod2d.out"
    for (j = 0; j < n; j++) for (i = 0; i < n; i++)
        printf "%d %.6f %.6f %d\n", j * n + i + 1, i, j - 15, 0 >"sea/nod2d.out"
    print 2 * (n - 1) * (n - 1) >"sea/elem2d.out"
    for (j = 0; j < n - 1; j++) for (i = 0; i < n - 1; i++) {
        a = j * n + i + 1
        print a, a + 1, a + n >"sea/elem2d.out"; print a + 1, a + n + 1, a + n >"sea/elem2d.out"
        for (k = 0; k < 2; k++) print(i < 15 ? 41 : 5) >"sea/elvls.out" # levels; layers are one fewer
    }
    for (j = 0; j < n; j++) for (i = 0; i < n; i++) print(i <= 15 ? 41 : 5) >"sea/nlvls.out"
    print 41 >"sea/aux3d.out"
    for (k = 0; k < 41; k++) print -50 * k >"sea/aux3d.out"
    for (k = 0; k < n * n; k++) print -200 >"sea/aux3d.out" # depths of nodes
}'
# the heaviest part in layers, in thousandths of the mean
heaviest() {
    paste -d' ' "$1" sea/elvls.out | awk '{ sum[$1] += $2 - 1; all += $2 - 1 }
        END { for (p in sum) if (sum[p] > most) most = sum[p]; print int(1000 * most * 8 / all) }'
}
$MESHPLAN partition sea -k 8 -o layers --json json -q
[ "$(heaviest layers)" -le 1031 ] && echo "balanced by layers"
grep -A1 weight_imbalance json | tr -d ' \n' | sed 's/:\[1\.0.*/: one column/'
echo
yes 1 | head -1800 >ones
$MESHPLAN partition sea -k 8 --weights cells=ones -o cells -q
[ "$(heaviest cells)" -ge 1500 ] && echo "by cells, a part has half as much again"
$MESHPLAN partition sea -k 8 --partitioner hilbert -o plain -q
$MESHPLAN partition sea -k 8 --over edges --partitioner metis -o edges -q && sort -u edges | wc -l
