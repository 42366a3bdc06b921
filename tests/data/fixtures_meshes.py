# SPDX-License-Identifier: Apache-2.0
"""SU2 and OP2 meshes, files compressed by gzip, and files of formats that are not read.

SU2 after the page "Mesh File" of its manual, OP2 after the airfoil example's new_grid.dat, gzip after
RFC 1951 and 1952 (stored blocks and the fixed code, so that no library decides about the bytes)."""
import struct
import zlib

import fixtures_gmsh
import fixtures_tables
from fixture import in_folder

WHOLE = "found when the mesh is whole: the cell is named"
FLAT = """% two quads and two triangles
NDIME= 2
NELEM= 4
9 0 1 4 3 0
9 1 2 5 4 1
5 3 4 6 2
5 4 5 6 3
NPOIN= 7
0 0 0
1 0 1
2 0 2
0 1 3
1 1 4
2 1 5
1 2 6
NMARK= 2
MARKER_TAG= wall
MARKER_ELEMS= 2
3 0 1
3 1 2
MARKER_TAG= far field
MARKER_ELEMS= 4
3 0 3
3 2 5
3 3 6
3 5 6
"""

FLAT_HOLDS = "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4; wall 2, far field 4"

# the prism is written the other way round, as some writers do
SOLID = """NDIME= 3
NPOIN= 12
0.0 0.0 0.0
1.0 0.0 0.0
1.0 1.0 0.0
0.0 1.0 0.0
0.0 0.0 1.0
1.0 0.0 1.0
1.0 1.0 1.0
0.0 1.0 1.0
0.0 0.0 2.0
1.0 0.0 2.0
2.0 0.5 0.5
1.5 0.5 2.0
NELEM= 4
12 0 1 2 3 4 5 6 7
13 4 8 7 5 9 6
14 1 2 6 5 10
10 5 6 10 11
NMARK= 1
MARKER_TAG= floor
MARKER_ELEMS= 1
9 0 3 2 1
"""


# a box for free-form deformation, as SU2 writes it: rows below its keys begin with words
FFD = """FFD_NBOX= 1
FFD_NLEVEL= 1
FFD_TAG= BOX
FFD_CORNER_POINTS= 4
0.0 0.0
1.0 0.0
1.0 1.0
0.0 1.0
FFD_CONTROL_POINTS= 0
FFD_SURFACE_POINTS= 2
wall 0 0.5 0.25
wall 1 1.0e-01 0.75
"""


def su2_good():
    flat = FLAT_HOLDS
    yield ("good-flat.su2", FLAT, flat)
    yield ("good-crlf.su2", FLAT.replace("\n", "\r\n"), flat, "good-flat.su2")
    head, points = FLAT.split("NPOIN=")
    points, markers = points.split("NMARK=")
    yield ("good-turned-sections.su2", f"NMARK={markers}NPOIN={points}{head}", flat, "good-flat.su2")
    yield ("good-comments.su2", FLAT.replace("9 0 1 4 3 0", "9\t0  1 4 3 % a quad\n\n  % of nodes")
           .replace("NELEM= 4", "NELEM=4% four\n"), flat, "good-flat.su2")
    yield ("good-bare-rows.su2", FLAT.replace("9 0 1 4 3 0", "9 0 1 4 3").replace("\n1 2 6\n", "\n1 2\n"),
           flat, "good-flat.su2")
    yield ("good-one-zone.su2", "NZONE= 1\nIZONE= 1\n" + FLAT, flat, "good-flat.su2")
    yield ("good-more-sections.su2", FLAT + "NPERIODIC= 1\nPERIODIC_INDEX= 0\n0 0 0\nFFD_NBOX= 0\n"
           "AOA= 1.25\n", flat, "good-flat.su2")
    yield ("good-ffd.su2", FLAT + FFD, flat, "good-flat.su2")
    yield ("good-old-tags.su2", FLAT.replace("MARKER_TAG", "MARKERTAG"), flat, "good-flat.su2")
    zone = FLAT.split("\n", 1)[1]
    yield ("good-zones.su2", "NZONE= 2\nIZONE= 1\n" + zone + FFD + "IZONE= 2\n" + zone.replace("far field", "inlet"),
           "nodes 14, cells 8, faces 8, boundary_faces 12: 4 tri3, 4 quad4; zone_1 4, zone_2 4, wall_zone_1 2, "
           "far field 4, wall_zone_2 2, inlet 4")
    yield ("good-halo.su2", FLAT.replace("NMARK= 2", "NMARK= 3") +
           "MARKER_TAG= SEND_RECEIVE\nMARKER_ELEMS= 1\nSEND_RECV= 1\n1 3 0\n", flat, "good-flat.su2")
    yield ("good-points.su2", FLAT.replace("NMARK= 2", "NMARK= 3") +
           "MARKER_TAG= probe\nMARKER_ELEMS= 2\n1 6\n1 0\n", FLAT_HOLDS.replace("wall", "probe 2, wall"))
    yield ("good-no-markers.su2", FLAT.split("NMARK")[0] + "NMARK= 0\n", FLAT_HOLDS.split(";")[0])
    yield ("good-solid.su2", SOLID, fixtures_gmsh.SOLIDS + "; floor 1")


