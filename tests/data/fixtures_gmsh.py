# SPDX-License-Identifier: Apache-2.0
"""Gmsh files: MSH 2.0 to 4.1, text and binary, by a writer of their own.

Written from the section "MSH file format" of the Gmsh reference manual, not from the reader."""
import struct

from fixture import in_folder

#         points of a shape, by Gmsh's number
NODES = {1: 2, 2: 3, 3: 4, 4: 4, 5: 8, 6: 6, 7: 5, 8: 3, 9: 6, 10: 9, 11: 10, 12: 27, 13: 18, 14: 14,
         15: 1, 16: 8, 17: 20, 18: 15, 19: 13}


class Mesh:
    """Node blocks (dim, entity, parameters, [(tag, x, y, z, ...)]), element blocks (dim, entity, shape,
    [(tag, nodes...)]), physical groups of entities {(dim, entity): [group]} and names (dim, group, name)."""

    def __init__(self, nodes, elements, entities=None, names=()):
        self.nodes, self.elements = nodes, elements
        self.entities, self.names = entities or {}, names

    def retagged(self, tag_of):
        nodes = [(d, e, p, [(tag_of(row[0]), *row[1:]) for row in rows]) for d, e, p, rows in self.nodes]
        elements = [(d, e, s, [(row[0], *map(tag_of, row[1:])) for row in rows])
                    for d, e, s, rows in self.elements]
        return Mesh(nodes, elements, self.entities, self.names)


class Stream:
    """Rows of ints (i), sizes (s) and doubles (d) as text or as bytes."""

    def __init__(self, binary, order, width):
        self.binary, self.order, self.parts = binary, order, []
        self.size = "Q" if width == 8 else "I"

    def text(self, text):
        self.parts.append(text.encode("ascii"))

    def row(self, kinds, *values):
        if self.binary:
            self.parts.append(struct.pack(self.order + kinds.replace("s", self.size), *values))
        else:
            self.text(" ".join(str(value) for value in values) + "\n")

    def begin(self, name):
        self.text(f"${name}\n")

    def end(self, name):
        self.text(("\n" if self.binary else "") + f"$End{name}\n")


def write_2(out, mesh):
    rows = [row for _, _, _, block in mesh.nodes for row in block]
    out.begin("Nodes")
    out.text(f"{len(rows)}\n")
    for row in rows:
        out.row("iddd", *row[:4])
    out.end("Nodes")
    out.begin("Elements")
    out.text(f"{sum(len(block) for *_, block in mesh.elements)}\n")
    for dim, entity, shape, block in mesh.elements:
        groups = (mesh.entities.get((dim, entity)) or [0])[:1]
        if out.binary:
            out.row("iii", shape, len(block), 2)
        for tag, *nodes in block:
            head = (tag,) if out.binary else (tag, shape, 2)
            out.row("i" * (len(head) + 2 + len(nodes)), *head, groups[0], entity, *nodes)
    out.end("Elements")


def write_entities(out, mesh, version):
    out.begin("Entities")
    out.row("ssss", *(sum(key[0] == dim for key in mesh.entities) for dim in range(4)))
    for (dim, tag), groups in sorted(mesh.entities.items()):
        box = (0.0,) * (3 if dim == 0 and version == "4.1" else 6)
        row = (tag, *box, len(groups), *groups)
        kinds = "i" + "d" * len(box) + "s" + "i" * len(groups)
        out.row(kinds + ("s" if dim else ""), *row, *((0,) if dim else ()))
    out.end("Entities")


def write_4(out, mesh, version):
    old = version == "4.0"
    if mesh.entities:
        write_entities(out, mesh, version)
    tags = [row[0] for _, _, _, block in mesh.nodes for row in block]
    out.begin("Nodes")
    out.row("ss" if old else "ssss", len(mesh.nodes), len(tags), *(() if old else (min(tags), max(tags))))
    for dim, entity, parameters, block in mesh.nodes:
        out.row("iiis", *((entity, dim) if old else (dim, entity)), int(parameters > 0), len(block))
        if not old:
            for row in block:
                out.row("s", row[0])
        for row in block:
            out.row(("i" if old else "") + "d" * (3 + parameters), *row[0 if old else 1:])
    out.end("Nodes")
    tags = [row[0] for *_, block in mesh.elements for row in block]
    out.begin("Elements")
    out.row("ss" if old else "ssss", len(mesh.elements), len(tags),
            *(() if old else (min(tags), max(tags))))
    for dim, entity, shape, block in mesh.elements:
        out.row("iiis", *((entity, dim) if old else (dim, entity)), shape, len(block))
        for row in block:
            out.row(("i" if old else "s") * len(row), *row)
    out.end("Elements")


