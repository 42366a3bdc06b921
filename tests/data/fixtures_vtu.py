# SPDX-License-Identifier: Apache-2.0
"""VTK XML files of unstructured grids after VTK's "VTK File Formats, XML": every coding of arrays, pieces, polyhedra.

Compressed blocks are stored (zlib, LZ4) or were made once by Python's zlib, lzma and lz4, so that no version of these
libraries changes a byte."""
import base64
import struct
import zlib

import fixtures_gmsh
import fixtures_vtk
from fixture import in_folder

WHOLE = "found when all arrays are there: the cell is named"
POINTS = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0], [1, 2, 0]]
FLAT = fixtures_vtk.FLAT_HOLDS
OFFSETS = [4, 8, 11, 14]
CODES = {"Int8": "b", "UInt8": "B", "Int16": "h", "UInt16": "H", "Int32": "i", "UInt32": "I", "Int64": "q",
         "UInt64": "Q", "Float32": "f", "Float64": "d"}


def pack(kind, values, order="<"):
    return struct.pack("%s%d%s" % (order, len(values), CODES[kind]), *values)


def deflated(data):
    """zlib with the data stored, not compressed."""
    return (b"\x78\x01\x01" + struct.pack("<HH", len(data), len(data) ^ 0xffff) + data +
            struct.pack(">I", zlib.adler32(data)))


