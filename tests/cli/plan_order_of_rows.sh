# SPDX-License-Identifier: Apache-2.0
# In a boundary layer auto orders points by clusters, which touch fewer points by block; but along Hilbert's curve where
# owner-gather is to walk long rows: of the nodes of tets (14 entries), not of hexes (6), nor where blocks come first.
for cells in tet hex; do
    $MESHPLAN generate wing 16x6x8 --cells $cells --first-height 1e-6 --shuffle 1 -o $cells.msh -q
    for strategy in owner-gather block-gather block-gather,owner-gather; do
        $MESHPLAN plan $cells.msh --over edges --inc nodes:5 --read nodes:5 --strategy $strategy -o p.mplan -q
        echo "$cells $strategy: $($MESHPLAN info -v p.mplan | grep '^  nodes .*[a-z]$')"
    done
done
