# SPDX-License-Identifier: Apache-2.0
"""Meshes of MPAS, ICON and FESOM2: geodesic grids of 12 and 42 vertices, whole and in part, with layers and without."""
import math

import model_meshes as models
from classic_netcdf import classic
from fixture import in_folder

NAMED = "the library tells no bytes: the variable is named"
BALL = models.Triangles(*models.geodesic(0))  # 12 vertices, 20 triangles, 30 edges
FINE = models.Triangles(*models.geodesic(1))  # 42, 80, 120
PART = FINE.part()
SEA = models.Sea(FINE, 8)
ICE = models.Sea(FINE, 8, True)

BALL_MAPS = "cells_nodes 5, edges_cells 2, edges_nodes 2, cells_edges 5, cells_cells 5, edges_edges 8, nodes_cells 3, nodes_edges 3"
MAPS = "cells_nodes ragged, edges_cells 2, edges_nodes 2, cells_edges ragged, cells_cells ragged, edges_edges ragged, nodes_cells 3, nodes_edges 3"
DUAL = f"nodes 20, cells 12, edges 30, {BALL_MAPS}"


def squares(sides=4):
    """A ring of quads in the plane, as planar meshes of MPAS have hexagons: 4 cells round the hole in the midst."""
    at = [(x, y) for y in range(3) for x in range(3)]
    cells = [[0, 1, 4, 3], [1, 2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7]]
    return classic({"nCells": 4, "nVertices": 9, "maxEdges": sides}, [
        ("nEdgesOnCell", "int", ["nCells"], {}, [4] * 4),
        ("verticesOnCell", "int", ["nCells", "maxEdges"], {}, [n + 1 for row in cells for n in row]),
        *[(f"{axis}Vertex", "double", ["nVertices"], {}, [p[d] if d < 2 else 0 for p in at]) for d, axis in enumerate("xyz")]],
        {"on_a_sphere": "NO", "Conventions": "MPAS"})


def changed(make, name, change, **more):
    """A file in which the values of a variable go through `change`."""
    import classic_netcdf
    found = {}
    whole = classic_netcdf.classic

    def watch(dimensions, variables, attributes=None, version=2):
        found.update({v[0]: v for v in variables})
        return whole(dimensions, variables, attributes, version)

    models.classic = watch
    make(**more)
    models.classic = whole
    old = found[name]
    return make(change={name: (*old[:4], change(list(old[4])))}, **more)


def put(place, value):
    def change(values):
        values[place] = value
        return values
    return change


