# SPDX-License-Identifier: Apache-2.0
"""Surfaces: STL, PLY and OBJ files of a tetrahedron's skin and of a plate with two quads."""
import struct

from fixture import in_folder

XYZ = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]
HOLDS = "nodes 4, cells 4, faces 6, boundary_faces 0: 4 tri3"
NOWHERE = "what is missing stands nowhere"
MESH = "found when the mesh is whole: the cell is named"


def swapper(text):
    def swap(name, before, after, says, placeless=None):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says, placeless)
    return swap


# --- STL ------------------------------------------------------------------------------------------

def stl_text(faces=FACES, name="tetrahedron"):
    rows = [f"solid {name}\n"]
    for face in faces:
        rows.append("  facet normal 0 0 0\n    outer loop\n")
        rows += ["      vertex {} {} {}\n".format(*XYZ[node]) for node in face]
        rows.append("    endloop\n  endfacet\n")
    return "".join(rows) + f"endsolid {name}\n"


def stl_binary(faces=FACES, xyz=None, n=None, title=b"solid, but binary"):
    body = b"".join(struct.pack("<12fH", 0, 0, 1, *(x for node in face for x in (xyz or XYZ)[node]), 7)
                    for face in faces)
    return title.ljust(80, b"\0") + struct.pack("<I", len(faces) if n is None else n) + body


def stl():
    text = stl_text()
    first = "good-text.stl"
    flat = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    yield (first, text, HOLDS)
    yield ("good-binary.stl", stl_binary(), HOLDS, first)
    yield ("good-capitals.stl", text.upper().replace("\n", "\r\n"), HOLDS, first)
    yield ("good-one-line.stl", "solid\n" + text.split("\n", 1)[1].replace("\n", " ") + "\n", HOLDS, first)
    yield ("good-end-solid.stl", text.replace("endsolid tetrahedron", "end solid tetrahedron"), HOLDS, first)
    yield ("good-mark.stl", b"\xef\xbb\xbf" + text.encode("ascii"), HOLDS, first)
    yield ("good-zeros.stl", text.replace(" 0 0 1\n", " -0.0 -0 1e0\n"), HOLDS, first)
    yield ("good-binary-zeros.stl", stl_binary(FACES, [(0, 0, 0), (1, -0.0, 0), (0, 1, 0), (0, 0, 1)]), HOLDS, first)
    yield ("good-two-solids.stl", stl_text(FACES[:1], "floor") + stl_text(FACES[1:], "the walls"),
           HOLDS + "; floor 1, the walls 3")
    yield ("good-dropped.stl", stl_binary(FACES[:2] + [(0, 0, 1)] + FACES[2:]), HOLDS, first)
    yield ("good-flat.stl", stl_binary([(0, 1, 2), (0, 2, 3)], flat),
           "nodes 4, cells 2, faces 1, boundary_faces 4: 2 tri3")
    swap = swapper(stl_text(FACES[1:3]))
    yield swap("bad-word.stl", "0 0\n      vertex 0 1 0", "0 0\n      vertices 0 1 0", ":12: expected 'vertex', found 'vertices'")
    yield swap("bad-number.stl", "vertex 0 1 0", "vertex 0 x 0", ":12: expected a coordinate, found 'x'")
    yield swap("bad-infinite.stl", "vertex 0 1 0", "vertex 0 1 nan", ":12: a coordinate is not finite")
    yield swap("bad-polygon.stl", "vertex 0 1 0\n", "vertex 0 1 0\n" * 2, ":14: expected 'endloop', found 'vertex'")
    yield swap("bad-end.stl", "endsolid tetrahedron\n", "", ":16: the file ends before 'endsolid'")
    yield swap("bad-behind.stl", "endsolid tetrahedron\n", "endsolid\nfacet\n", ":17: expected 'solid', found 'facet'")
    yield ("bad-truncated.stl", text[:text.rindex("endloop")], ":28: the file ends before 'endloop'")
    yield ("bad-empty.stl", "solid\nendsolid\n", "the file has no cells", NOWHERE)
    yield ("bad-no-triangles.stl", stl_binary([]), "the file has no cells", NOWHERE)
    yield ("bad-nan.stl", stl_binary(FACES, XYZ[:3] + [(0, float("inf"), 1)]),
           ": byte 174: a coordinate of triangle 1 is not finite")
    yield ("bad-short.stl", stl_binary()[:-1], ": byte 80: 4 triangles need 284 bytes, but the file has 283")
    yield ("bad-shorter.stl", stl_binary()[:60], ": byte 60: the file ends before the number of its triangles")


