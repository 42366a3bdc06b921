# SPDX-License-Identifier: Apache-2.0
"""Meshes in HDF5 as PETSc's DMView writes DMPlex, by h5py: called by make_hdf5_fixtures.py."""
import pathlib

import h5py
import numpy

import fixtures_fem

HERE = pathlib.Path(__file__).resolve().parent
XYZ = numpy.array(fixtures_fem.XYZ, "f8")
# vertices, and faces whose normals leave the cell
HEX, PRISM = ([0, 1, 2, 3, 4, 5, 6, 7], "0321 4567 0154 2376 1265 0473"), ([4, 7, 8, 5, 6, 9], "021 345 0143 1254 0352")
PYRAMID, TET = ([1, 2, 6, 5, 10], "0321 014 124 234 304"), ([6, 5, 10, 11], "021 013 123 032")


class Plex:
    """Points: cells, then vertices, faces, edges; cones with orientations, -1 for what is passed backwards."""
    def __init__(self, cells, n_vertices):
        self.cones, self.turns, self.faces, self.edges = {}, {}, {}, {}
        solids = [[[nodes[int(c)] for c in face] for face in faces.split()] for nodes, faces in cells]
        self.n_cells, self.n_vertices = len(cells), n_vertices
        face_first = self.n_cells + n_vertices
        for solid in solids:
            for face in solid:
                self.faces.setdefault(frozenset(face), (len(self.faces) + face_first, face))
        edge_first = face_first + len(self.faces)
        for _, face in self.faces.values():
            for a, b in zip(face, face[1:] + face[:1]):
                self.edges.setdefault(frozenset((a, b)), (len(self.edges) + edge_first, [a, b]))
        for c, solid in enumerate(solids):
            known = [self.faces[frozenset(face)] for face in solid]
            self.cones[c] = [point for point, _ in known]
            self.turns[c] = [0 if first == face else -1 for (_, first), face in zip(known, solid)]
        for v in range(n_vertices):
            self.cones[self.n_cells + v], self.turns[self.n_cells + v] = [], []
        for point, face in self.faces.values():
            known = [self.edges[frozenset(edge)] for edge in zip(face, face[1:] + face[:1])]
            self.cones[point] = [edge for edge, _ in known]
            self.turns[point] = [0 if edge[0] == a else -1 for (_, edge), a in zip(known, face)]
        for point, edge in self.edges.values():
            self.cones[point], self.turns[point] = [self.n_cells + v for v in edge], [0, 0]

    def face(self, *nodes):
        return self.faces[frozenset(nodes)][0]

    def edge(self, *nodes):
        return self.edges[frozenset(nodes)][0]


def topology(group, cones, turns, dimension, order=None):
    order = order or sorted(cones)
    made = group.create_group("topology")
    made["order"] = numpy.array(order, "i4")[:, None]
    made["cones"] = numpy.array([len(cones[p]) for p in order], "i4")[:, None]
    made["cells"] = numpy.array([k for p in order for k in cones[p]], "i4")[:, None]
    made["orientation"] = numpy.array([k for p in order for k in turns[p]], "i4")[:, None]
    made["cells"].attrs["cell_dim"] = numpy.int32(dimension)


def labels(group, of):
    for name, values in of.items():
        for value, points in values.items():
            group[f"labels/{name}/{value}/indices"] = numpy.array(points, "i4")[:, None]


def solids(file, change=None, version="1.0.0", order=None):
    plex = Plex([HEX, PRISM, PYRAMID, TET], len(XYZ))
    cones = {**plex.cones}
    file.attrs["dmplex_storage_version"] = numpy.bytes_(version)
    root = file if version == "1.0.0" else file.create_group("topologies/m")
    topology(root, cones, plex.turns, 3, order(plex) if order else None)
    if root is file:
        file["geometry/vertices"] = XYZ
    else:
        made = root.create_group("dms/coordinateDM")
        made["order"] = numpy.arange(15, 3, -1, dtype="i4")[:, None]
        made["section/atlasOff"] = numpy.arange(0, 36, 3, dtype="i4")[:, None]
        made["vecs/coordinates/coordinates"] = XYZ[::-1].reshape(-1)
        made["vecs/coordinates"].attrs["blockSize"] = numpy.int32(3)
    labels(root, {"Cell Sets": {1: [0, 1], 2: [2, 3]}, "Face Sets": {4: [plex.face(0, 1, 2, 3), plex.face(4, 7, 8)]},
                  "Vertex Sets": {9: [4, 6]}, "marker": {0: [plex.edge(0, 1)], 5: [plex.face(0, 1, 2, 3)]},
                  "depth": {0: list(range(4, 16))}, "celltype": {0: list(range(4, 16))}})
    if change:
        change(root)


def flat(file):
    """Two triangles of vertices only, whose points are in another order than their numbers."""
    file.attrs["dmplex_storage_version"] = numpy.bytes_("1.0.0")
    topology(file, {0: [2, 3, 4], 1: [3, 5, 4], 2: [], 3: [], 4: [], 5: []}, {0: [0] * 3, 1: [0] * 3, 2: [], 3: [], 4: [], 5: []}, 2, [5, 1, 0, 2, 3, 4])
    file["geometry/vertices"] = numpy.array([(0, 0), (1, 0), (0, 1), (1, 1)], "f8")


def drawing(file):
    file.attrs["dmplex_storage_version"] = numpy.bytes_("1.0.0")
    file["geometry/vertices"] = XYZ
    file["viz/topology/cells"] = numpy.array([[0, 1, 2, 3, 4, 5, 6, 7]], "i4")
    file["viz/topology/cells"].attrs["cell_dim"] = numpy.int32(3)
    file["viz/topology/cells"].attrs["cell_corners"] = numpy.int32(8)


def strata(file):
    file.attrs["dmplex_storage_version"] = numpy.bytes_("3.0.0")
    file["topologies/m/topology/strata/0/cones"] = numpy.zeros(1, "i4")


def changed(path, place, value):
    def change(root):
        values = root[path][...]
        values[place] = value
        root[path][...] = values
    return change


def write(name, make, *more):
    (HERE / "dmplex").mkdir(exist_ok=True)
    with h5py.File(HERE / "dmplex" / name, "w", libver=("v108", "v108")) as file:
        make(file, *more)


def dmplexes():
    write("good-solids.h5", solids)
    write("good-order.h5", solids, None, "1.0.0", lambda plex: sorted(plex.cones, reverse=True))
    write("good-version2.h5", solids, None, "2.1.0")
    write("good-flat.h5", flat)
    write("good-drawing.h5", drawing)
    write("bad-point.h5", solids, changed("topology/cells", 3, 4000))
    write("bad-order.h5", solids, changed("topology/order", 3, 4))
    write("bad-size.h5", solids, changed("topology/cones", 3, 64))
    write("bad-depth.h5", solids, changed("topology/cells", 1, 5))
    write("bad-infinite.h5", solids, changed("geometry/vertices", (3, 1), numpy.inf))
    write("bad-label.h5", solids, changed("labels/Cell Sets/1/indices", 1, 4000))
    write("bad-no-vertices.h5", solids, lambda root: root.pop("geometry"))
    write("bad-turns.h5", solids, lambda root: (root["topology"].pop("orientation"), root.__setitem__("topology/orientation", numpy.zeros(5, "i4"))))
    write("unsupported-version.h5", strata)
