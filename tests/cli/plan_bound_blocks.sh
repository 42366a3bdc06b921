# SPDX-License-Identifier: Apache-2.0
# Launch bounds: in the request, in the plan where kernels have some, proved, and no result depends on them.
$MESHPLAN generate quad 12x9 --shuffle 3 -o q.msh -q
plan() {
    $MESHPLAN plan q.msh --over faces --inc cells:2 --partitioner none "$@" -q
}
plan --strategy owner-gather,two-step,block-gather,block-colour,global-colour --bound-blocks 8 -o p.mplan
$MESHPLAN info p.mplan --json - | tr ',{' '\n\n' | sed -n 's/.*"strategy": "\([a-z-]*\)".*/\1/p; s/.*\("bound_blocks": [0-9]*\).*/\1/p'
$MESHPLAN info -v p.mplan | grep bound_blocks
$MESHPLAN verify p.mplan --mesh q.msh -q && echo proved
plan --strategy owner-gather,two-step,block-gather,block-colour,global-colour -o u.mplan
$MESHPLAN compare p.mplan u.mplan | grep -i bound
plan --strategy owner-gather,two-step,block-gather,block-colour,global-colour --bound-blocks 0 -o z.mplan
cmp u.mplan z.mplan && echo "0 is none"
bits() {
    $MESHPLAN run res_calc --mesh q.msh --executor host --repeats 0 --launches 1 --strategy "$@" --json - -q |
        tr ',' '\n' | sed -n 's/.*"result_bits": *"\([0-9a-f]*\)".*/\1/p'
}
for strategy in owner-gather block-gather; do
    [ -n "$(bits $strategy)" ] && [ "$(bits $strategy)" = "$(bits $strategy --bound-blocks 16)" ] && echo "$strategy: equal bits"
done
for n in -1 33 many; do
    try plan --bound-blocks $n -o no.mplan
done
