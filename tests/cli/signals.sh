# SPDX-License-Identifier: Apache-2.0
# A signal that ends a command leaves the old output and no temporary file, whatever the signal.
$MESHPLAN generate hex 60x60x60 -o h.msh -q
echo old >out.msh
mkfifo err
during_write() {
    for turn in $(seq 100); do
        # Background jobs of a script ignore SIGINT and SIGQUIT unless job control is on.
        set -m
        (
            ulimit -c 0
            exec $MESHPLAN convert h.msh out.msh --progress always 2>err
        ) &
        set +m
        exec 3<err
        until_said write
        kill -$1 $!
        wait $!
        code=$?
        [ $code = 0 ] || break # else all was written before the signal came
        cp kept out.msh
    done
    # where files without a name cannot be made, only a killed command leaves one with a name
    [ $1 != KILL ] || rm -f .meshplan-*.tmp
    echo "$1: exit $code, $(ls -A | tr '\n' ' ')"
    cmp -s out.msh kept && echo "(as before)"
}
cp out.msh kept
for signal in HUP INT QUIT TERM XCPU ALRM USR1 USR2 KILL; do
    during_write $signal
done 2>/dev/null
# The time is over: the signal comes each second, and only the first counts.
(
    ulimit -c 0
    ulimit -S -t 1
    $MESHPLAN plan h.msh --strategy block-colour,two-step,owner-gather --partitioner native --effort best -o out.msh -q
    echo "time: exit $?"
) 2>/dev/null
# A file that grows too long is an error of writing.
(
    ulimit -f 100
    try $MESHPLAN convert h.msh out.msh
)
# Nobody reads.
$MESHPLAN convert h.msh - | head -c 1000 >/dev/null
echo "pipe: exit ${PIPESTATUS[0]}"
# A reader that does not read holds the command up: the first signal ends it.
mkfifo fifo
sleep 3000 <fifo &
reader=$!
set -m
$MESHPLAN convert h.msh - >fifo &
set +m
waiting $!
start=$SECONDS
kill -TERM $!
wait $! 2>/dev/null
echo "slow reader: exit $?"
[ $((SECONDS - start)) -lt 300 ] || echo "it waited"
# What the parent ignores stays ignored.
(
    trap '' HUP
    $MESHPLAN convert h.msh out.su2 --progress always >/dev/null 2>err &
    exec 3<err
    until_said write
    kill -HUP $! 2>/dev/null
    cat <&3 >/dev/null
    wait $!
    echo "ignored: exit $?"
)
kill $reader
rm err
cmp out.msh kept
ls -A
