# SPDX-License-Identifier: Apache-2.0
"""medit's meshes, text and binary: what of the libMeshb documentation its readers know."""
import struct

import fixtures_gmsh
from fixture import in_folder

WHOLE = "what is missing stands nowhere"
FLAT = """MeshVersionFormatted 2

Dimension 2

# seven points
Vertices
7
0 0 0
1 0 0
2 0 0
0 1 0
1 1 0
2 1 5
1 2 5

Edges
6
1 2 1
2 3 1
1 4 2
3 6 2
4 7 2
6 7 2

Quadrilaterals
2
1 2 5 4 10
2 3 6 5 10

Triangles
2
4 5 7 10
5 6 7 20

Corners
2
1
3

End
"""
FLAT_HOLDS = ("nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4; #10 3, #20 1, #5 2, #1 2, #2 4")
XYZ = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (1, 2)]
REFS = [0, 0, 0, 0, 0, 5, 5]
EDGES = [1, 2, 1, 2, 3, 1, 1, 4, 2, 3, 6, 2, 4, 7, 2, 6, 7, 2]
QUADS = [1, 2, 5, 4, 10, 2, 3, 6, 5, 10]
TRIANGLES = [4, 5, 7, 10, 5, 6, 7, 20]

SOLID = """MeshVersionFormatted
1
Dimension
3
Identifier "a mesh of all kinds"
Hexahedra 1
1 2 3 4 5 6 7 8 1
Prisms 1
5 9 8 6 10 7 1
Pyramids 1
2 3 7 6 11 0
Tetrahedra 1
6 7 11 12 0
Quadrilaterals 1 # the floor
1 4 3 2 7
RequiredVertices 2 1 2
Normals 1 0.5 0.5 1e0
NormalAtVertices
1
1 1
Vertices
12
0 0 0 0
1 0 0 0
1 1 0 0
0 1 0 0
0 0 1 0
1 0 1 0
1 1 1 0
0 1 1 0
0 0 2 0
1 0 2 0
2 .5 .5 0
1.5 .5 2 0
End
what follows is no part of it
"""
SOLID_HOLDS = fixtures_gmsh.SOLIDS + "; #1 2, #7 1"


class Binary:
    """A binary file of a version: sections by code."""

    def __init__(self, version, order="<", positions=True):
        self.order, self.positions = order, positions
        self.whole = "q" if version == 4 else "i"
        self.real = "f" if version == 1 else "d"
        self.position = "q" if version >= 3 else "i"
        self.data = self.pack("ii", 1, version)

    def pack(self, codes, *values):
        return struct.pack(self.order + codes, *values)

    def section(self, code, body, where=None):
        end = len(self.data) + 4 + struct.calcsize("=" + self.position) + len(body)
        where = where if where is not None else end if self.positions else 0
        self.data += self.pack("i" + self.position, code, where) + body
        return self

    def rows(self, code, n, width, values):
        return self.section(code, self.pack(self.whole, n) + self.pack(f"{width}{self.whole}", *values))

    def vertices(self, xyz=XYZ, refs=REFS):
        body = b"".join(self.pack(f"{len(p)}{self.real}{self.whole}", *p, ref) for p, ref in zip(xyz, refs))
        return self.section(4, self.pack(self.whole, len(refs)) + body)

    def flat(self):
        self.section(3, self.pack("i", 2)).vertices()
        self.rows(5, 6, 18, EDGES).rows(13, 2, 2, [1, 3]).rows(7, 2, 10, QUADS)
        return self.rows(6, 2, 8, TRIANGLES)

    def end(self):
        return self.section(54, b"", 0).data


def good():
    first = "good-flat.mesh"
    yield (first, FLAT, FLAT_HOLDS)
    yield ("good-one-line.mesh", FLAT.replace("# seven points\n", "").replace("\n", " ").replace(" End ", "\n"),
           FLAT_HOLDS, first)
    yield ("good-crlf.mesh", FLAT.replace("\n", "\r\n").replace("End", "# end"), FLAT_HOLDS, first)
    yield ("good-space.mesh", FLAT.replace("Dimension 2", "Dimension 3").replace(" 0\n", " 0 0\n")
           .replace("2 1 5\n", "2 1 0 5\n").replace("1 2 5\n", "1 2 0 5\n").replace("2 3 6 5 10", "2 3 6 5 10"),
           FLAT_HOLDS, first)
    yield ("good-solid.mesh", SOLID, SOLID_HOLDS)
    yield ("good-old-words.mesh", SOLID.replace("Hexahedra", "Hexaedra").replace("Prisms", "Pentahedra"), SOLID_HOLDS,
           "good-solid.mesh")
    for version in (1, 2, 3, 4):
        for word, order in (("", "<"), ("-big-endian", ">")):
            yield (f"good-{version}{word}.meshb", Binary(version, order).flat().end(), FLAT_HOLDS, first)
    yield ("good-no-positions.meshb", Binary(2, positions=False).section(3, struct.pack("<i", 2)).vertices()
           .rows(5, 6, 18, EDGES).rows(7, 2, 10, QUADS).rows(6, 2, 8, TRIANGLES).end(), FLAT_HOLDS, first)
    yield ("good-no-end.meshb", Binary(3).flat().data, FLAT_HOLDS, first)
    yield ("good-one-number.mesh", FLAT.replace("2 1 5\n", "2 1 0\n").replace("1 2 5\n", "1 2 0\n")
           .replace(" 0\n", " 1\n"), FLAT_HOLDS.replace(", #5 2", ""))


