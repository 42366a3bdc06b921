# SPDX-License-Identifier: Apache-2.0
# A signal ends a command that waits for its input.
mkfifo pipe
sleep 30 >pipe &
writer=$!
set -m
$MESHPLAN info - <pipe &
set +m
until [ "$(cat /proc/$!/comm)" = "$(basename $MESHPLAN)" ]; do sleep 0.02; done
sleep 0.3
kill -INT $!
wait $! 2>/dev/null
echo "exit $?"
kill $writer
