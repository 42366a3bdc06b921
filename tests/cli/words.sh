# SPDX-License-Identifier: Apache-2.0
# Unknown words, and those of later versions: usage errors that list those known.
for option in '--strategy block-color' '--strategy block-colour,atomc' '--partitioner natve' \
    '--partitioner hilbret' '--graph cells' '--renumber slaon' '--keep-order always' \
    '--point-order list' '--device rtx' '--none split-them' '--sums total' '--encoding none' '--encoding pair16'; do
    try $MESHPLAN plan m.dat $option -o p
done
try $MESHPLAN --progress sometimes plan m.dat -o p
try $MESHPLAN plan m.dat --from gmhs -o p 2>&1 | sed 's/known: .*//'
