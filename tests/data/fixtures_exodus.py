# SPDX-License-Identifier: Apache-2.0
"""Exodus II meshes as Sandia's library lays them out in netCDF-3, and one in netCDF-4."""
import fixtures_gmsh
import fixtures_op2_hdf5
from classic_netcdf import classic
from fixture import in_folder

NAMED = "the library tells no bytes: the variable is named"
XYZ = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 2, 1, 0, 2, 2, 0.5, 0.5, 1.5, 0.5, 2]
SOLIDS = [("HEX8", [[1, 2, 3, 4, 5, 6, 7, 8]]), ("wedge", [[5, 8, 9, 6, 7, 10]]), ("PYRAMID5", [[2, 3, 7, 6, 11]]),
          ("TETRA", [[6, 7, 11, 12]])]


def label(texts, width=12):
    return "".join(text.ljust(width, "\0") for text in texts)


def exodus(blocks, xyz=XYZ, dimension=3, names=None, ids=None, sides=(), nodes=(), side_names=None, together=False,
           real="double", version=2, whole="int", replace=None, drop=(), faces=()):
    """blocks: [(elem_type, rows)], sides: [[(element, side)]], nodes: [[node]]; all from 1."""
    n_nodes = len(xyz) // dimension
    names = names or [f"block_{i + 1}" for i in range(len(blocks))]
    ids = ids or [10 * (i + 1) for i in range(len(blocks))]
    dimensions = {"num_dim": dimension, "num_nodes": n_nodes, "num_elem": sum(len(rows) for _, rows in blocks),
                  "num_el_blk": len(blocks), "len_name": 12}
    variables = [("eb_status", "int", ["num_el_blk"], {}, [int(bool(rows)) for _, rows in blocks]),
                 ("eb_prop1", "int", ["num_el_blk"], {"name": "ID"}, ids),
                 ("eb_names", "char", ["num_el_blk", "len_name"], {}, label(names))]
    if together:
        variables.append(("coord", real, ["num_dim", "num_nodes"], {},
                          [v for d in range(dimension) for v in xyz[d::dimension]]))
    else:
        variables += [(f"coord{axis}", real, ["num_nodes"], {}, xyz[d::dimension])
                      for d, axis in enumerate("xyz"[:dimension])]
    for i, (kind, rows) in enumerate(blocks, 1):
        if not rows:
            continue
        flat = [node for row in rows for node in row]
        dimensions[f"num_el_in_blk{i}"] = len(rows)
        if kind == "nfaced":
            dimensions[f"num_fac_per_el{i}"] = len(flat)
            variables += [(f"facconn{i}", whole, [f"num_fac_per_el{i}"], {"elem_type": kind}, flat),
                          (f"ebepecnt{i}", "int", [f"num_el_in_blk{i}"], {"entity_type1": "FACE"},
                           [len(row) for row in rows])]
            continue
        if kind == "nsided":
            dimensions[f"num_nod_per_el{i}"] = len(flat)
            variables += [(f"connect{i}", whole, [f"num_nod_per_el{i}"], {"elem_type": kind}, flat),
                          (f"ebepecnt{i}", "int", [f"num_el_in_blk{i}"], {"entity_type1": "NODE"},
                           [len(row) for row in rows])]
        else:
            dimensions[f"num_nod_per_el{i}"] = len(rows[0])
            variables.append((f"connect{i}", whole, [f"num_el_in_blk{i}", f"num_nod_per_el{i}"], {"elem_type": kind},
                              flat))
    if faces:
        dimensions["num_fa_blk"] = len(faces)
    for i, rows in enumerate(faces, 1):
        flat = [node for row in rows for node in row]
        dimensions[f"num_fa_in_blk{i}"], dimensions[f"num_nod_per_fa{i}"] = len(rows), len(flat)
        variables += [(f"fbconn{i}", whole, [f"num_nod_per_fa{i}"], {"elem_type": "nsided"}, flat),
                      (f"fbepecnt{i}", "int", [f"num_fa_in_blk{i}"], {"entity_type1": "NODE"}, [len(row) for row in rows])]
    if sides:
        dimensions["num_side_sets"] = len(sides)
        variables.append(("ss_prop1", "int", ["num_side_sets"], {"name": "ID"}, [7 + i for i in range(len(sides))]))
        if side_names:
            variables.append(("ss_names", "char", ["num_side_sets", "len_name"], {}, label(side_names)))
    for i, list_ in enumerate(sides, 1):
        dimensions[f"num_side_ss{i}"] = len(list_)
        variables += [(f"elem_ss{i}", "int", [f"num_side_ss{i}"], {}, [e for e, _ in list_]),
                      (f"side_ss{i}", "int", [f"num_side_ss{i}"], {}, [s for _, s in list_])]
    if nodes:
        dimensions["num_node_sets"] = len(nodes)
    for i, list_ in enumerate(nodes, 1):
        dimensions[f"num_nod_ns{i}"] = len(list_)
        variables.append((f"node_ns{i}", "int", [f"num_nod_ns{i}"], {}, list_))
    variables = [(replace or {}).get(v[0], v) for v in variables if v[0] not in drop]
    return classic(dimensions, variables, {"title": "fixture"}, version)


