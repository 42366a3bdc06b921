# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM: exit 75, no partial file, the old plan stays whole.
$MESHPLAN generate hex 60x60x60 -o h.msh -q
echo old >p.mplan
for signal in INT TERM; do
    : >err
    # Background jobs of a script ignore SIGINT unless job control is on.
    set -m
    $MESHPLAN plan h.msh --partitioner none --strategy block-colour,global-colour,two-step \
        --progress always -o p.mplan 2>err &
    set +m
    until grep -qE '\.\.\.$' err; do sleep 0.02; done
    kill -$signal $!
    wait $! 2>/dev/null
    echo "exit $?"
    tail -1 err
    rm err
done
cat p.mplan
ls