def literal(data):
    """A block of LZ4 that is one run of literals."""
    more = b"" if len(data) < 15 else b"\xff" * ((len(data) - 15) // 255) + bytes([(len(data) - 15) % 255])
    return bytes([min(len(data), 15) << 4]) + more + data


def listed(kind, name, values, more=""):
    return (f'<DataArray type="{kind}" Name="{name}"{more} format="ascii">\n'
            + " ".join(str(value) for value in values) + "\n</DataArray>\n").encode("ascii")


class Coding:
    """How arrays are written: inline or appended, base64 or raw, plain or in blocks."""

    def __init__(self, where, header="UInt32", order="<", blocks=None, compress=deflated):
        self.where, self.header, self.order, self.blocks, self.compress = where, header, order, blocks, compress
        self.appended = b""

    def bytes(self, data):
        def head(*values):
            return pack(self.header, values, self.order)

        if self.blocks is None:
            return [head(len(data)) + data]
        parts = [data[at:at + self.blocks] for at in range(0, len(data), self.blocks)]
        packed = [self.compress(part) for part in parts]
        last = len(parts[-1]) % self.blocks if parts else 0
        return [head(len(parts), self.blocks, last, *map(len, packed)), b"".join(packed)]

    def array(self, kind, name, values, more=""):
        parts = self.bytes(pack(kind, values, self.order))
        start = f'<DataArray type="{kind}" Name="{name}"{more} format='
        if self.where == "inline":
            text = b"".join(base64.b64encode(part) for part in parts)
            return start.encode("ascii") + b'"binary">\n  ' + text + b"\n</DataArray>\n"
        offset = len(self.appended)
        self.appended += b"".join(parts if self.where == "raw" else map(base64.b64encode, parts))
        return start.encode("ascii") + b'"appended" offset="%d"/>\n' % offset

    def tail(self):
        if self.where == "inline":
            return b""
        encoding = b"raw" if self.where == "raw" else b"base64"
        return b'<AppendedData encoding="' + encoding + b'">\n_' + self.appended + b"\n</AppendedData>\n"


def whole(grid, tail=b"", **attributes):
    attributes = {"type": "UnstructuredGrid", "version": "1.0", "byte_order": "LittleEndian", **attributes}
    words = " ".join(f'{name}="{value}"' for name, value in attributes.items() if value)
    return (b'<?xml version="1.0"?>\n<VTKFile ' + words.encode("ascii") + b">\n<UnstructuredGrid>\n" + grid +
            b"</UnstructuredGrid>\n" + tail + b"</VTKFile>\n")


def piece(points, cells, array, kinds=("Float64", "Int64", "UInt8"), types=None, more=b"", offsets=None):
    """array: makes the element of an array"""
    flat = [number for point in points for number in point]
    ids = [point for cell in cells for point in cell]
    ends = [sum(map(len, cells[:c + 1])) for c in range(len(cells))] if offsets is None else offsets
    types = [{3: 5, 4: 9}[len(cell)] for cell in cells] if types is None else types
    return (b'<Piece NumberOfPoints="%d" NumberOfCells="%d">\n<PointData/>\n<CellData>\n' % (len(points), len(cells)) +
            array("Int32", "group", [1] * len(cells)) + b"</CellData>\n<Points>\n" +
            array(kinds[0], "Points", flat, ' NumberOfComponents="3"') + b"</Points>\n<Cells>\n" +
            array(kinds[1], "connectivity", ids) + array(kinds[1], "offsets", ends) +
            array(kinds[2], "types", types) + more + b"</Cells>\n</Piece>\n")


ROWS = fixtures_vtk.ROWS
TEXT = whole(piece(POINTS, ROWS, listed))


def coded(where, kinds=("Float64", "Int64", "UInt8"), header="UInt32", order="<", blocks=None, compress=deflated,
          compressor=None):
    coding = Coding(where, header, order, blocks, compress)
    grid = piece(POINTS, ROWS, coding.array, kinds)
    return whole(grid, coding.tail(), byte_order="LittleEndian" if order == "<" else "BigEndian",
                 header_type=header if header != "UInt32" else None, compressor=compressor)


ZLIB = "vtkZLibDataCompressor"
XZ = "vtkLZMADataCompressor"
LZ4 = "vtkLZ4DataCompressor"


def xz(data):
    return bytes.fromhex(LZMA_BLOCKS[data.hex()])


def two_pieces():
    """The second quad and the triangles apart from the first, their points again."""
    first = piece([POINTS[p] for p in (0, 1, 4, 3)], [[0, 1, 2, 3]], listed)
    second = piece([POINTS[p] for p in (1, 2, 5, 4, 3, 6)], [[0, 1, 2, 3], [4, 3, 5], [3, 2, 5]], listed)
    return whole(first + piece([], [], listed, types=[]) + second)


# --- PolyData ----------------------------------------------------------------------------------------

def polydata(array=listed, tail=b"", data=b"", **sections):
    """sections: lists of points for verts, lines, polys and strips."""
    counts = " ".join(f'NumberOf{name.capitalize()}="{len(cells)}"' for name, cells in sections.items())
    made = b'<Piece NumberOfPoints="%d" %s>\n<PointData/>\n<CellData>\n' % (len(POINTS), counts.encode("ascii")) + data
    made += b"</CellData>\n<Points>\n" + array("Float64", "Points", [number for point in POINTS for number in point],
                                              ' NumberOfComponents="3"') + b"</Points>\n"
    for name, cells in sections.items():
        ends = [sum(map(len, cells[:c + 1])) for c in range(len(cells))]
        made += b"<%s>\n" % name.capitalize().encode("ascii")
        if cells:
            made += array("Int64", "connectivity", [point for cell in cells for point in cell])
            made += array("Int64", "offsets", ends)
        made += b"</%s>\n" % name.capitalize().encode("ascii")
    return whole(made + b"</Piece>\n", tail() if tail else b"", type="PolyData").replace(b"UnstructuredGrid>", b"PolyData>")


def coded_polydata():
    coding = Coding("raw", blocks=64, compress=literal)
    return polydata(coding.array, coding.tail, polys=ROWS).replace(b' byte_order', b' compressor="%s" byte_order' % LZ4.encode("ascii"), 1)


STRIP = FLAT.replace("cells 4, faces 4", "cells 5, faces 5").replace("2 tri3, 2 quad4", "4 tri3, 1 quad4")
SECTIONS = {"verts": [[0], [1, 2]], "lines": [[0, 1], [1, 2, 5]], "polys": ROWS[1:], "strips": [[0, 1, 3, 4]]}

# --- polyhedra: a pentagonal prism on a hexahedron ------------------------------------------------------

SOLID_POINTS = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
                [2, 0, 0], [3, .5, 0], [2, 1, 0], [2, 0, 1], [3, .5, 1], [2, 1, 1]]
HEX_FACES = [[0, 3, 2, 1], [0, 1, 5, 4], [0, 4, 7, 3], [1, 2, 6, 5], [2, 3, 7, 6], [4, 5, 6, 7]]
PRISM_FACES = [[1, 2, 10, 9, 8], [5, 11, 12, 13, 6], [1, 5, 6, 2], [1, 8, 11, 5], [8, 9, 12, 11], [9, 10, 13, 12],
               [10, 2, 6, 13]]
PRISM = [1, 2, 5, 6, 8, 9, 10, 11, 12, 13]
SOLID = ("nodes 14, cells 2, faces 1, boundary_faces 11, cells_nodes ragged, faces_cells 2, faces_nodes 4, "
         "boundary_faces_cells 1, boundary_faces_nodes ragged")


def stream(faces):
    return [len(faces)] + [number for face in faces for number in [len(face)] + face]


