# SPDX-License-Identifier: Apache-2.0
"""UGRID meshes: netCDF files of version 3 as the conventions and LFRic have them, and one of version 4."""
import math

import fixtures_gmsh
from classic_netcdf import classic
from fixture import in_folder

NAMED = "the library tells no bytes: the variable is named"
X, Y = [0, 1, 2, 0, 1, 2, 1], [0, 0, 0, 1, 1, 1, 2]
ROWS = [[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 6], [4, 5, 6]]
FLAT_HOLDS = "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4"
EDGES = [(0, 1), (1, 4), (4, 3), (3, 0), (1, 2), (2, 5), (5, 4), (4, 6), (6, 3), (5, 6)]
SIDES = [(0, None), (0, 1), (0, 2), (0, None), (1, None), (1, None), (1, 3), (2, 3), (2, None), (3, None)]
EDGES_HOLD = "nodes 7, cells 4, edges 10, faces 4, boundary_faces 6: 2 tri3, 2 quad4"


def filled(rows, width, base, fill):
    return [row[k] + base if k < len(row) and row[k] is not None else fill for row in rows for k in range(width)]


def turned(values, width):
    return [values[i] for k in range(width) for i in range(k, len(values), width)]


def flat(base=1, fill=-9999, kind="int", version=2, mesh="flat", across=False, mesh_more=None, nodes_more=None,
         more=(), values=None, replace=None, x=None, sizes=None):
    """Two quads and two triangles; across: dimensions the other way round."""
    values = values if values is not None else filled(ROWS, 4, base, fill)
    topology = {"cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": f"{mesh}_x {mesh}_y",
                "face_node_connectivity": f"{mesh}_nodes"}
    if across:
        topology["face_dimension"] = f"{mesh}_face"
    topology.update(mesh_more or {})
    topology = {name: value for name, value in topology.items() if value is not None}
    attributes = {"start_index": base, "_FillValue": (kind, [fill]), **(nodes_more or {})}
    attributes = {name: value for name, value in attributes.items() if value is not None}
    dimensions = {f"{mesh}_node": 7, f"{mesh}_face": 4, f"{mesh}_most": 4, f"{mesh}_edge": 10, "two": 2,
                  **(sizes or {})}
    of = [f"{mesh}_most", f"{mesh}_face"] if across else [f"{mesh}_face", f"{mesh}_most"]
    variables = [(mesh, "int", [], topology, [0]),
                 (f"{mesh}_nodes", kind, of, attributes, turned(values, 4) if across else values),
                 (f"{mesh}_x", "double", [f"{mesh}_node"], {"units": "m"}, x or X),
                 (f"{mesh}_y", "double", [f"{mesh}_node"], {"units": "m"}, Y), *more]
    variables = [(replace or {}).get(v[0], v) for v in variables]
    return classic(dimensions, variables, {"Conventions": "UGRID-1.0"}, version)


def edges(across=False):
    """The flat mesh with its edges: edge_node and edge_face, and face_edge with fill values."""
    of_face = [[0, 1, 2, 3], [4, 5, 6, 1], [2, 7, 8], [6, 9, 7]]
    more = [("en", "int", ["two", "flat_edge"] if across else ["flat_edge", "two"], {"start_index": 1},
             turned(filled(EDGES, 2, 1, 0), 2) if across else filled(EDGES, 2, 1, 0)),
            ("ef", "int", ["flat_edge", "two"], {"start_index": 0, "_FillValue": -1}, filled(SIDES, 2, 0, -1)),
            ("fe", "short", ["flat_face", "flat_most"], {"_FillValue": ("short", [-5])}, filled(of_face, 4, 0, -5))]
    return flat(mesh_more={"edge_node_connectivity": "en", "edge_face_connectivity": "ef",
                           "face_edge_connectivity": "fe"}, more=more)


CUBE_HOLDS = "nodes 8, cells 6, edges 12, faces 12, boundary_faces 0: 6 quad4"
CUBE = [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7), (3, 2, 1, 0)]
LATITUDE = math.degrees(math.asin(math.sqrt(1 / 3)))