def bad():
    def swap(name, before, after, says, placeless=None):
        assert FLAT.count(before) == 1, (name, before)
        return (name, FLAT.replace(before, after), says, placeless)

    yield swap("bad-number.mesh", "4 5 7 10", "4 5 x 10", ":32: expected a vertex of an element, found 'x'")
    yield swap("bad-coordinate.mesh", "2 1 5\n", "2 y 5\n", ":13: expected a coordinate, found 'y'")
    yield swap("bad-infinite.mesh", "2 1 5\n", "2 inf 5\n", ":13: a coordinate of vertex 6 is not finite")
    yield swap("bad-reference.mesh", "2 1 5\n", "2 1 0.5\n", ":13: expected a reference, found '0.5'")
    yield swap("bad-vertex.mesh", "4 5 7 10", "4 5 8 10", ":32: vertex 8 is not in [1, 7]")
    yield swap("bad-zero.mesh", "4 5 7 10", "4 5 0 10", ":32: vertex 0 is not in [1, 7]")
    yield ("bad-vertex-later.mesh", SOLID.replace("6 7 11 12 0", "6 7 11 13 0"), ":13: vertex 13 is not in [1, 12]")
    yield swap("bad-rows.mesh", "Triangles\n2", "Triangles\n3", ":35: expected a vertex of an element, found 'Corners'")
    yield swap("bad-huge.mesh", "Triangles\n2", "Triangles\n2000000000",
               ":31: 2000000000 Triangles are more than the file can hold")
    yield swap("bad-negative.mesh", "Triangles\n2", "Triangles\n-2", ":31: the number of rows of a section must be 0 or more, not -2")
    yield swap("bad-word.mesh", "Corners\n2\n1\n3\n", "Triangles\n1\n4 5 7 10 1\n", ":37: expected a keyword, found '1'")
    yield swap("bad-dimension.mesh", "Dimension 2", "Dimension 4", ":3: the dimension must be 2 or 3, not 4")
    yield swap("bad-no-dimension.mesh", "Dimension 2", "", ":6: Vertices come before Dimension")
    yield swap("bad-second.mesh", "Corners\n2\n1\n3\n", "Vertices 0", ":35: a second section Vertices")
    yield ("bad-no-vertices.mesh", "MeshVersionFormatted 2\nDimension 3\nEnd\n", "there is no section Vertices", WHOLE)
    yield ("bad-no-cells.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices 1\n0 0 0 0\nEnd\n",
           "the file has no cells", WHOLE)
    yield ("bad-truncated.mesh", FLAT[:FLAT.index("5 6 7 20")], ":33: expected a vertex of an element, found the end")
    yield ("bad-collapsed.mesh", FLAT.replace("4 5 7 10", "4 4 4 10"), "cell 2 (tri3) is collapsed",
           "found when the mesh is whole: the cell is named")
    whole = Binary(2).flat().end()
    yield ("bad-truncated.meshb", whole[:-20], ": the file cannot hold the rows of a section: 2")
    yield ("bad-cut.meshb", whole[:-8] + whole[-8:-6], ": the file ends within a section")
    yield ("bad-vertex.meshb", whole.replace(struct.pack("<4i", 4, 5, 7, 10), struct.pack("<4i", 4, 5, 8, 10)),
           ": byte 348: there is no vertex 8")
    yield ("bad-vertex-later.meshb", Binary(3).section(3, struct.pack("<i", 2)).rows(6, 1, 4, [1, 2, 9, 0]).vertices().end(),
           ": byte 48: there is no vertex 9")
    yield ("bad-nan.meshb", Binary(4).section(3, struct.pack("<i", 2)).vertices([(0, float("nan"))], [0]).end(),
           ": byte 52: a coordinate is not finite, of vertex 1")
    yield ("bad-dimension.meshb", Binary(2).section(3, struct.pack("<i", 5)).end(), ": byte 16: the dimension must be 2 or 3")
    yield ("bad-no-dimension.meshb", Binary(2).section(3, struct.pack("<i", 2)).data[:8] + Binary(2).vertices().end()[8:],
           "the content is not of a known format", "without its dimension it is no such file")
    yield ("bad-position.meshb", Binary(2).section(3, struct.pack("<i", 2)).section(13, b"", 3).end(),
           ": byte 24: the next section cannot begin at byte 3")
    yield ("bad-second.meshb", Binary(2).flat().vertices().end(), ": a second section of vertices")
    yield ("bad-no-vertices.meshb", Binary(2).section(3, struct.pack("<i", 2)).end(), ": the file ends without vertices")
    yield ("bad-huge.meshb", Binary(4).section(3, struct.pack("<i", 2)).rows(6, 2**60, 0, []).end(),
           ": byte 36: the file cannot hold the rows of a section: 1152921504606846976")


def unsupported():
    yield ("unsupported-version.mesh", FLAT.replace("Formatted 2", "Formatted 9"), ":1: version 9 of the format")
    yield ("unsupported-order.mesh", FLAT.replace("Triangles", "TrianglesP3"), ":30: the section TrianglesP3 is not")
    yield ("unsupported-polygons.mesh", FLAT.replace("Triangles", "Polygons"), ":30: the section Polygons is not")
    yield ("unsupported-order.meshb", Binary(2).flat().rows(33, 0, 0, []).end(), ": the section HexahedraQ2 is not")


def fixtures(_):
    yield from in_folder("medit", [*good(), *bad(), *unsupported()])
