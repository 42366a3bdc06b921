# SPDX-License-Identifier: Apache-2.0
# Every command that waits for a named pipe ends at the first signal, whether somebody has opened the other end or not.
$MESHPLAN generate quad 4x3 -o q.msh -q
$MESHPLAN plan q.msh --partitioner none -q -o p.mplan
mkfifo fifo fifo.yaml
# ends SIGNAL CODE COMMAND...
ends() {
    set -m
    $MESHPLAN "${@:3}" 2>said >/dev/null </dev/null &
    set +m
    waiting $!
    kill -$1 $!
    for i in $(seq 3000); do
        kill -0 $! 2>/dev/null || break
        [ "$(cut -d ' ' -f 3 /proc/$!/stat 2>/dev/null)" != Z ] || break
        sleep 0.02
    done
    [ $i -lt 3000 ] || { echo "does not end at $1: meshplan ${*:3}" && kill -KILL $!; }
    wait $! 2>/dev/null
    [ $? = $2 ] || echo "ends at $1 with another code: meshplan ${*:3}: $(cat said)"
}
all() {
    for signal in "TERM 75" "INT 130" "HUP 129"; do
        ends $signal info fifo
        ends $signal plan fifo -o x.mplan
        ends $signal verify fifo
    done
    ends TERM 75 plan --map edges_cells=fifo -o x.mplan
    ends TERM 75 plan q.msh --coordinates cells=fifo -o x.mplan
    ends TERM 75 verify p.mplan --mesh fifo
    ends TERM 75 compare p.mplan fifo
    ends TERM 75 apply p.mplan --set cells fifo x.npy
    ends TERM 75 export fifo -o x/
    ends TERM 75 report p.mplan --mesh fifo -o x.html
    ends TERM 75 convert fifo x.msh
    ends TERM 75 renumber fifo x.msh
    ends TERM 75 partition fifo -k 2 -o x.part
    ends TERM 75 run res_calc --mesh fifo
    if $MESHPLAN --version | grep -q '^libyaml'; then
        ends TERM 75 plan fifo.yaml -o x.mplan
    fi
}
all 2>/dev/null
ends TERM 75 generate quad 4x3 -o fifo --to gmsh # waits for a reader
sleep 3000 <>fifo &
holder=$!
sleep 3000 <>fifo.yaml &
other=$!
all 2>/dev/null
kill $holder $other
rm -f said
ls
