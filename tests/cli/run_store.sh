# SPDX-License-Identifier: Apache-2.0
# Dats in a file and in memory that is not pinned: the bits of steps in memory; nothing is left in the folder.
mkdir room
step="run airfoil --mesh quad:300x20 --device-memory 1600000 --steps-per-visit 2 --segments 8 --iterations 0 --repeats 0"
for where in '--store room' '--unpinned' '--store room --unpinned' '--launch-streams 2'; do
    $MESHPLAN $step --no-check --in-memory $where | grep -o 'same bits'
done
columns="run column-step --mesh quad:1500x5 --layers 6 --steps-per-visit 2 --segments 24 --iterations 5 --repeats 0"
for where in '--device-memory 2700000' '--store room --columns points --device-memory 3800000'; do
    $MESHPLAN $columns $where | grep -o 'same bits'
done
try $MESHPLAN run flux3d --mesh tet:4x4x4 --device-memory 1M
ls room
$MESHPLAN $step --store nowhere --json - 2>/dev/null | grep -o 'a store in nowhere: No such file or directory"'
for where in '--store room' --unpinned '--launch-streams 2'; do
    $MESHPLAN run airfoil --mesh quad:300x20 $where
    echo "exit $?"
done
