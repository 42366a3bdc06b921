"""Exodus II meshes as Sandia's library lays them out in netCDF-3, and one in netCDF-4."""
import fixtures_gmsh
from classic_netcdf import classic
from fixture import in_folder

NAMED = "the library tells no bytes: the variable is named"
XYZ = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 2, 1, 0, 2, 2, 0.5, 0.5, 1.5, 0.5, 2]
SOLIDS = [("HEX8", [[1, 2, 3, 4, 5, 6, 7, 8]]), ("wedge", [[5, 8, 9, 6, 7, 10]]), ("PYRAMID5", [[2, 3, 7, 6, 11]]),
          ("TETRA", [[6, 7, 11, 12]])]


def label(texts, width=12):
    return "".join(text.ljust(width, "\0") for text in texts)


def exodus(blocks, xyz=XYZ, dimension=3, names=None, ids=None, sides=(), nodes=(), side_names=None, together=False,
           real="double", version=2, whole="int", replace=None, drop=()):
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
        if kind == "nsided":
            dimensions[f"num_nod_per_el{i}"] = len(flat)
            variables += [(f"connect{i}", whole, [f"num_nod_per_el{i}"], {"elem_type": kind}, flat),
                          (f"ebepecnt{i}", "int", [f"num_el_in_blk{i}"], {"entity_type1": "NODE"},
                           [len(row) for row in rows])]
        else:
            dimensions[f"num_nod_per_el{i}"] = len(rows[0])
            variables.append((f"connect{i}", whole, [f"num_el_in_blk{i}", f"num_nod_per_el{i}"], {"elem_type": kind},
                              flat))
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


def good():
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
    yield ("good-compressed.exo", None, solid, "good-solid.exo")


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
        "variable ebepecnt1 counts 3 nodes, connect1 has 4", NAMED)
    yield ("bad-points.exo", exodus([("SPHERE", [[1], [2]])]), "no block has elements but points", NAMED)
    yield ("bad-dimension.exo", exodus(SOLIDS).replace(b"num_dim\0\0\0\0\3", b"num_dim\0\0\0\0\4"),
           "dimension num_dim is 4, not 1, 2 or 3", NAMED)
    yield ("bad-cut.exo", exodus(SOLIDS)[:-20], "variable connect3: the file ends before its numbers", NAMED)
    yield ("bad-head.exo", exodus(SOLIDS)[:500], ": byte 336: a count is larger than what the file can hold")


def unsupported():
    yield ("unsupported-element.exo", exodus([("HEX9", [list(range(1, 10))])]),
           "variable connect1: elements of type 'HEX9' with 9 nodes are not supported")
    yield ("unsupported-polygon.exo", exodus([("nsided", [[1, 2, 3, 6, 5, 4]])], QUADS_XY, 2),
           "variable ebepecnt1: element 0 is a polygon of 6 nodes")
    yield ("unsupported-polyhedra.exo", exodus(SOLIDS, drop=["connect3"]),
           "block 30 (block_3) has no variable connect3: polyhedra")


def fixtures(here):
    del here
    yield from in_folder("exodus", [*good(), *bad(), *unsupported()])
