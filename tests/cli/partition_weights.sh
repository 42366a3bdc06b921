# SPDX-License-Identifier: Apache-2.0
# Weights, shares and methods: parts by METIS are balanced in every column; what cannot be is said; other outputs.
$MESHPLAN --version | grep -q '^metis ' || skip "no METIS"
$MESHPLAN generate quad 40x20 --shuffle 3 -o q.msh -q
seq 800 | awk '{ print $1 % 5 + 1, $1 % 3 }' >two.txt
seq 800 | awk '{ print 1 + $1 % 7 }' >one.txt
printf '4\n2\n1\n1\n' >shares.txt
# heaviest part / share in thousandths, of a column
ratio() {
    paste -d' ' "$1" "$2" | awk -v c="$3" '{ sum[$1] += $c; all += $c }
        END { for (p in sum) if (sum[p] > most) most = sum[p]; print int(1000 * most * 8 / all) }'
}
$MESHPLAN partition q.msh -k 8 --weights cells=two.txt -o p -q
[ "$(ratio p two.txt 2)" -le 1030 ] && [ "$(ratio p two.txt 3)" -le 1030 ] && echo "both columns are balanced"
$MESHPLAN partition q.msh -k 8 -o p -q
[ "$(ratio p one.txt 2)" -le 1030 ] || echo "not without weights"
$MESHPLAN partition q.msh -k 8 --weights cells=one.txt --weights cells=two.txt --sum-weights -o p --json j -q
grep -A1 weight_imbalance j | tr -d ' \n' | sed 's/:\[1\..*/: one/'
echo
$MESHPLAN partition q.msh -k 4 --shares 4,2,1,1 -o p -q
sort -n p | uniq -c | awk '{ print $2, ($1 >= 90) }' | tr '\n' ' '
echo
$MESHPLAN partition q.msh -k 4 --shares shares.txt -o - -q | cmp - p
# Drawn, and for OpenFOAM.
$MESHPLAN partition q.msh -k 4 -o p.vtu -q
grep -ac 'Name="part"' p.vtu
$MESHPLAN partition q.msh -k 4 --over faces -o f.vtu -q
$MESHPLAN partition q.msh -k 4 -o - -q >p
$MESHPLAN partition q.msh -k 4 -o cellDecomposition -q
sed -n '1,11p' cellDecomposition
sed -n '12,811p' cellDecomposition | cmp - p
tail -n 1 cellDecomposition
# What cannot be.
printf '# c\n1\n\n2\n-3\n' >bad.txt
printf '1\n2.5\n' >half.txt
seq 40 >short.txt
try $MESHPLAN partition q.msh -k 4 --weights cells=bad.txt
try $MESHPLAN partition q.msh -k 4 --weights cells=half.txt
try $MESHPLAN partition q.msh -k 4 --weights cells=short.txt
try $MESHPLAN partition q.msh -k 4 --weights nodes=one.txt
try $MESHPLAN partition q.msh -k 4 --weights one.txt
try $MESHPLAN partition q.msh -k 4 --weights cells=one.txt --weights cells=short.txt
try $MESHPLAN partition q.msh -k 4 --sum-weights
try $MESHPLAN partition q.msh -k 4 --edge-weights one.txt
try $MESHPLAN partition q.msh -k 4 --edge-weights one.txt --graph points
try $MESHPLAN partition q.msh -k 4 --shares 1,2,3
try $MESHPLAN partition q.msh -k 4 --shares 1,2,0,1
try $MESHPLAN partition q.msh -k 4 --shares 1,2,1e-300,1
try $MESHPLAN partition q.msh -k 4 --shares 1,2,1e300,1e300
try $MESHPLAN partition q.msh -k 4 --ptype rb --contiguous
try $MESHPLAN partition q.msh -k 4 --weights cells=two.txt --partitioner scotch
try $MESHPLAN partition q.msh -k 4 --weights cells=one.txt --partitioner hilbert
try $MESHPLAN partition q.msh --block-size 64 --weights cells=one.txt
seq 800 | awk '{ print 4000000 }' >heavy.txt
try $MESHPLAN partition q.msh -k 4 --weights cells=heavy.txt
ls
