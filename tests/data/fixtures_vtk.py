# SPDX-License-Identifier: Apache-2.0
"""VTK legacy files after VTK's "VTK File Formats": text and binary, cells as rows and as arrays (5.1)."""
import struct

import fixtures_gmsh
from fixture import in_folder

WHOLE = "found when all sections are there: the cell is named"
HEAD = "# vtk DataFile Version 3.0\ntwo quads and two triangles\nASCII\nDATASET UNSTRUCTURED_GRID\n"
FLAT = HEAD + """POINTS 7 double
0 0 0 1 0 0
2 0 0 0 1 0
1 1 0 2 1 0 1 2 0
CELLS 4 18
4 0 1 4 3
4 1 2 5 4
3 3 4 6
3 4 5 6
CELL_TYPES 4
9 9 5 5
"""
FLAT_HOLDS = "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4"
POINTS = [0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0, 1, 2, 0]
ROWS = [[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 6], [4, 5, 6]]
TYPES = [9, 9, 5, 5]

SOLID = """# vtk DataFile Version 4.2
hexahedron, pyramid, prism (the other way round), tet
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 12 float
0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 2 0.5 0.5 1.5 0.5 2
CELLS 4 27
8 0 1 2 3 4 5 6 7
6 4 8 7 5 9 6
5 1 2 6 5 10
4 5 6 10 11
CELL_TYPES 4
12
13
14
10
"""

POLYHEDRON = """# vtk DataFile Version 2.0
a pentagonal prism beside a hexahedron
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 14 float
0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 2 0 0 3 .5 0 2 1 0 2 0 1 3 .5 1 2 1 1
CELLS 2 48
8 0 1 2 3 4 5 6 7
38 7 5 1 2 10 9 8 5 5 11 12 13 6 4 1 5 6 2 4 1 8 11 5 4 8 9 12 11 4 9 10 13 12 4 10 2 6 13
CELL_TYPES 2
12
42
"""


def numbers(code, values):
    return struct.pack(">%d%s" % (len(values), code), *values)


def binary(head=b"# vtk DataFile Version 3.0\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\n"):
    rows = [number for row in ROWS for number in [len(row)] + row]
    return (head + b"POINTS 7 float\n" + numbers("f", POINTS) + b"\nCELLS 4 18\n" + numbers("i", rows) +
            b"\nCELL_TYPES 4\n" + numbers("i", TYPES) + b"\nCELL_DATA 4\n")


def arrays(code="q", name=b"vtktypeint64"):
    offsets = [0, 4, 8, 11, 14]
    points = [number for row in ROWS for number in row]
    return (b"# vtk DataFile Version 5.1\nbinary\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 7 double\n" +
            numbers("d", POINTS) + b"\nMETADATA\nINFORMATION 0\n\nCELLS 5 14\nOFFSETS " + name + b"\n" +
            numbers(code, offsets) + b"\nCONNECTIVITY " + name + b"\n" + numbers(code, points) +
            b"\nCELL_TYPES 4\n" + numbers("i", TYPES) + b"\n\n")


LINED = FLAT.replace("CELLS 4 18", "CELLS 6 24").replace("CELL_TYPES 4\n9", "2 0 1\n2 1 2\nCELL_TYPES 6\n9").replace(
    "5 5\n", "5 5 3 3\n")
TAGS = "CELL_DATA 6\nSCALARS CellEntityIds int\nLOOKUP_TABLE default\n1 1 2 -2 7 0\n"
TAGGED = FLAT_HOLDS + "; #-2 1, #1 2, #2 1, #7 1"


