#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bundles of the program, proved by the second reader (tests/parts_meaning.py); and with one number of PARTS, of the lists
of halos or of the manifest changed and all checksums made right: then `meshplan verify` and the second reader both refuse.
Argument: the meshplan program; 77 without numpy. With MPLAN_TEST_SHARE=N one change in N, for slow builds."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: this Python has no numpy")
    sys.exit(77)

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from parts_meaning import prove_bundle  # noqa: E402
from plan_meaning import Difference  # noqa: E402
from meshplan.bundle import Bundle  # noqa: E402
from meshplan.planfile import ARRAYS, Refused  # noqa: E402
from meshplan.xxh3 import xxh3_64  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
SHARE = int(os.environ.get("MPLAN_TEST_SHARE", "1"))
CASES = [("quad", "9x7", 3, ()), ("tri", "6x5", 40, ()), ("tet", "3x3x3", 2, ("--strategy", "two-step,atomic")),
         ("hex", "4x3x3", 4, ("--over", "cells", "--inc", "cells_nodes:2:f64", "--read", "cells_nodes:3:f64")),
         ("quad", "8x8", 5, ("--over", "edges", "--inc", "edges_nodes:1:f64", "--read", "edges_cells:2:f64")),
         ("tri", "7x7", 4, ("--strategy", "owner-gather", "--sums-order", "mesh")),
         ("hex", "4x4x3", 3, ("--strategy", "block-gather,block-colour", "--block-size", "32")),
         ("quad", "8x5", 4, ("--rings", "1")), ("quad", "12x3", 5, ("--rings", "3")), ("tet", "4x3x2", 4, ("--rings", "2"))]


def call(*words):
    return subprocess.run([PROGRAM, *words, "--threads", "1", "-q"], capture_output=True, text=True, errors="replace")


def must(*words):
    done = call(*words)
    if done.returncode:
        sys.exit(f"meshplan {' '.join(words)}: exit {done.returncode}: {done.stderr}")


def second_reader(data):
    """None, or why the second reader refuses."""
    try:
        prove_bundle(Bundle(bytes(data)))
    except (Refused, Difference) as refusal:
        return str(refusal)
    return None


def seal(data):
    """Hashes of a bundle, of its plans and of their sections made right."""
    parts, = struct.unpack_from("<I", data, 32)
    for p in range(parts):
        entry = 128 + 64 * p
        begin, = struct.unpack_from("<Q", data, entry)
        n, = struct.unpack_from("<Q", data, begin + 48)
        for i in range(n):
            at = begin + 128 + 96 * i
            offset, stored = struct.unpack_from("<QQ", data, at + 56)
            struct.pack_into("<Q", data, at + 80, xxh3_64(bytes(data[begin + offset:begin + offset + stored])))
        struct.pack_into("<Q", data, begin + 56, xxh3_64(bytes(data[begin + 128:begin + 128 + 96 * n])))
        struct.pack_into("<Q", data, begin + 120, xxh3_64(bytes(data[begin:begin + 120])))
        struct.pack_into("<Q", data, entry + 16, xxh3_64(bytes(data[begin:begin + 128])))
    manifest, = struct.unpack_from("<Q", data, 40)
    front = 128 + 64 * parts
    struct.pack_into("<Q", data, 48, xxh3_64(bytes(data[front:front + manifest])))
    struct.pack_into("<Q", data, 56, xxh3_64(bytes(data[128:front])))
    struct.pack_into("<Q", data, 120, xxh3_64(bytes(data[:120])))


LAYERS = """meshplan: 1
mesh: mesh.msh
layers:
  cells: {file: depths.txt, layers: 9, mask: wet.txt}
loops:
  - name: matvec
    over: cells
    layered: true
    args:
      - {dat: x, map: cells_nodes, access: read, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
      - {dat: lhs, map: cells_nodes, access: inc, dim: 1, type: f64, levels: 10, offsets: [0, 1]}
output: b.mplans
"""


LIMITED = """meshplan: 1
mesh: mesh.msh
loops:
  - name: keep
    over: cells
    args: [{dat: q, access: read, dim: 2, type: f64}, {dat: old, access: write, dim: 2, type: f64}]
  - name: flow
    over: faces
    primary: true
    args:
      - {dat: x, map: faces_nodes, access: read, dim: 2, type: f64}
      - {dat: q, map: faces_cells, access: read, dim: 2, type: f64}
      - {dat: sum, map: faces_cells, access: inc, dim: 2, type: f64}
  - name: move
    over: cells
    args: [{dat: old, access: read, dim: 2, type: f64}, {dat: sum, access: read, dim: 2, type: f64}, {dat: q, access: write, dim: 2, type: f64}]
step: [keep, {loop: flow, clear: sum}, move]
output: b.mplans
"""


