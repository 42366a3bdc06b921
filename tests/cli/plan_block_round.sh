# SPDX-License-Identifier: Apache-2.0
# Rounds: in the request, in the plan of block-gather where blocks are larger, proved; equal bits on every executor.
$MESHPLAN generate quad 40x30 --shuffle 3 -o q.msh -q
plan() {
    $MESHPLAN plan q.msh --over cells --inc nodes:2 --partitioner none "$@" -q
}
all=block-gather,block-colour,owner-gather
plan --strategy $all --block-size 200 --block-round 64 -o p.mplan
$MESHPLAN info p.mplan --json - | tr ',{' '\n\n' | sed -n 's/.*"strategy": "\([a-z-]*\)".*/\1/p; s/.*\("\(round\|threads\|elements_per_thread\)": [0-9]*\).*/\1/p'
$MESHPLAN info -v p.mplan | grep -E 'block_round|rounds of'
$MESHPLAN verify p.mplan --mesh q.msh -q && echo proved
plan --strategy $all --block-size 200 -o u.mplan
$MESHPLAN compare p.mplan u.mplan | grep -i round
plan --strategy $all --block-size 200 --block-round 0 -o z.mplan
cmp u.mplan z.mplan && echo "0 is none"
plan --strategy $all --block-size 200 --block-round 224 -o z.mplan
$MESHPLAN compare z.mplan u.mplan | grep -i round
bits() {
    $MESHPLAN run bookleaf --mesh q.msh --repeats 0 --launches 2 --strategy block-gather --block-size 200 "$@" --json - -q |
        tr ',' '\n' | sed -n 's/.*"result_bits": *"\([0-9a-f]*\)".*/\1/p'
}
one=$(bits --block-round 64 --executor host --threads 1)
[ -n "$one" ] && [ "$one" = "$(bits --block-round 64 --executor host --threads 3)" ] && echo "equal bits of any number of threads"
[ "$one" != "$(bits --executor host --threads 1)" ] && echo "the order of sums is another"
for n in 16 40 1056 -1; do
    try plan --block-round $n -o no.mplan
done