def tagged():
    """Data of every kind around the tags, in binary."""
    return (binary().replace(b"CELL_DATA 4\n", b"POINT_DATA 7\n") +
            b"SCALARS s float 2\nLOOKUP_TABLE default\n" + numbers("f", [0] * 14) + b"\nVECTORS v double\n" +
            numbers("d", [0] * 21) + b"\nCELL_DATA 4\nFIELD FieldData 3\nx 2 4 short\n" + numbers("h", [0] * 8) +
            b"\nMETADATA\nINFORMATION 0\n\nMaterialIds 1 4 int\n" + numbers("i", [0, 0, 1, 1]) +
            b"\ngmsh:physical 1 4 vtktypeint64\n" + numbers("q", [3, 4, 4, 3]) + b"\nGLOBAL_IDS g vtkIdType\n" +
            numbers("i", [0] * 4) + b"\n")


def bits():
    """Arrays of bits, eight in a byte, before the tags."""
    return (binary().replace(b"CELL_DATA 4\n", b"POINT_DATA 7\n") +
            b"SCALARS b bit\nLOOKUP_TABLE default\n" + bytes([0x2a]) + b"\nCELL_DATA 4\nFIELD FieldData 4\nx 2 4 bit\n" +
            bytes([0xff]) + b"\ny 3 4 bit\n" + bytes([0x20, 0x20]) + b"\nz 4 4 bit\n" + bytes([0x41, 0x42]) +
            b"\ngmsh:physical 1 4 int\n" + numbers("i", [3, 4, 4, 3]) + b"\n")


def good():
    yield ("good-flat.vtk", FLAT, FLAT_HOLDS)
    yield ("good-groups-bits.vtk", bits(), FLAT_HOLDS + "; #3 2, #4 2")
    yield ("good-groups.vtk", LINED + TAGS, TAGGED)
    yield ("good-groups-binary.vtk", tagged(), FLAT_HOLDS + "; #3 2, #4 2")
    yield ("good-groups-zero.vtk", FLAT + TAGS.replace("6", "4").replace("CellEntityIds", "MaterialIds").replace(
        "1 1 2 -2 7 0", "0 0 1 0"), FLAT_HOLDS + "; #0 3, #1 1")
    yield ("good-crlf.vtk", FLAT.replace("\n", "\r\n"), FLAT_HOLDS, "good-flat.vtk")
    yield ("good-words.vtk", FLAT.replace("POINTS 7 double", "points 7 DOUBLE").replace("ASCII", "ascii"),
           FLAT_HOLDS, "good-flat.vtk")
    yield ("good-polygons.vtk", FLAT.replace("9 9 5 5", "7 9 7 5"), FLAT_HOLDS, "good-flat.vtk")
    yield ("good-pixels.vtk", FLAT.replace("4 0 1 4 3", "4 0 1 3 4").replace("9 9 5 5", "8 9 5 5"), FLAT_HOLDS,
           "good-flat.vtk")
    yield ("good-lines.vtk", FLAT.replace("CELLS 4 18", "CELLS 6 23").replace("CELL_TYPES 4\n9", "2 0 1\n1 6\n"
           "CELL_TYPES 6\n9").replace("5 5\n", "5 5 3 1\n"), FLAT_HOLDS, "good-flat.vtk")
    yield ("good-data.vtk", FLAT.replace("POINTS", "FIELD FieldData 2\nTIME 1 1 double\n0.5\nCYCLE 1 1 int\n3\n"
           "METADATA\nINFORMATION 0\n\nPOINTS") +
           "CELL_DATA 4\nSCALARS s float\nLOOKUP_TABLE default\n1 2 3 4\nPOINT_DATA 7\n", FLAT_HOLDS,
           "good-flat.vtk")
    yield ("good-binary.vtk", binary(), FLAT_HOLDS, "good-flat.vtk")
    yield ("good-arrays.vtk", arrays(), FLAT_HOLDS, "good-flat.vtk")
    yield ("good-short-arrays.vtk", arrays("i", b"vtktypeint32"), FLAT_HOLDS, "good-flat.vtk")
    yield ("good-solid.vtk", SOLID, fixtures_gmsh.SOLIDS)
    yield ("good-polygon.vtk", FLAT.replace("CELLS 4 18\n4 0 1 4 3", "CELLS 3 15\n5 0 1 4 6 3").replace(
        "3 3 4 6\n", "").replace("CELL_TYPES 4\n9 9 5 5", "CELL_TYPES 3\n7 9 5"),
        "nodes 7, cells 3, faces 3, boundary_faces 6, cells_nodes ragged, faces_cells 2, faces_nodes 2, "
        "boundary_faces_cells 1, boundary_faces_nodes 2")
    yield ("good-polyhedron.vtk", POLYHEDRON, "nodes 14, cells 2, faces 1, boundary_faces 11, cells_nodes ragged, "
           "faces_cells 2, faces_nodes 4, boundary_faces_cells 1, boundary_faces_nodes ragged")
    yield ("good-prisms.vtk", PRISMS, "nodes 20, cells 3, faces 3, boundary_faces 15, cells_nodes ragged, "
           "faces_cells 2, faces_nodes 4, boundary_faces_cells 1, boundary_faces_nodes ragged")
    yield ("good-mark.vtk", b"\xef\xbb\xbf" + FLAT.encode("ascii"), FLAT_HOLDS, "good-flat.vtk")
    for name in ("attribute", "MaterialID", "material"):
        yield (f"good-groups-{name.lower()}.vtk", FLAT + TAGS.replace("6", "4").replace("CellEntityIds", name).replace(
            "1 1 2 -2 7 0", "2 2 1 2"), FLAT_HOLDS + "; #1 1, #2 3")