def write(mesh, version, binary=False, order="<", width=8):
    out = Stream(binary, order, width)
    out.begin("MeshFormat")
    out.text(f"{version} {int(binary)} {width}\n")
    if binary:
        out.row("i", 1)
        out.text("\n")
    out.text("$EndMeshFormat\n")
    if mesh.names:
        out.begin("PhysicalNames")
        out.text(f"{len(mesh.names)}\n" + "".join(f'{d} {group} "{name}"\n' for d, group, name in mesh.names))
        out.text("$EndPhysicalNames\n")
    (write_2 if version < "4" else lambda o, m: write_4(o, m, version))(out, mesh)
    return b"".join(out.parts)


def plate():
    """2 x 2 quads and, to their right, four triangles; 12 nodes, a named wall, fluid and corner."""
    points = [(1 + i + 4 * j, float(i), 0.5 * j, 0.0) for j in range(3) for i in range(4)]
    quads = [(10 + c, a, a + 1, a + 5, a + 4) for c, a in enumerate((1, 2, 5, 6))]
    triangles = [(20, 3, 4, 8), (21, 3, 8, 7), (22, 7, 8, 12), (23, 7, 12, 11)]
    lines = [(2, 1, 2), (3, 2, 3), (4, 3, 4)]
    return Mesh([(0, 1, 0, points[:1]), (2, 1, 0, points[1:])],
                [(0, 1, 15, [(1, 1)]), (1, 1, 1, lines), (2, 1, 3, quads), (2, 1, 2, triangles)],
                {(0, 1): [5], (1, 1): [1], (2, 1): [10]},
                [(0, 5, "corner"), (1, 1, "wall"), (2, 10, "fluid")])


