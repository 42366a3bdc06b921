#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the CGNS fixtures through libcgns (libcgns3.4), as its bytes are its own: they are committed, and the
tests need no library to have them.

make_cgns_fixtures.py [NAME...]   writes them all, or those made by the functions named"""
import ctypes
import ctypes.util
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent / "cgns"
library = ctypes.CDLL(ctypes.util.find_library("cgns"))
library.cg_get_error.restype = ctypes.c_char_p

BAR_2, TRI_3, QUAD_4, TETRA_4, PYRA_5, PENTA_6, HEXA_8, MIXED, NGON, NFACE, TRI_9 = 3, 5, 7, 10, 12, 14, 17, 20, 22, 23, 25
STRUCTURED, UNSTRUCTURED = 2, 3
VERTEX, FACE_CENTER, IFACE = 2, 4, 5
POINT_LIST, POINT_LIST_DONOR, POINT_RANGE, INTEGER = 2, 3, 4, 2
XYZ = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 2, 1, 0, 2, 2, 0.5, 0.5, 1.5, 0.5, 2]
SOLID = [(HEXA_8, [1, 2, 3, 4, 5, 6, 7, 8]), (PENTA_6, [5, 8, 9, 6, 7, 10]), (PYRA_5, [2, 3, 7, 6, 11]),
         (TETRA_4, [6, 7, 11, 12])]


def call(name, *arguments):
    if getattr(library, name)(*arguments):
        raise RuntimeError(f"{name}: {library.cg_get_error().decode()}")


def ints(values):
    return (ctypes.c_int * len(values))(*values)


class File:
    def __init__(self, name, adf=True, cells=3, space=3):
        call("cg_set_file_type", 1 if adf else 2)
        self.file, self.base = ctypes.c_int(), ctypes.c_int()
        HERE.mkdir(exist_ok=True)
        (HERE / name).unlink(missing_ok=True)
        call("cg_open", str(HERE / name).encode(), 1, ctypes.byref(self.file))
        call("cg_base_write", self.file, b"Base", cells, space, ctypes.byref(self.base))
        self.space = space

    def zone(self, name, size, xyz, kind=UNSTRUCTURED):
        zone, unused = ctypes.c_int(), ctypes.c_int()
        call("cg_zone_write", self.file, self.base, name.encode(), ints(size), kind, ctypes.byref(zone))
        for d, axis in enumerate("XYZ"[:self.space]):
            values = xyz[d::self.space]
            call("cg_coord_write", self.file, self.base, zone, 4, f"Coordinate{axis}".encode(),
                 (ctypes.c_double * len(values))(*values), ctypes.byref(unused))
        return zone

    def section(self, zone, name, kind, start, rows, offsets=None):
        """rows: lists of nodes, in MIXED with the type first."""
        flat, made = [v for row in rows for v in row], ctypes.c_int()
        if kind in (MIXED, NGON, NFACE):
            offsets = [sum(len(row) for row in rows[:i]) for i in range(len(rows) + 1)]
            call("cg_poly_section_write", self.file, self.base, zone, name.encode(), kind, start,
                 start + len(rows) - 1, 0, ints(flat), ints(offsets), ctypes.byref(made))
        else:
            call("cg_section_write", self.file, self.base, zone, name.encode(), kind, start, start + len(rows) - 1,
                 0, ints(flat), ctypes.byref(made))
        return made

    def parents(self, zone, section, left, sides):
        none = [0] * len(left)
        call("cg_parent_data_write", self.file, self.base, zone, section, ints(left + none + sides + none))

    def boundary(self, zone, name, points, kind=POINT_LIST, location=FACE_CENTER, family=None, width=1):
        made = ctypes.c_int()
        call("cg_boco_write", self.file, self.base, zone, name.encode(), 20, kind, len(points) // width, ints(points),
             ctypes.byref(made))
        if location != VERTEX:
            call("cg_boco_gridlocation_write", self.file, self.base, zone, made, location)
        if family:
            call("cg_goto", self.file, self.base, b"Zone_t", zone, b"ZoneBC_t", 1, b"BC_t", made, b"end")
            call("cg_famname_write", family.encode())

    def joint(self, zone, name, donor, own, theirs, location=VERTEX, donor_kind=UNSTRUCTURED):
        made = ctypes.c_int()
        call("cg_conn_write", self.file, self.base, zone, name.encode(), location, 4, POINT_LIST, len(own), ints(own),
             donor.encode(), donor_kind, POINT_LIST_DONOR, INTEGER, len(theirs), ints(theirs), ctypes.byref(made))

    def joint_of_grids(self, zone, name, donor, own, theirs, transform):
        made = ctypes.c_int()
        call("cg_1to1_write", self.file, self.base, zone, name.encode(), donor.encode(), ints(own), ints(theirs),
             ints(transform), ctypes.byref(made))

    def close(self):
        call("cg_close", self.file)


def solid(name, adf=False, rows=SOLID, boundary=None, skin=True):
    """Hexahedron, prism, pyramid, tet; two sections of facets, one of them named by a boundary condition."""
    file = File(name, adf)
    zone = file.zone("Zone", [12, 4, 0], XYZ)
    for i, (kind, row) in enumerate(rows, 1):
        file.section(zone, f"cells{i}", kind, i, [row])
    if skin:
        file.section(zone, "floor", QUAD_4, 5, [[1, 4, 3, 2]])
        file.section(zone, "top", TRI_3, 6, [[7, 11, 12], [6, 11, 12]])
    if boundary:
        file.boundary(zone, *boundary[0], **boundary[1])
    file.close()


def mixed(name="good-mixed.cgns", adf=True):
    file = File(name, adf)
    zone = file.zone("Zone", [12, 4, 0], XYZ)
    file.section(zone, "all", MIXED, 1, [[kind, *row] for kind, row in SOLID] + [[QUAD_4, 1, 4, 3, 2], [TRI_3, 7, 11, 12]])
    file.section(zone, "rest", TRI_3, 7, [[6, 11, 12]])
    file.boundary(zone, "floor", [5, 5], POINT_RANGE)
    file.boundary(zone, "top", [6, 7], POINT_RANGE)
    file.close()


def parents():
    """Facets that say no nodes, but of which side of which cell they are."""
    file = File("good-parents.cgns")
    zone = file.zone("Zone", [12, 4, 0], XYZ)
    for i, (kind, row) in enumerate(SOLID, 1):
        file.section(zone, f"cells{i}", kind, i, [row])
    floor = file.section(zone, "floor", QUAD_4, 5, [[0] * 4])
    file.parents(zone, floor, [1], [1])
    top = file.section(zone, "top", TRI_3, 6, [[0] * 3, [0] * 3])
    file.parents(zone, top, [4, 4], [3, 4])
    file.close()


def box(x):
    return [v for k in (0, 1) for j in (0, 1) for i in (0, 1) for v in (x + i, j, k)]


HEX = [1, 2, 4, 3, 5, 6, 8, 7]


def joined(name, own=(2, 4, 6, 8), theirs=(1, 3, 5, 7), location=VERTEX, donor="right"):
    """Two zones of a hexahedron each, which share four nodes; a wall in both."""
    file = File(name)
    for z, zone_name in enumerate(("left", "right")):
        zone = file.zone(zone_name, [8, 1, 0], box(z))
        file.section(zone, "cells", HEXA_8, 1, [HEX])
        file.section(zone, "skin", QUAD_4, 2, [[1, 2, 6, 5], [3, 4, 8, 7]])
        file.boundary(zone, f"bc{z}", [2, 3], family="wall")
        if z == 0:
            file.joint(zone, "joint", donor, list(own), list(theirs), location)
    file.close()


def grid(name, theirs=(2, 1, 1, 2, 3, 1), transform=(-2, 1, -3), cut=False):
    """Two structured zones: 3 x 2 x 2 cells, and 2 x 2 turned about, joined at a face."""
    file = File(name)
    points = [v for k in range(3) for j in range(3) for i in range(4) for v in (i, j, k)]
    left = file.zone("left", [4, 3, 3, 3, 2, 2, 0, 0, 0], points, STRUCTURED)
    # directions of the second: i' = k, j' = j, k' = i - 3
    more = [v for i in range(2) for j in range(3) for k in range(3) for v in (3 + i, j, k)]
    file.zone("right", [3, 3, 2, 2, 2, 1, 0, 0, 0], more, STRUCTURED)
    file.joint_of_grids(left, "joint", "right", [4, 1, 1, 4, 3, 3], list(theirs), list(transform))
    file.boundary(left, "inflow", [1, 1, 1, 1, 3, 3] if not cut else [1, 1, 1, 1, 3, 9], POINT_RANGE, VERTEX, width=3)
    file.boundary(left, "floor", [1, 1, 1, 4, 3, 1], POINT_RANGE, VERTEX, width=3)
    file.boundary(left, "corner", [1, 1, 1, 1, 1, 2], POINT_LIST, VERTEX, width=3)
    file.close()


QUADS = [[2, 5, 11, 8], [1, 7, 10, 4], [1, 2, 8, 7], [4, 10, 11, 5], [1, 4, 5, 2], [7, 8, 11, 10], [3, 6, 12, 9],
         [2, 3, 9, 8], [5, 11, 12, 6], [2, 5, 6, 3], [8, 9, 12, 11]]
BOXES = [[1, 2, 3, 4, 5, 6], [-1, 7, 8, 9, 10, 11]]


def polyhedra(name, cells=None, faces=None, adf=True):
    """Two boxes side by side, by their faces."""
    xyz = [v for k in (0, 1) for j in (0, 1) for i in (0, 1, 2) for v in (i, j, k)]
    quads = faces or QUADS
    file = File(name, adf)
    zone = file.zone("Zone", [12, 2, 0], xyz)
    file.section(zone, "faces", NGON, 1, quads)
    file.section(zone, "cells", NFACE, len(quads) + 1, cells or BOXES)
    file.boundary(zone, "ends", [2, 7])
    file.close()


def plane():
    """Two quads and two triangles as NGON_n in the plane, in HDF5."""
    file = File("good-plane.cgns", False, 2, 2)
    zone = file.zone("Zone", [7, 4, 0], [0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1, 1, 2])
    file.section(zone, "cells", NGON, 1, [[1, 2, 5, 4], [2, 3, 6, 5], [4, 5, 7], [5, 6, 7]])
    file.section(zone, "rim", BAR_2, 5, [[1, 2], [2, 3]])
    file.close()


def widen(name, like, path, times):
    """The file `like` with an array whose rows have `times` as many numbers, written past the library's rules."""
    (HERE / name).write_bytes((HERE / like).read_bytes())
    tree, root, node, rank = ctypes.c_int(), ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    length = (ctypes.c_int * 12)()
    call("cgio_open_file", str(HERE / name).encode(), 2, 0, ctypes.byref(tree))
    call("cgio_get_root_id", tree, ctypes.byref(root))
    call("cgio_get_node_id", tree, root, path.encode(), ctypes.byref(node))
    call("cgio_get_dimensions", tree, node, ctypes.byref(rank), length)
    rows, width = length[1], length[0] * times
    call("cgio_set_dimensions", tree, node, b"I4", 2, ints([width, rows]))
    call("cgio_write_all_data", tree, node, ints([1] * (rows * width)))
    call("cgio_close_file", tree)


