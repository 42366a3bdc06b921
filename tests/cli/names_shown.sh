# SPDX-License-Identifier: Apache-2.0
# Control characters and bytes that are not UTF-8 in names and paths never reach a terminal, nor JSON as they are.
dirty=$'[\x01-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xff'
bad=$'p\x1b[2J\x7f\xc2\x9b\xff\xe2\x82\xac.csv'
printf '0 1\n1 2\n2 0\n' >"$bad"
cp "$bad" plain.csv
printf '0.5 1.25\n1 2\n3 0\n' >x.txt
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 5 "wa\x1b[31mll\x7f\xc2\x85\xff"\n$EndPhysicalNames\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 2 5 1 1 2 3\n$EndElements\n' >named.msh
clean() { # COMMAND...: its output, and whether that is clean
    "$@" >said 2>&1
    echo "exit $?"
    sed 's/^  "bytes".*//; s/; known: gmsh, .*/; known: .../' said
    LC_ALL=C grep -aqP "$dirty" said && echo "DIRTY"
}
clean $MESHPLAN info "$bad"
clean $MESHPLAN info named.msh
clean $MESHPLAN info "$bad.none"
clean $MESHPLAN info --from "$bad" named.msh
clean $MESHPLAN convert "$bad" $'out\x1b\n.npy' --map $'a\x1b_b'
clean $MESHPLAN convert named.msh $'out\x1b\n.su2'
clean $MESHPLAN info named.msh --json -
$MESHPLAN info named.msh --json - -q | python3 -c 'import json, sys; print(ascii(json.load(sys.stdin)["groups"][0]["name"]))'
