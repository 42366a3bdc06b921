# SPDX-License-Identifier: Apache-2.0
# The partitioner of block-colour: blocks within the limit, the same plan at any number of threads.
$MESHPLAN --version | grep -q '^metis' || skip "no METIS in this build"
$MESHPLAN generate quad 60x40 --shuffle 3 -o q.msh -q
try $MESHPLAN plan q.msh --strategy block-colour -q -o a.mplan --threads 1 --json a.json
try $MESHPLAN plan q.msh --strategy block-colour -q -o b.mplan --threads 4
cmp a.mplan b.mplan
try $MESHPLAN verify a.mplan --mesh q.msh -q
python3 - <<'END'
import json
variant = json.load(open("a.json"))["loops"][0]["variants"][0]
assert variant["block_max"] <= 256 and variant["over_limit"] == 0 and variant["empty"] == 0
assert variant["reuse"]["cells"] > 1.6
END
# A parent that ignores the end of its children hands that down.
(trap '' CHLD; exec $MESHPLAN plan q.msh --strategy block-colour -q -o c.mplan)
echo "exit $?"
cmp a.mplan c.mplan
