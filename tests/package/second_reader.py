#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans of every kind, read by meshplan and by the second reader (tools/python), which have
to agree; damaged ones, which both have to refuse; and plans that only this test can write. Arguments:
the meshplan program, and prove_many. What a build lacks is left out, and said; 77 without numpy. With MPLAN_TEST_SHARE=N
one case in N, for slow builds."""
import functools
import itertools
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from plan_meaning import (Difference, compare_export, compare_info, measure, prove,  # noqa: E402
                          spread)
from meshplan import planfile  # noqa: E402
from meshplan.planfile import ARRAYS, ENTRY, LAYOUTS, ONES, RECORDS, TYPES, Plan, Refused, fingerprint, read_plan  # noqa: E402

# Thousands of changed plans have nearly all of their sections in common, and Python is slow at hashing: contents that were
# hashed lately are not hashed again.
hash_once = functools.lru_cache(maxsize=4096)(planfile.xxh3_64)


def xxh3_64(data):
    return hash_once(bytes(data))


planfile.xxh3_64 = xxh3_64
READER = pathlib.Path(__file__).resolve().parent.parent / "plan_meaning.py"
STRATEGIES = ("global-colour", "block-colour", "two-step", "atomic")
SHARE = int(os.environ.get("MPLAN_TEST_SHARE", "1"))  # one case in so many
# of mplan_status: done, disproved, another mesh; not a plan, not of this build, too new, damaged
EXIT_CODES = {0: 0, 8: 1, 9: 1, 3: 65, 4: 65, 5: 65, 6: 65}
COUNTS = {"plans": 0, "flips": 0, "cuts": 0, "refused by the program": 0, "changed": 0, "written": 0}


class Program:
    """The meshplan under test, in a folder of its own."""

    def __init__(self, path, prover):
        self.path, self.prover, self.asked = os.path.abspath(path), [os.path.abspath(prover)], 0
        self.child = None
        words = self.run("--version").stdout.split()
        self.partitioners = ["none", "hilbert", "native"] + [w for w in ("metis", "scotch") if w in words]
        self.yaml, self.zlib, self.scotch = "libyaml" in words, "zlib" in words, "scotch" in words

    def run(self, *words):
        """One thread: the plans are small, and hundreds of runs are quicker by it."""
        return subprocess.run([self.path, *words, "--threads", "1"], capture_output=True, text=True,
                              errors="replace")

    def verify(self, data):
        """Exit code and message of `meshplan verify` of a plan. A program that stays proves most of them, which are thousands; the
        command itself looks at one in eight, and says the same."""
        if not self.child:
            self.child = subprocess.Popen(self.prover, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.child.stdin.write(struct.pack("<Q", len(data)) + data)
        self.child.stdin.flush()
        answer = self.child.stdout.read(2)
        if len(answer) != 2:
            sys.exit(f"prove_many ends with {self.child.wait()}")
        code = EXIT_CODES.get(answer[0], 70)
        self.asked += 1
        if self.asked % 8 and code != 70:
            return code, f"status {answer[0]}"
        done = ask(self, "verify", data)
        if done.returncode != code:
            sys.exit(f"prove_many says {answer[0]}, meshplan verify ends with {done.returncode}: {done.stderr}")
        return code, done.stderr

    def must(self, *words):
        done = self.run(*words)
        if done.returncode != 0:
            sys.exit(f"meshplan {' '.join(words)}: exit {done.returncode}: {done.stderr}")


# plans of the program

def make_meshes(program):
    shapes = {"quad": "12x8", "tri": "7x6", "hex": "5x4x3", "tet": "3x3x2", "naca0012": "24x6"}
    for kind, size in shapes.items():
        program.must("generate", kind, size, "-o", f"{kind}.msh", "-q")
        jitter = () if kind == "naca0012" else ("--jitter", "0.2")
        program.must("generate", kind, size, "--shuffle", "5", *jitter, "-o", f"{kind}_shuffled.msh", "-q")
    return [f"{kind}{order}.msh" for kind in shapes for order in ("", "_shuffled")]


def mesh_plans(program):
    """Words of `meshplan plan` for meshes: every partitioner, block size, strategy and order."""
    meshes = make_meshes(program)
    loops = [(), ("--over", "cells", "--inc", "nodes"), ("--over", "nodes", "--inc", "cells"),
             ("--over", "edges", "--inc", "edges_cells", "--read", "edges_nodes:3:f32"),
             ("--over", "faces", "--inc", "cells:4", "--read", "nodes:2,cells:4"),
             ("--over", "boundary_faces", "--inc", "cells:1:i32")]
    extras = [(), ("--point-order", "count"), ("--point-order", "renumbered"), ("--renumber", "none"),
              ("--renumber", "rcm", "--keep-order", "never"), ("--max-points", "20"), ("--seed", "7"),
              ("--shared-bytes", "1500"), ("--renumber", "hilbert"), ("--device", "p100")]
    extras += [("--renumber", "gps"), ("--renumber", "sloan"), ("--renumber", "agglomerate")]
    extras += [("--renumber", "scotch-gps")] if program.scotch else []
    extras += [("--compress",)] if program.zlib else []
    sizes, orders = ("32", "64", "100", "256", "448"), list(itertools.permutations(STRATEGIES))
    for number in range(45):
        loop = loops[number % len(loops)]
        partitioner = program.partitioners[number % len(program.partitioners)]
        if partitioner == "hilbert" and not {"faces", "cells"} & set(loop) and loop:
            partitioner = "none"  # a curve needs coordinates of what is cut
        yield (meshes[number * 7 % len(meshes)], *loop, *extras[number % len(extras)],
               "--block-size", sizes[number % 5], "--partitioner", partitioner,
               "--strategy", ",".join(orders[number % len(orders)]))


def gather_plans(program):
    """block-gather and owner-gather, where increments go to one set by maps of an arity."""
    meshes = make_meshes(program)
    loops = [(), ("--over", "cells", "--inc", "nodes"), ("--over", "faces", "--inc", "cells:4", "--read", "nodes:2,cells:4")]
    options = itertools.product(("partial", "atomic", "colour"), ("auto", "index32", "index16"), loops)
    for number, (sums, encoding, loop) in enumerate(options):
        yield (meshes[number * 5 % len(meshes)], *loop, "--block-size", ("32", "100")[number % 2], "--sums", sums,
               "--encoding", encoding, "--strategy", "block-gather,owner-gather", "--partitioner", "none")
    yield ("naca0012_shuffled.msh", "--over", "farfield", "--inc", "cells:4", "--read", "nodes:2,boundary_faces:1", "--strategy",
           "two-step,owner-gather", "--partitioner", "none")  # a group
    yield (meshes[0],)  # what the cost model chooses
    yield (meshes[0], "--strategy", "owner-gather", "--encoding", "pair32", "--partitioner", "none", "--renumber", "rcm",
           "--keep-order", "never")
    yield (meshes[0], "--over", "faces", "--inc", "cells:4", "--read", "nodes:2,cells:4", "--strategy", "owner-gather",
           "--encoding", "windows16", "--sums-order", "mesh", "--partitioner", "none")
    for sums in ("partial", "atomic", "colour"):
        yield (meshes[1], "--over", "cells", "--inc", "nodes", "--strategy", "block-gather,block-colour", "--block-size", "100",
               "--block-round", "32", "--sums", sums, "--partitioner", "none")
    for encoding in ("index32", "index16", "pair32", "windows16"):
        loop = ("--over", "cells", "--inc", "nodes") if encoding.startswith("index") else loops[2]
        yield (meshes[1], *loop, "--strategy", "owner-gather", "--encoding", encoding, "--slice-rows", "64", "--partitioner",
               "none", "--bound-blocks", "8", "--entry-layout", "entries")


def make_tables():
    random_ = np.random.default_rng(2)
    edges = random_.integers(0, 60, (150, 2)).astype(np.int32)
    edges[::7, 1] = -1
    np.save("edges_cells.npy", edges)
    np.save("edges_far.npy", random_.integers(0, 60, (150, 1)).astype(np.int64))
    np.save("cells_cells.npy", random_.integers(0, 60, (60, 3)).astype(np.int32))
    np.save("empty_cells.npy", np.zeros((0, 2), np.int32))
    np.save("xyz.npy", random_.random((60, 3)))
    np.save("middles.npy", random_.random((150, 2)))


def table_plans(program):
    maps = ("--map", "ec:edges:cells=edges_cells.npy", "--map", "ef:edges:cells=edges_far.npy")
    all_four = ("--strategy", ",".join(STRATEGIES), "--block-size", "32")
    for none, partitioner in itertools.product(("skip", "split"), program.partitioners):
        where = ("--coordinates", "cells=xyz.npy", "--coordinates", "edges=middles.npy")
        yield (*maps, "--over", "edges", "--inc", "ec:3:f32,ef:1", "--read", "ec:2", "--none", none,
               "--partitioner", partitioner, *where, *all_four)
    yield ("edges_cells.npy", "--none", "split", "--partitioner", "none", *all_four)
    yield ("--map", 'a"\n b/c:edges:cells=edges_far.npy', "--partitioner", "none", *all_four)


JOB = """meshplan: 1
MESH
loops:
  - name: flux
    over: FROM
    calls: 2
    flops: 100
    primary: true
    args:
      - {dat: q, map: TO, access: inc, dim: 3, type: f64, none: NONE}
      - {dat: r, map: TO, access: read, dim: 5, type: f32, none: NONE}
      - {dat: e, access: write}