def streams(prism=PRISM_FACES, hexahedron=None, points=SOLID_POINTS, change=lambda words: words):
    faces = (stream(hexahedron) if hexahedron else []) + stream(prism)
    ends = [len(stream(hexahedron)) if hexahedron else -1, len(faces)]
    more = listed("Int64", "faces", change(faces)) + listed("Int64", "faceoffsets", ends)
    return whole(piece(points, [list(range(8)), PRISM], listed, types=[42 if hexahedron else 12, 42], more=more))


def listed_faces(faces=PRISM_FACES, numbers=None, types=(12, 42), ends=None):
    more = (listed("Int64", "face_connectivity", [p for face in faces for p in face]) +
            listed("Int64", "face_offsets", [sum(map(len, faces[:f + 1])) for f in range(len(faces))]) +
            listed("Int64", "polyhedron_to_faces", list(range(len(faces))) if numbers is None else numbers) +
            listed("Int64", "polyhedron_offsets", ends or [0, len(faces)]))
    return whole(piece(SOLID_POINTS, [list(range(8)), PRISM], listed, types=list(types), more=more), version="2.3")


def with_data(text, *arrays):
    at, end = text.index(b"<CellData>") + 11, text.index(b"</CellData>")
    return text[:at] + b"".join(arrays) + text[end:]


GROUPS = with_data(TEXT, listed("Float64", "x", [0.5] * 4), listed("Int64", "gmsh:physical", [3, 0, -3, 3]),
                   listed("Int64", "gmsh:geometrical", [1, 2, 3, 4]), listed("UInt8", "lower part", [1, 1, 0, 0]),
                   listed("UInt8", "levels", [1, 2, 0, 0]), listed("UInt8", "vtkGhostType", [0, 0, 0, 1]),
                   listed("UInt8", "group 12", [0, 0, 1, 0]))


