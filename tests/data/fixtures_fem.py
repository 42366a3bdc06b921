# SPDX-License-Identifier: Apache-2.0
"""Decks of finite elements: Abaqus, I-DEAS (UNV), Nastran; meshes of MFEM and Netgen. Written from the formats' manuals, not from the readers."""
import fixtures_gmsh
from fixture import in_folder

WHOLE = "what is missing stands nowhere"
MESH = "found when the mesh is whole: the cell is named"
XYZ = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 2), (1, 0, 2),
       (2, .5, .5), (1.5, .5, 2)]
SOLIDS = fixtures_gmsh.SOLIDS


def rows(number_of, xyz=XYZ):
    return "".join(f"{number_of(i)}, {x}, {y}, {z}\n" for i, (x, y, z) in enumerate(xyz, 1))


ABAQUS = f"""** a comment
*Heading
solids, of all kinds
*NODE, NSET=all
{rows(lambda i: 10 * i)}*Element, type=C3D8R, elset=block
1, 10, 20, 30, 40, 50, 60, 70,
80
*ELEMENT, TYPE=C3D6
7, 50, 80, 90, 60, 70, 100
*ELEMENT, ELSET="tops", TYPE=C3D5
** between data
8, 20, 30, 70, 60, 110
*element, type = C3D4, elset = tops
9, 60, 70, 110, 120
*Element, type=S4
20, 10, 40, 30, 20
*ELSET, elset=floor
20
*ELSET, ELSET=most, GENERATE
7, 9, 1
*elset, elset=most
block, 8
*NSET, NSET=corner
10, 20,
40
*SURFACE, NAME=sides
1, S1
tops, S2
*SURFACE, TYPE=NODE, NAME=points
corner,
*STEP
1, 2, 3
*END STEP
"""
ABAQUS_HOLDS = SOLIDS + "; block 1, most 4, tops 2, corner 3, points 3, floor 1, sides 3"
PARTS = """*Part, name=a
*Node
1, 0, 0
2, 1, 0
3, 0, 1
*Element, type=CPS3, elset=one
1, 1, 2, 3
*End Part
*Part, name=b
*Node
1, 5, 0
2, 6, 0
3, 5, 1
*Element, type=CPS3, elset=one
1, 1, 2, 3
*End Part
*Assembly, name=c
*Instance, name=b-1, part=b
*End Instance
*Instance, name=a-1, part=a
*End Instance
*Nset, nset=ends, instance=b-1
2
*Nset, nset=ends
a-1.3
*Surface, type=element, name=bottom
b-1.1, S1
*End Assembly
"""


def second_order(kind, corners, edges):
    """A cell of second order whose nodes are the middles of edges in this order."""
    points = corners + [tuple((corners[a][d] + corners[b][d]) / 2 for d in range(3)) for a, b in edges]
    nodes = ", ".join(str(i + 1) for i in range(len(points)))
    return "*NODE\n" + rows(lambda i: i, points) + f"*ELEMENT, TYPE={kind}\n1, {nodes}\n"


HEX = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
PRISM = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
TET = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
SECOND = {"hex20": ("C3D20R", XYZ[:8], HEX), "prism15": ("C3D15", [XYZ[k] for k in (0, 1, 3, 4, 5, 7)], PRISM),
          "tet10": ("C3D10M", [XYZ[k] for k in (0, 1, 3, 4)], TET)}


def gmsh_second_order(name, corners):
    """The same cell as Gmsh writes it, for comparison."""
    edges = {"hex20": "01 03 04 12 15 23 26 37 45 47 56 67", "prism15": "01 02 03 12 14 25 34 35 45",
             "tet10": "01 12 20 30 23 13"}[name].split()
    shape = {"hex20": 17, "prism15": 18, "tet10": 11}[name]
    points = corners + [tuple((corners[int(e[0])][d] + corners[int(e[1])][d]) / 2 for d in range(3)) for e in edges]
    nodes = "".join(f"{i} {x} {y} {z}\n" for i, (x, y, z) in enumerate(points, 1))
    return (f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(points)}\n{nodes}$EndNodes\n$Elements\n1\n1 {shape} 0 "
            + " ".join(str(i + 1) for i in range(len(points))) + "\n$EndElements\n")