MORE
plan: {block_size: 32, strategy: HOW, partitioner: PART}
"""
OF_MESH = """
  - {name: update, over: cells, args: [{dat: qu, access: rw, dim: 3, type: f64}]}
  - {name: nodal, over: nodes, args: [{dat: qn, map: nodes_cells, access: inc, dim: 4, type: u16}]}
  - {name: edgewise, over: edges, args: [{dat: qe, map: edges_cells, access: inc, dim: 1, type: f64}]}"""
# only colours serve these
BY_COLOURS = """
  - {name: other, over: faces, args: [{dat: x, map: faces_nodes, access: write, dim: 2, type: i64}]}
  - name: cellwise
    over: cells
    args:
      - {dat: xc, map: cells_nodes, access: rw, dim: 3, type: i32}
      - {dat: m, map: cells_nodes, access: read, dim: 3, type: u8}
      - {dat: xc, map: cells_nodes, access: read, dim: 3, type: i32}"""
OF_TABLES = """
  - {name: cellwise, over: cells, args: [{dat: qc, map: cc, access: inc, dim: 1, type: f64}]}
  - {name: nobody, over: empty, args: [{dat: qb, map: mc, access: inc, dim: 1, type: f64}]}
  - {name: lone, over: lone, args: [{dat: u, access: inc, type: u8}]}
  - {name: idle, over: cells, args: []}"""
OF_GROUPS = """
  - {name: wall, over: airfoil, args: [{dat: q, map: airfoil_cells, access: inc, dim: 3, type: f64}, {dat: l, map: airfoil_boundary_faces, access: read, dim: 1, type: f64}]}
  - {name: rim, over: boundary_faces, args: [{dat: q, map: boundary_faces_cells, access: inc, dim: 3, type: f64}]}"""
ALL_BUT_GATHERING = "[two-step, block-colour, atomic, global-colour]"
BOUNDARY = """
  - name: rim
    over: edges_boundary
    args: [{dat: q, map: edges_boundary_cells, access: inc, dim: 3, type: f64, none: skip}]"""
TABLES = """sets: {edges: 150, cells: 60, empty: 0, lone: 7}
maps:
  - {name: ec, from: edges, to: cells, file: edges_cells.npy, none: -1}
  - {name: cc, from: cells, to: cells, file: cells_cells.npy}
  - {name: mc, from: empty, to: cells, file: empty_cells.npy}
