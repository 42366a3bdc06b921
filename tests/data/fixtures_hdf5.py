# SPDX-License-Identifier: Apache-2.0
"""Meshes in HDF5 (MED, Fluent, VTK), which make_hdf5_fixtures.py makes: here is what they hold."""
import fixtures_fem
import fixtures_fluent
from fixture import in_folder
from fixtures_gmsh import SOLIDS

NAMED = "the library tells no bytes: the table is named"
STATE = "ENS_MAA/m/-0000000000000000001-0000000000000000001"


def med():
    first = "good-solids.med"
    yield (first, None, SOLIDS + "; most 2, block 1, rim 2, corner 2, floor 1")
    yield ("good-old.med", None, SOLIDS + "; most 2, block 1, rim 2, corner 2, floor 1", first)
    yield ("good-flat.med", None, "nodes 6, cells 2, faces 1, boundary_faces 4: 2 tri3; wall 1")
    yield ("good-polygons.med", None, "cells 2, nodes 6, cells_nodes ragged")
    for name in fixtures_fem.SECOND:
        n = {"hex20": "6", "prism15": "5", "tet10": "4"}[name]
        yield (f"good-{name}.med", None, f"nodes {name[-2:]}, cells 1, faces 0, boundary_faces {n}: 1 {name}")
    for name, says in (("node", f": {STATE}/MAI/TE4/NOD has a node 13, which is not in [1, 12]"),
                       ("zero", f": {STATE}/MAI/TE4/NOD has a node 0, which is not in [1, 12]"),
                       ("half", f": {STATE}/MAI/TE4/NOD does not hold whole elements"),
                       ("members", f": {STATE}/MAI/HE8/FAM does not have one number for each member"),
                       ("no-cells", "the file has no cells"), ("no-nodes", f": {STATE}/NOE/COO is missing"),
                       ("count", f": {STATE}/NOE/COO does not hold 1, 2 or 3 coordinates for each of NBR nodes"),
                       ("reals", f": {STATE}/MAI/TE4/NOD must hold whole numbers"),
                       ("infinite", f": {STATE}/NOE/COO has a coordinate that is not finite"), ("cut", "the HDF5 file cannot be opened: it is damaged or truncated")):
        yield (f"bad-{name}.med", None, says, NAMED)
    yield ("unsupported-grid.med", None, ": ENS_MAA/m is a structured mesh, which is not supported")
    yield ("unsupported-polyhedra.med", None, "MAI has elements of type POE, which are not supported")


def cases():
    first, faces = "good-solids.cas.h5", ": meshes/1/faces/"
    yield (first, None, fixtures_fluent.HOLDS, "../fluent/good-text.msh")
    yield ("good-sections.msh.h5", None, fixtures_fluent.HOLDS, "../fluent/good-text.msh")
    yield ("good-flat.cas.h5", None, fixtures_fluent.FLAT_HOLDS, "../fluent/good-flat.msh")
    yield ("good-polyhedron.cas.h5", None, "nodes 12, cells 4, faces 3, boundary_faces 15, cells_nodes ragged, faces_cells 2, "
           "faces_nodes ragged, boundary_faces_cells 1, boundary_faces_nodes ragged")
    yield ("good-surface.msh.h5", None, "nodes 12, cells 14, faces 24, boundary_faces 0: 8 tri3, 6 quad4; floor 1, wall 13")
    for name, says in (("node.cas", faces + "nodes/1/nodes has a node that is not among the nodes"),
                       ("size.cas", faces + "nodes/1/nodes does not hold as many nodes as nnodes says"),
                       ("cell.cas", faces + "c0/1 has a number that is not a cell"),
                       ("far-cell.cas", ": there is a cell 4000, but there are only 17 faces"),
                       ("both.cas", faces + "c1 has a face with one cell on both sides"),
                       ("zone.cas", faces + "zoneTopology has a zone of members that are not there"),
                       ("section.msh", faces + "nodes/2 does not begin behind the section before it"),
                       ("dimension.cas", ": meshes/1 must have the dimension 2 or 3"),
                       ("infinite.cas", ": meshes/1/nodes/coords/1 has a coordinate that is not finite"),
                       ("flat.cas", faces + "nodes has a face of more than two nodes in the plane"),
                       ("no-nodes.cas", faces + "nodes/1/nodes has a node that is not among the nodes")):
        yield (f"bad-{name}.h5", None, says, NAMED)
    yield ("unsupported-parents.cas.h5", None, faces + "zoneTopology has parents of other faces, of a mesh with hanging nodes")


def vtkhdf():
    first, holds = "good-solids.vtkhdf", SOLIDS + "; #1 2, #2 2, #7 1"
    yield (first, None, holds)
    yield ("good-parts.vtkhdf", None, holds)
    yield ("good-ghosts.vtkhdf", None, holds)
    yield ("good-steps.vtkhdf", None, holds, first)
    for name in ("good-blocks.vtkhdf", "good-blocks-old.vtkhdf"):
        yield (name, None, "nodes 28, cells 4, faces 2, boundary_faces 16: 1 tet4, 1 pyramid5, 1 prism6, 1 hex8; core 2, tops 2, skin 0")
    yield ("good-polydata.vtkhdf", None, "nodes 6, cells 3, faces 2, boundary_faces 6: 2 tri3, 1 quad4")
    for name, says in (("node", ": VTKHDF has a cell with a point that is not in its part"), ("negative", ": VTKHDF/Connectivity has a negative number"),
                       ("offsets", ": VTKHDF has offsets that descend"), ("start", ": VTKHDF has offsets that do not go from 0 to the number of entries"),
                       ("points", ": VTKHDF has a part with more points or cells than its tables"), ("cells", ": VTKHDF has a part with more points or cells than its tables"),
                       ("no-types", ": VTKHDF/Types is missing"), ("no-points", ": VTKHDF/Points is missing")):
        yield (f"bad-{name}.vtkhdf", None, says, NAMED)
    yield ("unsupported-image.vtkhdf", None, ": VTKHDF holds neither an unstructured grid nor PolyData")
    yield ("unsupported-polyhedron.vtkhdf", None, ": VTKHDF has polyhedra, which are not supported here")


def dmplex():
    first, holds = "good-solids.h5", SOLIDS + "; #1 2, #2 2, marker 2, #9 2, #4 2, marker 1"
    yield (first, None, holds)
    yield ("good-order.h5", None, holds, first)
    yield ("good-version2.h5", None, holds, first)
    yield ("good-flat.h5", None, "nodes 4, cells 2, faces 1, boundary_faces 4: 2 tri3")
    yield ("good-drawing.h5", None, "nodes 12, cells 1, faces 0, boundary_faces 6: 1 hex8")
    for name, says in (("point", ": topology/cells has a point that is not in the mesh"), ("order", ": topology/order does not have each point once"),
                       ("size", ": topology/c"), ("depth", ": topology/cells has a point that is bounded by points of other depths"),
                       ("infinite", ": geometry/vertices has a coordinate that is not finite"), ("label", ": labels/Cell Sets/1/indices has a point that is not in the mesh"),
                       ("no-vertices", ": geometry/vertices is missing"), ("turns", ": topology/orientation has another length than the other tables")):
        yield (f"bad-{name}.h5", None, says, NAMED)
    yield ("unsupported-version.h5", None, ": topologies/m/topology/strata is of storage version 3, which is not supported")


def fixtures(here):
    del here
    yield from in_folder("fluent-hdf5", cases())
    yield from in_folder("med", med())
    yield from in_folder("vtkhdf", vtkhdf())
    yield from in_folder("dmplex", dmplex())