def abaqus():
    first = "good-solids.inp"
    yield (first, ABAQUS, ABAQUS_HOLDS)
    yield ("good-crlf.inp", ABAQUS.replace("\n", "\r\n"), ABAQUS_HOLDS, first)
    yield ("good-words.inp", ABAQUS.replace("*Element, type=S4\n", "*ELEMENT ,\nTYPE= \"s4\" \n"), ABAQUS_HOLDS, first)
    yield ("good-parts.inp", PARTS, "nodes 6, cells 2, faces 0, boundary_faces 6: 2 tri3; one 2, ends 2, bottom 1")
    for name, (kind, corners, edges) in SECOND.items():
        n = {"hex20": "6", "prism15": "5", "tet10": "4"}[name]
        says = f"nodes {name[-2:]}, cells 1, faces 0, boundary_faces {n}: 1 {name}"
        yield (f"good-{name}.inp", second_order(kind, corners, edges), says)
    shell = "*NODE\n1,0,0\n2,1,0\n3,2,0\n4,0,1,0\n5,1,1\n6,2,1\n*ELEMENT,TYPE=S4R\n1,1,2,5,4\n*ELEMENT,TYPE=B31,ELSET=rim\n5,2,5\n"
    yield ("good-shell.inp", shell + "*SURFACE,NAME=top\n1,SPOS\n*SURFACE,NAME=edge\n1,E4\n",
           "nodes 6, cells 1, faces 0, boundary_faces 4: 1 quad4; top 1, rim 1, edge 1")
    yield ("good-beam.inp", shell.replace("5,2,5", "5,2,5,3,") + "*SURFACE,NAME=top\n1,SPOS\n*SURFACE,NAME=edge\n1,E4\n",
           "nodes 6, cells 1, faces 0, boundary_faces 4: 1 quad4; top 1, rim 1, edge 1", "good-shell.inp")

    def swap(name, before, after, says, placeless=None):
        assert ABAQUS.count(before) == 1, (name, before)
        return (name, ABAQUS.replace(before, after), says, placeless)

    yield swap("bad-coordinate.inp", "20, 1, 0, 0\n", "20, 1, x, 0\n", ":6: expected a coordinate, found 'x'")
    yield swap("bad-infinite.inp", "20, 1, 0, 0\n", "20, 1, inf, 0\n", ":6: a coordinate is not finite")
    yield swap("bad-number.inp", "20, 1, 0, 0\n", "-20, 1, 0, 0\n", ":6: the number of a node is -20")
    yield swap("bad-two-places.inp", "20, 1, 0, 0\n", "10, 1, 0, 0\n", "node 10 occurs twice, at two places", WHOLE)
    yield swap("bad-node.inp", "60, 70, 110, 120\n", "60, 70, 110, 130\n", ":26: element 9 has a node 130, which is not there")
    yield swap("bad-few-nodes.inp", "60, 70, 110, 120\n", "60, 70, 110\n", ":27: an element has 3 nodes, its type needs 4")
    yield swap("bad-more-nodes.inp", "60, 70, 110, 120\n", "60, 70, 110 120 1\n", ":26: an element has more than the 4 nodes")
    yield swap("bad-more-comma.inp", "60, 70, 110, 120\n", "60, 70, 110, 120, 10\n", ":26: an element has more than the 4 nodes")
    yield swap("bad-beam.inp", "*Element, type=S4\n20, 10, 40, 30, 20\n", "*Element, type=B31\n20, 10, 40, 30, 20\n",
               ":28: an element has more than the 2 nodes")
    yield swap("bad-set.inp", "block, 8\n", "blok, 8\n", ":34: there is no set 'blok'")
    yield swap("bad-range-step.inp", "7, 9, 1\n", "7, 9, 9223372036854775807\n", ":32: 7, 9, 9223372036854775807 are not a first and last")
    yield swap("bad-range-last.inp", "7, 9, 1\n", "7, -9223372036854775808, 1\n", ":32: 7, -9223372036854775808, 1 are not a first and last")
    yield swap("bad-range.inp", "7, 9, 1\n", "1, 1000000000, 1\n", ":32: the range 1, 1000000000, 1 is longer than what there is")
    yield swap("bad-side.inp", "tops, S2\n", "tops, T2\n", ":40: expected a side such as S1, found 'T2'")
    double = "".join(f"*ELSET, ELSET=s{i}\ns{i - 1}, s{i - 1}\n" for i in range(1, 30))
    yield ("bad-doubling.inp", ABAQUS + "*ELSET, ELSET=s0\n1, 7\n" + double, "sets have more members than the file can hold", WHOLE)
    yield ("bad-no-cells.inp", "*NODE\n1, 0, 0\n", "the file has no cells", WHOLE)
    yield ("bad-collapsed.inp", ABAQUS.replace("60, 70, 110, 120", "60, 60, 60, 60"), "is collapsed", MESH)
    yield swap("unsupported-type.inp", "type=C3D8R", "type=C3D99", ":17: the element type 'C3D99' is unknown")