def cube_parts(mesh="C1", units=("degrees_east", "degrees_north"), scale=1.0, latitude=LATITUDE, named=False):
    """A cube on the sphere, as LFRic writes it: edges of faces, links to neighbours."""
    joined = sorted({tuple(sorted((c[k], c[(k + 1) % 4]))) for c in CUBE for k in range(4)})
    of_face = [[joined.index(tuple(sorted((c[k], c[(k + 1) % 4])))) for k in range(4)] for c in CUBE]
    links = [[next(g for g in range(6) if g != f and e in of_face[g]) for e in row] for f, row in enumerate(of_face)]
    longitudes = [scale * (45 + 90 * (i % 4)) for i in range(8)]
    latitudes = [scale * (latitude if i >= 4 else -LATITUDE) for i in range(8)]
    dimensions = {f"n{mesh}_node": 8, f"n{mesh}_face": 6, f"n{mesh}_edge": 12, "Four": 4, "Two": 2}
    variables = [
        (mesh, "int", [], {"cf_role": "mesh_topology", "topology_dimension": 2, "geometry": "spherical",
                           "node_coordinates": f"{mesh}_node_x {mesh}_node_y",
                           "face_node_connectivity": f"{mesh}_face_nodes",
                           "edge_node_connectivity": f"{mesh}_edge_nodes",
                           "face_edge_connectivity": f"{mesh}_face_edges",
                           "face_face_connectivity": f"{mesh}_face_links"}, [0]),
        (f"{mesh}_face_nodes", "int", [f"n{mesh}_face", "Four"], {"start_index": 1}, filled(CUBE, 4, 1, 0)),
        (f"{mesh}_edge_nodes", "int", [f"n{mesh}_edge", "Two"], {"start_index": 1}, filled(joined, 2, 1, 0)),
        (f"{mesh}_face_edges", "int", [f"n{mesh}_face", "Four"], {"start_index": 1}, filled(of_face, 4, 1, 0)),
        (f"{mesh}_face_links", "int", [f"n{mesh}_face", "Four"], {"start_index": 1, "_FillValue": -9999},
         filled(links, 4, 1, -9999)),
        (f"{mesh}_node_x", "double", [f"n{mesh}_node"], {"units": units[0], **({"standard_name": "longitude"} if named else {})}, longitudes),
        (f"{mesh}_node_y", "double", [f"n{mesh}_node"], {"units": units[1], **({"standard_name": "latitude"} if named else {})}, latitudes)]
    return dimensions, variables


def two_meshes():
    """A cube, then a network of three edges."""
    dimensions, variables = cube_parts()
    more, network = network_parts()
    return classic({**dimensions, **more}, variables + network)


def network_parts():
    return {"n": 4, "e": 3, "pair": 2}, [
        ("net", "int", [], {"cf_role": "mesh_topology", "topology_dimension": 1, "node_coordinates": "nx ny",
                            "edge_node_connectivity": "net_edges"}, [0]),
        ("net_edges", "int", ["e", "pair"], {}, [0, 1, 1, 2, 1, 3]),
        ("nx", "float", ["n"], {}, [0, 1, 2, 1]), ("ny", "float", ["n"], {}, [0, 0, 0, 1])]


def solid(rows=None, width=8):
    """Hexahedron, prism, pyramid, tet."""
    rows = rows or [[0, 1, 2, 3, 4, 5, 6, 7], [4, 8, 7, 5, 9, 6], [1, 2, 6, 5, 10], [5, 6, 10, 11]]
    xyz = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0, 2, 1, 0, 2, 2, 0.5, 0.5, 1.5, 0.5, 2]
    return classic({"node": 12, "volume": len(rows), "most": width}, [
        ("m", "int", [], {"cf_role": "mesh_topology", "topology_dimension": 3, "node_coordinates": "x y z",
                          "volume_node_connectivity": "v"}, [0]),
        ("v", "int", ["volume", "most"], {"_FillValue": -1}, filled(rows, width, 0, -1)),
        *[(axis, "double", ["node"], {}, xyz[d::3]) for d, axis in enumerate("xyz")]])


