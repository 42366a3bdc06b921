# SPDX-License-Identifier: Apache-2.0
# Threads that the system refuses, and variables of OpenMP: the same plan by as many threads as
# there are, and no exit code but those of the man page.
[ -f "${PRELOAD:-}" ] || skip "no preloaded library in this build"
$MESHPLAN generate tet 14x14x14 --shuffle 3 -q -o t.msh
plan() {
    "$@" $MESHPLAN plan t.msh --over cells --inc nodes --strategy block-gather,block-colour \
        --partitioner native --block-size 64 -q -o - $threads >n.mplan
    code=$?
    [ $code -ne 0 ] || cmp one.mplan n.mplan || code="$code, another plan"
    echo "exit $code: $*$threads" | sed "s|$PRELOAD|PRELOAD|"
}
$MESHPLAN plan t.msh --over cells --inc nodes --strategy block-gather,block-colour \
    --partitioner native --block-size 64 -q -o one.mplan --threads 1
threads=
for n in 2 3 7 64; do
    plan env LD_PRELOAD=$PRELOAD TEST_PROCESSORS=$n
done
for n in 0 1 4; do
    plan env LD_PRELOAD=$PRELOAD TEST_PROCESSORS=7 TEST_THREADS=$n
done
for variable in OMP_STACKSIZE=abc OMP_STACKSIZE=99999G OMP_NUM_THREADS=99999 OMP_NUM_THREADS=abc \
    OMP_THREAD_LIMIT=0 GOMP_CPU_AFFINITY=x; do
    plan env LD_PRELOAD=$PRELOAD TEST_PROCESSORS=7 $variable
done
threads=" --threads 65536"
plan env LD_PRELOAD=$PRELOAD TEST_PROCESSORS=7

# Memory at every limit: a plan that is the same, or 71.
threads=
for kib in $(seq 40000 9000 250000); do
    (ulimit -v $kib && exec $MESHPLAN --version >version 2>&1) || continue
    (
        ulimit -v $kib
        LD_PRELOAD=$PRELOAD TEST_PROCESSORS=7 $MESHPLAN plan t.msh --over cells --inc nodes \
            --strategy block-gather,block-colour --partitioner native --block-size 64 -q -o n.mplan 2>err
    )
    code=$?
    case $code in
    0) cmp one.mplan n.mplan ;;
    71) ;;
    *) echo "exit $code at $kib KiB: $(cat err)" ;;
    esac
done

# No more processes for a user who is not root.
limited='ulimit -u 1 && exec "$@"'
if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups "$MESHPLAN" --version >version 2>&1 &&
        chmod 755 . .. && chmod 644 t.msh &&
        setpriv --reuid=65534 --regid=65534 --clear-groups test -r t.msh ||
        limited=
    user="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
if [ -n "$limited" ]; then
    plan ${user:-} bash -c "$limited" bash env LD_PRELOAD=$PRELOAD TEST_PROCESSORS=7 | sed 's/:.*/: ulimit -u 1/'
else
    echo "exit 0: ulimit -u 1"
fi