QUADS_XY = [0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1, 1, 2]
QUADS = [("QUAD4", [[1, 2, 5, 4], [2, 3, 6, 5]]), ("TRI3", [[4, 5, 7], [5, 6, 7]])]
RIM = [[(1, 1), (2, 1)], [(3, 3), (4, 2)]]
BLOCKS = "; block_1 1, block_2 1, block_3 1, block_4 1"


def in_space(xy):
    return [v for i in range(0, len(xy), 2) for v in (xy[i], xy[i + 1], (xy[i] - 1) ** 2)]


# two hexagonal prisms on one another: rings of nodes, then faces around; face blocks of hexagons and of quads
RING = [(2, 0), (1, 2), (-1, 2), (-2, 0), (-1, -2), (1, -2)]
PRISMS_XYZ = [v for z in range(3) for x, y in RING for v in (x, y, z)]
HEXAGONS = [[6, 5, 4, 3, 2, 1], [7, 8, 9, 10, 11, 12], [13, 14, 15, 16, 17, 18]]
AROUND = [[6 * z + k + 1, 6 * z + (k + 1) % 6 + 1, 6 * z + (k + 1) % 6 + 7, 6 * z + k + 7] for z in range(2)
          for k in range(6)]
PRISMS = [("nfaced", [[1, 2, *range(4, 10)]]), ("nfaced", [[2, 3, *range(10, 16)]])]
HOLDS = ("nodes 18, cells 2, faces 1, boundary_faces 14, cells_nodes ragged, faces_cells 2, faces_nodes 6, "
         "boundary_faces_cells 1, boundary_faces_nodes ragged")
SIDES_OF = {8: [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]],
            6: [[0, 2, 1], [3, 4, 5], [0, 1, 4, 3], [1, 2, 5, 4], [2, 0, 3, 5]],
            5: [[0, 3, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]], 4: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]}


def outward(face, row):
    """The face with its normal away from the middle of the cell."""
    at = [XYZ[3 * node - 3:3 * node] for node in face]
    middle = [sum(XYZ[3 * node - 3 + d] for node in row) / len(row) for d in range(3)]
    a, b, c = ([at[k][d] - at[0][d] for d in range(3)] for k in (1, 2, 0))
    normal = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    away = sum(n * (x - m + y) for n, x, m, y in zip(normal, at[0], middle, c))
    return face if away > 0 else face[::-1]


def by_faces(blocks):
    """The same cells as polyhedra, and their faces."""
    numbers, faces, result = {}, [], []
    for _, rows in blocks:
        result.append(("nfaced", []))
        for row in rows:
            result[-1][1].append([])
            for side in SIDES_OF[len(row)]:
                face = outward([row[k] for k in side], row)
                if tuple(sorted(face)) not in numbers:
                    faces.append(face)
                    numbers[tuple(sorted(face))] = len(faces)
                result[-1][1][-1].append(numbers[tuple(sorted(face))])
    return result, faces


