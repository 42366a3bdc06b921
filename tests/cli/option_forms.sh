# SPDX-License-Identifier: Apache-2.0
# Options may be anywhere, with = or a blank, cut short, and behind -- are none.
$MESHPLAN generate quad 3x2 -o ./-m.dat --quiet
try $MESHPLAN info --quiet ./-m.dat
try $MESHPLAN --quiet info ./-m.dat
try $MESHPLAN -q info -- -m.dat
try $MESHPLAN info --fr op2 -- -m.dat
try $MESHPLAN --threads=1 info --threads 2 --from=op2 ./-m.dat
try $MESHPLAN plan -qop.mplan --partit none --block-s 4 ./-m.dat
ls
