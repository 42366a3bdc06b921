# SPDX-License-Identifier: Apache-2.0
# Entries of windows16 one by one: in the request, in the plan where rows have one width, proved, and run with the same bits.
$MESHPLAN generate quad 60x40 --shuffle 3 -o q.msh -q
$MESHPLAN generate tri 30x20 --shuffle 4 -o t.msh -q
layouts() {
    $MESHPLAN plan "$@" --strategy owner-gather --partitioner none --entry-layout entries -o p.mplan -q || exit
    $MESHPLAN verify p.mplan --mesh "$1" -q || exit
    $MESHPLAN info p.mplan --json - | tr ',{' '\n\n' | sed -n 's/ *"\(encoding\|width\|entry_layout\)": \(.*\)/\1 \2/p' | tr '\n' ' '
    echo
}
layouts q.msh --over faces --inc cells:2 --read nodes:2 --encoding windows16
layouts t.msh --over faces --inc cells:2 --encoding windows16
layouts t.msh --over faces --inc cells:2 --encoding pair32
layouts t.msh --over edges --inc nodes:2 --encoding windows16
layouts t.msh --over faces --inc cells:2 --encoding windows16 --slice-rows 64
$MESHPLAN info -v p.mplan | grep entry_layout
$MESHPLAN plan t.msh --over faces --inc cells:2 --encoding windows16 --strategy owner-gather --partitioner none -o u.mplan -q
$MESHPLAN plan t.msh --over faces --inc cells:2 --encoding windows16 --strategy owner-gather --partitioner none --entry-layout rows \
    -o r.mplan -q
cmp u.mplan r.mplan && echo "rows is the default"
$MESHPLAN compare p.mplan u.mplan 2>/dev/null | grep -E "layout of entries|owner_entries" | sed 's/: [0-9]* of.*/: differ/'
bits() {
    $MESHPLAN run "$@" --executor host --repeats 0 --launches 1 --strategy owner-gather --encoding windows16 --json - -q |
        tr ',' '\n' | sed -n 's/.*"result_bits": *"\([0-9a-f]*\)".*/\1/p'
}
for app in "res_calc q" "volna t" "flux2d t" "edgefv t"; do
    set -- $app
    [ -n "$(bits "$1" --mesh "$2.msh")" ] &&
        [ "$(bits "$1" --mesh "$2.msh")" = "$(bits "$1" --mesh "$2.msh" --entry-layout entries)" ] && echo "$1: equal bits"
done
try $MESHPLAN plan t.msh --over faces --inc cells:2 --entry-layout columns -o no.mplan
