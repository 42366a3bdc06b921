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
try $MESHPLAN device --executor host --name 'a b'
try $MESHPLAN device --executor serial
try $MESHPLAN device -o a.msh/x.yaml --executor host
$MESHPLAN device -o gpu.yaml 2>gpu.err
case $? in
0) grep -c "^l2_rate: " gpu.yaml ;;
65 | 74) test -e gpu.yaml || grep -cE "CUDA|cuda|device" gpu.err ;;
*) cat gpu.err ;;
esac
