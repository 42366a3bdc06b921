#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""VTU files of `meshplan convert` and `meshplan export`, read with Python's standard library only:
lengths and bounds of every array, cells against the mesh's own tables, fields against the part file, the
npy files and the meaning of colours. Argument: the meshplan program."""
import ast
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
import zlib

TYPES = {"UInt8": "B", "UInt16": "H", "Int32": "i", "Int64": "q", "Float32": "f", "Float64": "d"}
NODES = {1: 1, 3: 2, 5: 3, 9: 4, 10: 4, 12: 8, 13: 6, 14: 5, 21: 3, 22: 6, 23: 8, 24: 10, 25: 20, 26: 15,
         27: 13, 28: 9, 29: 27, 32: 18}


def require(holds, sentence):
    if not holds:
        sys.exit(sentence)


class Grid:
    """points, cells (lists of node ids), types, cell_data and point_data of a file."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        begin = re.search(rb'<AppendedData encoding="raw">\s*_', data).end()
        end = data.rindex(b"\n  </AppendedData>")
        root = tree.fromstring(data[:begin] + data[end:])
        require(root.get("header_type") == "UInt64" and root.get("byte_order") == "LittleEndian", f"{path}: head")
        self.data, self.end, self.path = data[begin:end], 0, path
        self.packed = root.get("compressor") is not None
        piece = root.find("UnstructuredGrid/Piece")
        n_points, n_cells = int(piece.get("NumberOfPoints")), int(piece.get("NumberOfCells"))
        self.point_data = {a.get("Name"): self.array(a, n_points) for a in piece.find("PointData")}
        self.cell_data = {a.get("Name"): self.array(a, n_cells) for a in piece.find("CellData")}
        points = self.array(piece.find("Points/DataArray"), 3 * n_points)
        self.points = [points[3 * i:3 * i + 3] for i in range(n_points)]
        cells = {a.get("Name"): a for a in piece.find("Cells")}
        nodes = self.array(cells["connectivity"], None)
        offsets = self.array(cells["offsets"], n_cells)
        self.types = self.array(cells["types"], n_cells)
        self.polyhedra = self.faces_of(cells, n_cells) if "faces" in cells else {}
        require(self.end == len(self.data), f"{path}: bytes behind the last array")
        require(all(0 <= node < n_points for node in nodes), f"{path}: a node is out of range")
        require((offsets[-1] if n_cells else 0) == len(nodes), f"{path}: the last offset")
        self.cells = [nodes[a:b] for a, b in zip((0,) + offsets, offsets)]
        for cell, code in zip(self.cells, self.types):
            require(len(cell) == NODES.get(code, len(cell)), f"{path}: a cell of type {code} has {len(cell)} nodes")

    def faces_of(self, cells, n_cells):
        """The faces of each polyhedron, by its number."""
        numbers, ends = self.array(cells["faces"], None), self.array(cells["faceoffsets"], n_cells)
        result, at = {}, 0
        for cell, end in enumerate(ends):
            if end < 0:
                continue
            faces, n, at = [], numbers[at], at + 1
            for _ in range(n):
                faces.append(numbers[at + 1:at + 1 + numbers[at]])
                at += 1 + numbers[at]
            require(at == end, f"{self.path}: faces of polyhedron {cell}")
            result[cell] = faces
        require(at == len(numbers), f"{self.path}: numbers behind the last polyhedron")
        return result

    def array(self, element, n):
        """Arrays are one behind the other, in the order of their elements."""
        at = int(element.get("offset"))
        require(at == self.end, f"{self.path}: offset of {element.get('Name')}")
        if self.packed:
            blocks, size, last = struct.unpack_from("<3Q", self.data, at)
            lengths = struct.unpack_from(f"<{blocks}Q", self.data, at + 24)
            at += 24 + 8 * blocks
            parts = []
            for number, length in enumerate(lengths):
                parts.append(zlib.decompress(self.data[at:at + length]))
                whole = number + 1 < blocks or last == 0
                require(len(parts[-1]) == (size if whole else last), f"{self.path}: a block's length")
                at += length
            raw = b"".join(parts)
        else:
            length = struct.unpack_from("<Q", self.data, at)[0]
            raw = self.data[at + 8:at + 8 + length]
            at += 8 + length
        self.end = at
        code = TYPES[element.get("type")]
        found = struct.unpack(f"<{len(raw) // struct.calcsize(code)}{code}", raw)
        require(n is None or len(found) == n, f"{self.path}: numbers of {element.get('Name')}")
        return found


