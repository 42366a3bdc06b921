# SPDX-License-Identifier: Apache-2.0
# What info says of a bundle: parts as plan --parts does; of ranks what run --ranks measures; and what is refused.
$MESHPLAN --version | grep -q '^libyaml' || skip "no libyaml in this build"
cat >flux.yaml <<'JOB'
meshplan: 1
mesh: q.msh
loops:
  - name: flux2d
    over: faces
    args:
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: adt, map: faces_cells, access: read, dim: 1, type: f64}
      - {dat: normal, access: read, dim: 2, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
plan: {strategy: [owner-gather]}
output: flux.mplans
JOB
$MESHPLAN generate quad 20x12 --shuffle 3 -o q.msh -q
$MESHPLAN plan flux.yaml --parts 7 -o flux.mplans >plan.txt
$MESHPLAN info flux.mplans >info.txt
cmp plan.txt info.txt && echo "info and plan --parts say the same"
$MESHPLAN plan q.msh --parts 7 -o q.mplans --json plan.json -q
$MESHPLAN info q.mplans --json info.json -q
try $MESHPLAN info flux.mplans --ranks 3
try $MESHPLAN info flux.mplans --ranks 1
try $MESHPLAN info flux.mplans --ranks 7 --json ranks7.json
for ranks in 1 2 5; do
    $MESHPLAN info flux.mplans --ranks $ranks --json info$ranks.json -q
    $MESHPLAN run flux2d --mesh q.msh --plan flux.mplans --ranks $ranks --repeats 0 --json run$ranks.json -q
done
# Five loops: x is exchanged once, and what loops write twice in a step.
cat >airfoil.yaml <<'JOB'
meshplan: 1
mesh: q.msh
loops:
  - {name: save_soln, over: cells, args: [{dat: q, access: read, dim: 4, type: f64}, {dat: qold, access: write, dim: 4, type: f64}]}
  - name: adt_calc
    over: cells
    args:
      - {dat: x, map: cells_nodes, access: read, dim: 2, type: f64}
      - {dat: q, access: read, dim: 4, type: f64}
      - {dat: adt, access: write, dim: 1, type: f64}
  - name: res_calc
    over: faces
    primary: true
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: adt, map: faces_cells, access: read, dim: 1, type: f64}
      - {dat: res, map: faces_cells, access: inc, dim: 4, type: f64}
  - name: bres_calc
    over: boundary_faces
    args:
      - {dat: x, map: boundary_faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: boundary_faces_cells, access: read, dim: 4, type: f64}
      - {dat: adt, map: boundary_faces_cells, access: read, dim: 1, type: f64}
      - {dat: bound, access: read, dim: 1, type: i32}
      - {dat: res, map: boundary_faces_cells, access: inc, dim: 4, type: f64}
  - name: update
    over: cells
    args:
      - {dat: qold, access: read, dim: 4, type: f64}
      - {dat: q, access: write, dim: 4, type: f64}
      - {dat: res, access: read, dim: 4, type: f64}
      - {dat: adt, access: read, dim: 1, type: f64}
      - {dat: rms, access: write, dim: 1, type: f64}
plan: {strategy: [owner-gather]}
output: airfoil.mplans
JOB
$MESHPLAN plan airfoil.yaml --parts 7 -o airfoil.mplans -q
for ranks in 1 2 5; do
    $MESHPLAN info airfoil.mplans --ranks $ranks --json air$ranks.json -q
    $MESHPLAN run airfoil --mesh q.msh --plan airfoil.mplans --ranks $ranks --repeats 0 --iterations 2 --json step$ranks.json -q
done
# Its step, as run makes it: messages and bytes that are told are those that are measured, with rings those of a whole period.
{ cat airfoil.yaml
  echo 'step: [save_soln, adt_calc, {loop: res_calc, clear: res}, bres_calc, update, adt_calc, {loop: res_calc, clear: res}, bres_calc, update]'
} >steps.yaml
for rings in 0 1 2 4; do
    $MESHPLAN plan steps.yaml --parts 7 --rings $rings -o steps.mplans -q
    for ranks in 1 5; do
        $MESHPLAN info steps.mplans --ranks $ranks --json told$rings-$ranks.json -q
        $MESHPLAN run airfoil --mesh q.msh --plan steps.mplans --ranks $ranks --repeats 0 --iterations 2 --no-check --json ran$rings-$ranks.json -q
    done