# --- UNV ------------------------------------------------------------------------------------------

def dataset(number, *lines):
    return f"    -1\n{number:6d}\n" + "".join(line + "\n" for line in lines) + "    -1\n"


def unv_nodes(points, step=10):
    rows = []
    for i, point in enumerate(points, 1):
        rows += [f"{step * i:10d}{1:10d}{1:10d}{11:10d}", "".join(f"{x:25.16E}".replace("E", "D") for x in point)]
    return dataset(2411, *rows)


def unv_element(number, form, nodes):
    beam = ["         0         1         1"] if form == 11 else []
    return [f"{number:10d}{form:10d}{1:10d}{1:10d}{7:10d}{len(nodes):10d}", *beam,
            *("".join(f"{node:10d}" for node in nodes[k:k + 8]) for k in range(0, len(nodes), 8))]


UNV_SOLIDS = [(1, 115, [10, 20, 30, 40, 50, 60, 70, 80]), (7, 112, [50, 80, 90, 60, 70, 100]), (8, 101, [20, 30, 70, 60, 110]),
              (9, 111, [60, 70, 110, 120]), (20, 94, [10, 40, 30, 20]), (21, 11, [10, 20])]
UNV_GROUPS = dataset(2467, "         1" + "         0" * 6 + "         3", "the block  ", "         8         1         0         0"
                     "         7        30         0         0", "         8        20         0         0",
                     "         2" + "         0" * 6 + "         1", "rim", "         8        21         0         0")
UNV = (dataset(164, "         1  SI: Meter", "    1.0D+00") + unv_nodes(XYZ)
       + dataset(2412, *sum((unv_element(*one) for one in UNV_SOLIDS), [])) + UNV_GROUPS)
UNV_HOLDS = SOLIDS + "; the block 1, rim 2, the block 1, the block 1"
UNV_ORDER = {"tet10": (118, [0, 4, 1, 5, 2, 6, 7, 8, 9, 3]),
             "prism15": (113, [0, 6, 1, 7, 2, 8, 12, 13, 14, 3, 9, 4, 10, 5, 11]),
             "hex20": (116, [0, 8, 1, 9, 2, 10, 3, 11, 16, 17, 18, 19, 4, 12, 5, 13, 6, 14, 7, 15])}