def mpas():
    def ball(**more):
        return models.mpas(BALL, **more)

    def fine(**more):
        return models.mpas(FINE, **more)

    yield ("good-ball.cdf", ball(), DUAL)
    yield ("good-angles.cdf", ball(points="angles"), DUAL)
    yield ("good-wide.cdf", ball(version=5, drop=("cellsOnCell",)), DUAL.replace("cells_cells 5, ", ""))
    yield ("good-fine.cdf", fine(junk=99), f"nodes 80, cells 42, edges 120, {MAPS}")
    yield ("good-part.cdf", fine(part=True), f"nodes {PART_SIZES[0]}, cells {PART_SIZES[1]}, edges {PART_SIZES[2]}, {MAPS}")
    yield ("good-squares.nc", squares(), "nodes 9, cells 4, faces 4, boundary_faces 8: 4 quad4")
    yield ("good-layers.cdf", ball(layers=8), DUAL + "; layers nodes 8 160, cells 8 96, edges 8 240")
    yield ("good-ocean.cdf", fine(layers=8, ocean=True), f"nodes 80, cells 42, edges 120, {MAPS}; layers " + OCEAN)
    yield ("good-cavity.cdf", fine(layers=8, ocean=True, cavity=True), f"nodes 80, cells 42, edges 120, {MAPS}; layers " + CAVITY)
    yield ("good-planar.cdf", ball(planar=True), DUAL)

    def ocean(**more):
        return fine(layers=8, ocean=True, cavity=True, **more)

    yield ("bad-vertex.cdf", changed(ball, "verticesOnCell", put(7, 21)), "variable verticesOnCell: entry (1, 2) is 21, not a vertex in [1, 21)", NAMED)
    yield ("bad-no-vertex.cdf", changed(ball, "verticesOnCell", put(7, 0)), "variable verticesOnCell: cell 1 does not have 3 vertices or more", NAMED)
    yield ("bad-cell.cdf", changed(ball, "cellsOnEdge", put(3, 13)), "variable cellsOnEdge: entry (1, 1) is 13, not a cell in [1, 13)", NAMED)
    yield ("bad-count.cdf", changed(ball, "nEdgesOnCell", put(3, 6)), "variable nEdgesOnCell: entry (3) is 6, but rows of verticesOnCell have 0 to 5", NAMED)
    yield ("bad-few.cdf", changed(ball, "nEdgesOnCell", put(3, 2)), "variable verticesOnCell: cell 3 does not have 3 vertices or more", NAMED)
    yield ("bad-level.cdf", changed(ocean, "maxLevelCell", put(4, 9)), "variable maxLevelCell: cell 4 cannot have layers 1 to 9 of 8", NAMED)
    yield ("bad-upper.cdf", changed(ocean, "minLevelCell", put(DEEP, 9)), f"variable maxLevelCell: cell {DEEP} cannot have layers 9 to ", NAMED)
    yield ("bad-level-count.cdf", changed(ball, "nEdgesOnEdge", put(0, -1)), "variable nEdgesOnEdge: entry (0) is -1, but rows of edgesOnEdge have 0 to 10", NAMED)
    yield ("bad-nan.cdf", changed(ball, "yVertex", put(2, math.nan)), "coordinate 1 of member 2 is not a number", NAMED)
    yield ("bad-latitude.cdf", changed(ball, "latVertex", put(2, 2.0), points="angles"), "vertex 2 has longitude", NAMED)
    yield ("bad-no-counts.cdf", ball(drop=("nEdgesOnCell",)), "there is no variable nEdgesOnCell, which verticesOnCell needs", NAMED)
    yield ("bad-cut.cdf", ball()[:-400], "the file ends before its numbers", NAMED)
    yield ("bad-points.cdf", ball(change={"yVertex": ("yVertex", "double", ["nCells"], {}, [0] * 12)}), "variable yVertex has 12 numbers for 20 vertices", NAMED)
    yield ("bad-rank.cdf", ball(change={"cellsOnEdge": ("cellsOnEdge", "int", ["nEdges"], {}, [1] * 30)}), "variable cellsOnEdge has 1 dimensions, not 2", NAMED)
    yield ("bad-dimension.cdf", ball(change={"cellsOnEdge": ("cellsOnEdge", "int", ["nCells", "TWO"], {}, [1] * 24)}),
           "variable cellsOnEdge must have the dimension of edges and one of at most 1023 entries", NAMED)
    yield ("unsupported-layers.cdf", ball(layers=70000), "layers of cells must be 1 to 65535, not 70000")
    turned = [("verticesOnCell", "int", ["maxEdges", "nCells"], {}, [1] * 60)]
    yield ("unsupported-turned.cdf", ball(change={"verticesOnCell": turned[0]}), "variable verticesOnCell: the dimension of cells must be the first")


def icon():
    holds = "nodes 42, cells 80, edges 120, faces 0, boundary_faces 0: 80 tri3"
    yield ("good-fine.nc", models.icon(FINE), holds.replace("faces 0", "faces 120", 1))
    yield ("good-long.nc", models.icon(FINE, names="long"), holds.replace("faces 0", "faces 120", 1), "good-fine.nc")
    yield ("good-degrees.nc", models.icon(FINE, 5, degrees=True), holds.replace("faces 0", "faces 120", 1))
    yield ("good-part.nc", models.icon(PART, none=-1), LIMITED)
    yield ("good-part-zero.nc", models.icon(PART, none=0), LIMITED, "good-part.nc")
    yield ("good-torus.nc", models.icon_torus(4, 4), "nodes 16, cells 32, edges 48, faces 48, boundary_faces 0: 32 tri3")
    yield ("good-few.nc", models.icon(BALL, drop=("cells_of_vertex", "edges_of_vertex", "edge_of_cell", "elon", "clat")),
           "nodes 12, cells 20, edges 30, faces 30, boundary_faces 0: 20 tri3")

    def ball(**more):
        return models.icon(BALL, **more)

    yield ("bad-vertex.nc", changed(ball, "vertex_of_cell", put(21, 13)), "variable vertex_of_cell: entry (1, 1) is 13, not a vertex in [1, 13)", NAMED)
    yield ("bad-no-vertex.nc", changed(ball, "vertex_of_cell", put(21, -1)), "variable vertex_of_cell: cell 1 does not have 3 vertices or more", NAMED)
    yield ("bad-edge.nc", changed(ball, "edge_of_cell", put(4, 31)), "variable edge_of_cell: entry (0, 4) is 31, not an edge in [1, 31)".replace("an edge", "a edge"), NAMED)
    yield ("bad-cell.nc", changed(ball, "adjacent_cell_of_edge", put(4, 21)), "variable adjacent_cell_of_edge: entry (0, 4) is 21, not a cell in [1, 21)", NAMED)
    yield ("bad-latitude.nc", changed(ball, "vlat", put(4, 1.6)), "vertex 4 has longitude", NAMED)
    yield ("bad-lengths.nc", ball(change={"vlat": ("vlat", "double", ["cell"], {}, [0] * 20)}), "variable vlat has 20 numbers for 12 vertices", NAMED)
    yield ("bad-cut.nc", ball()[:-30], "the file ends before its numbers", NAMED)
    yield ("bad-fraction.nc", ball(change={"edge_vertices": ("edge_vertices", "double", ["nc", "edge"], {}, [1.5] * 60)}),
           "variable edge_vertices: entry (0, 0) is not a whole number", NAMED)


