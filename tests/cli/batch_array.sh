# SPDX-License-Identifier: Apache-2.0
# Tasks of an array that begin at once where nothing is: each does its share, and none that is refused takes the folder from the others.
for i in 0 1 2 3 4; do $MESHPLAN generate quad $((4 + i))x3 -o m$i.msh -q; done
mkfifo gate
exec 3<>gate
for i in $(seq 0 19); do
    extra=
    [ $((i % 4)) != 3 ] || extra="--csv m0.msh" # would replace an input
    (read -r _ <&3; $MESHPLAN batch m?.msh -o out --array $i/20 --cache cache -q -j 1 $extra 2>said$i; echo "$i $?" >code$i) &
done
seq 20 >&3
wait
cat code* | sort -n | awk '{ print $2 }' | tr '\n' ' '
echo
ls out
cat out/batch.*.jsonl | grep -c '"status": "planned"'
cat said* | sort -u
# The share of a refused task was not done.
try $MESHPLAN batch m?.msh -o out --array 3/20 -q
ls out/m3.mplan
echo "# refused before a folder is made, wherever that would be"
try $MESHPLAN batch m0.msh -o gone/out --csv ./gone/./x/../out/m0.mplan -q
try $MESHPLAN batch m0.msh -o gone/out --csv gone/out/m0.mplan/ -q
try $MESHPLAN batch m0.msh -o gone --csv gone/../m0.msh -q
try $MESHPLAN batch m0.msh -o gone/out -q
[ ! -e gone ] || echo 'gone is there'
echo "# thousands of folders in one another that are not there"
try $MESHPLAN batch m0.msh -o gone --csv "$(printf 'a/%.0s' $(seq 2040))m0.csv" -q 2>/dev/null