def with_tree(name, change):
    """Changes the file through the tree below the library."""
    tree, root = ctypes.c_int(), ctypes.c_double()
    call("cgio_open_file", str(HERE / name).encode(), 2, 0, ctypes.byref(tree))
    call("cgio_get_root_id", tree, ctypes.byref(root))

    def node(path):
        found = ctypes.c_double()
        call("cgio_get_node_id", tree, root, path.encode(), ctypes.byref(found))
        return found
    change(tree, node)
    call("cgio_close_file", tree)


def versioned(name, version):
    def change(tree, node):
        call("cgio_write_all_data", tree, node("/CGNSLibraryVersion"), ctypes.byref(ctypes.c_float(version)))
    with_tree(name, change)


def counted(name, path, values):
    """A ragged section as files before version 3.4 have it: without offsets, the numbers given."""
    def change(tree, node):
        section, data = node(path), node(path + "/ElementConnectivity")
        call("cgio_delete_node", tree, section, node(path + "/ElementStartOffset"))
        call("cgio_set_dimensions", tree, data, b"I4", 1, ints([len(values)]))
        call("cgio_write_all_data", tree, data, ints(values))
    with_tree(name, change)


def old():
    """Files of other versions of the library: newer ones, and older ones without offsets."""
    for kind, adf in (("adf", True), ("hdf5", False)):
        solid(f"good-version-4-{kind}.cgns", adf, boundary=(("floor", [5]), {}))
        versioned(f"good-version-4-{kind}.cgns", 4.4)
        name = f"good-counted-{kind}.cgns"
        mixed(name, adf)
        rows = [[kind, *row] for kind, row in SOLID] + [[QUAD_4, 1, 4, 3, 2], [TRI_3, 7, 11, 12]]
        counted(name, "/Base/Zone/all", [v for row in rows for v in row])
        versioned(name, 3.2)
        polyhedra(f"good-counted-faces-{kind}.cg", adf=adf)
        counted(f"good-counted-faces-{kind}.cg", "/Base/Zone/faces", [v for row in QUADS for v in (len(row), *row)])
        counted(f"good-counted-faces-{kind}.cg", "/Base/Zone/cells", [v for row in BOXES for v in (len(row), *row)])
        versioned(f"good-counted-faces-{kind}.cg", 3.2)
    mixed("bad-counted.cgns")
    counted("bad-counted.cgns", "/Base/Zone/all", [TETRA_4, 1, 2, 3] * 6)
    versioned("bad-counted.cgns", 3.2)


