#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the fixtures that are HDF5 files, by libraries (python3-netcdf4, python3-h5py), whose bytes may differ from
version to version: they are committed, and the tests need neither library.

make_hdf5_fixtures.py [NAME...]   writes them all, or those made by the functions named"""
import pathlib

import sys

import h5py
import numpy

import fixtures_meshes
import dmplex_meshes
import hdf5_meshes
import vtkhdf_meshes

HERE = pathlib.Path(__file__).resolve().parent


def recompress(source, target):
    """A classic file as netCDF-4, its variables compressed in chunks."""
    import netCDF4
    with netCDF4.Dataset(HERE / source) as old, netCDF4.Dataset(HERE / target, "w") as new:
        old.set_auto_mask(False)
        for name, dimension in old.dimensions.items():
            new.createDimension(name, len(dimension))
        for name, variable in old.variables.items():
            attributes = {key: variable.getncattr(key) for key in variable.ncattrs()}
            made = new.createVariable(name, variable.dtype, variable.dimensions, zlib=variable.ndim > 0,
                                      fill_value=attributes.pop("_FillValue", None))
            made.setncatts(attributes)
            made.set_auto_mask(False)
            made[...] = variable[...]


def op2(name, sets, maps, dats=()):
    """As op_dump_to_hdf5 writes it: attributes size, dim and type."""
    (HERE / "op2-hdf5").mkdir(exist_ok=True)
    with h5py.File(HERE / "op2-hdf5" / name, "w") as file:
        for key, size in sets:
            file.create_dataset(key, data=numpy.array([size], "i4"))
        for key, values in [*maps, *dats]:
            made = file.create_dataset(key, data=values)
            made.attrs["size"] = numpy.array([len(values)], "i4")
            made.attrs["dim"] = numpy.array([values.shape[1]], "i4")
            made.attrs["type"] = numpy.bytes_({"i4": "int", "i8": "long", "f8": "double"}[values.dtype.str[1:]])


def airfoil(name, change=None, drop=()):
    """The grid of op2/good-plate.dat as OP2's airfoil has it in HDF5."""
    lines = [line.split() for line in fixtures_meshes.op2_grid(3, 2).splitlines()]
    nodes, cells, edges, bedges = map(int, lines[0])
    rows, at = [], 1
    for n in (nodes, cells, edges, bedges):
        rows.append(lines[at:at + n])
        at += n
    ids = [numpy.array([[int(v) for v in row] for row in part], "i4") for part in rows[1:]]
    maps = {"pcell": ids[0], "pedge": ids[1][:, :2], "pecell": ids[1][:, 2:], "pbedge": ids[2][:, :2],
            "pbecell": ids[2][:, 2:3]}
    for key, (place, value) in (change or {}).items():
        maps[key][place] = value
    sets = [("nodes", nodes), ("cells", cells), ("edges", edges), ("bedges", bedges)]
    op2(name, sets, [(k, v) for k, v in maps.items() if k not in drop],
        [("p_bound", ids[2][:, 3:4]), ("p_x", numpy.array([[float(v) for v in row] for row in rows[0]])),
         ("p_q", numpy.zeros((cells, 4)))])


def tables():
    """Sets and maps of other names."""
    ids = numpy.array
    pairs, hexes = ids([[0, 1], [1, 2], [2, 3], [3, 4]], "i8"), ids([[0, 3], [1, -1], [2, 0]], "i4")
    op2("good-tables.h5", [("points", 5), ("links", 4), ("parts", 3)], [("l2p", pairs), ("parts_links", hexes)],
        [("coords", numpy.arange(15.0).reshape(5, 3)), ("colour", ids([[70], [80], [90], [-9]], "i4"))])
    op2("bad-rows.h5", [("points", 5), ("links", 3)], [("l2p", pairs)])
    op2("bad-ids.h5", [("points", 4), ("links", 4), ("others", 3)], [("links_points", pairs)])
    op2("bad-negative.h5", [("points", 5), ("links", 4)], [("l2p", pairs - 2)])
    op2("bad-size.h5", [("points", -5), ("links", 4)], [("l2p", pairs)])
    with h5py.File(HERE / "op2-hdf5" / "good-arrows.h5", "w") as file:
        file["edge-->node"] = pairs.astype("i4")
        file["bnode-->node"] = ids([[0], [4]], "i4")
        file["node_coordinates"] = numpy.arange(18.0).reshape(6, 3)
    with h5py.File(HERE / "foreign" / "unsupported-fields.h5", "w") as file:
        file["temperature"] = numpy.zeros((3, 4))


def circle(file):
    """Groups that hold one another: from each two ways lead on, and the last leads back to the first."""
    groups = [file.create_group("0")]
    for i in range(1, 8):
        groups.append(groups[-1].create_group(str(i)))
        groups[-2]["again"] = groups[-1]
    groups[-1]["back"] = groups[0]


def hostile():
    """What could make a reader read other files of the user's, or go round for ever."""
    pairs = numpy.array([[0, 1], [1, 2], [2, 3], [3, 4]], "i4")

    def start(folder, name):
        file = h5py.File(HERE / folder / name, "w", libver=("earliest", "v110"))
        if folder == "op2-hdf5":
            file.create_dataset("edge-->node", data=pairs)
        else: # what a netCDF file of Exodus II has
            for key, size in (("num_nodes", 4), ("num_el_blk", 1), ("num_dim", 3)):
                file.create_dataset(key, data=numpy.zeros(size, "f4")).make_scale(key)
        return file

    for folder, ending in (("op2-hdf5", "h5"), ("exodus", "exo")):
        with start(folder, f"unsupported-elsewhere.{ending}") as file:
            file.create_dataset("coord", (4, 2), "i4", external=[("/etc/passwd", 0, 32)])
        with start(folder, f"unsupported-link.{ending}") as file:
            file["more"] = h5py.ExternalLink("/etc/passwd", "/more")
        with start(folder, f"unsupported-virtual.{ending}") as file:
            layout = h5py.VirtualLayout((4, 2), "i4")
            layout[...] = h5py.VirtualSource("/etc/passwd", "more", (4, 2))
            file.create_virtual_dataset("coord", layout)
        with start(folder, f"bad-circle.{ending}") as file:
            circle(file)
        with start(folder, f"bad-itself.{ending}") as file:
            file["self"] = file["/"]
    with start("exodus", "bad-soft-circle.exo") as file:
        file["self"] = h5py.SoftLink("/")


def main():
    for name in sys.argv[1:]:
        globals().get(name, getattr(hdf5_meshes, name, getattr(vtkhdf_meshes, name, getattr(dmplex_meshes, name, None))))()
    if sys.argv[1:]:
        return
    hostile()
    hdf5_meshes.meds()
    vtkhdf_meshes.vtkhdfs()
    dmplex_meshes.dmplexes()
    hdf5_meshes.cases()
    airfoil("good-grid.h5")
    airfoil("good-some.h5", drop=("pcell",))
    airfoil("bad-node.h5", {"pedge": ((1, 1), 12)})
    airfoil("bad-cell.h5", {"pecell": ((2, 0), -7)})
    tables()
    whole = (HERE / "op2-hdf5/good-grid.h5").read_bytes()
    (HERE / "op2-hdf5/bad-cut.h5").write_bytes(whole[:-700])
    recompress("ugrid/good-flat.nc", "ugrid/good-compressed.nc")
    recompress("exodus/good-solid.exo", "exodus/good-compressed.exo")


if __name__ == "__main__":
    main()
