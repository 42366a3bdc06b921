# SPDX-License-Identifier: Apache-2.0
# Parts of a mesh on ranks of one process: equal bits for all numbers of ranks and both transports; and what is refused.
brief() {
    sed -E 's/.*"deterministic": ?([a-z]*).*"equal_bits": ?([a-z]*), "result_bits": "([^"]*)".*"ranks": ?([0-9]*), "parts": ?([0-9]*), "transport": "([^"]*)", "exchanges": ?([0-9]*), "messages": ?([0-9]*), "message_bytes": ?([0-9]*), "copied_bytes": ?([0-9]*).*/\4 of \5, \6: \1 \2; \7 exchanges, \8 messages, \9 bytes|\3/'
}
for app in airfoil airfoil_fused flux2d bookleaf_getq; do
    for transport in local peer peer-inside; do
        $MESHPLAN run $app --mesh quad:20x12 --parts 5 --ranks 1,2,5 --transport $transport --strategy owner-gather \
            --iterations 5 --repeats 0 --json - >rows
        brief <rows | cut -d'|' -f1
        brief <rows | cut -d'|' -f2 >>bits.$app
    done
    echo "$app: inside loops $(sed -E 's/.*"inside_exchanges": ?([0-9]*).*/\1/' <rows | paste -sd ' ') of them" # ranks of several parts: none
    echo "$app: $(sort -u bits.$app | wc -l) fingerprint of $(wc -l <bits.$app)"
done
echo "airfoil in nine loops and in seven: $(sort -u bits.airfoil bits.airfoil_fused | wc -l) fingerprint"
for app in lfric-matvec lfric-matvec-w2 column-flux tridiagonal column-step; do
    run="$MESHPLAN run $app --mesh cubed-sphere:4 --layers 6 --repeats 0 --json -"
    [ $app = tridiagonal ] || run="$run --sums-order mesh"
    $run --parts 5 --ranks 1,2,5 --transport local >rows
    brief <rows | cut -d'|' -f1
    [ $app = tridiagonal ] || $run --parts 5 --rings 2 --ranks 1,5 >>rows # rings of columns
    { cat rows && $run; } | sed -E 's/.*"result_bits": "([^"]*)".*/\1/' >bits.$app
    echo "$app: $(sort -u bits.$app | wc -l) fingerprint of $(wc -l <bits.$app), one of them without parts"
done
# mixing is uploaded once and no loop changes it: its halo comes once, so that rings serve as many steps as the fluxes allow
$MESHPLAN run column-step --mesh cubed-sphere:4 --layers 6 --parts 5 --rings 4 --ranks 5 --repeats 0 --json - |
    grep -o '"exchanges": *[0-9]*\|"exchange_steps": *[0-9]*'
# Parts for nodes, and those of a file, of which one is empty: the bits of the parts above.
seq 240 | awk '{ print $1 % 7 < 3 ? 0 : $1 % 7 }' >seven.part
for parts in 2x3 7x1 seven.part; do
    $MESHPLAN run airfoil --mesh quad:20x12 --parts $parts --ranks 1,3 --strategy owner-gather --sums-order mesh --iterations 5 --repeats 0 --json - >rows
    brief <rows | cut -d'|' -f1
    brief <rows | cut -d'|' -f2 >>bits.ways
done
$MESHPLAN run airfoil --mesh quad:20x12 --strategy owner-gather --sums-order mesh --iterations 5 --repeats 0 --json - |
    sed -E 's/.*"result_bits": "([^"]*)".*/\1/' >>bits.ways
echo "in the order of the mesh: $(sort -u bits.ways | wc -l) fingerprint of $(wc -l <bits.ways)"
try $MESHPLAN run airfoil --mesh quad:20x12 --parts 5 --ranks 6 --repeats 0 --quiet
try $MESHPLAN run airfoil --mesh quad:20x12 --parts 5 --ranks 1,x --repeats 0 --quiet
try $MESHPLAN run airfoil --mesh quad:20x12 --parts 0 --quiet
try $MESHPLAN run airfoil --mesh quad:20x12 --ranks 2 --quiet
try $MESHPLAN run airfoil --mesh quad:20x12 --plan rows --ranks 2 --quiet
try $MESHPLAN run airfoil --mesh quad:20x12 --plan rows --parts 2 --quiet
try $MESHPLAN run airfoil --mesh quad:20x12 --parts 2x0 --quiet
try $MESHPLAN run airfoil --mesh quad:20x12 --parts none.part --quiet
head -n 20 seven.part >short.part
try $MESHPLAN run airfoil --mesh quad:20x12 --parts short.part --quiet
try $MESHPLAN run cg --mesh quad:20x12 --parts 2 --repeats 0 --quiet
