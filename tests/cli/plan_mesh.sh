# SPDX-License-Identifier: Apache-2.0
# A plan for a mesh: the report, and the same from info.
$MESHPLAN generate quad 12x8 -o q.msh -q
try $MESHPLAN plan q.msh --partitioner none --block-size 32 \
    --strategy block-colour,global-colour,two-step,atomic -o q.mplan >report
cat report
$MESHPLAN info q.mplan | cmp - <(head -n -1 report)
$MESHPLAN info - <q.mplan | sed 's/^-:/q.mplan:/' | cmp - <(head -n -1 report)
cat q.mplan | $MESHPLAN info - | sed 's/^-:/q.mplan:/' | cmp - <(head -n -1 report)
try $MESHPLAN info -v q.mplan | sed -n '/^arrays/,$p' | sed 's/meshplan [0-9.]*$/meshplan N/' |
    sed '/^  block_size/,/^exit/{/^exit/!d}' # options of the request: plan_options.sh
try $MESHPLAN info q.mplan --derive
try $MESHPLAN plan q.msh --partitioner none -q -o q.mplan
ls