class Program:
    def __init__(self, path):
        self.path = path
        words = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        self.reads = "expat" in words and "zlib" in words  # VTU files of its own

    def must(self, *words):
        done = subprocess.run([self.path, *words, "--threads", "1"], capture_output=True, text=True)
        require(done.returncode == 0, f"meshplan {' '.join(words)}: exit {done.returncode}: {done.stderr}")


def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack_from("<H", data, 8)[0]
    head = ast.literal_eval(data[10:10 + length].decode())
    code = {"<i4": "i", "<i8": "q", "<u2": "H"}[head["descr"]]
    return [one[0] for one in struct.iter_unpack("<" + code, data[10 + length:])]


def read_rows(path):
    return [[int(word) for word in line.split()] for line in open(path)]


def volume(grid, dimension):
    """Sum of the areas or volumes of the cells, by fans of triangles or tetrahedra from their corners."""
    fans = {5: [(0, 1, 2)], 9: [(0, 1, 2), (0, 2, 3)], 10: [(0, 1, 2, 3)],
            12: [(0, 1, 3, 4), (1, 2, 3, 6), (1, 3, 4, 6), (3, 4, 6, 7), (1, 4, 5, 6)]}
    total = 0.0
    for cell, code in zip(grid.cells, grid.types):
        for fan in fans[code] if code in fans and len(fans[code][0]) == dimension + 1 else ():
            p = [grid.points[cell[k]] for k in fan]
            u, v = ([b - a for a, b in zip(p[0], q)] for q in p[1:3])
            cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            part = cross[2] / 2 if dimension == 2 else sum((b - a) * c for a, b, c in zip(p[0], p[3], cross)) / 6
            require(part > 0, f"{grid.path}: a cell is turned inside out")
            total += part
    return total


def check_meshes(program):
    cases = (("quad", "7x5", 2, 35, {"left": 5, "right": 5, "bottom": 7, "top": 7}), ("tri", "6x4", 2, 48, None),
             ("hex", "4x3x2", 3, 24, {"xmin": 6, "zmax": 12}), ("tet", "3x2x2", 3, 72, None))
    for shape, size, dimension, n_cells, groups in cases:
        bent = "0" if shape == "hex" else "0.1"  # only hexes with flat faces are their fans
        program.must("generate", shape, size, "--jitter", bent, "--shuffle", "4", "-o", "m.msh")
        program.must("convert", "m.msh", "m.vtu")
        program.must("convert", "m.msh", "m.txt", "--map", "cells_nodes")
        grid = Grid("m.vtu")
        require(grid.cells[:n_cells] == [tuple(row) for row in read_rows("m.txt")], f"{shape}: nodes of cells")
        if program.reads:
            program.must("convert", "m.vtu", "back.txt", "--map", "cells_nodes")
            require(read_rows("back.txt") == read_rows("m.txt"), f"{shape}: cells as they are read back")
        require(abs(volume(grid, dimension) - 1) < 1e-12, f"{shape}: volume {volume(grid, dimension)}")
        for name, n in (groups or {}).items():
            marks = grid.cell_data[name]
            require(sum(marks) == n and not any(marks[:n_cells]), f"{shape}: group {name} has {sum(marks)} facets")


def check_polyhedra(program):
    """Two polyhedra of 2.5 units of volume, from a committed file: a plan and a report of them, too."""
    source = pathlib.Path(__file__).resolve().parent.parent / "data" / "vtk" / "good-polyhedron.vtk"
    program.must("convert", str(source), "poly.vtu")
    program.must("plan", str(source), "--over", "faces", "--inc", "cells", "-o", "poly.mplan")
    program.must("export", "poly.mplan", "--mesh", str(source), "--set", "cells", "-o", "cells.vtu")
    program.must("report", "poly.mplan", "--mesh", str(source), "-o", "poly.html")
    require("its cells are solids" in pathlib.Path("poly.html").read_text(encoding="utf-8"), "no word of polyhedra")
    for name in ("poly.vtu", "cells.vtu"):
        grid, volume_ = Grid(name), 0.0
        require(grid.types == (42, 42) and len(grid.polyhedra) == 2, f"{name}: no two polyhedra")
        for cell, faces in grid.polyhedra.items():
            require({node for face in faces for node in face} == set(grid.cells[cell]), f"{name}: nodes of faces")
            middle = [sum(grid.points[node][k] for node in grid.cells[cell]) / len(grid.cells[cell]) for k in range(3)]
            for face in faces:
                for i in range(1, len(face) - 1):
                    u, v, w = ([a - b for a, b in zip(grid.points[face[k]], middle)] for k in (0, i, i + 1))
                    volume_ += abs(u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
                                   + u[2] * (v[0] * w[1] - v[1] * w[0])) / 6
        require(abs(volume_ - 2.5) < 1e-12, f"{name}: volume {volume_}")
    if program.reads:
        for name in ("faces_nodes", "boundary_faces_nodes", "boundary_faces_cells"):
            for file in (str(source), "poly.vtu"):
                program.must("convert", file, f"{'back' if file == 'poly.vtu' else 'first'}.txt", "--map", name)
            require(read_rows("first.txt") == read_rows("back.txt"), f"polyhedra: {name} as it is read back")


