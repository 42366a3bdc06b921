# SPDX-License-Identifier: Apache-2.0
"""Meshes of libMesh, as text and XDR, and of Elmer, which are folders. Written from the formats' descriptions, not from the readers."""
import struct

from fixture import in_folder
from fixtures_fem import SECOND, SOLIDS, WHOLE, XYZ

# type, subdomain, nodes: all from 0
CELLS = [(10, 3, [0, 1, 2, 3, 4, 5, 6, 7]), (13, 3, [4, 7, 8, 5, 6, 9]), (16, 5, [1, 2, 6, 5, 10]), (8, 5, [5, 6, 10, 11])]
# element, side, number; of the prism 0 and 4 are triangles, of the pyramid 4 is the quad
SIDES = [(0, 0, 0), (0, 4, 7), (1, 0, 7), (1, 4, 7), (2, 3, 7), (3, 3, 7), (0, 0, 0)]
HOLDS = SOLIDS + "; the_core 2, #5 2, corner 3, floor 1, #7 5"
NAMES = {"subdomain": {3: "the_core"}, "sideset": {0: "floor"}, "nodeset": {9: "corner"}}


def libmesh(version="1.8.0", cells=CELLS, sides=SIDES, nodes=((0, 9), (2, 9), (0, 9), (3, 9)), xyz=XYZ, names=None, unique=True, levels=None):
    """Items of a file: numbers with their bytes, texts, and lines that end."""
    number = tuple(int(one) for one in version.split("."))
    names = NAMES if names is None else names
    wide = 8 if number >= (1, 3, 0) else 4
    unique = unique and number >= (0, 9, 2)
    yield from (("text", f"libMesh-{version}"), ("one", wide, len(cells)), ("one", wide, len(xyz)))
    yield from (("text", "."), ("text", "."), ("text", "n/a"), ("text", "n/a"))
    if number >= (0, 9, 2):
        for size in (wide, wide if unique else 0, 0, wide, 0, wide, wide, wide):
            yield ("one", wide, size)
    if number >= (1, 8, 0):
        yield from (("one", wide, 8), ("vector", None, ["material"]), ("vector", None, ["age"]), ("vector", 8, [1, 2]))
        yield from (("vector", 8, [4, 5]), ("vector", 8, []))

    def named(kind):
        known = names.get(kind, {})
        yield ("one", wide, len(known))
        if known:
            yield from (("vector", wide, list(known)), ("vector", None, list(known.values())))

    if number >= (0, 9, 2):
        yield from named("subdomain")
    first = 0
    for level, n in enumerate([len(cells)] if levels is None else levels):
        yield ("one", wide, n)
        for place, (kind, subdomain, corners, *parent) in enumerate(cells[first:first + n]):
            row = [kind] + ([100 + place] if unique else []) + (parent if level else []) + [subdomain, *corners]
            yield ("row", wide, row + ([7] if number >= (1, 8, 0) else []))
        first += n
    for point in xyz:
        yield ("reals", point)
    if number >= (0, 9, 6):
        yield ("one", 4, int(unique))
        if unique:
            yield ("row", wide, list(range(200, 200 + len(xyz))))
    if number >= (1, 8, 0):
        yield ("row", wide, [1] * len(xyz))
    for kind, rows in (("sideset", sides), ("nodeset", nodes), ("edge", [(0, 1, 2)]), ("shellface", [])):
        if (kind == "nodeset" and number < (0, 9, 2)) or (kind in ("edge", "shellface") and number < (1, 1, 0)):
            continue
        if number >= (0, 9, 2):
            yield from named(kind)
        yield ("one", wide, len(rows))
        for row in rows:
            yield ("row", wide, list(row))


def xda(items):
    text = ""
    for kind, *what in items:
        if kind == "text":
            text += f"{what[0]}\t # a text\n"
        elif kind == "one":
            text += f"{what[1]}\t # a number\n"
        elif kind == "vector":
            text += f"{len(what[1])}\t # vector length\n" + "".join(f"{one}\t " for one in what[1]) + "\n"
        else:
            text += " ".join(str(one) for one in what[-1]) + "\n"
    return text


