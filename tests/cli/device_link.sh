# SPDX-License-Identifier: Apache-2.0
# A profile may say how fast the link to the host is, and how long a launch takes: the request has both, and a visit is predicted by them.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
$MESHPLAN generate quad 40x30 -o a.msh --quiet
cat >step.yaml <<END
meshplan: 1
mesh: a.msh
step: [sweep]
loops: [{name: sweep, over: faces, args: [{dat: u, map: faces_cells, access: inc, dim: 1, type: f64}]}]
END
cat >both.yaml <<END
name: mine
version: 1
shared_bytes: 49152
max_threads: 1024
processors: 4
processor_threads: 2048
processor_shared_bytes: 65536
l2_bytes: 1048576
warp: 32
copy_rate: 1e11
flop_rate: 1e12
atomic_rate: 1e10
shared_rate: 1e11
l2_rate: 4e11
launch: 1e-05
link: 2e9
END
sed '/^launch/d' both.yaml >link.yaml
sed '/^link/d' both.yaml >launch.yaml
for device in both link launch; do
    $MESHPLAN plan step.yaml --device $device.yaml --device-memory 2M --steps-per-visit 1 --segments 4 -o $device.mplan -q
    $MESHPLAN verify $device.mplan --mesh a.msh --quiet
    $MESHPLAN info $device.mplan -v | grep -oE "^  profile 1 .*" | sed 's/.* 4e+11 //'
    $MESHPLAN info $device.mplan --json - | python3 -c '
import json, sys
one = json.load(sys.stdin)["visit"]
launch = 6e3 if sys.argv[1] == "link" else 1e4
rate = 24e9 if sys.argv[1] == "launch" else 2e9
runs = one["steps"] * (one["in_core_ns"] + launch * one["segments"])
link = max(one["in_bytes"], one["out_bytes"]) / rate * 1e9
due = (max(runs, link) + link * (one["period"] - one["segments"]) / one["segments"]) / one["steps"]
print("predicted as the model says:", abs(one["predicted_ns"] - due) <= 2)' $device
done
echo "link: 0" >>launch.yaml
try $MESHPLAN plan step.yaml --device launch.yaml -o x.mplan
