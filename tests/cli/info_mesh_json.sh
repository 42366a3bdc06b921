# SPDX-License-Identifier: Apache-2.0
# The JSON of a mesh, as a file beside the report and in place of it.
$MESHPLAN generate quad 2x2 -o q.msh -q
try $MESHPLAN info q.msh --derive --json -
$MESHPLAN info q.msh --derive --json q.json >report
head -1 report
$MESHPLAN info q.msh --derive --json - | cmp - q.json
python3 -m json.tool q.json >/dev/null || echo "not JSON"
$MESHPLAN info q.msh --derive --quiet --json - | cmp - q.json
ls
