# SPDX-License-Identifier: Apache-2.0
# Equal plans, different plans, and what is not a plan.
$MESHPLAN generate quad 6x5 -o q.msh -q
$MESHPLAN generate quad 5x6 -o r.msh -q
$MESHPLAN plan q.msh --strategy block-colour --partitioner none --block-size 16 -q -o a.mplan
$MESHPLAN plan q.msh --strategy block-colour --partitioner none --block-size 16 -q -o b.mplan
$MESHPLAN plan q.msh --strategy block-colour --partitioner none --block-size 8 -q -o c.mplan
$MESHPLAN plan r.msh --strategy block-colour --partitioner none --block-size 16 -q -o d.mplan
try $MESHPLAN compare a.mplan b.mplan
try $MESHPLAN compare a.mplan b.mplan --json -
try $MESHPLAN compare a.mplan c.mplan | grep -E '^(request|loop loop, variant 0: block limit|exit)'
try $MESHPLAN compare a.mplan c.mplan --quiet
try $MESHPLAN compare a.mplan d.mplan | grep -E '^(fingerprint|exit)'
try $MESHPLAN compare a.mplan d.mplan --json d.json --quiet 2>/dev/null
python3 -c 'import json; d = json.load(open("d.json")); print(d["equal"], len(d["differences"]) > 0)'
try $MESHPLAN compare a.mplan q.msh
try $MESHPLAN compare a.mplan missing.mplan