done
$MESHPLAN info steps.mplans --ranks 5 | sed -n '/owned: /,/bytes of it/p'
cat >check.py <<'END'
import json

def load(name):
    with open(name) as file:
        return json.load(file)

made, said = load("plan.json"), load("info.json")
print("the same keys and values:", all(made[k] == said[k] for k in ("file", "bytes", "parts", "cut_by", "sets")))
for ranks in 1, 2, 5:
    told, measured = load(f"info{ranks}.json"), load(f"run{ranks}.json")
    rows = told["ranks"]
    assert measured["ranks"] == len(rows) == ranks and measured["exchanges"] == 1
    assert sum(r["message_bytes"] for r in rows) == told["message_bytes"]
    assert sum(d["message_bytes"] for d in told["dats"]) == told["message_bytes"]
    assert sum(r["owned"] for r in rows) == 240 and all(r["halo"] <= r["received"] for r in rows)
    print(ranks, "ranks:", told["messages"], told["message_bytes"], "told,",
          "equal to those measured" if (told["messages"], told["message_bytes"]) ==
          (measured["messages"], measured["message_bytes"]) else measured)
for ranks in 1, 2, 5:
    told, measured = load(f"air{ranks}.json"), load(f"step{ranks}.json")
    again = [d["name"] for d in told["dats"] if d["written"]]
    size = sum(d["message_bytes"] for d in told["dats"] if d["written"])
    print("airfoil,", ranks, "ranks:", [d["name"] for d in told["dats"]], again, size, "told,",
          "half of those measured" if 2 * size == measured["message_bytes"] and measured["exchanges"] == 2 else measured)
for rings in 0, 1, 2, 4:
    for ranks in 1, 5:
        told, ran = load(f"told{rings}-{ranks}.json"), load(f"ran{rings}-{ranks}.json")
        step = told["exchanged"]
        assert (sum(r["step_messages"] for r in told["ranks"]), sum(r["step_bytes"] for r in told["ranks"])) == \
            (step["messages"], step["message_bytes"])
        print(rings, "rings,", ranks, "ranks:", step["exchanges"], "in", step["exchange_steps"],
              "as measured" if all(step[k] == ran[k] for k in step) else ran)
END
python3 check.py
# Halos again, from the faces of the mesh only: the order in which apply puts cells says which rank owns each.
$MESHPLAN convert q.msh faces_cells.npy --map faces_cells -q
cat >members.py <<'END'
import ast, json, os, struct, subprocess

def rows(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<H", data, 8)[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    n, code = head["shape"], {"<i4": "i", "<i8": "q"}[head["descr"]]
    flat = struct.unpack_from("<%d%s" % (n[0] * n[-1] if len(n) > 1 else n[0], code), data, 10 + size)
    return [flat[i:i + n[-1]] for i in range(0, len(flat), n[-1])] if len(n) > 1 else list(flat)

numbers = b"\x93NUMPY\x01\x00"
head = b"{'descr': '<i4', 'fortran_order': False, 'shape': (240,), }"
head += b" " * (117 - len(head)) + b"\n"
open("ids.npy", "wb").write(numbers + struct.pack("<H", len(head)) + head + struct.pack("<240i", *range(240)))
subprocess.run([os.environ["MESHPLAN"], "apply", "flux.mplans", "--set", "cells", "ids.npy", "stored.npy", "-q"], check=True)
info = json.load(open("info5.json"))
owned = [r["owned"] for r in info["ranks"]]
rank, at = {}, 0
stored = rows("stored.npy")
for r, n in enumerate(owned):
    for cell in stored[at:at + n]:
        rank[cell] = r
    at += n
halo, border = [set() for _ in owned], [set() for _ in owned]
for a, b in rows("faces_cells.npy"):
    for mine, other in (a, b), (b, a):
        if rank[mine] != rank[other]:
            halo[rank[mine]].add(other)
            border[rank[mine]].add(mine)
for r, row in enumerate(info["ranks"]):
    near = {rank[c] for c in halo[r]}
    print("rank", r, (row["halo"], row["border"], row["neighbours"]) == (len(halo[r]), len(border[r]), len(near)))
END
python3 members.py
for bad in "--ranks 8" "--ranks 0" "--ranks x" "--derive" "--zone a"; do
    try $MESHPLAN info flux.mplans $bad
done
try $MESHPLAN info q.msh --ranks 2
try $MESHPLAN info missing.mplans --ranks 2
head -c 9000 flux.mplans >short.mplans
try $MESHPLAN info short.mplans