# --- PLY ------------------------------------------------------------------------------------------

HEAD = """ply
format {} 1.0
comment the skin of a tetrahedron
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
"""
PLY = HEAD.format("ascii") + """0 0 0
1 0 0
0 1 0
0 0 1
3 0 2 1
3 0 1 3
3 1 2 3
3 2 0 3
"""
MANY = """ply
format {} 1.0
obj_info properties in another order
element material 1
property uchar red
property list int double curve
element face 4
property list char float weights
property list ushort uint vertex_index
property float quality
element vertex 4
property uchar red
property double z
property int x
property list uchar short more
property short y
end_header
"""


def ply_binary(order):
    word = "big" if order == ">" else "little"
    data = HEAD.format(f"binary_{word}_endian").encode("ascii")
    data += b"".join(struct.pack(order + "3f", *p) for p in XYZ)
    return data + b"".join(struct.pack(order + "B3i", 3, *f) for f in FACES)


def ply_many(order):
    word = "big" if order == ">" else "little"
    data = MANY.format(f"binary_{word}_endian").encode("ascii") + struct.pack(order + "Bi2d", 9, 2, 1, 2)
    data += b"".join(struct.pack(order + "b1fH3If", 1, 0.5, 3, *f, 0.5) for f in FACES)
    return data + b"".join(struct.pack(order + "BdiB2hh", 9, z, x, 2, 7, 8, y) for x, y, z in XYZ)


