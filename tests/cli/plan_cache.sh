# SPDX-License-Identifier: Apache-2.0
# plan --cache, --if-changed and --depfile; meshplan cache. What a changed input does: package_cache_inputs.
$MESHPLAN generate tet 4x4x4 -o t.msh -q
export MESHPLAN_CACHE=kept
cached() { # prints what the cache did
    $MESHPLAN plan "$@" --json results.json -q
    code=$?
    python3 -c 'import json
r = json.load(open("results.json"))
c = r.get("cache")
print("no cache" if c is None else "found %s, stored %s, %s" % (c["found"], c["stored"], c["reason"]))'
    return $code
}
echo "# made, found, found for a copy, not for another request; 'off' is no cache"
try cached t.msh -o a.mplan
try cached t.msh -o b.mplan
cmp a.mplan b.mplan
mkdir copy && cp t.msh copy/
try cached copy/t.msh -o c.mplan
try cached t.msh -o d.mplan --block-size 64
try cached t.msh -o e.mplan --cache off
cmp a.mplan e.mplan
$MESHPLAN plan t.msh -o b.mplan | tail -n 1 | sed 's/[0-9.]* s$/N s/'

echo "# another input under the old name, and the old one again"
printf '\n' >>copy/t.msh
try cached copy/t.msh -o c.mplan
try cached t.msh -o b.mplan
try cached t.msh -o b.mplan --cache-strict

echo "# a job; it names the output, and other names are relative to it"
cat >job.yaml <<'YAML'
meshplan: 1
mesh: t.msh
loops: [{name: l, over: faces, args: [{dat: x, map: faces_cells, access: inc, dim: 1, type: f64}]}]
output: job.mplan
YAML
if $MESHPLAN --version | grep -q '^yaml '; then
    cached job.yaml >first && cached job.yaml >second
    cp job.yaml t.msh copy/
    cached copy/job.yaml >third
    cat first second third
else
    printf 'found False, stored True, None\nfound True, stored False, None\nfound True, stored False, None\n'
fi

echo "# a warning is said again"
printf '1 2\n2 3\n3 4\n' >edges_nodes.txt
$MESHPLAN plan edges_nodes.txt --partitioner none -o w.mplan >first 2>&1
$MESHPLAN plan edges_nodes.txt --partitioner none -o w2.mplan >second 2>&1
grep warning second
tail -n 1 second | sed 's/[0-9.]* s$/N s/'

echo "# a link; a plan about which the cache and the planner agree"
try cached t.msh -o link.mplan --cache-link
[ "$(stat -c %h link.mplan)" -eq 2 ] && echo "two links"
try cached t.msh -o link.mplan --cache-link
try $MESHPLAN plan t.msh -o link.mplan --cache-link --block-size 64 -q
try cached t.msh -o check.mplan --cache-check

echo "# what is damaged is not used, and made anew"
rm -f link.mplan
for plan in kept/1/plans/*/*.mplan; do
    chmod u+w "$plan"
    printf x | dd of="$plan" bs=1 seek=200 conv=notrunc 2>/dev/null
done
$MESHPLAN plan t.msh -o b.mplan 2>&1 >report | sed 's/[0-9a-f]*\/[0-9a-f]*\.mplan/PLAN/'
cmp a.mplan b.mplan
$MESHPLAN plan t.msh -o b.mplan -q && cmp a.mplan b.mplan && echo "said once"
$MESHPLAN plan t.msh -o - | cmp - a.mplan && echo "to standard output"
mkfifo pipe
cat pipe >piped &
$MESHPLAN plan t.msh -o pipe | tail -n 1 | cut -c 1-25
wait
cmp piped a.mplan && echo "to a pipe"
try $MESHPLAN cache verify kept 2>/dev/null | sed 's/[0-9.]* MB/N MB/'
for record in kept/1/requests/*/*; do printf 'meshplan cache 1\nplan 00\n' >"$record"; done
try cached t.msh -o b.mplan
try cached t.msh -o b.mplan

echo "# a lease: of four processes that want one plan, one makes it"
for i in 1 2 3 4; do
    $MESHPLAN plan t.msh --block-size 96 --cache-lease -o lease$i.mplan -q --json lease$i.json &
done
wait
grep -l '"stored": true' lease?.json | wc -l
ls kept/1/leases | wc -l
cmp lease1.mplan lease4.mplan

echo "# a cache that cannot be written to, and one that is a file"
try cached t.msh -o b.mplan --cache /proc/none
: >file
try cached t.msh -o b.mplan --cache file
try $MESHPLAN plan t.msh -o warned.mplan --cache file >/dev/null # a warning, also without -v
rm warned.mplan
try cached - -o b.mplan --from gmsh <t.msh

echo "# list, clean"
$MESHPLAN cache list kept | sed '1!d'
$MESHPLAN cache list kept --json - | python3 -c 'import json, sys; r = json.load(sys.stdin); print(len(r["plans"]) == r["n_plans"] > 0)'
try $MESHPLAN cache clean --max 0 -q # none stays
$MESHPLAN cache list | sed 's/[0-9.]* MB/N MB/'
mkdir -p other/1/plans
try $MESHPLAN cache clean other
try $MESHPLAN cache list
try $MESHPLAN cache sort
try $MESHPLAN cache list kept --max 1
MESHPLAN_CACHE= try $MESHPLAN cache list

echo "# --if-changed, without any cache"
unset MESHPLAN_CACHE
try $MESHPLAN plan t.msh -o s.mplan --if-changed -q
try $MESHPLAN plan t.msh -o s.mplan --if-changed
printf '\n' >>t.msh
try $MESHPLAN plan t.msh -o s.mplan --if-changed -q
cp s.mplan before
printf x >>s.mplan
try $MESHPLAN plan t.msh -o s.mplan --if-changed -q
cmp s.mplan before
try $MESHPLAN plan t.msh -o s.mplan --if-changed -q --block-size 64
cmp s.mplan before
ls s.mplan*

echo "# --depfile, also where nothing is read"
mkdir 'a b'
cp t.msh 'a b/$t#.msh'
$MESHPLAN plan 'a b/$t#.msh' -o d.mplan --depfile d.d --json d.json -q
cat d.d
$MESHPLAN plan 'a b/$t#.msh' -o d.mplan --depfile d.d -q --cache kept
$MESHPLAN plan 'a b/$t#.msh' -o d.mplan --depfile d.d -q --cache kept
cat d.d
$MESHPLAN convert t.msh t.vtu --depfile - -q
try $MESHPLAN plan t.msh -o d.mplan --depfile t.msh -q
