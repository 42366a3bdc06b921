# SPDX-License-Identifier: Apache-2.0
"""Meshes in HDF5 (MED), which make_hdf5_fixtures.py makes: here is what they hold."""
import fixtures_fem
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


def fixtures(here):
    del here
    yield from in_folder("med", med())
