# SPDX-License-Identifier: Apache-2.0
# Partitioners that exceed a limit: 70 for time, 71 for memory; what programs of libexec are told is in test_cut_child.
$MESHPLAN --version | grep -q '^metis ' || skip "no METIS"
$MESHPLAN generate quad 40x40 -o q.msh -q
for ending in 'kill -XCPU $$' 'kill -KILL $$' 'kill -SEGV $$' 'exec sleep 3000'; do
    printf '#!/bin/sh\n%s\n' "$ending" >stand-in
    chmod +x stand-in
    patience=300 # what ends by itself may take its time
    [ "$ending" != 'exec sleep 3000' ] || patience=1
    MPLAN_HELPER=$PWD/stand-in try $MESHPLAN partition q.msh -k 8 --read-timeout $patience -q
    MPLAN_HELPER=$PWD/stand-in try $MESHPLAN plan q.msh --partitioner metis --read-timeout $patience -o q.mplan -q
done
ls