def ply():
    first = "good-text.ply"
    yield (first, PLY, HOLDS)
    yield ("good-little.ply", ply_binary("<"), HOLDS, first)
    yield ("good-big.ply", ply_binary(">"), HOLDS, first)
    yield ("good-many-little.ply", ply_many("<"), HOLDS, first)
    yield ("good-many-big.ply", ply_many(">"), HOLDS, first)
    yield ("good-many-text.ply", MANY.format("ascii") + "9 2 1.5 2\n" + "".join(
        "1 .5 3 {} {} {} .5\n".format(*f) for f in FACES) + "".join(
        f"9 {z} {x} 2 7 8 {y}\n" for x, y, z in XYZ), HOLDS, first)
    yield ("good-crlf.ply", PLY.replace("\n", "\r\n"), HOLDS, first)
    yield ("good-types.ply", PLY.replace("float ", "float64 ").replace("uchar int", "uint8 uint16"), HOLDS, first)
    yield ("good-quads.ply", PLY.replace("face 4", "face 2").replace("vertex 4", "vertex 6").split("3 0 2 1")[0] +
           "1 1 0\n1 2 0\n4 0 1 4 2\n3 2 4 5\n", "nodes 6, cells 2, faces 1, boundary_faces 5: 1 tri3, 1 quad4")
    yield ("good-polygon.ply", PLY.replace("face 4", "face 2").replace("vertex 4", "vertex 5").split("3 0 2 1")[0] +
           "1 1 0\n3 0 1 3\n5 0 1 4 2 3\n", "cells 2, nodes 5, cells_nodes ragged")
    swap = swapper(PLY)
    yield swap("bad-number.ply", "3 1 2 3", "3 1 x 3", ":17: expected a vertex of a face, found 'x'")
    yield swap("bad-coordinate.ply", "0 1 0\n", "0 y 0\n", ":13: expected a number of an element, found 'y'")
    yield swap("bad-infinite.ply", "0 1 0\n", "0 inf 0\n", ":13: a coordinate of vertex 2 is not finite")
    yield swap("bad-vertex.ply", "3 1 2 3", "3 1 2 4", ":17: vertex 4 of a face is not in [0, 4)")
    yield swap("bad-negative.ply", "3 1 2 3", "3 1 2 -1", ":17: vertex -1 of a face is not in [0, 4)")
    yield swap("bad-edge.ply", "3 1 2 3", "2 1 2", ":17: a face cannot have 2 corners")
    yield swap("bad-length.ply", "3 1 2 3", "-3 1 2 3", ":17: the length of a list is -3")
    yield swap("bad-long.ply", "3 1 2 3", "3000 1 2 3", ":17: the file ends before the 3000 corners of a face")
    yield swap("bad-fewer.ply", "face 4", "face 5", ":19: expected the length of a list, found the end of the file")
    yield swap("bad-huge.ply", "vertex 4", "vertex 2000000000",
               ":11: the file ends before the 2000000000 elements 'vertex'")
    yield swap("bad-count.ply", "vertex 4", "vertex -4", ":4: there are -4 elements 'vertex'")
    yield swap("bad-no-count.ply", "vertex 4", "vertex", ":4: the element 'vertex' has no number")
    yield swap("bad-type.ply", "float y", "real y", ":6: 'real' is not a number type")
    yield swap("bad-list.ply", "list uchar", "list float", ":9: the length of a list must be a whole number, not float")
    yield swap("bad-line.ply", "comment", "remark", ":3: 'remark' is not a keyword of a PLY header")
    yield swap("bad-format.ply", "ascii", "text", ":2: 'text' is not a format of a PLY file")
    yield swap("bad-no-format.ply", "format ascii 1.0\n", "", ":9: the header has no line 'format'")
    yield swap("bad-no-end.ply", PLY[PLY.index("end_header"):], "", ":10: the file ends within its header")
    yield swap("bad-no-axes.ply", "property float x\nproperty float y\n", "",
               ":4: the element 'vertex' must have x and y")
    yield swap("bad-no-faces.ply", "vertex_indices", "corners", ":10: the header has no element 'face' with")
    yield swap("bad-second.ply", "float y", "float x", ":6: a second property 'x'")
    yield swap("bad-second-element.ply", "element face", "element vertex", ":8: a second element 'vertex'")
    yield swap("bad-first.ply", "element vertex 4\n", "", ":4: a property comes before the first element")
    yield swap("bad-no-vertices.ply", "element vertex", "element corner", ":10: the header has no element 'vertex'")
    yield swap("bad-collapsed.ply", "3 1 2 3", "3 1 1 1", "cell 2 (tri3) is collapsed", MESH)
    whole = ply_binary("<")
    at = len(HEAD.format("binary_little_endian"))
    yield ("bad-truncated-binary.ply", whole[:-1], ": the file ends before its last element")
    yield ("bad-vertex-binary.ply", whole[:-4] + struct.pack("<i", 9), ": vertex 9 of a face is not in [0, 4)")
    yield ("bad-huge-binary.ply", whole.replace(b"face 4", b"face 2000000000"), ": the file ends before the 2000000000")
    yield ("bad-nan-binary.ply", whole[:at] + struct.pack("<f", float("nan")) + whole[at + 4:],
           f": byte {at + 12}: a coordinate of vertex 0 is not finite")
    yield swap("unsupported-version.ply", "ascii 1.0", "ascii 2.0", ":2: version 2.0 of PLY is not supported; only 1.0 is")
    yield swap("unsupported-strips.ply", "element face 4\nproperty list uchar int vertex_indices",
               "element tristrips 4\nproperty list int int vertex_indices", ":8: strips of triangles are not supported")
    yield ("unsupported-large.ply", PLY.replace("vertex 4", "vertex 3000000000"), ":4: 3000000000 elements 'vertex' exceed")


# --- OBJ ------------------------------------------------------------------------------------------

OBJ = """# the skin of a tetrahedron
mtllib a.mtl
v 0 0 0
v 1 0 0 1.0
v 0 1 0 0.5 0.5 0.5
v 0 0 1
vt 0 0
vn 0 0 1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
"""