def su2_bad():
    def swap(name, before, after, says, placeless=None):
        assert FLAT.count(before) == 1, (name, before)
        return (name, FLAT.replace(before, after), says, placeless)

    yield swap("bad-number.su2", "9 0 1 4 3 0", "9 0 one 4 3 0",
               ":4: expected a node of an element, found 'one'")
    yield swap("bad-coordinate.su2", "\n1 2 6\n", "\n1 two 6\n", ":15: expected a coordinate")
    yield swap("bad-infinite.su2", "\n1 2 6\n", "\n1 inf 6\n", ":15: ")
    yield swap("bad-node.su2", "5 3 4 6 2", "5 3 4 7 2", ":6: node 7 is not in [0, 7)")
    yield swap("bad-node-negative.su2", "5 3 4 6 2", "5 3 4 -1 2", ":6: node -1 is not in [0, 7)")
    yield swap("bad-dimension.su2", "NDIME= 2", "NDIME= 4", ":2: NDIME= must be 2 or 3, not 4")
    yield swap("bad-no-dimension.su2", "NDIME= 2\n", "", "there is no section NDIME=",
               placeless="what is missing stands nowhere")
    yield swap("bad-no-points.su2", "NPOIN=", "NPOINTS=", "there is no section NPOIN=",
               placeless="what is missing stands nowhere")
    yield swap("bad-more-rows.su2", "NELEM= 4", "NELEM= 3",
               ":7: there are more than the 3 elements that NELEM= says")
    yield swap("bad-fewer-rows.su2", "NELEM= 4", "NELEM= 5", ":8: a new section begins after 4 of 5 elements")
    yield swap("bad-huge.su2", "NELEM= 4", "NELEM= 4000000000000000",
               ":3: the number of elements (NELEM) is 4000000000000000, more than the rest of the file can hold")
    yield swap("bad-huge-points.su2", "NPOIN= 7", "NPOIN= 2000000000",
               ":8: the number of points (NPOIN) is 2000000000, more than the rest of the file can hold")
    yield swap("bad-negative.su2", "NPOIN= 7", "NPOIN= -7", ":8: the number of points (NPOIN) must be 0 or more, not -7")
    yield swap("bad-short-row.su2", "5 4 5 6 3", "5 4 5",
               ":7: expected a node of an element, found the end of the line")
    yield swap("bad-mixed.su2", "5 4 5 6 3", "3 4 5",
               ":7: a line2 is among elements of another dimension")
    yield swap("bad-solid-in-flat.su2", "5 4 5 6 3", "10 4 5 6 3",
               ":7: a tet4 cannot be an element of a mesh with NDIME= 2")
    yield swap("bad-second-section.su2", "NMARK= 2", "NELEM= 0\nNMARK= 2",
               ":16: a second section NELEM=, the first is in line 3")
    yield swap("bad-marker-shape.su2", "3 1 2\nMARKER", "5 0 1 2\nMARKER",
               ":20: a tri3 cannot be in marker 'wall' of a mesh of dimension 2")
    yield swap("bad-marker-count.su2", "MARKER_ELEMS= 4", "MARKER_ELEMS= 5",
               ":27: the file ends after 4 of 5 elements of the marker")
    yield swap("bad-marker-empty.su2", "MARKER_TAG= wall", "MARKER_TAG=", ":17: MARKER_TAG= is empty")
    yield swap("bad-marker-alone.su2", "MARKER_TAG= wall\n", "",
               ":17: MARKER_ELEMS= does not follow a MARKER_TAG=")
    yield swap("bad-marker-without-elements.su2", "MARKER_ELEMS= 2\n3 0 1\n3 1 2\n", "",
               ":17: marker 'wall' has no MARKER_ELEMS=")
    yield swap("bad-markers.su2", "NMARK= 2", "NMARK= 3", ":16: NMARK= is 3, but there are 2 markers")
    yield swap("bad-zones.su2", "NDIME= 2", "NZONE= 2\nIZONE= 1\nNDIME= 2",
               ":2: NZONE= is 2, but there are 1 sections IZONE=")
    yield swap("bad-late-zone.su2", "NMARK= 2", "IZONE= 1\nNMARK= 2",
               ":3: NELEM= comes before the first IZONE=")
    yield swap("bad-word.su2", "NMARK= 2", "NMARK 2", ":16: expected a line KEY= VALUE")
    yield ("bad-truncated.su2", FLAT[:FLAT.index("1 1 4\n")], ":13: the file ends after 4 of 7 points")
    yield swap("bad-collapsed.su2", "9 0 1 4 3 0", "9 0 0 0 0 0", ": cell 0 (quad4) is collapsed",
               placeless=WHOLE)
    yield swap("unsupported-element.su2", "9 0 1 4 3 0", "23 0 1 4 3 0", ":4: element type 23 is unknown")


