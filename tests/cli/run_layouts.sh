# SPDX-License-Identifier: Apache-2.0
# Results of a strategy do not depend on the layouts of dats (two bits for two strategies); another word is refused.
for layouts in plan aos soa; do
    $MESHPLAN run res_calc --mesh quad:9x7 --strategy two-step,block-colour --layouts $layouts --repeats 0 --json - -q |
        sed 's/.*"result_bits": "\([0-9a-f]*\)".*"status": "\([a-z]*\)".*/\1 \2/' >>bits
done
wc -l <bits | tr -d ' '
sort -u bits | wc -l | tr -d ' '
cut -d' ' -f2 bits | sort -u
$MESHPLAN run res_calc --mesh quad:9x7 --layouts pairs
echo "exit $?"