def unv():
    first = "good-solids.unv"
    yield (first, UNV, UNV_HOLDS)
    yield ("good-crlf.unv", UNV.replace("\n", "\r\n"), UNV_HOLDS, first)
    old = dataset(2430, "         3" + "         0" * 6 + "         2", "old", "         8        20         7        10")
    yield ("good-old-groups.unv", UNV.replace(UNV_GROUPS, old), SOLIDS + "; old 1, old 1")
    for name, (form, order) in UNV_ORDER.items():
        _, corners, edges = SECOND[name]
        points = corners + [tuple((corners[a][d] + corners[b][d]) / 2 for d in range(3)) for a, b in edges]
        n = {"hex20": "6", "prism15": "5", "tet10": "4"}[name]
        yield (f"good-{name}.unv", unv_nodes(points) + dataset(2412, *unv_element(1, form, [10 * k + 10 for k in order])),
               f"nodes {name[-2:]}, cells 1, faces 0, boundary_faces {n}: 1 {name}")

    def swap(name, before, after, says, placeless=None):
        assert UNV.count(before) == 1, (name, before)
        return (name, UNV.replace(before, after), says, placeless)

    row = "        60        70       110       120"
    yield swap("bad-node.unv", row, row.replace("120", "130"), ":41: element 9 has a node 130, which is not there")
    yield swap("bad-word.unv", row, row.replace("120", "  x"), ":42: expected a node of an element, found 'x'")
    yield swap("bad-few-nodes.unv", row, row[:30], ":45: an element of form 40 with 11 nodes is not known")
    yield swap("bad-members.unv", "         1" + "         0" * 6 + "         3", "         1" + "         0" * 6 + " 999999999",
               ":51: the number of members of a group is 999999999")
    yield swap("bad-infinite.unv", "   1.5000000000000000D+00", "  1.5000000000000000D+999", ":31: a coordinate is not finite")
    yield ("bad-between.unv", UNV.replace("    -1\n  2412", "    -2\n  2412"), ":33: expected a line of -1 before a dataset")
    yield ("bad-truncated.unv", UNV[:-7], ": the file ends within dataset 2467")
    yield ("bad-no-cells.unv", unv_nodes(XYZ), "the file has no cells", WHOLE)
    yield ("unsupported-form.unv", UNV.replace("       115", "       199"), ":35: an element of form 199 with 8 nodes is not known")


# --- Nastran --------------------------------------------------------------------------------------

def small(name, *fields):
    lines = [name.ljust(8)]
    for k, field in enumerate(fields):
        if k and k % 8 == 0:
            lines[-1] += "+"
            lines.append("+".ljust(8))
        lines[-1] += str(field).ljust(8)
    return "".join(line.rstrip() + "\n" for line in lines)


def large(name, *fields):
    lines = [(name + "*").ljust(8)]
    for k, field in enumerate(fields):
        if k and k % 4 == 0:
            lines.append("*".ljust(8))
        lines[-1] += str(field).ljust(16)
    return "".join(line.rstrip() + "\n" for line in lines)


def free(name, *fields):
    lines = [name]
    for k, field in enumerate(fields):
        if k and k % 8 == 0:
            lines[-1] += ",+"
            lines.append("+")
        lines[-1] += f",{field}"
    return "".join(line + "\n" for line in lines)


NASTRAN_CELLS = [("CHEXA", 1, 3, 10, 20, 30, 40, 50, 60, 70, 80), ("CPENTA", 7, 4, 50, 80, 90, 60, 70, 100),
                 ("CPYRAM", 8, 4, 20, 30, 70, 60, 110), ("CTETRA", 9, 3, 60, 70, 110, 120), ("CQUAD4", 20, 5, 10, 40, 30, 20),
                 ("CONM2", 30, 10, 0, 1.5)]
NASTRAN_HOLDS = SOLIDS + "; #3 2, #4 2, #5 1"


def nastran_deck(form, points=XYZ, cells=NASTRAN_CELLS, step=10, head="SOL 101\nCEND\nGRID = ALL\nBEGIN BULK\n"):
    grids = "".join(form("GRID", step * i, "", *(f"{x:.1f}" for x in point)) for i, point in enumerate(points, 1))
    return head + "$ a comment\n" + grids + "".join(form(*cell) for cell in cells) + "ENDDATA\nGRID,1\n"


