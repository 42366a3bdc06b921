# SPDX-License-Identifier: Apache-2.0
# The pipes of a long line, each of whose joints has a branch: colours do not take the square of its length.
awk 'BEGIN {
    for (i = 0; i < 200000; i++)
        printf "%d %d\n%d %d\n", i, i + 1, i, 200001 + i
}' > pipes_joints.csv
(ulimit -t 20 && try $MESHPLAN plan pipes_joints.csv --strategy global-colour --threads 1 -q -o p.mplan)
$MESHPLAN info p.mplan | grep -A1 colours