def hexagons():
    """Two hexagons that share an edge: cells without a type."""
    at = [(0, 0), (2, 0), (3, 2), (2, 4), (0, 4), (-1, 2), (5, 2), (6, 4), (5, 6), (3, 6)]
    return classic({"node": 10, "face": 2, "six": 6}, [
        ("m", "int", [], {"cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": "x y",
                          "face_node_connectivity": "f"}, [0]),
        ("f", "int", ["face", "six"], {}, [0, 1, 2, 3, 4, 5, 3, 2, 6, 7, 8, 9]),
        ("x", "double", ["node"], {}, [x for x, _ in at]), ("y", "double", ["node"], {}, [y for _, y in at])])


def good():
    yield ("good-flat.nc", flat(), FLAT_HOLDS)
    yield ("good-zero.nc", flat(0, -1, "short", 1), FLAT_HOLDS, "good-flat.nc")
    yield ("good-no-index.nc", flat(0, -1, nodes_more={"start_index": None}), FLAT_HOLDS, "good-flat.nc")
    yield ("good-reals.nc", flat(1, math.nan, "double", nodes_more={"start_index": 1.0}), FLAT_HOLDS, "good-flat.nc")
    yield ("good-wide.nc", flat(1, -2 ** 40, "int64", 5), FLAT_HOLDS, "good-flat.nc")
    yield ("good-unsigned.nc", flat(1, 2 ** 64 - 2, "uint64", 5, nodes_more={"_FillValue": None}), FLAT_HOLDS,
           "good-flat.nc")
    yield ("good-missing.nc", flat(0, 99, nodes_more={"_FillValue": None, "missing_value": 99, "start_index": "0"}),
           FLAT_HOLDS, "good-flat.nc")
    yield ("good-across.nc", flat(across=True), FLAT_HOLDS, "good-flat.nc")
    yield ("good-edges.nc", edges(), EDGES_HOLD)
    yield ("good-edges-across.nc", edges(True), EDGES_HOLD, "good-edges.nc")
    yield ("good-cube.nc", classic(*cube_parts()), CUBE_HOLDS)
    yield ("good-radians.nc", classic(*cube_parts("C1", ("radian", "radian"), math.pi / 180, named=True)), CUBE_HOLDS)
    # a planar mesh of LFRic says degrees where metres are; and a connectivity that it names is not there
    degrees = [(f"flat_{axis}", "double", ["flat_node"], {"units": f"degrees_{side}"}, [1000 * v - 500 for v in values])
               for axis, side, values in (("x", "east", X), ("y", "north", Y))]
    yield ("good-metres.nc", flat(replace={row[0]: row for row in degrees}), FLAT_HOLDS)
    yield ("good-absent.nc", flat(mesh_more={"face_face_connectivity": "nowhere"}), FLAT_HOLDS, "good-flat.nc")
    yield ("good-two.nc", two_meshes(), CUBE_HOLDS, "good-cube.nc")
    yield ("good-network.nc", classic(*network_parts()), "nodes 4, cells 3, faces 0, boundary_faces 3: 3 line2")
    yield ("good-solid.nc", solid(), fixtures_gmsh.SOLIDS)
    yield ("good-hexagons.cdf", hexagons(), "nodes 10, cells 2, cells_nodes 6")
    yield ("good-compressed.nc", None, FLAT_HOLDS, "good-flat.nc")