def nastran():
    first = "good-small.bdf"
    deck = nastran_deck(small)
    yield (first, deck, NASTRAN_HOLDS)
    yield ("good-large.nas", nastran_deck(large), NASTRAN_HOLDS, first)
    yield ("good-free.fem", nastran_deck(free, head=""), NASTRAN_HOLDS, first)
    yield ("good-crlf.bdf", deck.replace("\n", "\r\n"), NASTRAN_HOLDS, first)
    yield ("good-exponents.bdf", deck.replace("2.0 ", "2.+0").replace("1.5     0.5", ".15+1   5.-1"), NASTRAN_HOLDS, first)
    yield ("good-tabs.bdf", nastran_deck(lambda *fields: "\t".join(map(str, fields[:9])) + "\n"
                                         + ("" if len(fields) < 10 else "\t" + "\t".join(map(str, fields[9:])) + "\n")),
           NASTRAN_HOLDS, first)
    exodus = {"tet10": ("CTETRA", range(10)), "prism15": ("CPENTA", [*range(9), 12, 13, 14, 9, 10, 11]),
              "hex20": ("CHEXA", [*range(12), 16, 17, 18, 19, 12, 13, 14, 15])}
    for name, (card, order) in exodus.items():
        _, corners, edges = SECOND[name]
        points = corners + [tuple((corners[a][d] + corners[b][d]) / 2 for d in range(3)) for a, b in edges]
        n = {"hex20": "6", "prism15": "5", "tet10": "4"}[name]
        says = f"cells 1, faces 0, boundary_faces {n}: 1 "
        cell = (card, 1, 2, *(k + 1 for k in order))
        yield (f"good-{name}.bdf", nastran_deck(free, points, [cell], 1), f"nodes {name[-2:]}, {says}{name}; #2 1")
    lacking = ("CTETRA", 1, 2, 1, 2, 3, 4, 5, "", 7)
    yield ("good-some-middles.bdf", nastran_deck(free, XYZ[:2] + XYZ[3:8], [lacking], 1),
           "nodes 7, cells 1, faces 0, boundary_faces 4: 1 tet4; #2 1")

    def swap(name, before, after, says, placeless=None):
        assert deck.count(before) == 1, (name, before)
        return (name, deck.replace(before, after), says, placeless)

    yield swap("bad-node.bdf", "60      70      110     120", "60      70      110     130",
               ":22: element 9 has a node 130, which is not there")
    yield swap("bad-word.bdf", "60      70      110     120", "60      70      11x     120",
               ":22: expected a node of an element, found '11x'")
    yield swap("bad-few-nodes.bdf", "60      70      110     120", "60      70", ":22: expected a node of an element, found ''")
    yield swap("bad-coordinate.bdf", "1.5     0.5", "1.5     0.x", ":17: expected a coordinate, found '0.x'")
    yield swap("bad-infinite.bdf", "1.5     0.5", "1.5     1+999", ":17: expected a coordinate, found '1+999'")
    yield swap("bad-number.bdf", "CPENTA  7       4", "CPENTA  -7      4", ":20: expected the number of an element, found '-7'")
    yield ("bad-no-cells.bdf", nastran_deck(small, cells=[]), "the file has no cells", WHOLE)


# --- MFEM -----------------------------------------------------------------------------------------

MFEM = """MFEM mesh v1.2

# types: 2 triangle, 3 square, 4 tet, 5 cube, 6 prism, 7 pyramid
dimension
3

elements
4
1 5 0 1 2 3 4 5 6 7
1 6 4 7 8 5 6 9
2 7 1 2 6 5 10
2 4 5 6 10 11

boundary
2
7 3 0 3 2 1
8 2 4 8 7 # the other

vertices
12
"""
MFEM_NODES = """
nodes
FiniteElementSpace
FiniteElementCollection: %s
VDim: 3
Ordering: %d

"""
MFEM_HOLDS = SOLIDS + "; #1 2, #2 2, #7 1, #8 1"


