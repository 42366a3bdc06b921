# SPDX-License-Identifier: Apache-2.0
# With --json - a line comes as soon as it is measured: a run that is stopped behind its first has written it. All its
# lines are more than a pipe holds, so that it does not end by itself.
mkfifo rows
set -m
$MESHPLAN run jacobi --mesh hex:8x8x8 --block-size $(seq -s, 1 200) --strategy block-gather --iterations 0 \
    --repeats 1 --json - >rows 2>/dev/null &
set +m
exec 3<rows
read -r row <&3
kill -TERM $!
wait $! 2>/dev/null
echo "exit $?"
case $row in
'{"command": "run"'*'"status": "done"'*) echo "one row" ;;
*) echo "$row" ;;
esac