coordinates: [{set: cells, file: xyz.npy}]"""


# a step in less memory than its data need: slabs, shifts and a schedule; a global that changes when a visit ends
LIMITED = """meshplan: 1
mesh: MESH
step: [save, {loop: limit, lag: 1}, {loop: flux, clear: r}, walls, move, {loop: flux, clear: r}, walls, move]
loops:
  - {name: save, over: cells, args: [{dat: u, access: read, dim: 4, type: f64}, {dat: old, access: write, dim: 4, type: f64}]}
  - {name: limit, over: cells, args: [{dat: u, access: read, dim: 4, type: f64}, {dat: dt, global: true, access: min, dim: 1, type: f64}, {dat: all, global: true, access: inc, dim: 2, type: f32}]}
  - name: flux
    over: faces
    primary: true
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: u, map: faces_cells, access: read, dim: 4, type: f64}
      - {dat: r, map: faces_cells, access: inc, dim: 4, type: f64}
  - {name: walls, over: boundary_faces, args: [{dat: u, map: boundary_faces_cells, access: read, dim: 4, type: f64}, {dat: r, map: boundary_faces_cells, access: inc, dim: 4, type: f64}]}
  - {name: move, over: cells, args: [{dat: old, access: read, dim: 4, type: f64}, {dat: r, access: read, dim: 4, type: f64}, {dat: dt, global: true, access: read, dim: 1, type: f64}, {dat: u, access: write, dim: 4, type: f64}]}
