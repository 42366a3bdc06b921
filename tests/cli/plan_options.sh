# SPDX-License-Identifier: Apache-2.0
# Every option of the request reaches it. Only this test holds the text of a request.
$MESHPLAN generate quad 12x8 -o q.msh -q
request() {
    $MESHPLAN plan q.msh -q -o p.mplan "$@" || return
    $MESHPLAN info -v p.mplan | sed -n '/^request/,$p' | sed 1,4d
}
request --partitioner none
request --block-size 64 --max-points 40 --shared-bytes 4000 --strategy atomic,block-colour \
    --partitioner hilbert --imbalance 1.1 --graph points --renumber rcm --keep-order never \
    --point-order count --device v100 --seed 7 --strategy two-step
request --strategy block-gather,owner-gather --allow-nondeterministic --sums colour \
    --encoding index32 --block-threads 96 --point-order auto --partitioner auto
request --strategy atomic --strategy auto --encoding auto | grep -E '^  (strategy|encoding)'
request --strategy two-step,owner-gather --sums-order mesh --partitioner none | tail -2
request --strategy two-step --layouts aos --partitioner none | tail -2
request --strategy two-step --layouts auto --partitioner none | tail -1
request --strategy atomic,two-step,global-colour --elements-per-thread 3 --partitioner none | tail -1
$MESHPLAN info p.mplan --json - | grep -E '"(strategy|threads|elements_per_thread)"'
request --elements-per-thread 65
echo "exit $?"
request --strategy owner-gather,block-gather --sums-order mesh
echo "exit $?"
request --strategy auto,atomic
echo "exit $?"
request --block-threads 40
echo "exit $?"
request --partitioner none --strategy atomic,atomic
echo "exit $?"
request --partitioner none --block-size 64 --max-points 1 --strategy block-colour
echo "exit $?"
# Blocks that are runs take the renumbered order; said where that was asked otherwise.
$MESHPLAN generate quad 8x24 -o tall.msh -q
for strategy in two-step atomic block-colour; do
    echo "keep-order better, $strategy"
    $MESHPLAN plan tall.msh -o p.mplan --partitioner none --renumber hilbert --keep-order better \
        --strategy $strategy 2>&1 | grep -E 'warning|^ *cells .* hilbert'
done
echo "not asked, quiet"
$MESHPLAN plan tall.msh -o p.mplan --partitioner none --renumber hilbert --strategy two-step 2>&1 |
    grep warning
$MESHPLAN plan tall.msh -o p.mplan --partitioner none --renumber hilbert --keep-order better \
    --strategy two-step -q