def obj():
    first = "good-plain.obj"
    yield (first, OBJ, HOLDS)
    yield ("good-slashes.obj", OBJ.replace("f 1 3 2", "f 1/1 3/1 2/1").replace("f 1 2 4", "f 1//1 2//1 4//-1")
           .replace("f 2 3 4", "f 2/1/1 3/1/1 4/-1/-1 # slanted"), HOLDS, first)
    yield ("good-backwards.obj", OBJ.replace("f 2 3 4", "f -3 -2 -1").replace("f 3 1 4", "f -2 1 -1"), HOLDS, first)
    yield ("good-backslash.obj", OBJ.replace("tetrahedron\n", "tetrahedron, C:\\dir\\\n").replace(
        "f 2 3 4", "f 2 3 4 # \\"), HOLDS, first)
    yield ("good-long-line.obj", OBJ.replace("f 2 3 4", "f 2 \\\n 3 \\ \r\n4").replace("vt 0 0", "vt 0 \\\n0"),
           HOLDS, first)
    yield ("good-faces-first.obj", "v 0 0 0\n" + OBJ[OBJ.index("f 1"):] + OBJ[OBJ.index("v 1"):OBJ.index("f 1")],
           HOLDS, first)
    yield ("good-groups.obj", OBJ.replace("f 1 3 2", "o skin\ng floor all\ns 1\nusemtl m\nf 1 3 2")
           .replace("f 2 3 4", "g wall all\nf 2 3 4").replace("f 3 1 4", "g\nf 3 1 4"),
           HOLDS + "; all 3, floor 2, skin 4, wall 1")
    yield ("good-lines.obj", OBJ + "l 1 2\np 1\n", HOLDS, first)
    yield ("good-quads.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nf 1 2 3 4\nf 2 5 3\n",
           "nodes 5, cells 2, faces 1, boundary_faces 5: 1 tri3, 1 quad4")
    yield ("good-polygon.obj", OBJ + "v 0 1 1\ng odd\nf 1 2 3 5 4\n", "cells 5, nodes 5, cells_nodes ragged")
    swap = swapper(OBJ)
    yield swap("bad-number.obj", "f 2 3 4", "f 2 x 4", ":11: expected a corner of a face, found 'x'")
    yield swap("bad-form.obj", "f 2 3 4", "f 2 3/a 4", ":11: expected a corner of a face, found '3/a'")
    yield swap("bad-coordinate.obj", "v 0 1 0 0.5", "v 0 one 0 0.5", ":5: expected a coordinate, found 'one'")
    yield swap("bad-infinite.obj", "v 0 1 0 0.5", "v 0 inf 0 0.5", ":5: a coordinate is not finite")
    yield swap("bad-flat.obj", "v 0 0 1\n", "v 0 0\n", ":6: a vertex has 2 coordinates, not 3")
    yield swap("bad-vertex.obj", "f 2 3 4", "f 2 3 5", ":11: vertex 5 of a face does not exist; there are 4")
    yield swap("bad-zero.obj", "f 2 3 4", "f 2 3 0", ":11: vertex 0 of a face does not exist; there are 4 so far")
    yield swap("bad-backwards.obj", "f 2 3 4", "f 2 3 -5", ":11: vertex -5 of a face does not exist")
    yield swap("bad-edge.obj", "f 2 3 4", "f 2 3", ":11: a face cannot have 2 corners")
    yield swap("bad-word.obj", "vn 0 0 1", "normal 0 0 1", ":8: 'normal' is not a keyword of an OBJ file")
    yield swap("bad-collapsed.obj", "f 2 3 4", "f 2 2 2", "cell 2 (tri3) is collapsed", MESH)
    yield ("bad-no-faces.obj", OBJ[:OBJ.index("f 1")], "the file has no cells", NOWHERE)
    yield swap("unsupported-curves.obj", "vn 0 0 1", "cstype bezier", ":8: curves and surfaces (cstype) are not")


def fixtures(_):
    yield from in_folder("stl", stl())
    yield from in_folder("ply", ply())
    yield from in_folder("obj", obj())
