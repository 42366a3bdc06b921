# SPDX-License-Identifier: Apache-2.0
"""Meshes in HDF5 as MED writes them, by h5py: called by make_hdf5_fixtures.py. Written from the formats'
documentation, not from the readers."""
import pathlib

import h5py
import numpy

import fixtures_fem

HERE = pathlib.Path(__file__).resolve().parent
XYZ = numpy.array(fixtures_fem.XYZ, "f8")
STATE = "-0000000000000000001-0000000000000000001"
# nodes from 1; MED turns volumes the other way round than others do
MED_SOLIDS = {"HE8": [[1, 4, 3, 2, 5, 8, 7, 6]], "PE6": [[5, 9, 8, 6, 10, 7]], "PY5": [[2, 6, 7, 3, 11]],
              "TE4": [[6, 11, 7, 12]], "QU4": [[1, 4, 3, 2]], "TR3": [[5, 9, 8]], "SE2": [[1, 2]], "PO1": [[1]]}
MED_FAMILIES = {"ELEME": {"FAM_-1_block": (-1, ["block", "most"]), "FAM_-2_tops": (-2, ["most"]), "FAM_-3": (-3, ["floor"]),
                          "FAM_-4": (-4, ["rim"]), "FAM_-5": (-5, [])}, "NOEUD": {"FAM_1_corner": (1, ["corner"])}}
MED_MEMBERS = {"HE8": [-1], "PY5": [-2], "TE4": [0], "QU4": [-3], "TR3": [-5], "SE2": [-4], "NOE": [1, 1] + [0] * 10}


def put(group, name, data, **attributes):
    made = group.create_dataset(name, data=data)
    for key, value in attributes.items():
        made.attrs[key] = numpy.int32(value)
    return made


def families(file, mesh, of):
    for kind, entries in of.items():
        for name, (number, groups) in entries.items():
            made = file.create_group(f"FAS/{mesh}/{kind}/{name}")
            made.attrs["NUM"] = numpy.int32(number)
            if groups:
                texts = numpy.zeros((len(groups), 80), "i1")
                for row, text in zip(texts, groups):
                    row[:len(text)] = numpy.frombuffer(text.encode(), "i1")
                kept = made.create_group("GRO")
                kept.attrs["NBR"] = numpy.int32(len(groups))
                array_of_bytes(kept, texts)
    file.require_group(f"FAS/{mesh}/FAMILLE_ZERO").attrs["NUM"] = numpy.int32(0)


def array_of_bytes(group, texts):
    """A dataset of arrays of 80 bytes, which h5py makes only by its lower level."""
    kind = h5py.h5t.array_create(h5py.h5t.STD_I8LE, (80,))
    made = h5py.h5d.create(group.id, b"NOM", kind, h5py.h5s.create_simple((len(texts),)))
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, texts, kind)


def med(name, cells=None, points=XYZ, members=None, of=None, state=f"/{STATE}", mesh="m", more=None, kind=0):
    (HERE / "med").mkdir(exist_ok=True)
    with h5py.File(HERE / "med" / name, "w", libver="earliest" if name == "good-old.med" else ("v108", "v108")) as file:
        about = file.create_group("INFOS_GENERALES")
        about.attrs["MAJ"], about.attrs["MIN"] = numpy.int32(4), numpy.int32(1)
        file.create_group(f"ENS_MAA/{mesh}").attrs["TYP"] = numpy.int32(kind)
        place = file.require_group(f"ENS_MAA/{mesh}{state}")
        put(place.create_group("NOE"), "COO", points.T.reshape(-1), NBR=len(points))
        for word, rows in (MED_SOLIDS if cells is None else cells).items():
            put(place.create_group(f"MAI/{word}"), "NOD", numpy.array(rows, "i8" if word == "QU4" else "i4").T.reshape(-1),
                NBR=len(rows))
        for word, numbers in (MED_MEMBERS if members is None else members).items():
            put(place[word if word == "NOE" else f"MAI/{word}"], "FAM", numpy.array(numbers, "i4"))
        families(file, mesh, MED_FAMILIES if of is None else of)
        if more:
            more(file, place)


def med_second(name):
    """One cell of second order whose nodes are the middles of edges; MED's order is around bottom, around top, upwards."""
    _, corners, edges = fixtures_fem.SECOND[name]
    points = numpy.array(corners + [tuple((corners[a][d] + corners[b][d]) / 2 for d in range(3)) for a, b in edges], "f8")
    turned = {"tet10": [0, 2, 1, 3], "prism15": [0, 2, 1, 3, 5, 4], "hex20": [0, 3, 2, 1, 4, 7, 6, 5]}[name]
    place = {frozenset(edge): len(corners) + i for i, edge in enumerate(edges)}
    nodes = turned + [place[frozenset((turned[a], turned[b]))] for a, b in edges]
    word = {"tet10": "T10", "prism15": "P15", "hex20": "H20"}[name]
    med(f"good-{name}.med", {word: [[k + 1 for k in nodes]]}, points, {}, {})


def med_polygons(file, place):
    made = place.create_group("MAI/POG")
    put(made, "NOD", numpy.array([1, 2, 3, 4, 5, 1, 5, 6], "i4"))
    put(made, "INN", numpy.array([1, 6, 9], "i4"))
    del file


def meds():
    flat = numpy.array([(0, 0), (1, 0), (2, 1), (1, 2), (0, 1), (-1, .5)], "f8")
    none = {"members": {}, "of": {}}
    med("good-solids.med")
    med("good-old.med", state="")
    med("good-flat.med", {"TR3": [[1, 2, 5], [2, 4, 5]], "SE2": [[1, 2]]}, flat, {"SE2": [-1]}, {"ELEME": {"x": (-1, ["wall"])}})
    med("good-polygons.med", {}, flat, **none, more=med_polygons)
    for name in fixtures_fem.SECOND:
        med_second(name)
    solids = {word: [list(row) for row in rows] for word, rows in MED_SOLIDS.items()}
    solids["TE4"][0][3] = 13
    med("bad-node.med", solids)
    med("bad-zero.med", {"TE4": [[0, 1, 2, 3]]}, **none)
    med("bad-half.med", {"TE4": [[1, 2, 3, 5]]}, more=lambda file, place: (place["MAI/TE4"].pop("NOD"), put(place["MAI/TE4"], "NOD", numpy.array([1, 2, 3], "i4"))), **none)
    med("bad-members.med", members={"HE8": [-1, -1]})
    med("bad-no-cells.med", {}, **none)
    med("bad-no-nodes.med", more=lambda file, place: place["NOE"].pop("COO"))
    med("bad-count.med", more=lambda file, place: place["NOE/COO"].attrs.__setitem__("NBR", numpy.int32(7)))
    med("bad-reals.med", more=lambda file, place: (place["MAI/TE4"].pop("NOD"), put(place["MAI/TE4"], "NOD", numpy.array([1., 2, 3, 5]))))
    med("bad-infinite.med", points=numpy.where(XYZ == 1.5, numpy.inf, XYZ))
    med("unsupported-grid.med", {}, **none, kind=1)
    med("unsupported-polyhedra.med", {"POE": [[1, 2, 3]]}, **none)
    whole = (HERE / "med/good-solids.med").read_bytes()
    (HERE / "med/bad-cut.med").write_bytes(whole[:-700])
