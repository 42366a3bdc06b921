# SPDX-License-Identifier: Apache-2.0
# device measures a profile that plan --device takes. Rates differ from run to run, and by a lot on a busy machine: only what stays is shown.
$MESHPLAN device --executor openmp -o host.yaml
sed -E 's/(rate: ).*/\1N/; s/meshplan [0-9.]+/meshplan/' host.yaml
$MESHPLAN device --executor host --name mine | grep name
$MESHPLAN device --executor host -q --json - | python3 -c '
import json, sys
one = json.load(sys.stdin)["profile"]
rates = [one[r + "_rate"] for r in ("copy", "flop", "atomic", "shared", "l2")]
print(one["name"], one["warp"], "launch" in one, all(1e3 < r < 1e15 for r in rates))'
$MESHPLAN generate quad 40x30 -o a.msh --quiet
$MESHPLAN plan a.msh --device host.yaml --strategy auto -o a.mplan -q
$MESHPLAN info a.mplan -v | grep -E "^  device host"
$MESHPLAN verify a.mplan --mesh a.msh --quiet
# a launch's seconds are a number of the request only where the profile has them
echo "launch: 1e-05" >>host.yaml
sed -i 's/^warp: 1/warp: 32/' host.yaml
$MESHPLAN plan a.msh --device host.yaml --strategy auto -o b.mplan -q
$MESHPLAN verify b.mplan --mesh a.msh --quiet
$MESHPLAN info b.mplan -v | grep -E "^  profile .* 1e-05$" | wc -l
# likewise the link's rate, behind a launch that may be 0; a visit is predicted by both
echo "link: 2e9" >>host.yaml
sed '/^launch/d' host.yaml >link.yaml
cat >step.yaml <<END
meshplan: 1
mesh: a.msh
step: [sweep]
loops: [{name: sweep, over: faces, args: [{dat: u, map: faces_cells, access: inc, dim: 1, type: f64}]}]
END
for device in host link; do
    $MESHPLAN plan step.yaml --device $device.yaml --device-memory 2M --steps-per-visit 1 --segments 4 -o c.mplan -q
    $MESHPLAN verify c.mplan --mesh a.msh --quiet
    $MESHPLAN info c.mplan -v | grep -oE "^  profile .*" | grep -oE "[^ ]+ [^ ]+$"
    $MESHPLAN info c.mplan --json - | python3 -c '
import json, sys
one = json.load(sys.stdin)["visit"]
launches = one["steps"] * one["segments"] * (1e4 if sys.argv[1] == "host" else 6e3)
due = one["steps"] * one["in_core_ns"] + launches
link = max(one["in_bytes"], one["out_bytes"]) / 2e9 * 1e9
due = (max(due, link) + link * (one["period"] - one["segments"]) / one["segments"]) / one["steps"]
print(abs(one["predicted_ns"] - due) <= 2)' $device
done
try $MESHPLAN device --executor host --name 'a b'
try $MESHPLAN device --executor serial
try $MESHPLAN device -o a.msh/x.yaml --executor host
$MESHPLAN device -o gpu.yaml 2>gpu.err
case $? in
0) grep -c "^l2_rate: " gpu.yaml ;;
65 | 74) test -e gpu.yaml || grep -cE "CUDA|cuda|device" gpu.err ;;
*) cat gpu.err ;;
esac
