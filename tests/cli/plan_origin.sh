# SPDX-License-Identifier: Apache-2.0
# How blocks were made: tiles of grids, greedy growing, not recorded by other partitioners.
"$MESHPLAN" generate quad 120x90 --shuffle 3 -o q.msh >/dev/null
"$MESHPLAN" generate hex 24x20x24 -o h.msh >/dev/null
"$MESHPLAN" generate tri 20x20 --jitter 0.2 -o t.msh >/dev/null
origin() {
    try "$MESHPLAN" plan "$1.msh" --over "$2" --inc "$3" --block-size 64 --strategy block-colour \
        --partitioner "$4" --quiet -o "$1.mplan"
    "$MESHPLAN" info "$1.mplan" | grep -A 1 "blocks #0" | head -n 2 | sed 's/touches.*/-/'
    "$MESHPLAN" info "$1.mplan" --json - | tr -d ' \n' | grep -o '"origin":{[^}]*}'
    try "$MESHPLAN" verify --quiet "$1.mplan"
}
origin q faces cells native
cp q.mplan first.mplan
origin q cells nodes native
origin h faces cells native
origin h cells nodes native
origin t cells nodes native
origin q faces cells hilbert
"$MESHPLAN" compare first.mplan q.mplan | grep -E "origin|largest patch"
"$MESHPLAN" report first.mplan -o r.html >/dev/null && grep -o 'partitioner native: [^,]*' r.html
