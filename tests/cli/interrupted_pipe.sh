# SPDX-License-Identifier: Apache-2.0
# A signal ends a command that waits for its input.
mkfifo pipe
sleep 3000 >pipe &
writer=$!
set -m
$MESHPLAN info - <pipe &
set +m
waiting $!
kill -INT $!
wait $! 2>/dev/null
echo "exit $?"
kill $writer
