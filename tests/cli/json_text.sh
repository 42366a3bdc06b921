# SPDX-License-Identifier: Apache-2.0
# Names with quotes, control characters and bytes that are not UTF-8 stay valid JSON.
name=$'a"b\\c\td\xff\xe2\x82\xac.txt'
printf '0 1\n1 2\n' >"$name"
try $MESHPLAN info "$name" --json - | head -2 | tail -1
$MESHPLAN info "$name" --json - | python3 -m json.tool >/dev/null && echo valid