def packed(text):
    data = text.encode()
    return struct.pack(">I", len(data)) + data + bytes(-len(data) % 4)


def xdr(items):
    data = b""
    for kind, *what in items:
        if kind == "text":
            data += packed(what[0])
        elif kind == "reals":
            data += struct.pack(">3d", *what[0])
        elif kind == "vector" and what[0] is None:
            data += struct.pack(">I", len(what[1])) + b"".join(packed(one) for one in what[1])
        else:
            numbers = what[1] if isinstance(what[1], list) else [what[1]]
            data += struct.pack(">I", len(numbers)) if kind == "vector" else b""
            data += struct.pack(">%d%s" % (len(numbers), "Q" if what[0] == 8 else "I"), *numbers)
    return data


# a quad of four children, of which the last is refined again; nodes of a grid of 5 x 5 with some left out
GRID = [(x, y, 0) for y in range(5) for x in range(5)]
REFINED = [(5, 0, [0, 4, 24, 20]), (5, 0, [0, 2, 12, 10], 0), (5, 0, [2, 4, 14, 12], 0), (5, 0, [12, 14, 24, 22], 0), (5, 0, [10, 12, 22, 20], 0),
           (5, 0, [10, 11, 16, 15], 4), (5, 0, [11, 12, 17, 16], 4), (5, 0, [16, 17, 22, 21], 4), (5, 0, [15, 16, 21, 20], 4)]


def refined():
    return libmesh("0.7.0", REFINED, [(0, 0, 1), (0, 3, 2), (0, 2, 3)], (), GRID, {}, False, [1, 4, 4])


def second(name):
    """Points of a cell of second order, its corners, and the number of the node between two corners."""
    _, corners, ours = SECOND[name]
    points = corners + [tuple((corners[a][d] + corners[b][d]) / 2 for d in range(3)) for a, b in ours]
    return points, len(corners), {frozenset(edge): len(corners) + i for i, edge in enumerate(ours)}


# edges in the order of libMesh and of Elmer
EDGES = {"tet10": (9, 510, "01 12 02 03 13 23", "01 12 02 03 13 23"),
         "prism15": (14, 715, "01 12 02 03 14 25 34 45 35", "01 12 02 34 45 35 03 14 25"),
         "hex20": (11, 820, "01 12 23 30 04 15 26 37 45 56 67 74", "01 12 23 30 04 15 26 37 45 56 67 74")}
FACES = {"hex20": 6, "prism15": 5, "tet10": 4}