def good():
    flat = "good-text.vtu"
    yield ("good-groups.vtu", GROUPS, FLAT + "; #-3 1, #3 2, lower part 2, #12 1")
    ids = listed("Int32", "MaterialIds", [1, 1, 2, 2])
    yield ("good-groups-lines.vtu", with_data(whole(piece(POINTS, ROWS + [[0, 1], [5, 2]], listed,
                                                          types=[9, 9, 5, 5, 3, 3])),
                                              listed("UInt8", "rim", [0, 0, 0, 0, 1, 1]),
                                              ids.replace(b"2 2", b"2 2 9 1")),
           FLAT + "; #1 2, #2 2, #1 1, #9 1, rim 2")
    points = (listed("UInt8", "rim", [1, 0, 0, 0, 0, 1, 1]) + listed("UInt8", "group 7", [0, 1, 0, 0, 0, 0, 0]) +
              listed("UInt8", "levels", [2, 0, 0, 0, 0, 1, 1]) + listed("Int32", "MaterialIds", [1] * 7))
    yield ("good-groups-points.vtu", GROUPS.replace(b"<PointData/>", b"<PointData>" + points + b"</PointData>"),
           FLAT + "; #-3 1, #3 2, lower part 2, #12 1, rim 3, #7 1")
    yield ("good-groups-real.vtu", with_data(TEXT, ids.replace(b"Int32", b"Float32")), FLAT, flat)
    yield (flat, TEXT, FLAT)
    yield ("good-crlf.vtu", TEXT.replace(b"\n", b"\r\n"), FLAT, flat)
    yield ("good-bare.vtu", TEXT[TEXT.index(b"\n") + 1:].replace(b' format="ascii"', b"").replace(b'"', b"'"), FLAT, flat)
    yield ("good-comment.vtu", TEXT.replace(b"<Cells>", b"<Cells><!-- <Cells> > -->").replace(
        b"<UnstructuredGrid>", b"<FieldData><DataArray type='String' Name='s'>1 2 &amp; 3</DataArray></FieldData>"
        b"<UnstructuredGrid>", 1), FLAT, flat)
    yield ("good-information.vtu", TEXT.replace(
        b"1 2 0\n</DataArray>", b'1 2 0\n<InformationKey name="L2_NORM_RANGE" location="vtkDataArray" length="2">'
        b'<Value index="0">0</Value></InformationKey>\n</DataArray>'), FLAT, flat)
    yield ("good-pieces.vtu", two_pieces(), "nodes 10, cells 4, faces 2, boundary_faces 10: 2 tri3, 2 quad4")
    for where in ("inline", "base64", "raw"):
        yield (f"good-{where}.vtu", coded(where), FLAT, flat)
        yield (f"good-{where}-big.vtu", coded(where, ("Float32", "Int32", "UInt8"), "UInt64", ">"), FLAT, flat)
        yield (f"good-{where}-zlib.vtu", coded(where, blocks=64, compressor=ZLIB), FLAT, flat)
        yield (f"good-{where}-lz4.vtu", coded(where, blocks=64, compress=literal, compressor=LZ4), FLAT, flat)
        yield (f"good-{where}-lzma.vtu", coded(where, blocks=4096, compress=xz, compressor=XZ), FLAT, flat)
    yield ("good-zlib-big.vtu", coded("raw", ("Float64", "UInt64", "Int8"), "UInt64", ">", 24, compressor=ZLIB), FLAT, flat)
    yield ("good-zlib-packed.vtu", coded("raw", blocks=4096, compress=lambda data: bytes.fromhex(
        ZLIB_BLOCKS[data.hex()]), compressor=ZLIB), FLAT, flat)
    yield ("good-lz4-packed.vtu", coded("inline", blocks=4096, compress=lambda data: bytes.fromhex(
        LZ4_BLOCKS[data.hex()]), compressor=LZ4), FLAT, flat)
    yield ("good-polys.vtp", polydata(polys=ROWS), FLAT, flat)
    yield ("good-polys-lz4.vtp", coded_polydata(), FLAT, flat)
    # vertices are three, lines three, and the strip two triangles: tags and marks are those of what they were
    marks = listed("UInt8", "rim", [0, 0, 1, 1, 0, 0, 0, 0]) + listed("Int32", "MaterialID", [9, 9, 1, 2, 3, 3, 4, 4])
    yield ("good-sections.vtp", polydata(data=marks, **SECTIONS), STRIP + "; #3 2, #4 3, #1 1, #2 2, rim 3")
    yield ("good-strip.vtu", whole(piece(POINTS, [[0, 1, 3, 4]] + ROWS[1:], listed, types=[6, 9, 5, 5])), STRIP)
    for kind in CODES:
        yield (f"good-{kind.lower()}.vtu", coded("inline", (kind, "Int16" if "F" in kind else kind, "Int32")), FLAT, flat)
    lines = coded("inline").replace(b"\n  ", b"\n\t")
    at = lines.index(b"format=\"binary\">\n\t") + 40
    yield ("good-broken-lines.vtu", lines[:at] + b"\n   " + lines[at:], FLAT, flat)
    solid = whole(piece([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1],
                         [0, 0, 2], [1, 0, 2], [2, 2, .5], [.5, 1.5, .5]],
                        [list(range(8)), [4, 8, 7, 5, 9, 6], [1, 2, 6, 5, 10], [5, 6, 10, 11]], listed,
                        types=[12, 13, 14, 10]))
    yield ("good-solid.vtu", solid, fixtures_gmsh.SOLIDS)
    yield ("good-polyhedron.vtu", streams(), SOLID)
    yield ("good-polyhedra.vtu", streams(hexahedron=HEX_FACES), SOLID)
    yield ("good-polyhedra-turned.vtu", streams([face[::-1] for face in PRISM_FACES], HEX_FACES), SOLID)
    yield ("good-faces.vtu", listed_faces(), SOLID)
    yield ("good-faces-shared.vtu", listed_faces(HEX_FACES + PRISM_FACES[:2] + PRISM_FACES[3:],
                                                 [0, 1, 2, 3, 4, 5, 6, 7, 3, 8, 9, 10, 11], (42, 42), [6, 13]), SOLID)
    yield ("good-polyhedra-typed.vtu",
           whole(piece(SOLID_POINTS[:8], [list(range(8))], listed, types=[42],
                       more=listed("Int64", "faces", stream(HEX_FACES)) + listed("Int64", "faceoffsets", [31]))),
           "nodes 8, cells 1, faces 0, boundary_faces 6: 1 hex8")
    yield ("good-polyhedron-collapsed.vtu",  # the hexahedron's left face is an edge, one of its faces a point's worth
           whole(piece([SOLID_POINTS[0], *SOLID_POINTS[1:4], SOLID_POINTS[0], *SOLID_POINTS[5:]],
                       [[0, 1, 2, 3, 0, 5, 6, 3], PRISM], listed, types=[12, 42],
                       more=listed("Int64", "faces", stream(PRISM_FACES)) + listed("Int64", "faceoffsets", [-1, 38]))),
           SOLID.replace("boundary_faces 11", "boundary_faces 10"))
    yield ("good-polygons.vtu", whole(piece(POINTS, [[0, 1, 4, 6, 3], [1, 2, 5, 4], [4, 5, 6]], listed, types=[7, 9, 7])),
           "nodes 7, cells 3, faces 3, boundary_faces 6, cells_nodes ragged, faces_cells 2, faces_nodes 2, "
           "boundary_faces_cells 1, boundary_faces_nodes 2")


