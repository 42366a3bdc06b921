# SPDX-License-Identifier: Apache-2.0
# A profile of a device from a file that a job names.
$MESHPLAN --version | grep -q '^libyaml' || exit 77
cat >mine.yaml <<'END'
name: mine
version: 2
shared_bytes: 65536
max_threads: 1024
processors: 100
processor_threads: 2048
processor_shared_bytes: 131072
l2_bytes: 41943040
warp: 32
copy_rate: 2.5e12
flop_rate: 9e12
atomic_rate: 1e11
shared_rate: 5e11
l2_rate: 4e12
END
cat >job.yaml <<'END'
meshplan: 1
mesh: a.msh
loops:
  - {name: flux, over: faces, args: [{dat: res, map: faces_cells, access: inc, dim: 4, type: f64}]}
plan: {device: mine.yaml}
output: job.mplan
END
$MESHPLAN generate quad 40x30 -o a.msh --quiet
try $MESHPLAN plan job.yaml --quiet
$MESHPLAN info job.mplan -v | grep -E "^  (device|profile) [m2]"
$MESHPLAN verify job.mplan --mesh job.yaml --quiet
sed -i 's/flop_rate: 9e12/flop_rate: 8e12/' mine.yaml
try $MESHPLAN verify job.mplan --mesh job.yaml --quiet
