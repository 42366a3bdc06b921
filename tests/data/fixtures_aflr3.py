# SPDX-License-Identifier: Apache-2.0
"""AFLR3's meshes (.ugrid), text and all binary layouts: what the documentation of UG_IO says of them."""
import struct

import fixtures_gmsh
from fixture import in_folder

XYZ = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 2), (1, 0, 2),
       (2, .5, .5), (1.5, .5, 2)]
TRIS, QUADS = [(5, 9, 8), (6, 7, 10)], [(1, 2, 3, 4), (5, 6, 10, 9)]  # normals into the mesh
SOLIDS = [(), (), [(6, 7, 11, 12)], [(2, 6, 11, 3, 7)], [(5, 9, 8, 6, 10, 7)], [(1, 2, 3, 4, 5, 6, 7, 8)]]
IDS = [3, 3, 7, 3]
HOLDS = fixtures_gmsh.SOLIDS + "; #3 3, #7 1"
FLAT = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0), (2, 1, 0), (1, 2, 0)]
FLAT_HOLDS = "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4; #10 3, #20 1, #1 2, #2 4"
EDGES = [(1, 2, 1), (2, 3, 1), (1, 4, 2), (3, 6, 2), (4, 7, 2), (6, 7, 2)]


class Layout:
    """A file in the layout of a word; "": text."""

    def __init__(self, word):
        self.order = "<" if word.startswith("l") else ">"
        rest = word.lstrip("l")
        self.text, self.records = not word, rest[:1] == "r"
        self.real = "f" if rest[1:2] == "4" else "d"
        self.whole = "q" if rest.endswith("l") else "i"

    def row(self, code, values):
        if self.text:
            return (" ".join(str(value) for value in values) + "\n").encode()
        return struct.pack(f"{self.order}{len(values)}{code}", *values)

    def record(self, data):
        length = struct.pack(self.order + "i", len(data))
        return length + data + length if self.records else data

    def file(self, xyz=XYZ, tris=TRIS, quads=QUADS, ids=IDS, solids=SOLIDS, counts=None, more=()):
        header = counts or [len(xyz), len(tris), len(quads), *map(len, solids[2:])]
        rows = [self.row(self.real, point) for point in xyz]
        for cells in (tris, quads, [(id,) for id in ids], *solids[2:], more):
            rows += [self.row(self.whole, cell) for cell in cells]
        return self.record(self.row(self.whole, header)) + self.record(b"".join(rows))


def flat(word, edges=EDGES):
    more = [(len(edges),), *edges] if edges else []
    return Layout(word).file(FLAT, [(4, 5, 7), (5, 6, 7)], [(1, 2, 5, 4), (2, 3, 6, 5)], [10, 20, 10, 10], [()] * 6,
                             more=more)


def good():
    first = "good-text.ugrid"
    yield (first, Layout("").file(), HOLDS)
    for word in ("lb8", "b8", "lb8l", "b8l", "lb4", "b4", "lr8", "r8", "lr4", "r4", "lb4l", "b4l"):
        yield (f"good-{word}.{word}.ugrid", Layout(word).file(), HOLDS, first)
    yield ("good-named-otherwise.bin", Layout("b8").file(), HOLDS, first)
    yield ("good-more.lb8.ugrid", Layout("lb8").file(more=[(4, 1, 1, 1, 1)]), HOLDS, first)
    yield ("good-integers.ugrid", Layout("").file().replace(b".5", b"0"), HOLDS)
    yield ("good-flat.ugrid", flat(""), FLAT_HOLDS)
    yield ("good-flat.lb8.ugrid", flat("lb8"), FLAT_HOLDS, "good-flat.ugrid")
    yield ("good-flat-no-edges.b8.ugrid", flat("b8", []), FLAT_HOLDS.replace(", #1 2, #2 4", ""))


def bad():
    text = Layout("").file().decode()

    def swap(name, before, after, says):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says)

    yield swap("bad-node.ugrid", "6 7 11 12\n", "6 7 11 13\n", ":22: node 13 is not in [1, 12]")
    yield swap("bad-zero.ugrid", "6 7 11 12\n", "6 7 11 0\n", ":22: node 0 is not in [1, 12]")
    yield swap("bad-word.ugrid", "6 7 11 12\n", "6 7 x 12\n", ":22: expected a node of a cell, found 'x'")
    yield swap("bad-coordinate.ugrid", "2 0.5 0.5\n", "2 0.5 y\n", ":12: expected a coordinate, found 'y'")
    yield swap("bad-infinite.ugrid", "2 0.5 0.5\n", "2 0.5 inf\n", ":12: a coordinate of node 11 is not finite")
    yield swap("bad-surface.ugrid", "\n7\n", "\n7.5\n", ":20: expected the number of a surface, found '7.5'")
    yield swap("bad-huge.ugrid", "12 2 2 1", "12 2 2 1000000000", ":1: the header gives more nodes and cells")
    yield ("bad-truncated.ugrid", text[:-9], ":25: expected a node of a cell, found the end of the file")
    yield ("bad-truncated.b8.ugrid", Layout("b8").file()[:-4],
           ": byte 476: the file ends too early: its header promises 480 bytes (as 'b8')")
    yield ("bad-truncated.lr8.ugrid", Layout("lr8").file()[:-8], " (as 'lr8')")
    yield ("bad-huge.b8.ugrid", Layout("b8").file(counts=[12, 2, 2, 2**30, 2**30, 0, 1]), "the file ends too early")
    yield ("bad-node.lb8.ugrid", Layout("lb8").file(tris=[(5, 9, 8), (6, 7, 13)]), ": byte 336: node 13 is not in [1, 12]")
    many = [(6, 7, 11, 12)] * 99 + [(6, 7, 11, 0)]
    yield ("bad-node-later.lb8.ugrid", Layout("lb8").file(solids=[(), (), many, [], [], []]),
           ": byte 1984: node 0 is not in [1, 12]")
    yield ("bad-nan.lb8l.ugrid", Layout("lb8l").file([(float("nan"), 0, 0), *XYZ[1:]]),
           ": byte 56: a coordinate of node 1 is not finite")
    yield ("bad-edge.lb8.ugrid", flat("lb8", [(1, 8, 1)]), ": node 8 is not in [1, 7]")


def fixtures(_):
    yield from in_folder("aflr3", [*good(), *bad()])