def mfem():
    points = "".join(f"{x} {y} {z}\n" for x, y, z in XYZ)
    first = "good-solids.mesh"
    text = MFEM + "3\n" + points + "mfem_mesh_end\nleft over\n"
    yield (first, text, MFEM_HOLDS)
    yield ("good-crlf.mesh", text.replace("\n", "\r\n"), MFEM_HOLDS, first)
    yield ("good-sets.mesh", text.replace("boundary\n", 'attribute_sets\n\n1\n"a" 1 1\n\nboundary\n'), MFEM_HOLDS, first)
    curved = [*XYZ, (9, 9, 9)]
    by_point = "".join(f"{x} {y} {z}\n" for x, y, z in curved)
    by_axis = "".join(" ".join(str(point[d]) for point in curved) + "\n" for d in range(3))
    yield ("good-by-point.mesh", MFEM + MFEM_NODES % ("H1_3D_P2", 1) + by_point, MFEM_HOLDS, first)
    yield ("good-by-axis.mesh", MFEM + MFEM_NODES % ("Quadratic", 0) + by_axis, MFEM_HOLDS, first)

    def swap(name, before, after, says, placeless=None):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says, placeless)

    yield swap("bad-vertex.mesh", "2 4 5 6 10 11", "2 4 5 6 10 12", ":12: vertex 12 is not in [0, 12)")
    yield swap("bad-negative.mesh", "2 4 5 6 10 11", "2 4 5 6 10 -1", ":12: a vertex of an element is -1")
    yield swap("bad-word.mesh", "2 4 5 6 10 11", "2 4 5 6 x 11", ":12: expected a vertex of an element, found 'x'")
    yield swap("bad-count.mesh", "elements\n4", "elements\n4000000", ":8: the number of elements is 4000000, more than")
    yield swap("bad-infinite.mesh", "1.5 0.5 2", "1.5 inf 2", ":33: a coordinate is not finite")
    yield swap("bad-dimension.mesh", "12\n3\n", "12\n4\n", ":21: the dimension of vertices is 4")
    yield ("bad-few-values.mesh", MFEM + MFEM_NODES % ("H1_3D_P1", 1) + "1 2 3\n", "there are values for 1 of 12 vertices")
    yield ("bad-twice.mesh", text.replace("mfem_mesh_end", "vertices\n1\n"), ":34: a second section vertices")
    yield ("bad-no-cells.mesh", "MFEM mesh v1.0\ndimension\n2\nvertices\n1\n2\n0 0\n", "the file has no cells", WHOLE)
    yield swap("unsupported-type.mesh", "2 4 5 6 10 11", "2 9 5 6 10 11", ":12: the element type 9 is not known")
    yield ("unsupported-nc.mesh", "MFEM NC mesh v1.0\n", ":1: only conforming meshes ('MFEM mesh v1.x') are supported")
    yield ("unsupported-space.mesh", MFEM + MFEM_NODES % ("L2_T1_3D_P2", 1), ": nodes in a space that is not continuous")


# --- Netgen ---------------------------------------------------------------------------------------

NETGEN = """# Generated by NETGEN

mesh3d
dimension
3
geomtype
11

# surfnr\tdomin\tdomout\ttlosurf\tbcprop
facedescriptors
2
1 1 0 1 1
2 1 0 2 2

# surfnr    bcnr   domin  domout      np      p1      p2      p3
surfaceelementsgi
3
 2 1 1 0 4 1 4 3 2 0 0 0 0
 2 2 1 0 3 5 9 8 1 2 3
 2 3 1 0 3 6 7 10

#  matnr      np      p1      p2      p3      p4
volumeelements
4
1 4 6 11 7 12
2 5 2 6 7 3 11
2 6 5 9 8 6 10 7
1 8 1 4 3 2 5 8 7 6

# surfid  0   p1   p2   trignum1    trignum2   domin/surfnr1    domout/surfnr2   ednr1   dist1   ednr2   dist2
edgesegmentsgi2
2
1 0 1 2 -1 -1 0 0 1 0 0 .5
1 0 2 3 -1 -1 0 0 2 .5 0 1

#          X             Y             Z
points
12
%s
#          pnum             index
pointelements
1
5 1
materials
1
2\tthe core

bcnames
3
1 floor
2
3 a side

cd2names
2
1 rim
2 default
cd3names
1
1 tip

face_colours
1
2 0. 1. 0.

endmesh
geometry
1 2
"""
NETGEN_HOLDS = SOLIDS + "; the core 2, #1 2, rim 2, default 2, tip 1, floor 1, a side 1, #2 1"
NETGEN_FLAT = """mesh3d
dimension
2
surfaceelements
2
 2 1 0 0 3 1 2 4
 3 2 0 0 3 2 3 4
volumeelements
0
edgesegmentsgi2
2
1 0 1 2 -1 -1 1 0 1 0 1 1
3 0 2 3 -1 -1 1 0 2 0 1 1
points
4
0 0 0
1 0 0
1 1 0
0 1 0
bcnames
3
1 wall
2 inlet
3 wall
materials
1
1 air
endmesh
"""


