# SPDX-License-Identifier: Apache-2.0
"""Fluent's meshes, text and binary sections: what the appendix "Mesh file format" of its user guide says of them."""
import struct

import fixtures_aflr3
from fixture import in_folder

WHOLE = "what is missing stands nowhere"
MESH = "found when the mesh is whole: the cell is named"
XYZ = fixtures_aflr3.XYZ
# cells by their faces, normals outward
HEX = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
PRISM = [(0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)]
PYRAMID = [(0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
TET = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
CELLS = [((0, 1, 2, 3, 4, 5, 6, 7), HEX), ((4, 7, 8, 5, 6, 9), PRISM), ((1, 2, 6, 5, 10), PYRAMID), ((6, 5, 10, 11), TET)]
FLAT_XYZ = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (1, 2)]
FLAT_CELLS = [(0, 1, 4, 3), (1, 2, 5, 4), (3, 4, 6), (4, 5, 6)]
HOLDS = ("nodes 12, cells 4, faces 3, boundary_faces 14: 1 tet4, 1 pyramid5, 1 prism6, 1 hex8; "
         "fluid-a 2, solid-b 2, floor 1, wall 13")
FLAT_HOLDS = "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4; fluid-a 4, floor 2, wall 4"


def faces_of(cells):
    """(nodes, cell that it enters, cell that it leaves) of each face, numbers from 1; 0: none."""
    found = {}
    for c, faces in enumerate(cells):
        for face in faces:
            key = tuple(sorted(face))
            if key in found:
                found[key][2] = c + 1
            else:  # the normal is to enter the first cell
                found[key] = [tuple(node + 1 for node in reversed(face)), c + 1, 0]
    return list(found.values())


def solid_faces():
    return faces_of([[tuple(nodes[k] for k in face) for face in faces] for nodes, faces in CELLS])


def flat_faces():
    """In the plane the first cell lies to the right of its edges."""
    return faces_of([[(cell[k], cell[(k + 1) % len(cell)]) for k in range(len(cell))] for cell in FLAT_CELLS])


class Writer:
    """Sections as text, or binary with 4 or 8 bytes for reals."""

    def __init__(self, binary=0):
        self.binary = binary
        self.parts = []

    def text(self, text):
        self.parts.append(text.encode())
        return self

    def section(self, kind, header, reals, rows):
        head = " ".join(f"{value:x}" for value in header)
        if not self.binary:
            body = "".join(" ".join(str(v) if reals else f"{v:x}" for v in row) + "\n" for row in rows)
            return self.text(f"({kind} ({head})(\n{body}))\n")
        index = kind + (2000 if self.binary == 4 else 3000)
        code = ("f" if self.binary == 4 else "d") if reals else "i"
        self.text(f"({index} ({head})\n(")
        self.parts += [struct.pack(f"<{len(row)}{code}", *row) for row in rows]
        return self.text(f")\nEnd of Binary Section   {index})\n")

    def nodes(self, xyz, zone=1, first=1):
        return self.section(10, (zone, first, first + len(xyz) - 1, 1, len(xyz[0])), True, xyz)

    def faces(self, zone, first, kind, shape, faces):
        rows = [((len(nodes),) if shape in (0, 5) else ()) + (*nodes, *sides) for nodes, *sides in faces]
        return self.section(13, (zone, first, first + len(faces) - 1, kind, shape), False, rows)

    def file(self):
        return b"".join(self.parts)


def zones(of, dimension, faces, shape):
    """Zones 3 interior, 4 floor, 5 wall (in two sections)."""
    inner = [face for face in faces if face[2]]
    outer = [face for face in faces if not face[2]]
    floor = [face for face in outer if all(([*XYZ] if dimension == 3 else FLAT_XYZ)[node - 1][-1] == 0 for node in face[0])]
    wall = [face for face in outer if face not in floor]
    at = 1
    for zone, kind, some in ((3, 2, inner), (5, 3, wall[:2]), (4, 4, floor), (5, 3, wall[2:])):
        of.faces(zone, at, kind, shape, some)
        at += len(some)
    return of


def solid(binary=0, shape=0, before="", cells="(12 (8 1 2 1 0)(4 6))\n(12 (9 3 4 11 0))\n", faces=None):
    of = Writer(binary).text(f'(0 "a mesh (of all kinds")\n{before}(2 3)\n(10 (0 1 c 0))\n(12 (0 1 4 0))\n(13 (0 1 11 0))\n')
    of.nodes(XYZ[:5]).nodes(XYZ[5:], 2, 6).text(cells)
    zones(of, 3, faces or solid_faces(), shape)
    of.text("(39 (4 pressure-inlet floor 1)((a . 1)(b \"x)\")))\n(45 (5 wall wall)())\n(45 (8 fluid fluid-a)())\n"
            "(45 (9 solid solid-b)())\n(45 (3 interior inside)())\n(37 (\n(x 1)))\n")
    return of.file()


def flat(binary=0, shape=2):
    of = Writer(binary).text("(0 plane)\n(2 2)\n").nodes(FLAT_XYZ).text("(12 (8 1 4 1 0))\n")
    zones(of, 2, flat_faces(), shape)
    return of.text("(45 (4 wall floor)())(45 (5 wall wall)())(45 (8 fluid fluid-a)())\n").file()


def good():
    first = "good-text.msh"
    yield (first, solid(), HOLDS)
    for bytes_ in (4, 8):
        yield (f"good-binary-{bytes_}.cas", solid(bytes_, before='(4 (a "("))\n'), HOLDS, first)
        yield (f"good-polygons-{bytes_}.cas", solid(bytes_, 5), HOLDS, first)
        yield (f"good-flat-binary-{bytes_}.msh", flat(bytes_), FLAT_HOLDS, "good-flat.msh")
    # the second cell of an inner face has the lower number
    yield ("good-turned.msh", solid(faces=[[face[0][::-1], face[2], face[1]] if face[2] else face for face in solid_faces()]), HOLDS)
    yield ("good-crlf.msh", solid().replace(b"\n", b"\r\n"), HOLDS, first)
    yield ("good-upper-case.msh", solid().replace(b"(10 (0 1 c 0))", b"(10(0 1 C 0))"), HOLDS, first)
    yield ("good-unknown-binary.cas", solid(8, before="(3041 (1 2)(\1\2)(((\n)End of Binary Section 3041)\n"), HOLDS, first)
    yield ("good-no-names.msh", solid().replace(b"(45 (", b"(46 (").replace(b"(39 (", b"(38 ("),
           HOLDS.replace("fluid-a 2, solid-b 2, floor 1, wall 13", "#8 2, #9 2, #4 1, #5 13"))
    yield ("good-flat.msh", flat(), FLAT_HOLDS)
    surface = [[face[0], 0, 0] for face in solid_faces() if not face[2]]
    of = Writer().text("(2 3)\n").nodes(XYZ).faces(7, 1, 3, 0, surface).text("(45 (7 wall skin)())\n")
    yield ("good-surface.msh", of.file(), "nodes 12, cells 14, faces 24, boundary_faces 0: 8 tri3, 6 quad4; skin 14")
    cut = [face for face in solid_faces() if face[0] != (5, 6, 2, 1)] + [[(5, 6, 2), 1, 0], [(5, 2, 1), 1, 0]]
    yield ("good-polyhedron.msh", solid(0, 5, faces=cut).replace(b"(13 (0 1 11 0))", b"(13 (0 1 12 0))"),
           "nodes 12, cells 4, faces 3, boundary_faces 15, cells_nodes ragged, faces_cells 2, faces_nodes ragged, "
           "boundary_faces_cells 1, boundary_faces_nodes ragged")
    bare = solid(0, 0).replace(b"(45 (5 wall", b"(13 (a 12 13 3f0 0)(\n0 1 0\n0 2 0\n))\n(45 (5 wall")
    yield ("good-bare.msh", bare, HOLDS, first)
    fan = solid().replace(b"(13 (3 1 3 2 0)", b"(13 (3 1 3 e 0)")
    yield ("good-zone-inside.msh", fan, HOLDS.replace("floor 1, wall 13", "inside 3, floor 1, wall 13"))


def bad():
    text = solid().decode()

    def swap(name, before, after, says, placeless=None):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says, placeless)

    yield swap("bad-bracket.msh", "(12 (0 1 4 0))\n", "12 (0 1 4 0))\n", ":4: expected '(' and the number of a section")
    yield swap("bad-index.msh", "(12 (0 1 4 0))\n", "(x (0 1 4 0))\n", ":4: expected the number of a section")
    yield swap("bad-header.msh", "(12 (0 1 4 0))\n", "(12 0 1 4 0)\n", ":4: expected '(' and the numbers of a zone")
    yield swap("bad-zone.msh", "(12 (8 1 2 1 0)", "(12 (8 g 2 1 0)", "expected a number of a zone in hexadecimal")
    yield swap("bad-range.msh", "(12 (8 1 2 1 0)", "(12 (8 4 2 1 0)", "zone 8 must not have the first number 4 and the last number 2")
    yield swap("bad-few-numbers.msh", "(12 (8 1 2 1 0)", "(12 (8 1)", "expected three to five numbers of a zone")
    yield swap("bad-dimension.msh", "(2 3)", "(2 4)", ":2: the dimension must be 2 or 3, not 4")
    yield swap("bad-no-dimension.msh", "(2 3)", "", "there is no section (2 DIMENSION)", WHOLE)
    yield swap("bad-gap.msh", "(10 (2 6 c 1 3)", "(10 (2 7 d 1 3)", "the sections have 12 nodes, but these are numbered up to 13", WHOLE)
    yield swap("bad-huge.msh", "(10 (2 6 c 1 3)", "(10 (2 6 7ffffff0 1 3)", ": the file cannot hold the 2147483627 rows of zone 2")
    yield swap("bad-coordinate.msh", "1.5 0.5 2", "1.5 x 2", ":20: expected a coordinate")
    yield swap("bad-infinite.msh", "1.5 0.5 2", "1.5 1e999 2", ":20: a coordinate is not finite")
    yield swap("bad-node.msh", "3 b 6 7 3 4\n", "3 d 6 7 3 4\n", ":27: node 13 is not in [1, 12]")
    twice = Writer().text("(2 3)\n").nodes(XYZ[:5]).nodes(XYZ[5:9], 2).nodes(XYZ[9:], 3, 10)
    yield ("bad-nodes-twice.msh", zones(twice, 3, solid_faces(), 0).file(), "node 6 is in no section, others are in two", WHOLE)
    yield swap("bad-cells-twice.msh", "(12 (9 3 4 11 0))", "(12 (9 1 4 11 0))", "the sections have 6 cells, but these are numbered up to 4", WHOLE)
    yield swap("bad-cell.msh", "(12 (9 3 4 11 0))", "(12 (9 3 5 11 0))", "zone 9 has a cell 5 that does not belong to any face", WHOLE)
    yield swap("bad-more-cells.msh", "4 8 7 6 5 1 2\n", "4 8 7 6 5 1 22\n", "there is a cell 34, but there are only 17 faces", WHOLE)
    yield swap("bad-both-sides.msh", "4 8 7 6 5 1 2\n", "4 8 7 6 5 1 1\n", ":25: a face has cell 1 on both sides")
    yield swap("bad-no-cell.msh", "4 2 3 4 1 1 0\n", "4 2 3 4 1 0 0\n", "face 6 has no cell", MESH)
    yield swap("bad-few-faces.msh", "3 b 6 7 3 4\n", "3 b 6 7 3 0\n", "cell 3 has 3 faces", MESH)
    yield ("bad-truncated.msh", text[:text.index("(12 (8")-20], ": the file ends within a section")
    whole = solid(8)
    yield ("bad-truncated.cas", whole[:600], ": the file ends within a binary section")
    yield ("bad-no-faces.msh", Writer().text("(2 3)\n").nodes(XYZ).file(), "the file has no faces", WHOLE)
    yield ("bad-no-nodes.msh", "(2 3)\n(10 (0 1 c 0))\n", "the file has no nodes", WHOLE)
    flat_text = flat().decode()
    yield ("bad-open.msh", flat_text.replace("\n1 4 1 0\n", "\n1 5 1 0\n"), "the faces of cell 1 do not close", MESH)
    yield ("bad-flat-face.msh", flat_text.replace("(13 (4 7 8 4 2)(\n2 1 1 0\n", "(13 (4 7 8 4 0)(\n3 1 2 5 1 0\n2 "),
           ": a face of zone 4 has 3 nodes")


def unsupported():
    text = solid().decode()
    yield ("unsupported-hanging.msh", text.replace("(13 (3 1 3 2 0)", "(13 (3 1 3 1f 0)"), ": zone 3 has parents of other faces")
    yield ("unsupported-inactive.msh", text.replace("(12 (9 3 4 11 0)", "(12 (9 3 4 20 0)"), ": zone 9 has parents of other cells")


def fixtures(_):
    yield from in_folder("fluent", [*good(), *bad(), *unsupported()])
