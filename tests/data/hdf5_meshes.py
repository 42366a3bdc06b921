# SPDX-License-Identifier: Apache-2.0
"""Meshes in HDF5 as MED and Fluent write them, by h5py: called by make_hdf5_fixtures.py. Written from the formats'
documentation, not from the readers."""
import pathlib

import h5py
import numpy

import fixtures_fem
import fixtures_fluent

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


# --- Fluent ---------------------------------------------------------------------------------------

def topology(group, zones, whole):
    """zones: id, first, last, name, type; whole: with columns that other readers want."""
    made = group.create_group("zoneTopology")
    made.attrs["nZones"] = numpy.array([len(zones)], "u8")
    for key, column, kind in (("id", 0, "i4"), ("minId", 1, "u8"), ("maxId", 2, "u8"), ("zoneType", 4, "i4")):
        made[key] = numpy.array([zone[column] for zone in zones], kind)
    for key in whole * ("dimension", "cellType", "faceType", "childZoneId", "shadowZoneId", "flags"):
        made[key] = numpy.zeros(len(zones), "u8" if key == "dimension" else "i4")
    made["name"] = numpy.array([";".join(zone[3] for zone in zones).encode()])


def sections(group, name, rows, kind, cuts):
    """Rows in sections that end at the cuts."""
    made, first = group.require_group(name), 1
    made.attrs["nSections"] = numpy.array([len(cuts)], "u8")
    for number, last in enumerate(cuts, 1):
        part = rows[first - 1:last]
        if name == "nodes":
            put(made, f"{number}/nnodes", numpy.array([len(row) for row in part], "i2"))
            put(made, f"{number}/nodes", numpy.array([node for row in part for node in row], "u4"))
        else:
            put(made, str(number), numpy.array(part, kind))
        made[str(number)].attrs["minId"] = numpy.array([first], "u8")
        made[str(number)].attrs["maxId"] = numpy.array([last], "u8")
        first = last + 1


def case(name, xyz=XYZ, faces=None, dimension=3, cuts=None, cells=((8, 1, 2, "fluid-a", 1), (9, 3, 4, "solid-b", 17)), more=None):
    """The mesh of fixtures_fluent, faces by zones: inside, wall, floor, wall again."""
    (HERE / "fluent-hdf5").mkdir(exist_ok=True)
    faces = faces or fixtures_fluent.solid_faces()
    inner, outer = [face for face in faces if face[2]], [face for face in faces if not face[2]]
    floor = [face for face in outer if all(xyz[node - 1][-1] == 0 for node in face[0])]
    wall = [face for face in outer if face not in floor]
    parts = [(3, 2, inner, "inside"), (5, 3, wall[:2], "wall"), (4, 4, floor, "floor"), (5, 3, wall[2:], "wall")]
    rows, zones = [], []
    for zone, kind, some, word in parts:
        zones.append((zone, len(rows) + 1, len(rows) + len(some), word, kind))
        rows += some
    with h5py.File(HERE / "fluent-hdf5" / name, "w", libver=("v108", "v108")) as file:
        mesh, whole = file.create_group("meshes/1"), name.startswith("good")
        for key, value in (("dimension", dimension), ("nodeCount", len(xyz)), ("faceCount", len(rows)), ("cellCount", 4),
                           ("nodeOffset", 0), ("faceOffset", 0), ("cellOffset", 0)):
            mesh.attrs[key] = numpy.array([value], "u8")
        nodes = mesh.create_group("nodes")
        topology(nodes, [(1, 1, len(xyz), "nodes", 1)], whole)
        sections(nodes, "coords", [tuple(map(float, point)) for point in xyz], "f8", [5, len(xyz)] if cuts else [len(xyz)])
        group = mesh.create_group("faces")
        topology(group, zones, whole)
        cuts = cuts or [len(rows)]
        sections(group, "nodes", [face[0] for face in rows], None, cuts)
        sections(group, "c0", [face[1] for face in rows], "u4", cuts)
        sections(group, "c1", [face[2] for face in rows if face[2]] if len(cuts) == 1 else [face[2] for face in rows], "u4",
                 [len(inner)] if len(cuts) == 1 else cuts)
        group = mesh.create_group("cells")
        topology(group, list(cells), whole)
        if whole:
            group["zoneTopology/cellType"][...] = 7
            file.create_group("settings")
        if more:
            more(mesh)


def replaced(path, change):
    """A table whose numbers are changed in place."""
    def of(mesh):
        values = mesh[path][...]
        change(values)
        mesh[path][...] = values
    return of


def cases():
    fluent, flat = fixtures_fluent, [(*point, 0)[:2] for point in fixtures_fluent.FLAT_XYZ]
    case("good-solids.cas.h5")
    case("good-sections.msh.h5", cuts=[3, 9, 17])
    case("good-flat.cas.h5", flat, fluent.flat_faces(), 2, cells=((8, 1, 4, "fluid-a", 1),))
    cut = [face for face in fluent.solid_faces() if face[0] != (5, 6, 2, 1)] + [[(5, 6, 2), 1, 0], [(5, 2, 1), 1, 0]]
    case("good-polyhedron.cas.h5", faces=cut)
    surface = [[face[0], 0, 0] for face in fluent.solid_faces() if not face[2]]
    case("good-surface.msh.h5", faces=surface, cells=(), cuts=[5, 14])

    def at(place, value):
        return lambda values: values.__setitem__(place, value)

    case("bad-node.cas.h5", more=replaced("faces/nodes/1/nodes", at(3, 13)))
    case("bad-size.cas.h5", more=replaced("faces/nodes/1/nnodes", at(3, 40)))
    case("bad-cell.cas.h5", more=replaced("faces/c0/1", at(2, 4000000000)))
    case("bad-far-cell.cas.h5", more=replaced("faces/c0/1", at(2, 4000)))
    case("bad-both.cas.h5", more=replaced("faces/c1/1", lambda values: values.__setitem__(0, 1)))
    case("bad-zone.cas.h5", more=replaced("faces/zoneTopology/maxId", at(3, 99)))
    case("bad-section.msh.h5", cuts=[3, 9, 17], more=lambda mesh: mesh["faces/nodes/2"].attrs.__setitem__("minId", numpy.array([5], "u8")))
    case("bad-dimension.cas.h5", dimension=4)
    case("bad-infinite.cas.h5", xyz=numpy.where(XYZ == 1.5, numpy.inf, XYZ))
    case("bad-flat.cas.h5", flat, [[(1, 2, 3), 1, 0], [(1, 2), 1, 0]], 2, cells=((8, 1, 4, "fluid-a", 1),))
    case("bad-no-nodes.cas.h5", more=lambda mesh: mesh["nodes"].pop("coords"))
    case("unsupported-parents.cas.h5", more=replaced("faces/zoneTopology/zoneType", at(2, 31)))