def distinct_within(rows, colour, where):
    """Elements of equal (where, colour) share no point."""
    seen = set()
    for row, pair in zip(rows, zip(where, colour)):
        for point in set(row):
            require((point, pair) not in seen, f"two elements of colour {pair} share point {point}")
            seen.add((point, pair))


def check_plan(program, shape, size, over, to, options, colours):
    program.must("generate", shape, size, "--shuffle", "9", "-o", "p.msh")
    program.must("plan", "p.msh", "--over", over, "--inc", to, "--block-size", "32", *options, "-o", "p.mplan")
    program.must("convert", "p.msh", "p.txt", "--map", f"{over}_{to}")
    program.must("convert", "p.msh", "n.txt", "--map", f"{over}_nodes")
    program.must("export", "p.mplan", "-o", "p.part")
    program.must("export", "p.mplan", "-o", "arrays/")
    program.must("export", "p.mplan", "--mesh", "p.msh", "-o", "p.vtu")
    program.must("export", "p.mplan", "--mesh", "p.msh", "--set", to, "-o", "q.vtu")
    rows, block = read_rows("p.txt"), [row[0] for row in read_rows("p.part")]
    drawn, points = Grid("p.vtu"), Grid("q.vtu")
    require(drawn.cells == [tuple(row) for row in read_rows("n.txt")], f"{shape}: nodes of {over}")
    require(list(drawn.cell_data["block"]) == block, f"{shape}: blocks of {over}")
    require(list(drawn.cell_data["new_index"]) == read_npy(f"arrays/set-{over}-new_of_old.npy"), f"{shape}: order")
    require(list(points.cell_data["new_index"]) == read_npy(f"arrays/set-{to}-new_of_old.npy"), f"{shape}: order")
    slots = [{} for _ in points.cells]
    for row, b in zip(rows, block):
        for point in row:
            slots[point][b] = slots[point].get(b, 0) + 1
    require(list(points.cell_data["blocks"]) == [len(one) for one in slots], f"{shape}: blocks of {to}")
    most = [min(b for b in one if one[b] == max(one.values())) for one in slots]
    require(list(points.cell_data["block"]) == most, f"{shape}: the block that leads to a point most")
    require(set(drawn.cell_data) == {"block", "new_index", *colours}, f"{shape}: fields {set(drawn.cell_data)}")
    if "thread_colour" in colours:
        distinct_within(rows, drawn.cell_data["thread_colour"], block)
    if "global_colour" in colours:
        distinct_within(rows, drawn.cell_data["global_colour"], [0] * len(rows))
    if "block_colour" in colours:
        of = dict(zip(block, drawn.cell_data["block_colour"]))
        require([of[b] for b in block] == list(drawn.cell_data["block_colour"]), f"{shape}: colours of blocks")
        for one in slots:
            require(len({of[b] for b in one}) == len(one), f"{shape}: two blocks of one colour share a point")


def main():
    program = Program(str(pathlib.Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_meshes(program)
        check_polyhedra(program)
        two = ("--strategy", "block-colour", "--partitioner", "native")
        check_plan(program, "quad", "20x15", "faces", "cells", two, ("block_colour", "thread_colour"))
        check_plan(program, "hex", "7x6x5", "faces", "cells", two, ("block_colour", "thread_colour"))
        check_plan(program, "tet", "4x3x3", "cells", "nodes", two, ("block_colour", "thread_colour"))
        check_plan(program, "tri", "15x12", "cells", "nodes", ("--strategy", "block-gather", "--sums", "colour"),
                   ("block_colour",))
        check_plan(program, "tri", "15x12", "edges", "nodes", ("--strategy", "global-colour"), ("global_colour",))
        os.chdir("/")
    print("4 meshes, polyhedra and 5 plans as VTU files: arrays, cells, groups, blocks, colours and orders are right")


if __name__ == "__main__":
    main()
