# SPDX-License-Identifier: Apache-2.0
# Help comes on standard output, exit 0, by four ways of asking.
try $MESHPLAN help
$MESHPLAN --help | cmp - <($MESHPLAN help)
$MESHPLAN -h | cmp - <($MESHPLAN help)
for command in plan info verify compare apply export run generate convert renumber partition formats help completion; do
    $MESHPLAN help $command | head -1
    $MESHPLAN $command --help | cmp - <($MESHPLAN help $command)
    $MESHPLAN --help $command | cmp - <($MESHPLAN help $command)
    $MESHPLAN help $command | awk -v c="$command" 'length > 79 { print c ": a line is too long" }'
done
try $MESHPLAN compare --help