PRISMS = """# vtk DataFile Version 3.0
a pentagonal prism on a hexahedron's side, and a hexagonal one
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 20 double
0 0 0 1 0 0 1.5 1 0 0.5 2 0 -0.5 1 0
0 0 1 1 0 1 1.5 1 1 0.5 2 1 -0.5 1 1
0 -1 0 1 -1 0 0 -1 1 1 -1 1
2 -1 0 2 0 0 2.5 1 0 2 -1 1 2 0 1 2.5 1 1
CELLS 3 33
10 0 1 2 3 4 5 6 7 8 9
8 10 11 1 0 12 13 6 5
12 11 14 15 16 2 1 13 17 18 19 7 6
CELL_TYPES 3
15 12 16
"""


def bad():
    def swap(name, before, after, says, placeless=None):
        assert FLAT.count(before) == 1, (name, before)
        return (name, FLAT.replace(before, after), says, placeless)

    yield swap("bad-number.vtk", "4 1 2 5 4", "4 1 two 5 4", ":11: expected a point of a cell, found 'two'")
    yield ("bad-groups.vtk", LINED + TAGS.replace("7 0", "7"), ": expected a number of cell data")
    yield ("bad-groups-count.vtk", FLAT + TAGS, ":18: CellEntityIds has 6 numbers for 4 cells")
    yield ("bad-groups-second.vtk", LINED + TAGS + TAGS[TAGS.index("SCALARS"):], ":23: a second array of CellEntityIds")
    yield ("bad-groups-field.vtk", LINED + "CELL_DATA 6\nFIELD f 2\nMaterialIds 1 6 int\n1 2 3 4 5 6\n",
           "the file ends before the name of an array")
    yield swap("bad-coordinate.vtk", "2 0 0 0 1 0", "2 0 x 0 1 0", ":7: expected a coordinate")
    yield swap("bad-infinite.vtk", "2 0 0 0 1 0", "2 0 inf 0 1 0", "a coordinate of point 2 is not finite", WHOLE)
    yield swap("bad-point.vtk", "3 4 5 6\n", "3 4 5 7\n", "cell 3 has point 7, which is not in [0, 7)", WHOLE)
    yield swap("bad-point-negative.vtk", "3 4 5 6\n", "3 4 5 -1\n", ":13: -1 is not a point")
    yield swap("bad-row.vtk", "3 4 5 6\n", "9 4 5 6\n", ":13: cell 3 has 9 points, but only 3 are left of the 14")
    yield swap("bad-rows.vtk", "CELLS 4 18", "CELLS 3 17", ":12: the cells have 11 points, but CELLS says 14")
    yield swap("bad-types.vtk", "CELL_TYPES 4\n9 9 5 5", "CELL_TYPES 3\n9 9 5",
               "CELLS has 4 cells, but CELL_TYPES has 3", "two sections differ")
    yield swap("bad-shape.vtk", "9 9 5 5", "9 9 5 9", "cell 3, a quad4, has 3 points, not 4", WHOLE)
    yield swap("bad-type.vtk", "9 9 5 5", "9 9 5 300", ":15: 300 is not a cell type")
    yield swap("bad-polyhedron.vtk", "9 9 5 5", "9 9 5 42", "face 0 of cell 3 has 5 points, but only 1 numbers are left", WHOLE)
    yield swap("bad-huge.vtk", "POINTS 7", "POINTS 2000000000", ":6: the file ends before the 6000000000 numbers")
    yield swap("bad-count.vtk", "POINTS 7", "POINTS -7", ":5: expected the number of points, found '-7'")
    yield swap("bad-kind-of-number.vtk", "7 double", "7 real", ":5: 'real' is not a number type")
    yield swap("bad-second.vtk", "CELL_TYPES 4", "POINTS 7 double", ":14: a second section POINTS")
    yield swap("bad-section.vtk", "CELL_TYPES 4", "VERTICES 4", ":14: 'vertices' is not a section of an unstructured grid")
    yield swap("bad-no-dataset.vtk", "DATASET UNSTRUCTURED_GRID\n", "", ":4: expected DATASET, found 'points'")
    yield swap("bad-no-points.vtk", FLAT[FLAT.index("POINTS"):FLAT.index("CELLS")], "", "there is no section POINTS",
               "what is missing stands nowhere")
    yield swap("bad-no-cells.vtk", FLAT[FLAT.index("CELLS"):], "", "there is no section CELLS",
               "what is missing stands nowhere")
    yield swap("bad-kind.vtk", "ASCII", "TEXT", ":3: expected ASCII or BINARY, found 'text'")
    yield swap("bad-only-points.vtk", FLAT[FLAT.index("CELLS"):], "CELLS 1 2\n1 0\nCELL_TYPES 1\n1\n",
               "all cells of the file are points", "what is missing stands nowhere")
    cut = binary()
    yield ("bad-cut.vtk", cut[:cut.index(b"CELL_TYPES") + 20], ": byte 264: the file ends before the 4 numbers")
    yield ("bad-offsets.vtk", arrays().replace(numbers("q", [0, 4, 8, 11, 14]), numbers("q", [0, 4, 3, 11, 14])),
           ": offset 2 is 3")
    yield ("bad-last-offset.vtk",
           arrays().replace(numbers("q", [0, 4, 8, 11, 14]), numbers("q", [0, 4, 8, 11, 13])),
           "the last offset is 13, but CELLS says 14 points")
    yield ("bad-array.vtk", arrays().replace(b"CONNECTIVITY", b"CONNECTIONS"), "expected CONNECTIVITY, found")


def unsupported():
    def swap(name, before, after, says):
        assert FLAT.count(before) == 1, (name, before)
        return (name, FLAT.replace(before, after), says)

    yield swap("unsupported-grid.vtk", "UNSTRUCTURED_GRID", "STRUCTURED_POINTS",
               ":4: a data set of the kind structured_points is not supported")
    yield swap("unsupported-version.vtk", "Version 3.0", "Version 9.0", ":1: version 9 of the format")
    yield swap("unsupported-type.vtk", "9 9 5 5", "9 9 5 99", "cell 3 is of the unknown VTK type 99")


def fixtures(here):
    del here
    yield from in_folder("vtk", [*good(), *bad(), *unsupported()])