def libmeshes():
    first, grid = "good-solids.xda", "nodes 25, cells 7, faces 6, boundary_faces 16: 7 quad4; #1 2, #2 3, #3 3"
    yield (first, xda(libmesh()), HOLDS)
    yield ("good-solids.xdr", xdr(libmesh()), HOLDS, first)
    for version in ("0.9.6", "1.1.0", "1.3.0"):
        yield (f"good-{version}.xda", xda(libmesh(version)), HOLDS, first)
        yield (f"good-{version}.xdr", xdr(libmesh(version)), HOLDS, first)
    old = HOLDS.replace("the_core", "#3").replace("corner 3, floor 1", "#0 1")
    yield ("good-0.7.0.xda", xda(libmesh("0.7.0")), old)
    yield ("good-0.7.0.xdr", xdr(libmesh("0.7.0")), old, "good-0.7.0.xda")
    yield ("good-refined.xda", xda(refined()), grid)
    for name, (kind, _, edges, _) in EDGES.items():
        points, n, place = second(name)
        nodes = [*range(n), *(place[frozenset(int(c) for c in edge)] for edge in edges.split())]
        yield (f"good-{name}.xda", xda(libmesh(cells=[(kind, 0, nodes)], sides=[], nodes=[], xyz=points, names={})),
               f"nodes {len(points)}, cells 1, faces 0, boundary_faces {FACES[name]}: 1 {name}")
    text, data = xda(libmesh("1.3.0")), xdr(libmesh("1.3.0"))

    def swap(name, before, after, says, placeless=None):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says, placeless)

    tet = "8 103 5 5 6 10 11\n"
    yield swap("bad-node.xda", tet, "8 103 5 5 6 12 11\n", ":25: node 12 is not in [0, 12)")
    yield swap("bad-word.xda", tet, "8 103 5 5 6 ten 11\n", ":25: expected a node of an element, found 'ten'")
    yield swap("bad-level.xda", "4\t # a number\n10 100", "5\t # a number\n10 100", ":22: a level has 5 elements, but only 4 are left")
    yield swap("bad-infinite.xda", "1.5 0.5 2", "1.5 inf 2", "a coordinate of node 11 is not finite", WHOLE)
    yield swap("bad-element.xda", "3 3 7\n", "4 3 7\n", "there is no side 3 of an element 4")
    yield swap("bad-side.xda", "3 3 7\n", "3 4 7\n", "element 3 has no side 4", WHOLE)
    yield swap("bad-set.xda", "2 9\n", "12 9\n", "node 12 is not in [0, 12)")
    yield swap("bad-count.xda", "12\t # a number", "120000000\t # a number", ":4: the number of nodes cannot be 120000000: the file is too short")
    yield ("bad-cut.xda", text[:text.index("1.5 0.5 2")], ": expected a coordinate, found the end of the file")
    yield ("bad-cut.xdr", data[:900], ": byte ")
    yield ("bad-length.xdr", data[:4] + data[4:].replace(b"\0\0\0\x08the_core", b"\0\xff\xff\xfethe_core"), ": byte ")
    size = text.split("\n")
    yield ("bad-size.xda", "\n".join(size[:7] + ["3\t # a number"] + size[8:]), ":16: the size of numbers is 3, not 4 or 8")
    yield ("bad-parent.xda", xda(refined()).replace("5 4 0 10 11 16 15", "5 40 0 10 11 16 15"),
           ": the parent of element 5 is 40")
    yield ("bad-no-cells.xda", xda(libmesh("0.7.0", cells=[], sides=[], nodes=[], levels=[])), "the file has no cells", WHOLE)
    yield swap("unsupported-type.xda", tet, "22 103 5 5 6 10 11\n", ":25: elements of type 22 are not supported")
    yield ("unsupported-old.xda", text.replace("libMesh-1.3.0", "libMesh-0.6.0"), "version 'libMesh-0.6.0' is not supported")
    yield ("unsupported-file.xda", text.replace(".\t # a text", "other.xda\t # a text", 1), "boundary conditions are in another file, 'other.xda'")
    yield ("unsupported-solution.xda", "libMesh-1.7.0\t # File Format Identifier\n2\t # No. of Equation Systems\n", "the file holds a solution, not a mesh")
    tets = [(8, 0, [0, 1, 2, 3]), *((8, 0, [0, 1, 2, 3], 0) for _ in range(8))]
    yield ("unsupported-refined.xda", xda(libmesh("0.7.0", tets, [(0, 0, 1)], (), XYZ, {}, False, [1, 8])),
           "boundary conditions on refined tetrahedra, prisms and pyramids are not supported")


# --- Elmer ----------------------------------------------------------------------------------------

ELMER_CELLS = [(808, 1, [0, 1, 2, 3, 4, 5, 6, 7]), (706, 1, [4, 7, 8, 5, 6, 9]), (605, 2, [1, 2, 6, 5, 10]), (504, 2, [5, 6, 10, 11])]
ELMER_SIDES = [(404, 1, [0, 3, 2, 1]), (404, 3, [0, 4, 7, 3]), (303, 3, [4, 8, 7]), (202, 4, [0, 1]), (101, 5, [2]), (101, 5, [0])]
ELMER_NAMES = "! ----- names for bodies -----\n$ the core = 1\n! ----- names for boundaries -----\n$ floor = 1\n$ corner = 5\n$ unused = 9\n"