GRID_HOLDS = ("nodes 12, edges 7, bedges 10, cells 6, faces 7, boundary_faces 10: 6 quad4; "
              "bound1 3, bound2 7")


def op2_grid(nx, ny):
    """Quads of a plate; edges between two cells, then the rim, 1 below and 2 elsewhere."""
    def node(i, j):
        return i + (nx + 1) * j

    def cell(i, j):
        return i + nx * j

    nodes = [f"{i / nx:.6f} {j / ny:.6f}" for j in range(ny + 1) for i in range(nx + 1)]
    cells = [f"{node(i, j)} {node(i + 1, j)} {node(i + 1, j + 1)} {node(i, j + 1)}"
             for j in range(ny) for i in range(nx)]
    edges = [f"{node(i, j + 1)} {node(i, j)} {cell(i - 1, j)} {cell(i, j)}"
             for j in range(ny) for i in range(1, nx)]
    edges += [f"{node(i, j)} {node(i + 1, j)} {cell(i, j - 1)} {cell(i, j)}"
              for j in range(1, ny) for i in range(nx)]
    rim = [f"{node(i + 1, 0)} {node(i, 0)} {cell(i, 0)} 1" for i in range(nx)]
    rim += [f"{node(i, ny)} {node(i + 1, ny)} {cell(i, ny - 1)} 2" for i in range(nx)]
    rim += [f"{node(0, j)} {node(0, j + 1)} {cell(0, j)} 2" for j in range(ny)]
    rim += [f"{node(nx, j + 1)} {node(nx, j)} {cell(nx - 1, j)} 2" for j in range(ny)]
    head = f"{len(nodes)} {len(cells)} {len(edges)} {len(rim)}"
    return "\n".join([head, *nodes, *cells, *edges, *rim, ""])


def op2():
    grid = op2_grid(3, 2)
    what = GRID_HOLDS

    def swap(name, before, after, says, placeless=None):
        assert grid.count(before) == 1, (name, before)
        return (name, grid.replace(before, after), says, placeless)

    yield ("good-plate.dat", grid, what)
    yield ("good-blanks.dat", " " + grid.replace(" ", "\t ").replace("\n", "  \r\n"), what, "good-plate.dat")
    yield ("good-no-last-line-end.dat", grid[:-1], what, "good-plate.dat")
    yield swap("bad-huge.dat", "12 6 7 10", "12 6 2000000000 10",
               ":1: 12 nodes, 6 cells, 2000000000 edges and 10 boundary edges are more than the file can hold")
    yield swap("bad-coordinate.dat", "\n0.333333 0.500000\n", "\n0.333333 O.5\n",
               ":7: expected a coordinate, found 'O.5'")
    yield swap("bad-not-finite.dat", "\n0.333333 0.500000\n", "\n0.333333 nan\n",
               ":7: a coordinate of node 5 is not finite")
    yield swap("bad-short-node.dat", "\n0.333333 0.500000\n", "\n0.333333\n",
               ":7: expected a coordinate of node 5, found the end of the line")
    yield swap("bad-long-node.dat", "\n0.333333 0.500000\n", "\n0.333333 0.5 0\n",
               ":7: more numbers than a node has")
    yield swap("bad-node.dat", "\n1 2 6 5\n", "\n1 2 12 5\n", ":15: a node of a cell is 12, not in [0, 12)")
    yield swap("bad-edge-node.dat", "\n5 1 0 1\n", "\n5 -1 0 1\n",
               ":20: a node of an edge is -1, not in [0, 12)")
    yield swap("bad-cell.dat", "\n5 1 0 1\n", "\n5 1 0 6\n", ":20: a cell of an edge is 6, not in [0, 6)")
    yield swap("bad-word.dat", "\n5 1 0 1\n", "\n5 1 0 x\n", ":20: expected a cell of an edge, found 'x'")
    yield swap("bad-short-rim.dat", "\n1 0 0 1\n", "\n1 0 0\n",
               ":27: expected the number of a boundary, found the end of the line")
    yield ("bad-truncated.dat", grid[:-40], ":32: expected a node of an edge, found the end of the file")
    yield ("bad-longer.dat", grid + "0 1 0 1\n", ":37: the file continues after its last boundary edge")
    yield swap("bad-collapsed.dat", "\n1 2 6 5\n", "\n2 2 2 2\n", ": cell 1 (quad4) is collapsed",
               WHOLE)