def bad():
    def numbers(*change):
        values = filled(ROWS, 4, 1, -9999)
        for place, value in change:
            values[place] = value
        return values

    yield ("bad-node.nc", flat(values=numbers((5, 8))), "variable flat_nodes: entry (1, 1) is 8, not a node in [1, 8)",
           NAMED)
    yield ("bad-node-zero.nc", flat(values=numbers((0, 0))), "entry (0, 0) is 0, not a node in [1, 8)", NAMED)
    yield ("bad-fill.nc", flat(values=numbers((4, -9999))), "variable flat_nodes: a node follows a fill value",
           NAMED)
    yield ("bad-short.nc", flat(values=numbers((10, -9999))), "variable flat_nodes: face 2 has 2 nodes", NAMED)
    yield ("bad-fraction.nc", flat(kind="double", fill=-1.0, values=[float(v) for v in numbers((2, 1.5))]),
           "entry (0, 2) is not a whole number", NAMED)
    yield ("bad-dimension.nc", flat(mesh_more={"topology_dimension": 4}), "the topology_dimension must be 1, 2 or 3", NAMED)
    yield ("bad-no-coordinates.nc", flat(mesh_more={"node_coordinates": None}), "mesh flat has no node_coordinates", NAMED)
    yield ("bad-no-axes.nc", flat(mesh_more={"node_coordinates": " "}), "node_coordinates must name the axes", NAMED)
    yield ("bad-no-nodes.nc", flat(mesh_more={"face_node_connectivity": None, "face_dimension": "flat_face"}),
           "mesh flat has no face_node_connectivity", NAMED)
    yield ("bad-no-cells.nc", flat(mesh_more={"face_node_connectivity": None}), "mesh flat has no face_node_connectivity",
           NAMED)
    yield ("bad-variable.nc", flat(mesh_more={"face_node_connectivity": "elsewhere"}), "there is no variable elsewhere", NAMED)
    yield ("bad-face-dimension.nc", flat(mesh_more={"face_dimension": "nowhere"}), "there is no dimension nowhere", NAMED)
    yield ("bad-rank.nc", flat(mesh_more={"face_node_connectivity": "flat_x"}), "variable flat_x has 1 dimensions, not 2", NAMED)
    yield ("bad-text.nc", flat(replace={"flat_x": ("flat_x", "char", ["flat_node"], {}, "abcdefg")}),
           "variable flat_x does not hold numbers", NAMED)
    yield ("bad-infinite.nc", flat(x=[0, 1, math.inf, 0, 1, 2, 1]), "coordinate 0 of member 2 is infinite", NAMED)
    yield ("bad-lengths.nc", flat(replace={"flat_y": ("flat_y", "double", ["flat_face"], {}, Y[:4])}),
           "variable flat_y has 4 numbers for 7 nodes", NAMED)
    yield ("bad-large.nc", flat(sizes={"flat_face": 2 ** 24}), "the netCDF file cannot be opened", NAMED)
    yield ("bad-latitude.nc", classic(*cube_parts(latitude=120)), "node 4 has longitude 45 and latitude 120 degrees", NAMED)
    yield ("bad-edge-columns.nc", flat(mesh_more={"edge_node_connectivity": "flat_nodes"}),
           "variable flat_nodes has 4 columns", NAMED)
    yield ("bad-rows.nc", flat(mesh_more={"face_face_connectivity": "other"},
                               more=[("other", "int", ["two", "flat_most"], {}, [0] * 8)]),
           "variable other has 2 rows for 4 faces", NAMED)
    yield ("bad-cut.nc", flat()[:-60], "variable flat_x: the file ends before its numbers", NAMED)
    yield ("bad-head.nc", flat()[:300], ": byte 296: a count is larger than what the file can hold")
    yield ("bad-name.nc", flat().replace(b"\0\0\0\6flat_x", b"\0\0\6\6flat_x"), ": byte 468: a count is larger than what the file can hold")


def unsupported():
    yield ("unsupported-index.nc", flat(7), "variable flat_nodes: start_index must be 0 or 1, not 7")
    yield ("unsupported-polyhedron.nc", solid([[0, 1, 2, 3, 4, 5, 6]], 7), "variable v: volume 0 has 7 nodes")


def fixtures(here):
    del here
    yield from in_folder("ugrid", [*good(), *bad(), *unsupported()])
