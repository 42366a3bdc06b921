# SPDX-License-Identifier: Apache-2.0
"""Decks of finite elements: Abaqus. Written from the formats' manuals, not from the readers."""
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
    yield swap("bad-set.inp", "block, 8\n", "blok, 8\n", ":34: there is no set 'blok'")
    yield swap("bad-range.inp", "7, 9, 1\n", "1, 1000000000, 1\n", ":32: the range 1, 1000000000, 1 is longer than what there is")
    yield swap("bad-side.inp", "tops, S2\n", "tops, T2\n", ":40: expected a side such as S1, found 'T2'")
    double = "".join(f"*ELSET, ELSET=s{i}\ns{i - 1}, s{i - 1}\n" for i in range(1, 30))
    yield ("bad-doubling.inp", ABAQUS + "*ELSET, ELSET=s0\n1, 7\n" + double, "sets have more members than the file can hold", WHOLE)
    yield ("bad-no-cells.inp", "*NODE\n1, 0, 0\n", "the file has no cells", WHOLE)
    yield ("bad-collapsed.inp", ABAQUS.replace("60, 70, 110, 120", "60, 60, 60, 60"), "is collapsed to nothing", MESH)
    yield swap("unsupported-type.inp", "type=C3D8R", "type=C3D99", ":17: the element type 'C3D99' is not known")


def fixtures(_):
    yield from in_folder("abaqus", list(abaqus()))
