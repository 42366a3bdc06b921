# SPDX-License-Identifier: Apache-2.0
# What killed processes left is swept when it is old and nobody has it; nothing else is.
$MESHPLAN generate quad 4x3 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o q.mplan
name() { echo ".meshplan-$(printf %032x $1).tmp"; }
: >$(name 1)
: >$(name 2) # young
: >$(name 3) # locked
ln -s ../precious $(name 4)
mkfifo $(name 5)
echo data >$(name 6)
ln $(name 6) other_name
mkdir $(name 7) $(name 8) $(name 9)
: >$(name 7)/a.npy
mkdir $(name 8)/inner # no export has that
: >.meshplan-12.tmp
: >"$(name 10)x"
: >.meshplan-0000000000000000000000000000000G.tmp
: >$(name 11)
[ "$(id -u)" -ne 0 ] || chown 65534 $(name 11)
ls -A | grep meshplan | while read -r file; do touch -h -d '1 hour ago' -- "$file"; done
touch $(name 2)
exec 8<$(name 3) 9<$(name 9)
flock -n 8
flock -n 9
$MESHPLAN info q.mplan -q --json out.json
[ "$(id -u)" -eq 0 ] || : >$(name 11)
ls -A
exec 8<&- 9<&-
touch -d '1 hour ago' $(name 9)
$MESHPLAN export q.mplan -q -o out/
ls -A | grep meshplan