def bad():
    def swap(name, before, after, says, placeless=None, of=TEXT):
        before, after = before.encode("ascii"), after.encode("ascii")
        assert of.count(before) == 1, (name, before, of.count(before))
        return (name, of.replace(before, after), says, placeless)

    yield swap("bad-number.vtu", "0 1 4 3 1", "0 1 four 3 1", ":18: expected connectivity, found 'four'")
    yield swap("bad-groups.vtu", "3 0 -3 3", "3 0 -3", ": the data of gmsh:physical end too early", of=GROUPS)
    yield ("bad-groups-points.vtu", TEXT.replace(b"<PointData/>", b"<PointData>" + listed("UInt8", "rim", [1, 0, 1]) + b"</PointData>"),
           ":5: the file ends before the 7 numbers of rim")
    yield swap("bad-groups-second.vtu", "gmsh:geometrical", "gmsh:physical", ": a second array of gmsh:physical", of=GROUPS)
    yield swap("bad-groups-offset.vtu", 'Name="lower part" format="ascii"', 'Name="lower part" format="appended" offset="9"',
               ": the array lower part is appended, but there is no AppendedData", of=GROUPS)
    yield swap("bad-coordinate.vtu", "2 0 0 0 1 0", "2 0 x 0 1 0", ":13: expected points, found 'x'")
    yield swap("bad-infinite.vtu", "2 0 0 0 1 0", "2 0 inf 0 1 0", "a coordinate of point 2 is not finite", WHOLE)
    yield swap("bad-point.vtu", "4 5 6\n", "4 5 7\n", ": connectivity has 7, which is not in [0, 7)")
    yield swap("bad-point-negative.vtu", "4 5 6\n", "4 5 -1\n", ": connectivity has -1, which is not in [0, 7)")
    yield swap("bad-short.vtu", "4 5 6\n", "4 5  \n\n", ":20: the data of connectivity end too early")
    yield swap("bad-long.vtu", "4 5 6\n", "4 5 6 0\n", ":18: more numbers than connectivity has")
    yield swap("bad-offset.vtu", "4 8 11 14", "4 8 7 14", ":22: entry 2 of offsets is 7")
    yield swap("bad-shape.vtu", "9 9 5 5", "9 9 5 9", "cell 3, a quad4, has 3 points, not 4", WHOLE)
    yield swap("bad-type.vtu", "9 9 5 5", "9 9 5 300", ":25: 300 is not a cell type")
    yield swap("bad-huge.vtu", 'NumberOfPoints="7"', 'NumberOfPoints="2000000000"',
               ":12: the file ends before the 6000000000 numbers of points")
    yield swap("bad-count.vtu", 'NumberOfPoints="7"', 'NumberOfPoints="-7"', ":4: NumberOfPoints is '-7'")
    yield swap("bad-no-count.vtu", ' NumberOfPoints="7"', "", ":4: there is no NumberOfPoints")
    yield swap("bad-components.vtu", 'NumberOfComponents="3"', 'NumberOfComponents="2"',
               ":12: points have 2 components, not 3")
    yield swap("bad-kind-of-number.vtu", '"Float64"', '"Real"', ":12: 'Real' is not a number type")
    yield swap("bad-reals.vtu", '"UInt8"', '"Float32"', ":23: types are reals, not whole numbers")
    yield swap("bad-order.vtu", '"LittleEndian"', '"MiddleEndian"', ":2: byte_order is 'MiddleEndian'")
    yield swap("bad-header.vtu", 'version="1.0" byte', 'version="1.0" header_type="UInt16" byte', ":2: header_type is 'UInt16'")
    yield swap("bad-format.vtu", 'Name="types" format="ascii"', 'Name="types" format="octal"', ":23: format is 'octal'")
    yield swap("bad-second.vtu", 'Name="types"', 'Name="offsets"', ":23: a second array of offsets")
    yield swap("bad-no-types.vtu", 'Name="types"', 'Name="kinds"', "there is no array types", "what is missing stands nowhere")
    yield swap("bad-empty.vtu", "9 9 5 5", "", ":23: the array types is empty")
    yield swap("bad-tag.vtu", "</Cells>", "</Sells>", ":26: not well-formed XML: mismatched tag")
    yield swap("bad-open.vtu", "</VTKFile>\n", "</VTKFile", ":29: a tag has no end")
    yield swap("bad-cut-markup.vtu", "</VTKFile>\n", "", ":29: not well-formed XML: no element found")
    yield swap("bad-twice.vtu", "</VTKFile>\n", "</VTKFile><x/>", ":29: not well-formed XML: junk after document element")
    yield swap("bad-no-grid.vtu", "<UnstructuredGrid>", "<Grid>", ":1: there is no element UnstructuredGrid",
               of=TEXT.replace(b"</UnstructuredGrid>", b"</Grid>"))
    yield swap("bad-root.vtu", '<?xml version="1.0"?>\n', "<a>\n", ":1: expected VTKFile, found 'a'")
    yield swap("bad-not-appended.vtu", 'Name="types" format="ascii"', 'Name="types" format="appended" offset="0"',
               ":23: the array types is appended, but there is no AppendedData")
    yield ("bad-no-cells.vtu", whole(piece(POINTS, [], listed)), "the file has no cells", "what is missing stands nowhere")
    yield ("bad-only-points.vtu", whole(piece(POINTS, [[0]], listed, types=[1])), "all cells of the file are points",
           "what is missing stands nowhere")
    inline, raw = coded("inline"), coded("raw")
    at = inline.index(b"binary", inline.index(b'"Points"')) + 30
    yield ("bad-base64.vtu", inline[:at] + b"*" + inline[at + 1:], ": byte 401: points are not valid base64 here")
    yield ("bad-raw-cut.vtu", raw[:raw.index(b"\n_") + 348], ":15: the file ends before the 4 numbers of types")
    yield swap("bad-underscore.vtu", "\n_", "\n-", ":20: AppendedData does not begin with '_'", of=coded("base64"))
    start = raw.index(b"\n_") + 2 + 4 + 4 * 4
    yield ("bad-length.vtu", raw[:start] + b"\xa7" + raw[start + 1:], ": points are 167 bytes, not 168")
    yield ("bad-behind.vtu", raw.replace(b'offset="20"', b'offset="9999"'), ":10: the array points begins after the end")
    packed = coded("raw", blocks=64, compressor=ZLIB)
    start = packed.index(b"\n_") + 2
    second = start + 4 * 4 + len(deflated(pack("Int32", [1] * 4)))
    yield ("bad-blocks.vtu", packed[:second] + b"\xff\xff" + packed[second + 2:], ": points are 65535 blocks of 64 bytes")
    yield ("bad-block-sizes.vtu", packed[:second + 12] + b"\xff\xff" + packed[second + 14:], "the data of points end too early")
    body = second + 6 * 4
    yield ("bad-block.vtu", packed[:body + 20] + b"\xff" + packed[body + 21:], "block 0 of points is damaged")
    yield ("bad-block-head.vtu", packed[:body] + b"\x00" + packed[body + 1:], "block 0 of points is damaged")
    packed_4 = coded("raw", blocks=64, compress=literal, compressor=LZ4)
    second_4 = packed_4.index(b"\n_") + 2 + 4 * 4 + len(literal(pack("Int32", [1] * 4)))
    body_4 = second_4 + 6 * 4
    yield ("bad-block-lz4.vtu", packed_4[:body_4] + b"\xe0" + packed_4[body_4 + 1:], "block 0 of points is damaged")
    yield ("bad-block-lz4-size.vtu", packed_4[:second_4 + 4] + b"\x3e" + packed_4[second_4 + 5:], ": points are ")
    shorter = packed_4[second_4 + 12]
    yield ("bad-block-lz4-cut.vtu", packed_4[:second_4 + 12] + bytes([shorter - 1]) + packed_4[second_4 + 13:],
           "block 0 of points is damaged")
    swapped = packed[:second + 4] + b"\x3f" + packed[second + 5:]
    yield ("bad-block-size.vtu", swapped, ": points are ")
    huge = coded("raw", header="UInt64")
    start = huge.index(b"\n_") + 2
    yield ("bad-header-huge.vtu", huge[:start + 24] + b"\xff" * 8 + huge[start + 32:], ": points are 18446744073709551615 bytes")
    yield ("bad-large.vtu", coded("inline", ("Float64", "UInt64", "UInt8")).replace(
        base64.b64encode(pack("UInt32", [32]) + pack("UInt64", OFFSETS)),
        base64.b64encode(pack("UInt32", [32]) + pack("UInt64", [4, 8, 11, 2 ** 63]))), "a number of offsets exceeds 64 bits")
    yield ("bad-stream.vtu", streams(change=lambda words: [9] + words[1:]), "face 7 of cell 1 has 0 points, but only 0 numbers are left",
           WHOLE)
    yield ("bad-stream-point.vtu", streams(change=lambda words: words[:2] + [14] + words[3:]),
           "face 0 of cell 1 has point 14, which is not in [0, 14)", WHOLE)
    def cut(name, before, after, says, placeless=None):
        of = polydata(**SECTIONS)
        assert before in of, before
        return (name, of.replace(before, after, 1), says, placeless)

    yield cut("bad-sections-point.vtp", b"0 1 1 2 5", b"0 1 1 2 7", ": connectivity has 7, which is not in [0, 7)")
    yield cut("bad-sections-offset.vtp", b">\n2 5\n</Data", b">\n2 1\n</Data", ": entry 1 of offsets is 1")
    yield cut("bad-sections-count.vtp", b'NumberOfPolys="3"', b'NumberOfPolys="4"', ": the data of offsets end too early")
    yield cut("bad-sections-huge.vtp", b'Lines="2"', b'Lines="2000000000"', ": the file ends before the 2000000000 numbers of offsets")
    yield ("bad-line.vtp", polydata(lines=[[0, 1], [2]], polys=ROWS), "cell 1, of the VTK type 4, has 1 points", WHOLE)
    yield ("bad-strip.vtu", whole(piece(POINTS, [[0, 1]] + ROWS[1:], listed, types=[6, 9, 5, 5])),
           "cell 0, of the VTK type 6, has 2 points", WHOLE)
    most = piece([POINTS[p] for p in (0, 1, 4, 3)], [[0, 1, 2, 3]], listed, offsets=[(2 ** 63 - 1) // 64])
    yield ("bad-offsets-sum.vtu", whole(most + most), "entry 0 of offsets is 144115188075855871")
    beyond = listed("Int64", "faces", stream(PRISM_FACES)[:2] + [14] + stream(PRISM_FACES)[3:])
    beyond += listed("Int64", "faceoffsets", [-1, len(stream(PRISM_FACES))])
    solid = piece(SOLID_POINTS, [list(range(8)), PRISM], listed, types=[12, 42], more=beyond)
    yield ("bad-stream-piece.vtu", whole(solid + piece([POINTS[p] for p in (0, 1, 4, 3)], [[0, 1, 2, 3]], listed)),
           "face 0 of cell 1 has point 14, which is not in [0, 14)", WHOLE)
    yield ("bad-stream-long.vtu", streams(change=lambda words: [6] + words[1:]), "the faces of cell 1 are 33 numbers, not 38", WHOLE)
    yield ("bad-few-faces.vtu", streams(PRISM_FACES[:3]), "cell 1, a polyhedron, has 3 faces", WHOLE)
    yield ("bad-no-faces.vtu", TEXT.replace(b"9 9 5 5", b"9 9 5 42"), "there is no array polyhedron_offsets",
           "what is missing stands nowhere")
    yield ("bad-face-uses.vtu", listed_faces(PRISM_FACES, [0, 1, 2, 3, 4, 5, 5, 5], ends=[0, 8]), "face 5 belongs to more than two",
           "the face is named")
    yield ("bad-face-twice.vtu", streams(PRISM_FACES + PRISM_FACES[:1]), "cell 1 has a face with node 1 twice", WHOLE)
    third = SOLID_POINTS + [[1.5, .5, 5]]
    pyramid = [1, 2, 6, 5, 14]
    more = listed("Int64", "faces", stream(PRISM_FACES)) + listed("Int64", "faceoffsets", [-1, len(stream(PRISM_FACES))] * 1 +
                                                                  [-1])
    yield ("bad-third.vtu", whole(piece(third, [list(range(8)), PRISM, pyramid], listed, types=[12, 42, 14], more=more)),
           "cells 0, 1 and 2 meet at one face", WHOLE)
    yield ("bad-polygon.vtu", whole(piece(POINTS, [[0, 1], [1, 2, 5, 4]], listed, types=[7, 9])),
           "cell 0, a polygon, has 2 points", WHOLE)


def unsupported():
    def swap(name, before, after, says, of=TEXT):
        before, after = before.encode("ascii"), after.encode("ascii")
        assert of.count(before) >= 1, (name, before)
        return (name, of.replace(before, after), says)

    for kind in ("PPolyData", "ImageData", "RectilinearGrid", "StructuredGrid", "vtkMultiBlockDataSet", "Collection"):
        ending = {"PPolyData": "pvtp", "ImageData": "vti", "RectilinearGrid": "vtr", "StructuredGrid": "vts",
                  "vtkMultiBlockDataSet": "vtm", "Collection": "pvd"}[kind]
        yield (f"unsupported-kind.{ending}", b'<?xml version="1.0"?>\n<VTKFile type="%s" version="1.0">\n</VTKFile>\n' %
               kind.encode("ascii"), f":2: a VTK XML file of type {kind} is not supported; only UnstructuredGrid, PolyData")
    yield swap("unsupported-compressor.vtu", 'byte_order', 'compressor="vtkZstdDataCompressor" byte_order',
               ":2: the compressor vtkZstdDataCompressor is not supported")
    yield swap("unsupported-version.vtu", 'version="1.0" byte', 'version="3.0" byte', ":2: version 3.0 of the format")
    yield swap("unsupported-doctype.vtu", '<VTKFile ', '<!DOCTYPE a [<!ENTITY b "c">]>\n<VTKFile ',
               ":2: a document type declaration is not supported")
    yield swap("unsupported-type.vtu", "9 9 5 5", "9 9 5 99", "cell 3 is of the unknown VTK type 99")
    yield swap("unsupported-parts.vtu", "4 8 11 14", "4 8 <a/> 11 14", ":21: the numbers of an array must be one part")
    yield swap("unsupported-cdata.vtu", "4 8 11 14", "<![CDATA[4 8 11 14]]>", ":21: the numbers of an array must not be in a CDATA")
    deep = b"<a>" * 70 + b"</a>" * 70
    yield ("unsupported-deep.vtu", TEXT.replace(b"</Cells>", b"</Cells>" + deep), ": elements are more than 63 deep")


def flat_arrays():
    """What the arrays of a file hold, as Coding.array packs them."""
    flat = [number for point in POINTS for number in point]
    return [pack("Int32", [1] * 4), pack("Float64", flat), pack("Int64", [p for row in ROWS for p in row]),
            pack("Int64", OFFSETS), pack("UInt8", fixtures_vtk.TYPES)]


# {array: what zlib.compress (level 9) and lzma.compress (xz, preset 6) of CPython 3.11 made of it}, in hexadecimal
LZ4_BLOCKS = dict(zip((data.hex() for data in flat_arrays()), [
    "43010000000400500001000000",
    "1f0001000a2ff03f1f00041f401800040302000c38000410000408000502000348000c180005100090400000000000000000",
    "1300010013010800130408001303080004180013021000130508000c28000410001b062000043000800600000000000000",
    "22040001001208070023000b0800800e00000000000000",
    "4009090505",
]))
ZLIB_BLOCKS = dict(zip((data.hex() for data in flat_arrays()), [
    "78da636460606044c20000380005",
    "78da6360c0073ed8e390706020491f8c8f619e037ef5087b00fcb107db",
    "78da636080004628cd02a599d1c499a0342b0e75303e1b1a9f154d1c0009300031",
    "78da636180000e28cd0da5f9a0340002800026",
    "78dae3e4646505000052001d",
]))
LZMA_BLOCKS = dict(zip((data.hex() for data in flat_arrays()), [
    "fd377a585a000004e6d6b4460200210116000000742fe5a3e0000f00085d0000803cab2545600000660a1bf78a3b9e22"
    "00012410e944d9cc1fb6f37d010000000004595a",
    "fd377a585a000004e6d6b4460200210116000000742fe5a3e000a700195d00006e1537c417a9bfe0d4f282a9688c38ff"
    "824dd3d632955700000000000a555fa2059acfe8000135a801000000f1f1096fb1c467fb020000000004595a",
    "fd377a585a000004e6d6b4460200210116000000742fe5a3e0006f00195d00006a7ebb14716845a57009aaae0e205e7c"
    "3c1b3f95da490d0000000000c6cfc458ce81ae4500013570a106b2d21fb6f37d010000000004595a",
    "fd377a585a000004e6d6b4460200210116000000742fe5a3e0001f000e5d00020037e1ce2b00f73ec22561b580000000"
    "97221a7a9ff15f0900012a20cb5983741fb6f37d010000000004595a",
    "fd377a585a000004e6d6b4460200210116000000742fe5a301000309090505008107d0e465a5d90e00011c046f2c9cc1"
    "1fb6f37d010000000004595a",
]))


def fixtures(here):
    del here
    yield from in_folder("vtu", [*good(), *bad(), *unsupported()])