def netgen():
    text = NETGEN % "".join(f"{x} {y} {z}\n" for x, y, z in XYZ)
    first, flat = "good-solids.vol", "nodes 4, cells 2, faces 1, boundary_faces 4: 2 tri3; air 1, #2 1, wall 2"
    yield (first, text, NETGEN_HOLDS)
    yield ("good-crlf.vol", text.replace("\n", "\r\n"), NETGEN_HOLDS, first)
    newest = text.replace("edgesegmentsgi2\n2\n1 0 1 2 -1 -1 0 0 1 0 0 .5\n1 0 2 3 -1 -1 0 0 2 .5 0 1",
                          "edgesegmentsgi3\n2\n1 2 -1 -1 0 .5 0\n2 3 -1 -1 .5 1 1")
    assert newest != text
    yield ("good-newest.vol", newest, NETGEN_HOLDS, first)
    old = text.replace("edgesegmentsgi2\n", "surf1 surf2 p1 p2\nedgesegmentsgi2\n").replace("-1 0 0 1 0 0 .5\n", "-1 0 0 1 0 0 .5\n0 0 0\n")
    yield ("good-two-lines.vol", old.replace(" .5 0 1\n", " .5 0 1\n9 9 9\n"), NETGEN_HOLDS, first)
    yield ("good-flat.vol", NETGEN_FLAT, flat)
    orders = {"tet10": (4, [0, 2, 1, 3], "01 02 03 12 13 23"), "hex20": (8, [0, 3, 2, 1, 4, 7, 6, 5], "01 23 30 12 45 67 74 56 04 15 26 37"),
              "prism15": (6, [0, 2, 1, 3, 5, 4], "01 02 12 03 14 25 34 35 45")}
    for name, (n, turn, edges) in orders.items():
        _, corners, ours = SECOND[name]
        points = corners + [tuple((corners[a][d] + corners[b][d]) / 2 for d in range(3)) for a, b in ours]
        place = {frozenset(edge): n + i for i, edge in enumerate(ours)}
        nodes = [*turn, *(place[frozenset((turn[int(e[0])], turn[int(e[1])]))] for e in edges.split())]
        body = f"mesh3d\nvolumeelements\n1\n1 {len(nodes)} " + " ".join(str(k + 1) for k in nodes)
        rows = "".join(f"{x} {y} {z}\n" for x, y, z in points)
        sides = {"hex20": "6", "prism15": "5", "tet10": "4"}[name]
        yield (f"good-{name}.vol", f"{body}\npoints\n{len(points)}\n{rows}endmesh\n",
               f"nodes {len(points)}, cells 1, faces 0, boundary_faces {sides}: 1 {name}; #1 1")

    def swap(name, before, after, says, placeless=None):
        assert text.count(before) == 1, (name, before)
        return (name, text.replace(before, after), says, placeless)

    row = "1 4 6 11 7 12"
    yield swap("bad-node.vol", row, "1 4 6 11 7 13", ":25: node 13 is not in [1, 12]")
    yield swap("bad-zero.vol", row, "1 4 6 0 7 12", ":25: a node of an element is 0")
    yield swap("bad-word.vol", row, "1 4 6 x 7 12", ":25: expected a node of an element, found 'x'")
    yield swap("bad-count.vol", "elements\n4\n", "elements\n4000000\n", ":24: the number of elements is 4000000, more than")
    yield swap("bad-infinite.vol", "1.5 0.5 2", "1.5 inf 2", ":50: a coordinate is not finite")
    yield swap("bad-dimension.vol", "dimension\n3\n", "dimension\n4\n", ":5: the dimension is 4")
    yield swap("bad-twice.vol", "endmesh", "points\n1\n0 0 0\n", ":79: a second section points")
    yield ("bad-cut.vol", text[:text.index("\n2 6 5 9")], ": expected a number of an element, found the end of the file")
    yield ("bad-no-cells.vol", "mesh3d\ndimension\n3\npoints\n1\n0 0 0\nendmesh\n", "the file has no cells", WHOLE)
    yield swap("unsupported-type.vol", row, "1 9 6 11 7 12", ":25: an element of 9 nodes is not known")


def fixtures(_):
    yield from in_folder("netgen", list(netgen()))
    yield from in_folder("mfem", list(mfem()))
    yield from in_folder("nastran", list(nastran()))
    yield from in_folder("unv", list(unv()))
    yield from in_folder("abaqus", list(abaqus()))
