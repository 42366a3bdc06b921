# SPDX-License-Identifier: Apache-2.0
# A signal that ends a command leaves the old output and no temporary file, whatever the signal.
$MESHPLAN generate hex 80x80x80 -o h.msh -q
echo old >out.msh
during_write() {
    : >err
    # Background jobs of a script ignore SIGINT and SIGQUIT unless job control is on.
    set -m
    (
        ulimit -c 0
        exec $MESHPLAN convert h.msh out.msh --progress always 2>err
    ) &
    set +m
    until grep -q write err; do sleep 0.01; done
    kill -$1 $!
    wait $! 2>/dev/null
    code=$?
    # a signal may come when all is done
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
sleep 60 <fifo &
reader=$!
set -m
$MESHPLAN convert h.msh - >fifo &
set +m
sleep 1
start=$SECONDS
kill -TERM $!
wait $! 2>/dev/null
echo "slow reader: exit $?"
[ $((SECONDS - start)) -lt 30 ] || echo "it waited"
# What the parent ignores stays ignored.
(
    trap '' HUP
    : >err
    $MESHPLAN convert h.msh out.su2 --progress always >/dev/null 2>err &
    until grep -q write err; do sleep 0.01; done
    kill -HUP $!
    wait $!
    echo "ignored: exit $?"
)
kill $reader
rm err
cmp out.msh kept
ls -A