def diag():
    yield ("good-sea.nc", models.fesom_diag(SEA), SEA_HOLDS)
    yield ("good-old.nc", models.fesom_diag(SEA, True), SEA_HOLDS)
    yield ("good-cavity.nc", models.fesom_diag(ICE, cavity=True), ICE_HOLDS)

    def sea(**more):
        return models.fesom_diag(SEA, **more)

    yield ("bad-node.nc", changed(sea, "face_nodes", put(2, 99)), "variable face_nodes: entry (0, 2) is 99, not a node in [1, 42)".replace("42", str(len(SEA.nlvls) + 1)), NAMED)
    yield ("bad-level.nc", changed(sea, "nlevels", put(2, 10)), "variable nlevels: element 2 cannot have layers 1 to 9 of 8", NAMED)
    yield ("bad-side.nc", changed(sea, "edge_face_links", put(2, 99)), "variable edge_face_links: entry (0, 2) is 99, not an element".replace("an element", "a element"), NAMED)
    yield ("bad-no-faces.nc", sea(drop=("face_nodes",)), "there is no variable face_nodes", NAMED)
    yield ("bad-lengths.nc", sea(change={"nlevels": ("nlevels", "int", ["n3"], {}, [1] * 3)}), "variable nlevels has 3 numbers for", NAMED)
    yield ("bad-latitude.nc", changed(sea, "lat", put(3, -91.0)), "node 3 has longitude", NAMED)
    yield ("unsupported-levels.nc", models.fesom_diag(Empty()), "columns must have 1 to 65535 layers, not 0")


class Empty:
    """A sea with one level."""
    layers, mesh, nlvls, elvls, nupper, upper = 0, BALL, [1] * 12, [1] * 20, [1] * 12, [1] * 20


def folder():
    def sea(**change):
        return models.fesom(SEA, change={name.replace("_out", ".out"): text for name, text in change.items()})

    whole = sea()

    def swap(name, old, new):
        assert old in whole[name], (name, old)
        return models.fesom(SEA, change={name: whole[name].replace(old, new, 1)})

    def row(name, line, text):
        lines = whole[name].splitlines(True)
        lines[line - 1] = text + "\n"
        return models.fesom(SEA, change={name: "".join(lines)})

    yield ("good-sea", whole, SEA_HOLDS)
    yield ("good-cavity", models.fesom(ICE, True), ICE_HOLDS)
    yield ("good-no-levels", models.fesom(SEA, levels=False), SEA_HOLDS.split("; ")[0])
    yield ("good-no-edges", models.fesom(SEA, edges=False), NO_EDGES)
    yield ("good-zero-sides", sea(edge_tri_out=whole["edge_tri.out"].replace("-999", "   0")), SEA_HOLDS, "good-sea")
    lines = whole["nod2d.out"].splitlines(True)
    yield ("good-turned", sea(nod2d_out="".join([lines[0], *reversed(lines[1:])])), SEA_HOLDS, "good-sea")
    yield ("bad-node", row("elem2d.out", 3, "1 2 99"), f":3: a node of an element is 99, not in [1, {len(SEA.nlvls)}]")
    yield ("bad-zero", row("elem2d.out", 3, "1 0 2"), f":3: a node of an element is 0, not in [1, {len(SEA.nlvls)}]")
    yield ("bad-word", row("elem2d.out", 3, "1 x 2"), ":3: expected a node of an element, found 'x'")
    yield ("bad-twice", row("nod2d.out", 3, "1 0.0 0.0 0"), ":3: node 1 occurs twice")
    yield ("bad-number", row("nod2d.out", 3, "99 0.0 0.0 0"), f":3: the number of a node is 99, not in [1, {len(SEA.nlvls)}]")
    yield ("bad-latitude", row("nod2d.out", 3, "2 0.0 91.0 0"), ":3: node 2 has longitude 0 and latitude 91 degrees")
    yield ("bad-huge", row("nod2d.out", 1, "1000000000"), ":1: the number of nodes is 1000000000, more than")
    yield ("bad-level", row("elvls.out", 4, "10"), ":4: level 10 is not in [0, 9]")
    yield ("bad-level-word", row("nlvls.out", 4, "x"), ":4: expected a number of levels, found 'x'")
    yield ("bad-few-levels", sea(elvls_out="3\n3\n"), ":3: expected a number of levels, found the end of the file")
    yield ("bad-depth", row("aux3d.out", 3, "deep"), ":3: expected the depth of a level, found 'deep'")
    yield ("bad-side", row("edge_tri.out", 2, "1 999"), f":2: an element beside an edge is 999, not in [1, {len(SEA.elvls)}]")
    yield ("bad-edge", row("edges.out", 2, "1 -999"), f":2: a node of an edge is -999, not in [1, {len(SEA.nlvls)}]")
    yield ("bad-edges", sea(edgenum_out="90000000 1\n"), ":1: the number of edges is 90000000, more than")
    yield ("unsupported-quads", sea(elem2d_out=whole["elem2d.out"] + "1 2 3 4\n"), "numbers follow behind")
    yield ("unsupported-levels", row("aux3d.out", 1, "1"), "the number of levels must be 2 to 65536, not 1")


