#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What README says first, in an order that a newcomer would follow: tools/packages waits for the lock of the package
# manager, tools/demo builds where README's install line looks. apt-get, cmake and others are stand-ins that take down
# what they are asked for.
#   first_commands.sh SOURCE_FOLDER MESHPLAN
set -eu
source=$1 meshplan=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/bin" "$work/source/tools"
cp "$source/tools/demo" "$source/tools/packages" "$work/source/tools"
export WORK="$work" MESHPLAN="$meshplan"
PATH="$work/bin:$PATH"
fail() {
    cat "$work/log"
    echo "$1"
    exit 1
}
stand_in() {
    { echo "#!/bin/sh"; cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
echo 'echo 0' | stand_in id # root
echo 'echo "waited $1" >>"$WORK/asked"' | stand_in sleep
echo 'exit 1' | stand_in dpkg-query # nothing is installed

# --- packages ------------------------------------------------------------------------------

# refuses as often as $WORK/held has lines, with each of them
stand_in apt-get <<'SH'
echo "apt-get $*" >>"$WORK/asked"
[ -s "$WORK/held" ] || exit 0
head -n 1 "$WORK/held" >&2
sed -i 1d "$WORK/held"
exit 100
SH
locked='E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (unattended-upgr)'
printf '%s\n%s\n' "$locked" "$locked" >"$work/held"
"$work/source/tools/packages" aaa bbb >"$work/log" 2>&1 || fail "packages does not wait for the lock"
[ "$(grep -c waited "$work/asked")" = 2 ] || fail "packages waited another number of times"
[ "$(grep -c 'install.* aaa bbb' "$work/asked")" = 3 ] || fail "packages did not try again"
[ "$(grep -c 'waiting for another program' "$work/log")" = 1 ] || fail "packages does not say once that it waits"

printf '%s\n' 'E: Unable to locate package aaa' "$locked" >"$work/held"
: >"$work/asked"
"$work/source/tools/packages" aaa >"$work/log" 2>&1 || fail "packages does not fetch the lists"
[ "$(sed 's/ -qq//' "$work/asked" | cut -d' ' -f1-2 | tr '\n' ' ')" = \
    'apt-get install apt-get update waited 5 apt-get update apt-get install ' ] ||
    fail "packages: another order: $(cat "$work/asked")"

printf '%s\n' 'E: none' 'E: none' 'E: none' >"$work/held"
"$work/source/tools/packages" aaa >"$work/log" 2>&1 && fail "packages says that all is well"
grep -q 'E: none' "$work/log" || fail "packages does not say what apt-get said"
while [ "$(wc -l <"$work/held")" -lt 130 ]; do echo "$locked" >>"$work/held"; done
"$work/source/tools/packages" aaa >"$work/log" 2>&1 && fail "packages waits for ever"

# --- demo, and the line that installs --------------------------------------------------------

echo 'printf "install ok installed"' | stand_in dpkg-query
stand_in cmake <<'SH'
case $1 in
-S) folder=$4 && mkdir -p "$folder" && : >"$folder/CMakeCache.txt" ;;
--build) ln -sf "$MESHPLAN" "$2/meshplan" ;;
--install) test -x "$2/meshplan" && echo "installed $*" ;;
*) exit 1 ;;
esac
SH
sed -i 's/1200x600/60x30/' "$work/source/tools/demo" # less to wait for
"$work/source/tools/demo" >"$work/log" 2>&1 || fail "tools/demo failed"
grep -q 'the plan is proved' "$work/log" || fail "tools/demo proves nothing"
for page in "$source/README.md" "$work/log"; do
    line=$(grep -o 'cmake --install [^`]*--prefix [^ `]*' "$page") || fail "$page does not say how to install"
    (cd "$work/source" && eval "$line") >"$work/said" 2>&1 || fail "$page: $line: nothing was built there"
    grep -q '^installed' "$work/said" || fail "$page: $line"
done
echo "packages waits, and what demo builds is what the install line takes"
