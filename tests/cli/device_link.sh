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
link_both: 1e9
END
sed '/^launch/d; /^link_both/d' both.yaml >link.yaml
sed '/^link/d' both.yaml >launch.yaml
sed '/^launch/d; /^link:/d' both.yaml >full.yaml # a rate of one way by its name, of both by the file
# a dat that only goes in: less comes back than goes in, but more than half of it
$MESHPLAN generate quad 600x40 -o b.msh --quiet
sed 's/a.msh/b.msh/; s/dim: 1, type: f64}\]/dim: 4, type: f64}, {dat: w, access: read, dim: 2, type: f32}]/' step.yaml >more.yaml
cp both.yaml between.yaml
for device in both link launch full between; do
    job=step mesh=a.msh memory=2M segments=4
    [ $device = between ] && job=more mesh=b.msh memory=1850K segments=8
    $MESHPLAN plan $job.yaml --device $device.yaml --device-memory $memory --steps-per-visit 1 --segments $segments -o $device.mplan -q
    $MESHPLAN verify $device.mplan --mesh $mesh --quiet
    $MESHPLAN info $device.mplan -v | grep -oE "^  profile 1 .*" | sed 's/.* 4e+11 //'
    $MESHPLAN info $device.mplan --json - | python3 -c '
import json, sys
one = json.load(sys.stdin)["visit"]
launch = 1e4 if sys.argv[1] in ("both", "launch", "between") else 6e3
one_way = 2e9 if sys.argv[1] in ("both", "link", "between") else 24e9
full = 1e9 if sys.argv[1] in ("both", "full", "between") else one_way
runs = one["steps"] * (one["in_core_ns"] + launch * one["segments"])
least, most = sorted((one["in_bytes"], one["out_bytes"]))
print("comes back: %.3f" % (least / most))
link = (min(most, 2 * (most - least)) / one_way + max(0, 2 * least - most) / full) * 1e9
due = (max(runs + link / 10, link) + link * (one["period"] - one["segments"]) / one["segments"]) / one["steps"]
print("predicted as the model says:", abs(one["predicted_ns"] - due) <= 2)' $device
done
echo "link: 0" >>launch.yaml
try $MESHPLAN plan step.yaml --device launch.yaml -o x.mplan
