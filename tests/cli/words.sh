# Words of later versions are not known yet: usage errors that list those known.
for option in '--strategy auto' '--strategy block-gather' '--strategy owner-gather' \
    '--strategy block-color' '--strategy block-colour,atomc' '--partitioner native' \
    '--partitioner hilbret' '--graph cells' '--renumber sloan' '--keep-order always' \
    '--point-order list' '--device rtx' '--none split-them'; do
    try $MESHPLAN plan m.dat $option -o p
done
try $MESHPLAN --progress sometimes plan m.dat -o p
try $MESHPLAN plan m.dat --format gmhs -o p 2>&1 | sed 's/known: .*//'
