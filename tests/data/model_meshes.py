# SPDX-License-Identifier: Apache-2.0
"""Meshes of ocean and atmosphere models, in the conventions of MPAS, ICON and FESOM2: geodesic grids of any level, parts of them,
and made bathymetry. Written from the models' descriptions, not from meshplan's readers.

    model_meshes.py mpas|icon|fesom-diag|fesom LEVEL OUT [--layers N] [--ocean] [--cavity] [--part]

LEVEL: 10 * 4^LEVEL + 2 vertices. --ocean: columns end above a made floor; --part: the grid north of 20 degrees south only."""
import argparse
import math
import pathlib

from classic_netcdf import classic


def geodesic(level):
    """Vertices on the unit sphere and triangles, counterclockwise seen from outside."""
    gold = (1 + math.sqrt(5)) / 2
    xyz = [(-1, gold, 0), (1, gold, 0), (-1, -gold, 0), (1, -gold, 0), (0, -1, gold), (0, 1, gold),
           (0, -1, -gold), (0, 1, -gold), (gold, 0, -1), (gold, 0, 1), (-gold, 0, -1), (-gold, 0, 1)]
    xyz = [unit(p) for p in xyz]
    cells = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
             (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    for _ in range(level):
        middle, finer = {}, []

        def between(a, b):
            key = (min(a, b), max(a, b))
            if key not in middle:
                middle[key] = len(xyz)
                xyz.append(unit(tuple(p + q for p, q in zip(xyz[a], xyz[b]))))
            return middle[key]

        for a, b, c in cells:
            ab, bc, ca = between(a, b), between(b, c), between(c, a)
            finer += [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        cells = finer
    return xyz, cells


def unit(p):
    length = math.sqrt(sum(x * x for x in p))
    return tuple(x / length for x in p)


def angles(p):
    return math.atan2(p[1], p[0]), math.asin(max(-1.0, min(1.0, p[2])))


class Triangles:
    """Triangles with their edges (nodes; cells at both sides, the second None at a coast)."""

    def __init__(self, xyz, cells):
        self.xyz, self.cells = xyz, cells
        self.edges, self.sides, self.of_cell = [], [], []
        known = {}
        for c, row in enumerate(cells):
            own = []
            for k in range(3):
                pair = (row[k], row[(k + 1) % 3])
                e = known.get((pair[1], pair[0]))
                if e is None:
                    e = known[pair] = len(self.edges)
                    self.edges.append(pair)
                    self.sides.append([c, None])
                else:
                    self.sides[e][1] = c
                own.append(e)
            self.of_cell.append(own)
        self.centre = [unit(tuple(sum(xyz[n][d] for n in row) for d in range(3))) for row in cells]
        self.middle = [unit(tuple(xyz[a][d] + xyz[b][d] for d in range(3))) for a, b in self.edges]

    def part(self):
        """The triangles north of 20 degrees south, with their nodes numbered anew."""
        kept = [row for row, p in zip(self.cells, self.centre) if p[2] > -0.342]
        used = sorted({n for row in kept for n in row})
        place = {n: i for i, n in enumerate(used)}
        return Triangles([self.xyz[n] for n in used], [tuple(place[n] for n in row) for row in kept])

    def beyond(self, e, c):
        """The cell at the other side of an edge."""
        a, b = self.sides[e]
        return b if a == c else a

    def around(self, node, start):
        """Cells and edges around a node, counterclockwise from a cell; edges lead from each cell to the next one."""
        cells, edges = [], []
        c = start
        while c is not None and c not in cells:
            row = self.cells[c]
            k = row.index(node)
            cells.append(c)
            edges.append(self.of_cell[c][(k + 2) % 3])  # the edge that ends in the node: the next cell is beyond it
            c = self.beyond(edges[-1], c)
        return cells, edges

    def rings(self):
        """For each node: its cells and edges in order, beginning at the coast, where there is one."""
        first = {}
        for c, row in enumerate(self.cells):
            for k, n in enumerate(row):
                coast = self.beyond(self.of_cell[c][k], c) is None
                if coast or n not in first:
                    first[n] = (c, coast or first.get(n, (0, False))[1])
        rings = []
        for n in range(len(self.xyz)):
            cells, edges = self.around(n, first[n][0])
            if first[n][1]:  # the edge before the first cell belongs to the node as well
                c = cells[0]
                edges = [self.of_cell[c][self.cells[c].index(n)], *edges]
            rings.append((cells, edges))
        return rings


def depth_at(p, layers, ocean):
    """How many layers the sea has there: none on land."""
    if not ocean:
        return layers
    lon, lat = angles(p)
    height = math.sin(2 * lon) * math.cos(lat) + 0.5 * math.sin(3 * lat)
    return 0 if height > 0.6 else max(1, min(layers, math.ceil(layers * (0.9 - height) / 1.6)))


def cavity_at(p, cavity):
    """The first layer, from 0: under the ice near the south pole the sea begins lower."""
    return 1 if cavity and p[2] < -0.5 else 0


def rows(table, width, base=1, none=0):
    return [none if k >= len(row) or row[k] is None else row[k] + base for row in table for k in range(width)]


def columns(table, width, base=1, none=0):
    """As rows, the other way round: all first entries, then all second ones."""
    return [none if k >= len(row) or row[k] is None else row[k] + base for k in range(width) for row in table]


def icon(mesh, version=2, none=0, names="short", degrees=False, change=None, drop=()):
    """vertex_of_cell(nv, cell) and so on, as ICON's generator writes them."""
    rings = mesh.rings()
    near = [[mesh.edges[e][0] if mesh.edges[e][1] == n else mesh.edges[e][1] for e in ring[1]] for n, ring in enumerate(rings)]
    links = [[mesh.beyond(e, c) for e in own] for c, own in enumerate(mesh.of_cell)]
    dimensions = {"cell": len(mesh.cells), "vertex": len(mesh.xyz), "edge": len(mesh.edges), "nc": 2, "nv": 3, "ne": 6}
    unit_of, scale = ("degree", 180 / math.pi) if degrees else ("radian", 1.0)
    variables = [
        ("vertex_of_cell", "int", ["nv", "cell"], {}, columns(mesh.cells, 3)),
        ("edge_of_cell", "int", ["nv", "cell"], {}, columns(mesh.of_cell, 3)),
        ("neighbor_cell_index", "int", ["nv", "cell"], {}, columns(links, 3, none=none)),
        ("adjacent_cell_of_edge", "int", ["nc", "edge"], {}, columns(mesh.sides, 2, none=none)),
        ("edge_vertices", "int", ["nc", "edge"], {}, columns(mesh.edges, 2)),
        ("cells_of_vertex", "int", ["ne", "vertex"], {}, columns([r[0] for r in rings], 6, none=none)),
        ("edges_of_vertex", "int", ["ne", "vertex"], {}, columns([r[1] for r in rings], 6, none=none)),
        ("vertices_of_vertex", "int", ["ne", "vertex"], {}, columns(near, 6, none=none))]
    for letter, word, points in (("v", "vertex", mesh.xyz), ("c", "cell", mesh.centre), ("e", "edge", mesh.middle)):
        for i, axis in enumerate(("lon", "lat")):
            long = {"v": f"{('longitude', 'latitude')[i]}_vertices", "c": f"{axis}_cell_centre", "e": f"{axis}_edge_centre"}[letter]
            variables.append((letter + axis if names == "short" else long, "double", [word], {"units": unit_of},
                              [scale * angles(p)[i] for p in points]))
    variables = [(change or {}).get(v[0], v) for v in variables if v[0] not in drop]
    return classic(dimensions, variables, {"title": "ICON grid description", "grid_geometry": 1}, version)


def icon_torus(n, m, double=True):
    """A torus in the plane: 2 n m triangles, coordinates in metres only."""
    del double
    node = lambda i, j: i % n + n * (j % m)  # noqa: E731
    cells = [row for j in range(m) for i in range(n)
             for row in ((node(i, j), node(i + 1, j), node(i, j + 1)), (node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)))]
    mesh = Triangles([(i + 0.5 * j + 1e-9, j * math.sqrt(0.75), 0.0) for j in range(m) for i in range(n)], cells)
    dimensions = {"cell": len(cells), "vertex": n * m, "edge": len(mesh.edges), "nc": 2, "nv": 3}
    variables = [("vertex_of_cell", "int", ["nv", "cell"], {}, columns(cells, 3)),
                 ("adjacent_cell_of_edge", "int", ["nc", "edge"], {}, columns(mesh.sides, 2)),
                 ("edge_vertices", "int", ["nc", "edge"], {}, columns(mesh.edges, 2)),
                 *[(f"cartesian_{axis}_vertices", "double", ["vertex"], {}, [p[d] for p in mesh.xyz])
                   for d, axis in enumerate("xyz")]]
    return classic(dimensions, variables, {"grid_geometry": 2})


def mpas(mesh, version=2, layers=0, ocean=False, cavity=False, part=False, radius=6371229.0, points="xyz", junk=0,
         planar=False, change=None, drop=(), attributes=None):
    """The Voronoi dual: cells are the nodes of the triangles, vertices the triangles. junk: what follows in short rows."""
    rings = mesh.rings()
    whole = [None not in (mesh.sides[e][1] for e in ring[1]) for ring in rings]
    kept = [n for n in range(len(mesh.xyz)) if whole[n] and (not part or mesh.xyz[n][2] > -0.342)]
    cell = {n: i for i, n in enumerate(kept)}
    used_edges = [e for e, pair in enumerate(mesh.edges) if pair[0] in cell or pair[1] in cell]
    edge = {e: i for i, e in enumerate(used_edges)}
    used = [t for t, row in enumerate(mesh.cells) if any(n in cell for n in row)]
    vertex = {t: i for i, t in enumerate(used)}
    own = [rings[n] for n in kept]
    counts = [len(ring[0]) for ring in own]
    most = max(counts)

    def wide(table):
        return [row + [junk - 1] * (most - len(row)) for row in table]

    beside = [sorted((n for n in mesh.edges[e]), key=lambda n: (n not in cell, n)) for e in used_edges]
    on_edge = [[cell.get(n) for n in pair] for pair in beside]
    ends = [[vertex[t] for t in mesh.sides[e]] for e in used_edges]
    next_cell = [[cell.get(next(m for m in mesh.edges[e] if m != n)) for e in rings[n][1]] for n in kept]
    across = []
    for e, pair in zip(used_edges, beside):
        near = []
        for n in pair:
            if n in cell:
                ring = rings[n][1]
                at = ring.index(e)
                near += [edge[x] for x in ring[at + 1:] + ring[:at]]
        across.append(near)
    floor = [depth_at(mesh.xyz[n], layers, ocean) for n in kept]
    first = [cavity_at(mesh.xyz[n], cavity) + 1 for n in kept]
    dimensions = {"nCells": len(kept), "nEdges": len(used_edges), "nVertices": len(used), "maxEdges": most, "maxEdges2": 2 * most,
                  "TWO": 2, "vertexDegree": 3, **({"nVertLevels": layers} if layers else {})}
    place = {"Cell": ("nCells", [mesh.xyz[n] for n in kept]), "Edge": ("nEdges", [mesh.middle[e] for e in used_edges]),
             "Vertex": ("nVertices", [mesh.centre[t] for t in used])}
    variables = [
        ("nEdgesOnCell", "int", ["nCells"], {}, counts),
        ("verticesOnCell", "int", ["nCells", "maxEdges"], {}, rows(wide([[vertex[t] for t in ring[0]] for ring in own]), most)),
        ("edgesOnCell", "int", ["nCells", "maxEdges"], {}, rows(wide([[edge[e] for e in ring[1]] for ring in own]), most)),
        ("cellsOnCell", "int", ["nCells", "maxEdges"], {}, rows(wide(next_cell), most)),
        ("cellsOnEdge", "int", ["nEdges", "TWO"], {}, rows(on_edge, 2)),
        ("verticesOnEdge", "int", ["nEdges", "TWO"], {}, rows(ends, 2)),
        ("nEdgesOnEdge", "int", ["nEdges"], {}, [len(row) for row in across]),
        ("edgesOnEdge", "int", ["nEdges", "maxEdges2"], {}, rows(across, 2 * most)),
        ("cellsOnVertex", "int", ["nVertices", "vertexDegree"], {}, rows([[cell.get(n) for n in mesh.cells[t]] for t in used], 3)),
        ("edgesOnVertex", "int", ["nVertices", "vertexDegree"], {}, rows([[edge.get(e) for e in mesh.of_cell[t]] for t in used], 3))]
    for word, (of, xyz) in place.items():
        if points == "xyz":
            variables += [(f"{axis}{word}", "double", [of], {}, [radius * p[d] if not planar or d < 2 else 0.0 for p in xyz])
                          for d, axis in enumerate("xyz")]
        variables += [(f"{axis}{word}", "double", [of], {}, [angles(p)[d] for p in xyz]) for d, axis in enumerate(("lon", "lat"))]
    if layers and (ocean or cavity):
        variables.append(("maxLevelCell", "int", ["nCells"], {}, floor))
    if layers and cavity:
        variables.append(("minLevelCell", "int", ["nCells"], {}, [min(a, b) if b else 0 for a, b in zip(first, floor)]))
    variables = [(change or {}).get(v[0], v) for v in variables if v[0] not in drop]
    more = {"on_a_sphere": "NO " if planar else "YES", "sphere_radius": radius, "mesh_spec": "1.0", "Conventions": "MPAS"}
    return classic(dimensions, variables, attributes or more, version)


class Sea:
    """Triangles of the sea with levels as FESOM2 has them: of elements, and of nodes the most of their elements."""

    def __init__(self, mesh, layers, cavity=False):
        deep = [depth_at(p, layers, True) for p in mesh.centre]
        kept = [c for c, d in enumerate(deep) if d]
        used = sorted({n for c in kept for n in mesh.cells[c]})
        place = {n: i for i, n in enumerate(used)}
        self.layers = layers
        self.mesh = Triangles([mesh.xyz[n] for n in used], [tuple(place[n] for n in mesh.cells[c]) for c in kept])
        self.elvls = [deep[c] + 1 for c in kept]
        self.upper = [min(cavity_at(mesh.centre[c], cavity) + 1, deep[c]) for c in kept]
        self.nlvls, self.nupper = [0] * len(used), [layers + 1] * len(used)
        for row, last, first in zip(self.mesh.cells, self.elvls, self.upper):
            for n in row:
                self.nlvls[n], self.nupper[n] = max(self.nlvls[n], last), min(self.nupper[n], first)


def fesom(sea, cavity=False, levels=True, edges=True, change=None):
    """The files of the folder."""
    def lines(numbers, many=1):
        return "".join(" ".join(f"{x:>8}" for x in numbers[i:i + many]) + "\n" for i in range(0, len(numbers), many))

    mesh = sea.mesh
    coast = {n for e, pair in enumerate(mesh.edges) if mesh.sides[e][1] is None for n in pair}
    points = [(math.degrees(a), math.degrees(b)) for a, b in map(angles, mesh.xyz)]
    files = {
        "nod2d.out": f"{len(points)}\n" + "".join(f"{i + 1:8d} {p[0]:.9f} {p[1]:.9f} {int(i in coast)}\n" for i, p in enumerate(points)),
        "elem2d.out": f"{len(mesh.cells)}\n" + lines(rows(mesh.cells, 3), 3),
        "aux3d.out": f"{sea.layers + 1}\n" + lines([-100 * k for k in range(sea.layers + 1)]) + lines([100 * (1 - k) for k in sea.nlvls])}
    if levels:
        files["elvls.out"], files["nlvls.out"] = lines(sea.elvls), lines(sea.nlvls)
    if cavity:
        files["cavity_elvls.out"], files["cavity_nlvls.out"] = lines(sea.upper), lines(sea.nupper)
    if edges:
        inner = sum(b is not None for _, b in mesh.sides)
        files["edgenum.out"] = lines([len(mesh.edges), inner])
        files["edges.out"] = lines(rows(mesh.edges, 2), 2)
        files["edge_tri.out"] = lines(rows(mesh.sides, 2, none=-999), 2)
    files.update(change or {})
    return {name: text for name, text in files.items() if text is not None}


def fesom_diag(sea, old=False, cavity=False, version=2, change=None, drop=()):
    """fesom.mesh.diag.nc; old: as versions before 2.1 name things."""
    mesh = sea.mesh
    node, cell, nz = ("nod_n", "elem_n", "nl") if old else ("nod2", "elem", "nz")
    dimensions = {node: len(mesh.xyz), "edg_n": len(mesh.edges), cell: len(mesh.cells), nz: sea.layers + 1, "n2": 2, "n3": 3}
    points = [angles(p) for p in mesh.xyz]
    degrees = [[math.degrees(p[d]) for p in points] for d in range(2)]
    of_edges = {"_FillValue": -999, "start_index": 1}
    if old:
        variables = [("nodes", "double", ["n2", node], {}, [p[d] for d in range(2) for p in points]),
                     ("elem", "int", ["n3", cell], {}, columns(mesh.cells, 3)),
                     ("edges", "int", ["n2", "edg_n"], {}, columns(mesh.edges, 2)),
                     ("edge_tri", "int", ["n2", "edg_n"], {}, columns(mesh.sides, 2, none=0))]
    else:
        variables = [("fesom_mesh", "int", [], {"cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": "lon lat", "face_dimension": cell, "edge_dimension": "edg_n",
                                                "face_node_connectivity": "face_nodes", "face_edge_connectivity": "face_edges"}, [0]),
                     ("lon", "double", [node], {"units": "degrees_east"}, degrees[0]),
                     ("lat", "double", [node], {"units": "degrees_north"}, degrees[1]),
                     ("face_nodes", "int", ["n3", cell], {"start_index": 1}, columns(mesh.cells, 3)),
                     # as parallel runs leave it: counted within parts
                     ("face_edges", "int", ["n3", cell], {}, [1 + i % 7 for i in range(3 * len(mesh.cells))]),
                     ("edge_nodes", "int", ["n2", "edg_n"], {"start_index": 1}, columns(mesh.edges, 2)),
                     ("edge_face_links", "int", ["n2", "edg_n"], of_edges, columns(mesh.sides, 2, none=-999))]
    variables += [("nlevels_nod2D", "int", [node], {}, sea.nlvls), ("nlevels", "int", [cell], {}, sea.elvls)]
    if cavity:
        variables += [("ulevels_nod2D", "int", [node], {}, sea.nupper), ("ulevels", "int", [cell], {}, sea.upper)]
    variables = [(change or {}).get(v[0], v) for v in variables if v[0] not in drop]
    return classic(dimensions, variables, {}, version)


def main():
    parser = argparse.ArgumentParser(description="makes meshes in the conventions of ocean and atmosphere models")
    parser.add_argument("model", choices=["mpas", "icon", "fesom-diag", "fesom"])
    parser.add_argument("level", type=int)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=0)
    for word in ("ocean", "cavity", "part"):
        parser.add_argument(f"--{word}", action="store_true")
    asked = parser.parse_args()
    mesh = Triangles(*geodesic(asked.level))
    if asked.model == "mpas":
        asked.out.write_bytes(mpas(mesh, 2, asked.layers, asked.ocean, asked.cavity, asked.part))
    elif asked.model == "icon":
        asked.out.write_bytes(icon(mesh.part() if asked.part else mesh))
    else:
        sea = Sea(mesh.part() if asked.part else mesh, asked.layers or 40, asked.cavity)
        if asked.model == "fesom-diag":
            asked.out.write_bytes(fesom_diag(sea, cavity=asked.cavity))
        else:
            asked.out.mkdir(exist_ok=True)
            for name, text in fesom(sea, asked.cavity).items():
                (asked.out / name).write_text(text)


if __name__ == "__main__":
    main()
