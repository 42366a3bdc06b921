# SPDX-License-Identifier: Apache-2.0
# SIGINT and SIGTERM: exit 75, no partial file, the old plan stays whole.
$MESHPLAN generate hex 60x60x60 -o h.msh -q
echo old >p.mplan
mkfifo said
for signal in INT TERM; do
    for turn in $(seq 100); do
        # Background jobs of a script ignore SIGINT unless job control is on.
        set -m
        $MESHPLAN plan h.msh --partitioner none --strategy block-colour,global-colour,two-step \
            --progress always -o p.mplan 2>said &
        set +m
        exec 3<said
        until_said ...
        kill -$signal $! 2>/dev/null
        rest=$(cat <&3)
        wait $! 2>/dev/null
        code=$?
        [ $code = 0 ] || break # else the plan was made before the signal came
        echo old >p.mplan
    done
    echo "exit $code"
    tail -1 <<<"$rest"
done
rm said
cat p.mplan
ls
