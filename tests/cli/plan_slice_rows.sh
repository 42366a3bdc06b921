# SPDX-License-Identifier: Apache-2.0
# Slices of 64 rows: in the request, in the plan where owner-gather has tables, proved, and run with the bits of slices of 32.
$MESHPLAN generate quad 60x40 --shuffle 3 --jitter 0.2 -o q.msh -q
$MESHPLAN generate tri 30x20 --shuffle 4 -o t.msh -q
slices() {
    $MESHPLAN info p.mplan --json - | tr ',{' '\n\n' | sed -n 's/.*"strategy": "\([a-z-]*\)".*/\1/p; s/.*\("slice_rows": [0-9]*\).*/\1/p'
}
for encoding in index32 index16 pair32 windows16; do
    loop="--over cells --inc nodes:2"
    case $encoding in pair32 | windows16) loop="--over edges --inc nodes:2" ;; esac
    $MESHPLAN plan t.msh $loop --strategy owner-gather,two-step --encoding $encoding --slice-rows 64 -o p.mplan -q || exit
    echo "$encoding:" $(slices)
    $MESHPLAN verify p.mplan --mesh t.msh -q || exit
done
$MESHPLAN plan t.msh --over cells --inc nodes:2 --strategy owner-gather --slice-rows 32 -o p.mplan -q
echo "asked for 32:" $(slices)
$MESHPLAN plan t.msh --over cells --inc nodes:2 --strategy owner-gather -o u.mplan -q
$MESHPLAN plan t.msh --over cells --inc nodes:2 --strategy owner-gather --slice-rows 64 -o p.mplan -q
$MESHPLAN compare p.mplan u.mplan | grep -i slice
bits() {
    $MESHPLAN run "$@" --executor openmp --threads 2 --repeats 0 --launches 2 --iterations 2 --strategy owner-gather --json - -q |
        tr ',' '\n' | sed -n 's/.*"result_bits": *"\([0-9a-f]*\)".*/\1/p'
}
for app in "airfoil index16" "airfoil index32" "volna pair32" "volna windows16" "edgefv index16" "edgefv windows16"; do
    set -- $app
    [ "$(bits "$1" --mesh q.msh --encoding "$2" --slice-rows 32)" = "$(bits "$1" --mesh q.msh --encoding "$2" --slice-rows 64)" ] &&
        echo "$1, $2: equal bits"
done
for n in 16 48 128 warp; do
    $MESHPLAN plan t.msh --over cells --inc nodes:2 --slice-rows $n -o no.mplan
    echo "exit code $?"
done
$MESHPLAN run lfric-matvec --mesh cubed-sphere:4 --layers 5 --strategy owner-gather --slice-rows 64 --repeats 0
echo "exit code $?"
[ ! -e no.mplan ]
