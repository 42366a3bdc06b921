# SPDX-License-Identifier: Apache-2.0
# The keys of the JSON are a contract; times and memory differ from run to run.
cat >keys.py <<'END'
import json, sys
plan, info = (json.load(open(name)) for name in sys.argv[1:3])
def keys(value, path=""):
    if isinstance(value, dict):
        for key in value:
            yield path + key
            yield from keys(value[key], path + key + ".")
    elif isinstance(value, list):
        for item in value:
            yield from keys(item, path[:-1] + "[].")
seen = []
for key in keys(plan):
    if key not in seen:
        seen.append(key)
print("\n".join(seen))
times = plan.pop("time_s")
assert set(plan.pop("cpu_s")) == {"partition", "graph"}
rss = plan.pop("peak_rss_bytes")
for said in ("command", "input", "options"):  # of the call
    assert plan.pop(said) != info.pop(said)
assert plan == info, "info says something else"
assert rss > 0 and all(0 <= t < 60 for t in times.values())
assert sum(t for k, t in times.items() if k != "total") <= times["total"] * 1.01 + 1e-3
for loop in plan["loops"]:
    n = {s["name"]: s["size"] for s in plan["sets"]}[loop["set"]]
    for v in loop["variants"]:
        assert abs(v["fill"] - n / (v["blocks"] * v["block_limit"])) < 1e-12
        assert abs(v["block_mean"] - n / v["blocks"]) < 1e-12
        assert v["over_limit"] == 0 and v["empty"] == 0
        for s in v["reuse"]:
            entries = sum(m["entries"] for m in plan["maps"] if m["to"] == s)
            pairs = v["points_per_block"][s]["mean"] * v["blocks"]
            assert abs(v["reuse"][s] - entries / pairs) < 1e-9
END
$MESHPLAN generate quad 12x8 -o q.msh -q
try $MESHPLAN plan q.msh --partitioner none --block-size 32 \
    --strategy block-colour,global-colour,two-step,atomic -o q.mplan --json plan.json --quiet
try $MESHPLAN info q.mplan --json info.json --quiet
python3 keys.py plan.json info.json
sed '/"time_s"/,$d' plan.json
try $MESHPLAN plan q.msh --partitioner none -o q.mplan --json - | tail -1
$MESHPLAN plan q.msh --partitioner none -o - --json plan2.json | cmp - q.mplan
python3 -c 'import json; print(json.load(open("plan2.json"))["plan"])'