def good():
    blocks, faces = by_faces(SOLIDS)
    yield ("good-faces.exo", exodus(blocks, faces=[faces]), fixtures_gmsh.SOLIDS + BLOCKS)
    yield ("good-polyhedra.exo", exodus(PRISMS, PRISMS_XYZ, faces=[HEXAGONS, AROUND]), HOLDS)
    mixed = [PRISMS[0], ("WEDGE6", [[7, 8, 9, 13, 14, 15]])]
    yield ("good-mixed.exo", exodus(mixed, PRISMS_XYZ, faces=[HEXAGONS, AROUND]),
           HOLDS.replace("faces 1, boundary_faces 14", "faces 0, boundary_faces 13").replace("faces_nodes 6", "faces_nodes ragged"))
    yield ("good-hexagon.exo", exodus([("nsided", [[1, 2, 3, 6, 5, 4], [4, 5, 7]])], QUADS_XY, 2),
           "nodes 7, cells 2, faces 1, boundary_faces 7, cells_nodes ragged, faces_cells 2, faces_nodes 2, "
           "boundary_faces_cells 1, boundary_faces_nodes 2")
    solid = fixtures_gmsh.SOLIDS + BLOCKS
    yield ("good-solid.exo", exodus(SOLIDS), solid)
    yield ("good-together.exo", exodus(SOLIDS, together=True, real="float"), solid, "good-solid.exo")
    yield ("good-wide.exo", exodus(SOLIDS, version=5, whole="int64"), solid, "good-solid.exo")
    yield ("good-omitted.exo", exodus([SOLIDS[0], ("NULL", []), *SOLIDS[1:], ("SHELL4", [])],
                                      names=["block_1", "gone", "block_2", "block_3", "block_4", "more"],
                                      ids=[10, 15, 20, 30, 40, 50]), solid, "good-solid.exo")
    yield ("good-shells.exo", exodus([*SOLIDS[:2], ("SHELL4", [[1, 2, 6, 5]]), ("SPHERE", [[3]]), *SOLIDS[2:]],
                                     names=["block_1", "block_2", "skin", "mass", "block_3", "block_4"],
                                     ids=[10, 20, 5, 6, 30, 40]), solid, "good-solid.exo")
    yield ("good-sides.exo", exodus(SOLIDS, sides=[[(1, 5), (1, 1)], [(2, 3), (4, 4), (3, 5)]], nodes=[[3, 1, 3], []],
                                    side_names=["floor", "rest"]),
           fixtures_gmsh.SOLIDS + BLOCKS + ", #1 2, floor 2, rest 1, rest 2")
    flat = "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4; block_1 2, block_2 2"
    yield ("good-flat.exo", exodus(QUADS, QUADS_XY, 2, sides=RIM), flat + ", #7 2, #8 2")
    yield ("good-polygons.exo", exodus([("nsided", [row for _, rows in QUADS for row in rows])], QUADS_XY, 2,
                                       sides=RIM), "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4; "
           "block_1 4, #7 2, #8 2")
    shells = [("SHELL4", QUADS[0][1]), ("TRISHELL3", QUADS[1][1])]
    yield ("good-surface.exo", exodus(shells, in_space(QUADS_XY), 3,
                                      sides=[[(1, 3), (2, 3), (1, 1)], [(3, 5), (4, 4)]]), flat + ", #7 2, #8 2")
    yield ("good-shells-flat.exo", exodus([("SHELL4", QUADS[0][1]), ("TRISHELL3", QUADS[1][1])], QUADS_XY, 2,
                                          sides=[[(1, 3), (2, 3)], [(3, 5), (4, 4)]]),
           flat + ", #7 2, #8 2", "good-flat.exo")
    yield ("good-compressed.exo", None, solid, "good-solid.exo")
    yield from fixtures_op2_hdf5.hostile("exo")
    yield ("bad-soft-circle.exo", None, "self is a group that is reached by several links", fixtures_op2_hdf5.NAMED)


