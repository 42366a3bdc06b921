# SPDX-License-Identifier: Apache-2.0
# Sums in the order of the mesh have the same bits in plans of different orders, blocks, tables and strategies; in the
# stored order they have not.
$MESHPLAN generate quad 60x40 --shuffle 3 --jitter 0.2 -o q.msh -q
$MESHPLAN generate tet 5x6x7 --shuffle 4 --jitter 0.2 -o t.msh -q
$MESHPLAN generate hex 6x5x7 --shuffle 5 --jitter 0.2 -o h.msh -q
one() {
    app=$1 mesh=$2 order=$3
    shift 3
    $MESHPLAN run "$app" --mesh "$mesh" --executor openmp --threads 2 --repeats 0 --launches 2 --iterations 0 --sums-order "$order" "$@" --json - -q |
        tr ',' '\n' | sed -n 's/.*"result_bits": *"\([0-9a-f]*\)".*/\1/p'
}
all() {
    one "$@" --strategy owner-gather --renumber rcm --block-size 64 --partitioner none
    one "$@" --strategy owner-gather --renumber hilbert --encoding index32 --block-size 256
    one "$@" --strategy owner-gather,two-step --renumber none --encoding index16 --partitioner hilbert
    one "$@" --strategy two-step --renumber agglomerate --block-size 128 --partitioner none
}
for app in "airfoil q.msh" "lulesh h.msh" "edgefv t.msh" "volna q.msh"; do
    for order in stored mesh; do
        results=$(all $app $order)
        n=$(echo "$results" | sort -u | wc -l)
        echo "$app, $order: $(echo "$results" | wc -l) plans, $([ "$n" = 1 ] && echo equal || echo other) bits"
    done
done