COLUMNS = """meshplan: 1
mesh: mesh.msh
layers:
  cells: {file: depths.txt, layers: 9, mask: wet.txt}
  faces: {map: faces_cells}
loops:
  - name: flow
    over: faces
    layered: true
    primary: true
    args:
      - {dat: q, map: faces_cells, access: read, dim: 2, type: f64, levels: 9}
      - {dat: sum, map: faces_cells, access: inc, dim: 2, type: f64, levels: 9}
  - name: move
    over: cells
    layered: true
    args: [{dat: sum, access: read, dim: 2, type: f64, levels: 9}, {dat: q, access: rw, dim: 2, type: f64, levels: 9}]
step: [{loop: flow, clear: sum}, move]
output: b.mplans
"""


def places(data, p, columns):
    """Name, place and size of each number that may change: PARTS, GLOBAL_ID and the arrays 176 to 191 of part p, or those of
    columns with layers."""
    begin, = struct.unpack_from("<Q", data, 128 + 64 * p)
    n, = struct.unpack_from("<Q", data, begin + 48)
    for i in range(n):
        at = begin + 128 + 96 * i
        kind, form = struct.unpack_from("<II", data, at)
        offset, stored = struct.unpack_from("<QQ", data, at + 56)
        if columns:
            if kind == 18:
                for field in (0, 4, 8, 16, 24):
                    yield f"LAYERS at {field}", begin + offset + field, 4
            for where in range(0, stored if kind == 48 else 0, 4):
                yield f"LAYER_RANGES at {where}", begin + offset + where, 4
            for where in range(0, stored if kind == 49 else 0, 4):
                yield f"LAYER_MASK at {where}", begin + offset + where, 4
        elif kind == 17:
            for record in range(0, stored, 64):
                for field, size in ((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 4), (52, 4), (56, 8)):
                    yield f"PARTS at {record + field}", begin + offset + record + field, size
        elif (kind == 34 or 176 <= kind <= 191) and stored:
            size = {1: 1, 3: 4, 4: 8}[form]
            for where in sorted({0, stored // size // 2 * size, stored - size}):
                yield f"{ARRAYS[kind]} at {where}", begin + offset + where, size


def change_numbers(data, columns=False, kinds="", every=1):
    """`inner` may be smaller and promises less then; else each change is refused by both. kinds: only arrays with this in
    their names. every: of so many numbers one."""
    count = 0
    for name, at, size in [one for one in places(data, 1, columns) if kinds in one[0]][::every * SHARE]:
        for by in (1, -1):
            changed = bytearray(data)
            form = {1: "<b", 4: "<i", 8: "<q"}[size]
            value = struct.unpack_from(form, changed, at)[0] + by
            if not -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
                continue
            struct.pack_into(form, changed, at, value)
            seal(changed)
            pathlib.Path("changed.mplans").write_bytes(changed)
            done, why = call("verify", "changed.mplans"), second_reader(changed)
            free = name in ("PARTS at 32", "PARTS at 96", "PARTS at 160") and by < 0
            if not free and (done.returncode not in (1, 65) or why is None) or free and (done.returncode == 0) != (why is None):
                sys.exit(f"{name} by {by}: verify ends with {done.returncode} ({done.stderr.strip()}), second reader: {why}")
            count += 1
    return count


def change_front(data):
    """Numbers of header, table and manifest."""
    parts, = struct.unpack_from("<I", data, 32)
    manifest, = struct.unpack_from("<Q", data, 40)
    front, count = 128 + 64 * parts, 0
    text = bytes(data[front:front + manifest])
    end = text.index(b"request ")  # what follows is held against each part's own
    digits = [front + i for i in range(end) if text[i:i + 1].isdigit() and text[:i].rfind(b"cut ") < text[:i].rfind(b"\n")]
    for at in [16, 32, 36, 40, 64, 80, 128, 136, 152, 128 + 64, *digits, front + end + 9][::SHARE]:
        changed = bytearray(data)
        changed[at] = changed[at] ^ 1
        seal_front_only = at not in range(front, front + manifest)
        if seal_front_only:
            struct.pack_into("<Q", changed, 56, xxh3_64(bytes(changed[128:front])))
            struct.pack_into("<Q", changed, 120, xxh3_64(bytes(changed[:120])))
        else:
            seal(changed)
        pathlib.Path("changed.mplans").write_bytes(changed)
        done, why = call("verify", "changed.mplans", "--mesh", "mesh.msh"), second_reader(changed)
        if done.returncode not in (1, 65) or why is None:
            sys.exit(f"byte {at}: verify ends with {done.returncode} ({done.stderr.strip()}), second reader: {why}")
        count += 1
    return count


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for shape, size, parts, words in CASES:
            must("generate", shape, size, "--shuffle", "3", "-o", "mesh.msh")
            must("plan", "mesh.msh", "--parts", str(parts), *words, "-o", "b.mplans")
            must("verify", "b.mplans", "--mesh", "mesh.msh")
            why = second_reader(pathlib.Path("b.mplans").read_bytes())
            if why:
                sys.exit(f"{shape} {size} in {parts} parts: the second reader says {why}")
        pathlib.Path("links_cells.txt").write_text("0 1\n1 -1\n2 3\n3 0\n-1 2\n1 3\n")
        must("plan", "links_cells.txt", "--over", "links", "--inc", "cells", "--none", "split", "--parts", "2", "-o", "b.mplans")
        must("verify", "b.mplans", "--mesh", "links_cells.txt")
        why = second_reader(pathlib.Path("b.mplans").read_bytes())
        if why:
            sys.exit(f"links that are split, in 2 parts: the second reader says {why}")
        must("generate", "cubed-sphere", "1", "-o", "mesh.msh")
        pathlib.Path("depths.txt").write_text("".join(f"{3 + 2 * i % 7}\n" for i in range(6)))
        pathlib.Path("wet.txt").write_text("".join(" ".join(str(int((i + k) % 3 > 0)) for k in range(9)) + "\n" for i in range(6)))
        pathlib.Path("job.yaml").write_text(LAYERS)
        if "libyaml" in call("--version").stdout:
            must("plan", "job.yaml", "--parts", "3", "-o", "b.mplans")
            must("verify", "b.mplans", "--mesh", "mesh.msh")
            why = second_reader(pathlib.Path("b.mplans").read_bytes())
            if why:
                sys.exit(f"columns in 3 parts: the second reader says {why}")
            print(f"{change_numbers(bytearray(pathlib.Path('b.mplans').read_bytes()), True)} numbers of columns changed")
        must("generate", "tri", "40x3", "-o", "mesh.msh")
        pathlib.Path("job.yaml").write_text(LIMITED)
        if "libyaml" in call("--version").stdout:
            for rings in "1", "3":
                must("plan", "job.yaml", "--parts", "3", "--rings", rings, "--device-memory", "3M", "-o", "b.mplans")
                must("verify", "b.mplans", "--mesh", "mesh.msh")
                why = second_reader(pathlib.Path("b.mplans").read_bytes())
                if why:
                    sys.exit(f"3 parts with slabs and {rings} rings: the second reader says {why}")
            print(f"{change_numbers(bytearray(pathlib.Path('b.mplans').read_bytes()), kinds='PART_PLACES')} places of parts changed")
            must("generate", "tri", "40x2", "-o", "mesh.msh")
            pathlib.Path("depths.txt").write_text("".join(f"{3 + 2 * i % 7}\n" for i in range(160)))
            pathlib.Path("wet.txt").write_text("".join(" ".join(str(int((i + k) % 3 > 0)) for k in range(9)) + "\n" for i in range(160)))
            pathlib.Path("job.yaml").write_text(COLUMNS)
            for words in (("--rings", "1"), ("--rings", "2"), ("--rings", "2", "--device-memory", "3M")):
                must("plan", "job.yaml", "--parts", "2", *words, "-o", "b.mplans")
                must("verify", "b.mplans", "--mesh", "mesh.msh")
                why = second_reader(pathlib.Path("b.mplans").read_bytes())
                if why:
                    sys.exit(f"columns in 2 parts, {' '.join(words)}: the second reader says {why}")
            for columns, kinds, every in ((True, "", 23), (False, "RINGS", 1)):
                print(f"{change_numbers(bytearray(pathlib.Path('b.mplans').read_bytes()), columns, kinds, every)} numbers of columns with rings and slabs changed")
        must("generate", "quad", "5x4", "-o", "mesh.msh")
        must("plan", "mesh.msh", "--parts", "3", "--strategy", "two-step", "-o", "b.mplans")
        data = bytearray(pathlib.Path("b.mplans").read_bytes())
        must("plan", "mesh.msh", "--parts", "3", "--rings", "2", "-o", "r.mplans")
        print(f"{change_numbers(bytearray(pathlib.Path('r.mplans').read_bytes()), kinds='RINGS')} numbers of rings changed")
        print(f"{len(CASES)} bundles proved; {change_numbers(data)} numbers of plans and {change_front(data)} of the front changed")
        os.chdir("/")


if __name__ == "__main__":
    main()
