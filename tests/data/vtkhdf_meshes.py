# SPDX-License-Identifier: Apache-2.0
"""Grids in HDF5 as VTK writes them, by h5py: called by make_hdf5_fixtures.py. Written from VTK's documentation of the format, not
from the reader."""
import pathlib

import h5py
import numpy

import fixtures_fem

HERE = pathlib.Path(__file__).resolve().parent
XYZ = [tuple(map(float, point)) for point in fixtures_fem.XYZ]
HEX, PRISM, PYRAMID, TET, QUAD = 12, 13, 14, 10, 9
# VTK's prisms are turned
SOLIDS = [(HEX, [0, 1, 2, 3, 4, 5, 6, 7], 1), (PRISM, [4, 7, 8, 5, 6, 9], 1), (PYRAMID, [1, 2, 6, 5, 10], 2), (TET, [5, 6, 10, 11], 2),
          (QUAD, [0, 3, 2, 1], 7)]


def cells_of(group, parts):
    """parts: lists of cells, each the numbers of its points."""
    group["NumberOfCells"] = numpy.array([len(part) for part in parts], "i8")
    group["NumberOfConnectivityIds"] = numpy.array([sum(map(len, part)) for part in parts], "i8")
    group["Offsets"] = numpy.concatenate([numpy.cumsum([0] + [len(cell) for cell in part]) for part in parts]).astype("i8")
    group["Connectivity"] = numpy.array([node for part in parts for cell in part for node in cell], "i8")


def grid(group, parts, data=None, points=XYZ):
    """An unstructured grid; each part keeps the points that its cells have, in their order, or all when it is the only one."""
    group.attrs["Version"] = numpy.array([2, 0], "i8")
    group.attrs["Type"] = numpy.bytes_("UnstructuredGrid")
    kept = [sorted({node for _, nodes, _ in part for node in nodes}) if len(parts) > 1 else list(range(len(points))) for part in parts]
    group["NumberOfPoints"] = numpy.array(list(map(len, kept)), "i8")
    group["Points"] = numpy.array([points[k] for one in kept for k in one], "f8")
    cells_of(group, [[[one.index(node) for node in nodes] for _, nodes, _ in part] for one, part in zip(kept, parts)])
    group["Types"] = numpy.array([kind for part in parts for kind, _, _ in part], "u1")
    tags = [tag for part in parts for _, _, tag in part]
    for name, values in (data or {"MaterialIds": tags}).items():
        group[f"CellData/{name}"] = numpy.array(values, "u1" if name == "vtkGhostType" else "i4")


def polydata(group, points, **kinds):
    group.attrs["Version"] = numpy.array([2, 0], "i8")
    group.attrs["Type"] = numpy.bytes_("PolyData")
    group["NumberOfPoints"] = numpy.array([len(points)], "i8")
    group["Points"] = numpy.array(points, "f4")
    for name in ("Vertices", "Lines", "Polygons", "Strips"):
        cells_of(group.create_group(name), [kinds.get(name, [])])


def write(name, make, libver="v108"):
    (HERE / "vtkhdf").mkdir(exist_ok=True)
    with h5py.File(HERE / "vtkhdf" / name, "w", libver=(libver, libver)) as file:
        make(file.create_group("VTKHDF"))


def steps(group):
    """Two steps of one grid each: the second has only the tet."""
    grid(group, [SOLIDS, SOLIDS[3:4]])
    made = group.create_group("Steps")
    made.attrs["NSteps"] = numpy.int64(2)
    made["Values"] = numpy.array([0., 1.])
    for key, values in (("PartOffsets", [0, 1]), ("NumberOfParts", [1, 1]), ("PointOffsets", [0, 12])):
        made[key] = numpy.array(values, "i8")
    for key, values in (("CellOffsets", [[0], [5]]), ("ConnectivityIdOffsets", [[0], [27]])):
        made[key] = numpy.array(values, "i8")


def blocks(group, kind="PartitionedDataSetCollection"):
    group.attrs["Version"] = numpy.array([2, 0], "i8")
    group.attrs["Type"] = kind
    tree = group.create_group("Assembly")
    for index, (name, cells) in enumerate((("core", SOLIDS[:2]), ("tops", SOLIDS[2:4]))):
        one = group.create_group(name)
        grid(one, [cells], {"other": [5] * len(cells)})
        one.attrs["Index"] = numpy.int64(index)
        tree[name] = h5py.SoftLink(f"/VTKHDF/{name}")
    polydata(group.create_group("skin"), XYZ[:4], Polygons=[[0, 3, 2, 1]])


def changed(path, place, value):
    def make(group):
        grid(group, [SOLIDS])
        values = group[path][...]
        values[place] = value
        group[path][...] = values
    return make


def without(path):
    def make(group):
        grid(group, [SOLIDS])
        del group[path]
    return make


def other(group):
    group.attrs["Type"] = numpy.bytes_("ImageData")


def vtkhdfs():
    write("good-solids.vtkhdf", lambda group: grid(group, [SOLIDS]))
    write("good-parts.vtkhdf", lambda group: grid(group, [[SOLIDS[0], SOLIDS[4]], SOLIDS[1:4]]))
    ghosts = [[*SOLIDS[:2], SOLIDS[4]], [SOLIDS[0], *SOLIDS[2:4]]]
    write("good-ghosts.vtkhdf", lambda group: grid(group, ghosts, {"MaterialIds": [1, 1, 7, 1, 2, 2], "vtkGhostType": [0, 0, 0, 1, 0, 0]}))
    write("good-steps.vtkhdf", steps)
    write("good-blocks.vtkhdf", blocks)
    write("good-blocks-old.vtkhdf", lambda group: blocks(group, "MultiBlockDataSet"))
    flat = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    write("good-polydata.vtkhdf", lambda group: polydata(group, flat, Vertices=[[0]], Lines=[[0, 1]], Polygons=[[0, 1, 2, 3]], Strips=[[1, 4, 2, 5]]))
    write("bad-node.vtkhdf", changed("Connectivity", 3, 12))
    write("bad-negative.vtkhdf", changed("Connectivity", 3, -1))
    write("bad-offsets.vtkhdf", changed("Offsets", 2, 40))
    write("bad-start.vtkhdf", changed("Offsets", 0, 1))
    write("bad-points.vtkhdf", changed("NumberOfPoints", 0, 13))
    write("bad-cells.vtkhdf", changed("NumberOfCells", 0, 6))
    write("bad-no-types.vtkhdf", without("Types"))
    write("bad-no-points.vtkhdf", without("Points"))
    write("unsupported-image.vtkhdf", other)
    write("unsupported-polyhedron.vtkhdf", changed("Types", 0, 42))