def sums(sets):
    return ", ".join(f"{name} {most} {total}" for name, most, total in sets)


def common(sides, ranges):
    """The sum of the layers that the cells beside each edge have in common."""
    total = 0
    for pair in sides:
        of = [ranges[c] for c in pair if c is not None]
        total += max(0, min(t for _, t in of) - max(b for b, _ in of))
    return total


def dual_sums(cavity):
    """Of the dual of FINE: what nodes (any cell), cells and edges (all cells) have."""
    cells = [(models.cavity_at(p, cavity), models.depth_at(p, 8, True)) for p in FINE.xyz]
    cells = [(min(b, t - 1), t) if t else (0, 0) for b, t in cells]
    nodes = 0
    for row in FINE.cells:
        of = [cells[n] for n in row if cells[n][1] > cells[n][0]]
        nodes += max(t for _, t in of) - min(b for b, _ in of) if of else 0
    return sums([("nodes", 8, nodes), ("cells", 8, sum(t - b for b, t in cells)), ("edges", 8, common(FINE.edges, cells))])


def sea_holds(sea):
    mesh = sea.mesh
    cells = [(b - 1, t - 1) for b, t in zip(sea.upper, sea.elvls)]
    inner = sum(b is not None for _, b in mesh.sides)
    nodes = sum(t - b for b, t in zip(sea.nupper, sea.nlvls))
    layers = [("nodes", 8, nodes), ("cells", 8, sum(t - b for b, t in cells)), ("edges", 8, common(mesh.sides, cells))]
    return (f"nodes {len(mesh.xyz)}, cells {len(mesh.cells)}, edges {len(mesh.edges)}, faces {inner}, boundary_faces {len(mesh.edges) - inner}: "
            f"{len(mesh.cells)} tri3; layers {sums(layers)}")


DEEP = next(i for i, p in enumerate(FINE.xyz) if 0 < models.depth_at(p, 8, True) < 8)
OCEAN, CAVITY = dual_sums(False), dual_sums(True)
SEA_HOLDS, ICE_HOLDS = sea_holds(SEA), sea_holds(ICE)
NO_EDGES = ", ".join(part for part in SEA_HOLDS.split(", ") if not part.startswith("edges"))
INNER = sum(b is not None for _, b in PART.sides)
LIMITED = f"nodes {len(PART.xyz)}, cells {len(PART.cells)}, edges {len(PART.edges)}, faces {INNER}, boundary_faces {len(PART.edges) - INNER}: {len(PART.cells)} tri3"
KEPT = [n for n, p in enumerate(FINE.xyz) if p[2] > -0.342]
PART_SIZES = (sum(any(n in KEPT for n in row) for row in FINE.cells), len(KEPT), sum(any(n in KEPT for n in row) for row in FINE.edges))


def fixtures(here):
    del here
    yield from in_folder("mpas", list(mpas()))
    yield from in_folder("icon", list(icon()))
    yield from in_folder("fesom_diag", list(diag()))
    yield from in_folder("fesom", list(folder()))