def apart(dim, shapes):
    """One element of each shape, none of which share a node."""
    points, elements, tag = [], [], 1
    for e, shape in enumerate(shapes):
        nodes = range(tag, tag + NODES[shape])
        points += [(n, float(n % 7), float(n // 7), 0.25 * (n % 3) * (dim == 3)) for n in nodes]
        elements.append((dim, 1, shape, [(e + 1, *nodes)]))
        tag += NODES[shape]
    return Mesh([(dim, 1, 0, points)], elements)


def solids():
    """A hexahedron, a prism on it, a pyramid beside it and a tetrahedron on that."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1),
               (0, 0, 2), (1, 0, 2), (2, 0.5, 0.5), (1.5, 0.5, 2)]
    points = [(n + 1, *map(float, xyz)) for n, xyz in enumerate(corners)]
    return Mesh([(3, 1, 0, points)],
                [(2, 7, 3, [(1, 1, 4, 3, 2)]), (3, 1, 5, [(2, 1, 2, 3, 4, 5, 6, 7, 8)]),
                 (3, 1, 6, [(3, 5, 8, 9, 6, 7, 10)]), (3, 1, 7, [(4, 2, 3, 7, 6, 11)]),
                 (3, 1, 4, [(5, 6, 7, 11, 12)])],
                {(2, 7): [3, 4], (3, 1): []}, [(2, 3, "floor"), (2, 4, "inlet below")])


def parametric():
    """Nodes of a curve and of a surface carry parameters."""
    return Mesh([(1, 1, 1, [(1, 0.0, 0.0, 0.0, 0.5), (2, 1.0, 0.0, 0.0, 0.75)]),
                 (2, 1, 2, [(3, 0.0, 1.0, 0.0, 0.1, 0.9), (4, 1.0, 1.0, 0.0, 0.9, 0.9)])],
                [(2, 1, 2, [(1, 1, 2, 3), (2, 2, 4, 3)])])


PARTITIONED = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PartitionedEntities
2
0
0 0 2 0
1 2 1 1 1 0 0 0 1 1 0 1 7 0
2 2 1 1 2 0 0 0 1 1 0 1 7 0
$EndPartitionedEntities
$Nodes
1 4 1 4
2 1 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
1 1 0
$EndNodes
$Elements
2 2 1 2
2 1 2 1
1 1 2 3
2 2 2 1
2 2 4 3
$EndElements
"""

MORE_SECTIONS = """$Comments
a comment, which may hold a $ sign
$EndComments
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 1e0 1.d0 -0.0
$EndNodes
$Elements
2
1 2 3 7 1 0 1 2 3
2 2 0 2 4 3
$EndElements
$Periodic
0
$EndPeriodic
$NodeData
1
"a view"
1
0.0
3
0
1
1
1 1.5
$EndNodeData
"""

# version 2.0: names without a dimension; an element in two groups stands there twice
REPEATED = """$MeshFormat
2.0 0 8
$EndMeshFormat
$PhysicalNames
2
7 "left"
8 "all"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 1 1 0
$EndNodes
$Elements
3
1 2 2 7 1 1 2 3
1 2 2 8 1 1 2 3
2 2 2 8 1 2 4 3
$EndElements
"""


def good():
    mesh, what = plate(), PLATE
    first = "good-4.1-text.msh"
    for version in ("2.2", "4.0", "4.1"):
        yield (f"good-{version}-text.msh", write(mesh, version), what, first)
        yield (f"good-{version}-binary.msh", write(mesh, version, True), what, first)
        yield (f"good-{version}-big-endian.msh", write(mesh, version, True, ">"), what, first)
    yield ("good-4.1-binary-narrow.msh", write(mesh, "4.1", True, "<", 4), what, first)
    crlf = write(mesh, "4.1").replace(b"\n", b"\r\n")
    yield ("good-4.1-crlf.msh", crlf, what, first)
    sparse = mesh.retagged(lambda tag: 7 + 123456789012 * (13 - tag))
    yield ("good-4.1-sparse-tags.msh", write(sparse, "4.1"), what, first)
    yield ("good-4.1-sparse-tags-binary.msh", write(sparse, "4.1", True), what, first)
    turned = mesh.retagged(lambda tag: 1 + 5 * tag % 13)
    yield ("good-2.2-turned-tags.msh", write(turned, "2.2"), what, first)
    for version in ("2.2", "4.0", "4.1"):
        yield (f"good-{version}-solids.msh", write(solids(), version, version == "4.0"),
               SOLIDS + "; floor 1" + ("" if version == "2.2" else ", inlet below 1"))
    flat, solid = apart(2, (9, 16, 10)), apart(3, (11, 17, 12, 18, 13, 19, 14))
    yield ("good-2.2-second-order-flat.msh", write(flat, "2.2"),
           "nodes 23, cells 3, faces 0, boundary_faces 11: 1 tri6, 1 quad8, 1 quad9", "good-4.1-second-order-flat.msh")
    yield ("good-4.1-second-order-flat.msh", write(flat, "4.1", True),
           "nodes 23, cells 3, faces 0, boundary_faces 11: 1 tri6, 1 quad8, 1 quad9")
    whole = ("nodes 117, cells 7, faces 0, boundary_faces 36: 1 tet10, 1 pyramid13, 1 pyramid14, 1 prism15, 1 prism18, 1 hex20, "
             "1 hex27")
    yield ("good-2.2-second-order.msh", write(solid, "2.2", True), whole, "good-4.1-second-order.msh")
    yield ("good-4.1-second-order.msh", write(solid, "4.1"), whole)
    yield ("good-1.msh", OLD, "nodes 6, cells 2, faces 1, boundary_faces 6: 2 quad4; #3 2, #7 2")
    yield ("good-third-order.msh", THIRD, "nodes 10, cells 1, faces 0, boundary_faces 3: 1 tri3; wall 1")
    yield ("good-4.1-curve.msh", write(apart(1, (1, 8)), "4.1"),
           "nodes 5, cells 2, faces 0, boundary_faces 4: 1 line2, 1 line3")
    triangles = "nodes 4, cells 2, faces 1, boundary_faces 4: 2 tri3"
    yield ("good-4.0-parametric.msh", write(parametric(), "4.0"), triangles)
    yield ("good-4.1-parametric.msh", write(parametric(), "4.1", True), triangles,
           "good-4.0-parametric.msh")
    yield ("good-4.1-partitioned.msh", PARTITIONED, triangles + "; #7 2")
    yield ("good-2.2-sections.msh", MORE_SECTIONS, triangles + "; #7 1")
    yield ("good-2.0-repeated.msh", REPEATED, triangles + "; left 1, all 2")


PLATE = "nodes 12, cells 8, faces 9, boundary_faces 10: 4 tri3, 4 quad4; fluid 8, corner 1, wall 3"
SOLIDS = "nodes 12, cells 4, faces 3, boundary_faces 14: 1 tet4, 1 pyramid5, 1 prism6, 1 hex8"


def patched(content, at, kinds, *values, order="<"):
    patch = struct.pack(order + kinds, *values)
    return content[:at] + patch + content[at + len(patch):]


def bad():
    text, old = write(plate(), "4.1").decode(), write(plate(), "2.2").decode()
    binary, binary_2 = write(plate(), "4.1", True), write(plate(), "2.2", True)
    nodes, elements = binary.index(b"$Nodes\n") + 7, binary.index(b"$Elements\n") + 10
    nodes_2, elements_2 = binary_2.index(b"$Nodes\n") + 10, binary_2.index(b"$Elements\n") + 13

    def swap(name, before, after, says, of=text):
        assert of.count(before) == 1, (name, before, of.count(before))
        return (name, of.replace(before, after), says)

    yield swap("bad-no-number.msh", "\n1.0 0.0 0.0\n", "\n1.0 zero 0.0\n",
               ":33: expected a coordinate, found 'zero'")
    yield swap("bad-infinite.msh", "\n1.0 0.0 0.0\n", "\n1.0 -inf 0.0\n", ":33: a coordinate is infinite")
    yield swap("bad-nan.msh", "\n2 1.0 0.0 0.0\n", "\n2 nan 0.0 0.0\n", ":13: a coordinate is not a number",
               old)
    yield swap("bad-tag.msh", "\n20 3 4 8\n", "\n20 3 4 88\n",
               ":59: element 20 refers to node 88, which does not exist")
    yield swap("bad-tag-2.2.msh", "\n20 2 2 10 1 3 4 8\n", "\n20 2 2 10 1 3 4 0\n",
               ":35: element 20 refers to node 0, which does not exist", old)
    yield swap("bad-tag-twice.msh", "\n2 1.0 0.0 0.0\n", "\n1 1.0 0.0 0.0\n",
               ":13: the node tag 1 occurs twice", old)
    yield swap("bad-version.msh", "4.1 0 8", "four 0 8",
               ":2: expected the version of the MSH format, found 'four'")
    yield swap("bad-kind.msh", "4.1 0 8", "4.1 2 8", ":2: expected 0 (text) or 1 (binary), found 2")
    yield swap("bad-name.msh", '"wall"', '"wall', ":7: the name of a physical group has no final quote")
    yield swap("bad-name-missing.msh", ' "wall"', "", ":7: expected the name of a physical group")
    yield swap("bad-number-of-nodes.msh", "2 1 0 11\n", "2 1 0 999999999999999\n",
               ":21: 999999999999999 nodes do not fit into the rest of the file")
    yield swap("bad-number-negative.msh", "2 1 0 11\n", "2 1 0 -11\n",
               ":21: -11 nodes do not fit into the rest of the file")
    yield swap("bad-block.msh", "2 1 0 11\n", "4 1 0 11\n",
               ":21: a block of nodes of dimension 4, parametric 0")
    yield swap("bad-number-of-elements.msh", "$Elements\n12\n", "$Elements\n999999999999999\n",
               ":27: 999999999999999 elements do not fit into the rest of the file", old)
    yield swap("bad-tags.msh", "20 2 2 10 1", "20 2 -2 10 1", ":35: the number of tags of an element is invalid: -2", old)
    yield swap("bad-end.msh", "$EndNodes", "$EndNode", ":44: expected $EndNodes, found something else")
    yield swap("bad-line.msh", "$Nodes\n", "Nodes\n", ":16: expected a section, which begins with $")
    yield swap("bad-begin.msh", "$Nodes\n", "$Nodes 1\n",
               ":16: expected the end of the line after the name of a section")
    yield swap("bad-second-format.msh", "$PhysicalNames\n3",
               "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n3",
               ":4: a second $MeshFormat")
    yield swap("bad-section-without-end.msh", "$PhysicalNames\n3", "$Endless\n$PhysicalNames\n3",
               ":5: the section $Endless has no end")
    head, body = text.split("$Nodes\n")
    yield ("bad-truncated-text.msh", text[:text.index("1.0 0.5")],
           ":21: 11 nodes do not fit into the rest of the file")
    yield ("bad-truncated-later-text.msh", text[:-17],
           ":62: expected an element or node tag, found the end of the file")
    yield ("bad-no-elements.msh", text[:text.index("$Elements")], ":45: the file ends without $Elements")
    yield ("bad-no-nodes.msh", head, ":16: the file ends without $Nodes")
    yield ("bad-elements-first.msh", head + "$Elements\n0 0 0 0\n$EndElements\n$Nodes\n" + body,
           ":16: $Elements comes before $Nodes")
    yield ("bad-no-cells.msh", head + "$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n0 0 0 0\n$EndElements\n",
           "the file has no cells", "what is missing stands nowhere")
    yield ("bad-collapsed.msh",
           write(Mesh(plate().nodes, [(2, 1, 3, [(1, 1, 2, 6, 5), (2, 4, 4, 4, 4)])]), "4.1"),
           ": cell 1 (quad4) is collapsed", "found when the mesh is whole: the cell is named")
    # binary files
    yield ("bad-truncated.msh", binary[:elements + 200],
           ": byte 1016: 4 elements do not fit into the rest of the file")
    yield ("bad-truncated-2.2.msh", binary_2[:elements_2 + 30],
           ": byte 482: 12 elements do not fit into the rest of the file")
    yield ("bad-truncated-later-2.2.msh", binary_2[:elements_2 + 300],
           ": byte 766: expected an element, found the end of the file")
    yield ("bad-byte-order.msh", binary.replace(b"\n\x01\0\0\0\n", b"\n\x02\0\0\0\n"),
           ": byte 20: expected the int 1 that tells the order of bytes")
    yield ("bad-huge-nodes.msh", patched(binary, nodes + 32 + 12, "Q", 1 << 61),
           " nodes do not fit into the rest of the file")
    yield ("bad-huge-elements.msh", patched(binary, elements + 32 + 12, "Q", 1 << 61),
           " elements do not fit into the rest of the file")
    yield ("bad-huge-blocks.msh", patched(binary, nodes, "Q", 1 << 61),
           ": byte 835: a block of nodes of dimension")
    yield ("bad-huge-entities.msh", patched(binary, binary.index(b"$Entities\n") + 10, "Q", 1 << 61),
           ": byte ")
    yield ("bad-nan-binary.msh", patched(binary, nodes + 32 + 20 + 8 + 8, "d", float("nan")),
           ": byte 419: a coordinate is not a number")
    yield ("bad-tag-binary.msh", patched(binary_2, elements_2 + 12 + 12, "i", 77),
           ": byte 506: element 1 refers to node 77")
    yield ("bad-tag-twice-binary.msh", patched(binary_2, nodes_2 + 28, "i", 1), ": byte ")
    yield ("bad-run.msh", patched(binary_2, elements_2 + 4, "i", -1),
           ": byte 486: -1 elements follow, but $Elements has only 12 left")


# version 1: number, type, physical and elementary group, number of nodes, nodes
OLD = """$NOD
6
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
6 2 1 0
$ENDNOD
$ELM
4
1 1 7 1 2 1 2
2 1 7 1 2 2 3
3 3 3 1 4 1 2 5 4
4 3 3 1 4 2 3 6 5
$ENDELM
"""
# a triangle of third order, its side, and words behind the name of a group as libMesh writes them
THIRD = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
1 7 "wall" lower_dimensional_block
$EndPhysicalNames
$Nodes
10
1 0 0 0
2 3 0 0
3 0 3 0
4 1 0 0
5 2 0 0
6 2 1 0
7 1 2 0
8 0 2 0
9 0 1 0
10 1 1 0
$EndNodes
$Elements
2
1 26 2 7 1 1 2 4 5
2 21 2 0 1 1 2 3 4 5 6 7 8 9 10
$EndElements
"""


def unsupported():
    text, binary, binary_2 = (write(plate(), *how) for how in (("4.1",), ("4.1", True), ("2.2", True)))
    yield ("unsupported-version-3.msh", text.replace(b"4.1 0 8", b"3 0 8"),
           ":2: version 3 of the MSH format is not supported")
    yield ("unsupported-version-5.msh", binary.replace(b"4.1 1 8", b"5.0 1 8"),
           ": version 5 of the MSH format is not supported")
    yield ("unsupported-width.msh", binary_2.replace(b"2.2 1 8", b"2.2 1 4"),
           "numbers of 4 bytes are not supported")
    for number, word in ((52, "an incomplete triangle of high order"), (34, "a polygon"), (35, "a polyhedron"),
                         (99, "an incomplete hexahedron of high order"), (999,
                                                                         "of an unknown shape")):
        yield (f"unsupported-shape-{number}.msh", text.replace(b"\n2 1 2 4\n", b"\n2 1 %d 4\n" % number),
               f":58: elements of type {number}, {word}, are not supported")
    at = binary.index(b"$Elements\n") + 10 + 32 + 8
    yield ("unsupported-shape-binary.msh", patched(binary, at, "i", 67),
           "elements of type 67, a part of a cut element, are not supported")


def fixtures(_):
    yield from in_folder("gmsh", [*good(), *bad(), *unsupported()])