# --- gzip --------------------------------------------------------------------------------------------

def stored(content):
    """Deflate without compression: blocks of at most 65535 bytes."""
    pieces = [content[at:at + 65535] for at in range(0, len(content), 65535)] or [b""]
    return b"".join(struct.pack("<BHH", piece is pieces[-1], len(piece), len(piece) ^ 0xFFFF) + piece
                    for piece in pieces)


def fixed(content):
    """Deflate by the fixed code, literals alone."""
    bits = [1, 1, 0]  # last block, fixed code

    def code(value, length):
        bits.extend(value >> k & 1 for k in reversed(range(length)))

    for byte in content:
        if byte < 144:
            code(0x30 + byte, 8)
        else:
            code(0x190 + byte - 144, 9)
    code(0, 7)
    bits.extend([0] * (-len(bits) % 8))
    return bytes(sum(bit << k for k, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8))


def gzip(content, how=stored, name=b"", checksum=None, length=None):
    head = b"\x1f\x8b\x08" + bytes([8 if name else 0]) + bytes(4) + b"\0\xff" + (name + b"\0" if name else b"")
    checksum = zlib.crc32(content) if checksum is None else checksum
    length = len(content) if length is None else length
    return head + how(content) + struct.pack("<II", checksum, length)


def gzip_files():
    plate = fixtures_gmsh.write(fixtures_gmsh.plate(), "4.1")
    table = fixtures_tables.npy("<i4", False, (4, 2), [0, 1, 1, 2, 2, 3, 3, 0])
    rows = b"0 1\n1 2\n2 3\n3 0\n"
    mesh, what = fixtures_gmsh.PLATE, "elements 4, points 4, elements_points 2"
    yield ("good-mesh.msh.gz", gzip(plate), mesh)
    yield ("good-named.su2.gz", gzip(FLAT.encode("ascii"), fixed, b"x.su2"), FLAT_HOLDS)
    yield ("good-grid.dat.gz", gzip(op2_grid(3, 2).encode("ascii"), fixed),
           GRID_HOLDS)
    yield ("good-table.npy.gz", gzip(table, fixed), what)
    yield ("good-members.txt.gz", gzip(rows[:6]) + gzip(b"") + gzip(rows[6:], fixed), what,
           "good-table.npy.gz")
    yield ("good-padded.txt.gz", gzip(rows) + bytes(100), what, "good-table.npy.gz")
    graph = b"4 4\n2 4\n1 3\n2 4\n1 3\n"
    yield ("good-no-ending", gzip(graph, fixed), "nodes 4, edges 4, edges_nodes 2")
    whole = gzip(plate, fixed)
    early, damaged = "the gzip data end too early", "the gzip data are damaged"
    yield ("bad-truncated.msh.gz", whole[:400], f": byte 400: {early}")
    yield ("bad-truncated-head.msh.gz", whole[:7], f": byte 7: {early}")
    yield ("bad-truncated-tail.msh.gz", whole[:-3], f": byte {len(whole) - 3}: {early}")
    yield ("bad-checksum.msh.gz", gzip(plate, checksum=1), f": {damaged}")
    yield ("bad-length.msh.gz", gzip(plate, length=1), f": {damaged}")
    yield ("bad-block.msh.gz", whole[:10] + b"\x07" + whole[11:], f": byte 11: {damaged}")
    yield ("bad-behind.txt.gz", gzip(rows) + b"more", "bytes that are not gzip data follow the gzip data")
    yield ("bad-inside.msh.gz", gzip(plate.replace(b"$EndNodes", b"$EndNode"), fixed),
           ":44: expected $EndNodes, found something else")
    yield ("bad-empty.gz", gzip(b""), "the file is empty", "an empty file has no place")
    yield ("bad-twice.txt.gz", gzip(gzip(rows)), "the content is not of a known format",
           "a content that is not known has no place")


