# SPDX-License-Identifier: Apache-2.0
"""Plans for loops over unstructured meshes, as numpy arrays.

    import meshplan
    plan = meshplan.plan({"edges_cells": table}, {"cells": centres})   # made here, proved
    plan = meshplan.open("wing.mplan")                                 # or read from a file
    cells = plan.sets["cells"]
    q = cells.to_stored(q_of_mesh)           # rows into the order of the plan
    table = plan.maps["faces_cells"].values  # mapping table between stored rows
    for launch in plan.loop().variant().launches():
        ...

Plans are read by code that follows formats/plan-format.md only and shares nothing with the C library; their arrays are read
only and lie in the file itself, which is mapped into memory (compressed ones are inflated when they are asked for).
`help(meshplan.Plan)` says what a plan has. `plan`, `read_mesh`, `convert`, `verify` and `Mesh` call the library, which is
compiled when pip installs the package."""
from .plan import BlockSet, Loop, Map, Plan, Set, Variant, open  # noqa: A004
from .planfile import Refused
from .planner import (Disproved, Mesh, MeshMap, MeshplanError, NotCompiled, Warned, convert, plan, read_mesh, verify,
                      versions)

__all__ = ["BlockSet", "Disproved", "Loop", "Map", "Mesh", "MeshMap", "MeshplanError", "NotCompiled", "Plan", "Refused", "Set",
           "Variant", "Warned", "convert", "open", "plan", "read_mesh", "verify", "versions"]
__version__ = "0.1.0"
