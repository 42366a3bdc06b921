# SPDX-License-Identifier: Apache-2.0
# A build without METIS says what to do instead.
$MESHPLAN --version | grep -q '^metis ' && skip "METIS is there"
$MESHPLAN generate quad 4x4 -o q.msh -q
try $MESHPLAN partition q.msh -k 2
try $MESHPLAN partition q.msh -k 2 --partitioner none -o p -q
ls