def foreign():
    """The beginnings of files that others write."""
    for name, content, says in (
            ("hdf5.med", b"\x89HDF\r\n\x1a\n" + bytes(40), "an HDF5 file of another format"),
            ("classic.nc", b"CDF\x01" + bytes(28), "a netCDF file, neither UGRID, Exodus II, MPAS, ICON nor FESOM2"),
            ("offset.nc", b"CDF\x02" + bytes(28), "a netCDF file, neither UGRID, Exodus II, MPAS, ICON nor FESOM2"),
            ("data.nc", b"CDF\x05" + bytes(28), "a netCDF file, neither UGRID, Exodus II, MPAS, ICON nor FESOM2"),
            ("fields.h5", None, "an HDF5 file of another format"),
            ("packed.bz2", b"BZh91AY&SY" + bytes(10), "compressed by bzip2"),
            ("packed.xz", b"\xfd7zXZ\0\0\4" + bytes(10), "compressed by xz"),
            ("packed.zst", b"\x28\xb5\x2f\xfd" + bytes(10), "compressed by zstd"),
            ("packed.zip", b"PK\x03\x04" + bytes(26), "a ZIP archive")):
        yield (f"unsupported-{name}", content, f": this is {says}, which is not supported")
    meshio = "'meshio convert' (Python package meshio)"
    for name, content, says, help in (
            ("gambit.neu", b"        CONTROL INFO 1.3.0\n** GAMBIT NEUTRAL FILE\n", "a GAMBIT neutral file", "OpenFOAM's gambitToFoam"),
            ("dolfin.xml", b'<?xml version="1.0"?><dolfin xmlns:dolfin="x">\n', "a DOLFIN XML file", meshio),
            ("libmesh.xda", b"DEAL 003:003\n12\t # Num. Elements\n", "a libMesh mesh", "libMesh's program meshtool"),
            ("ansys.cdb", b"/COM,ANSYS\n/PREP7\nNBLOCK,6,SOLID\n", "an Ansys archive (.cdb)", meshio),
            ("kratos.mdpa", b"Begin ModelPartData\nEnd ModelPartData\n", "a Kratos model part (.mdpa)", meshio),
            ("permas.post", b"!PERMAS\n$ENTER COMPONENT\n", "a PERMAS deck", meshio),
            ("flac.f3grid", b"* FLAC3D grid\n* GRIDPOINTS\nG 1 0 0 0\n", "a FLAC3D grid", meshio),
            ("radioss.rad", b"#RADIOSS STARTER\n", "a Radioss deck", "HyperMesh exports"),
            ("comsol.mphtxt", b"# Created by COMSOL Multiphysics.\n0 1\n", "a COMSOL mesh (.mphtxt)", "COMSOL exports"),
            ("result.frd", b"    1C\n    1UUSER\n", "a CalculiX result (.frd)", "its deck"),
            ("scene.x3d", b"<?xml version='1.0'?>\n<X3D profile='x'>\n", "an X3D scene", "as STL, PLY or OBJ"),
            ("surface.ply2", b"3\n1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "a PLY2 surface", "as PLY, STL or OBJ"),
            ("aster.mail", b"COOR_3D\nN1 0 0 0\nFINSF\n", "a Code_Aster mesh (.mail)", "Code_Aster writes it as MED"),
            ("star.cel", b"1 1 2 3 4 5 6 7 8 1 1\n", "a STAR-CD mesh", "OpenFOAM's star4ToFoam"),
            ("cylinder.geo", b"Point(1) = {0, 0, 0};\n", "a geometry script of Gmsh", "'gmsh FILE -3 -o x.msh' makes a mesh of it")):
        yield f"unsupported-{name}", content, f": this is {says}, which is not supported; {help}"
    for name, content, says in (("diffpack.grid", b" Finite element mesh (GridFE):\n", "a Diffpack grid"),
                                ("gid.msh", b'MESH dimension 3 ElemType Tetrahedra Nnode 4\n', "a GiD mesh")):
        yield f"unsupported-{name}", content, f": this is {says}, which is not supported"
    unknown, why = "the content is not of a known format", "a content that is not known has no place"
    yield ("bad-empty.msh", b"", "the file is empty", "an empty file has no place")
    yield ("bad-words.msh", b"hello world\n", unknown, why)
    yield ("bad-zeros.npy", bytes(200), unknown, why)
    yield ("bad-line-ends.txt", b"\n" * 9, unknown, why)


def fixtures(_):
    yield from in_folder("su2", [*su2_good(), *su2_bad()])
    yield from in_folder("op2", op2())
    yield from in_folder("gzip", gzip_files())
    yield from in_folder("foreign", foreign())
