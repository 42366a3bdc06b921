# SPDX-License-Identifier: Apache-2.0
# The list depends on the build; gmsh, op2, npy and text are always in it.
try $MESHPLAN formats | sed -nE 's/^(format|gmsh|op2|npy|text) .*/\1/p; s/^(executors of meshplan run: serial, host, openmp, cuda).*/\1/p; /^exit/p'
$MESHPLAN formats --json - | python3 -c '
import json, sys
for f in json.load(sys.stdin)["formats"]:
    assert list(f) == ["name", "description", "extensions", "reads", "writes", "missing"]
    assert f["reads"] or f["writes"] or f["missing"], f["name"]'
try $MESHPLAN formats gmsh
