# SPDX-License-Identifier: Apache-2.0
"""CGNS files, which make_cgns_fixtures.py makes through libcgns: here is what they hold."""
import fixtures_gmsh
from fixture import in_folder

NAMED = "the library tells no bytes: zone, section and element are named"
TWO = "nodes 12, cells 2, faces 1, boundary_faces 10: 2 hex8; left 1, right 1, wall 4"
FLAT = "nodes 7, cells 4, faces 4, boundary_faces 6: 2 tri3, 2 quad4; rim 2"
GRID = "nodes 45, cells 16, faces 28, boundary_faces 40: 16 hex8; left 12, right 4, corner 2, inflow 4, floor 6"

LINKED = ("nodes 24, cells 8, faces 6, boundary_faces 28: 2 tet4, 2 pyramid5, 2 prism6, 2 hex8; "
          "More 4, Zone 4, floor 2, top 4")


def files():
    solid = fixtures_gmsh.SOLIDS + "; floor 1, top 2"
    yield ("good-solid.cgns", None, solid)
    yield ("good-mixed.cgns", None, fixtures_gmsh.SOLIDS + "; floor 1, top 2")
    yield ("good-parents.cgns", None, solid)
    for kind in ("adf", "hdf5"): # a zone that is a link to another, or into another file
        yield (f"good-link-{kind}.cgns", None, LINKED)
        yield (f"unsupported-link-{kind}.cgns", None, "a link to another file, which is not followed")
    for kind in ("adf", "hdf5"): # written by version 4, and before 3.4, which had no offsets
        yield (f"good-version-4-{kind}.cgns", None, solid)
        yield (f"good-counted-{kind}.cgns", None, fixtures_gmsh.SOLIDS + "; floor 1, top 2")
        yield (f"good-counted-faces-{kind}.cg", None, "nodes 12, cells 2, faces 1, boundary_faces 10, faces_cells 2, faces_nodes ragged, "
               "boundary_faces_cells 1, boundary_faces_nodes ragged")
    yield ("good-joined.cgns", None, TWO)
    yield ("good-apart.cgns", None, "nodes 16, cells 2, faces 0, boundary_faces 12: 2 hex8; left 1, right 1, wall 4")
    yield ("good-grid.cgns", None, GRID)
    yield ("good-plane.cgns", None, FLAT)
    yield ("good-polyhedra.cg", None, "nodes 12, cells 2, faces 1, boundary_faces 10, faces_cells 2, faces_nodes ragged, "
           "boundary_faces_cells 1, boundary_faces_nodes ragged")
    for name, says in (("node.cgns", "zone Zone: section cells4: element 4 has node 13, not in [1, 12]"),
                       ("node-zero.cgns", "zone Zone: section cells4: element 4 has node 0, not in [1, 12]"),
                       ("boundary.cgns", "zone Zone: boundary floor: there is no element 9"),
                       ("boundary-node.cgns", "zone Zone: boundary floor: there is no node 13"),
                       ("joint.cgns", "zone left: the interface joint refers to nodes outside its zones"),
                       ("donor.cgns", "zone left: cg_conn_info:donor zone nowhere does not exist"),
                       ("transform.cgns", "zone left: the interface joint refers to nodes outside its zones"),
                       ("range.cgns", "zone left: boundary inflow: its range contains the invalid index 9"),
                       ("face.cg", "zone Zone: element 12 has a face that does not exist"),
                       ("counted.cgns", "zone Zone: section all: an element is of no type, or its nodes end too early"),
                       ("three.cg", "zone Zone: element 1 is a face of three cells"),
                       ("face-node.cg", "zone Zone: element 1 has a node that does not exist"),
                       ("length.cgns", "section cells1: the length of its connectivity does not match its elements"),
                       ("wide-boundary.cgns",
                        "zone Zone: boundary floor: the length of its array of points does not match the number of its points"),
                       ("wide-joint.cgns",
                        "zone left: the lengths of the lists of the interface joint do not match its number of points"),
                       ("wide-range.cgns", "zone left: a range of interface 1 must be two points"),
                       ("section-twice.cgns", "zone Zone: two sections are named cells1"),
                       ("cut.cgns", "the CGNS file cannot be opened")):
        yield ("bad-" + name, None, says, NAMED)
    yield ("unsupported-type.cgns", None, "section cells1 is of the type TRI_9, which is not supported")


def fixtures(here):
    del here
    yield from in_folder("cgns", files())