def elmer(cells=tuple(ELMER_CELLS), sides=tuple(ELMER_SIDES), xyz=XYZ, names=ELMER_NAMES, shift=1):
    kinds = sorted({kind for kind, *_ in (*cells, *sides)})
    count = {kind: sum(one[0] == kind for one in (*cells, *sides)) for kind in kinds}
    files = {"mesh.header": f"{len(xyz)} {len(cells)} {len(sides)}\n{len(kinds)}\n" + "".join(f"{k} {count[k]}\n" for k in kinds),
             "mesh.nodes": "".join(f"{i + shift} -1 {x} {y} {z}\n" for i, (x, y, z) in enumerate(xyz)),
             "mesh.elements": "".join(f"{i} {body} {kind} {' '.join(str(k + shift) for k in nodes)}\n" for i, (kind, body, nodes) in enumerate(cells, 1)),
             "mesh.boundary": "".join(f"{i} {number} 1 0 {kind} {' '.join(str(k + shift) for k in nodes)}\n"
                                      for i, (kind, number, nodes) in enumerate(sides, 1))}
    if names:
        files["mesh.names"] = names
    return files


def elmers():
    first, files = "good-solids", elmer()
    holds = SOLIDS + "; the core 2, #2 2, #4 2, corner 2, floor 1, #3 2"
    yield (first, files, holds)
    turned = elmer(shift=5)
    turned["mesh.nodes"] = "".join(line + "\r\n" for line in reversed(turned["mesh.nodes"].splitlines()))
    yield ("good-numbers", turned, holds)
    yield ("good-nameless", elmer(names=""), holds.replace("the core", "#1").replace("corner", "#5").replace("floor", "#1"))
    flat = elmer([(303, 1, [0, 1, 2]), (404, 2, [0, 2, 3, 4])], [(202, 1, [0, 1])], [(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 2, 0), (0, 2, 0)], "")
    more = dict(flat, **{"mesh.boundary": flat["mesh.boundary"] + "2 1 0 0 202 2 3\n"})
    flat_holds = "nodes 5, cells 2, faces 1, boundary_faces 5: 1 tri3, 1 quad4; #1 1, #2 1, #1 1"
    yield ("good-flat", flat, flat_holds)
    yield ("good-more-rows", more, flat_holds, "good-flat")
    for name, (_, kind, _, edges) in EDGES.items():
        points, n, place = second(name)
        nodes = [*range(n), *(place[frozenset(int(c) for c in edge)] for edge in edges.split())]
        yield (f"good-{name}", elmer([(kind, 1, nodes)], [], points, ""),
               f"nodes {len(points)}, cells 1, faces 0, boundary_faces {FACES[name]}: 1 {name}; #1 1")

    def swap(name, file, before, after, says, placeless=None):
        assert files[file].count(before) == 1, (name, before)
        return (name, dict(files, **{file: files[file].replace(before, after)}), says, placeless)

    tet = "4 2 504 6 7 11 12"
    yield swap("bad-node", "mesh.elements", tet, "4 2 504 6 7 11 13", "mesh.elements:4: there is no node 13")
    yield swap("bad-word", "mesh.elements", tet, "4 2 504 6 x 11 12", "mesh.elements:4: expected a node of an element, found 'x'")
    yield swap("bad-cut", "mesh.elements", tet, "4 2 504 6 7", "mesh.elements:5: expected a node of an element")
    yield swap("bad-part", "mesh.elements", tet, "4/2 2 504 6 7 11 12", "mesh.elements:4: expected the number of an element")
    yield swap("bad-twice", "mesh.nodes", "12 -1 ", "11 -1 ", "mesh.nodes:12: node 11 occurs twice")
    yield swap("bad-infinite", "mesh.nodes", "1.5 0.5 2", "1.5 inf 2", "mesh.nodes:12: a coordinate is not finite")
    yield swap("bad-count", "mesh.header", "12 4 6", "12 4000000 6", "mesh.header:1: the number of elements is 4000000, more than")
    yield swap("bad-side", "mesh.boundary", "202 1 2", "202 1 20", "mesh.boundary:4: there is no node 20")
    yield swap("unsupported-type", "mesh.elements", tet, "4 2 614 6 7 11 12", "mesh.elements:4: elements of type 614 are not supported")
    yield swap("unsupported-numbers", "mesh.nodes", "12 -1 ", "12000000 -1 ", "mesh.nodes:12: node number 12000000: numbers must not be far above")


def fixtures(_):
    yield from in_folder("libmesh", list(libmeshes()))
    yield from in_folder("elmer", list(elmers()))
