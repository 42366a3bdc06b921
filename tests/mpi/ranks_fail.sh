#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A rank fails: no bundle is left, a file that was there stays, the message names rank and part, and the next call goes on.
# ranks_fail.sh MESHPLAN PROGRAM MPIEXEC CASE...; PROGRAM is fail_at.c. Cases: kill STAGE, full STAGE (mpi_stage.h); all of them
# run side by side.
set -eu
meshplan=$1 program=$2 mpiexec=$3
shift 3
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cd "$folder"
"$meshplan" generate tet 4x4x4 -o m.msh -q
"$meshplan" convert m.msh m.npz -q
i=0
while [ $i -lt 125 ]; do # 5 x 5 x 5 nodes
    echo $((i * 6 / 125))
    i=$((i + 1))
done >parts
# -q: no report; stages of ranks are said anyway
over() { "$mpiexec" --oversubscribe -n 3 "$program" plan ../m.npz --over cells --inc nodes --parts ../parts -o out.mplans "$@"; }
fail() {
    echo "$*"
    cat said
    exit 1
}

# In a folder of its own: HOW STAGE
try() {
    how=$1 stage=$2
    echo before >out.mplans
    code=0
    # mpirun sleeps between the signal that lets the other ranks clean up and the one that ends them: on a machine with much other
    # work the second that it does by itself is not enough
    patience=1
    [ "$how" != kill ] || patience=4
    OMPI_MCA_odls_base_sigkill_timeout=$patience FAIL_AT="$how 1 $stage" over -q --resume kept >said 2>&1 || code=$?
    [ "$(cat out.mplans)" = before ] || fail "$how $stage: the output has changed"
    [ -z "$(ls -A | grep '^\.meshplan-' || true)" ] || fail "$how $stage: a temporary folder is left"
    case $how in
    kill)
        [ $code -gt 128 ] || fail "kill $stage: exit code $code"
        [ "$stage" -lt 0 ] || grep -q "rank 1: part $stage" said || fail "kill $stage: the part is not named"
        grep -q "meshplan-mpi: stopped; no bundle was written" said || fail "kill $stage: nobody says so"
        ;;
    full)
        [ $code = 74 ] || fail "full $stage: exit code $code"
        grep -q "^meshplan-mpi: rank 1: part $stage: .*File too large" said || fail "full $stage: message"
        [ "$(grep -c '^meshplan-mpi:' said)" = 1 ] || fail "full $stage: more than one rank says it"
        ;;
    esac
    if [ "$stage" -gt 2 ]; then # rank 1 had planned part 2
        over --resume kept >said 2>&1 || fail "the next call failed"
        grep -q "parts were planned by an earlier call" said || fail "$how $stage: nothing was taken over"
        cmp out.mplans ../due.mplans
        [ ! -e kept ] || fail "the folder of --resume stays"
    fi
    : >done
}

"$meshplan" plan m.npz --over cells --inc nodes --parts parts -o due.mplans -q
for word; do
    case $word in
    kill | full) how=$word ;;
    *)
        mkdir "$how$word"
        (cd "$how$word" && try "$how" "$word") &
        ;;
    esac
done
wait
for word; do
    case $word in
    kill | full) how=$word ;;
    *) [ -e "$how$word/done" ] || exit 1 ;;
    esac
done
