#!/bin/sh
# Every exported symbol begins with mplan_, and the library exports exactly the
# functions that the public header declares.
#   exported_symbols.sh LIBRARY.so HEADER
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" {print $3}' | sort >"$work/exported"
tr '\n' ' ' <"$2" | grep -o 'MPLAN_API [a-z][^;{#]*(' | sed 's/(.*//; s/.*[ *]\(mplan_[a-z0-9_]*\)$/\1/' |
    sort >"$work/declared"
if grep -v '^mplan_' "$work/exported"; then
    echo "exported without the prefix mplan_"
    exit 1
fi
diff "$work/declared" "$work/exported" || {
    echo "declared in the header (<) and exported (>) differ"
    exit 1
}
echo "$(wc -l <"$work/exported") symbols"
