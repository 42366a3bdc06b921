# SPDX-License-Identifier: Apache-2.0
# Nor does a plan replace the job it was asked for by, or the job's tables.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
printf '0 1\n1 2\n' >ab.txt
cat >job.yaml <<'YAML'
meshplan: 1
maps: [{name: a_b, from: a, to: b, file: ab.txt}]
loops: [{name: l, over: a, args: [{dat: x, map: a_b, access: inc, dim: 1, type: f64}]}]
plan: {partitioner: none}
output: ab.txt
YAML
try $MESHPLAN plan job.yaml -q
try $MESHPLAN plan job.yaml -q -o job.yaml
cat ab.txt
ls