def bad():
    def rows(change, to):
        return [(kind, [[to if (i, k) == change else v for k, v in enumerate(row)] for row in list_])
                for i, (kind, list_) in enumerate(SOLIDS)]

    yield ("bad-node.exo", exodus(rows((1, 2), 13)), "variable connect2: entry (0, 2) is 13, not a node in [1, 13)",
           NAMED)
    yield ("bad-node-zero.exo", exodus(rows((0, 0), 0)), "variable connect1: entry (0, 0) is 0, not a node", NAMED)
    yield ("bad-element.exo", exodus(SOLIDS, sides=[[(5, 1)]]), "variable elem_ss1: entry (0) is 5, not in [1, 4]",
           NAMED)
    yield ("bad-side.exo", exodus(SOLIDS, sides=[[(1, 6), (4, 5)]]), "variable side_ss1: element 4 (tet4) has no side 5",
           NAMED)
    yield ("bad-sides.exo", exodus(SOLIDS, sides=[[(1, 6)]], replace={
        "side_ss1": ("side_ss1", "int", ["num_el_blk"], {}, [1, 1, 1, 1])}),
        "side set 1 has 1 elements and 4 sides", NAMED)
    yield ("bad-node-set.exo", exodus(SOLIDS, nodes=[[1, 13]]), "variable node_ns1: entry (1) is 13, not in [1, 12]",
           NAMED)
    yield ("bad-no-coordinates.exo", exodus(SOLIDS, drop=["coordz"]), "there is no variable coordz", NAMED)
    yield ("bad-coordinates.exo", exodus(SOLIDS, replace={"coordx": ("coordx", "double", ["num_dim"], {}, [0, 1, 2])}),
           "variable coordx has 3 numbers for 12 nodes", NAMED)
    yield ("bad-infinite.exo", exodus(SOLIDS, XYZ[:-1] + [float("inf")]), "coordinate 2 of member 11 is infinite", NAMED)
    yield ("bad-polygon.exo", exodus([("nsided", [[1, 2], [2, 3, 6]])], QUADS_XY, 2),
           "variable ebepecnt1: element 0 is a polygon of 2 nodes", NAMED)
    yield ("bad-polygons.exo", exodus([("nsided", [[1, 2, 5, 4]])], QUADS_XY, 2, replace={
        "ebepecnt1": ("ebepecnt1", "int", ["num_el_in_blk1"], {}, [3])}),
        "variable ebepecnt1 says 3, but there are 4", NAMED)
    def prisms(**more):
        return exodus(PRISMS, PRISMS_XYZ, faces=[HEXAGONS, AROUND], **more)

    yield ("bad-face.exo", exodus([("nfaced", [[1, 2, *range(4, 9), 16]])], PRISMS_XYZ, faces=[HEXAGONS, AROUND]),
           "variable facconn1: entry (7) is 16, not a face in [1, 16)", NAMED)
    yield ("bad-face-uses.exo", exodus([*PRISMS, PRISMS[1]], PRISMS_XYZ, faces=[HEXAGONS, AROUND]),
           "variable facconn3: face 2 belongs to more than two polyhedra", NAMED)
    yield ("bad-face-node.exo", exodus(PRISMS, PRISMS_XYZ, faces=[[[6, 5, 4, 3, 2, 19], *HEXAGONS[1:]], AROUND]),
           "variable fbconn1: entry (5) is 19, not a node in [1, 19)", NAMED)
    yield ("bad-face-counts.exo", prisms(replace={"fbepecnt1": ("fbepecnt1", "int", ["num_fa_in_blk1"], {}, [6, 6, 7])}),
           "variable fbepecnt1: entry (2) is 7, but only 6 are left", NAMED)
    yield ("bad-cell-counts.exo", prisms(replace={"ebepecnt1": ("ebepecnt1", "int", ["num_el_in_blk1"], {}, [7])}),
           "variable ebepecnt1 says 7, but there are 8", NAMED)
    yield ("bad-no-faces.exo", prisms(drop=["fbconn2"]), "there is no variable fbconn2", NAMED)
    yield ("bad-few-faces.exo", exodus([("nfaced", [[1, 2, 4]])], PRISMS_XYZ, faces=[HEXAGONS, AROUND]),
           "cell 0, a polyhedron, has 3 faces", NAMED)
    yield ("bad-points.exo", exodus([("SPHERE", [[1], [2]])]), "all elements of the blocks are points", NAMED)
    yield ("bad-dimension.exo", exodus(SOLIDS).replace(b"num_dim\0\0\0\0\3", b"num_dim\0\0\0\0\4"),
           "dimension num_dim must be 1, 2 or 3, not 4", NAMED)
    yield ("bad-cut.exo", exodus(SOLIDS)[:-20], "variable connect3: the file ends before its numbers", NAMED)
    yield ("bad-head.exo", exodus(SOLIDS)[:500], ": byte 336: a count is larger than what the file can hold")


def unsupported():
    yield ("unsupported-element.exo", exodus([("HEX9", [list(range(1, 10))])]),
           "variable connect1: elements of type 'HEX9' with 9 nodes are not supported")
    yield ("unsupported-block.exo", exodus(SOLIDS, drop=["connect3"]),
           "block 30 (block_3) has neither a variable connect3 nor facconn3")
    yield ("unsupported-beside.exo", exodus([PRISMS[0], ("TETRA10", [list(range(7, 17))])], PRISMS_XYZ,
                                            faces=[HEXAGONS, AROUND]),
           "block 20 (block_2): tet10 together with polyhedra or polygons are not supported")


def fixtures(here):
    del here
    yield from in_folder("exodus", [*good(), *bad(), *unsupported()])
