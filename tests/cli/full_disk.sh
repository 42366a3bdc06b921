# SPDX-License-Identifier: Apache-2.0
# 74: nothing that was to be printed may be lost in silence.
[ -w /dev/full ] || skip "no /dev/full"
$MESHPLAN generate quad 40x30 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o q.mplan
run() {
    "$@" >/dev/full
    echo "exit $?"
}
run $MESHPLAN help
run $MESHPLAN plan --help
run $MESHPLAN --version
run $MESHPLAN formats
run $MESHPLAN completion bash
run $MESHPLAN info q.mplan
run $MESHPLAN info q.msh
run $MESHPLAN info q.mplan --json -
run $MESHPLAN verify q.mplan
run $MESHPLAN compare q.mplan q.mplan
run $MESHPLAN generate quad 40x30 -o -
run $MESHPLAN convert q.msh -
run $MESHPLAN plan q.msh --partitioner none -o -
run $MESHPLAN export q.mplan --to part -o -
try $MESHPLAN info q.mplan --quiet --json /dev/full
try $MESHPLAN plan q.msh --partitioner none -o /dev/full
ls
