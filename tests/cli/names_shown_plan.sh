# SPDX-License-Identifier: Apache-2.0
# Names in plans that are control characters (U+009B) or not for terminals, in all that prints plans.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
dirty=$'[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xff'
printf '0 1\n1 2\n2 0\n' >edges.csv
cat >job.yaml <<'YAML'
meshplan: 1
sets: {edges: 3, "no\u009bdes": 3}
maps:
  - {name: "ring\u0085", from: edges, to: "no\u009bdes", file: edges.csv}
loops:
  - {name: "l\u0090\u20ac", over: edges, args: [{dat: "r\u009f", map: "ring\u0085", access: inc, dim: 1, type: f64}]}
plan: {strategy: atomic, partitioner: none}
YAML
sed 's/atomic/two-step/' job.yaml >other.yaml
clean() { # COMMAND...: its output, and whether that is clean
    "$@" >said 2>&1
    echo "exit $?"
    sed -E 's/[0-9a-f]{16}/HASH/g; s/[0-9]+ bytes/N bytes/' said
    LC_ALL=C grep -aqP "$dirty" said && echo "DIRTY"
}
try $MESHPLAN plan job.yaml -o out.mplan -q
$MESHPLAN plan other.yaml -o other.mplan -q
clean $MESHPLAN info -v out.mplan | sed '/^  block_size/,/^DIRTY/{/^DIRTY/!d}' | grep -v '^versions\|, .* bytes$\|^  [a-z0-9]* [0-9.]*$\|^fingerprints'
clean $MESHPLAN compare out.mplan other.mplan
clean $MESHPLAN verify out.mplan --mesh job.yaml -q
clean $MESHPLAN info -v out.mplan --json - -q | grep '"name"\|DIRTY'
clean $MESHPLAN report out.mplan -o $'r\x1b.html'
clean $MESHPLAN export out.mplan -o arrays/
LC_ALL=C grep -aqP "$dirty" arrays/index.json && echo "DIRTY"
grep '"no' arrays/index.json | head -1