plan: {device_memory: BYTES, steps_per_visit: STEPS, segments: PARTS}
"""


# the same of columns: functions of layers and of columns, a matrix by owner, levels that no layer writes
LIMITED_LAYERS = """meshplan: 1
mesh: long.msh
layers: {cells: {file: depths.npy, layers: 9}, faces: {map: faces_cells}}
step: [pile, {loop: flux, clear: r}, {loop: matvec, clear: y}, take]
loops:
  - {name: pile, over: cells, layered: columns, args: [{dat: u, access: read, dim: 2, type: f64, levels: 9, columns: points}, {dat: t, access: write, dim: 1, type: f64, levels: 10}]}
  - {name: flux, over: faces, layered: true, primary: true, args: [{dat: u, map: faces_cells, access: read, dim: 2, type: f64, levels: 9, columns: points}, {dat: r, map: faces_cells, access: inc, dim: 2, type: f64, levels: 9}]}
  - name: matvec
    over: cells
    layered: true
    args:
      - {dat: m, access: read, dim: 64, type: f64, levels: 9, rows: 8, columns: owner}
      - {dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
      - {dat: y, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
  - {name: take, over: cells, layered: true, args: [{dat: r, access: read, dim: 2, type: f64, levels: 9}, {dat: y, map: cells_nodes, access: read, dim: 1, type: f64, levels: 10}, {dat: u, access: rw, dim: 2, type: f64, levels: 9, columns: points}]}
plan: {device_memory: 12M, steps_per_visit: 2, segments: 8}
"""


LAYERED = """meshplan: 1
mesh: long.msh
layers: {cells: {file: depths.npy, layers: 9}, faces: {map: faces_cells}, boundary_faces: {map: boundary_faces_cells}}
loops:
  - {name: flux, over: faces, layered: true, primary: true, args: [{dat: u, map: faces_cells, access: inc, dim: 3, type: f64, levels: 9}]}
  - {name: rim, over: boundary_faces, layered: true, args: [{dat: u, map: boundary_faces_cells, access: inc, dim: 3, type: f64, levels: 9}]}
  - name: matvec
    over: cells
    layered: true
    args:
      - {dat: m, access: read, dim: 64, levels: 9, rows: 8}
      - {dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
      - {dat: y, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
  - {name: solve, over: cells, layered: columns, args: [{dat: u, access: rw, dim: 3, levels: 9}]}
plan: {strategy: HOW}
"""


def layered_plans(program):
    """Columns of different height, by a table: layers [bottom, top) of each cell."""
    random_ = np.random.default_rng(5)
    bottom = random_.integers(0, 5, 300 * 12)
    np.save("depths.npy", np.stack([bottom, bottom + random_.integers(0, 5, bottom.size)], axis=1).astype(np.int32))
    for number, how in enumerate(("[owner-gather, global-colour]", "[two-step, atomic]", "[block-gather, block-colour], block_size: 32")):
        pathlib.Path(f"layered{number}.yaml").write_text(LAYERED.replace("HOW", how))
        yield (f"layered{number}.yaml",)
    np.save("wet.npy", (random_.integers(0, 3, (bottom.size, 9)) > 0).astype(np.uint8))
    pathlib.Path("masked.yaml").write_text("".join(line + "\n" for line in LAYERED.splitlines() if "layered: columns" not in line)
                                           .replace("layers: 9}", "layers: 9, mask: wet.npy}").replace("HOW", "[owner-gather, two-step]"))
    yield ("masked.yaml",)
    pathlib.Path("limited_layers.yaml").write_text(LIMITED_LAYERS)
    yield ("limited_layers.yaml",)


def check_masks(plan):
    """Layers of cells that are there are the tables', those of faces what both cells have."""
    cells = next(one for one in plan.sets if one.name == "cells")
    layer, table = np.arange(9), np.load("depths.npy")
    due = np.load("wet.npy").astype(bool) & (layer >= table[:, :1]) & (layer < table[:, 1:])
    own = due[plan.array(33, set=cells.index)]
    for one in plan.sets:
        if not one.masked:
            continue
        bits = np.unpackbits(plan.array(49, set=one.index).view(np.uint8), axis=1, bitorder="little")
        rows = np.arange(one.size)[:, None] if one.name == "cells" else \
            next(plan.array(40, map=m.index) for m in plan.maps if m.name == one.name + "_cells").reshape(one.size, -1)
        if (bits[:, :9].astype(bool) != own[rows].all(axis=1)).any() or bits[:, 9:].any():
            sys.exit(f"the mask of {one.name} differs from the tables")


def check_ranges(plan):
    """Layers of cells are the table's, those of faces what both cells have."""
    check_masks(plan)
    due = {"cells": np.load("depths.npy").astype(np.int64)}
    cells = next(one for one in plan.sets if one.name == "cells")
    own = due["cells"][plan.array(33, set=cells.index)]  # in stored order
    for one in plan.sets:
        if not one.ranged:
            continue
        stored = plan.array(48, set=one.index).reshape(-1, 2)
        if one.name == "cells":
            wrong = (stored != own).any()
        else:
            rows = next(plan.array(40, map=m.index) for m in plan.maps if m.name == one.name + "_cells").reshape(one.size, -1)
            low, high = own[rows, 0].max(axis=1), own[rows, 1].min(axis=1)
            none = low >= high
            wrong = ((stored[:, 0] != np.where(none, 0, low)) | (stored[:, 1] != np.where(none, 0, high))).any()
        if wrong:
            sys.exit(f"layers of {one.name} differ from the table")


def limited_plan(mesh, memory, steps, parts):
    text = LIMITED
    for word, value in (("MESH", mesh), ("BYTES", memory), ("STEPS", steps), ("PARTS", parts)):
        text = text.replace(word, str(value))
    pathlib.Path("limited.yaml").write_text(text)
    return ("limited.yaml",)


def job_plans(program):
    """Jobs of several loops; those behind the first have blocks with a sequence of their own."""
    def job(number, **parts):
        text = JOB
        for word, value in parts.items():
            text = text.replace(word, value)
        pathlib.Path(f"job{number}.yaml").write_text(text)
        return (f"job{number}.yaml",)

    part = [one for one in program.partitioners if one != "hilbert"]
    for number, mesh in enumerate(("quad", "tri_shuffled", "hex", "tet_shuffled", "naca0012")):
        yield job(number, MESH=f"mesh: {mesh}.msh", FROM="faces", TO="faces_cells", NONE="refuse",
                  MORE=OF_MESH + (BY_COLOURS if number % 2 else "") + (OF_GROUPS if mesh == "naca0012" else ""), PART=part[number % len(part)],
                  HOW="[block-colour, global-colour]" if number % 2 else ALL_BUT_GATHERING)
    for number, none in enumerate(("skip", "split"), 5):
        yield job(number, MESH=TABLES, FROM="edges", TO="ec", NONE=none, PART=part[-1],
                  HOW=ALL_BUT_GATHERING, MORE=OF_TABLES + (BOUNDARY if none == "split" else ""))


def agree_on(program, name):
    """Both readers say the same of a plan."""
    shutil.rmtree(name + ".arrays", ignore_errors=True)
    program.must("export", name, "-o", name + ".arrays/", "-q")
    program.must("info", name, "--json", name + ".json", "-q")
    plan = read_plan(name)
    prove(plan)
    compare_export(plan, name + ".arrays")
    compare_info(plan, name + ".json")
    COUNTS["plans"] += 1
    return plan


def agree_on_all(program):
    make_tables()
    words = [*mesh_plans(program), *gather_plans(program), *table_plans(program), *(job_plans(program) if program.yaml else ())]
    kinds, sequences, ragged = set(), 0, 0
    if program.yaml:
        program.must("generate", "quad", "300x12", "--shuffle", "3", "-o", "long.msh", "-q")
        program.must("generate", "quad", "80x70", "--shuffle", "3", "-o", "wide.msh", "-q")  # slabs have enough members for pieces
        words += [("limited",)] * SHARE + [each for each in layered_plans(program) for _ in range(SHARE)]
    for number, each in enumerate(words[::SHARE]):
        if each == ("limited",):
            each = limited_plan("wide.msh", "4M", 2, 6)
        name = f"{number}.mplan"
        program.must("plan", *each, "-o", name, "-q")
        try:
            plan = agree_on(program, name)
        except (Refused, Difference) as error:
            sys.exit(f"meshplan plan {' '.join(each)}: {error}")
        kinds |= {entry.kind for entry in plan.entries}
        sequences += sum(one.sequence for one in plan.block_sets)
        ragged += sum(one.arity == 0 for one in plan.maps)
        if "middles.npy" in " ".join(each):
            check_coordinates(plan)
        if each[0].startswith("layered"):
            check_ranges(plan)
    lacking = set(ARRAYS) - kinds - (set() if program.yaml else {48, 65, 192, 193, 194})
    lacking -= set(range(176, 192))  # those of parts: parts_reader.py
    if SHARE == 1 and (lacking or not ragged or (program.yaml and not sequences)):
        sys.exit(f"no plan has arrays of the kinds {lacking}, a sequence or a ragged map")


def check_coordinates(plan):
    """The fingerprint of the coordinates, from the files of make_tables."""
    stream = b""
    for one in plan.sets:
        rows = np.load("xyz.npy" if one.name == "cells" else "middles.npy")
        rows = rows[plan.array(34, set=one.index)] if one.split else rows
        stream += struct.pack("<qq", one.index, rows.shape[1]) + rows.astype("<f8").tobytes()
    if fingerprint(stream) != plan.fingerprints["coordinates"]:
        sys.exit("the fingerprint of the coordinates differs")


# damage

def opinion(data):
    """Exit code of verify by the second reader: 65 refused, 1 does not hold, 0 holds."""
    try:
        prove(Plan(data))
    except Refused:
        return 65
    except Difference:
        return 1
    return 0


def check_refused(program, data, chosen):
    try:
        Plan(data)
        sys.exit("the second reader reads a damaged plan")
    except Refused:
        pass
    if chosen:
        done = ask(program, "info", data)
        if done.returncode != 65:
            sys.exit(f"meshplan info of a damaged plan: exit {done.returncode}: {done.stderr}")
        COUNTS["refused by the program"] += 1


def ask(program, command, data):
    pathlib.Path("changed.mplan").write_bytes(data)
    return program.run(command, "changed.mplan", "-q")


def damage(program, plan, random_):
    whole = bytes(plan.data)
    for number in range(2000 // SHARE):
        data, bit = bytearray(whole), random_.randrange(8 * len(whole))
        data[bit // 8] ^= 1 << bit % 8
        check_refused(program, bytes(data), number % 25 == 0)
        COUNTS["flips"] += 1
    for number in range(200 // SHARE):
        check_refused(program, whole[:random_.randrange(len(whole))], number % 10 == 0)
        COUNTS["cuts"] += 1
    check_refused(program, whole + b"\0", True)


# plans that this test writes

class Draft:
    """A plan to be changed and written again, with offsets and hashes made anew."""

    def __init__(self, plan):
        self.plan, self.header = plan, dict(plan.header)
        self.entries = [dict(vars(entry)) for entry in plan.entries]
        self.data = [bytes(plan.data[one.offset:one.offset + one.stored]) for one in plan.entries]

    def at(self, kind, **parts):
        key = self.plan.key(kind, **parts)
        return next(i for i, entry in enumerate(self.entries) if entry["key"] == key)

    def put_array(self, array, kind, **parts):
        number = self.at(kind, **parts)
        entry = self.entries[number]
        self.data[number] = np.ascontiguousarray(array, TYPES[entry["type"]]).tobytes()
        entry.update(rows=len(array), cols=array.shape[1] if array.ndim > 1 else 1,
                     raw=len(self.data[number]))

    def put_field(self, kind, record, field, value):
        layout, number = LAYOUTS[kind][0], self.at(kind)
        form, offset = layout.fields[field][:2]
        at, data = record * layout.itemsize + offset, bytearray(self.data[number])
        data[at:at + form.itemsize] = int(value).to_bytes(16, "little", signed=True)[:form.itemsize]
        self.data[number] = bytes(data)

    def put_request(self, text):
        data, number = text.encode(), self.at(9)
        self.data[number] = data
        self.entries[number].update(rows=len(data), raw=len(data))
        self.header["request"] = fingerprint(data)

    def write(self):
        end = 128 + 96 * len(self.entries)
        out = bytearray(end)
        for entry, data in zip(self.entries, self.data):
            unit = 4096 if len(data) > 1 << 20 else 64
            offset = -(-end // unit) * unit
            out += bytes(offset - end) + data
            end = offset + len(data)
            entry.update(offset=offset, stored=len(data), hash=xxh3_64(data))
        rows = [tuple(entry[name] for name in ENTRY.names) for entry in self.entries]
        table = np.array(rows, ENTRY).tobytes()
        out[128:128 + len(table)] = table
        self.header.update(file_bytes=len(out), n_sections=len(rows), table_hash=xxh3_64(table))
        head = struct.pack("<8sHHIQQQQQQQQQ32s", *list(self.header.values())[:-1])
        out[:128] = head + struct.pack("<Q", xxh3_64(head))
        return bytes(out)


# Fields that follow from the request (formats/plan-format.md, section 11) and that the second reader, which does not
# renumber, takes as they are; plan_fields.py holds verify to them.
REQUESTED = {"renumber", "kept", "bandwidth_renumbered", "profile_renumbered"}


def check_same(program, data, what, field=None):
    """The program proves or refuses what the second reader does; it may disprove more fields of REQUESTED."""
    ours, (code, said) = opinion(data), program.verify(data)
    COUNTS["changed"] += 1
    if (ours, code) == (0, 1) and field in REQUESTED:
        COUNTS["by the request"] = COUNTS.get("by the request", 0) + 1
        return
    if code != ours:
        sys.exit(f"{what}: the second reader says {ours}, meshplan verify {code}: {said}")


def change_records(program, plan, random_):
    """One field of a record, or of an entry of the section table, in a file with good hashes."""
    values = (0, 1, 2, 3, 5, 33, 1024, 65535, 65536, 2**31 - 1, 2**31, ONES, 2**62, 2**63 - 1)
    for _ in range(120 // SHARE):
        draft, kind = Draft(plan), random_.choice([*RECORDS, "entry"])
        if kind == "entry":
            entry = random_.choice(draft.entries)
            field = random_.choice([n for n in ENTRY.names if n not in ("offset", "stored", "hash")])
            value = random_.choice(values) % (1 << 8 * ENTRY[field].itemsize)
            entry[field] = value if random_.random() < 0.5 else entry[field] ^ 1
            if field in ENTRY.names[2:9]:
                entry["key"] = None
            check_same(program, draft.write(), f"{field} of a section")
            continue
        layout = LAYOUTS[kind][0]
        if plan.key(kind) not in plan.by_key or not draft.data[draft.at(kind)]:
            continue  # of 1.2, in plans that need it; conflicts of a step that has none
        record = random_.randrange(len(draft.data[draft.at(kind)]) // layout.itemsize)
        field = random_.choice(layout.names)
        old = np.frombuffer(draft.data[draft.at(kind)], layout)[field][record]
        value = random_.choice((*values, int(old) + 1, int(old) - 1, -1))
        draft.put_field(kind, record, field, value)
        check_same(program, draft.write(), f"{field} of {RECORDS[kind][0]} {record}: {old}, now {value}",
                   field)


def change_request(program, plan, number, random_):
    """One option of the request, or a line of its loops, in a file with good hashes. Where cases are shared, each plan has
    options of its own."""
    values = ("0", "1", "7", "31", "32", "64", "128", "256", "1024", "1025", "01", "", "auto", "none", "native", "metis", "true",
              "false", "block-colour", "atomic", "two-step atomic", "atomic atomic", "colour", "partial", "index16", "h100",
              "v100", "1.03", "1.030000", "0.5", "2e-3", "best", "points", "faces")
    begin = plan.request.index("\nblock_size ") + 1
    options = plan.request[begin:].split("\n")[:-1]
    share = min(SHARE, 5)
    for place, line in enumerate(options):
        if place % share != number % share:
            continue
        key = line.split(" ")[0]
        for value in random_.sample(values, 4 if share == 1 else 2):
            draft = Draft(plan)
            draft.put_request(plan.request[:begin] + "\n".join([*options[:place], f"{key} {value}", *options[place + 1:], ""]))
            orders = key in ("renumber", "keep_order", "point_order", "partitioner", "strategy")
            check_same(program, draft.write(), f"{line!r} of the request, now {value!r}", "renumber" if orders else None)
    for _ in range(20 // share):
        draft, at = Draft(plan), random_.randrange(begin)
        draft.put_request(plan.request[:at] + random_.choice("x0 \n") + plan.request[at + random_.randrange(2):])
        check_same(program, draft.write(), f"byte {at} of the request")


def change_arrays(program, plan, random_):
    """One number of an array, in a file with good hashes."""
    for _ in range(120 // SHARE):
        draft = Draft(plan)
        key, array = random_.choice([one for one in plan.arrays.items() if one[1].size])
        array = array.copy()
        at, other = (random_.randrange(array.size) for _ in range(2))
        old, bounds = int(array.flat[at]), np.iinfo(array.dtype)
        choices = (old + 1, old - 1, int(array.flat[other]), -1, 65535, 0)
        array.flat[at] = min(max(random_.choice(choices), bounds.min), bounds.max)
        draft.put_array(array, key[0], **{p: v for p, v in zip(
            ("set", "map", "loop", "variant", "block_set"), key[1:]) if v != ONES})
        check_same(program, draft.write(),
                   f"{ARRAYS[key[0]]} {key}: number {at}, {old}, now {array.flat[at]}")


def change_header(program, plan):
    """What a later version may add is read; what a reader must know, or kind 0, is refused."""
    def changed(**header):
        draft = Draft(plan)
        draft.header.update(header)
        return draft.write()

    def added(kind, **entry):
        draft = Draft(plan)
        new = dict.fromkeys(ENTRY.names, ONES)
        new.update(kind=kind, type=99, codec=99, rows=3, cols=5, raw=1, reserved=0, key=None, **entry)
        place = sum(one["kind"] <= kind for one in draft.entries)
        draft.entries.insert(place, new)
        draft.data.insert(place, b"later")
        return draft.write()

    cases = [(changed(minor=7), 0), (changed(may_ignore=1 << 63), 0), (changed(must_know=2), 65),
             (changed(must_know=plan.header["must_know"] ^ 1), 65),
             (changed(major=2), 65), (changed(major=0), 65), (changed(reserved=b"\1" * 32), 65),
             (changed(header_bytes=129), 65), (changed(table_offset=192), 65),
             (changed(topology=1), 1), (changed(request=1), 1),
             (added(0), 65), (added(15), 65), (added(20), 65), (added(22), 0), (added(50), 0), (added(1 << 31), 0), (added(200, rank=3), 0)]
    for number, (data, expected) in enumerate(cases):
        check_same(program, data, f"case {number} of the header")
        if opinion(data) != expected:
            sys.exit(f"case {number} of the header: not {expected}")


def hole_sets(plan):
    """Sets that may have holes: points of the primary loop that no loop runs over and no map leaves."""
    primary = next(loop for loop in plan.loops if loop.primary)
    targets = {plan.maps[arg.map].target for arg in primary.args if arg.map is not None}
    return targets - {loop.set for loop in plan.loops} - {one.source for one in plan.maps}


def with_holes(plan):
    """The plan as if holes had been asked for, with one behind every third place of the sets that may have
    them, and before and behind all."""
    chosen = hole_sets(plan)
    places = {one.index: np.arange(one.storage_size) + (np.arange(one.storage_size) // 3 + 1) *
              (one.index in chosen) for one in plan.sets}
    sizes = {one.index: one.storage_size if one.index not in chosen else
             int(places[one.index][-1]) + 3 if one.storage_size else 2 for one in plan.sets}
    draft = Draft(plan)
    draft.put_request(re.sub("(?m)^point_order .*$", "point_order padded", plan.request))

    def moved(values, number):
        return np.append(places[number], -1)[values]

    def opened(array, number, hole):
        out = np.full((sizes[number], *array.shape[1:]), hole, np.int64)
        out[places[number]] = array
        return out

    def counted(offsets, number):
        lengths = opened(np.diff(offsets), number, 0)
        return np.concatenate([[0], np.cumsum(lengths)])

    for one in plan.sets:
        number = one.index
        draft.put_array(moved(plan.array(32, set=number), number), 32, set=number)
        draft.put_array(opened(plan.array(33, set=number), number, -1), 33, set=number)
        draft.put_field(2, number, "storage_size", sizes[number])
    for one in plan.maps:
        values = moved(plan.array(40, map=one.index), one.target)
        if one.arity:
            values = opened(values, one.source, -1)
            draft.put_field(3, one.index, "n_entries", values.size)
        else:
            draft.put_array(counted(plan.array(41, map=one.index), one.source), 41, map=one.index)
        draft.put_array(values, 40, map=one.index)
    for key, array in plan.arrays.items():
        open_blocks(plan, draft, key, array, places, (moved, opened, counted))
    return measured_again(Plan(draft.write()))


def open_blocks(plan, draft, key, array, places, tools):
    """with_holes for one array of a block set, a loop or a variant."""
    moved, opened, counted = tools
    kind, target, number, loop, variant, block_set = key[:6]
    parts = {name: value for name, value in zip(("set", "map", "loop", "variant", "block_set"), key[1:6])
             if value != ONES}
    if kind in (80, 81):
        block_set = plan.loops[loop].variants[variant].block_set
    blocks = plan.block_sets[block_set] if block_set not in (ONES, None) else None
    owner = blocks.set if blocks else plan.loops[loop].set if loop != ONES else None
    fixed = number != ONES and plan.maps[number].arity
    if kind == 64 and not blocks.sequence and len(array) > 1:
        inner = places[owner][array[1:-1]]
        draft.put_array(np.concatenate([[0], inner, [len(opened(places[owner], owner, 0))]]), 64, **parts)
    elif kind in (65, 98):
        draft.put_array(moved(array, owner), kind, **parts)
    elif kind == 67:
        draft.put_array(moved(array, target), kind, **parts)
    elif (kind == 68 and fixed or kind == 80) and not blocks.sequence:
        draft.put_array(opened(array, owner, 65535), kind, **parts)
    elif kind == 96:
        draft.put_array(opened(array, owner, -1), kind, **parts)
    elif kind == 112:
        draft.put_array(counted(array, plan.maps[number].target), kind, **parts)
    elif kind == 113 and fixed:
        draft.put_array(places[owner][array // fixed] * fixed + array % fixed, kind, **parts)


def measured_again(plan):
    """The same plan with bandwidths, profiles and lines of the new stored order."""
    draft, primary = Draft(plan), next(loop for loop in plan.loops if loop.primary)
    for one in plan.sets:
        if one.bandwidth_stored >= 0:
            found = spread(plan, primary, one, np.arange(one.storage_size))
            draft.put_field(2, one.index, "bandwidth_stored", found[0])
            draft.put_field(2, one.index, "profile_stored", found[1])
    for one in plan.metrics:
        found = measure(plan, plan.loops[one.loop], plan.block_sets[one.block_set], one.set)
        draft.put_field(8, one.index, "lines", found["lines"])
    return draft.write()


def write_holes(program):
    names = [name for name in os.listdir() if name.endswith(".mplan")]
    for name in sorted(names, key=lambda name: (len(name), name))[::2]:
        plan = read_plan(name)
        # holes would change the tables of variants that gather
        if any(entry.codec or entry.kind >= 128 for entry in plan.entries) or not hole_sets(plan):
            continue
        data = with_holes(plan)
        pathlib.Path("holes.mplan").write_bytes(data)
        try:
            agree_on(program, "holes.mplan")
        except (Refused, Difference) as error:
            sys.exit(f"{name} with holes: {error}")
        done = program.run("verify", "holes.mplan", "-q")
        if done.returncode != 0:
            sys.exit(f"{name} with holes: meshplan verify: {done.stderr}")
        COUNTS["written"] += 1


def check_command():
    """Exit codes of the second reader's own command."""
    def run(*words):
        done = subprocess.run([sys.executable, READER, *words], capture_output=True, text=True)
        return done.returncode

    pathlib.Path("cut.mplan").write_bytes(pathlib.Path("0.mplan").read_bytes()[:-1])
    codes = [run("0.mplan", "--compare", "0.mplan.arrays", "--json", "0.mplan.json"),
             run("0.mplan", "--compare", "1.mplan.arrays"), run("0.mplan", "--json", "1.mplan.json"),
             run("cut.mplan")]
    os.remove("cut.mplan")
    if codes != [0, 1, 1, 65]:
        sys.exit(f"plan_meaning.py ends with {codes}")


def main():
    program = Program(sys.argv[1], sys.argv[2])
    random_ = random.Random(11)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 30 else None  # thousands of small files
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        os.chdir(folder)
        agree_on_all(program)
        check_command()
        write_holes(program)
        words = ("edges_cells.npy", "--none", "skip", "--partitioner", "none", "--block-size", "32",
                 "--strategy", ",".join(STRATEGIES))
        program.must("plan", *words, "-o", "small.mplan", "-q")
        small = read_plan("small.mplan")
        program.must("plan", "edges_cells.npy", "--none", "skip", "--partitioner", "none", "--block-size", "32",
                     "--strategy", "block-gather,owner-gather", "--encoding", "index16", "-o", "gather.mplan", "-q")
        gather = read_plan("gather.mplan")
        program.must("plan", "edges_cells.npy", "--none", "skip", "--partitioner", "none", "--block-size", "32",
                     "--strategy", "two-step,owner-gather", "--sums-order", "mesh", "-o", "ordered.mplan", "-q")
        ordered = read_plan("ordered.mplan")
        program.must("plan", "naca0012.msh", "--over", "airfoil", "--inc", "cells:4", "--read", "boundary_faces:1", "--partitioner",
                     "none", "--block-size", "32", "--strategy", "atomic", "-o", "grouped.mplan", "-q")
        grouped = read_plan("grouped.mplan")
        program.must("plan", "edges_cells.npy", "--none", "skip", "--partitioner", "none", "--block-size", "32",
                     "--strategy", "owner-gather", "--slice-rows", "64", "-o", "wide.mplan", "-q")
        wide = read_plan("wide.mplan")
        plans = [small, gather, ordered, grouped, wide, Plan(with_holes(small))]
        if program.yaml:
            program.must("plan", *limited_plan("long.msh", "4M", 2, 4), "-o", "limited.mplan", "-q")
            plans.append(read_plan("limited.mplan"))
        damage(program, small, random_)
        change_header(program, small)
        for number, plan in enumerate(plans):
            change_records(program, plan, random_)
            change_request(program, plan, number, random_)
            change_arrays(program, plan, random_)
        os.chdir("/")
    lacking = [w for w, there in (("metis", "metis" in program.partitioners), ("scotch", program.scotch),
                                  ("yaml", program.yaml), ("zlib", program.zlib)) if not there]
    print(", ".join(f"{count} {name}" for name, count in COUNTS.items())
          + (f"; not in this build: {', '.join(lacking)}" if lacking else ""))


if __name__ == "__main__":
    main()
