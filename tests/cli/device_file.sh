# SPDX-License-Identifier: Apache-2.0
# Profiles of devices from files, and what a plan keeps of the cost model's view.
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
sed 's/warp: 32/warp: many/' mine.yaml >bad.yaml
$MESHPLAN generate quad 40x30 -o a.msh --quiet
$MESHPLAN plan a.msh --device mine.yaml -o a.mplan | grep -A 3 "by the cost model, micro"
$MESHPLAN info a.mplan -v | grep -E "^  (device|profile) [m2]"
$MESHPLAN verify a.mplan --mesh a.msh --quiet
try $MESHPLAN plan a.msh --device bad.yaml -o b.mplan
try $MESHPLAN plan a.msh --device none.yaml -o b.mplan
$MESHPLAN plan a.msh --device cpu -o c.mplan | grep -A 3 "by the cost model, micro"
$MESHPLAN plan a.msh --strategy two-step -o n.mplan | grep -cE "by the cost model, micro|format 1.1"