def linked(name, adf, file_name, target):
    """A zone that is a link."""
    solid(name, adf, boundary=(("floor", [5]), {}))
    file = ctypes.c_int()
    call("cg_open", str(HERE / name).encode(), 2, ctypes.byref(file))
    call("cg_goto", file, 1, b"end")
    call("cg_link_write", b"More", file_name, target)
    call("cg_close", file)


def links():
    for kind, adf in (("adf", True), ("hdf5", False)):
        linked(f"good-link-{kind}.cgns", adf, b"", b"/Base/Zone")
        linked(f"unsupported-link-{kind}.cgns", adf, b"/etc/passwd", b"/Base/Zone")


def main():
    for name in sys.argv[1:]:
        globals()[name]()
    if sys.argv[1:]:
        return
    links()
    old()
    solid("good-solid.cgns", boundary=(("floor", [5]), {}))
    mixed()
    parents()
    joined("good-joined.cgns")
    joined("good-apart.cgns", [3], [2], FACE_CENTER)
    grid("good-grid.cgns", (1, 1, 1, 3, 3, 1), (3, 2, 1))
    polyhedra("good-polyhedra.cg")
    plane()
    solid("bad-node.cgns", True, [*SOLID[:3], (TETRA_4, [6, 7, 11, 13])])
    solid("bad-node-zero.cgns", True, [*SOLID[:3], (TETRA_4, [6, 7, 0, 12])])
    solid("bad-boundary.cgns", True, boundary=(("floor", [9]), {}))
    solid("bad-boundary-node.cgns", True, boundary=(("floor", [13]), {"location": VERTEX}))
    joined("bad-joint.cgns", (2, 4, 6, 9))
    joined("bad-donor.cgns", donor="nowhere")
    grid("bad-range.cgns", (1, 1, 1, 3, 3, 1), (3, 2, 1), cut=True)
    grid("bad-transform.cgns", (1, 1, 1, 3, 3, 1), (3, 1, 1))
    polyhedra("bad-face.cg", [[1, 2, 3, 4, 5, 12], [-1, 7, 8, 9, 10, 11]])
    polyhedra("bad-three.cg", [[1, 2, 3, 4, 5, 6], [-1, 1, 8, 9, 10, 11]])
    polyhedra("bad-face-node.cg", faces=[[2, 5, 11, 13], *[[1, 2, 3, 4]] * 10])
    solid("unsupported-type.cgns", True, [(TRI_9, [1, 2, 3, 4, 5, 6, 7, 8, 9])], skin=False)
    widen("bad-wide-boundary.cgns", "good-mixed.cgns", "/Base/Zone/ZoneBC/floor/PointRange", 100)
    widen("bad-wide-joint.cgns", "good-joined.cgns", "/Base/left/ZoneGridConnectivity/joint/PointListDonor", 100)
    widen("bad-wide-range.cgns", "good-grid.cgns", "/Base/left/ZoneGridConnectivity/joint/PointRangeDonor", 100)
    twice = (HERE / "bad-node.cgns").read_bytes().replace(b"cells2", b"cells1")
    (HERE / "bad-section-twice.cgns").write_bytes(twice)
    whole = (HERE / "good-solid.cgns").read_bytes()
    (HERE / "bad-cut.cgns").write_bytes(whole[:len(whole) // 2])
    import h5py
    (HERE / "bad-length.cgns").write_bytes(whole)
    with h5py.File(HERE / "bad-length.cgns", "r+") as file:
        at = file["Base/Zone/cells1/ElementConnectivity"]
        values = at[" data"][...]
        del at[" data"]
        at.create_dataset(" data", data=list(values) + [1] * 2000, dtype="i4")


if __name__ == "__main__":
    main()
